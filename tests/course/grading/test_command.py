"""python -m pe_lib.course.grading: what a teacher types."""

import json
import subprocess
import sys
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
    assert "2 students" in ran.stdout and "1 on the roster without" in ran.stdout
    filled = (marks / "scores" / "moodle.csv").read_text("utf-8").splitlines()[1:]
    assert [line.split(",")[2] for line in filled] == ["10", "0", ""]
    made = {path.name for path in (marks / "scores").iterdir()}
    assert made == {"class.html", "feedback", "feedback-for-moodle.zip", "moodle.csv",
                    "questions.csv"}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([".", "--sheet", "04", "--out", "scores"], "must end in .csv, got scores"),
        ([".", "--sheet", "04", "--out", "mine.csv"], "is another table"),
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
