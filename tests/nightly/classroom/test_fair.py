"""Test that students whose honest notebooks get few points are told the reason."""

import html
import json
from pathlib import Path
from typing import Any

import pytest

from classroom.marks import pages, table
from classroom.marks.roster import match_students
from classroom.running.grader import RIGHT_FOR, grade_one
from classroom.running.reading import Notebook, describe_notebook
from classroom.running.terms import Grade, Terms
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load, names

SHEET = load("02")
CLASS = Terms(SHEET, seed=7, seconds=2, total=90)
VALUE = SHEET.questions["similarity_after"]
REST = SHEET.total - VALUE.total


def grade_notebook(folder: Path, notebook: dict[str, Any]) -> Grade:
    path = folder / "submission.ipynb"
    path.write_text(json.dumps(notebook), "utf-8")
    return grade_one(path, CLASS)


def solved_notebook_with(source: str, seed: int = 7) -> dict[str, Any]:
    """Return a solved notebook in which `source` is the answer to the question VALUE."""
    notebook = notebooks.make_solved(SHEET, seed)
    next(c for c in notebook["cells"] if c["id"] == "x02-similarity-after-answer")["source"] = (
        source
    )
    return notebook


def describe(notebook: dict[str, Any]) -> Notebook:
    return describe_notebook([c["source"] for c in notebook["cells"] if c["cell_type"] == "code"])


def literal_answer(seed: int) -> str:
    return f"similarity_after = {VALUE.run_answer(VALUE.solution.code, seed)!r}"


@pytest.mark.parametrize("name", names())
def test_a_notebook_says_what_it_is(name: str) -> None:
    content = load(name)
    blank, solved = (
        describe(make(content, 7)) for make in (notebooks.make_student, notebooks.make_solved)
    )
    assert (blank.sheet, blank.seed) == (solved.sheet, solved.seed) == (name, 7)


def test_numbers_of_another_seed_get_no_points_but_a_reason(tmp_path: Path) -> None:
    grade = grade_notebook(tmp_path, notebooks.make_solved(SHEET, 5))
    assert grade.reason == "it shows other numbers than those that are graded"
    assert grade.flags[0].startswith("shows the numbers of seed 5: to count them, grade it")
    # the functions and the choice do not depend on the numbers, so they still earn points
    assert grade.score == sum(
        question.total
        for question in SHEET.questions.values()
        if question.kind in ("code", "choice")
    )
    assert grade.results["similarity_after"].hint == RIGHT_FOR.format("its notebook")
    (mark,) = table.mark_students(match_students(["a.ipynb"]), {"a.ipynb": grade})
    page = pages.student_page(mark, SHEET, "")
    assert "It shows other numbers than those" in html.unescape(page)
    assert "seed" not in page


def test_right_for_the_numbers_of_the_pages_is_told(tmp_path: Path) -> None:
    result = grade_notebook(tmp_path, solved_notebook_with(literal_answer(0))).results[
        "similarity_after"
    ]
    assert (result.score, result.mistake, result.hint) == (
        0,
        "",
        RIGHT_FOR.format("the course's pages"),
    )
    nobodys = grade_notebook(tmp_path, solved_notebook_with("similarity_after = 0.123")).results[
        "similarity_after"
    ]
    assert "Right for" not in nobodys.hint


def test_another_sheet_a_blank_one_and_a_lost_cell_are_told_apart(tmp_path: Path) -> None:
    for notebook, reason, answers, score in (
        (notebooks.make_solved(load("04"), 7), "it is sheet 04-sine-and-cosine", 0, 0),
        (notebooks.make_student(SHEET, 7), "it is blank", len(SHEET.questions), 0),
        (
            solved_notebook_with("Similarity = 1"),
            "no cell defines `similarity_after`",
            len(SHEET.questions),
            REST,
        ),
    ):
        grade = grade_notebook(tmp_path, notebook)
        assert (len(grade.results), grade.score) == (answers, score)
        assert grade.reason.startswith(reason)


@pytest.mark.parametrize(
    ("source", "status", "message"),
    [
        (
            "x = 1\nsimilarity_after = (2",
            "not run",
            "stopped with SyntaxError: '(' was never closed",
        ),
        ("while True: pass\nsimilarity_after = 1", "not run", "ran for more than 2 seconds"),
        ("similarity_after = 1 / 0", "not run", "stopped with ZeroDivisionError: division by zero"),
        ("similarity_after = ...\n1 / 0", "open", "still empty"),
    ],
)
def test_why_there_is_no_answer_is_told_at_its_question(
    tmp_path: Path, source: str, status: str, message: str
) -> None:
    notebook = solved_notebook_with(source)
    first = {"cell_type": "code", "metadata": {}, "outputs": [], "source": "1 / 0"}
    # a cell that stops with an error before the answer
    notebook["cells"] = [first, *notebook["cells"]]
    grade = grade_notebook(tmp_path, notebook)
    result = grade.results["similarity_after"]
    assert (result.status, grade.score) == (status, REST)
    assert message in result.hint


READ = (
    "import pathlib, pe_lib.course.grading.sheet as s\n"
    "text = ''.join(p.read_text('utf-8') for p in pathlib.Path(s.__file__).parent.rglob('*.md'))\n"
    "for code in text.split('### Solution')[1:]:\n"
    "    try: exec(code.split('```python')[1].split('```')[0], globals())\n"
    "    except Exception: pass"
)


@pytest.mark.skipif(
    CLASS.sandbox == "none", reason="only where submissions are kept from our files"
)
def test_no_line_brings_a_solution(tmp_path: Path) -> None:
    """Check that submissions get no points if they try to read the solutions in the sheets."""
    notebook = notebooks.make_student(SHEET, 7)
    notebook["cells"].append({"cell_type": "code", "metadata": {}, "outputs": [], "source": READ})
    assert grade_notebook(tmp_path, notebook).score == 0


def test_whatever_stands_in_a_cell_is_passed_over() -> None:
    deep, wide = "x = " + "(" * 500 + ")" * 500, "x = " + "+".join("1" * 20_000)
    for seed in ["-1", "10**400", "2.5", "'x'", "True", "1" * 5_000, "None"]:
        cells = [deep, wide, "def f(:", f"sheet = Sheet('02', seed={seed})", "Sheet(name)"]
        assert describe_notebook(cells).seed == 0, seed
