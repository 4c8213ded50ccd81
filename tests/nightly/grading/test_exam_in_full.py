"""An exam from the commands: notebooks are made and graded, and a wheel is installed."""

import subprocess
import sys
from pathlib import Path

from test_exam import SHEET, class_of

from pe_lib.course.grading.exam import wheel


def test_the_commands_make_an_exam_and_grade_it(tmp_path: Path) -> None:
    class_ = class_of(tmp_path, "Ada Lovelace,1815", "Zoë Müller,zm/1", "Bob,77123")
    command = [sys.executable, "-m", "pe_lib.course.grading"]
    key, out = tmp_path / "key", tmp_path / "exam"
    words = ["--roster", str(class_.path), "--key", str(key)]
    subprocess.run([*command, "exam", "02", *words, "--out", str(out)], check=True)
    assert (key.stat().st_mode & 0o777 == 0o600) or sys.platform == "win32"
    grade = [*command, "grade", str(out / "notebooks"), "--sheet", "02"]
    grade += ["--out", str(tmp_path / "scores.csv")]
    ran = subprocess.run([*grade, *words], check=True, capture_output=True, text=True)
    assert "3 students, of 22 points: lowest 0, median 0, highest 0" in ran.stdout


def test_pip_takes_the_wheel(tmp_path: Path) -> None:
    path = tmp_path / wheel.file_name()
    path.write_bytes(wheel.wheel(SHEET))
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "-q"]
    subprocess.run([*install, "--target", str(tmp_path / "there"), str(path)], check=True)
    assert (tmp_path / "there" / "pe_lib" / "course" / "grading" / "__init__.py").exists()
