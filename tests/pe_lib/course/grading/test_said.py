"""What a notebook says of an answer can be said in another language, and says the same in it."""

import re
from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path

import pytest
from answers import HERE, Entry, checked, entries
from small import CONTENT

from _ext.quiz import kept_as, on_page
from pe_lib.course import texts
from pe_lib.course.grading import Sheet
from pe_lib.course.grading.outcome import Failure, as_value
from pe_lib.course.grading.sheet import load
from tests.brackets import Brackets, outside

ENGLISH = "It is a dict; real numbers are wanted."
SAMPLE = [one for path in sorted(HERE.glob("*.md")) for one in entries(path.stem)[::9]]
_CODE = re.compile("`[^`]*`")  # and names of parts
_WORD = re.compile(r"[^\W\d_]{3,}")


@pytest.fixture(autouse=True)
def english_after() -> Iterator[None]:
    yield
    texts.use(NullTranslations())


@pytest.mark.parametrize("entry", SAMPLE, ids=lambda one: f"{one.sheet}-{one.question}-{one.title}")
def test_feedback_is_said_in_the_language_chosen(entry: Entry) -> None:
    english = checked(entry)
    told = repr(english)
    texts.use(Brackets())
    said = checked(entry)
    assert (said.status, said.mistake, said.relation) == (
        english.status,
        english.mistake,
        english.relation,
    )
    assert "⟦" in repr(said)
    assert re.sub("[⟦⟧]", "", repr(said)) == told, "English says the same"
    for text in (repr(said), *re.findall(r'aria-label="([^"]*)"', said._repr_html_())):
        assert not _WORD.findall(_CODE.sub("", outside(text))), text


def test_a_sheet_says_everything_in_the_language_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORDER_MATTERS_HOME", str(tmp_path))
    texts.use(Brackets())
    sheet, slow = Sheet("04"), load("04").questions["slow_sine"]
    for _ in range(2):
        sheet.check("slow_sine", {"slow_k": slow.defined(slow.mistakes[0].code)})
    said = [repr(sheet.hint("slow_sine")) for _ in range(len(slow.hints) + 1)]
    said += [repr(sheet.solution("slow_sine")).split("```")[0], repr(sheet.progress())]
    said += re.sub("<[^>]*>", "\n", sheet.progress()._repr_html_()).split("\n")
    said += [repr(sheet.again("slow_sine")).split("\n\n")[-1], repr(sheet.again("enough"))]
    for text in said:
        assert not _WORD.findall(_CODE.sub("", outside(text))), text


def test_an_outcome_is_english_until_it_is_shown() -> None:
    texts.use(Brackets())
    problem = as_value({"a": 1})
    assert isinstance(problem, Failure) and problem == Failure("unreadable", ENGLISH)
    assert texts.say(problem.text) == "⟦It is ⟦a dict⟧; real numbers are wanted.⟧"


KEYS = ["double 2b89f51a", "small_ones adb832ce", "three c1e28698", "pick 12487535"]


@pytest.mark.parametrize("language", [NullTranslations(), Brackets()])
def test_a_key_is_what_it_was(language: NullTranslations) -> None:
    """Else a reader's browser has answers to questions that nobody asks."""
    texts.use(language)
    assert [kept_as(question) for question in on_page(CONTENT)] == [f"99-small {k}" for k in KEYS]
