"""Build the site with Jupyter Book, and then explain each problem in a sentence.

python -m tools.build [OPTION ...]      (options of jupyter-book build, such as --all)

Jupyter Book alone ends with a traceback, and it names a line in a notebook as "line 40002".
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
# The modules that `make slides` and `make cards` run, each with a file that it creates
EXTRAS = {"classroom.slides": "index.html", "classroom.cards": "order-matters-anki.txt"}
COLOUR = re.compile(r"\x1b\[[\d;]*m")
WARNING = re.compile(
    r"^(?P<path>.+?)(?::(?P<line>\d+))?: (?:WARNING|ERROR|CRITICAL): (?P<text>.+)",
    re.MULTILINE,
)
CODE = re.compile(r" \[[\w.]+\]$")  # matches the type that Sphinx appends to a warning
# Messages from MyST, and the messages that we print instead
REWORDED = (
    (re.compile(r"'myst' cross-reference target not found: '(.+?)'.*"), r"there is no file '\1'"),
    (re.compile(r"local id not found in doc '(.+?)': '(.+?)'"), r"\1 has no place called '#\2'"),
)
# matches the link, the anchor or the number in a message, which also stands in the source
NAMED = re.compile(r"'([^']+)'|links to (\S+?),|(\(\d+\.D?\d+\)|[Ff]igure \w+\.D?\d+)")


class Problem(NamedTuple):
    """A problem in a build: its place, the source text at this place, and a message."""

    place: str
    excerpt: str
    text: str

    def __str__(self) -> str:
        excerpt = f", in {self.excerpt}" if self.excerpt else ""
        return f"{self.place}{excerpt}: {self.text.rstrip('.')}."


class Recorder(io.TextIOBase):
    """A stream that records all text and passes it on to another stream."""

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
    """Build the site in strict mode, and return the problems that were found.

    If the site had slides or cards before, they are made again.
    """
    # Import this late, because `make serve` forks builds from a process that loaded these modules.
    from sphinx.builders.html import StandaloneHTMLBuilder

    jupyter_book: Any = importlib.import_module("jupyter_book.cli.main")
    extras = [name for name, file in EXTRAS.items() if (SITE / "slides" / file).is_file()]
    results: list[object] = []
    # Silence two messages that name a wrong folder, because _ext.theme prints the right one.
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
    """Return one problem for each place that Sphinx names in a warning or in the final error."""
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
    """Return the source file of a page, which Sphinx may name with or without a suffix."""
    for suffix in ("", ".ipynb", ".md"):
        path = ROOT / f"{page}{suffix}"
        if page and path.is_file():
            return path
    return None


def describe(page: str, line: str | None, text: str) -> Problem:
    """Return a problem with its file, its cell, and the link or number that is wrong.

    Sphinx counts cells that the build adds to a notebook, so its line numbers do not help. Instead,
    we search for the text that the message names.
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
    """For each cell of a notebook, or for a whole Markdown page, yield a name and the text."""
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
