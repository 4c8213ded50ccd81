"""python -m pe_lib.course.grading: what a teacher types."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pe_lib.course.grading import __main__ as module
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load

SHEET = load("04")


def command(*words: str) -> subprocess.CompletedProcess[str]:
    words = (sys.executable, "-m", "pe_lib.course.grading", *words)
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_a_download_from_moodle_goes_back_to_moodle(tmp_path: Path) -> None:
    folder, marks = tmp_path / "download", tmp_path / "marks"
    for who, made in (("Ada X_5", notebooks.solved(SHEET)), ("Bo X_6", notebooks.student(SHEET))):
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
    assert ran.stdout.startswith(f"2 students, of {SHEET.total:g} points: lowest 0")
    assert "1 on the roster without" in ran.stdout
    filled = (marks / "scores" / "moodle.csv").read_text("utf-8").splitlines()[1:]
    assert [line.split(",")[2] for line in filled] == ["10", "0", ""]
    made = {path.name for path in (marks / "scores").iterdir()}
    assert made == {"class.html", "feedback", "feedback-for-moodle.zip", "moodle.csv",
                    "questions.csv"}  # fmt: skip


def test_a_class_gets_its_notebook_and_a_wheel_with_its_numbers(tmp_path: Path) -> None:
    words = ["notebook", "04", "--seed", "17", "--out", str(tmp_path / "class")]
    assert command(*words).returncode == 0
    made = json.loads((tmp_path / "class" / f"{SHEET.name}.ipynb").read_text("utf-8"))
    install = made["cells"].pop(1)
    assert made["cells"] == notebooks.student(SHEET, 17)["cells"]
    again = command(*words)
    assert (again.returncode, "is there already" in again.stderr) == (1, True)
    (wheel,) = (tmp_path / "class").glob("*.whl")
    assert f"%pip install -q ./{wheel.name}" in install["source"]
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as package:
        package.extractall(installed)
    asked = "from pe_lib.course.grading import Sheet\nimport pe_lib\n"
    asked += "print(pe_lib.__path__[0], Sheet('04', 17).given('slow_sine'))"
    ran = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, check=True,
        env=os.environ | {"PYTHONPATH": str(installed)}, cwd=tmp_path,
    )  # fmt: skip
    assert ran.stdout.decode().startswith(str(installed))
    assert str(SHEET.questions["slow_sine"].given(17)) in ran.stdout.decode()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere", "--sheet", "04"], "nowhere is not a folder"),
        ([".", "--sheet", "77"], "there is no sheet '77'"),
        ([".", "--sheet", "04", "--out", "scores"], "must end in .csv, got scores"),
        ([".", "--sheet", "04", "--out", "mine.csv"], "is another table"),
        ([".", "--sheet", "04", "--roster", "no.csv"], "No such file or directory"),
        ([".", "--sheet", "04", "--key", "key"], "needs --roster"),
    ],
)
def test_what_the_command_cannot_do_is_said_in_a_line(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("name,mark\nAda,1\n")
    (tmp_path / "key").write_text("a key that stays with the teacher")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["grading", "grade", *words])
    with pytest.raises(SystemExit) as end:
        module.main()
    assert said in str(end.value.code) and "\n" not in str(end.value.code)
    assert mine.read_text() == "name,mark\nAda,1\n", "another table is not written over"
