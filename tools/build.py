"""Build the site with Jupyter Book, and end with a sentence about each thing that is wrong.

python -m tools.build [OPTION ...]      (options of jupyter-book build, such as --all)

Jupyter Book alone ends with a traceback, and names a place in a notebook as "line 40002".
"""

import importlib
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, NamedTuple, TextIO

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "site"
# what `make slides` and `make cards` put beside the pages, by the module that does it
EXTRAS = {"classroom.slides": "index.html", "classroom.cards": "order-matters-anki.txt"}
COLOUR = re.compile(r"\x1b\[[\d;]*m")
WARNING = re.compile(
    r"^(?P<path>.+?)(?::(?P<line>\d+))?: (?:WARNING|ERROR|CRITICAL): (?P<text>.+)",
    re.MULTILINE,
)
CODE = re.compile(r" \[[\w.]+\]$")  # Sphinx's name for a kind of warning, which helps nobody here
# what myst says, and what we say instead
REWORDED = (
    (re.compile(r"'myst' cross-reference target not found: '(.+?)'.*"), r"there is no file '\1'"),
    (re.compile(r"local id not found in doc '(.+?)': '(.+?)'"), r"\1 has no place called '#\2'"),
)
# how a message names what stands in the text: a link, a place in a page, a number
NAMED = re.compile(r"'([^']+)'|links to (\S+?),|(\(\d+\.\d+\)|[Ff]igure \w+\.\d+)")


class Problem(NamedTuple):
    """What is wrong, where it stands, and what stands there."""

    place: str
    excerpt: str
    text: str

    def __str__(self) -> str:
        excerpt = f", in {self.excerpt}" if self.excerpt else ""
        return f"{self.place}{excerpt}: {self.text.rstrip('.')}."


class Recorder(io.TextIOBase):
    """A stream that keeps what is written to it, and passes it on."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return self.stream.write(text)

    def flush(self) -> None:
        self.stream.flush()

    def isatty(self) -> bool:
        return self.stream.isatty()


def build(*options: str) -> list[Problem]:
    """Build the site, strictly, with its slides if it had some; return what is wrong with it."""
    # imported here, since each build of `make serve` is a fork in which they are there already
    from sphinx.builders.html import StandaloneHTMLBuilder

    jupyter_book: Any = importlib.import_module("jupyter_book.cli.main")
    extras = [name for name, file in EXTRAS.items() if (SITE / "slides" / file).is_file()]
    results: list[object] = []
    # both of these name folders that are not the site; _ext.theme says where the site is
    jupyter_book.builder_specific_actions = lambda result, *_: results.append(result)
    StandaloneHTMLBuilder.epilog = ""
    recorder = Recorder(sys.stderr)
    with redirect_stderr(recorder):
        command = ["build", str(ROOT), "-W", "-n", "--keep-going", *options]
        jupyter_book.main(command, standalone_mode=False)
    if results[0]:
        return find_problems(recorder.text, results[0])
    for module in extras:
        command = [sys.executable, "-m", module]
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return []


def find_problems(stderr: str, result: object) -> list[Problem]:
    """Return what Sphinx warned of, and the error that it ended with, each place once."""
    problems: dict[tuple[str, str], Problem] = {}
    for match in WARNING.finditer(COLOUR.sub("", stderr)):
        problem = describe(match["path"], match["line"], CODE.sub("", match["text"]))
        problems.setdefault((problem.place, problem.excerpt), problem)
    if isinstance(result, Exception):
        path, _, text = str(result).partition(" links to ")
        text = text and f"links to {text}"
        if not text:
            path, _, text = str(result).partition(": ")
        if not (text and source_of(path)):
            path, text = "", f"{type(result).__name__}: {result}"
        problem = describe(path, None, text)
        problems.setdefault((problem.place, problem.excerpt), problem)
    return list(problems.values()) or [Problem("The site", "", "something is wrong, see above")]


def source_of(page: str) -> Path | None:
    """Return the file of a page that Sphinx names by its file or without its suffix."""
    for suffix in ("", ".ipynb", ".md"):
        path = ROOT / f"{page}{suffix}"
        if page and path.is_file():
            return path
    return None


def describe(page: str, line: str | None, text: str) -> Problem:
    """Return the problem with its file, its cell and the link or number that is wrong.

    In a notebook Sphinx counts cells that the build adds, so we look for what the message names.
    """
    path = source_of(page)
    names = [name for groups in NAMED.findall(text) for name in groups if name]
    for pattern, replacement in REWORDED:
        text = pattern.sub(replacement, text)
    if path is None:
        return Problem(page or "The site", "", text)
    file = path.relative_to(ROOT).as_posix()
    for name in reversed(names):
        needle = name.rsplit("#")[-1]
        for place, source in passages(path):
            for number, words in enumerate(source.splitlines(), start=1):
                if needle in words:
                    link = re.search(rf"\[[^\]]*\]\([^)]*{re.escape(needle)}[^)]*\)", words)
                    excerpt = link[0] if link else needle
                    return Problem(f"{file}, {place}line {number}", excerpt, text)
    if path.suffix == ".ipynb":
        return Problem(f"{file}, in a cell that the build adds", "", text)
    return Problem(f"{file}, line {line}" if line else file, "", text)


def passages(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the text of a page, or of each cell of a notebook, with how the cell is named."""
    text = path.read_text("utf-8")
    if path.suffix != ".ipynb":
        yield "", text
        return
    for number, cell in enumerate(json.loads(text)["cells"], start=1):
        yield f"cell {number} ({cell['id']}), ", "".join(cell["source"])


def main() -> None:
    if problems := build(*sys.argv[1:]):
        count = "1 thing is" if len(problems) == 1 else f"{len(problems)} things are"
        print(f"\nThe site was not built, since {count} wrong:", file=sys.stderr)
        print(*problems, sep="\n", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
