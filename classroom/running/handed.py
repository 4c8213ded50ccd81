"""What was handed in, read and not run: a notebook's code, whichever program wrote the file."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from typing import Any

# Cell magics below which stands Python that leaves its names in the notebook
TIMED = {"time", "capture", "prun"}
OPENINGS = {b"<": "a web page; the file itself is wanted", b"PK\x03\x04": "a ZIP archive",
            b"%PDF": "a PDF", b"\x1f\x8b": "a compressed file"}  # fmt: skip


def cells(data: bytes) -> list[str]:
    """The Python code in a notebook's bytes, cell by cell.

    UTF-8, UTF-16 and UTF-32 with and without a byte order mark, else Windows-1252; nbformat 4, and
    3, where cells lie in worksheets. Raises ValueError for what is no notebook,
    or has no code in it.

    >>> cells(b'{"cells": [{"cell_type": "code", "source": ["x = 1"]}]}')
    ['x = 1']
    """
    for opening, what in OPENINGS.items():
        if data.lstrip()[:8].startswith(opening):
            raise ValueError(f"it is not a notebook but {what}")
    if not data.strip():
        raise ValueError("it is not a notebook: the file is empty")
    try:
        notebook = json.loads(_text(data))
        if "cells" not in notebook:
            sheets = notebook["worksheets"]
            notebook = {"cells": [cell for sheet in sheets for cell in sheet["cells"]]}
        code = ["".join(_source(c)) for c in notebook["cells"] if _is_python(c)]
    except json.JSONDecodeError as error:
        early = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
        why = "it ends early" if early else "its JSON is broken"
        raise ValueError(f"it is not a notebook: {why}, in line {error.lineno}") from None
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(f"it is not a notebook ({type(error).__name__})") from None
    if not any(source.strip() for source in code):
        raise ValueError("it has no code in it")
    return code


def _text(data: bytes) -> str:
    try:
        return data.decode(json.detect_encoding(data))
    except UnicodeDecodeError:  # saved by an old editor: JSON's own signs are the same in all
        return data.decode("cp1252", "replace")


def _source(cell: dict[str, Any]) -> Any:
    return cell["source"] if "source" in cell else cell["input"]


def _is_python(cell: dict[str, Any]) -> bool:
    """A code cell; editors mark those in another language."""
    if cell["cell_type"] != "code":
        return False
    language = cell.get("metadata", {}).get("vscode", {}).get("languageId", "python")
    return bool(language == "python" and cell.get("language", "python") == "python")


def plain(source: str) -> str:
    """A cell without what only IPython understands, line for line.

    `%magics` and `!commands` do nothing, but what `%time` and `%%time` measure is run; what a
    command returns is empty; a cell below `%%bash` and its like is left out.

    >>> plain("%matplotlib inline\\nfiles = !ls\\n%time x = 3")
    'pass\\nfiles = []\\nx = 3'
    """
    if _is_valid(source):
        return source
    source = textwrap.dedent(source)
    if magic := re.match(r"\s*%%(\w+).*\n?", source):
        if magic[1] not in TIMED:
            return ""
        source = "\n" * magic[0].count("\n") + source[magic.end() :]
    if _is_valid(source):
        return source
    rest = r".*(?:(?<=\\)\n.*)*"  # a command may go on in the next line
    source = re.sub(rf"^([ \t]*\w+(?:, *\w+)* *= *)!{rest}", r"\1[]", source, flags=re.MULTILINE)
    source = re.sub(rf"^([ \t]*\w+ *= *)%{rest}", r"\1None", source, flags=re.MULTILINE)
    source = re.sub(r"^([ \t]*)%time +(?=\S)", r"\1", source, flags=re.MULTILINE)
    ours = rf"[%!?]{rest}|[\w.*]+\?\??[ \t]*"
    return re.sub(rf"(?<!\\\n)^([ \t]*)(?:{ours})$", r"\1pass", source, flags=re.MULTILINE)


def _is_valid(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
