"""A class in a folder of every kind of file, and a teacher who stops in the middle."""

import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_folder import SHEET, TERMS, class_of, read

from pe_lib.course.grading import notebooks
from pe_lib.course.grading.marks import table
from pe_lib.course.grading.marks.students import students
from pe_lib.course.grading.running.folder import grade_folder
from pe_lib.course.grading.running.terms import Terms


@pytest.mark.skipif(os.name == "nt", reason="Windows has neither such files nor such names")
def test_each_odd_file_is_a_row(tmp_path: Path) -> None:
    solved = json.dumps(notebooks.solved(SHEET))
    (tmp_path / "good.ipynb").write_text(solved, "utf-8")
    os.mkfifo(tmp_path / "pipe.ipynb")
    (tmp_path / "folder.ipynb").mkdir()
    (tmp_path / "Ada.ipynb").mkdir()
    (tmp_path / "Ada.ipynb" / "good.ipynb").write_text(solved, "utf-8")
    with (tmp_path / "sparse.ipynb").open("wb") as file:
        file.truncate(6 * 2**30)
    (tmp_path / "locked.ipynb").write_text(solved, "utf-8")
    (tmp_path / "locked.ipynb").chmod(0)
    (tmp_path / "empty.ipynb").touch()
    (tmp_path / "LOUD.IPYNB").write_text(solved, "utf-8")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "good.ipynb")
    wanted = {
        "Ada.ipynb/good.ipynb": "",
        "empty.ipynb": "it is",
        "folder.ipynb": "it is a folder",
        "good.ipynb": "",
        "LOUD.IPYNB": "",
        "link.ipynb": "it is a link, and links are not followed",
        "locked.ipynb": "it can't be read: Permission denied" if os.geteuid() else "",
        "pipe.ipynb": "it is a pipe or a device",
        "sparse.ipynb": "it has 6,144 MB, and 32 is most",
    }
    if sys.platform == "linux":  # other systems refuse such a name, or so long a path to a socket
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.ipynb")).write_text(solved, "utf-8")
        (tmp_path / "caf\\xe9.ipynb").write_text(solved, "utf-8")  # which reads like the other
        wanted |= {"caf\\xe9.ipynb": "", "caf\\xe9.ipynb'": ""}
        here = Path.cwd()
        os.chdir(tmp_path)
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind("socket.ipynb")
        os.chdir(here)
        wanted["socket.ipynb"] = "it is a socket"
    grades = grade_folder(tmp_path, tmp_path / "kept.jsonl", TERMS, 2, io.StringIO())
    reasons = {name: grade.reason for name, grade in grades.items()}
    assert reasons.pop("empty.ipynb").startswith(wanted.pop("empty.ipynb"))
    assert reasons == wanted
    points = {name: SHEET.total if reason == "" else 0 for name, reason in wanted.items()}
    assert {name: grades[name].score for name in wanted} == points
    marks = table.marks(students(grades), grades)
    rows = table.write(tmp_path / "scores.csv", marks, TERMS)
    assert len(read(tmp_path / "scores.csv")) == len(rows) == len(grades)


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent in another way there")
def test_ctrl_c_answers_at_once_and_keeps_what_was_graded(tmp_path: Path) -> None:
    folder, kept = tmp_path / "class", tmp_path / "scores.kept.jsonl"
    class_of(folder, 4)
    for number in range(4):
        made = notebooks.student(SHEET)
        made["cells"][1]["source"] += "\nimport time\ntime.sleep(60)"
        (folder / f"z{number}.ipynb").write_text(json.dumps(made), "utf-8")
    words = ["grade", str(folder), "--sheet", "04", "--seconds", "90", "--total", "90"]
    words += ["--jobs", "2", "--out", str(tmp_path / "scores.csv")]
    # whoever runs the tests in the background may be deaf to it, and what they start is, too
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [sys.executable, "-m", "pe_lib.course.grading", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    signal.signal(signal.SIGINT, before)
    end = time.monotonic() + 60
    while not (kept.exists() and kept.read_text("utf-8").count("\n") == 4):
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(0.5)  # into the sleep of the next two
    start = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)  # as the terminal does
    _, said = process.communicate(timeout=20)
    assert time.monotonic() - start < 2
    assert (process.returncode, said.splitlines()[-1]) == (
        1,
        "Stopped. The same command goes on where this one was.",
    )
    assert "Traceback" not in said
    for path in folder.glob("z*"):
        path.unlink()
    heard = io.StringIO()
    terms = Terms(SHEET, seconds=90, total=90)
    grades = grade_folder(folder, kept, terms, 2, heard)
    assert heard.getvalue() == "4 of 4 are graded already.\n"
    assert sum(grade.score for grade in grades.values()) == 2 * SHEET.total
