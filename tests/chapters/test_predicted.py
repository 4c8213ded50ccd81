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


def published(cell: NotebookNode) -> dict[str, object]:
    """What the output of such a cell holds for the site."""
    found = [dict(o.data[MIME]) for o in cell.outputs if MIME in o.get("data", {})]
    assert len(found) == 1, f"run the notebook again: {cell.source}"
    return found[0]


def troubles(cells: list[NotebookNode], chapter: str) -> list[str]:
    """What is wrong with the questions of a chapter."""
    wrong, asked, answered = [], {}, {}
    for place, cell in enumerate(cells):
        if not (call := called(cell)):
            continue
        held = published(cell)
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
            answered[number] = place
    wrong += [f"{number} is never answered" for number in asked if number not in answered]
    return wrong


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_each_guess_is_asked_for_once_and_answered_later(path: Path) -> None:
    assert troubles(read(path).cells, str(int(path.stem[:2]))) == []


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_each_question_has_its_field(path: Path) -> None:
    """One field a question, where the chapter has any: the old form had none."""
    cells = read(path).cells
    asked = [n for n, cell in enumerate(cells) if called(cell) == "predict"]
    questions = sum(len(re.findall(r"^> \*\*Predict\.\*\*", c.source, re.M)) for c in cells)
    assert len(asked) in (questions, 0)


def cell(kind: str, source: str, **held: object) -> NotebookNode:
    outputs = [NotebookNode(data={MIME: held})] if held else []
    return NotebookNode(cell_type=kind, source=source, outputs=outputs)


def small(*order: str, said: str = "a") -> list[NotebookNode]:
    made = {
        "?": cell("markdown", "> **Predict.** What?"),
        "ask": cell("code", 'predict("3.1", "a", "b")', number="3.1", choices=["a", "b"], unit=""),
        "...": cell("markdown", "It is seen here."),
        "tell": cell("code", f'predicted("3.1", "{said}")', number="3.1", said=said, values=[]),
    }
    return [made[name] for name in order]


def test_what_is_wrong_is_found() -> None:
    assert troubles(small("?", "ask", "...", "tell"), "3") == []
    assert troubles(small("?", "ask", "tell"), "3") == ["3.1 is answered just after the question"]
    assert troubles(small("?", "ask", "..."), "3") == ["3.1 is never answered"]
    assert troubles(small("...", "ask", "...", "tell"), "3") == [
        "3.1 has no question in the cell before"
    ]
    assert troubles(small("?", "ask", "...", "tell"), "4") == ["3.1 is out of order"]
    assert troubles(small("tell", "?", "ask"), "3")[0].startswith("3.1 is answered before")
    assert troubles(small("?", "ask", "...", "tell", said="c"), "3") == [
        "3.1: 'c' is not among the choices"
    ]
