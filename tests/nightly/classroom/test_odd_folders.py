"""A class in a folder of every kind of file, and a teacher who stops in the middle."""

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

NO_FILE = "it is no file but a folder, a link, a pipe or a device"
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
    if sys.platform == "linux":  # other systems refuse such a name
        good.append(os.fsdecode(b"caf\xe9.ipynb"))
        (tmp_path / good[-1]).write_text(solved, "utf-8")
    grades = grade_folder(tmp_path, TERMS, 2, io.StringIO())
    assert {name: grade.reason for name, grade in grades.items()} == dict.fromkeys(good, "") | {
        "folder.ipynb": NO_FILE,
        "link.ipynb": NO_FILE,
        "pipe.ipynb": NO_FILE,
        "sparse.ipynb": "it has 6,144 MB, and 32 is most",
    }
    assert [grades[name].score for name in good] == [SHEET.total] * len(good)


def test_ctrl_c_ends_all_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    for number in range(4):
        made = notebooks.make_student(SHEET)
        made["cells"][1]["source"] += "\nimport time\ntime.sleep(60)"
        (folder / f"z{number}.ipynb").write_text(json.dumps(made), "utf-8")
    words = ["grade", str(folder), "--sheet", "04", "--seconds", "90", "--total", "90"]
    words += ["--jobs", "2", "--out", str(tmp_path / "scores.csv")]
    # whoever runs the tests in the background may be deaf to it, and what they start is, too
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [sys.executable, "-m", "classroom", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    signal.signal(signal.SIGINT, before)
    assert process.stderr and "submission" in process.stderr.readline()
    time.sleep(5)
    os.killpg(process.pid, signal.SIGINT)  # as the terminal does
    _, said = process.communicate(timeout=40)
    assert said.splitlines()[-1] == "Stopped. Nothing was written."
    assert process.returncode == 1 and "Traceback" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["class"]
