"""Grading a folder: one submission costs no other, and what is known is kept."""

import csv
import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pe_lib.course.grading import notebooks
from pe_lib.course.grading.marks import table
from pe_lib.course.grading.marks.statistics import of_class
from pe_lib.course.grading.marks.students import students
from pe_lib.course.grading.running import folder as folder_module
from pe_lib.course.grading.running import pool
from pe_lib.course.grading.running.folder import digest, grade_folder, submissions
from pe_lib.course.grading.running.grader import Left
from pe_lib.course.grading.running.terms import Terms
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
        ("link.ipynb", "0"),
        (str(Path("student 0/answers.ipynb")), f"{SHEET.total:g}"),
        (str(Path("student 1/answers.ipynb")), "0"),
        (str(Path("student 2/answers.ipynb")), f"{SHEET.total:g}"),
    ]
    said = table.summary(marks, TERMS, of_class(SHEET, grades.values()))
    assert "5 students" in said
    assert "3 with a reason to look at" in said  # no notebook, a link, nothing begun


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
    others = [
        replace(TERMS, seed=1),
        replace(TERMS, secrets=(5,)),
        replace(TERMS, seconds=2),
        replace(TERMS, total=30),
        replace(TERMS, memory=512),
        replace(TERMS, jail="another"),
        replace(TERMS, content=load("02")),
    ]
    marks = {digest(b"{}", terms) for terms in [TERMS, *others]} | {digest(b"[]", TERMS)}
    assert len(marks) == len(others) + 2
    assert digest(b"{}", TERMS) == digest(b"{}", replace(TERMS))


def test_what_time_or_memory_stopped_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine is nobody's fault; an error in a notebook is, and is kept."""
    codes = {
        "slow": "while True: pass",
        "long": "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass",
        "large": "x = bytearray(10 * 2**30)",
        "killed": "import os\nos.kill(os.getpid(), 9)",
        "wrong": "1 / 0",
    }
    for name, code in codes.items():
        made = notebooks.student(SHEET)
        made["cells"][1]["source"] += "\n" + code
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(made), "utf-8")
    terms, kept = replace(TERMS, seconds=0.5, total=3), tmp_path / "kept.jsonl"
    first = grade_folder(tmp_path, kept, terms, 2, io.StringIO())
    tried = counting(monkeypatch)
    assert {
        n: g.reason for n, g in grade_folder(tmp_path, kept, terms, 2, io.StringIO()).items()
    } == {n: g.reason for n, g in first.items()}
    assert sorted(tried) == [f"{name}.ipynb" for name in ("killed", "large", "long", "slow")]


def test_a_grader_that_is_lost_twice_costs_one_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class_of(tmp_path, 3)
    honest, tried = pool._hired, list[str]()

    def hired(*arguments: Any) -> pool.Worker:
        worker = honest(*arguments)
        give = worker.give

        def given(name: str, path: Path, seconds: float) -> None:
            give(name, path, seconds)
            if "student 0" in name or ("student 2" in name and name not in tried):
                worker.process.kill()
            tried.append(name)

        monkeypatch.setattr(worker, "give", given)
        return worker

    monkeypatch.setattr(pool, "_hired", hired)
    kept = tmp_path / "kept.jsonl"
    grades = list(grade_folder(tmp_path, kept, TERMS, 2, io.StringIO()).values())
    assert [grade.reason for grade in grades] == [
        pool.LOST,
        "it is blank: no answer was begun",
        "",
    ]
    assert grades[2].score == SHEET.total, "lost once, and tried again in the same run"
    monkeypatch.undo()
    again = grade_folder(tmp_path, kept, TERMS, 2, io.StringIO())
    assert next(iter(again.values())).score == SHEET.total


@pytest.mark.skipif(os.name == "nt", reason="Windows has neither such files nor such names")
def test_each_odd_file_is_a_row(tmp_path: Path) -> None:
    solved = json.dumps(notebooks.solved(SHEET))
    (tmp_path / "good.ipynb").write_text(solved, "utf-8")
    os.mkfifo(tmp_path / "pipe.ipynb")
    (tmp_path / "folder.ipynb").mkdir()
    (tmp_path / "Ada.ipynb").mkdir()
    (tmp_path / "Ada.ipynb" / "good.ipynb").write_text(solved, "utf-8")
    with (tmp_path / "sparse.ipynb").open("wb") as file:
        file.truncate(6 * 2**30)
    (tmp_path / "locked.ipynb").write_text(solved, "utf-8")
    (tmp_path / "locked.ipynb").chmod(0)
    (tmp_path / "empty.ipynb").touch()
    (tmp_path / "LOUD.IPYNB").write_text(solved, "utf-8")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "good.ipynb")
    wanted = {
        "Ada.ipynb/good.ipynb": "",
        "empty.ipynb": "it is",
        "folder.ipynb": "it is a folder",
        "good.ipynb": "",
        "LOUD.IPYNB": "",
        "link.ipynb": "it is a link, and links are not followed",
        "locked.ipynb": "it can't be read: Permission denied" if os.geteuid() else "",
        "pipe.ipynb": "it is a pipe or a device",
        "sparse.ipynb": "it has 6,144 MB, and 32 is most",
    }
    if sys.platform == "linux":  # other systems refuse such a name, or so long a path to a socket
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.ipynb")).write_text(solved, "utf-8")
        (tmp_path / "caf\\xe9.ipynb").write_text(solved, "utf-8")  # which reads like the other
        wanted |= {"caf\\xe9.ipynb": "", "caf\\xe9.ipynb'": ""}
        here = Path.cwd()
        os.chdir(tmp_path)
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind("socket.ipynb")
        os.chdir(here)
        wanted["socket.ipynb"] = "it is a socket"
    grades = grade_folder(tmp_path, tmp_path / "kept.jsonl", TERMS, 2, io.StringIO())
    reasons = {name: grade.reason for name, grade in grades.items()}
    assert reasons.pop("empty.ipynb").startswith(wanted.pop("empty.ipynb"))
    assert reasons == wanted
    points = {name: SHEET.total if reason == "" else 0 for name, reason in wanted.items()}
    assert {name: grades[name].score for name in wanted} == points
    marks = table.marks(students(grades), grades)
    rows = table.write(tmp_path / "scores.csv", marks, TERMS)
    assert len(read(tmp_path / "scores.csv")) == len(rows) == len(grades)


@pytest.mark.skipif(sys.platform != "linux", reason="a path of this length is Linux' own")
def test_folders_may_be_deeper_than_a_path_can_say(tmp_path: Path) -> None:
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        for _ in range(30):
            Path("x" * 200).mkdir()
            os.chdir("x" * 200)
        Path("deep.ipynb").write_text(json.dumps(notebooks.solved(SHEET)), "utf-8")
    finally:
        os.chdir(here)
    found = submissions(tmp_path)
    assert [path.name for path in found.values()] == ["x" * 200]  # what can't be looked into
    grades = grade_folder(tmp_path, tmp_path / "kept.jsonl", TERMS, 1, io.StringIO())
    assert [grade.reason for grade in grades.values()] == ["it can't be read: File name too long"]
    subprocess.run(["rm", "-rf", *tmp_path.iterdir()], check=True)  # Python's own finds it too deep


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent in another way there")
def test_ctrl_c_answers_at_once_and_keeps_what_was_graded(tmp_path: Path) -> None:
    folder, kept = tmp_path / "class", tmp_path / "scores.kept.jsonl"
    class_of(folder, 4)
    for number in range(4):
        made = notebooks.student(SHEET)
        made["cells"][1]["source"] += "\nimport time\ntime.sleep(60)"
        (folder / f"z{number}.ipynb").write_text(json.dumps(made), "utf-8")
    words = ["grade", str(folder), "--sheet", "04", "--seconds", "90", "--total", "90"]
    words += ["--jobs", "2", "--out", str(tmp_path / "scores.csv")]
    # whoever runs the tests in the background may be deaf to it, and what they start is, too
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [sys.executable, "-m", "pe_lib.course.grading", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    signal.signal(signal.SIGINT, before)
    end = time.monotonic() + 60
    while not (kept.exists() and kept.read_text("utf-8").count("\n") == 4):
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(0.5)  # into the sleep of the next two
    start = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)  # as the terminal does
    _, said = process.communicate(timeout=20)
    assert time.monotonic() - start < 2
    assert (process.returncode, said.splitlines()[-1]) == (
        1,
        "Stopped. The same command goes on where this one was.",
    )
    assert "Traceback" not in said
    for path in folder.glob("z*"):
        path.unlink()
    heard = io.StringIO()
    terms = Terms(SHEET, seconds=90, total=90)
    grades = grade_folder(folder, kept, terms, 2, heard)
    assert heard.getvalue() == "4 of 4 are graded already.\n"
    assert sum(grade.score for grade in grades.values()) == 2 * SHEET.total
