"""Test that each question names a section of a chapter to reread, and that the section exists."""

import json
import re
from functools import cache
from pathlib import Path

import pytest
from docutils.nodes import make_id

from classroom.marks import pages
from pe_lib.course.grading.sheet import load, names

CHAPTERS = Path(__file__).parents[2] / "chapters"


@cache
def prose(chapter: str) -> str:
    cells = json.loads((CHAPTERS / f"{chapter}.ipynb").read_text("utf-8"))["cells"]
    return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


@pytest.mark.parametrize("sheet", names())
def test_each_question_has_its_section_and_each_section_its_place(sheet: str) -> None:
    names_in_table = [
        q
        for headings in pages.SECTIONS.values()
        for questions in headings.values()
        for q in questions
    ]
    assert sorted(names_in_table) == sorted(q for name in names() for q in load(name).questions)
    for question in load(sheet).questions.values():
        section = pages.find_section(question)
        title = section["title"]
        assert re.search(rf"^##+ {re.escape(title)}$", prose(section["name"]), re.MULTILINE), title
        assert pages.anchor(title) == make_id(title)
