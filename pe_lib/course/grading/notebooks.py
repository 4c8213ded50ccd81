"""Make two notebooks from a sheet: one for students, and one with the solutions."""

import hashlib
import json
from pathlib import Path
from typing import Any

from pe_lib.course.grading.sheet import Content, Question

LEVELS = ("easy", "medium", "hard")
Cell = dict[str, Any]
Notebook = dict[str, Any]
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
HOW = Path(__file__).with_name("how.md").read_text("utf-8").strip()


def make_student(content: Content, seed: int = 0) -> Notebook:
    """Make the notebook in which a learner answers the questions of a sheet."""
    cells = _make_cells(content, seed, solved=False)
    cells.append(make_cell("code", content.name, "progress", "sheet.progress()"))
    return _make_notebook(cells)


def make_solved(content: Content, seed: int = 0) -> Notebook:
    """Make the notebook with solutions and explanations. Checks in it do not count as progress."""
    return _make_notebook(_make_cells(content, seed, solved=True))


def _make_cells(content: Content, seed: int, solved: bool) -> list[Cell]:
    name, first = content.name, next(iter(content.questions))
    # Notebooks with solutions lie one folder deeper than notebooks for students. So the path from
    # them to the clone needs one more `..`.
    clone = "../.." if solved else ".."
    how_to_answer = HOW.format(name=first, clone=clone)
    intro = f"# {content.title}: exercises\n\n{content.intro}\n\n{how_to_answer}"
    options = (f", seed={seed}" if seed else "") + (", keep=False" if solved else "")
    sheet = f'sheet = Sheet("{name}"{options})'
    setup = [content.setup, "from pe_lib.course.grading import Sheet", "", sheet]
    cells = [
        make_cell("markdown", name, "intro", intro),
        make_cell("code", name, "setup", "\n".join(setup).strip("\n")),
    ]
    for question in content.questions.values():
        cells.append(make_cell("markdown", name, question.name, _format_question(question, seed)))
        if solved:
            why = f"**Solution.** {question.solution.text}"
            cells.append(make_cell("markdown", name, f"{question.name}-why", why))
        answer = question.solution.code if solved else question.starter
        check = f'sheet.check("{question.name}")'
        for part, source in (("answer", _line_of_numbers(question) + answer), ("check", check)):
            cells.append(make_cell("code", name, f"{question.name}-{part}", source, tags=[part]))
    return cells


def fingerprint(cells: list[Cell]) -> str:
    """Return a digest of the types and sources of a notebook's cells, without their outputs."""
    sources = [[cell["cell_type"], "".join(cell["source"]).strip()] for cell in cells]
    return hashlib.blake2b(json.dumps(sources).encode(), digest_size=8).hexdigest()


def is_untouched(notebook: Notebook) -> bool:
    """Return whether a notebook has not been edited since it was generated."""
    generated = notebook["metadata"].get("order_matters", {}).get("generated")
    return bool(generated == fingerprint(notebook["cells"]))


def format_notebook(notebook: Notebook) -> str:
    """Return a notebook in the text format of .ipynb files."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _format_question(question: Question, seed: int) -> str:
    worth = f"{level_name(question)} · {format_points(question)}"
    lines = [f"## {question.title}", worth, question.format_prompt(seed)]
    if question.choices:
        lines.append("\n".join(f'- `"{key}"`: {text}' for key, text in question.choices.items()))
    return "\n\n".join(lines)


def level_name(question: Question) -> str:
    return LEVELS[question.level - 1]


def format_points(question: Question) -> str:
    """Format the points for a question and, if there are several parts, for each part."""
    points = question.total
    total = f"{points:g} {'point' if points == 1 else 'points'}"
    if len(question.points) == 1:
        return total
    return f"{total} ({', '.join(f'{part} {worth:g}' for part, worth in question.points.items())})"


def _line_of_numbers(question: Question) -> str:
    """Return a line of code that gets a question's numbers, or '' if no answer needs them."""
    if not question.given_code or question.kind == "code":
        return ""
    names = ", ".join(f"given.{name}" for name in vars(question.given_numbers()))
    return f'given = sheet.given("{question.name}")  # {names}\n'


def make_cell(kind: str, sheet: str, part: str, source: str, **metadata: Any) -> Cell:
    """Make a notebook cell. Its id is made from the sheet's name and the purpose of the cell."""
    identity = f"x{sheet.split('-', maxsplit=1)[0]}-{part.replace('_', '-')}"
    cell: Cell = {"cell_type": kind, "id": identity, "metadata": metadata, "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _make_notebook(cells: list[Cell]) -> Notebook:
    metadata = {
        "order_matters": {"generated": fingerprint(cells)},
        "kernelspec": KERNEL,
        "language_info": {"name": "python"},
    }
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
