"""Test that each chapter asks for every guess once, and later shows the result."""

import re
from pathlib import Path

import pytest

from pe_lib.course.predictions import MIME
from tools.notebooks import ROOT, read

CHAPTERS = sorted((ROOT / "chapters").glob("[0-9]*.ipynb"))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_each_guess_is_asked_for_once_and_answered_later(path: Path) -> None:
    cells, asked, answered = read(path).cells, {}, []
    for place, cell in enumerate(cells):
        for output in cell.get("outputs", []):
            if not (held := output.get("data", {}).get(MIME)):
                continue
            number = held["number"]
            if cell.source.startswith("predict("):
                assert "> **Predict.**" in cells[place - 1].source, f"{number} has no question"
                asked[number] = place, held
                continue
            # This raises KeyError if a question is answered before it is asked, or twice.
            start, question = asked.pop(number)
            assert place > start + 1, f"{number} is answered just after the question"
            if question["choices"]:
                assert held["said"] in question["choices"], number
            else:
                assert held["values"] and held["unit"] == question["unit"], number
            answered.append(number)
    assert not asked, "never answered"
    chapter = int(path.stem[:2])
    deeper = "D" if path.stem.endswith("-deeper") else ""
    assert sorted(answered) == sorted(f"{chapter}.{deeper}{n + 1}" for n in range(len(answered)))
    questions = sum(len(re.findall(r"^> \*\*Predict\.\*\*", c.source, re.MULTILINE)) for c in cells)
    assert questions == len(answered)
