"""Read a submitted notebook without running it, and find which sheet and which seed it names."""

from __future__ import annotations

import ast
import contextlib
import json
import math
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

MEGABYTE = 2**20
LARGEST_FILE = 32 * MEGABYTE
# maps the suffixes of files that students hand in by mistake to descriptions of these files
OTHER_FILES = {".zip": "a ZIP archive", ".7z": "an archive", ".rar": "an archive",
               ".gz": "an archive", ".py": "a program", ".pdf": "a PDF",
               ".docx": "a text"}  # fmt: skip


@dataclass(frozen=True)
class Notebook:
    """The Python cells of a submitted notebook, and what its code says about its sheet and student.

    Only the notebook of an exam names a student.
    """

    cells: list[str]
    sheet: str
    seed: int | None
    student: str | None


def read_notebook(path: Path) -> Notebook:
    """Read a notebook from a file, or raise ValueError with the reason if this is impossible."""
    if kind := OTHER_FILES.get(path.suffix.lower()):
        raise ValueError(f"it is not a notebook but {kind}; the .ipynb file is wanted")
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is not a file but a folder, a link, a pipe or a device")
        if status.st_size > LARGEST_FILE:
            size, largest = status.st_size / MEGABYTE, LARGEST_FILE // MEGABYTE
            # the size is rounded up, so that the message never says that a file of the allowed size
            # is too large
            text = f"it has {math.ceil(10 * size) / 10:,.1f} MB, and at most {largest} MB are read"
            raise ValueError(f"{text}; clear its outputs and save it again")
        return describe_notebook([plain_python(cell) for cell in code_cells(path.read_bytes())])
    except OSError as error:
        raise ValueError(f"it can't be read: {error.strerror or error}") from None


def code_cells(data: bytes) -> list[str]:
    """Return the Python code of each cell in a notebook file, which may use any UTF encoding.

    Raise ValueError if the bytes are not a notebook or the notebook contains no code.

    >>> code_cells(b'{"cells": [{"cell_type": "code", "source": ["x = 1"]}]}')
    ['x = 1']
    """
    if data.lstrip().startswith(b"<"):
        raise ValueError("it is not a notebook but a web page; the file itself is wanted")
    try:
        cells = json.loads(data)["cells"]
        code = ["".join(cell["source"]) for cell in cells if _is_python_cell(cell)]
    except json.JSONDecodeError as error:
        reason = f"its JSON is broken, or ends early, in line {error.lineno}"
        raise ValueError(f"it is not a notebook: {reason}") from None
    except UnicodeDecodeError:
        reason = "its text is not in UTF-8"
        raise ValueError(f"{reason}; open it in an editor and save it in UTF-8") from None
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        if re.search(rb'"worksheets": *\[', data):
            remedy = "convert it with `jupyter nbconvert --to notebook`"
            raise ValueError(f"it is a notebook of the old format 3; {remedy}") from None
        raise ValueError(f"it is not a notebook of format 4 ({type(error).__name__})") from None
    if not any(source.strip() for source in code):
        raise ValueError("it has no code in it")
    return code


def _is_python_cell(cell: dict[str, Any]) -> bool:
    """Return whether a code cell contains Python. Visual Studio Code allows other languages."""
    language = cell.get("metadata", {}).get("vscode", {}).get("languageId", "python")
    return bool(cell["cell_type"] == "code" and language == "python")


def plain_python(source: str) -> str:
    """Translate a cell to plain Python, in which function calls replace IPython's special commands.

    Code that is measured with `%time` or `%%time` is kept and run.

    >>> plain_python("files = !ls\\n%time x = 3")
    "files = get_ipython().getoutput('ls')\\nx = 3\\n"
    """
    if _is_python(source):
        return source
    source = re.sub(r"^\s*%%(time|capture|prun)\b.*", "", source)
    source = re.sub(r"^([ \t]*)%time +(?=\S)", r"\1", source, flags=re.MULTILINE)
    with contextlib.suppress(SyntaxError, ValueError, RuntimeError):
        code: str = TransformerManager().transform_cell(source)  # type: ignore[no-untyped-call]
        return code if _is_python(code) else source
    return source


def _is_python(source: str) -> bool:
    """Return whether code is plain Python, without special commands of IPython."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def describe_notebook(sources: list[str]) -> Notebook:
    """Return a Notebook with these cells, and with the sheet, seed and student that they name."""
    text = "\n".join(sources)
    calls = ["", *re.findall(r"\bSheet\(([^()]*)\)", text)]
    name = re.match(r"\s*[\"'](\d\d[\w-]{0,40})[\"']", calls[-1])
    seed = re.search(r"\bseed *= *(\d{1,18})\s*(?:,|$)", calls[-1])
    student = re.search(r'^student = (".*")$', text, re.MULTILINE)
    public_seed = 0 if calls[1:] else None
    return Notebook(
        sources,
        name[1] if name else "",
        int(seed[1]) if seed else public_seed,
        json.loads(student[1]) if student else None,
    )
