"""Every guess that a chapter asks for is answered in it, later, and in the words of a choice."""

import ast
import re
from pathlib import Path

import pytest
from nbformat import NotebookNode

from pe_lib.course.predictions import MIME
from tools.notebooks import ROOT, read

CHAPTERS = sorted((ROOT / "chapters").glob("[0-9]*.ipynb"))


def called(cell: NotebookNode) -> str:
    """Whether a cell's last line asks for a guess or tells the result."""
    if cell.cell_type != "code" or not (body := ast.parse(cell.source).body):
        return ""
    last = body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        name = ast.unparse(last.value.func)
        return name if name in ("predict", "predicted") else ""
    return ""


def troubles(cells: list[NotebookNode], chapter: str) -> list[str]:
    """What is wrong with the questions of a chapter."""
    wrong, asked, answered = [], {}, set()
    for place, cell in enumerate(cells):
        if not (call := called(cell)):
            continue
        (held,) = [o.data[MIME] for o in cell.outputs if MIME in o.get("data", {})]
        number = str(held["number"])
        if call == "predict":
            if number != f"{chapter}.{len(asked) + 1}":
                wrong.append(f"{number} is out of order")
            if "> **Predict.**" not in cells[place - 1].source:
                wrong.append(f"{number} has no question in the cell before")
            if len(ast.parse(cell.source).body) > 1:
                wrong.append(f"{number} does not stand alone")
            asked[number] = place, held
        elif number not in asked or number in answered:
            wrong.append(f"{number} is answered before it is asked, or twice")
        else:
            start, question = asked[number]
            choices = question["choices"]
            if place == start + 1:
                wrong.append(f"{number} is answered just after the question")
            if choices and held["said"] not in choices:
                wrong.append(f"{number}: {held['said']!r} is not among the choices")
            if not choices and (not held["values"] or held["unit"] != question["unit"]):
                wrong.append(f"{number} wants a number, in the unit of the question")
            answered.add(number)
    wrong += [f"{number} is never answered" for number in asked if number not in answered]
    questions = sum(len(re.findall(r"^> \*\*Predict\.\*\*", c.source, re.M)) for c in cells)
    if questions != len(asked):
        wrong.append(f"{questions} questions have {len(asked)} fields")
    return wrong


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_each_guess_is_asked_for_once_and_answered_later(path: Path) -> None:
    assert troubles(read(path).cells, str(int(path.stem[:2]))) == []


def cell(kind: str, source: str, **held: object) -> NotebookNode:
    outputs = [NotebookNode(data={MIME: held})] if held else []
    return NotebookNode(cell_type=kind, source=source, outputs=outputs)


SMALL = {
    "?": cell("markdown", "> **Predict.** What?"),
    "ask": cell("code", 'predict("3.1", "a", "b")', number="3.1", choices=["a", "b"], unit=""),
    ".": cell("markdown", "It is seen here."),
    "a": cell("code", 'predicted("3.1", "a")', number="3.1", said="a", values=[]),
    "c": cell("code", 'predicted("3.1", "c")', number="3.1", said="c", values=[]),
}


@pytest.mark.parametrize(
    ("order", "wrong"),
    [
        ("? ask . a", []),
        ("? ask a", ["3.1 is answered just after the question"]),
        ("? ask .", ["3.1 is never answered"]),
        ("a ? ask", ["3.1 is answered before it is asked, or twice", "3.1 is never answered"]),
        ("? ask . c", ["3.1: 'c' is not among the choices"]),
        ("? ? ask . a", ["2 questions have 1 fields"]),
    ],
)
def test_what_is_wrong_is_found(order: str, wrong: list[str]) -> None:
    assert troubles([SMALL[name] for name in order.split()], "3") == wrong
