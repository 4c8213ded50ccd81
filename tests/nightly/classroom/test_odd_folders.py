"""Test that a folder with unusual files can be graded, and that Ctrl-C stops the grading."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_folder import SHEET, TERMS

from classroom.running.folder import grade_folder
from pe_lib.course.grading import notebooks

NO_FILE = "it is not a file but a folder, a link, a pipe or a device"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has neither such files nor names")


def test_each_odd_file_is_a_row(tmp_path: Path) -> None:
    solved = json.dumps(notebooks.make_solved(SHEET))
    (tmp_path / "folder.ipynb").mkdir()
    (tmp_path / "Ada.ipynb").mkdir()
    good = ["good.ipynb", "LOUD.IPYNB", "Ada.ipynb/good.ipynb"]
    for name in good:
        (tmp_path / name).write_text(solved, "utf-8")
    os.mkfifo(tmp_path / "pipe.ipynb")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "good.ipynb")
    with (tmp_path / "sparse.ipynb").open("wb") as file:
        file.truncate(6 * 2**30)
    # only Linux allows file names with bytes that are not valid UTF-8
    if sys.platform == "linux":
        good.append(os.fsdecode(b"caf\xe9.ipynb"))
        (tmp_path / good[-1]).write_text(solved, "utf-8")
    grades = grade_folder(tmp_path, TERMS, 2, io.StringIO())
    assert {name: grade.reason for name, grade in grades.items()} == dict.fromkeys(good, "") | {
        "folder.ipynb": NO_FILE,
        "link.ipynb": NO_FILE,
        "pipe.ipynb": NO_FILE,
        "sparse.ipynb": "it has 6,144.0 MB, and at most 32 MB are read; clear its outputs and"
        " save it again",
    }
    assert [grades[name].score for name in good] == [SHEET.total] * len(good)


def test_ctrl_c_ends_all_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    for number in range(4):
        notebook = notebooks.make_student(SHEET)
        notebook["cells"][1]["source"] += "\nimport time\ntime.sleep(60)"
        (folder / f"z{number}.ipynb").write_text(json.dumps(notebook), "utf-8")
    words = ["grade", str(folder), "--sheet", "04", "--seconds", "90", "--total", "90"]
    words += ["--jobs", "2", "--out", str(tmp_path / "scores.csv")]
    # tests in the background ignore Ctrl-C, and the new process would inherit this
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [sys.executable, "-m", "classroom", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    signal.signal(signal.SIGINT, before)
    assert process.stderr and "submission" in process.stderr.readline()
    time.sleep(5)
    # a terminal sends this signal, too, when Ctrl-C is pressed
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=40)
    assert stderr.splitlines()[-1] == "Stopped. Nothing was written."
    assert process.returncode == 1 and "Traceback" not in stderr
    assert [path.name for path in tmp_path.iterdir()] == ["class"]
