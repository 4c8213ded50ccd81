"""The commands that people type."""

import ast
import doctest
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import nbformat
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


def test_notebooks_leaves_no_kernel_behind(tmp_path: Path) -> None:
    """A kernel that outlives the command says so on stderr, which it holds open until then."""
    paths = {name: tmp_path / f"{name}.ipynb" for name in ("good", "bad")}
    for name, code in [("good", "print(6 * 7)"), ("bad", "1 / 0")]:
        cells = [nbformat.v4.new_code_cell(code)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), paths[name])
    before = paths["bad"].read_text("utf-8")
    command = [sys.executable, "-m", "tools.notebooks", *map(str, paths.values())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert nbformat.read(paths["good"], 4).cells[0].outputs[0].text == "42\n"
    assert done.returncode == 1 and paths["bad"].read_text("utf-8") == before
    assert "failed; the file is left as it was" in done.stderr.splitlines()
    assert "ZeroDivisionError" in done.stderr and "IPKernelApp" not in done.stderr


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_alone_lists_every_command() -> None:
    done = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True)
    phony = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert phony
    for command in phony[1].split():
        assert re.search(rf"^  make {command} +\S", done.stdout, re.MULTILINE), command


def called(function: ast.FunctionDef) -> set[str]:
    """The names of all that a function calls, but for the one small package that may be absent."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    return {ast.unparse(c.func).split(".")[-1] for c in calls if "'mpmath'" not in ast.unparse(c)}


def test_every_test_that_needs_a_large_package_is_one_of_the_peers() -> None:
    """Unmarked, it would be skipped everywhere and for ever."""
    needy = []
    for path in (ROOT / "tests").rglob("test_*.py"):
        parts = ast.parse(path.read_text("utf-8")).body
        functions = [part for part in parts if isinstance(part, ast.FunctionDef)]
        skipping = {f.name for f in functions if "importorskip" in called(f)} | {"importorskip"}
        needy += [f for f in functions if f.name.startswith("test_") and called(f) & skipping]
    assert len(needy) > 10
    for test in needy:
        assert "pytest.mark.peers" in map(ast.unparse, test.decorator_list), test.name


@pytest.mark.parametrize(("package", "code"), [("json", 0), ("no_such_package", 1)])
def test_a_peer_that_is_missing_is_a_failure(tmp_path: Path, package: str, code: int) -> None:
    test = tmp_path / "test_one.py"
    test.write_text(
        "import pytest\n\n\n@pytest.mark.peers\ndef test_one():\n"
        f"    pytest.importorskip({package!r}, reason='it is not there')\n",
        "utf-8",
    )
    run = [sys.executable, "-m", "pytest", "-p", "conftest", "-c", str(ROOT / "pyproject.toml")]
    cache = ["-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [*run, *cache, "-m", "peers", str(test)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert ("it is not there" in done.stdout) == bool(code)


def test_the_readme_says_what_the_library_does() -> None:
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried >= 3 and not failed


def test_the_readme_names_only_commands_and_folders_that_exist() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    commands = set(re.findall(r"`?make ([a-z]+)`", readme)) | set(
        re.findall(r"^make ([a-z]+)", readme, re.M)
    )
    assert {"serve", "test", "lab", "notebooks"} <= commands
    for command in commands:
        assert re.search(rf"^{command}:", makefile, re.MULTILINE), command
    for folder in re.findall(r"^\| `([a-z_]+)/`", readme, re.MULTILINE):
        assert (ROOT / folder).is_dir(), folder
