"""What a class gets for the system that it works in: no solutions, and the same points."""

import json
import subprocess
import sys
import types
import zipfile
from pathlib import Path

import nbformat
import pytest

from classroom.packages import gradescope, moodle, plain
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load, names

SEED, SECRETS = 7, (314_159, 271_828)
SHEET = load("02")  # with functions
WRITE = SHEET.questions["write_encoding"]


@pytest.mark.parametrize("name", names())
def test_students_get_neither_solutions_nor_mistakes(name: str) -> None:
    content = load(name)
    notebook = notebooks.make_student(content, SEED)
    nbformat.validate(notebook)
    everything = "\n".join(cell["source"] for cell in notebook["cells"])
    assert f'Sheet("{content.name}", seed={SEED})' in everything
    for question in content.questions.values():
        told = [question.solution.code, question.solution.text]
        told += [text for m in question.mistakes for text in (m.text, m.code)]
        assert not [text for text in told if text in everything]


@pytest.mark.parametrize("platform", [gradescope, moodle, plain])
def test_what_is_written_is_not_written_over(platform: types.ModuleType, tmp_path: Path) -> None:
    platform.write(load("04"), tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(FileExistsError):
        platform.write(load("04"), tmp_path)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_a_class_with_nothing_but_python_gets_a_notebook_and_a_wheel(tmp_path: Path) -> None:
    plain.write(SHEET, tmp_path, 17)
    plain.write(load("04"), tmp_path, 17)  # with the same wheel
    made = json.loads((tmp_path / f"{SHEET.name}.ipynb").read_text("utf-8"))
    [wheel] = tmp_path.glob("*.whl")
    assert f"%pip install -q ./{wheel.name}" in made["cells"].pop(1)["source"]
    assert made["cells"] == notebooks.make_student(SHEET, 17)["cells"]
    with zipfile.ZipFile(wheel) as package:
        assert f"pe_lib/course/grading/sheets/{SHEET.name}.md" in package.namelist()


def test_gradescope_runs_the_package_and_reads_points_and_hints(tmp_path: Path) -> None:
    """As its run_autograder does; an endless cell costs its own points."""
    gradescope.write(SHEET, tmp_path / "out", SEED, SECRETS)
    student = (tmp_path / "out" / "student" / f"{SHEET.name}.ipynb").read_text("utf-8")
    assert not [secret for secret in SECRETS if str(secret) in student]
    source, handed = tmp_path / "source", tmp_path / "submission"
    handed.mkdir()
    with zipfile.ZipFile(tmp_path / "out" / "autograder.zip") as package:
        package.extractall(source)
    assert (source / "setup.sh").exists() and "numpy" in (source / "requirements.txt").read_text()
    submitted = notebooks.make_solved(SHEET, SEED)
    cell = next(c for c in submitted["cells"] if c["source"].endswith(WRITE.solution.code))
    cell["source"] = "while True:\n    pass"
    (handed / "any name.ipynb").write_text(json.dumps(submitted), "utf-8")
    command = (source / "run_autograder").read_text("utf-8").split("bin/python ")[1]
    words = command.replace("\\\n", " ").replace("/autograder", str(tmp_path)).split()
    (tmp_path / "results").mkdir()
    subprocess.run([sys.executable, *words], cwd=source, check=True)
    told = json.loads((tmp_path / "results" / "results.json").read_text("utf-8"))
    assert told["visibility"] == "after_published", "else a hint would tell a secret number"
    assert "ran for more than 10 seconds" in told["output"]
    lost = {t["name"]: t["output"] for t in told["tests"] if t["score"] < t["max_score"]}
    assert lost.keys() == {WRITE.title}
    assert sum(test["max_score"] for test in told["tests"]) == SHEET.total
