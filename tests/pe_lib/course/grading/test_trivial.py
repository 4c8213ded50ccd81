"""`return 0` earns nothing, in any part of any question."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from small import TEXT

from pe_lib.course.grading.check import grade
from pe_lib.course.grading.sheet import Question, load, names, parse
from pe_lib.course.grading.trivial import trivial

FUNCTIONS = [q for name in names() for q in load(name).questions.values() if q.kind == "code"]
VALUES: list[Any] = [0, 1, -1, 0.5, 7, None, True, [], {}, (), "", "a", [0], [[0.0]]]


def idle(question: Question) -> dict[str, Callable[..., Any]]:
    """Functions that return always the same, or one of their arguments."""

    def constant(value: Any) -> Callable[..., Any]:
        return lambda *arguments, **named: value

    def argument(name: str) -> Callable[..., Any]:
        return lambda *arguments, **named: signature.bind(*arguments, **named).arguments[name]

    signature = inspect.signature(question.defined(question.solution.code))
    found = {f"return {value!r}": constant(value) for value in VALUES}
    return found | {f"return {name}": argument(name) for name in signature.parameters}


@pytest.mark.parametrize("question", FUNCTIONS, ids=lambda q: f"{q.sheet[:2]}-{q.name}")
def test_an_idle_function_earns_nothing(question: Question) -> None:
    for seed in range(5):
        for words, answer in idle(question).items():
            result = grade(question, {question.answer: answer}, seed)
            assert result.score == 0, (words, seed, result.good)
            assert result.status in ("open", "wrong"), words


def small(right: str) -> Question:
    """`row` of the small sheet, with a solution of another kind."""
    text = TEXT.replace("    return np.arange(n)\n", f"    return {right}\n", 1)
    return parse(text, "99").questions["row"]


def test_a_part_that_an_idle_function_gets_right_counts_with_another() -> None:
    asked = small("0 if n < 10 else n")
    assert trivial(asked, 0) == {"small": "`return 0`", "large": "`return n`"}
    asked = small("0 if n < 10 else 2 * n")
    assert trivial(asked, 0) == {"small": "`return 0`"}
    nothing = grade(asked, {"row": lambda n: 0})
    assert (nothing.score, nothing.status) == (0, "wrong")
    assert nothing.hint.startswith(
        "`small` is right, as it is with `return 0`: it counts with another part. `large`: yours 0"
    )
    assert grade(asked, {"row": lambda n: 2 * n}).good == ("large",)
    assert grade(asked, {"row": lambda n: 0 if n < 10 else 2 * n}).score == 3


def test_what_the_start_does_already_counts_with_another_part() -> None:
    asked = load("06").questions["repair_lookup"]
    assert trivial(asked, 0) == {"inside": "the program as you found it"}
