"""An outcome held against the solution's and against what each known mistake gives."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading.arrays import DIFFERS, of_arrays
from pe_lib.course.grading.numbers import WANTED, number
from pe_lib.course.grading.outcome import Failure, Outcome, Value, attempt, known
from pe_lib.course.grading.relation import Relation, of_numbers, of_sets
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Question


def grade(question: Question, names: dict[str, Any], seed: int = 0, seconds: float = 5.0) -> Result:
    """Check the answer that `names` holds under the question's name for it."""
    result = judge(question, attempt(question, names, seed, seconds), seed)
    if not result.relation:
        return result
    return replace(result, step=f'`sheet.hint("{question.name}")` has a step towards it.')


def judge(question: Question, got: Outcome, seed: int = 0) -> Result:
    """The result for an outcome, whoever computed it."""
    kinds = {getattr(value, "kind", "") for values in got.values() for value in values}
    if kinds == {"missing"}:
        first = next(iter(got.values()))[0]
        return Result(question, "open", getattr(first, "text", ""))
    if kinds == {"none"}:
        text = f"`{question.answer}` returns `None`. Write its body, and end it with `return`."
        return Result(question, "open", text)
    outcomes = known(question, seed)
    right = outcomes["solution"]
    good = tuple(part for part in question.points if agree(question, got[part], right[part]))
    if len(good) == len(question.points):
        return Result(question, "right", good=good)
    status = "partly" if good else "wrong"
    if alike(question, got, outcomes.get("starter")):
        return Result(question, "open", "It still does what it did when you found it.")
    typed = _as_typed(question, got, right)
    for mistake in question.mistakes:
        made = outcomes[mistake.name]
        if alike(question, got, made) or alike(question, typed, made):
            return Result(question, status, mistake.text, mistake.name, good)
    part = next(part for part in question.points if part not in good)
    pairs = list(zip(got[part], right[part], strict=True))
    fine = [same(question, *pair) for pair in pairs]
    draw = fine.index(False)
    shown = _shown(question, seed)
    related = [_related(question, *pairs[n], shown) for n, ok in enumerate(fine) if not ok]
    relation = related[0]
    if relation and any(other is None or other.name != relation.name for other in related):
        relation = DIFFERS  # what is true of all numbers is wanted
    hint, compared = _difference(question, part, *pairs[draw], _case(question, seed, draw))
    if relation:
        hint = " ".join(filter(None, [hint, relation.text]))
    if any(fine):
        hint += f" On {sum(fine)} of {len(fine)} sets of numbers it is right."
    return Result(question, status, hint, "", good, compared, relation.name if relation else "")


def _as_typed(question: Question, got: Outcome, right: Outcome) -> Outcome:
    """Where whole numbers are asked for: the outcome rounded, as one types it on the page."""
    if question.kind not in ("number", "numbers"):
        return got
    wanted, value = right["answer"][0], got["answer"][0]
    if not isinstance(value, np.ndarray) or not isinstance(wanted, np.ndarray):
        return got
    return {"answer": (np.floor(value + 0.5),)} if np.array_equal(wanted, np.round(wanted)) else got


def alike(question: Question, one: Outcome, other: Outcome | None) -> bool:
    """Whether two outcomes are the same in every part."""
    return other is not None and all(agree(question, one[p], other[p]) for p in question.points)


def agree(question: Question, one: tuple[Value, ...], other: tuple[Value, ...]) -> bool:
    """Whether a part's values are the same on every draw."""
    return all(same(question, *pair) for pair in zip(one, other, strict=True))


def same(question: Question, one: Value, other: Value) -> bool:
    """Whether two values count as the same answer."""
    if isinstance(one, Failure) and isinstance(other, Failure):
        return one.kind == other.kind
    if isinstance(one, str) and isinstance(other, str):
        return one.casefold() == other.casefold()
    if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
        return False
    if question.kind == "set":
        one, other = np.unique(one), np.unique(other)
    elif question.kind in ("number", "numbers"):  # [137] is 137, and a column is a row
        one, other = np.ravel(one), np.ravel(other)
    tolerance = question.tolerance
    if one.shape != other.shape:
        return False
    with np.errstate(invalid="ignore"):  # ∞ - ∞
        if (np.abs(one - other) > tolerance + tolerance * np.abs(other)).any():
            return False  # as allclose would say, sooner: most answers that are compared differ
    return np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)


def _shown(question: Question, seed: int) -> list[float]:
    """The numbers in the prompt, as they are written there."""
    given = vars(question.given(seed))
    shown = [number(format(given[name], spec)) for name, spec in question.places()]
    return [value for value in shown if math.isfinite(value)]


def _related(question: Question, got: Value, right: Value, shown: list[float]) -> Relation | None:
    """How two values that can be compared are related; None if they can't be."""
    if question.kind == "choice":
        return Relation("no_choice", "")
    if not (isinstance(got, np.ndarray) and isinstance(right, np.ndarray)):
        return None
    if not np.isfinite(got).all():
        return None
    if question.kind == "code":
        return of_arrays(got, right, question.tolerance)
    mine, wanted = np.ravel(got).tolist(), np.ravel(right).tolist()
    if question.kind == "set":
        return of_sets(mine, wanted, question.tolerance)
    return of_numbers(mine, wanted, question.tolerance, shown)


def _difference(
    question: Question, part: str, got: Value, right: Value, case: str
) -> tuple[str, tuple[str, NDArray[np.float64], NDArray[np.float64]] | None]:
    """In words, and as two arrays to draw, what a value that fits no known mistake is."""
    name = question.answer if part == "answer" else part
    if isinstance(right, Failure):
        return f"`{name}`: this should raise {right.kind}.", None
    if isinstance(got, Failure):
        own = part == "answer" or got.text.startswith("`")
        return (got.text if own else f"`{name}`: {got.text}"), None
    if question.kind == "choice":
        return f"Choose one of {', '.join(question.choices)}, as text in quotes.", None
    if isinstance(got, str) and question.kind != "code":
        return f"`{name}`: '{got[:40]}' is no number. {WANTED}", None
    if isinstance(got, str) or isinstance(right, str):
        wanted = "a text" if isinstance(right, str) else "a number, not a text,"
        return f"`{name}`: {wanted} is wanted.", None
    if not np.isfinite(got).all():
        what = "NaN" if np.isnan(got).any() else "infinity"
        return f"`{name}` has {what} in it.", None
    if question.kind != "code":
        return "", None
    here = f", for {case}" if case else ""
    if got.shape != right.shape:
        return f"`{name}` should have shape {right.shape}, yours has {got.shape}{here}.", None
    off = np.asarray(~np.isclose(got, right, rtol=question.tolerance, atol=question.tolerance))
    first = tuple(int(n) for n in np.argwhere(off)[0])
    where = f" at {list(first)}" if first else ""
    text = f"`{name}`{where}: yours {got[first] + 0:.6g}, expected {right[first] + 0:.6g}{here}."
    if got.size > 1:
        text += f" {int(off.sum())} of {got.size} entries differ."
    return text, (name, got, right) if got.size > 3 else None


def _case(question: Question, seed: int, draw: int) -> str:
    """The question's single numbers, which say on which case an answer differs."""
    given = vars(question.given(seed, draw))
    scalars = {name: v for name, v in given.items() if np.ndim(v) == 0 and not callable(v)}
    return ", ".join(f"{name} = {value:.6g}" for name, value in scalars.items()
                     if isinstance(value, (int, float, np.number)))  # fmt: skip
