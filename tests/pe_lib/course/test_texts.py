"""What is said can be said in another language, and its places are filled there."""

from collections.abc import Iterator
from gettext import NullTranslations

import pytest

from pe_lib.course import explorers, texts
from tests.brackets import Brackets


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


@pytest.mark.parametrize("kind", explorers.kinds())
def test_a_caption_is_said(brackets: None, kind: str) -> None:
    caption = explorers.of_kind(kind)().caption()
    assert caption.startswith("⟦") and caption.endswith("⟧"), caption
