"""Grading a folder: one submission costs no other, and what is known is kept."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from classroom.running import folder as folder_module
from classroom.running import pool
from classroom.running.folder import digest, grade_folder
from classroom.running.grader import Left
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
    grades = grade_folder(folder, tmp_path / "kept.jsonl", TERMS, 2, io.StringIO())
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
    grades = grade_folder(folder, tmp_path / "kept.jsonl", TERMS, 2, io.StringIO())
    total = SHEET.total
    assert {name: grade.score for name, grade in grades.items()} == {
        "Bob/02.zip": 0, "ada_45_678_04.ipynb": total, "hopper_46_679_04.py": 0,
        "student 0/answers.ipynb": total,
    }  # fmt: skip
    said = "it is not a notebook but a ZIP archive; the .ipynb file is wanted"
    assert grades["Bob/02.zip"].reason == said


def counting(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The submissions that are run from now on."""
    tried: list[str] = []
    honest = folder_module.spread

    def counted(paths: dict[str, Path], *rest: Any) -> Iterator[tuple[str, Left]]:
        tried.extend(paths)
        return honest(paths, *rest)

    monkeypatch.setattr(folder_module, "spread", counted)
    return tried


def test_a_run_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, kept = tmp_path / "class", tmp_path / "kept.jsonl"
    class_of(folder, 4)
    grades = grade_folder(folder, kept, TERMS, 2, io.StringIO())
    lines = kept.read_text("utf-8").splitlines(keepends=True)
    kept.write_text("".join(lines[:3]) + lines[3][:9], "utf-8")  # two whole rows and a torn one
    tried = counting(monkeypatch)
    assert grade_folder(folder, kept, TERMS, 2, io.StringIO()) == grades
    assert len(tried) == 2
    path = folder / "student 0" / "answers.ipynb"
    path.write_text(json.dumps(notebooks.student(SHEET)), "utf-8")  # handed in once more
    again = grade_folder(folder, kept, TERMS, 2, io.StringIO())
    assert (len(tried), next(iter(again.values())).score) == (3, 0)


def test_what_was_kept_fits_only_what_decided_it() -> None:
    others: list[dict[str, Any]] = [
        {"seed": 1}, {"secrets": (5,)}, {"seconds": 3}, {"total": 30}, {"memory": 512},
        {"jail": "another"}, {"content": load("02")},
    ]  # fmt: skip
    marks = {digest(b"{}", replace(TERMS, **other)) for other in [{}, *others]}
    assert len(marks | {digest(b"[]", TERMS)}) == len(others) + 2
    assert digest(b"{}", TERMS) in marks


def test_what_time_or_memory_stopped_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine is nobody's fault; an error in a notebook is, and is kept."""
    codes = {
        "slow": "while True: pass",
        "large": "x = bytearray(10 * 2**30)",
        "killed": "import os\nos.kill(os.getpid(), 9)",
        "wrong": "1 / 0",
    }
    for name, code in codes.items():
        made = notebooks.student(SHEET)
        made["cells"][1]["source"] += "\n" + code
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(made), "utf-8")
    terms, kept = replace(TERMS, seconds=0.5, total=90), tmp_path / "kept.jsonl"
    first = grade_folder(tmp_path, kept, terms, 2, io.StringIO())
    tried = counting(monkeypatch)
    again = grade_folder(tmp_path, kept, terms, 2, io.StringIO())
    assert [grade.reason for grade in again.values()] == [g.reason for g in first.values()]
    assert sorted(tried) == [f"{name}.ipynb" for name in ("killed", "large", "slow")]


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
    kept = tmp_path / "kept.jsonl"
    lost, _, found = grade_folder(tmp_path, kept, TERMS, 2, io.StringIO()).values()
    assert lost.reason == pool.LOST
    assert found.score == SHEET.total, "lost once, and tried again in the same run"
    monkeypatch.undo()
    again = grade_folder(tmp_path, kept, TERMS, 2, io.StringIO())
    assert next(iter(again.values())).score == SHEET.total
