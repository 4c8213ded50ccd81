"""Read and run the cells of a chapter, so that tests can use the names that the cells define."""

import ast
from contextlib import chdir
from typing import Any

import nbformat
import numpy as np

from tools.notebooks import ROOT

CHAPTERS = ROOT / "chapters"


def sources(chapter: str) -> list[str]:
    """Return the source of each code cell in a chapter, as a list."""
    cells = nbformat.read(CHAPTERS / f"{chapter}.ipynb", 4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


def read_output(chapter: str, part: str) -> str:
    """Return the stored output of the chapter's code cell whose source contains `part`."""
    cells = nbformat.read(CHAPTERS / f"{chapter}.ipynb", 4).cells
    (cell,) = [c for c in cells if c.cell_type == "code" and part in c.source]
    text: str = cell.outputs[0].text
    return text


def read_text(chapter: str, part: str) -> str:
    """Return the text of the chapter's Markdown cell that contains `part`."""
    cells = nbformat.read(CHAPTERS / f"{chapter}.ipynb", 4).cells
    (text,) = [c.source for c in cells if c.cell_type == "markdown" and part in c.source]
    return str(text)


def run_cells(chapter: str) -> dict[str, Any]:
    """Run all code cells in the folder `chapters`, as Jupyter does. Return the names defined."""
    names: dict[str, Any] = {}
    # Chapters may set print options, so these are restored for the other tests.
    with chdir(CHAPTERS), np.printoptions():
        for source in sources(chapter):
            exec(source, names)
    return names


def functions(chapter: str, **known: Any) -> dict[str, Any]:
    """Run only a chapter's function and class definitions. Return them with the `known` names."""
    for source in sources(chapter):
        exec(definitions(source), known)
    return known


def definitions(source: str) -> str:
    """Return only the function and class definitions in the source of a cell."""
    body = ast.parse(source).body
    return "\n".join(ast.unparse(d) for d in body if isinstance(d, ast.FunctionDef | ast.ClassDef))
