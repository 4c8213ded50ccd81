"""The skeleton of a chapter: complete, runnable, and never over something that is there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest

from pe_lib.course.grading import check, sheet
from tools.new_chapter import new_chapter

ROOT = Path(__file__).parents[2]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """As much of a course as a new chapter meets."""
    for folder in ("chapters", "pe_lib/course/grading/sheets", "tests/chapters", "tools"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("_toc.yml", "tests/chapters/cells.py", "tools/notebooks.py"):
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def test_its_cells_run_and_its_test_passes(course: Path) -> None:
    notebook, questions, test = new_chapter("77-far-away", "Far away", course)
    before, after = (
        (course / "_toc.yml").read_text("utf-8").split("      - file: chapters/77-far-away\n")
    )
    assert before + after == (ROOT / "_toc.yml").read_text("utf-8")
    assert re.search(r"chapters/\d.+\n$", before) and not re.search(r"chapters/\d", after)
    cells = nbformat.read(notebook, 4).cells
    assert cells[0].source.startswith("# 77. Far away\n")
    names: dict[str, object] = {}
    with np.printoptions():  # a chapter sets some; other tests must not see them
        for cell in cells:
            if cell.cell_type == "code":
                exec(cell.source, names)
    (question,) = sheet.parse(questions.read_text("utf-8"), "77-far-away").questions.values()
    for code, status in [(question.solution.code, "right"), (question.starter, "open"),
                         (question.mistakes[0].code, "wrong")]:  # fmt: skip
        answer = {question.answer: question.defined(code, 3)}
        assert check.grade(question, answer, 3).status == status
    # the test as its author runs it, on the chapter that was just made
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, test],
        cwd=course,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(course), str(ROOT)])},
        check=True,
        capture_output=True,
    )


@pytest.mark.parametrize(
    ("name", "title", "said"),
    [
        ("77_Far", "Far", "two digits and words"),
        ("77-far", " ", "TITLE must say"),
        ("78-near", "Near", "There is a chapter 78 already: 78-here.ipynb"),
        ("79-far", "Far", "nothing was written"),
    ],
)
def test_what_does_not_fit_is_refused(course: Path, name: str, title: str, said: str) -> None:
    mine = [course / "chapters/78-here.ipynb", course / "pe_lib/course/grading/sheets/79-far.md"]
    for file in mine:
        file.write_text("mine", "utf-8")
    before = set(course.rglob("*"))
    with pytest.raises(SystemExit, match=said):
        new_chapter(name, title, course)
    assert set(course.rglob("*")) == before
    assert [file.read_text("utf-8") for file in mine] == ["mine", "mine"]
