"""What a check says of each kind of answer."""

import contextlib
import dataclasses
import io
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from small import TEXT, question

from pe_lib.course.grading.agreement import same
from pe_lib.course.grading.check import grade, judge, judge_all
from pe_lib.course.grading.outcome import Failure, attempt, packed, unpacked
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Question, SheetError, load, parse


def checked(name: str, answer: Any, seconds: float = 5) -> Result:
    asked = question(name)
    return grade(asked, {asked.answer: answer}, 0, seconds)


def row_of(change: Callable[[Any], Any]) -> Result:
    return checked("row", lambda n: change(np.arange(n)))


X = question("double").given(0).x


@pytest.mark.parametrize(
    "answer",
    [2 * X, [2 * X], np.float32(2 * X), np.array(2 * X), np.array([[2 * X]]), complex(2 * X)],
)
def test_a_number_is_right_in_whatever_form(answer: Any) -> None:
    assert checked("double", answer).status == "right"


@pytest.mark.parametrize(
    "change",
    [
        list,
        tuple,
        lambda r: r.astype(np.float32),
        lambda r: list(map(int, r)),
        lambda r: range(len(r)),
    ],
)
def test_an_array_is_right_in_whatever_form(change: Callable[[Any], Any]) -> None:
    assert row_of(change).status == "right"


@pytest.mark.parametrize(
    "answer", [{0, 1, 2}, [2, 1, 0], (0, 1, 2, 2), np.array([1.0, 0, 2]), range(3)]
)
def test_a_set_is_right_in_any_order(answer: Any) -> None:
    assert checked("small_ones", answer).status == "right"


@pytest.mark.parametrize(
    ("name", "answer", "status", "said"),
    [
        ("double", 1 + X, "wrong", "Yours is about 39 % too small."),
        ("double", -2 * X, "wrong", "Yours is right but for its sign."),
        ("double", 2 * X + 0.02, "wrong", "Yours is less than 1 % too large. Either something was"
         " rounded on the way, or the method is off by a little."),
        ("double", str(2 * X).replace(".", ","), "right", ""),
        ("double", X**2, "wrong", "You *squared* it, `x * x`."),
        ("double", "two", "wrong", "You gave a text."),
        ("double", "three", "wrong",
         "`twice`: 'three' is no number. Write it like 137, -0.4889, 1/256 or 2.5e3."),
        ("double", float("nan"), "wrong", "`twice` has NaN in it."),
        ("double", float("inf"), "wrong", "`twice` has infinity in it."),
        ("double", 1j, "wrong", "It is complex numbers; real numbers are wanted."),
        ("double", object(), "wrong", "It is an object; real numbers are wanted."),
        ("double", [1, [2]], "wrong", "One number is wanted; you gave 2."),
        ("double", print, "wrong", "`twice` should be a value; it is a function."),
        ("double", ..., "open", "`twice` is still empty. Put your answer in place of `...`"),
        ("double", None, "open", "`twice` is still empty. Put your answer in place of `...`"),
        ("small_ones", [0, 1], "wrong", "Each of yours fits, but one more does, too."),
        ("small_ones", [], "wrong", "Yours is empty."),
        ("small_ones", [7], "wrong", "None of yours fits."),
        ("small_ones", [0, 1, 2, 7], "wrong", "All that fit are there, but 7 does not."),
        ("small_ones", [0, 1, 6, 7], "wrong",
         "Of yours, 2 fit; 6 and 1 more do not, and one is missing."),
        ("small_ones", [1, 2, 3], "wrong", "You started at 1."),
        ("three", [0, 1], "wrong",
         "3 numbers are wanted; you gave 2. They are among those wanted."),
        ("three", [[0], [1], [4]], "right", ""),
        ("double", [1, 2], "wrong", "One number is wanted; you gave 2."),
        ("three", [0, 2, 4], "wrong",
         "2 of 3 are right. Number 2 is one too large. Look again at where counting begins."),
        ("three", [4, 1, 0], "wrong",
         "These are the right numbers, but numbers 1 and 3 have changed places."),
        ("pick", "B", "right", ""),
        ("pick", " b ", "right", ""),
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
    ],
)  # fmt: skip
def test_what_is_said(name: str, answer: Any, status: str, said: str) -> None:
    result = checked(name, answer)
    assert (result.status, result.hint) == (status, said)


def test_a_mistake_in_a_whole_number_is_known_before_and_after_rounding() -> None:
    three = question("three")
    for answer in ([1.2, 3.9, 9], [1, 4, 9]):
        assert grade(three, {"squares": answer}).mistake == "from_one"
    x = question("double").given(0).x  # no whole number is asked for
    assert grade(question("double"), {"twice": round(x * x)}).mistake == ""


def test_a_name_that_is_not_there_is_not_answered() -> None:
    result = grade(question("double"), {})
    assert (result.status, result.hint[:21]) == ("open", "`twice` does not exis")


def test_a_function_without_a_return_is_not_answered() -> None:
    result = checked("row", lambda n: None)
    assert (result.status, result.hint[:22]) == ("open", "`row` returns `None`. ")


def test_a_probe_that_stumbles_over_a_missing_return_does_not_blame_the_learner() -> None:
    asked = question("row")
    code = asked.probe_code.replace("row(given.n)", "row(given.n)[0]").replace(
        "row(given.n ** 2)", "row(given.n)[1:]"
    )
    picky = dataclasses.replace(asked, probe_code=code)
    assert grade(picky, {"row": lambda n: None}).hint.startswith("`row` returns `None`.")
    assert "IndexError" in grade(picky, {"row": lambda n: [][n]}).hint
    assert "IndexError" in grade(picky, {"row": lambda n: []}).hint


def test_part_of_it_right_gives_part_of_the_points() -> None:
    result = checked("row", lambda n: np.arange(n) if n < 10 else 0)
    assert (result.status, result.good, result.score) == ("partly", ("small",), 1)
    assert "`large` should have shape" in result.hint


def test_the_first_entry_that_differs_is_shown_with_its_case() -> None:
    def change(values: Any) -> Any:
        return np.where(values == 2, 7, values)

    result = row_of(change)
    n = question("row").given(0).n
    assert result.hint == (
        f"`small` at [2]: yours 7, expected 2. 1 of {n} entries differs. Tried with n = {n}."
    )
    assert result.compared
    assert "<svg" in result._repr_html_()


def test_a_known_mistake_may_be_an_error() -> None:
    assert checked("row", lambda n: n.start).mistake == "raises"
    other = checked("row", lambda n: n.begin)  # an AttributeError as well, of another cause
    assert other.mistake == "" and "no attribute 'begin'" in other.hint


def test_an_error_names_the_learners_own_line() -> None:
    scope: dict[str, Any] = {}
    source = "def row(n):\n    values = list(range(n))\n    return values[n]\n"
    exec(compile(source, "<cell 3>", "exec"), scope)
    import linecache

    linecache.cache["<cell 3>"] = (len(source), None, source.splitlines(True), "<cell 3>")
    said = grade(question("row"), scope).hint
    assert said == (
        "`small`: It stopped with IndexError: list index out of range,"
        f" in line 3: `return values[n]`. Tried with n = {question('row').given(0).n}."
    )


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, RecursionError])
def test_nothing_that_an_answer_raises_gets_out(error: type[BaseException]) -> None:
    def row(n: int) -> None:
        raise error

    assert checked("row", row).status == "wrong"


def test_an_endless_loop_is_stopped_once() -> None:
    def row(n: int) -> None:
        while True:
            pass

    start = time.perf_counter()
    result = checked("row", row, seconds=0.3)
    assert "It ran for more than 0.3 seconds" in result.hint
    assert time.perf_counter() - start < 2, "the second part is not tried"


def test_an_answer_prints_and_warns_into_the_void() -> None:
    def row(n: int) -> Any:
        print("hello")
        import sys
        import warnings

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


def test_a_huge_answer_is_refused_and_not_compared() -> None:
    assert "far too many" in checked("double", np.zeros(2_000_000)).hint


@pytest.mark.parametrize(
    ("name", "answer"),
    [("double", 3.5), ("pick", "a"), ("row", np.arange), ("row", lambda n: [[n]]),
     ("row", lambda n: 1 / 0), ("double", None), ("three", [0, 1, float("nan")])],
)  # fmt: skip
def test_an_outcome_survives_the_way_between_processes(name: str, answer: Any) -> None:
    import json

    asked = question(name)
    got = attempt(asked, {asked.answer: answer})
    back = unpacked(asked, json.loads(json.dumps(packed(got))))
    assert repr(judge(asked, back)) == repr(judge(asked, got))


@pytest.mark.parametrize(
    "data", [None, [], {}, {"answer": 3}, {"answer": {"failure": "x"}},
             {"answer": [{"shape": [2], "entries": [1]}]}, {"answer": [{"failure": "x"}]},
             {"answer": [{"shape": [1], "entries": ["x"]}]}, {"answer": ["x", "x"]}]
)  # fmt: skip
def test_what_is_no_outcome_is_refused(data: Any) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        unpacked(question("double"), data)


def drawn() -> Question:
    """The small sheet's `row`, tried on n = 4, 5, 6 and 0."""
    return parse(TEXT.replace("| level: 3", "| level: 3 | draws: 4", 1).replace(
        'def given(rng):\n    return {"n": int(rng.integers(4, 8)), "start"',
        'def given(rng, n):\n    return {"n": (4, 5, 6, 0)[n], "start"',
    ), "99-small").questions["row"]  # fmt: skip


def test_right_is_what_is_right_on_every_draw() -> None:
    asked = drawn()
    assert [asked.given(0, draw).n for draw in range(asked.draws)] == [4, 5, 6, 0]
    result = grade(asked, {"row": lambda n: np.arange(n) if n in (4, 16) else np.zeros(n)})
    assert (result.status, result.score) == ("wrong", 0)
    assert result.hint == (
        "`small` at [1]: yours 0, expected 1. 4 of 5 entries differ. All entries of yours are 0."
        " Tried with n = 5. Right on 2 of 4 cases."
    )


def test_a_mistake_may_be_right_on_some_draws_and_is_told_if_it_is_the_cause_on_all() -> None:
    asked = drawn()
    from_one = grade(asked, {"row": lambda n: list(range(1, n + 1))})
    assert (from_one.status, from_one.mistake) == ("wrong", "from_one")
    once = grade(asked, {"row": lambda n: np.arange(n) + (n in (5, 25))})
    assert once.mistake == "" and once.hint.endswith("Right on 3 of 4 cases.")


def test_seeds_are_judged_together() -> None:
    asked = question("row")
    small = {asked.given(seed, draw).n for seed in (0, 1) for draw in range(asked.draws)}
    public = {asked.given(0, draw).n for draw in range(asked.draws)}
    assert small > public, "else nothing is tried here"

    def tried(answer: Any) -> Result:
        return judge_all(asked, {seed: attempt(asked, {"row": answer}, seed) for seed in (0, 1)})

    assert tried(np.arange).status == "right"
    assert tried(lambda n: np.arange(1, n + 1)).mistake == "from_one"
    learned = tried(lambda n: np.arange(n) if n in public else np.arange(1, n + 1))
    assert learned.mistake == "", "it is not the cause where it is right"
    assert learned.good == ()
    secret = next(n for n in (asked.given(1, draw).n for draw in range(5)) if n not in public)
    assert f"Tried with n = {secret}. Right on " in learned.hint


class PickyError(ValueError):
    """As a learner defines one."""


def test_a_special_case_of_the_error_asked_for_is_that_error() -> None:
    text = TEXT.replace("    return np.arange(n)\n", '    raise ValueError("never")\n', 1)
    asked = parse(text, "99").questions["row"]

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
    text = TEXT.replace("    return np.arange(n)\n", "    return [[1], [2, 3]]\n", 1)
    with pytest.raises(SheetError, match="99: row, small: the solution's value can't be judged"):
        grade(parse(text, "99").questions["row"], {"row": np.arange})


def test_two_values_that_cannot_be_read_are_not_the_same_for_it() -> None:
    asked = question("row")
    one, other = Failure("unreadable", "It is a dict."), Failure("unreadable", "It is a list.")
    assert same(asked, one, one) and not same(asked, one, other)


def test_a_right_answer_that_is_whole_by_chance_makes_no_mistake_of_one_that_rounds_to_it() -> None:
    """The length of an encoding is √(d/2), 8 here, and 1 is a mistake of its own."""
    question = load("02").questions["length_of_encoding"]
    assert grade(question, {"norm": 8}).status == "right"
    assert [grade(question, {"norm": value}).mistake for value in (1, 1.3)] == ["unit", ""]
