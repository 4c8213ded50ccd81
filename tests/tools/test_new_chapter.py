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
    for folder in ("chapters", "pe_lib/course/grading/sheets", "tests/chapters"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(ROOT / "_toc.yml", tmp_path)
    shutil.copy(ROOT / "tests/chapters/cells.py", tmp_path / "tests/chapters")
    return tmp_path


def test_it_stands_after_the_last_chapter_and_before_the_appendices(course: Path) -> None:
    new_chapter("77-far-away", "Far away", course)
    lines = (course / "_toc.yml").read_text("utf-8").splitlines()
    place = lines.index("      - file: chapters/77-far-away")
    assert lines[place - 1].split("chapters/")[1][:2].isdigit()
    assert not any(re.search(r"chapters/\d", line) for line in lines[place + 1 :])
    lines.pop(place)
    assert lines == (ROOT / "_toc.yml").read_text("utf-8").splitlines()


def test_its_cells_run_and_its_test_passes(course: Path) -> None:
    notebook, questions, test = new_chapter("77-far-away", "Far away", course)
    cells = nbformat.read(notebook, 4).cells
    assert cells[0].source.startswith("# 77. Far away\n")
    assert [c.source.split("\n")[0] for c in cells if c.source.startswith("## ")] == [
        "## Predict first", "## By hand", "## The code, and the formula", "## Touch it", "## Why",
        "## What people get wrong", "## In practice", "## Check yourself", "## Further reading",
    ]  # fmt: skip
    assert [c.source.count(r"\tag{77.1}") for c in cells if "tag{" in c.source] == [1]
    names: dict[str, object] = {}
    with np.printoptions():  # a chapter sets some; other tests must not see them
        for cell in cells:
            if cell.cell_type == "code":
                exec(cell.source, names)
    (question,) = sheet.parse(questions.read_text("utf-8"), "77-far-away").questions.values()
    for seed in range(20):
        for variant, status in [(question.solution.code, "right"), (question.starter, "open"),
                                (question.mistakes[0].code, "wrong")]:  # fmt: skip
            answer = {question.answer: question.defined(variant, seed)}
            assert check.grade(question, answer, seed).status == status
    # the test as its author runs it, on the chapter that was just made
    (course / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "notebooks.py", course / "tools")
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
        ("eleven", "Eleven", "two digits and words"),
        ("77_Far", "Far", "two digits and words"),
        ("77-far", " ", "TITLE must say"),
        ("78-near", "Near", "There is a chapter 78 already: 78-here.ipynb"),
    ],
)
def test_what_does_not_fit_is_refused(course: Path, name: str, title: str, said: str) -> None:
    (course / "chapters" / "78-here.ipynb").write_text("mine", "utf-8")
    with pytest.raises(SystemExit, match=said):
        new_chapter(name, title, course)
    assert len(list(course.rglob("*.ipynb"))) == 1


def test_a_file_that_is_there_stays(course: Path) -> None:
    mine = course / "pe_lib" / "course" / "grading" / "sheets" / "77-far.md"
    mine.write_text("mine", "utf-8")
    with pytest.raises(SystemExit, match="nothing was written"):
        new_chapter("77-far", "Far", course)
    assert mine.read_text("utf-8") == "mine" and not list((course / "chapters").iterdir())
