"""python -m pe_lib.course.grading: what a teacher types."""

import csv
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load

SHEET = load("04")


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pe_lib.course.grading", *words],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_grades_and_says_how_the_class_did(tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    for number, make in enumerate((notebooks.solved, notebooks.student)):
        path = tmp_path / "class" / f"{number}.ipynb"
        path.write_text(json.dumps(make(SHEET)), "utf-8")
    out = tmp_path / "scores.csv"
    ran = command("grade", str(tmp_path / "class"), "--sheet", "04", "--out", str(out))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(f"2 students, of {SHEET.total:g} points: lowest 0")
    assert len(out.read_text("utf-8").splitlines()) == 3


def test_a_download_from_moodle_goes_back_to_moodle(tmp_path: Path) -> None:
    folder, marks = tmp_path / "download", tmp_path / "marks"
    for number, (name, make) in enumerate(
        {"Ada": notebooks.solved, "Bo": notebooks.student}.items()
    ):
        path = folder / f"{name} X_{number + 5}_assignsubmission_file" / "a.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(make(SHEET)), "utf-8")
    lines = ["Identifier,Full name,Grade,Maximum grade,Last modified (grade)"]
    lines += [f"Participant {n},{who} X,,10,-" for n, who in ((5, "Ada"), (6, "Bo"), (7, "Cy"))]
    (tmp_path / "worksheet.csv").write_text("\n".join(lines), "utf-8")
    marks.mkdir()
    ran = command("grade", str(folder), "--sheet", "04", "--out", str(marks / "scores.csv"),
                  "--roster", str(tmp_path / "worksheet.csv"))  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("2 students") and "1 on the roster without" in ran.stdout
    filled = (marks / "scores" / "moodle.csv").read_text("utf-8").splitlines()[1:]
    assert [line.split(",")[:3] for line in filled] == [
        ["Participant 5", "Ada X", "10"],
        ["Participant 6", "Bo X", "0"],
        ["Participant 7", "Cy X", ""],
    ]
    made = {path.name for path in (marks / "scores").iterdir()}
    assert made == {"class.html", "feedback", "feedback-for-moodle.zip", "moodle.csv",
                    "questions.csv"}  # fmt: skip


def test_another_table_is_not_written_over(tmp_path: Path) -> None:
    out = tmp_path / "scores.csv"
    out.write_text("name,mark\nAda,1\n")
    ran = command("grade", str(tmp_path), "--sheet", "04", "--out", str(out))
    assert (ran.returncode, "is another table" in ran.stderr) == (1, True)
    assert out.read_text() == "name,mark\nAda,1\n"


def test_the_command_writes_a_class_its_notebook_and_nothing_over_it(tmp_path: Path) -> None:
    words = ["notebook", "04", "--seed", "17", "--out", str(tmp_path / "class")]
    assert command(*words).returncode == 0
    made = json.loads((tmp_path / "class" / f"{SHEET.name}.ipynb").read_text("utf-8"))
    install = made["cells"].pop(1)
    assert made["cells"] == notebooks.student(SHEET, 17)["cells"]
    again = command(*words)
    assert (again.returncode, "is there already" in again.stderr) == (1, True)
    out = str(tmp_path / "scores.csv")
    command("grade", str(tmp_path / "class"), "--sheet", "04", "--seed", "17", "--out", out)
    with Path(out).open(newline="", encoding="utf-8-sig") as file:
        (row,) = csv.DictReader(file)
    assert (row["flags"], row["reason"]) == ("", "it is blank: no answer was begun")

    (wheel,) = (tmp_path / "class").glob("*.whl")
    assert f"%pip install -q ./{wheel.name}" in install["source"]
    with zipfile.ZipFile(wheel) as package:
        package.extractall(tmp_path / "installed")
    asked = "from pe_lib.course.grading import Sheet\nimport pe_lib\n"
    asked += "print(pe_lib.__path__[0], Sheet('04', 17).given('slow_sine'))"
    path = str(tmp_path / "installed")
    ran = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": path}, cwd=tmp_path,
    )  # fmt: skip
    assert ran.stdout.startswith(path)
    assert str(SHEET.questions["slow_sine"].given(17)) in ran.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["grade", "nowhere", "--sheet", "04"], "nowhere is not a folder"),
        (["grade", ".", "--sheet", "77"], "there is no sheet '77'"),
        (["grade", ".", "--sheet", "04", "--out", "scores"], "must end in .csv, got scores"),
        (["grade", ".", "--sheet", "04", "--roster", "no.csv"], "No such file or directory"),
    ],
)
def test_what_the_command_cannot_do_is_said_in_a_line(words: list[str], said: str) -> None:
    ran = command(*words)
    assert ran.returncode == 1
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr
