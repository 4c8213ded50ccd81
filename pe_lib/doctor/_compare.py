"""Not that two arrays differ, but how."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _formats, _given, _sentences
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import bound, chosen, told

Floats = NDArray[np.float64]


@dataclass
class Comparison:
    """How b differs from a: `same`, `sure`, short `names` and `sentences`; prints as text."""

    same: bool = False
    sure: bool = True
    names: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    def say(self, name: str, sentence: str) -> "Comparison":
        """Add one difference."""
        self.names.append(name)
        self.sentences.append(sentence)
        return self

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def compare(a: Any, b: Any) -> Comparison:
    """How b differs from a: rounded, shifted, in another order, scaled, or by another rule.

    Both are what `identify` takes: tables, frequencies, biases, or pairs (cos, sin). First b is
    tried as a changed in one way (rounded, columns in another order, signs, size, rows shifted or
    turned around, cut off), then both are diagnosed and what differs is said. Where neither tells,
    `sure` is False and the sentence says "nothing that I know". Raises as `identify` does.

    >>> import pe_lib
    >>> a = pe_lib.encode(range(64), 32)
    >>> print(compare(a, pe_lib.encode(range(64), 32, layout="halves")))
    b is a with all sines first.
    >>> print(compare(a, pe_lib.encode(range(2, 66), 32)))
    b is a shifted by 2 rows: b's row 0 is a's row 2.
    >>> print(compare(pe_lib.frequencies(64), pe_lib.frequencies(64, 5e5)))
    b's base is 500,000, a's 10,000.
    """
    x, y = _one(a, "a"), _one(b, "b")
    found = Comparison()
    if x.shape == y.shape and np.array_equal(x, y, equal_nan=True):
        found.same = True
        return found.say("same", "b is a, to the last bit.")
    if np.isfinite(x).all() and np.isfinite(y).all():
        if x.shape == y.shape and _changed(found, x, y):
            return found
        if x.ndim == 2 and y.ndim == 2 and _cut(found, x, y):
            return found
    return _by_rule(found, identify(a), identify(b), x, y)


def _one(values: Any, name: str) -> Floats:
    """One array: cosines and sines side by side, axes of length 1 left out."""
    if isinstance(values, tuple) and len(values) == 2 and np.ndim(values[0]) > 1:
        parts = [_given.floats(_given.array(name, v), name) for v in values]
        if parts[0].shape != parts[1].shape:
            raise ValueError(f"{name} must be cos and sin of one shape")
        return _one(np.concatenate(parts, axis=-1), name)
    x = _given.floats(_given.array(name, values), name)
    x = x.reshape([n for n in x.shape if n > 1] or [1])
    return x if x.ndim < 3 else x.reshape(-1, x.shape[-1])


def _near(x: Floats, y: Floats) -> float:
    """How far two arrays may be apart that differ in their rounding alone."""
    unit = max(_formats.UNIT[_formats.held(x)], _formats.UNIT[_formats.held(y)])
    return 4 * unit * max(float(np.abs(x).max()), float(np.abs(y).max()))


def _changed(found: Comparison, x: Floats, y: Floats) -> bool:
    """Whether y is x changed in one way."""
    for form in ("bfloat16", "float16", "float32"):
        if np.array_equal(_formats.rounded(x, form), y):
            found.say("rounded", f"b is a rounded to {form}.")
            return True
        if np.array_equal(_formats.rounded(y, form), x):
            found.say("rounded", f"a is b rounded to {form}.")
            return True
    near = _near(x, y)
    off = np.abs(x - y)
    if off.max() <= near:
        found.say(
            "close",
            f"b is a but for rounding: the largest difference is {bound(float(off.max()))}.",
        )
        return True
    if np.abs(x + y).max() <= near:
        found.say("negated", "b is a negated.")
        return True
    if x.any() and y.any():
        k = float((x * y).sum() / (x * x).sum())
        if k and np.abs(k * x - y).max() <= near * max(1.0, abs(k)):
            found.say("scaled", f"b is a times {told(chosen(k, 1e-6)[0] if k > 0 else k)}.")
            return True
    if x.ndim == 1:
        if np.abs(x[::-1] - y).max() <= near:
            found.say("reversed", "b is a in reverse order.")
            return True
        return False
    return _columns(found, x, y, near) or _rows(found, x, y, near)


def _orders(width: int) -> list[tuple[str, str, NDArray[np.int64]]]:
    i = np.arange(width)
    n = width // 2
    halves = np.concatenate([i[0::2], i[1::2]])
    back = np.argsort(halves)
    return [
        (
            "halves",
            "b is a with all first entries of its pairs first, then all second ones.",
            halves,
        ),
        ("interleaved", "b is a with the two halves of its columns interleaved.", back),
        ("halves_swapped", "b is a with the two halves of its columns swapped.", np.roll(i, n)),
        ("pairs_swapped", "b is a with the two entries of each pair swapped.", i ^ 1),
        ("columns_reversed", "b is a with its columns in reverse order.", i[::-1]),
    ]


SAID = {
    ("interleaved", "halves"): ("sines_first", "b is a with all sines first."),
    ("sines_first", "interleaved"): (
        "interleaved",
        "b is a with each sine and its cosine side by side.",
    ),
    ("sines_first", "halves_swapped"): ("cosines_first", "b is a with all cosines first."),
    ("cosines_first", "halves_swapped"): ("sines_first", "b is a with all sines first."),
}


def _columns(found: Comparison, x: Floats, y: Floats, near: float) -> bool:
    """Columns in another order, or with other signs."""
    width = x.shape[1]
    if width % 2 == 0 and width > 2:
        for name, sentence, order in _orders(width):
            if np.abs(x[:, order] - y).max() <= near:
                said = SAID.get((identify(x).layout or "", name), (name, sentence))
                found.say(*said)
                return True
        order = np.concatenate([np.arange(width // 2, width), np.arange(width // 2)])
        evens = np.concatenate([np.arange(1, width, 2), np.arange(0, width, 2)])
        if np.abs(x[:, evens] - y).max() <= near and identify(x).layout == "interleaved":
            found.say("cosines_first", "b is a with all cosines first.")
            return True
    same = np.abs(x - y).max(axis=0) <= near
    negated = np.abs(x + y).max(axis=0) <= near
    if (same | negated).all() and (negated & ~same).any():
        d = identify(x)
        count = int((negated & ~same).sum())
        if d.sure and 2 * count >= width - 2:
            found.say("clockwise", "b is a with its sines negated: pairs turn the other way.")
        else:
            found.say("negated_columns", f"b is a with {told(count)} columns negated.")
        return True
    if not same.all() and same.sum() >= 0.5 * width:
        first = int(np.argmin(same))
        found.say(
            "some_columns",
            f"b is a but for {told(int((~same).sum()))} columns, the first of "
            f"them column {told(first)}.",
        )
        return True
    return False


def _rows(found: Comparison, x: Floats, y: Floats, near: float) -> bool:
    """Rows shifted, turned around, or a few that differ; or both axes exchanged."""
    length = len(x)
    if np.abs(x[::-1] - y).max() <= near:
        found.say("reversed", "b is a with its rows in reverse order.")
        return True
    if x.shape[0] == x.shape[1] and np.abs(x.T - y).max() <= near:
        found.say("transposed", "b is a with rows and columns exchanged.")
        return True
    same = np.abs(x - y).max(axis=1) <= near
    if same.sum() >= 0.5 * length:
        rows = np.flatnonzero(~same)
        zero = not y[rows].any()
        text = f"b is a but for {told(rows.size)} rows, the first of them row {told(int(rows[0]))}"
        found.say(
            "zero_rows" if zero else "some_rows", text + (", which are zero." if zero else ".")
        )
        return True
    for k in np.flatnonzero(np.abs(x - y[0]).max(axis=1) <= near)[:8].tolist():
        if 0 < k <= length - 2 and np.abs(x[k:] - y[: length - k]).max() <= near:
            found.say(
                "shifted", f"b is a shifted by {told(k)} rows: b's row 0 is a's row {told(k)}."
            )
            return True
    for k in np.flatnonzero(np.abs(y - x[0]).max(axis=1) <= near)[:8].tolist():
        if 0 < k <= length - 2 and np.abs(y[k:] - x[: length - k]).max() <= near:
            found.say(
                "shifted", f"b is a shifted by -{told(k)} rows: b's row {told(k)} is a's row 0."
            )
            return True
    return False


def _cut(found: Comparison, x: Floats, y: Floats) -> bool:
    """One is the beginning of the other."""
    if x.shape == y.shape:
        return False
    near = _near(x, y)
    rows, columns = min(len(x), len(y)), min(x.shape[1], y.shape[1])
    if x.shape[1] == y.shape[1]:
        if np.abs(x[:rows] - y[:rows]).max() <= near:
            short, long = ("b", "a") if len(y) < len(x) else ("a", "b")
            found.say("rows_cut", f"{short} is the first {told(rows)} rows of {long}.")
            return True
    elif len(x) == len(y) and np.abs(x[:, :columns] - y[:, :columns]).max() <= near:
        short, long = ("b", "a") if y.shape[1] < x.shape[1] else ("a", "b")
        found.say("columns_cut", f"{short} is the first {told(columns)} columns of {long}.")
        return True
    if x.shape == y.shape[::-1] and np.abs(x.T - y).max() <= near:
        found.say("transposed", "b is a with rows and columns exchanged.")
        return True
    return False


def _by_rule(found: Comparison, p: Diagnosis, q: Diagnosis, x: Floats, y: Floats) -> Comparison:
    """What differs between two diagnoses."""
    if not (p.sure and q.sure):
        found.sure = False
        text = "They differ by nothing that I know"
        if x.shape == y.shape:
            off = np.abs(np.where(np.isfinite(x), x, 0.0) - np.where(np.isfinite(y), y, 0.0))
            at = int(np.argmax(off))
            place = ", ".join(told(int(k)) for k in np.unravel_index(at, x.shape))
            text += f"; the largest difference is {bound(float(off.max()))}, at ({place})"
        found.say("unknown", text + ".")
        for name, d in (("a", p), ("b", q)):
            found.sentences.append(f"{name}: {' '.join(_sentences.summary(d)[:2])}")
        return found
    if p.scheme != q.scheme:
        return found.say(
            "scheme", f"b is {_sentences.SCHEMES[q.scheme]}, a {_sentences.SCHEMES[p.scheme]}."
        )
    _by_base(found, p, q)
    for name, word in (
        ("layout", "layout"),
        ("scaling", "scaling"),
        ("factor", "factor"),
        ("first_position", "first position"),
        ("direction", "direction"),
        ("amplitude", "amplitude"),
        ("width", "width"),
    ):
        u, v = getattr(p, name), getattr(q, name)
        if u != v and u is not None and v is not None:
            numbers = isinstance(u, float) and isinstance(v, float)
            if numbers and abs(u - v) <= 1e-3 * max(abs(u), abs(v)):
                continue
            said = [w if isinstance(w, str) else told(float(w)) for w in (v, u)]
            found.say(name, f"b's {word} is {said[0]}, a's {said[1]}.")
    if (p.precision, p.where) != (q.precision, q.where) and p.precision and q.precision:
        found.say("precision", f"b shows {q.precision} {q.where}, a {p.precision} {p.where}.")
    if not found.names:
        found.sure = False
        found.say("unknown", "They follow one rule, and differ by nothing that I know.")
    return found


def _by_base(found: Comparison, p: Diagnosis, q: Diagnosis) -> None:
    """Base and exponent, unless one reading of p is one of q."""
    if p.base is None or q.base is None:
        return
    if any(e == f and abs(b / c - 1) < 1e-4 for b, e in p.readings for c, f in q.readings):
        return
    base = {e: b for b, e in reversed(q.readings)}.get(p.exponent or "")
    if abs(p.base / q.base - 1) < 1e-4 or (p.exponent != q.exponent and base is None):
        found.say("exponent", f"b's exponent is {q.exponent}, a's {p.exponent}.")
    if abs(p.base / q.base - 1) >= 1e-4:
        said = q.base if p.exponent == q.exponent or base is None else base
        found.say("base", f"b's base is {told(said)}, a's {told(p.base)}.")
