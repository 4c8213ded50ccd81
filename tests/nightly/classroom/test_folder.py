"""Test that no submission in a folder can make another submission lose points."""

import io
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from classroom.running import folder, sandbox
from classroom.running.folder import grade_folder
from classroom.running.terms import Grade, Terms
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load

SHEET = load("04")
TERMS = Terms(SHEET, seconds=2, total=90, memory=1024)


def write_class(class_: Path, count: int) -> None:
    for number in range(count):
        (class_ / f"student {number}").mkdir(parents=True)
        notebook = (notebooks.make_student if number % 2 else notebooks.make_solved)(SHEET)
        notebook["cells"][0]["source"] += f"\n\nBy student {number}"
        (class_ / f"student {number}" / "answers.ipynb").write_text(json.dumps(notebook), "utf-8")


def test_a_folder_has_one_grade_for_each_notebook(tmp_path: Path) -> None:
    class_ = tmp_path / "class"
    write_class(class_, 2)
    (class_ / "none.ipynb").write_text("no notebook")
    (class_ / ".ipynb_checkpoints").mkdir()
    (class_ / ".ipynb_checkpoints" / "old.ipynb").write_text("{}")
    (class_ / "link.ipynb").symlink_to("/etc/passwd")
    grades = grade_folder(class_, TERMS, 2, io.StringIO())
    assert {name: grade.score for name, grade in grades.items()} == {
        "link.ipynb": 0,
        "none.ipynb": 0,
        str(Path("student 0/answers.ipynb")): SHEET.total,
        str(Path("student 1/answers.ipynb")): 0,
    }


def test_what_is_handed_in_for_a_notebook_is_a_row_that_says_so(tmp_path: Path) -> None:
    """Check that a file handed in instead of a notebook gets a row that gives the reason.

    A file in the same folder as a notebook, or exported from a notebook, gets no row.
    """
    class_ = tmp_path / "class"
    write_class(class_, 1)
    (class_ / "Bob").mkdir()
    for name in ("Bob/02.zip", "hopper_46_679_04.py", "student 0/helper.py", "notes.csv",
                 "ada_45_678_04.ipynb", "ada_45_678_04.PDF", "roster.txt"):  # fmt: skip
        (class_ / name).write_text(json.dumps(notebooks.make_solved(SHEET)))
    grades = grade_folder(class_, TERMS, 2, io.StringIO())
    total = SHEET.total
    assert {name: grade.score for name, grade in grades.items()} == {
        "Bob/02.zip": 0, "ada_45_678_04.ipynb": total, "hopper_46_679_04.py": 0,
        "student 0/answers.ipynb": total,
    }  # fmt: skip
    reason = "it is not a notebook but a ZIP archive; the .ipynb file is wanted"
    assert grades["Bob/02.zip"].reason == reason


@pytest.mark.skipif(sys.platform != "linux", reason="graders are forked from this process there")
def test_a_grader_that_is_lost_costs_one_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_class(tmp_path / "class", 3)
    honest = folder.grade_one

    def grade_or_crash(path: Path, *words: Any) -> Grade:
        if "student 0" in str(path):
            os.kill(os.getpid(), 9)
        return honest(path, *words)

    monkeypatch.setattr(folder, "grade_one", grade_or_crash)
    lost, _, last = grade_folder(tmp_path / "class", TERMS, 1, io.StringIO()).values()
    assert lost.reason == folder.LOST
    assert last.score == SHEET.total


def test_where_nothing_can_be_forked_each_starts_python_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_class(tmp_path, 2)
    monkeypatch.setattr(sandbox, "LINUX", False)
    terms = replace(TERMS, sandbox="none")
    alone = folder.grade_one(tmp_path / "student 0" / "answers.ipynb", terms)
    assert (alone.score, alone.reason) == (SHEET.total, "")
    grades = grade_folder(tmp_path, terms, 1, io.StringIO())
    assert [grade.score for grade in grades.values()] == [SHEET.total, 0]
