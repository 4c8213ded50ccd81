"""Test that a submission can harm only its own grade."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from classroom.running import sandbox
from classroom.running.grader import grade_one
from classroom.running.terms import Grade, Terms
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load

SHEET = load("04")
TERMS = Terms(SHEET, seconds=2, total=90, memory=1024)
FIRST = next(iter(SHEET.questions.values()))
CODE = SHEET.questions["weigh_pairs"]


def make_notebook(*, solved: bool = True, before: str = "", after: str = "") -> str:
    """Return a solved or an unedited notebook, with extra code added at its start or its end."""
    solved_notebook = (notebooks.make_solved if solved else notebooks.make_student)(SHEET)
    cells = solved_notebook["cells"]
    extra = {"cell_type": "code", "id": "extra", "metadata": {}, "outputs": []}
    if before:
        cells.insert(0, extra | {"source": before})
    if after:
        cells.append(extra | {"source": after})
    return json.dumps(solved_notebook)


def grade_text(folder: Path, text: str, terms: Terms = TERMS) -> Grade:
    path = folder / "submission.ipynb"
    path.write_text(text, "utf-8")
    return grade_one(path, terms)


HARMLESS = """
%matplotlib inline
files = !ls
def tried(code):
    try:
        exec(code, {})
    except BaseException as error:
        print(type(error))
for code in ("def f(:", "raise SystemExit", "input('name? ')", "while True: pass",
             "x = bytearray(10 * 2**30)", "def f(): f()\\nf()"):
    tried(code)
print('x' * 10_000_000)
import subprocess, sys, threading, time
threading.Thread(target=lambda: time.sleep(60)).start()
subprocess.Popen(['sleep', '60'])
import pe_lib.course.grading.check as c
c.same = lambda *a: True
sheet = None
sys.stdout.close(); sys.stderr.close()
"""


def test_a_submission_survives_what_goes_wrong_in_it(tmp_path: Path) -> None:
    """Check that a bad or missing cell costs no points for answers in other cells."""
    solved_notebook = json.loads(make_notebook(after=HARMLESS))
    del solved_notebook["cells"][1]
    solved_notebook["cells"] = [
        c for c in solved_notebook["cells"] if "check" not in c["metadata"].get("tags", [])
    ]
    grade = grade_text(tmp_path, json.dumps(solved_notebook))
    assert grade.score == SHEET.total


@pytest.mark.parametrize(
    ("code", "total", "score", "reason"),
    [
        ("import os\nos._exit(3)", 90, SHEET.total,
         "cell 1 was left out, since with it its process ended before its time"),
        ("import ctypes\nctypes.string_at(0)", 90, SHEET.total,
         "cell 1 was left out, since with it its process ended before its time"),
        ("import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass", 3, 0,
         "it ran for more than 3 seconds"),
    ],
    ids=["exit", "crash", "deaf"],
)  # fmt: skip
def test_what_a_submission_dies_of_is_said(
    tmp_path: Path, code: str, total: float, score: float, reason: str
) -> None:
    grade = grade_text(tmp_path, make_notebook(before=code), replace(TERMS, total=total))
    assert (grade.score, grade.reason) == (score, reason)


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"cells": 3}', '{"cells": [{}]}', '{"worksheets": 7}', "[" * 100_000,
     "<!DOCTYPE html>", "PK\x03\x04", make_notebook()[:-300]],
    ids=range(9),
)  # fmt: skip
def test_what_is_no_solved_notebookis_said(tmp_path: Path, text: str) -> None:
    grade = grade_text(tmp_path, text)
    assert grade.score == 0
    assert grade.reason.startswith("it is not a notebook")


def test_functions_are_tried_on_secret_numbers(tmp_path: Path) -> None:
    """Check that a function gets no points if it is right only for the public numbers."""
    # a part may call the function several times, so the first calls must return right values
    tries = 4 * CODE.draws * len(CODE.points)
    learned = (
        f"honest, calls = {CODE.answer}, []\n"
        f"def {CODE.answer}(*values):\n"
        "    calls.append(1)\n"
        f"    return honest(*values) if len(calls) <= {tries} else 0\n"
    )
    public = grade_text(tmp_path, make_notebook(after=learned))
    assert (public.score, public.reason) == (SHEET.total, "")
    more = replace(TERMS, secrets=(1, 2, 3, 4))
    assert grade_text(tmp_path, make_notebook(after=learned), more).results[CODE.name].score == 0


# --- What a submission can see in its sandbox ---


def test_it_finds_none_of_my_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "for nobody")
    assert "for nobody" not in sandbox.environment("/nowhere").values()
    able = (
        shutil.which("unshare")
        and not subprocess.run(["unshare", "-Ur", "true"], check=False).returncode
    )
    assert sandbox.strongest_kind() != "none" or not able, (
        "else what keeps submissions apart isn't tried here"
    )


def test_an_unknown_kind_of_sandbox_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="known are namespaces, none"):
        grade_text(tmp_path, make_notebook(), replace(TERMS, sandbox="namespace"))


@pytest.mark.skipif(TERMS.sandbox == "none", reason="only Linux has namespaces")
def test_neither_the_checkout_nor_a_class_is_shown(tmp_path: Path) -> None:
    library = Path(sandbox.pe_lib.__path__[0])
    shown_paths = sandbox.visible_paths()["shown"]
    assert not {str(library.parent), str(library.parent / "tests")} & {*shown_paths}
    inside = library / "course" / "class"
    assert sandbox.visible_paths((inside, tmp_path))["hidden"] == [str(inside)]


def test_what_calls_the_library_gets_nothing_and_a_flag(tmp_path: Path) -> None:
    """Check that an answer gets no points if it calls the library function by another name."""
    calls = "import pe_lib\n\ndecode = getattr(pe_lib, 'position_' + 'from_encoding')"
    grade = grade_text(tmp_path, make_notebook(after=calls))
    lost = SHEET.questions["decode_vector"]
    assert grade.score == SHEET.total - lost.total
    assert "`decode` calls `position_from_encoding`" in grade.results["decode_vector"].hint
    assert "calls the library for what it should write: decode_vector" in grade.flags


def test_a_cell_that_ends_the_process_costs_what_is_in_it(tmp_path: Path) -> None:
    solved_notebook = json.loads(make_notebook())
    cells = [c for c in solved_notebook["cells"] if c["cell_type"] == "code"]
    crash = next(
        n for n, c in enumerate(cells, start=1) if c["id"].endswith("decode-vector-answer")
    )
    cells[crash - 1]["source"] += "\nimport os\nos.kill(os.getpid(), 11)"
    cells[-1]["source"] += "\nimport os\nos._exit(0)"
    grade = grade_text(tmp_path, json.dumps(solved_notebook))
    assert grade.score == SHEET.total - SHEET.questions["decode_vector"].total
    reason = f"cell {crash} was left out, since with it its process ended before its time"
    assert grade.reason.startswith(reason)
    assert grade.results["decode_vector"].status == "not run"
