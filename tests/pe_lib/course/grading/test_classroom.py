"""Grading a folder: whatever a submission does, it does to itself."""

import csv
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pe_lib.course.grading import classroom, notebooks
from pe_lib.course.grading.classroom import grade_folder
from pe_lib.course.grading.grader import Grade, Left, Terms, grade_one, judged
from pe_lib.course.grading.sheet import load

SHEET = load("04")
TERMS = Terms(SHEET, seconds=1, total=20, memory=1024)
FIRST = next(iter(SHEET.questions.values()))
CODE = next(question for question in SHEET.questions.values() if question.kind == "code")


def notebook(*, solved: bool = True, before: str = "", after: str = "", instead: str = "") -> str:
    """A submission: the solved notebook, with code put before or after, or in place of a cell."""
    made = (notebooks.solved if solved else notebooks.student)(SHEET)
    cells = made["cells"]
    if instead:
        next(c for c in cells if c["id"].endswith("slow-sine-answer"))["source"] = instead
    extra = {"cell_type": "code", "id": "extra", "metadata": {}, "outputs": []}
    if before:
        cells.insert(0, extra | {"source": before})
    if after:
        cells.append(extra | {"source": after})
    return json.dumps(made)


def graded(folder: Path, text: str, terms: Terms = TERMS) -> Grade:
    path = folder / "submission.ipynb"
    path.write_text(text, "utf-8")
    return grade_one(path, terms)


def test_a_solved_notebook_gets_everything(tmp_path: Path) -> None:
    grade = graded(tmp_path, notebook())
    assert (grade.score, grade.reason) == (SHEET.total, "")


def test_an_untouched_notebook_gets_nothing_and_no_reproach(tmp_path: Path) -> None:
    grade = graded(tmp_path, notebook(solved=False))
    assert (grade.score, grade.reason) == (0, "")
    assert {result.status for result in grade.results.values()} == {"open"}


def test_a_known_mistake_is_told(tmp_path: Path) -> None:
    mistake = FIRST.mistakes[0]
    code = f'given = sheet.given("{FIRST.name}")\n{mistake.code}'
    grade = graded(tmp_path, notebook(instead=code))
    assert grade.results[FIRST.name].mistake == mistake.name
    assert grade.score == SHEET.total - FIRST.total


HARMLESS = {
    "magics": "%matplotlib inline\n!ls\nimport matplotlib.pyplot as plt\nplt?\nx = 1",
    "a cell magic": "%%time\nx = 1",
    "an error of its own": "1 / 0",
    "a syntax error": "def f(:\n",
    "an endless loop": "while True: pass",
    "an exit": "raise SystemExit",
    "a question": "input('name? ')",
    "much output": "print('x' * 50_000_000)",
    "10 GB of memory": "x = bytearray(10 * 2**30)",
    "recursion": "def f(): f()\nf()",
    "threads that go on": "import threading, time\n"
    "threading.Thread(target=lambda: time.sleep(60)).start()",
    "children that go on": "import subprocess\nsubprocess.Popen(['sleep', '60'])",
    "a closed output": "import sys\nsys.stdout.close(); sys.stderr.close()",
    "edits to the sheet": "sheet = None",
    "edits to the library": "import pe_lib.course.grading.check as c\nc.same = lambda *a: True",
    "a full disk": "open('big', 'wb').write(bytes(2**27))",
    "a network": "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9', timeout=1)",
}


@pytest.mark.parametrize("code", HARMLESS.values(), ids=HARMLESS)
def test_what_a_submission_survives(tmp_path: Path, code: str) -> None:
    """The rest of it is graded as ever."""
    start = time.perf_counter()
    assert graded(tmp_path, notebook(after=code)).score == SHEET.total
    assert time.perf_counter() - start < 15


DEADLY = {
    "os._exit": ("import os\nos._exit(0)", "its process ended before its time"),
    "a crash": ("import ctypes\nctypes.string_at(0)", "its process was ended by SIGSEGV"),
    "its own end": ("import os\nos.kill(os.getpid(), 9)", "its process was ended by SIGKILL"),
    "everybody's end": ("import os\nos.killpg(0, 9)", "its process was ended by SIGKILL"),
    "deafness": (
        "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass",
        "it ran for more than 2 seconds",
    ),
}


@pytest.mark.skipif(os.name == "nt", reason="Windows ends processes with other words")
@pytest.mark.parametrize(("code", "reason"), DEADLY.values(), ids=DEADLY)
def test_what_a_submission_dies_of_is_said(tmp_path: Path, code: str, reason: str) -> None:
    terms = Terms(SHEET, seconds=1, total=2, memory=1024)
    grade = graded(tmp_path, notebook(before=code), terms)
    assert (grade.score, grade.reason) == (0, reason)


@pytest.mark.parametrize(
    "text",
    ["", "hello", "[]", "null", '{"cells": 3}', '{"cells": [{}]}', "\x00" * 100,
     '{"worksheets": []}', '{"cells": [{"cell_type": "code", "source": 7}]}', "[" * 100_000],
    ids=range(10),
)  # fmt: skip
def test_what_is_no_notebook_is_said(tmp_path: Path, text: str) -> None:
    grade = graded(tmp_path, text)
    assert grade.score == 0
    assert grade.reason.startswith("it is not a notebook")


def test_a_foreign_notebook_gets_nothing(tmp_path: Path) -> None:
    grade = graded(tmp_path, json.dumps(notebooks.solved(load("02"))))
    assert grade.score == 0
    assert {result.status for result in grade.results.values()} == {"open"}


def test_a_grader_that_was_overwritten_gives_no_points(tmp_path: Path) -> None:
    """What is right is decided in another process than the one that the submission runs in."""
    forged = (
        "import numpy as np\n"
        "from pe_lib.course.grading import outcome as o, submission as s\n"
        "s.attempt = o.attempt = o.outcome = lambda q, *a: {p: np.ones(3) for p in q.points}\n"
        "import sys\n"
        "sys.modules['__main__'].attempt = s.attempt\n"
    )
    assert graded(tmp_path, notebook(solved=False, after=forged)).score == 0


def test_results_that_are_forged_are_refused() -> None:
    forged = ["null", "[]", "{}", '{"question": "x"}', '{"question": "slow_sine", "got": 3}']
    grade = judged(Left(tuple(forged), ""), TERMS)
    assert grade.score == 0
    assert grade.reason


def test_check_cells_may_be_edited_or_gone(tmp_path: Path) -> None:
    made = notebooks.solved(SHEET)
    made["cells"] = [c for c in made["cells"] if "check" not in c["metadata"].get("tags", [])]
    assert graded(tmp_path, json.dumps(made)).score == SHEET.total


def test_the_setup_may_be_gone(tmp_path: Path) -> None:
    made = notebooks.solved(SHEET)
    del made["cells"][1]
    assert graded(tmp_path, json.dumps(made)).score == SHEET.total


def test_functions_are_tried_on_secret_numbers(tmp_path: Path) -> None:
    """A function that knows the public answers only gets nothing for them."""
    secret = Terms(SHEET, secrets=(123,), seconds=1, total=20)
    assert graded(tmp_path, notebook(), secret).score == SHEET.total
    learned = (
        f"honest, calls = {CODE.answer}, []\n"
        f"def {CODE.answer}(*values):\n"
        "    calls.append(1)\n"
        f"    return honest(*values) if len(calls) <= {len(CODE.points)} * 4 else 0\n"
    )
    once = graded(tmp_path, notebook(after=learned), Terms(SHEET, seconds=1))
    more = graded(tmp_path, notebook(after=learned), Terms(SHEET, secrets=tuple(range(1, 9))))
    assert once.results[CODE.name].status == "right"
    assert more.results[CODE.name].score == 0


def test_a_class_has_its_own_numbers(tmp_path: Path) -> None:
    own = Terms(SHEET, seed=17, seconds=1, total=20)
    text = json.dumps(notebooks.solved(SHEET, 17)).replace("keep=False", "seed=17, keep=False")
    assert graded(tmp_path, text, own).score == SHEET.total
    assert graded(tmp_path, notebook(), own).results[FIRST.name].score == 0


def class_of(folder: Path, count: int) -> None:
    for number in range(count):
        (folder / f"student {number}").mkdir(parents=True)
        text = notebook(solved=number % 2 == 0)
        (folder / f"student {number}" / "answers.ipynb").write_text(text, "utf-8")


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_folder_gives_a_table_with_one_row_each(tmp_path: Path) -> None:
    folder, out = tmp_path / "class", tmp_path / "scores.csv"
    class_of(folder, 3)
    (folder / "=formula.ipynb").write_text("no notebook")
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "old.ipynb").write_text("{}")
    (folder / "link.ipynb").symlink_to("/etc/passwd")
    rows = grade_folder(folder, out, TERMS, 2, io.StringIO())
    assert table(out) == rows
    assert [(r["submission"], r["points"]) for r in rows] == [
        ("'=formula.ipynb", "0"),
        (str(Path("student 0/answers.ipynb")), f"{SHEET.total:g}"),
        (str(Path("student 1/answers.ipynb")), "0"),
        (str(Path("student 2/answers.ipynb")), f"{SHEET.total:g}"),
    ]
    said = classroom.summary(rows)
    assert "4 submissions" in said
    assert "1 did not run to their end" in said


def test_a_run_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, out = tmp_path / "class", tmp_path / "scores.csv"
    class_of(folder, 4)
    rows = grade_folder(folder, out, TERMS, 2, io.StringIO())
    lines = out.read_text("utf-8").splitlines(keepends=True)
    out.write_text("".join(lines[:3]) + lines[3][:9], "utf-8")  # two whole rows and a torn one
    tried = []
    honest = classroom.run_one

    def counted(path: Path, terms: Terms) -> Left:
        tried.append(path)
        return honest(path, terms)

    monkeypatch.setattr(classroom, "run_one", counted)
    assert grade_folder(folder, out, TERMS, 2, io.StringIO()) == rows
    assert len(tried) == 2
    path = folder / "student 0" / "answers.ipynb"
    path.write_text(notebook(solved=False), "utf-8")  # handed in once more
    again = grade_folder(folder, out, TERMS, 2, io.StringIO())
    assert (len(tried), again[0]["points"]) == (3, "0")


def test_another_table_is_not_written_over(tmp_path: Path) -> None:
    out = tmp_path / "scores.csv"
    out.write_text("name,mark\nAda,1\n")
    class_of(tmp_path / "class", 1)
    with pytest.raises(ValueError, match="is another table"):
        grade_folder(tmp_path / "class", out, TERMS, 1, io.StringIO())
    assert out.read_text() == "name,mark\nAda,1\n"


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pe_lib.course.grading", *words],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_grades_and_says_how_the_class_did(tmp_path: Path) -> None:
    class_of(tmp_path / "class", 2)
    out = tmp_path / "scores.csv"
    ran = command("grade", str(tmp_path / "class"), "--sheet", "04", "--out", str(out))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(f"2 submissions, of {SHEET.total:g} points: lowest 0")
    assert len(table(out)) == 2


def test_the_command_writes_a_class_its_notebook_and_nothing_over_it(tmp_path: Path) -> None:
    words = ["notebook", "04", "--seed", "17", "--out", str(tmp_path / "class")]
    assert command(*words).returncode == 0
    text = (tmp_path / "class" / f"{SHEET.name}.ipynb").read_text("utf-8")
    assert text == notebooks.written(notebooks.student(SHEET, 17))
    again = command(*words)
    assert (again.returncode, "is there already" in again.stderr) == (1, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["grade", "nowhere", "--sheet", "04"], "nowhere is not a folder"),
        (["grade", ".", "--sheet", "77"], "there is no sheet '77'"),
    ],
)
def test_what_the_command_cannot_do_is_said_in_a_line(words: list[str], said: str) -> None:
    ran = command(*words)
    assert ran.returncode == 1
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr
