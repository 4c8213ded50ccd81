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


def printed(chapter: str, part: str) -> str:
    """What the cell that contains `part` prints; that it does, strict nbval has proven."""
    cells = nbformat.read(CHAPTERS / f"{chapter}.ipynb", 4).cells
    (cell,) = [c for c in cells if c.cell_type == "code" and part in c.source]
    text: str = cell.outputs[0].text
    return text


def said(chapter: str, part: str) -> str:
    """The Markdown cell that contains `part`: prose, answers, or what a figure shows in words."""
    cells = nbformat.read(CHAPTERS / f"{chapter}.ipynb", 4).cells
    (text,) = [c.source for c in cells if c.cell_type == "markdown" and part in c.source]
    return str(text)


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
        exec(definitions(source), known)
    return known


def definitions(source: str) -> str:
    """Of the source of a cell, the functions and classes."""
    body = ast.parse(source).body
    return "\n".join(ast.unparse(d) for d in body if isinstance(d, ast.FunctionDef | ast.ClassDef))
