"""A function is untouched if its code is, whatever it does."""

from collections.abc import Callable
from typing import Any

import pytest
from small import TEXT, question

from pe_lib.course.grading.check import grade
from pe_lib.course.grading.sheet import Question, parse
from pe_lib.course.grading.untouched import untouched

START = "def total(values):\n    return values[0]\n"
TWO = "def first(values):\n    return values[0]\n\n\ndef total(values):\n    return first(values)\n"


def made(code: str) -> dict[str, Any]:
    scope: dict[str, Any] = {}
    exec(code, scope)
    return scope


def as_found(question: Question, code: str) -> bool:
    return untouched(question.setup, question.starter, made(code))


@pytest.mark.parametrize(
    ("code", "is_untouched"),
    [
        (START, True),
        (START.replace("    return", "\n\n    # a comment\n    return"), True),
        (START.replace("values", "numbers"), False),
        (START.replace("0", "0 + 0 * len(values)"), False),
        (START.replace("0", "-3"), False),
        ("total = 3", False),
        ("import math\ntotal = math.sin", False),
        ("class total:\n    pass", False),
    ],
)
def test_of_one_function(code: str, is_untouched: bool) -> None:
    assert as_found(question("mend"), code) is is_untouched


def test_of_several_functions_each_counts() -> None:
    mend = parse(TEXT.replace(START, TWO), "99").questions["mend"]
    assert mend.answer == "total"
    assert as_found(mend, TWO)
    assert not as_found(mend, TWO.replace("values[0]", "sum(values)"))
    assert grade(mend, made(TWO.replace("values[0]", "sum(values)"))).status == "right"


@pytest.mark.parametrize("defaults", ["values, n=1", "values, n=0, *, m=2", "values, n=[0]"])
def test_a_default_counts(defaults: str) -> None:
    start = START.replace("values)", "values, n=0, *, m=1)", 1)
    mend = parse(TEXT.replace(START, start), "99").questions["mend"]
    assert as_found(mend, start)
    assert not as_found(mend, START.replace("values)", f"{defaults})", 1))


def test_a_function_inside_counts() -> None:
    start = "def total(values):\n    return (lambda x: x[0])(values)\n"
    mend = parse(TEXT.replace(START, start), "99").questions["mend"]
    assert as_found(mend, start)
    assert not as_found(mend, start.replace("x[0]", "sum(x)"))


@pytest.mark.parametrize("answer", [lambda values: values[-3], lambda values: next(iter(values))])
def test_a_repair_that_changes_nothing_is_told_so_and_earns_nothing(
    answer: Callable[..., Any],
) -> None:
    result = grade(question("mend"), {"total": answer})
    assert (result.status, result.score) == ("wrong", 0)
    assert result.hint.startswith("On every case tried it does what it did when you found it. ")
