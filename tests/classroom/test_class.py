"""Test that a teacher can grade a class, hand out an exam, and make packages for other platforms.

The other features of the classroom package are tested in tests/nightly/classroom.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from classroom import __main__ as module
from classroom.exam import hand_out
from classroom.packages import REQUIREMENTS
from classroom.running import sandbox, secret_seeds
from classroom.running.grader import grade_one
from classroom.running.terms import Terms
from pe_lib import __version__ as VERSION  # noqa: N812
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load

SHEET, EXAM = load("04"), load("02")
TERMS = Terms(SHEET, seconds=2, total=90, memory=1024, secrets=(987654321,))


def run_command(*words: str) -> subprocess.CompletedProcess[str]:
    words = (sys.executable, "-m", "classroom", *words)
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_a_download_from_moodle_goes_back_to_moodle(tmp_path: Path) -> None:
    folder, marks = tmp_path / "download", tmp_path / "marks"
    for who, notebook in (
        ("Ada X_5", notebooks.make_solved(SHEET)),
        ("Bo X_6", notebooks.make_student(SHEET)),
    ):
        path = folder / f"{who}_assignsubmission_file" / "a.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook), "utf-8")
    lines = ["Identifier,Full name,Grade,Maximum grade,Last modified (grade)"]
    lines += [f"Participant {n},{who} X,,10,-" for n, who in ((5, "Ada"), (6, "Bo"), (7, "Cy"))]
    (tmp_path / "worksheet.csv").write_text("\n".join(lines), "utf-8")
    marks.mkdir()
    process = run_command("grade", str(folder), "--sheet", "04", "--out", str(marks / "scores.csv"),
                  "--roster", str(tmp_path / "worksheet.csv"))  # fmt: skip
    assert process.returncode == 0, process.stderr
    assert "2 students." in process.stdout
    assert "1 student on the roster handed in no notebook." in process.stdout
    grades = (marks / "scores" / "moodle.csv").read_text("utf-8").splitlines()[1:]
    assert [line.split(",")[2] for line in grades] == ["10", "0", ""]
    files = {path.name for path in (marks / "scores").iterdir()}
    assert files == {"class.html", "feedback", "moodle.csv", "secret-seeds.txt"}
    again = secret_seeds.choose_seeds(None, marks / "scores")
    assert len(again) == 2
    assert secret_seeds.choose_seeds([7], marks / "scores") == (7,)


@pytest.mark.parametrize(("encoding", "sign"), [("cp1251", "x"), ("utf-8", "×")])
def test_a_console_that_lacks_a_sign_gets_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, sign: str
) -> None:
    """Check that × is printed as x if the console's encoding lacks ×, as on a Russian Windows."""
    notebook, question = notebooks.make_solved(SHEET), SHEET.questions["decode_vector"]
    cell = next(c for c in notebook["cells"] if c["id"] == "x04-decode-vector-answer")
    cell["source"] = question.mistakes[0].code
    (tmp_path / "Ada.ipynb").write_text(json.dumps(notebook), "utf-8")
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    out = tmp_path / "scores.csv"
    words = [sys.executable, "-m", "classroom", "grade", str(tmp_path), "--sheet", "04"]
    process = subprocess.run([*words, "--out", str(out)], capture_output=True, check=False)
    assert process.returncode == 0, process.stderr
    assert f"1 {sign} {question.title}" in process.stdout.decode(encoding)


def answer_all(path: Path, seed: int) -> dict[str, Any]:
    """Return a student's exam notebook after filling in all answers correctly."""
    notebook: dict[str, Any] = json.loads(path.read_text("utf-8"))
    cells = [c for c in notebook["cells"] if "answer" in c["metadata"].get("tags", [])]
    for question, cell in zip(EXAM.questions.values(), cells, strict=True):
        code = question.solution.code
        if question.kind != "code":
            right = question.run_answer(code, seed)
            code = f"from numpy import array\n{question.answer} = {right!r}"
        cell["source"] = code
    return notebook


def test_an_exam_is_handed_out_and_everybody_graded_on_their_own_numbers(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("Name,Student ID\nAda,1815\nZoë,zm/1\nBob,77123", "utf-8")
    key, out = tmp_path / "key", tmp_path / "exam"
    words = ["--roster", str(tmp_path / "roster.csv"), "--key", str(key)]
    process = run_command("exam", "02", *words, "--out", str(out))
    assert process.returncode == 0, process.stderr
    assert (key.stat().st_mode & 0o777 == 0o600) or sys.platform == "win32"
    assert [path.name for path in out.glob("*.whl")] == [
        f"order_matters_exam-{VERSION}-py3-none-any.whl"
    ]
    ada, bob = (out / "notebooks" / f"{EXAM.name}_{who}.ipynb" for who in ("1815", "77123"))
    seed = hand_out.student_seed(hand_out.read_key(key), EXAM.name, "1815")
    answers = json.dumps(answer_all(ada, seed))
    for path in (ada, bob):  # Bob hands in a copy of Ada's notebook
        path.write_text(answers, "utf-8")
    table = tmp_path / "scores.csv"
    process = run_command("grade", str(ada.parent), "--sheet", "02", *words, "--out", str(table))
    assert process.returncode == 0, process.stderr
    summary = (
        r"3 students\. Of (\d+) points the lowest is 0, the median (\d+) and the highest (\d+)\."
    )
    total, median, highest = map(int, re.search(summary, process.stdout).groups())  # type: ignore[union-attr]
    assert median < highest == total == EXAM.total  # the median is Bob's, and his copy loses points
    assert "shows the numbers of 1815" in table.read_text("utf-16")
    page = (tmp_path / "scores" / "feedback" / "Bob.html").read_text("utf-8")
    assert "not those that were handed to you" in page and "1815" not in page


def test_packages_hold_no_solutions_for_students(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("notebook", "gradescope", "moodle"):
        words = [kind, "04", "--out", str(tmp_path / kind), "--seed", "7"]
        monkeypatch.setattr(sys, "argv", ["classroom", *words])
        module.main()
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    name = SHEET.name
    assert {f"notebook/{name}.ipynb", "gradescope/autograder.zip", f"moodle/{name}.xml"} <= files
    handed = (tmp_path / "notebook" / f"{name}.ipynb").read_text("utf-8")
    assert "seed=7" in handed
    for question in SHEET.questions.values():
        for text in (question.solution.text, question.solution.code):
            assert json.dumps(text)[1:-1] not in handed


def test_a_package_brings_all_that_the_course_is_imported_with() -> None:
    """Check that packages require exactly those distributions that pyproject.toml requires.

    The packages contain a list of requirements, because they are installed without pyproject.toml.
    """
    path = Path(module.__file__).parents[1] / "pyproject.toml"
    project = tomllib.loads(path.read_text("utf-8"))["project"]
    assert {*REQUIREMENTS} == {
        *project["dependencies"],
        *project["optional-dependencies"]["course"],
    }


HOSTILE = """
import os, sys
import numpy as np
class FOUND(BaseException): pass
from pe_lib.course.grading import outcome as o
from classroom.running import wire as s
s.in_words = o.attempt = o.outcome = lambda q, *a: {p: np.ones(3) for p in q.points}
try:
    os.kill(os.getppid(), 9)
except OSError: pass
def looked(*_):
    frame = sys._getframe()
    while frame:
        if str(SECRET_BACKWARDS)[::-1] in repr(frame.f_locals): raise FOUND
        frame = frame.f_back
    for path in (NEIGHBOUR, CANARY):
        if os.path.exists(path): raise FOUND
    return 0
slow_k = decode = looked
"""


def child_processes() -> set[str]:
    """Return the ids of all processes that this process has started, directly or indirectly."""
    processes, waiting = set[str](), [str(os.getpid())]
    while waiting:
        for task in Path(f"/proc/{waiting.pop()}/task").iterdir():
            waiting += (task / "children").read_text().split()
        processes |= set(waiting)
    return processes


@pytest.mark.skipif(TERMS.sandbox == "none", reason="submissions are kept apart on Linux only")
def test_a_hostile_submission_gets_nothing_and_harms_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that a submission can neither forge results nor stop the grader nor find secrets.

    The tests in tests/nightly try many other attacks.
    """
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    home.mkdir()
    temporary.mkdir()
    neighbour, canary = tmp_path / "neighbour.ipynb", home / "canary"
    neighbour.write_text(json.dumps(notebooks.make_solved(SHEET)))
    canary.write_text("for nobody")
    monkeypatch.setattr(sandbox.tempfile, "tempdir", str(temporary))
    grade_one(neighbour, TERMS)  # the fork server starts when this submission is graded
    before, copies = child_processes(), {*temporary.iterdir()}
    code = HOSTILE.replace("NEIGHBOUR", repr(str(neighbour))).replace("CANARY", repr(str(canary)))
    code = code.replace("SECRET_BACKWARDS", "123456789")
    notebook = notebooks.make_student(SHEET)
    notebook["cells"].append({"cell_type": "code", "metadata": {}, "outputs": [], "source": code})
    path = tmp_path / "hostile.ipynb"
    path.write_text(json.dumps(notebook), "utf-8")
    grade = grade_one(path, TERMS)
    assert (grade.score, grade.reason) == (0, ""), "it ran to its end, and could end nobody"
    assert "FOUND" not in grade.reason + "".join(result.hint for result in grade.results.values())
    assert grade_one(neighbour, TERMS).score == SHEET.total
    assert (canary.read_text(), {*temporary.iterdir()}) == ("for nobody", copies)
    assert child_processes() == before


def test_a_function_that_borrows_in_a_thread_earns_nothing_and_is_flagged(tmp_path: Path) -> None:
    """Check that the library is hidden from functions. The tests in tests/nightly try more ways."""
    borrowed = """
from concurrent.futures import ThreadPoolExecutor
from pe_lib import position_from_encoding
def decode(vector):
    return ThreadPoolExecutor(1).submit(position_from_encoding, vector, 9_000).result()
"""
    notebook = notebooks.make_solved(SHEET)
    cell = next(c for c in notebook["cells"] if c["id"] == "x04-decode-vector-answer")
    cell["source"] = borrowed
    path = tmp_path / "borrowed.ipynb"
    path.write_text(json.dumps(notebook), "utf-8")
    grade = grade_one(path, TERMS)
    assert grade.score == SHEET.total - SHEET.questions["decode_vector"].total
    assert grade.flags == ["calls the library for what it should write: decode_vector"]
