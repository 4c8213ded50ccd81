"""Read and run the cells of a chapter, for tests of the names that they define."""

import ast
from contextlib import chdir
from typing import Any

import nbformat
import numpy as np

from tools.notebooks import ROOT

CHAPTERS = ROOT / "chapters"


def sources(chapter: str) -> list[str]:
    """Return the source of each code cell."""
    cells = nbformat.read(CHAPTERS / f"{chapter}.ipynb", 4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


def printed(chapter: str, part: str) -> str:
    """Return the stored output of the cell that contains `part`, which nbval compares."""
    cells = nbformat.read(CHAPTERS / f"{chapter}.ipynb", 4).cells
    (cell,) = [c for c in cells if c.cell_type == "code" and part in c.source]
    text: str = cell.outputs[0].text
    return text


def said(chapter: str, part: str) -> str:
    """Return the Markdown cell that contains `part`: prose, answers, or a figure's description."""
    cells = nbformat.read(CHAPTERS / f"{chapter}.ipynb", 4).cells
    (text,) = [c.source for c in cells if c.cell_type == "markdown" and part in c.source]
    return str(text)


def executed(chapter: str) -> dict[str, Any]:
    """Run all cells in the folder where Jupyter would run them, and return the defined names."""
    names: dict[str, Any] = {}
    # A chapter may set print options, which other tests must not see.
    with chdir(CHAPTERS), np.printoptions():
        for source in sources(chapter):
            exec(source, names)
    return names


def functions(chapter: str, **known: Any) -> dict[str, Any]:
    """Run only the chapter's definitions, given the `known` names, and return all these names."""
    for source in sources(chapter):
        exec(definitions(source), known)
    return known


def definitions(source: str) -> str:
    """Return the functions and classes in the source of a cell."""
    body = ast.parse(source).body
    return "\n".join(ast.unparse(d) for d in body if isinstance(d, ast.FunctionDef | ast.ClassDef))
