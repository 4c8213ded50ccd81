"""How a value that fits no known mistake differs: in words, by name, and as arrays to draw."""

import math

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading.arrays import DIFFERS, of_arrays, of_entries
from pe_lib.course.grading.numbers import WANTED, number
from pe_lib.course.grading.outcome import Failure, Value
from pe_lib.course.grading.relation import RELATED, Relation, of_numbers, of_sets
from pe_lib.course.grading.sheet import Question

FACTORS = {row["name"] for row in RELATED if "times" in row and "plus" not in row} | {"scaled"}
Compared = tuple[str, NDArray[np.float64], NDArray[np.float64]]


def difference(
    question: Question, part: str, wrong: list[tuple[Value, Value]], seed: int
) -> tuple[str, str, Compared | None]:
    """Of the first pair, yours and the right one: text, relation, and what can be drawn.

    The relation is '' where none can be told; it is named if it is that of all pairs.
    """
    given = vars(question.given(seed))
    shown = [number(format(given[name], spec)) for name, spec in question.places()]
    related = [_related(question, *pair, [x for x in shown if math.isfinite(x)]) for pair in wrong]
    relation = related[0]
    names = {other and other.name for other in related}
    if relation and len(wrong) > 1 and names != {relation.name} - {DIFFERS.name}:
        relation = _of_all(question, wrong, {other.name for other in related if other})
    text, compared = _described(question, part, *wrong[0])
    if relation:
        text = f"{text} {relation.text}".strip()
    return text, relation.name if relation else "", compared


def _of_all(question: Question, wrong: list[tuple[Value, Value]], names: set[str]) -> Relation:
    """What is true of all cases together, where of each something else is."""
    pairs = [(y, r) for y, r in wrong if isinstance(y, np.ndarray) and isinstance(r, np.ndarray)]
    shapes = {y.shape == r.shape for y, r in pairs}
    finite = all(np.isfinite(y).all() for y, _ in pairs)
    if len(pairs) < len(wrong) or len(shapes) > 1 or not finite:
        return DIFFERS
    if shapes == {False}:
        return Relation("shape", "")
    if names <= FACTORS:
        return Relation("scaled", "All entries are off by one factor, another one in each case.")
    yours, right = (np.concatenate([np.ravel(pair[n]) for pair in pairs]) for n in (0, 1))
    off = ~np.isclose(yours, right, rtol=question.tolerance, atol=question.tolerance)
    return of_entries("In each case, yours", yours[off], right[off], question.tolerance)


def _related(question: Question, got: Value, right: Value, shown: list[float]) -> Relation | None:
    """How two values that can be compared are related; None if they can't be."""
    if question.kind == "choice":
        return Relation("no_choice", "")
    if isinstance(right, Failure):
        return Relation("no_error", "")
    if isinstance(got, Failure):
        return Relation("stopped", "")
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


def _described(
    question: Question, part: str, got: Value, right: Value
) -> tuple[str, Compared | None]:
    """In words, and as two arrays to draw, what a value that fits no known mistake is."""
    name = f"`{question.answer if part == 'answer' else part}`"
    if isinstance(right, Failure):
        return f"{name}: this should raise {right.kind}.", None
    if isinstance(got, Failure):
        told = got.text + ("" if got.text.endswith((".", "?")) else ".")
        return (told if part == "answer" or told.startswith("`") else f"{name}: {told}"), None
    if question.kind == "choice":
        return f"Choose one of {', '.join(question.choices)}, as text in quotes.", None
    if isinstance(got, str) and question.kind != "code":
        return f"{name}: '{got[:40]}' is no number. {WANTED}", None
    if isinstance(right, str):
        return f"{name}: a text is wanted.", None
    if isinstance(got, str):
        return f"{name}: a number, not a text, is wanted.", None
    if not np.isfinite(got).all():
        return f"{name} has {'NaN' if np.isnan(got).any() else 'infinity'} in it.", None
    if question.kind != "code":
        return "", None
    if got.shape != right.shape:
        return f"{name} should have shape {right.shape}, yours has {got.shape}.", None
    off = np.asarray(~np.isclose(got, right, rtol=question.tolerance, atol=question.tolerance))
    first = tuple(int(n) for n in np.argwhere(off)[0])
    large = max(np.abs(got).max(), np.abs(right).max())
    yours, expected = (0 if abs(v) < 1e-12 * large else v for v in (got[first], right[first]))
    text = (
        f"{name}{f' at {[*first]}' if first else ''}: yours {yours:.6g}, expected {expected:.6g}."
    )
    if got.size > 1:
        count = int(off.sum())
        text += f" {count} of {got.size} entries {'differs' if count == 1 else 'differ'}."
    return text, (name.strip("`"), got, right) if got.size > 3 else None
