"""The case that a hint names is the one that was tried."""

import numpy as np
import pytest
from small import TEXT

from pe_lib.course.grading.case import _said, case
from pe_lib.course.grading.sheet import load, parse


def test_the_arguments_are_read_from_the_call_and_not_from_what_was_drawn() -> None:
    alibi, layout = (load("08").questions[name] for name in ("alibi_bias", "convert_layout"))
    assert alibi.given(0).heads != 8
    assert "heads = 8" in case(alibi, "eight_heads").split(", ")
    assert f"heads = {alibi.given(0).heads}" in case(alibi, "any_heads").split(", ")
    assert case(layout, "one_head").endswith("heads = 1")
    assert "back = 1" in case(load("05").questions["look_back"], "previous").split(", ")


def test_of_several_calls_that_is_said_which_is_the_same_in_all() -> None:
    text = TEXT.replace("def row(n):\n    return np", "def row(n, *, a=0):\n    return np")
    text = text.replace("lambda: row(given.n)", "lambda: row(given.n) + row(given.n, a=1)")
    text = text.replace("lambda: row(given.n ** 2)", "lambda: [row(3)[0], row(4)[0]]")
    asked = parse(text, "99").questions["row"]
    assert case(asked, "small") == f"n = {asked.given(0).n}"
    assert case(asked, "large") == ""


def test_an_argument_is_said_as_it_was_before_the_call() -> None:
    text = TEXT.replace(
        "    return sum(values)", "    out = sum(values)\n    del values[:]\n    return out"
    )
    assert case(parse(text, "99").questions["mend"], "answer") == "values = [1, 2, 3]"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (3, "x = 3"),
        (np.int64(12_345_678), "x = 12345678"),
        (1 / 3, "x = 0.333333"),
        (True, "x = True"),
        (None, "x = None"),
        ("ab", "x = 'ab'"),
        ({"a": 1}, "x = {'a': 1}"),
        ([2, 0, 1], "x = [2, 0, 1]"),
        (np.zeros(3), "x of shape (3,)"),
        (np.zeros((2, 3), int), "x of shape (2, 3)"),
        (range(20), "x of shape (20,)"),
        ([[1], [2, 3]], ""),
        (max, ""),
        ("a" * 99, ""),
    ],
)
def test_how_an_argument_is_said(value: object, said: str) -> None:
    assert _said("x", value) == said
