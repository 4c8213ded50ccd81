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

MEGABYTE = 2**20
LARGEST = 32 * MEGABYTE  # of a file
# What students hand in for the notebook, and what is said of it
INSTEAD = {".zip": "a ZIP archive", ".7z": "an archive", ".rar": "an archive", ".gz": "an archive",
           ".py": "a program", ".pdf": "a PDF", ".docx": "a text"}  # fmt: skip


@dataclass(frozen=True)
class Notebook:
    """Its cells of Python and, if it says so, sheet, seed and, in an exam, student."""

    cells: list[str]
    sheet: str
    seed: int | None
    student: str | None


def read(path: Path) -> Notebook:
    """The notebook in a file. Raises ValueError, which says why there is none."""
    if what := INSTEAD.get(path.suffix.lower()):
        raise ValueError(f"it is not a notebook but {what}; the .ipynb file is wanted")
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("it is no file but a folder, a link, a pipe or a device")
        if found.st_size > LARGEST:
            size, most = found.st_size / MEGABYTE, LARGEST // MEGABYTE
            raise ValueError(f"it has {size:,.0f} MB, and {most} is most")
        return look([plain(source) for source in cells(path.read_bytes())])
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
        code = ["".join(c["source"]) for c in json.loads(data)["cells"] if _is_of_python(c)]
    except json.JSONDecodeError as error:
        why = f"its JSON is broken, or ends early, in line {error.lineno}"
        raise ValueError(f"it is not a notebook: {why}") from None
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(f"it is not a notebook of format 4 ({type(error).__name__})") from None
    if not any(source.strip() for source in code):
        raise ValueError("it has no code in it")
    return code


def _is_of_python(cell: dict[str, Any]) -> bool:
    """A code cell; Visual Studio Code marks those in another language."""
    language = cell.get("metadata", {}).get("vscode", {}).get("languageId", "python")
    return bool(cell["cell_type"] == "code" and language == "python")


def plain(source: str) -> str:
    """A cell as Python, line for line: what only IPython understands calls `get_ipython()`.

    What `%time` and `%%time` measure is run.

    >>> plain("files = !ls\\n%time x = 3")
    "files = get_ipython().getoutput('ls')\\nx = 3\\n"
    """
    if _is_python(source):
        return source
    source = re.sub(r"^\s*%%(time|capture|prun)\b.*", "", source)
    source = re.sub(r"^([ \t]*)%time +(?=\S)", r"\1", source, flags=re.MULTILINE)
    with contextlib.suppress(SyntaxError, ValueError, RuntimeError):
        made: str = TransformerManager().transform_cell(source)  # type: ignore[no-untyped-call]
        return made if _is_python(made) else source
    return source


def _is_python(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def look(sources: list[str]) -> Notebook:
    """What cells of plain Python show."""
    text = "\n".join(sources)
    sheets = ["", *re.findall(r"\bSheet\(([^()]*)\)", text)]
    name = re.match(r"\s*[\"'](\d\d[\w-]{0,40})[\"']", sheets[-1])
    seed = re.search(r"\bseed *= *(\d{1,18})\s*(?:,|$)", sheets[-1])
    student = re.search(r'^student = (".*")$', text, re.MULTILINE)
    return Notebook(
        sources,
        name[1] if name else "",
        int(seed[1]) if seed else 0 if sheets[1:] else None,
        json.loads(student[1]) if student else None,
    )
