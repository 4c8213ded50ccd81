"""What is said can be said in another language, and its places are filled there."""

import json
import subprocess
from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path
from typing import Any

import pytest

from pe_lib.course import explorers, texts
from pe_lib.course.explorers._base import MIME
from tests.brackets import Brackets

CHAPTERS = Path(__file__).parents[3] / "chapters"


@pytest.fixture
def brackets() -> Iterator[None]:
    texts.use(Brackets())
    yield
    texts.use(NullTranslations())


def test_places_are_filled_in_the_language(brackets: None) -> None:
    assert texts.say("{a} of {b}", a=1, b=2) == "⟦1 of 2⟧"
    assert texts.say("{a} of {b}", a="{b}", b=2) == "⟦{b} of 2⟧", "a value is no sentence"
    assert texts.many("{n} point", "{n} points", 2) == "⟦2 points⟧"
    some = texts.mark("{a} of {b}", b=texts.mark("all"))
    assert (some, texts.say(some, a=1)) == ("{a} of all", "⟦1 of ⟦all⟧⟧")
    assert texts.say("") == "", "gettext would answer with the head of the catalogue"


SAID = ["1,000", "31,415,926", "1, 200", "0.3,4", "12,34"]


def test_a_comma_within_a_number_is_no_decimal_point() -> None:
    """In Python and in scripts alike; a list of numbers keeps its commas."""
    texts.use(NullTranslations(), comma="")
    try:
        found = [texts.say("{n}", n=number) for number in SAID]
    finally:
        texts.use(NullTranslations())
    assert found == ["1000", "31415926", "1, 200", "0.3,4", "12,34"]
    assert [texts.say("{n}", n=number) for number in SAID] == SAID
    script = (
        f"const said = () => {json.dumps(SAID)}.map((n) => say('{{n}}', {{ n }}));"
        "const english = said(); globalThis.omComma = '';"
        "console.log(JSON.stringify([english, said()]))"
    )
    out = subprocess.check_output(["node", "-e", texts.script() + script], text=True)
    assert json.loads(out) == [SAID, found]


def shown() -> Iterator[tuple[str, dict[str, Any]]]:
    """The kind and the state of each explorer in the chapters."""
    for path in sorted(CHAPTERS.glob("*.ipynb")):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            for output in cell.get("outputs", ()):
                if told := output.get("data", {}).get(MIME):
                    yield told["kind"], told["state"]


@pytest.mark.parametrize("kind", explorers.kinds())
def test_a_caption_is_said(brackets: None, kind: str) -> None:
    """As a chapter shows it, and in each state of its stories."""
    made = explorers.of_kind(kind)
    starts = [state for one, state in shown() if one == kind]
    assert starts
    for start in starts:
        story = made.stories.get(start["story"])
        for state in [start, *(state for _, state in story.states(start))] if story else [start]:
            caption = made(**state).caption()
            assert caption.startswith("⟦") and caption.endswith("⟧"), caption
