"""The commands that people type."""

import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[2]
SERVE = [sys.executable, str(ROOT / "tools" / "serve.py")]


def test_serve_takes_the_next_free_port_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<h1>hello</h1>", "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        command = [*SERVE, str(tmp_path), "--port", str(taken)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout
                assert server.stdout.readline() == f"Port {taken} is taken, trying the next one.\n"
                while "is taken" in (line := server.stdout.readline()):
                    pass  # the next one may be in use too
                found = re.search(r"http://localhost:(\d+)", line)
                assert found and int(found[1]) > taken
                with urlopen(found[0], timeout=10) as page:
                    assert page.read() == b"<h1>hello</h1>"
            finally:
                server.terminate()


def test_serve_says_what_to_do_when_nothing_is_built(tmp_path: Path) -> None:
    done = subprocess.run([*SERVE, str(tmp_path)], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert "make site" in done.stderr


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_alone_lists_every_command() -> None:
    done = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True)
    phony = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert phony
    for command in phony[1].split():
        assert re.search(rf"^  make {command} +\S", done.stdout, re.MULTILINE), command
