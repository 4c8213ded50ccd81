"""Grading a folder: one submission costs no other, and what is known is kept."""

import csv
import io
import json
from pathlib import Path

import pytest

from pe_lib.course.grading import notebooks
from pe_lib.course.grading.marks import table
from pe_lib.course.grading.marks.statistics import of_class
from pe_lib.course.grading.marks.students import students
from pe_lib.course.grading.running import folder as folder_module
from pe_lib.course.grading.running.folder import grade_folder
from pe_lib.course.grading.running.grader import Left, Terms
from pe_lib.course.grading.sheet import load

SHEET = load("04")
TERMS = Terms(SHEET, seconds=1, total=20, memory=1024)


def class_of(folder: Path, count: int) -> None:
    for number in range(count):
        (folder / f"student {number}").mkdir(parents=True)
        made = (notebooks.student if number % 2 else notebooks.solved)(SHEET)
        made["cells"][0]["source"] += f"\n\nBy student {number}"
        (folder / f"student {number}" / "answers.ipynb").write_text(json.dumps(made), "utf-8")


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def test_a_folder_gives_a_table_with_one_row_each(tmp_path: Path) -> None:
    folder, kept, out = tmp_path / "class", tmp_path / "kept.jsonl", tmp_path / "scores.csv"
    class_of(folder, 3)
    (folder / "=formula.ipynb").write_text("no notebook")
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "old.ipynb").write_text("{}")
    (folder / "link.ipynb").symlink_to("/etc/passwd")
    grades = grade_folder(folder, kept, TERMS, 2, io.StringIO())
    marks = table.marks(students(grades), grades)
    rows = table.write(out, marks, TERMS)
    assert read(out) == rows
    assert [(r["submission"], r["points"]) for r in rows] == [
        ("'=formula.ipynb", "0"),
        (str(Path("student 0/answers.ipynb")), f"{SHEET.total:g}"),
        (str(Path("student 1/answers.ipynb")), "0"),
        (str(Path("student 2/answers.ipynb")), f"{SHEET.total:g}"),
    ]
    said = table.summary(marks, TERMS, of_class(SHEET, grades.values()))
    assert "4 students" in said
    assert "1 with a reason to look at" in said


def test_a_run_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, kept = tmp_path / "class", tmp_path / "kept.jsonl"
    class_of(folder, 4)
    grades = grade_folder(folder, kept, TERMS, 2, io.StringIO())
    lines = kept.read_text("utf-8").splitlines(keepends=True)
    kept.write_text("".join(lines[:3]) + lines[3][:9], "utf-8")  # two whole rows and a torn one
    tried = []
    honest = folder_module.run_one

    def counted(path: Path, terms: Terms) -> Left:
        tried.append(path)
        return honest(path, terms)

    monkeypatch.setattr(folder_module, "run_one", counted)
    assert grade_folder(folder, kept, TERMS, 2, io.StringIO()) == grades
    assert len(tried) == 2
    path = folder / "student 0" / "answers.ipynb"
    path.write_text(json.dumps(notebooks.student(SHEET)), "utf-8")  # handed in once more
    again = grade_folder(folder, kept, TERMS, 2, io.StringIO())
    assert (len(tried), next(iter(again.values())).score) == (3, 0)
