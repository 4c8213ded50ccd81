"""The notebooks of a sheet: for students, and solved."""

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


def student(content: Content, seed: int = 0) -> Notebook:
    """The notebook that a learner works in."""
    cells = _cells(content, seed, solved=False)
    cells.append(cell("code", content.name, "progress", "sheet.progress()"))
    return _notebook(cells, order_matters={"generated": fingerprint(cells)})


def solved(content: Content, seed: int = 0) -> Notebook:
    """The same with solutions and their reasons; its checks count towards nobody's progress."""
    cells = _cells(content, seed, solved=True)
    return _notebook(cells, order_matters={"generated": fingerprint(cells)})


def _cells(content: Content, seed: int, solved: bool) -> list[Cell]:
    name, first = content.name, next(iter(content.questions))
    clone = "../.." if solved else ".."  # seen from exercises/solutions and from exercises
    how_to_answer = HOW.format(name=first, clone=clone)
    intro = f"# {content.title}: exercises\n\n{content.intro}\n\n{how_to_answer}"
    how = (f", seed={seed}" if seed else "") + (", keep=False" if solved else "")
    sheet = f'sheet = Sheet("{name}"{how})'
    setup = [content.setup, "from pe_lib.course.grading import Sheet", "", sheet]
    cells = [
        cell("markdown", name, "intro", intro),
        cell("code", name, "setup", "\n".join(setup).strip("\n")),
    ]
    for question in content.questions.values():
        cells.append(cell("markdown", name, question.name, _prompt(question, seed)))
        if solved:
            why = f"**Solution.** {question.solution.text}"
            cells.append(cell("markdown", name, f"{question.name}-why", why))
        answer = _given(question) + (question.solution.code if solved else question.starter)
        check = f'sheet.check("{question.name}")'
        for part, source in (("answer", answer), ("check", check)):
            cells.append(cell("code", name, f"{question.name}-{part}", source, tags=[part]))
    return cells


def fingerprint(cells: list[Cell]) -> str:
    """Of what a person can have written: the cells' kinds and sources, without outputs."""
    written = [[cell["cell_type"], "".join(cell["source"]).strip()] for cell in cells]
    return hashlib.blake2b(json.dumps(written).encode(), digest_size=8).hexdigest()


def untouched(notebook: Notebook) -> bool:
    """Whether a notebook still is what was generated, run or not."""
    made = notebook["metadata"].get("order_matters", {}).get("generated")
    return bool(made == fingerprint(notebook["cells"]))


def written(notebook: Notebook) -> str:
    """The text of the file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _prompt(question: Question, seed: int) -> str:
    worth = f"{level(question)} · {points_in_words(question)}"
    lines = [f"## {question.title}", worth, question.asked(seed)]
    if question.choices:
        lines.append("\n".join(f'- `"{key}"`: {said}' for key, said in question.choices.items()))
    return "\n\n".join(lines)


def level(question: Question) -> str:
    return LEVELS[question.level - 1]


def points_in_words(question: Question) -> str:
    points = question.total
    total = f"{points:g} {'point' if points == 1 else 'points'}"
    if len(question.points) == 1:
        return total
    return f"{total} ({', '.join(f'{part} {worth:g}' for part, worth in question.points.items())})"


def _given(question: Question) -> str:
    """The line with the numbers that an answer may use."""
    if not question.given_code or question.kind == "code":
        return ""
    names = ", ".join(f"given.{name}" for name in vars(question.given()))
    return f'given = sheet.given("{question.name}")  # {names}\n'


def cell(kind: str, sheet: str, part: str, source: str, **metadata: Any) -> Cell:
    """A cell of a sheet's notebook, whose id says of which sheet and what it is."""
    identity = f"x{sheet.split('-')[0]}-{part.replace('_', '-')}"
    made: Cell = {"cell_type": kind, "id": identity, "metadata": metadata, "source": source}
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _notebook(cells: list[Cell], **metadata: Any) -> Notebook:
    metadata |= {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
