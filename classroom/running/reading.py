"""What was handed in, read and not run: a notebook's code, and what it shows of itself."""

from __future__ import annotations

import ast
import contextlib
import json
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

from pe_lib.course.grading.sheet import Content, Question, load, names

MEGABYTE = 2**20
LARGEST = 32 * MEGABYTE  # of a file
# What students hand in for the notebook, and what is said of it
INSTEAD = {".zip": "a ZIP archive", ".7z": "an archive", ".rar": "an archive", ".gz": "an archive",
           ".py": "a program", ".pdf": "a PDF", ".docx": "a text"}  # fmt: skip
TIMED = {"time", "capture", "prun"}  # below these stands Python that leaves its names


@dataclass(frozen=True)
class Notebook:
    """Its cells of Python, the seed of its numbers and, in an exam, whose they are, if it says so.

    `defined` holds, for each name that the code gives a value, the statements that do, `broken`
    the cells with an error in their syntax.
    """

    cells: list[str]
    seed: int | None
    student: str | None
    defined: dict[str, set[str]]
    broken: str

    def missing(self, content: Content) -> list[Question]:
        """The questions of the sheet whose answer no cell defines."""
        return [q for q in content.questions.values() if q.answer not in self.defined
                and not re.search(rf"\b{q.answer}\b", self.broken)]  # fmt: skip

    def is_blank(self, content: Content) -> bool:
        """Whether no answer was touched; one that was deleted counts as touched."""
        return all(
            self.defined.get(q.answer, {""}) <= definitions([_tree(q.starter)])[q.answer]
            for q in content.questions.values()
        )

    def other_sheet(self, content: Content) -> Content | None:
        """The sheet that it is of, if most of that one's answers are there and few of `content`."""

        def share(one: Content) -> float:
            return 1 - len(self.missing(one)) / len(one.questions)

        if share(content) >= 0.5:
            return None
        best = max((load(name) for name in names()), key=share)
        return best if share(best) > max(0.5, 2 * share(content)) else None


def read(path: Path) -> Notebook:
    """The notebook in a file. Raises ValueError, which says why there is none."""
    if what := INSTEAD.get(path.suffix.lower()):
        raise ValueError(f"it is not a notebook but {what}; the .ipynb file is wanted")
    return look([plain(source) for source in cells(_bytes(path))])


def _bytes(path: Path) -> bytes:
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("it is no file but a folder, a link, a pipe or a device")
        if found.st_size > LARGEST:
            size, most = found.st_size / MEGABYTE, LARGEST // MEGABYTE
            raise ValueError(f"it has {size:,.0f} MB, and {most} is most")
        return path.read_bytes()
    except OSError as error:
        raise ValueError(f"it can't be read: {error.strerror or error}") from None


def cells(data: bytes) -> list[str]:
    """The Python code in a notebook's bytes, in whichever UTF, cell by cell.

    Raises ValueError for what is no notebook, or has no code in it.

    >>> cells(b'{"cells": [{"cell_type": "code", "source": ["x = 1"]}]}')
    ['x = 1']
    """
    if data.lstrip().startswith(b"<"):
        raise ValueError("it is not a notebook but a web page; the file itself is wanted")
    try:
        code = ["".join(c["source"]) for c in json.loads(data)["cells"] if _is_python(c)]
    except json.JSONDecodeError as error:
        why = f"its JSON is broken, or ends early, in line {error.lineno}"
        raise ValueError(f"it is not a notebook: {why}") from None
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(f"it is not a notebook of format 4 ({type(error).__name__})") from None
    if not any(source.strip() for source in code):
        raise ValueError("it has no code in it")
    return code


def _is_python(cell: dict[str, Any]) -> bool:
    """A code cell; editors mark those in another language."""
    if cell["cell_type"] != "code":
        return False
    language = cell.get("metadata", {}).get("vscode", {}).get("languageId", "python")
    return bool(language == "python" and cell.get("language", "python") == "python")


def plain(source: str) -> str:
    """A cell as Python, line for line: what only IPython understands calls `get_ipython()`.

    What `%time` and `%%time` measure is run; a cell below `%%bash` and its like is left out.

    >>> plain("files = !ls\\n%time x = 3")
    "files = get_ipython().getoutput('ls')\\nx = 3\\n"
    """
    if _tree(source).body:
        return source
    if magic := re.match(r"\s*%%(\w+).*\n?", source):
        if magic[1] not in TIMED:
            return ""
        source = "\n" * magic[0].count("\n") + source[magic.end() :]
    source = re.sub(r"^([ \t]*)%time +(?=\S)", r"\1", source, flags=re.MULTILINE)
    with contextlib.suppress(SyntaxError, ValueError, RecursionError):
        made: str = TransformerManager().transform_cell(source)  # type: ignore[no-untyped-call]
        return made if _tree(made).body else source
    return source


def look(sources: list[str]) -> Notebook:
    """What cells of plain Python show."""
    trees, text = [_tree(source) for source in sources], "\n".join(sources)
    sheets = re.findall(r"\bSheet\(([^()]*)\)", text)
    seed = re.search(r"\bseed *= *(\d{1,18})\s*(?:,|$)", sheets[-1]) if sheets else None
    student = re.search(r'^student = (".*")$', text, re.MULTILINE)
    return Notebook(
        sources,
        int(seed[1]) if seed else 0 if sheets else None,
        json.loads(student[1]) if student else None,
        definitions(trees),
        "\n".join(source for source, tree in zip(sources, trees, strict=True) if not tree.body),
    )


def definitions(trees: list[ast.Module]) -> dict[str, set[str]]:
    """The names that get a value somewhere, and the statements that give it."""
    found: dict[str, set[str]] = {}
    for statement in (statement for tree in trees for statement in tree.body):
        for node in ast.walk(statement):
            name = getattr(node, "asname", None) or getattr(node, "name", "")
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                name = node.id
            if name:
                found.setdefault(name, set()).add(_dump(statement))
    return found


def _dump(node: ast.AST) -> str:
    try:
        return ast.dump(node)
    except RecursionError:
        return "very deep"


def _tree(source: str) -> ast.Module:
    """The program; an empty one where there is an error in its syntax."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])
