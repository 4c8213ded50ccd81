"""Test that the commands in the documentation do what the documentation says."""

import doctest
import json
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
SERVE = [sys.executable, str(ROOT / "tools" / "serve.py")]


def test_serve_takes_the_next_free_port_and_has_the_sites_own_404(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<h1>hello</h1>", "utf-8")
    (tmp_path / "404.html").write_text("<h1>no such page</h1>", "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        command = [*SERVE, str(tmp_path), "--port", str(taken)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout
                assert server.stdout.readline() == f"Port {taken} is taken, trying the next one.\n"
                while "is taken" in (line := server.stdout.readline()):
                    pass  # the next port may also be in use
                found = re.search(r"http://localhost:(\d+)", line)
                assert found and int(found[1]) > taken
                with urlopen(found[0], timeout=10) as page:
                    assert page.read() == b"<h1>hello</h1>"
                for method, body in [("GET", b"<h1>no such page</h1>"), ("HEAD", b"")]:
                    wanted = Request(f"{found[0]}/chapters/none.html", method=method)
                    with pytest.raises(HTTPError) as error:
                        urlopen(wanted, timeout=10)
                    assert error.value.code == 404 and error.value.read() == body
            finally:
                server.terminate()


def test_notebooks_leaves_no_kernel_behind(tmp_path: Path) -> None:
    """Check that no kernel remains after the command, even if a notebook fails.

    A kernel that is left behind keeps stderr open and writes a message to it when it ends.
    """
    paths = {name: tmp_path / f"{name}.ipynb" for name in ("good", "bad")}
    for name, code in [("good", "print(6 * 7)"), ("bad", "1 / 0")]:
        cells = [nbformat.v4.new_code_cell(code)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), paths[name])
    before = paths["bad"].read_text("utf-8")
    command = [sys.executable, "-m", "tools.notebooks", *map(str, paths.values())]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, cwd=ROOT, check=False
    )
    assert nbformat.read(paths["good"], 4).cells[0].outputs[0].text == "42\n"
    assert done.returncode == 1 and paths["bad"].read_text("utf-8") == before
    assert "ZeroDivisionError" in done.stderr and "IPKernelApp" not in done.stderr


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_alone_lists_every_command() -> None:
    done = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True)
    phony = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert phony
    for command in phony[1].split():
        assert re.search(rf"^  make {command} +\S", done.stdout, re.MULTILINE), command


def lines_for_a_shell() -> Iterable[str]:
    """Yield each command that readers of the documentation are told to type."""
    for folder in (".", "benchmarks", "exercises", "contributing", "chapters"):
        texts = [path.read_text("utf-8") for path in (ROOT / folder).glob("*.md")]
        for path in (ROOT / folder).glob("*.ipynb"):
            cells = json.loads(path.read_text("utf-8"))["cells"]
            texts += ["".join(c["source"]) for c in cells if c["cell_type"] == "markdown"]
        for text in texts:
            for block in re.findall(r"```(?:sh|bash|console)\n(.*?)```", text, re.DOTALL):
                # A command goes on after a backslash, and within quotation marks.
                whole = re.sub(r"\\\n|'[^']*'", lambda part: part[0].replace("\n", " "), block)
                yield from filter(None, map(str.strip, whole.splitlines()))
            yield from re.findall(r"`((?:python3? -m )?(?:pip|uv) [^`]+)`", text)


@pytest.mark.parametrize("line", list(lines_for_a_shell()))
def test_what_people_type_is_understood_by_zsh(line: str) -> None:
    """Check that no command contains a comment, or [test] without quotation marks.

    zsh, the shell of macOS, treats [test] as a file pattern and stops if no file matches it. At the
    prompt it does not recognise comments, so `make serve # the site` tries to make `#`.
    """
    bare = re.sub(r"\"[^\"]*\"|'[^']*'", "", line)
    assert not re.search(r"[\[\]*?]|(^|\s)#", bare), line


def test_missing_parts_of_the_course_are_named() -> None:
    code = "import sys; sys.modules['anywidget'] = None; import pe_lib.course.explorers"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert re.search(r"needs anywidget, .* python -m pip install", done.stderr.splitlines()[-1])


def test_every_test_that_needs_a_large_package_is_one_of_the_peers() -> None:
    """Check that each test is marked `peers` if it needs a large package.

    Without the mark, such a test would be skipped in every run. mpmath is small and always
    installed, so it needs no mark.
    """
    needy = 0
    for path in (ROOT / "tests").rglob("test_*.py"):
        parts = re.findall(
            r"^(?:@.*\n)*def .*\n(?:[ )].*\n|\n)+", path.read_text("utf-8"), re.MULTILINE
        )
        calls = {part: set(re.findall(r"(\w+)\((?!.mpmath|{)", part)) for part in parts}
        names = {re.findall(r"def (\w+)", part)[0]: part for part in parts}
        skipping = {"importorskip"} | {n for n in names if "importorskip" in calls[names[n]]}
        for name, part in names.items():
            if name.startswith("test_") and calls[part] & (skipping - {name}):
                needy += 1
                assert "@pytest.mark.peers\n" in part, f"{path.name}: {name}"
    assert needy > 10


@pytest.mark.parametrize(("package", "code"), [("json", 0), ("no_such_package", 1)])
def test_a_peer_that_is_missing_is_a_failure(tmp_path: Path, package: str, code: int) -> None:
    test = tmp_path / "test_one.py"
    lines = ["import pytest", "@pytest.mark.peers", "def test_one():"]
    test.write_text("\n".join([*lines, f"    pytest.importorskip({package!r}, reason='absent')"]))
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider"]
    command += ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), "-m", "peers"]
    done = subprocess.run(
        [*command, str(test)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr


def test_the_readme_says_what_the_library_does() -> None:
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried >= 3 and not failed
