"""Otter and nbgrader themselves, where they are installed, give the marks that a sheet promises."""

import csv
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from test_packages import ROOT, SECRETS, SEED, WITH_FUNCTION, solutions, sources, submission

from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load

SHEET = load(WITH_FUNCTION)


def needs(module: str, package: str) -> pytest.MarkDecorator:
    reason = f"{package} is not installed: pip install {package}"
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=reason)


def python(folder: Path, *arguments: str) -> None:
    """Run a module of this Python in a folder, which is its home, too."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # for alembic
    home = {"HOME": str(folder), "PYTHONPATH": str(ROOT), "PATH": path}
    ended = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder, env=os.environ | home, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr


def submissions() -> dict[str, tuple[notebooks.Notebook, float]]:
    """Notebooks of all sorts with the points that they are worth."""
    solved, question = solutions(SHEET), SHEET.questions["write_encoding"]
    partly = question.solution.code.replace("np.cos(angle)\n", "0\n")
    endless = "def pe(k, d_model):\n    while True:\n        pass"
    wrong = next(m for m in question.mistakes if m.name == "double_step").code
    total, rest = SHEET.total, SHEET.total - question.total
    return {
        "solved": (submission(SHEET, **solved), total),
        "untouched": (submission(SHEET), 0),
        "mistake": (submission(SHEET, **solved | {question.name: wrong}), rest),
        "partly": (submission(SHEET, **solved | {question.name: partly}), rest + 1),
        "endless": (submission(SHEET, **solved | {question.name: endless}), rest),
    }


@needs("otter", "otter-grader")
def test_otter_gives_the_right_marks(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    options = ["--out", str(folder), "--seed", str(SEED), "--secret", str(SECRETS[0])]
    python(tmp_path, "pe_lib.course.grading", "otter", WITH_FUNCTION, *options)
    package = str(folder / "autograder" / "autograder.zip")
    for name, (notebook, points) in submissions().items():
        path = tmp_path / f"{name}.ipynb"
        nbformat.write(notebook, path)
        python(tmp_path, "otter", "run", "--no-logo", "-a", package, str(path))
        text = Path(tmp_path, "results.json").read_text("utf-8")
        tests = json.loads(text)["tests"]
        assert sum(test.get("score", 0) for test in tests) == points, name
        assert str(SECRETS[0]) not in text
        if name == "mistake":
            hint = SHEET.questions["write_encoding"].mistakes[0].text
            (test,) = [test for test in tests if "write_encoding" in test["name"]]
            assert hint in test["output"]


@needs("nbgrader", "nbgrader")
def test_nbgrader_gives_the_right_marks(tmp_path: Path) -> None:
    sheet, options = SHEET.name, ["--out", str(tmp_path), "--seed", str(SEED)]
    python(tmp_path, "pe_lib.course.grading", "nbgrader", sheet, *options)
    python(tmp_path, "nbgrader", "generate_assignment", sheet)
    release = (tmp_path / "release" / sheet / f"{sheet}.ipynb").read_text("utf-8")
    for name, (notebook, _) in submissions().items():
        handed = nbformat.reads(release, 4)
        answers = {cell["id"]: cell["source"] for cell in notebook["cells"]}
        assert name != "untouched" or "NotImplementedError" not in sources(handed)
        for cell in handed["cells"]:
            if cell["metadata"]["nbgrader"]["solution"]:
                cell["source"] = answers[cell["metadata"]["nbgrader"]["grade_id"]]
        path = tmp_path / "submitted" / name / sheet / f"{sheet}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(handed, path)
    python(tmp_path, "nbgrader", "autograde", sheet)
    python(tmp_path, "nbgrader", "export")
    with Path(tmp_path, "grades.csv").open(newline="") as file:
        marks = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert marks == {name: points for name, (_, points) in submissions().items()}
