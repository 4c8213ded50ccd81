"""Check which message a learner gets for each type of answer."""

import contextlib
import io
import linecache
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from small import question

from pe_lib.course.grading.agreement import is_same_value
from pe_lib.course.grading.check import grade, judge, judge_all
from pe_lib.course.grading.difference import describe_case
from pe_lib.course.grading.outcome import Failure, attempt
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import SheetError, load
from pe_lib.course.grading.trivial import idle_answers
from pe_lib.course.grading.untouched import is_untouched


def grade_answer(name: str, answer: Any, seconds: float = 5) -> Result:
    exercise = question(name)
    return grade(exercise, {exercise.answer: answer}, 0, seconds)


X = question("double").given_numbers(0).x
N = question("row").given_numbers(0).n


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
    result = grade_answer(name, answer)
    assert (result.status, result.score) == ("right", question(name).total), result.hint


# test_answers.py tests the messages about relations between numbers
@pytest.mark.parametrize(
    ("name", "answer", "status", "message"),
    [
        ("double", X**2, "wrong", "You *squared* it, `x * x`."),
        ("double", "two", "wrong", "You gave a text."),
        ("double", "three", "wrong", "'three' is not a number"),
        ("double", float("nan"), "wrong", "`twice` contains NaN"),
        ("double", [1, [2]], "wrong", "The question asks for one number, and you gave 2."),
        ("double", print, "wrong", "`twice` should be a value, but it is a function."),
        ("double", ..., "open", "`twice` is still empty."),
        ("pick", "c", "wrong", "Answer with one of the letters a, b, in quotes."),
        ("row", 7, "wrong", "`row` should be a function, but it is an int."),
        ("row", print, "open", "`row` returns `None`."),
        ("row", lambda n: n.start, "wrong", "It can't work with `n.start`."),
        ("row", lambda n: n.begin, "wrong", "no attribute 'begin'"),  # another AttributeError
        ("row", lambda n: np.where(np.arange(n) == 2, 7, np.arange(n)), "wrong",
         f"Entry [2] of `small` is 7, but should be 2."
         f" In all, 1 of {N} entries is wrong. This was tried with n = {N}."),
        ("row", lambda n: np.arange(n) if n < 10 else 0, "partly",
         "The part `large` of your result has shape (), but should have ("),
        ("row", lambda n: None, "open", "It is still as you found it."),
        ("mend", lambda values: values[0], "open", "It is still as you found it."),
        ("mend", lambda numbers: numbers[0], "wrong",
         "In every case that was tried, it still does what"),
        ("mend", lambda values: 5, "wrong",
         "`total` is 5, but should be 6. This was tried with values = [1, 2, 3]."),
    ],
)  # fmt: skip
def test_what_is_said(name: str, answer: Any, status: str, message: str) -> None:
    result = grade_answer(name, answer)
    assert (result.status, result.score) == (status, float(status == "partly"))
    assert message in result.hint


def test_a_comma_before_three_digits_is_read_as_it_is_right() -> None:
    """Check that the message says so if an answer is right only with its commas as decimal commas.

    If the answer is wrong in both readings, the comma separates thousands, and the message says so.
    """
    text = f"{2 * X:.3f}".replace(".", ",")
    assert repr(grade_answer("double", text)).endswith(f"Read as {2 * X:.15g}.")
    wrong = grade_answer("double", f"{2 * X + 1:.3f}".replace(".", ","))
    assert wrong.status == "wrong"
    assert wrong.hint.startswith(f"Read as {1_000 * round(2 * X + 1, 3):.15g}. Your number is")
    assert "Read" not in grade_answer("double", f"{2 * X + 1:.3f}").hint


def test_a_mistake_in_a_whole_number_is_known_before_and_after_rounding() -> None:
    for answer in ([1.2, 3.9, 9], [1, 4, 9]):
        assert grade_answer("three", answer).mistake == "from_one"
    assert grade_answer("double", round(X * X)).mistake == "", "no whole number is asked for"


def test_an_error_names_the_learners_own_line() -> None:
    scope: dict[str, Any] = {}
    source = "def row(n):\n    values = list(range(n))\n    return values[n]\n"
    exec(compile(source, "<cell 3>", "exec"), scope)
    linecache.cache["<cell 3>"] = (len(source), None, source.splitlines(True), "<cell 3>")
    assert "in line 3: `return values[n]`" in grade(question("row"), scope).hint


def throw(error: type[BaseException]) -> Any:
    raise error


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, RecursionError])
def test_nothing_that_an_answer_raises_gets_out(error: type[BaseException]) -> None:
    assert grade_answer("row", lambda n: throw(error)).status == "wrong"


def test_a_special_case_of_the_error_asked_for_is_that_error() -> None:
    exercise = question("row", ("    return np.arange(n)\n", '    raise ValueError("never")\n'))
    own = type("OwnError", (ValueError,), {})
    for error, status in ((own, "right"), (UnicodeError, "right"), (Exception, "wrong")):
        outcome = attempt(exercise, {"row": lambda n, error=error: throw(error)})
        assert judge(exercise, outcome).status == status, error


def test_an_endless_loop_is_stopped_once() -> None:
    lengths = []

    def row(n: int) -> None:
        lengths.append(n)
        while True:
            pass

    assert "It ran for more than 0.3 seconds" in grade_answer("row", row, seconds=0.3).hint
    assert len(lengths) == 1, "the second part is not tried"


def test_an_answer_prints_and_warns_into_the_void_and_spoils_no_argument() -> None:
    def total(values: list[int]) -> int:
        print("hello")
        print("hello", file=sys.stderr)
        warnings.warn("hello", stacklevel=1)
        result = sum(values)
        values.clear()
        return result

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert [grade_answer("mend", total).status for _ in range(2)] == ["right", "right"]
    assert out.getvalue() + err.getvalue() == ""


# --- Functions, which are tested with several sets of numbers ---


def test_right_is_what_is_right_on_every_draw() -> None:
    exercise = question(
        "row",
        ("| level: 3", "| level: 3 | draws: 4"),
        ("given(rng):\n    return {\"n\": int(rng.integers(4, 8))",
         "given(rng, n):\n    return {\"n\": (4, 5, 6, 0)[n]"),
    )  # fmt: skip
    result = grade(exercise, {"row": lambda n: np.arange(n) if n in (4, 16) else np.zeros(n)})
    assert (result.status, result.score) == ("wrong", 0)
    assert result.hint.count(" This was tried with n = 5. It is right in 2 of 4 cases.")
    from_one = grade(exercise, {"row": lambda n: list(range(1, n + 1))})
    assert (from_one.status, from_one.mistake) == ("wrong", "from_one")


def test_seeds_are_judged_together() -> None:
    exercise = question("row")
    public, secret = (
        {exercise.given_numbers(seed, n).n for n in range(exercise.draws)} for seed in (0, 1)
    )
    assert secret - public, "else nothing is tried here"

    def grade_on_both_seeds(answer: Any) -> Result:
        return judge_all(
            exercise, {seed: attempt(exercise, {"row": answer}, seed) for seed in (0, 1)}
        )

    assert grade_on_both_seeds(np.arange).status == "right"
    assert grade_on_both_seeds(lambda n: np.arange(1, n + 1)).mistake == "from_one"
    memorised = grade_on_both_seeds(lambda n: np.arange(n) if n in public else np.arange(1, n + 1))
    assert (memorised.good, memorised.mistake) == ((), ""), "it is not the cause where it is right"


def test_a_solution_whose_value_cannot_be_judged_is_refused() -> None:
    """Check that a sheet is rejected if the value of a solution cannot be judged.

    Otherwise any answer with an unreadable value would count as right.
    """
    exercise = question("row", ("    return np.arange(n)\n", "    return [[1], [2, 3]]\n"))
    with pytest.raises(SheetError, match="99-small: row, small: the solution's value can't be"):
        grade(exercise, {"row": np.arange})
    first, second = Failure("unreadable", "It is a dict."), Failure("unreadable", "It is a list.")
    assert is_same_value(exercise, first, first) and not is_same_value(exercise, first, second)


# --- Answers that a learner can give without solving anything ---


def test_a_part_that_an_idle_function_gets_right_counts_with_another() -> None:
    right = "    return np.arange(n)\n"
    exercise = question("row", (right, "    return 0 if n < 10 else 2 * n\n"))
    assert idle_answers(exercise, 0) == {"`return 0`": {"small"}}
    idle = grade(exercise, {"row": lambda n: 0})
    assert (idle.score, idle.status) == (0, "wrong")
    assert idle.hint.startswith("`small` is right, but `return 0` gets it right as well")
    assert grade(exercise, {"row": lambda n: 2 * n}).good == ("large",)
    assert grade(exercise, {"row": lambda n: 0 if n < 10 else 2 * n}).score == 3
    repair = load("06").questions["repair_lookup"]
    assert idle_answers(repair, 0)["the program as you found it"] == {"inside"}
    assert idle_answers(repair, 0)["`raise ValueError`"] == {"beyond", "negative"}
    start, half = repair.run_answer(repair.starter), repair.run_answer(repair.solution.code)

    def beyond_alone(table: Any, positions: Any) -> Any:
        return (half if np.max(positions) >= len(table) else start)(table, positions)

    assert grade(repair, {repair.answer: beyond_alone}).good == ("inside", "beyond")


def test_a_function_is_untouched_if_its_code_and_its_defaults_are() -> None:
    start = "def total(values, n=0, *, m=1):\n    return (lambda x: x[0])(values)\n"
    for old, new, as_found in (("", "# a comment\n", True), ("x[0]", "x[1]", False),
                               ("n=0", "n=1", False), ("m=1", "m=2", False)):  # fmt: skip
        scope: dict[str, Any] = {}
        exec(start.replace(old, new, 1), scope)
        assert is_untouched("", start, scope) is as_found, new


def test_a_hint_names_the_case_that_was_tried_and_not_what_was_drawn() -> None:
    alibi = load("09").questions["alibi_bias"]
    assert alibi.given_numbers(0).heads != 8
    assert "heads = 8" in describe_case(alibi, "eight_heads").split(", ")
    assert f"heads = {alibi.given_numbers(0).heads}" in describe_case(alibi, "any_heads").split(
        ", "
    )
    emptied = question(
        "mend", ("return sum(values)", "out = sum(values)\n    del values[:]\n    return out")
    )
    assert describe_case(emptied, "answer") == "values = [1, 2, 3]", "as it was before the call"


@pytest.mark.parametrize(
    ("sheet", "name", "old", "new", "message"),
    [
        (
            "04",
            "weigh_pairs",
            "sigma / math",
            "sigma * math",
            "it has a product in place of a quotient",
        ),
        ("02", "write_encoding", "np.arange(0,", "np.arange(1,", "`1` in place of `0`"),
        ("05", "kernel_at", "np.cos", "np.arctan", ""),
        ("11", "noise_gap", "(2 * sigma * math.sqrt(2))", "2 * sigma * math.sqrt(2)", "brackets"),
        (
            "10",
            "scaled_frequencies",
            "method):\n",
            "method):\n    s //= 1\n",
            "it cuts `s` to a whole",
        ),
        (
            "12",
            "mla_cache",
            "t + given.turned)]",
            "t) + given.turned**0.5]",
            "it has two roots in place",
        ),
    ],
)
def test_one_slip_in_a_right_solution_is_told(
    sheet: str, name: str, old: str, new: str, message: str
) -> None:
    exercise = load(sheet).questions[name]
    assert old in exercise.solution.code
    answer = exercise.run_answer(exercise.solution.code.replace(old, new))
    result = grade(exercise, {exercise.answer: answer})
    assert (result.relation == "slip") == bool(message)
    assert message in result.hint


def test_a_whole_number_with_few_digits_is_no_evidence_of_a_slip() -> None:
    exercise = load("04").questions["two_clocks"]
    for position in (97, 320, 500):
        assert grade(exercise, {exercise.answer: position}).relation != "slip"
