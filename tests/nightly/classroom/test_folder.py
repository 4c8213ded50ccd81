"""Grading a folder: one submission costs no other."""

import io
import json
from pathlib import Path

import pytest

from classroom.running import pool
from classroom.running.folder import grade_folder
from classroom.running.terms import Terms
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load

SHEET = load("04")
TERMS = Terms(SHEET, seconds=2, total=90, memory=1024)


def class_of(folder: Path, count: int) -> None:
    for number in range(count):
        (folder / f"student {number}").mkdir(parents=True)
        made = (notebooks.student if number % 2 else notebooks.solved)(SHEET)
        made["cells"][0]["source"] += f"\n\nBy student {number}"
        (folder / f"student {number}" / "answers.ipynb").write_text(json.dumps(made), "utf-8")


def test_a_folder_has_one_grade_for_each_notebook(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    class_of(folder, 2)
    (folder / "none.ipynb").write_text("no notebook")
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "old.ipynb").write_text("{}")
    (folder / "link.ipynb").symlink_to("/etc/passwd")
    grades = grade_folder(folder, TERMS, 2, io.StringIO())
    assert {name: grade.score for name, grade in grades.items()} == {
        "link.ipynb": 0,
        "none.ipynb": 0,
        str(Path("student 0/answers.ipynb")): SHEET.total,
        str(Path("student 1/answers.ipynb")): 0,
    }


def test_what_is_handed_in_for_a_notebook_is_a_row_that_says_so(tmp_path: Path) -> None:
    """Once a student: what lies beside a notebook, or was exported from it, is no other one."""
    folder = tmp_path / "class"
    class_of(folder, 1)
    (folder / "Bob").mkdir()
    for name in ("Bob/02.zip", "hopper_46_679_04.py", "student 0/helper.py", "notes.csv",
                 "ada_45_678_04.ipynb", "ada_45_678_04.PDF", "roster.txt"):  # fmt: skip
        (folder / name).write_text(json.dumps(notebooks.solved(SHEET)))
    grades = grade_folder(folder, TERMS, 2, io.StringIO())
    total = SHEET.total
    assert {name: grade.score for name, grade in grades.items()} == {
        "Bob/02.zip": 0, "ada_45_678_04.ipynb": total, "hopper_46_679_04.py": 0,
        "student 0/answers.ipynb": total,
    }  # fmt: skip
    said = "it is not a notebook but a ZIP archive; the .ipynb file is wanted"
    assert grades["Bob/02.zip"].reason == said


def test_a_grader_that_is_lost_twice_costs_one_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class_of(tmp_path, 3)
    honest, tried = pool.Worker.give, list[str]()

    def given(worker: pool.Worker, name: str, path: Path) -> None:
        honest(worker, name, path)
        if "student 0" in name or ("student 2" in name and name not in tried):
            worker.process.kill()
        tried.append(name)

    monkeypatch.setattr(pool.Worker, "give", given)
    lost, _, found = grade_folder(tmp_path, TERMS, 2, io.StringIO()).values()
    assert lost.reason == pool.LOST
    assert found.score == SHEET.total, "lost once, and tried again in the same run"
