"""Grading one submission: whatever a submission does, it does to itself."""

import json
import os
import time
from pathlib import Path

import pytest

from pe_lib.course.grading import notebooks
from pe_lib.course.grading.running.grader import Left, grade_one, judged
from pe_lib.course.grading.running.terms import Grade, Terms
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


def test_an_untouched_notebook_gets_nothing_and_is_called_blank(tmp_path: Path) -> None:
    grade = graded(tmp_path, notebook(solved=False))
    assert (grade.score, grade.reason) == (0, "it is blank: no answer was begun")
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
    "what a command says": "files = !ls\nfor file in files: print(file)",
    "the shell of IPython": "get_ipython().run_line_magic('matplotlib', 'inline')\ndisplay(1)",
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
     '{"worksheets": 7}', '{"cells": [{"cell_type": "code", "source": 7}]}', "[" * 100_000],
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
        "from pe_lib.course.grading import outcome as o\n"
        "from pe_lib.course.grading.running import submission as s\n"
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
    tries = 4 * CODE.draws * len(CODE.points)  # a part may call it more than once
    learned = (
        f"honest, calls = {CODE.answer}, []\n"
        f"def {CODE.answer}(*values):\n"
        "    calls.append(1)\n"
        f"    return honest(*values) if len(calls) <= {tries} else 0\n"
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
