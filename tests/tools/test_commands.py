"""The commands that people type."""

import ast
import doctest
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

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


def test_serve_shows_the_sites_own_page_where_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<h1>hello</h1>", "utf-8")
    (tmp_path / "404.html").write_text("<h1>no such page</h1>", "utf-8")
    command = [*SERVE, str(tmp_path), "--port", "8400"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            while not (found := re.search(r"http://localhost:\d+", server.stdout.readline())):
                pass
            for method, body in [("GET", b"<h1>no such page</h1>"), ("HEAD", b"")]:
                wanted = Request(f"{found[0]}/chapters/none.html", method=method)
                with pytest.raises(HTTPError) as error:
                    urlopen(wanted, timeout=10)
                assert error.value.code == 404 and error.value.read() == body
                assert error.value.headers["Content-Type"] == "text/html"
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


TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "index.md", ROOT / "Containerfile",
         ROOT / "benchmarks" / "README.md", ROOT / "exercises" / "README.md",
         *(ROOT / "contributing").glob("*.md"), *(ROOT / "chapters").glob("*.md"),
         *(ROOT / "chapters").glob("*.ipynb")]  # fmt: skip
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


def lines_for_a_shell() -> list[str]:
    """What the texts tell people to type: blocks of `sh`, and commands within a sentence."""
    found: list[str] = []
    for path in TEXTS:
        text = path.read_text("utf-8")
        if path.suffix == ".ipynb":
            text = "\n".join(
                "".join(cell["source"])
                for cell in json.loads(text)["cells"]
                if cell["cell_type"] == "markdown"
            )
        for block in re.findall(r"```(?:sh|bash|console)\n(.*?)```", text, re.DOTALL):
            found += [line.strip() for line in block.splitlines()]
        found += re.findall(r"`((?:python3? -m )?(?:pip|uv) [^`]+)`", text)
    return [line for line in found if line]


@pytest.mark.parametrize("line", lines_for_a_shell())
def test_what_people_type_is_understood_by_zsh(line: str) -> None:
    """macOS's shell takes an unquoted [test] for a pattern, and stops where no file fits it."""
    bare = QUOTED.sub("", line)
    assert not re.search(r"[\[\]*?]", bare), line
    # nor does it know comments where people type: `make serve  # the site` wants to make `#`
    assert not re.search(r"(^|\s)#", bare), line
    if zsh := shutil.which("zsh"):  # and the shell itself, where it is installed
        subprocess.run([zsh, "-f", "-c", f": {line}"], cwd="/", check=True)


def test_missing_parts_of_the_course_are_named() -> None:
    code = "import sys; sys.modules['anywidget'] = None; import pe_lib.course.explorers"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: pe_lib.course needs anywidget, which is not installed."
        ' In the folder of the course: python -m pip install -e ".[course]"'
    )


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_another_address_builds_the_site_anew(tmp_path: Path) -> None:
    """A Makefile beside a stand-in for Jupyter Book, which counts how often it was asked."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    needed = ["requirements.txt", "constraints.txt", "pyproject.toml", "package-lock.json"]
    needed += ["_config.yml", "_toc.yml", "index.md", "CITATION.cff", "LICENSE", "LICENSE-text"]
    for name in [*needed, ".venv/ready"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    book = tmp_path / ".venv" / "bin" / "jupyter-book"
    book.parent.mkdir()
    book.write_text("#!/bin/sh\nmkdir -p _build/site && echo >> _build/site/index.html\n")
    book.chmod(0o755)
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB", "SITE", "MAKE"))}

    def builds(**environment: str) -> int:
        command = ["make", "-s", "site"]
        subprocess.run(command, cwd=tmp_path, env=clean | environment, check=True)
        return len((tmp_path / "_build" / "site" / "index.html").read_text().splitlines())

    assert [builds(), builds()] == [1, 1]
    published = {"SITE_URL": "https://me.example/course"}
    assert [builds(**published), builds(**published), builds()] == [2, 2, 3]


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
