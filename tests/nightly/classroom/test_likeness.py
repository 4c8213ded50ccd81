"""Reasons to read a notebook: what its code touches, and whose code it equals."""

import ast
import io
import json
from pathlib import Path

import pytest

from classroom.running.folder import grade_folder
from classroom.running.likeness import alike, forms
from classroom.running.terms import Terms
from classroom.running.touched import touched
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load, names

SHEET = load("02")
OWN = '''
def pe(t, d_model):
    """One position."""
    pairs = d_model // 2
    angles = t * np.exp(-np.log(10_000) * np.arange(pairs) / pairs)
    both = np.empty(d_model)
    both[::2], both[1::2] = np.sin(angles), np.cos(angles)  # one after the other
    return both
'''
RENAMED = (
    OWN.replace("pairs", "half").replace("both", "out").replace('    """One position."""\n', "")
)
OTHER = OWN.replace("np.empty", "np.zeros")
CONVERT = """
def convert(x, to):
    x = np.asarray(x)
    width = x.shape[-1]
    order = [*range(0, width, 2), *range(1, width, 2)]
    if to == "halves":
        return x[..., order]
    back = np.empty_like(x)
    back[..., order] = x
    return back
"""


def of(*codes: str) -> dict[str, tuple[str, int]]:
    return forms([ast.parse(code) for code in codes])


def test_one_function_alone_says_little_and_a_whole_class_is_counted() -> None:
    one, third = of(OWN, CONVERT), of(OTHER, CONVERT)
    assert alike({"a": one, "c": third}, SHEET) == {}
    many = alike(dict.fromkeys("abcdefg", one), SHEET)
    assert [len(said) for said in many.values()] == [4] * 7
    assert many["a"][-1] == "and as 3 more"


def test_what_is_alike_by_itself_is_not_told_but_the_solution_is() -> None:
    """A repaired program, and what the sheet gives, are nobody's; a solution is, renamed, too."""
    for name in names():
        content = load(name)
        code = [q for q in content.questions.values() if q.kind == "code"]
        repaired = [q.solution.code for q in code if "..." not in q.starter]
        for codes in (repaired, [q.starter for q in code]):
            assert alike({"a": of(*codes), "b": of(*codes)}, content) == {}
    code = [q.solution.code for q in SHEET.questions.values() if q.kind == "code"]
    renamed = [one.replace("d_model", "width").replace("angle", "alpha") for one in code]
    said = alike({"a": of(*renamed)}, SHEET)
    assert said["a"][0].startswith("the published solution, names aside: write_encoding")


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("from pe_lib.course.grading import sheet, Sheet", "the grading's insides"),
        ("from classroom.running import submission", "the grading's insides"),
        ("import classroom", "the grading's insides"),
        ("q = sheet._question('x')", "the grading's insides"),
        ("__import__('pe_lib.course.grading.sheet')", "the grading's insides"),
        ("import importlib", "Python's insides"),
        ("f.__code__", "Python's insides"),
        ("eval('1')", "Python's insides"),
        ("import subprocess", "other programs"),
        ("Path('x').read_text()", "files"),
        ("import numpy as np\nnp.allclose = None", "changes a library"),
        ("sheet.solution('x')", "the solution"),
    ],
)
def test_what_stands_out_is_told_with_its_code(code: str, what: str) -> None:
    assert any(line.startswith(what) for line in touched([ast.parse(code)]))


@pytest.mark.parametrize("name", names())
def test_an_honest_notebook_touches_nothing(name: str) -> None:
    content = load(name)
    cells = [*notebooks.student(content)["cells"], *notebooks.solved(content)["cells"]]
    codes = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
    codes += [v.code for q in content.questions.values() for v in (*q.mistakes, *q.also_right)]
    assert touched([ast.parse(code) for code in codes]) == []


def test_a_class_is_told(tmp_path: Path) -> None:
    look = "from pe_lib.course.grading.sheet import load"
    for name, codes in (("ada", [OWN, CONVERT]), ("bob", [RENAMED, CONVERT]), ("eve", [look])):
        made = notebooks.student(SHEET)
        extra = {"cell_type": "code", "metadata": {}, "outputs": []}
        made["cells"] += [extra | {"source": code} for code in codes]
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(made), "utf-8")
    grades = grade_folder(tmp_path, tmp_path / "kept", Terms(SHEET), 2, io.StringIO())
    assert [grade.flags for grade in grades.values()] == [
        ("the same code as bob.ipynb: write_encoding, convert_order",),
        ("the same code as ada.ipynb: write_encoding, convert_order",),
        (f"the grading's insides: {look}",),
    ]
