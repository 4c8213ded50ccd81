"""A class as its teacher meets it: graded, kept apart, examined, and given packages.

All else that the classroom promises is in tests/nightly/classroom.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from classroom import __main__ as module
from classroom.exam import hand_out
from classroom.packages import NEEDS
from classroom.running import jail
from classroom.running.grader import grade_one
from classroom.running.terms import Terms
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load

SHEET, EXAM = load("04"), load("02")
TERMS = Terms(SHEET, seconds=2, total=90, memory=1024, secrets=(987654321,))


def command(*words: str) -> subprocess.CompletedProcess[str]:
    words = (sys.executable, "-m", "classroom", *words)
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_a_download_from_moodle_goes_back_to_moodle(tmp_path: Path) -> None:
    folder, marks = tmp_path / "download", tmp_path / "marks"
    for who, made in (
        ("Ada X_5", notebooks.make_solved(SHEET)),
        ("Bo X_6", notebooks.make_student(SHEET)),
    ):
        path = folder / f"{who}_assignsubmission_file" / "a.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(made), "utf-8")
    lines = ["Identifier,Full name,Grade,Maximum grade,Last modified (grade)"]
    lines += [f"Participant {n},{who} X,,10,-" for n, who in ((5, "Ada"), (6, "Bo"), (7, "Cy"))]
    (tmp_path / "worksheet.csv").write_text("\n".join(lines), "utf-8")
    marks.mkdir()
    ran = command("grade", str(folder), "--sheet", "04", "--out", str(marks / "scores.csv"),
                  "--roster", str(tmp_path / "worksheet.csv"))  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "2 students" in ran.stdout and "1 on the roster without" in ran.stdout
    filled = (marks / "scores" / "moodle.csv").read_text("utf-8").splitlines()[1:]
    assert [line.split(",")[2] for line in filled] == ["10", "0", ""]
    made = {path.name for path in (marks / "scores").iterdir()}
    assert made == {"class.html", "feedback", "moodle.csv"}


@pytest.mark.parametrize(("encoding", "sign"), [("cp1251", "x"), ("utf-8", "×")])
def test_a_console_that_lacks_a_sign_gets_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, sign: str
) -> None:
    """A Russian Windows has no × where the output goes into a file or another program."""
    made, question = notebooks.solved(SHEET), SHEET.questions["decode_vector"]
    cell = next(c for c in made["cells"] if c["id"] == "x04-decode-vector-answer")
    cell["source"] = question.mistakes[0].code
    (tmp_path / "Ada.ipynb").write_text(json.dumps(made), "utf-8")
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    out = tmp_path / "scores.csv"
    words = [sys.executable, "-m", "classroom", "grade", str(tmp_path), "--sheet", "04"]
    ran = subprocess.run([*words, "--out", str(out)], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert f"1 {sign} {question.title}" in ran.stdout.decode(encoding)


def answered(path: Path, seed: int) -> dict[str, Any]:
    """A student's notebook of the exam with the right answers, as they are typed."""
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
    made = command("exam", "02", *words, "--out", str(out))
    assert made.returncode == 0, made.stderr
    assert (key.stat().st_mode & 0o777 == 0o600) or sys.platform == "win32"
    assert [path.name[-27:] for path in out.glob("*.whl")] == ["exam-0.3.0-py3-none-any.whl"]
    ada, bob = (out / "notebooks" / f"{EXAM.name}_{who}.ipynb" for who in ("1815", "77123"))
    right = json.dumps(answered(ada, hand_out.seed(hand_out.key(key), EXAM.name, "1815")))
    for path in (ada, bob):  # who copied all
        path.write_text(right, "utf-8")
    table = tmp_path / "scores.csv"
    ran = command("grade", str(ada.parent), "--sheet", "02", *words, "--out", str(table))
    assert "3 students, of 18 points: lowest 0, median 1" in ran.stdout, ran.stderr
    assert "highest 18" in ran.stdout
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
    made = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    name = SHEET.name
    assert {f"notebook/{name}.ipynb", "gradescope/autograder.zip", f"moodle/{name}.xml"} <= made
    handed = (tmp_path / "notebook" / f"{name}.ipynb").read_text("utf-8")
    assert "seed=7" in handed
    for question in SHEET.questions.values():
        for text in (question.solution.text, question.solution.code):
            assert json.dumps(text)[1:-1] not in handed


def test_a_package_brings_all_that_the_course_is_imported_with() -> None:
    """Where a package is installed, nobody has read the course's own list."""
    path = Path(module.__file__).parents[1] / "pyproject.toml"
    project = tomllib.loads(path.read_text("utf-8"))["project"]
    assert {*NEEDS} == {*project["dependencies"], *project["optional-dependencies"]["course"]}


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


def children() -> set[str]:
    """The processes below this one."""
    found, todo = set[str](), [str(os.getpid())]
    while todo:
        for task in Path(f"/proc/{todo.pop()}/task").iterdir():
            todo += (task / "children").read_text().split()
        found |= set(todo)
    return found


@pytest.mark.skipif(TERMS.jail == "none", reason="submissions are kept apart on Linux only")
def test_a_hostile_submission_gets_nothing_and_harms_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It forges results, kills the grader, looks for secrets; the whole bank runs nightly."""
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    home.mkdir()
    temporary.mkdir()
    neighbour, canary = tmp_path / "neighbour.ipynb", home / "canary"
    neighbour.write_text(json.dumps(notebooks.make_solved(SHEET)))
    canary.write_text("for nobody")
    monkeypatch.setattr(jail.tempfile, "tempdir", str(temporary))
    grade_one(neighbour, TERMS)  # so that what starts submissions is there
    before = children()
    code = HOSTILE.replace("NEIGHBOUR", repr(str(neighbour))).replace("CANARY", repr(str(canary)))
    code = code.replace("SECRET_BACKWARDS", "123456789")
    made = notebooks.make_student(SHEET)
    made["cells"].append({"cell_type": "code", "metadata": {}, "outputs": [], "source": code})
    path = tmp_path / "hostile.ipynb"
    path.write_text(json.dumps(made), "utf-8")
    got = grade_one(path, TERMS)
    assert (got.score, got.reason) == (0, ""), "it ran to its end, and could end nobody"
    assert "FOUND" not in got.reason + "".join(result.hint for result in got.results.values())
    assert grade_one(neighbour, TERMS).score == SHEET.total
    assert (canary.read_text(), list(temporary.iterdir())) == ("for nobody", [])
    assert children() == before
