"""Check what learners are told after a right answer, and that a run leads from easy to hard."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from pe_lib.course.grading import Sheet, __main__, progress
from pe_lib.course.grading.afterwards import find_afterwards
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.run import next_question, run_order
from pe_lib.course.grading.sheet import Question, load, names

QUESTIONS = [question for name in names() for question in load(name).questions.values()]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDER_MATTERS_HOME", str(tmp_path))
    monkeypatch.setattr(progress, "_unsaved", [])


def solve(question: Question) -> None:
    progress.record(Result(question, "right", good=tuple(question.points)), 0)


# --- The texts ---


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: f"{q.sheet[:2]}-{q.name}")
def test_each_question_has_texts_in_whole_sentences(question: Question) -> None:
    texts = find_afterwards(question)
    assert texts
    assert re.fullmatch(r"(What|How) (?:[^.?]|\.\d)*\?", texts.what_if)
    for text in filter(None, (texts.why, texts.then, texts.shorter)):
        assert re.fullmatch(r"[A-Z`*0].*[.`]\.?", text) and text.endswith("."), text
        assert text.count("`") % 2 == 0 and "$" not in text and "\\" not in text, text


def test_a_right_answer_in_a_notebook_says_why_and_what_is_next() -> None:
    sheet = Sheet("04")
    result = sheet.check("enough", {"dimension": "c"})
    texts = find_afterwards(load("04").questions["enough"])
    assert texts
    first, why, what_if, then, onward = repr(result).split("\n")
    assert first == "✓ Right: 1 of 1 point." and why == f"Why? {texts.why}"
    assert (what_if, then) == (texts.what_if, texts.then)
    assert onward == "Next: One value of the slowest sine, `slow_sine`."
    page = result._repr_html_()
    assert f"<details><summary>{texts.what_if}</summary>{texts.then}</details>" in page
    for question in load("04").questions.values():
        solve(question)
    assert "grading next" in repr(sheet.check("enough", {"dimension": "c"}))


def test_nothing_follows_a_wrong_answer_and_solutions_stay_as_they_are() -> None:
    wrong = repr(Sheet("04").check("enough", {"dimension": "a"}))
    assert "Why?" not in wrong and "Next:" not in wrong
    solved = Sheet("04", keep=False).check("enough", {"dimension": "c"})
    assert repr(solved) == "✓ Right: 1 of 1 point."


# --- A run through all sheets ---


def test_a_run_asks_everything_once_mixes_the_sheets_and_becomes_harder() -> None:
    order = run_order()
    assert sorted(map(repr, order)) == sorted(map(repr, QUESTIONS))
    for place, (one, other) in enumerate(pairwise(order)):
        rest = {question.sheet for question in order[place + 1 :]}
        assert one.sheet != other.sheet or rest == {one.sheet}
    half = len(order) // 2
    mean = lambda part: sum(question.level for question in part) / len(part)  # noqa: E731
    assert mean(order[:half]) + 0.5 < mean(order[half:])
    for name in names():
        levels = [question.level for question in order if question.sheet == name]
        assert levels == sorted(levels), name


def test_the_next_question_is_the_first_that_is_not_solved() -> None:
    first, second, third = run_order()[:3]
    assert next_question() is first
    solve(first)
    assert next_question() is second
    assert next_question([second]) is third
    for question in run_order()[2:]:
        solve(question)
    assert next_question([second]) is second
    solve(second)
    assert next_question() is None


def test_the_terminal_asks_judges_and_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    first = run_order()[0]
    right = " ".join(map(str, first.run_answer(first.solution.code)))
    typed = iter(["1 2", "hint", right, "", "skip", "stop"])
    __main__.run(lambda _: next(typed))
    said = capsys.readouterr().out
    assert said.index("✗ Not yet") < said.index(first.hints[0]) < said.index("✓ Right")
    assert "Type hint for a step towards it." in said and "sheet.hint" not in said
    assert "Why? " in said and run_order()[1].title in said and run_order()[2].title in said
    assert next_question() is run_order()[1]


def test_without_a_terminal_only_the_next_question_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    __main__.main(["next"])
    assert run_order()[0].title in capsys.readouterr().out
    for question in run_order():
        solve(question)
    __main__.main(["next"])
    assert capsys.readouterr().out == f"{__main__.DONE}\n"
