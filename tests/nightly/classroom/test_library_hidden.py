"""Test that no trick gets a submission a function of the library that it may not use."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from classroom.running import library, sandbox
from classroom.running.grader import grade_one
from classroom.running.terms import Grade, Terms
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load, names

# here another question of the same sheet allows `rotation`
SHEET = load("05")
TERMS = Terms(SHEET, secrets=(5,), seconds=5, total=90)
ATTACKS = {
    "by name": "import pe_lib\nshift_matrix = pe_lib.rotation",
    "in a thread": """
import threading
from pe_lib import rotation
def shift_matrix(offset, d_model):
    found = []
    thread = threading.Thread(target=lambda: found.append(rotation(offset, d_model)))
    thread.start()
    thread.join()
    return found[0]
""",
    "in a pool": """
from concurrent.futures import ThreadPoolExecutor
from pe_lib import rotation
pool = ThreadPoolExecutor(1)
def shift_matrix(offset, d_model):
    return pool.submit(rotation, offset, d_model).result()
""",
    "in a generator": """
from pe_lib import rotation
def shift_matrix(offset, d_model):
    return (row for row in rotation(offset, d_model))
""",
    "in a lazy array": """
import numpy as np
from pe_lib import rotation
class Lazy:
    def __init__(self, *arguments):
        self.arguments = arguments
    def __array__(self, dtype=None, copy=None):
        return np.asarray(rotation(*self.arguments))
def shift_matrix(offset, d_model):
    return Lazy(offset, d_model)
""",
    "when the cell runs": """
from pe_lib import rotation
known = {(k, d): rotation(k, d) for k in range(-99, 99) for d in range(2, 20, 2)}
def shift_matrix(offset, d_model):
    return known[offset, d_model]
""",
    "in another process": """
import json, subprocess, sys
def shift_matrix(offset, d_model):
    code = f"import pe_lib; print(pe_lib.rotation({offset}, {d_model}).tolist())"
    return json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True).stdout)
""",
    "in a clean process": """
import json, subprocess, sys
def shift_matrix(offset, d_model):
    code = f"import pe_lib; print(pe_lib.rotation({offset}, {d_model}).tolist())"
    command = [sys.executable, "-I", "-c", code]
    return json.loads(subprocess.run(command, capture_output=True, env={}).stdout)
""",
    "without a profile": """
import sys
from pe_lib import rotation
def shift_matrix(offset, d_model):
    sys.setprofile(None)
    return rotation(offset, d_model)
""",
    "by ctypes": """
import ctypes
from pe_lib import rotation
call = ctypes.pythonapi.PyObject_CallObject
call.restype, call.argtypes = ctypes.py_object, (ctypes.py_object, ctypes.py_object)
def shift_matrix(offset, d_model):
    return call(rotation, (offset, d_model))
""",
    "after patching the watcher": """
import pe_lib.course.grading.borrowed as borrowed
from pe_lib import rotation
borrowed.forbid_library = lambda answer, *rest: answer
import classroom.running.submission as submission
submission.forbid_library = lambda answer, *rest: answer
shift_matrix = rotation
""",
    "from the garbage": """
import gc
from types import FunctionType
found = [f for f in gc.get_objects() if isinstance(f, FunctionType) and f.__name__ == "rotation"]
def shift_matrix(offset, d_model):
    return found[0](offset, d_model)
""",
    "from its source": """
import importlib.util, pathlib, sys
found = [p for e in sys.path + ["/"] for p in pathlib.Path(e).glob("**/relative.py")][:9]
def shift_matrix(offset, d_model):
    for path in found:
        spec = importlib.util.spec_from_file_location("pe_lib.again", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.rotation(offset, d_model)
""",
    "from another question": """
from pe_lib import rotation
def look_back(back, d_model):
    global kept
    kept = rotation
    return rotation(back, d_model), rotation(0, d_model)
look_back(1, 4)
def shift_matrix(offset, d_model):
    return kept(offset, d_model)
""",
}


def grade_with(folder: Path, code: str, terms: Terms = TERMS, *, instead: bool = True) -> Grade:
    """Grade a solved notebook in which a cell answers `shift_matrix`, or is added at the end."""
    notebook: dict[str, Any] = notebooks.make_solved(SHEET)
    cell = {"cell_type": "code", "id": "more", "metadata": {}, "outputs": [], "source": code}
    place = next(n for n, c in enumerate(notebook["cells"]) if c["id"] == "x05-shift-matrix-answer")
    if instead:
        notebook["cells"][place] = cell
    else:
        notebook["cells"].append(cell)
    path = folder / "submission.ipynb"
    path.write_text(json.dumps(notebook), "utf-8")
    return grade_one(path, terms)


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("in_exam", [False, True])
def test_a_hidden_function_cannot_be_reached(tmp_path: Path, name: str, in_exam: bool) -> None:
    if TERMS.sandbox == "none" and name in ("in a clean process", "from its source"):
        pytest.skip("without namespaces, a submission sees the whole system")
    # in an exam, functions are tried on secret seeds alone
    terms = replace(TERMS, student_seeds={"ada": 0}) if in_exam else TERMS
    grade = grade_with(tmp_path, ATTACKS[name], terms)
    lost = SHEET.questions["shift_matrix"]
    assert grade.results[lost.name].score == 0, grade.results[lost.name].hint
    if name != "from another question":
        assert grade.score == SHEET.total - lost.total, grade.reason


def test_whoever_uses_a_hidden_function_is_told_and_flagged(tmp_path: Path) -> None:
    for name in ("by name", "in a pool", "when the cell runs"):
        grade = grade_with(tmp_path, ATTACKS[name])
        result = grade.results["shift_matrix"]
        assert result.relation == "borrowed"
        assert "calls `rotation` of `pe_lib`. Here you should not use it" in result.hint
        assert grade.flags == ["calls the library for what it should write: shift_matrix"]


def test_comparing_with_the_library_in_a_cell_of_its_own_costs_nothing(tmp_path: Path) -> None:
    code = "from pe_lib import rotation\nassert np.allclose(shift_matrix(3, 8), rotation(3, 8))"
    grade = grade_with(tmp_path, code, instead=False)
    assert (grade.score, grade.reason, grade.flags) == (SHEET.total, "", [])


@pytest.mark.parametrize("name", names())
def test_a_solved_sheet_gets_all_points_with_reduced_libraries(tmp_path: Path, name: str) -> None:
    content = load(name)
    path = tmp_path / "solved.ipynb"
    path.write_text(json.dumps(notebooks.make_solved(content, 7)), "utf-8")
    grade = grade_one(path, Terms(content, 7, (3,), seconds=20, total=300))
    assert (grade.score, grade.reason, grade.flags) == (content.total, "", [])


@pytest.mark.skipif(os.name == "nt", reason="the copies are shown to namespaces alone")
def test_a_submission_sees_a_copy_in_place_of_the_library() -> None:
    copy = library.write_copy(frozenset({"encode"}))
    shown = sandbox.visible_paths(library=copy)["shown"]
    assert f"{copy}/pe_lib" in shown
    assert not {*sandbox.LIBRARY_PATHS} & {*shown}
    files = library.copy_files(frozenset({"encode"}))
    assert b"def encode" in files["pe_lib/sinusoidal.py"]
    assert b"def rotation" not in files["pe_lib/relative.py"]
    assert not any(path.endswith(".md") for path in files), "no sheet"
