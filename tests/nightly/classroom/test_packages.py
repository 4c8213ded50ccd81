"""Test that packages for other platforms grade correctly, and show students no solutions."""

import json
import subprocess
import sys
import types
import zipfile
from pathlib import Path
from typing import Any, cast

import nbformat
import pytest

from classroom.packages import gradescope, moodle, plain
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load, names

SEED, SECRETS = 7, (314_159, 271_828)
SHEET = load("02")  # a sheet whose questions ask for functions
WRITE = SHEET.questions["write_encoding"]


@pytest.mark.parametrize("name", names())
def test_students_get_neither_solutions_nor_mistakes(name: str) -> None:
    content = load(name)
    notebook = notebooks.make_student(content, SEED)
    nbformat.validate(notebook)
    everything = "\n".join(cell["source"] for cell in notebook["cells"])
    assert f'Sheet("{content.name}", seed={SEED})' in everything
    for question in content.questions.values():
        results = [question.solution.code, question.solution.text]
        results += [text for m in question.mistakes for text in (m.text, m.code)]
        assert not [text for text in results if text in everything]


@pytest.mark.parametrize("platform", [gradescope, moodle, plain])
def test_what_is_written_is_not_written_over(platform: types.ModuleType, tmp_path: Path) -> None:
    platform.write(load("04"), tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(FileExistsError):
        platform.write(load("04"), tmp_path)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_a_class_with_nothing_but_python_gets_a_notebook_and_a_wheel(tmp_path: Path) -> None:
    plain.write(SHEET, tmp_path, 17)
    plain.write(load("04"), tmp_path, 17)  # this call writes the same wheel again
    notebook = json.loads((tmp_path / f"{SHEET.name}.ipynb").read_text("utf-8"))
    [wheel] = tmp_path.glob("*.whl")
    assert f"%pip install -q ./{wheel.name}" in notebook["cells"].pop(1)["source"]
    assert notebook["cells"] == notebooks.make_student(SHEET, 17)["cells"]
    with zipfile.ZipFile(wheel) as package:
        assert f"pe_lib/course/grading/sheets/{SHEET.name}.md" in package.namelist()


def unpack(tmp_path: Path) -> Path:
    """Make a package for Gradescope, unpack it as Gradescope does, and return its folder."""
    gradescope.write(SHEET, tmp_path / "out", SEED, SECRETS)
    source = tmp_path / "source"
    with zipfile.ZipFile(tmp_path / "out" / "autograder.zip") as package:
        package.extractall(source)
    (tmp_path / "out" / "autograder.zip").unlink()
    for name in ("submission", "results"):
        (tmp_path / name).mkdir()
    return source


def run_autograder(source: Path) -> dict[str, Any]:
    """Run the grader in a package as the package's own script does, and return the results."""
    command = (source / "run_autograder").read_text("utf-8").split("bin/python ")[1]
    words = command.replace("\\\n", " ").replace("/autograder", str(source.parent)).split()
    subprocess.run([sys.executable, *words], cwd=source, check=True)
    results = source.parent / "results" / "results.json"
    return cast(dict[str, Any], json.loads(results.read_text("utf-8")))


def test_gradescope_runs_the_package_and_reads_points_and_hints(tmp_path: Path) -> None:
    """Check that a cell that never ends costs only the points for the answer in that cell."""
    source = unpack(tmp_path)
    student = (tmp_path / "out" / "student" / f"{SHEET.name}.ipynb").read_text("utf-8")
    assert not [secret for secret in SECRETS if str(secret) in student]
    assert (source / "setup.sh").exists() and "numpy" in (source / "requirements.txt").read_text()
    submitted = notebooks.make_solved(SHEET, SEED)
    cell = next(c for c in submitted["cells"] if c["source"].endswith(WRITE.solution.code))
    cell["source"] = "while True:\n    pass"
    (tmp_path / "submission" / "any name.ipynb").write_text(json.dumps(submitted), "utf-8")
    results = run_autograder(source)
    assert results["visibility"] == "after_published", "else a hint would tell a secret number"
    assert "ran for more than 10 seconds" in results["output"]
    lost = {t["name"]: t["output"] for t in results["tests"] if t["score"] < t["max_score"]}
    assert lost.keys() == {WRITE.title}
    assert sum(test["max_score"] for test in results["tests"]) == SHEET.total


SPY = r"""
import os

class FOUND(BaseException): pass

def search(path):
    try:
        with open(path, "rb") as file:
            if str(BACKWARDS)[::-1].encode() in file.read(10_000_000):
                raise FOUND(path)
    except OSError:
        pass

for folder, _, names in os.walk(ROOT):
    for name in names:
        if not name.endswith(".ipynb"):
            search(folder + "/" + name)
from classroom.packages import gradescope
config = vars(gradescope).get("config") or {}
if config:
    raise FOUND(config)
try:
    gradescope.main(ROOT + "/submission", ROOT + "/results/mine.json")
except Exception:
    pass
else:
    raise FOUND
for process in filter(str.isdigit, os.listdir("/proc")):
    try:
        command = open(f"/proc/{process}/cmdline").read()
        if "classroom.packages" not in command or int(process) == os.getpid():
            continue
        memory = open(f"/proc/{process}/mem", "rb")
    except OSError:
        continue
    raise FOUND(f"the memory of {command}")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Gradescope's machines run Linux")
def test_no_cell_finds_the_secrets_where_no_namespaces_can_be_made(tmp_path: Path) -> None:
    """Check that no cell finds the secret seeds, neither in files nor in the grader's memory."""
    source = unpack(tmp_path)
    starter = source / "classroom" / "running" / "fork_server.py"
    text, start = starter.read_text("utf-8"), "def leave_namespaces() -> None:\n"
    assert start in text
    starter.write_text(text.replace(start, f"{start}    raise OSError\n"), "utf-8")
    submitted = notebooks.make_solved(SHEET, SEED)
    spy = SPY.replace("BACKWARDS", str(SECRETS[0])[::-1]).replace("ROOT", repr(str(tmp_path)))
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": spy}
    submitted["cells"].append(cell)
    (tmp_path / "submission" / "spy.ipynb").write_text(json.dumps(submitted), "utf-8")
    results = run_autograder(source)
    assert results["output"] == "All cells ran.", "it found nothing, and was not stopped"
    assert sum(test["score"] for test in results["tests"]) == SHEET.total
