"""QTI for Canvas: the quiz that text2qti reads, and the package that it makes.

Two sheets are tried here, and all of them in tests/nightly/grading.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree as Xml

import numpy as np
import pytest

from classroom.packages import moodle, qti, replies
from pe_lib.course.grading.outcome import known
from pe_lib.course.grading.sheet import Content, Question, load

SEEDS = range(moodle.DRAWS)
SPACE = {"": "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"}
# text2qti reads what begins a line: what goes on from the line before must be indented
SIGNS = ("Title: ", "1.  ", "... ", "-   ", "=   ", "*   ", "GROUP", "END_GROUP", "pick: ",
         "points per question: ", "Quiz title: ", "    ")  # fmt: skip


def asked(question: Question, seed: int, part: int = 0) -> str:
    return "\n".join(qti._question(question, seed, part))


def answers(question: Question) -> Iterator[tuple[int, int, float, str]]:
    """(seed, part, the right number, the question as text2qti reads it)"""
    for seed in SEEDS if question.given_code else [0]:
        [value] = known(question, seed)["solution"]["answer"]
        assert isinstance(value, np.ndarray)
        for part, number in enumerate(value.ravel().tolist()):
            yield seed, part, number, asked(question, seed, part)


def has_right_numbers_in_its_ranges(content: Content) -> None:
    """Canvas compares with four decimals, as text2qti writes them."""
    for question in moodle.without_code(content):
        if question.kind not in ("number", "numbers"):
            continue
        for seed, part, number, text in answers(question):
            bounds = re.findall(r"^=   \[(.+), (.+)\]$", text, re.MULTILINE)
            if not bounds:  # near 0, where Canvas takes none
                assert abs(number) < 1e-3, (question.name, seed)
                ways = {f"*   {number + 0.0:.{digits}f}" for digits in (2, 3, 4)}
                assert ways <= set(text.splitlines())
                continue
            [(low, high)] = bounds
            margin = question.tolerance * (1 + abs(number))
            assert float(low) <= number - margin + 1e-9 * abs(number), (question.name, seed)
            assert number + margin - 1e-9 * abs(number) <= float(high), (question.name, seed)
            assert float(high) - float(low) <= 2 * margin + 2.1e-4, (question.name, seed)
            assert part or question.kind == "number" or "Answer with number 1 of these" in text


def counts_its_points(content: Content, text: str) -> None:
    """Each question is drawn from its group."""
    expected = []
    for question in moodle.without_code(content):
        parts = len(replies.numbers(question)) if question.kind == "numbers" else 1
        drawn = len({question.asked(seed) for seed in SEEDS})
        expected += [(max(1, round(question.total / parts)), drawn)] * parts
    groups = text.split("GROUP\npick: 1\npoints per question: ")[1:]
    assert [(int(g.split("\n")[0]), g.count("\n1.  ")) for g in groups] == expected


def becomes_a_package(content: Content, text: str) -> None:
    with zipfile.ZipFile(io.BytesIO(qti.package(text))) as package:
        files = {name: package.read(name) for name in package.namelist()}
    assert "imsmanifest.xml" in files
    [name] = [name for name in files if name.count("text2qti_assessment") == 2]
    items = Xml.fromstring(files[name]).findall(".//item", SPACE)
    assert len(items) == text.count("\n1.  ")
    for item in items:
        body = "".join(item.find("presentation", SPACE).itertext())  # type: ignore[union-attr]
        assert not re.search(r"(?<!\\)\$", body), "a formula was not read"


def canvas_takes_it(content: Content) -> None:
    has_right_numbers_in_its_ranges(content)
    text = qti.quiz(content, SEEDS)
    counts_its_points(content, text)
    for line in text.splitlines():
        assert not line or line.startswith(SIGNS) or re.match(r"(\*\w\) |\w\)  )", line), line
        assert "$$" not in line
    becomes_a_package(content, text)


@pytest.mark.parametrize("number", ["02", "04"])
def test_canvas_takes_a_sheet(number: str) -> None:
    canvas_takes_it(load(number))


def test_a_text_that_looks_like_a_command_stays_text() -> None:
    question = load("04").questions["slow_sine"]
    odd = replace(question, prompt="One.\n\n= 7\n\n$$\nx\n  = 1\n$$")
    assert asked(odd, 0).splitlines()[1:6] == ["1.  One.", "", "    = 7", "", "    $x = 1$"]
