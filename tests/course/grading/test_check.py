"""What a check says of each kind of answer."""

import contextlib
import io
import linecache
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from small import question

from pe_lib.course.grading.agreement import same
from pe_lib.course.grading.case import case
from pe_lib.course.grading.check import grade, judge, judge_all
from pe_lib.course.grading.outcome import Failure, attempt, packed, unpacked
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import SheetError, load
from pe_lib.course.grading.trivial import trivial
from pe_lib.course.grading.untouched import untouched


def checked(name: str, answer: Any, seconds: float = 5) -> Result:
    asked = question(name)
    return grade(asked, {asked.answer: answer}, 0, seconds)


X = question("double").given(0).x
N = question("row").given(0).n


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("double", 2 * X), ("double", [2 * X]), ("double", np.float32(2 * X)),
        ("double", np.array([[2 * X]])), ("double", complex(2 * X)),
        ("double", str(2 * X).replace(".", ",")), ("three", [[0], [1], [4]]),
        ("pick", "B"), ("pick", " b "),
        ("small_ones", {0, 1, 2}), ("small_ones", (2, 1, 0, 0)), ("small_ones", range(3)),
        ("row", lambda n: list(range(n))), ("row", lambda n: tuple(range(n))), ("row", range),
        ("row", lambda n: np.arange(n, dtype=np.float32)),
    ],
)  # fmt: skip
def test_an_answer_is_right_in_whatever_form(name: str, answer: Any) -> None:
    result = checked(name, answer)
    assert (result.status, result.score) == ("right", question(name).total), result.hint


@pytest.mark.parametrize(
    ("name", "answer", "status", "said"),
    [
        ("double", 1 + X, "wrong", "Yours is about 39 % too small."),
        ("double", -2 * X, "wrong", "Yours is right but for its sign."),
        ("double", 2 * X + 0.02, "wrong", "Yours is less than 1 % too large. Either something was"
         " rounded on the way, or the method is off by a little."),
        ("double", X**2, "wrong", "You *squared* it, `x * x`."),
        ("double", "two", "wrong", "You gave a text."),
        ("double", "three", "wrong",
         "`twice`: 'three' is no number. Write it like 137, -0.4889, 1/256 or 2.5e3."),
        ("double", float("nan"), "wrong", "`twice` has NaN in it."),
        ("double", 1j, "wrong", "It is complex numbers; real numbers are wanted."),
        ("double", [1, [2]], "wrong", "One number is wanted; you gave 2."),
        ("double", print, "wrong", "`twice` should be a value; it is a function."),
        ("double", ..., "open", "`twice` is still empty. Put your answer in place of `...`"),
        ("small_ones", [0, 1], "wrong", "Each of yours fits, but one more does, too."),
        ("small_ones", [], "wrong", "Yours is empty."),
        ("small_ones", [7], "wrong", "None of yours fits."),
        ("small_ones", [0, 1, 2, 7], "wrong", "All that fit are there, but 7 does not."),
        ("small_ones", [0, 1, 6, 7], "wrong",
         "Of yours, 2 fit; 6 and 1 more do not, and one is missing."),
        ("small_ones", [1, 2, 3], "wrong", "You started at 1."),
        ("three", [0, 1], "wrong",
         "3 numbers are wanted; you gave 2. They are among those wanted."),
        ("three", [0, 2, 4], "wrong",
         "2 of 3 are right. Number 2 is one too large. Look again at where counting begins."),
        ("three", [4, 1, 0], "wrong",
         "These are the right numbers, but numbers 1 and 3 have changed places."),
        ("pick", "a", "wrong", "The first is not it."),
        ("pick", "c", "wrong", "Choose one of a, b, as text in quotes."),
        ("pick", 1, "wrong", "Choose one of a, b, as text in quotes."),
        ("row", 7, "wrong", "`row` should be a function; it is an int."),
        ("mend", lambda values: values[0], "open", "It is as you found it."),
        ("mend", lambda numbers: numbers[0], "wrong",
         "On every case tried it does what it did when you found it. `total`: yours 1, expected 6."
         " Tried with values = [1, 2, 3]."),
        ("mend", lambda values: values[2], "wrong", "That is the last one."),
        ("mend", lambda values: 5, "wrong",
         "`total`: yours 5, expected 6. Tried with values = [1, 2, 3]."),
        ("row", lambda n: None, "open", "`row` returns `None`. Write its body, and end it with"
         " `return`."),
        ("double", np.zeros(2_000_000), "wrong",
         "It has 2,000,000 entries, which is far too many."),
        ("row", lambda n: np.where(np.arange(n) == 2, 7, np.arange(n)), "wrong",
         f"`small` at [2]: yours 7, expected 2. 1 of {N} entries differs. Tried with n = {N}."),
        ("row", lambda n: n.start, "wrong", "It can't work with `n.start`."),
    ],
)  # fmt: skip
def test_what_is_said(name: str, answer: Any, status: str, said: str) -> None:
    result = checked(name, answer)
    assert (result.status, result.hint) == (status, said)
    assert result.score == 0


def test_a_name_that_is_not_there_is_not_answered() -> None:
    result = grade(question("double"), {})
    assert (result.status, result.hint[:21]) == ("open", "`twice` does not exis")


def test_a_mistake_in_a_whole_number_is_known_before_and_after_rounding() -> None:
    for answer in ([1.2, 3.9, 9], [1, 4, 9]):
        assert checked("three", answer).mistake == "from_one"
    assert checked("double", round(X * X)).mistake == "", "no whole number is asked for"
    length = load("02").questions["length_of_encoding"]  # √(d/2), which is whole by chance, 8
    assert grade(length, {"norm": 8}).status == "right"
    assert [grade(length, {"norm": value}).mistake for value in (1, 1.3)] == ["unit", ""]


def test_part_of_it_right_gives_part_of_the_points() -> None:
    result = checked("row", lambda n: np.arange(n) if n < 10 else 0)
    assert (result.status, result.good, result.score) == ("partly", ("small",), 1)
    assert "`large` should have shape" in result.hint


def test_another_error_than_that_of_a_mistake_is_not_that_mistake() -> None:
    other = checked("row", lambda n: n.begin)  # an AttributeError as well
    assert other.mistake == "" and "no attribute 'begin'" in other.hint


def test_an_error_names_the_learners_own_line() -> None:
    scope: dict[str, Any] = {}
    source = "def row(n):\n    values = list(range(n))\n    return values[n]\n"
    exec(compile(source, "<cell 3>", "exec"), scope)
    linecache.cache["<cell 3>"] = (len(source), None, source.splitlines(True), "<cell 3>")
    assert grade(question("row"), scope).hint == (
        "`small`: It stopped with IndexError: list index out of range,"
        f" in line 3: `return values[n]`. Tried with n = {N}."
    )


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, RecursionError])
def test_nothing_that_an_answer_raises_gets_out(error: type[BaseException]) -> None:
    def row(n: int) -> None:
        raise error

    assert checked("row", row).status == "wrong"


def test_an_endless_loop_is_stopped_once() -> None:
    tried = []

    def row(n: int) -> None:
        tried.append(n)
        while True:
            pass

    assert "It ran for more than 0.3 seconds" in checked("row", row, seconds=0.3).hint
    assert len(tried) == 1, "the second part is not tried"


def test_an_answer_prints_and_warns_into_the_void() -> None:
    def row(n: int) -> Any:
        print("hello")
        print("hello", file=sys.stderr)
        warnings.warn("hello", stacklevel=1)
        return np.arange(n) + 0 * np.log(np.zeros(n)).clip(0)

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert checked("row", row).status == "right"
    assert out.getvalue() + err.getvalue() == ""


def test_an_answer_that_changes_its_arguments_spoils_nothing() -> None:
    def total(values: list[int]) -> int:
        result = sum(values)
        values.clear()
        return result

    for _ in range(2):
        assert checked("mend", total).status == "right"


# --- Between processes ---


@pytest.mark.parametrize(
    "data", [None, [], {}, {"answer": 3}, {"answer": {"failure": "x"}},
             {"answer": [{"shape": [2], "entries": [1]}]}, {"answer": [{"failure": "x"}]},
             {"answer": [{"shape": [1], "entries": ["x"]}]}, {"answer": ["x", "x"]}]
)  # fmt: skip
def test_what_is_no_outcome_is_refused(data: Any) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        unpacked(question("double"), data)


# --- On several cases ---


def test_right_is_what_is_right_on_every_draw() -> None:
    asked = question(
        "row",
        ("| level: 3", "| level: 3 | draws: 4"),
        ("given(rng):\n    return {\"n\": int(rng.integers(4, 8))",
         "given(rng, n):\n    return {\"n\": (4, 5, 6, 0)[n]"),
    )  # fmt: skip
    assert [asked.given(0, draw).n for draw in range(asked.draws)] == [4, 5, 6, 0]
    result = grade(asked, {"row": lambda n: np.arange(n) if n in (4, 16) else np.zeros(n)})
    assert (result.status, result.score) == ("wrong", 0)
    assert result.hint == (
        "`small` at [1]: yours 0, expected 1. 4 of 5 entries differ. All entries of yours are 0."
        " Tried with n = 5. Right on 2 of 4 cases."
    )
    from_one = grade(asked, {"row": lambda n: list(range(1, n + 1))})
    assert (from_one.status, from_one.mistake) == ("wrong", "from_one")
    once = grade(asked, {"row": lambda n: np.arange(n) + (n in (5, 25))})
    assert once.mistake == "" and once.hint.endswith("Right on 3 of 4 cases.")


def test_seeds_are_judged_together() -> None:
    asked = question("row")
    public, secret = ({asked.given(seed, n).n for n in range(asked.draws)} for seed in (0, 1))
    assert secret - public, "else nothing is tried here"

    def tried(answer: Any) -> Result:
        return judge_all(asked, {seed: attempt(asked, {"row": answer}, seed) for seed in (0, 1)})

    assert tried(np.arange).status == "right"
    assert tried(lambda n: np.arange(1, n + 1)).mistake == "from_one"
    learned = tried(lambda n: np.arange(n) if n in public else np.arange(1, n + 1))
    assert learned.mistake == "", "it is not the cause where it is right"
    assert learned.good == ()
    assert any(f"Tried with n = {n}. Right on " in learned.hint for n in secret - public)


class PickyError(ValueError):
    """As a learner defines one."""


def test_a_special_case_of_the_error_asked_for_is_that_error() -> None:
    asked = question("row", ("    return np.arange(n)\n", '    raise ValueError("never")\n'))

    def raising(error: type[Exception]) -> Callable[[int], Any]:
        def row(n: int) -> Any:
            raise error

        return row

    for error, status in ((ValueError, "right"), (PickyError, "right"), (UnicodeError, "right"),
                          (Exception, "wrong"), (TypeError, "wrong")):  # fmt: skip
        got = attempt(asked, {"row": raising(error)})
        assert judge(asked, got).status == status, error
        assert judge(asked, unpacked(asked, packed(got))).status == status, error


def test_a_solution_whose_value_cannot_be_judged_is_refused() -> None:
    """Else every other value that can't be read would be right."""
    asked = question("row", ("    return np.arange(n)\n", "    return [[1], [2, 3]]\n"))
    with pytest.raises(SheetError, match="99-small: row, small: the solution's value can't be"):
        grade(asked, {"row": np.arange})
    one, other = Failure("unreadable", "It is a dict."), Failure("unreadable", "It is a list.")
    assert same(asked, one, one) and not same(asked, one, other)


# --- What is no work of the learner's ---


def test_a_part_that_an_idle_function_gets_right_counts_with_another() -> None:
    right = "    return np.arange(n)\n"
    asked = question("row", (right, "    return 0 if n < 10 else n\n"))
    assert trivial(asked, 0) == {"small": "`return 0`", "large": "`return n`"}
    asked = question("row", (right, "    return 0 if n < 10 else 2 * n\n"))
    assert trivial(asked, 0) == {"small": "`return 0`"}
    nothing = grade(asked, {"row": lambda n: 0})
    assert (nothing.score, nothing.status) == (0, "wrong")
    assert nothing.hint.startswith(
        "`small` is right, as it is with `return 0`: it counts with another part. `large`: yours 0"
    )
    assert grade(asked, {"row": lambda n: 2 * n}).good == ("large",)
    assert grade(asked, {"row": lambda n: 0 if n < 10 else 2 * n}).score == 3
    repair = load("06").questions["repair_lookup"]
    assert trivial(repair, 0) == {"inside": "the program as you found it"}


START = "def total(values):\n    return values[0]\n"
TWO = "def first(values):\n    return values[0]\n\n\ndef total(values):\n    return first(values)\n"
INNER = "def total(values):\n    return (lambda x: x[0])(values)\n"
NAMED = START.replace("values)", "values, n=0, *, m=1)")


@pytest.mark.parametrize(
    ("start", "code", "as_found"),
    [
        *((start, start, True) for start in (START, TWO, INNER, NAMED)),
        (START, START.replace("    return", "\n\n    # a comment\n    return"), True),
        (START, START.replace("values", "numbers"), False),
        (START, START.replace("0", "0 + 0 * len(values)"), False),
        (START, "total = 3", False),
        (START, "import math\ntotal = math.sin", False),
        (START, "class total:\n    pass", False),
        (TWO, TWO.replace("values[0]", "sum(values)"), False),
        (INNER, INNER.replace("x[0]", "sum(x)"), False),
        *((NAMED, NAMED.replace("n=0, *, m=1", other), False)
          for other in ("n=1", "n=0, *, m=2", "n=[0]")),
    ],
)  # fmt: skip
def test_a_function_is_untouched_if_its_code_is(start: str, code: str, as_found: bool) -> None:
    scope: dict[str, Any] = {}
    exec(code, scope)
    assert untouched(question("mend").setup, start, scope) is as_found
    assert question("mend", (START, start)).answer == "total"


# --- The case that a hint names is the one that was tried ---


def test_the_arguments_are_read_from_the_call_and_not_from_what_was_drawn() -> None:
    alibi, layout = (load("08").questions[name] for name in ("alibi_bias", "convert_layout"))
    assert alibi.given(0).heads != 8
    assert "heads = 8" in case(alibi, "eight_heads").split(", ")
    assert f"heads = {alibi.given(0).heads}" in case(alibi, "any_heads").split(", ")
    assert case(layout, "one_head").endswith("heads = 1")
    emptied = question(
        "mend", ("return sum(values)", "out = sum(values)\n    del values[:]\n    return out")
    )
    assert case(emptied, "answer") == "values = [1, 2, 3]", "as it was before the call"
    twice = question("row", ("def row(n):\n    return np", "def row(n, *, a=0):\n    return np"),
                     ("row(given.n)", "row(given.n) + row(given.n, a=1)"),
                     ("row(given.n**2)", "[row(3)[0], row(4)[0]]"))  # fmt: skip
    assert case(twice, "small") == f"n = {N}", "which is the same in all calls"
    assert case(twice, "large") == ""
