"""The cells of a chapter, run for the tests that look at what they define."""

import ast
from contextlib import chdir
from typing import Any

import nbformat
import numpy as np

from tools.notebooks import ROOT

CHAPTERS = ROOT / "chapters"


def sources(chapter: str) -> list[str]:
    """The source of each code cell."""
    cells = nbformat.read(CHAPTERS / f"{chapter}.ipynb", 4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


def executed(chapter: str) -> dict[str, Any]:
    """All names of the chapter after its cells have run, where Jupyter would run them."""
    names: dict[str, Any] = {}
    with chdir(CHAPTERS), np.printoptions():  # a chapter sets some; other tests must not see them
        for source in sources(chapter):
            exec(source, names)
    return names


def functions(chapter: str, **known: Any) -> dict[str, Any]:
    """The functions that the chapter defines, without running the rest; they see the `known`."""
    for source in sources(chapter):
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef):
                exec(ast.unparse(node), known)
    return known
