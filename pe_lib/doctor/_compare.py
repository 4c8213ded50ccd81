"""Not that two arrays or functions differ, but how."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pe_lib.doctor import _formats, _given, _sentences
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import bound, chosen, told
from pe_lib.doctor._probe import probe
from pe_lib.doctor._proof import Floats


@dataclass
class Comparison:
    """How b differs from a: `same`, `sure`, short `names` and `sentences`; prints as text.

    As a truth value it is `same`.
    """

    same: bool = False
    sure: bool = True
    names: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    def say(self, name: str, sentence: str) -> "Comparison":
        """Add one difference."""
        self.names.append(name)
        self.sentences.append(sentence)
        return self

    def __bool__(self) -> bool:
        return self.same

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def compare(a: Any, b: Any) -> Comparison:
    """How b differs from a: rounded, shifted, in another order, scaled, or by another rule.

    Both are what `identify` takes: tables, frequencies, biases, or pairs (cos, sin); or both are
    functions, as `probe` takes them. First b is tried as a changed in one way that gives every
    entry of it, then both are diagnosed and what differs is said. Where neither tells, `sure` is
    False and the sentence says "nothing that I know". Raises as `identify` and `probe` do, and
    TypeError for a function and an array.

    >>> import pe_lib
    >>> a = pe_lib.encode(range(64), 32)
    >>> print(compare(a, pe_lib.encode(range(64), 32, layout="halves")))
    b is a with all sines first.
    >>> print(compare(a, pe_lib.encode(range(2, 66), 32)))
    b is a shifted by 2 rows: b's row 0 is a's row 2.
    >>> print(compare(pe_lib.frequencies(64), pe_lib.frequencies(64, 5e5)))
    b's base is 500,000, a's 10,000.
    """
    functions = [callable(x) and not hasattr(x, "__array__") for x in (a, b)]
    if all(functions):
        return _functions(probe(a), probe(b))
    if any(functions):
        raise TypeError("a and b must both be arrays, or both functions")
    x, y = _one(a, "a"), _one(b, "b")
    found = Comparison()
    if x.shape == y.shape and np.array_equal(x, y, equal_nan=True):
        found.same = True
        return found.say("same", "b is a, to the last bit.")
    p = identify(a)
    if np.isfinite(x).all() and np.isfinite(y).all():
        for name, wanted, said in _transforms(x, y, p):
            if wanted.shape == y.shape and _explained(wanted, y):
                return found.say(name, said)
        if x.shape == y.shape and (few := _but_for(x, y)):
            return found.say(*few)
    apart = ""
    if x.shape == y.shape:
        off = np.abs(np.where(np.isfinite(x), x, 0.0) - np.where(np.isfinite(y), y, 0.0))
        at = np.unravel_index(int(np.argmax(off)), x.shape)
        place = ", ".join(told(int(k)) for k in at)
        apart = f"; the largest difference is {bound(float(off.max()))}, at ({place})"
    return _by_rule(p, identify(b), apart)


def _functions(p: Diagnosis, q: Diagnosis) -> Comparison:
    """Two functions that follow one rule as far as they were asked do the same."""
    found = _by_rule(p, q, "")
    if p.sure and q.sure and found.names == ["unknown"]:
        found = Comparison(same=True)
        found.say("same", "b does what a does, at all positions that were tried.")
    return found


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
    """How far entries may be apart that differ in the last bits of float64, or of float32.

    Numbers that fit in half precision are no coarser for that: whole numbers do, and so do two
    tables that were each rounded.
    """
    forms = {_formats.held(x), _formats.held(y)}
    unit = 2.0**-22 if "float32" in forms else 2.0**-46
    return unit * max(float(np.abs(x).max()), float(np.abs(y).max()))


def _explained(wanted: Floats, y: Floats) -> bool:
    """The gate: every entry is what the transform makes of a."""
    return bool(np.abs(wanted - y).max() <= _near(wanted, y))


def _transforms(x: Floats, y: Floats, p: Diagnosis) -> Iterator[tuple[str, Floats, str]]:
    """Name, what it makes of x, and the sentence."""
    for form in ("bfloat16", "float16", "float32"):
        for one, other, names in ((x, y, "b is a"), (y, x, "a is b")):
            if one.shape == other.shape and np.array_equal(_formats.rounded(one, form), other):
                yield "rounded", y, f"{names} rounded to {form}."
    if x.shape == y.shape:
        off = bound(float(np.abs(x - y).max()))
        yield "close", x, f"b is a but for rounding: the largest difference is {off}."
        yield "negated", -x, "b is a negated."
        if x.any() and y.any():
            k = float((x * y).sum() / (x * x).sum())
            k = chosen(k, 1e-9)[0] if k > 0 else k
            yield "scaled", k * x, f"b is a times {told(k)}."
        more = chosen(abs(float(np.median(y - x))), 1e-9)[0] * (1 if np.median(y - x) > 0 else -1)
        yield "added", x + more, f"b is a with {told(more)} added to every entry."
    yield (
        "reversed",
        x[::-1],
        f"b is a {'in' if x.ndim == 1 else 'with its rows in'} reverse order.",
    )
    if x.ndim == 2 and y.ndim == 2:
        yield from _columns(x, p)
        yield "transposed", x.T, "b is a with rows and columns exchanged."
        yield from _rows(x, y)


def _columns(x: Floats, p: Diagnosis) -> Iterator[tuple[str, Floats, str]]:
    """Columns in another order, or with other signs."""
    width = x.shape[1]
    if width % 2 or width < 4:
        return
    i, n = np.arange(width), width // 2
    halves = np.concatenate([i[0::2], i[1::2]])
    usual = p.order == "sine first"
    sides, blocks = (usual and p.layout == name for name in ("interleaved", "halves"))
    cosines_first = p.order == "cosine first" and p.layout == "halves"
    first = ("sines_first", "b is a with all sines first.")
    last = ("cosines_first", "b is a with all cosines first.")
    orders = [
        (*(first if sides else (
            "halves", "b is a with all first entries of its pairs first, then all second ones.")),
         halves),
        (*(("interleaved", "b is a with each sine and its cosine side by side.") if blocks else (
            "interleaved", "b is a with the two halves of its columns interleaved.")),
         np.argsort(halves)),
        (*(last if blocks else first if cosines_first else (
            "halves_swapped", "b is a with the two halves of its columns swapped.")),
         np.roll(i, n)),
        ("pairs_swapped", "b is a with the two entries of each pair swapped.", i ^ 1),
        ("columns_reversed", "b is a with its columns in reverse order.", i[::-1]),
    ]  # fmt: skip
    if sides:
        orders.append((*last, np.roll(halves, n)))
    for name, said, order in orders:
        yield name, x[:, order], said
    if sides or blocks:
        sines = i % 2 == 0 if sides else i < n
        yield ("clockwise", np.where(sines, -x, x),
               "b is a with its sines negated: pairs turn the other way.")  # fmt: skip


def _rows(x: Floats, y: Floats) -> Iterator[tuple[str, Floats, str]]:
    """Rows shifted, or one array the beginning of the other."""
    rows, columns = min(len(x), len(y)), min(x.shape[1], y.shape[1])
    near = _near(x, y)
    if x.shape[1] == y.shape[1]:
        if len(x) != len(y) and np.abs(x[:rows] - y[:rows]).max() <= near:
            short, long = ("b", "a") if len(y) < len(x) else ("a", "b")
            yield "rows_cut", y, f"{short} is the first {told(rows)} rows of {long}."
        for one, other, sign in ((x, y, ""), (y, x, "-")):
            for k in np.flatnonzero(np.abs(one - other[0]).max(axis=1) <= near)[:8].tolist():
                enough = 0 < k <= len(x) - 2 and len(x) == len(y)
                if enough and np.abs(one[k:] - other[: len(x) - k]).max() <= near:
                    mine, whose = (0, k) if not sign else (k, 0)
                    yield ("shifted", y, f"b is a shifted by {sign}{told(k)} rows: b's row "
                           f"{told(mine)} is a's row {told(whose)}.")  # fmt: skip
    elif len(x) == len(y) and np.abs(x[:, :columns] - y[:, :columns]).max() <= near:
        short, long = ("b", "a") if y.shape[1] < x.shape[1] else ("a", "b")
        yield "columns_cut", y, f"{short} is the first {told(columns)} columns of {long}."


def _but_for(x: Floats, y: Floats) -> tuple[str, str] | None:
    """Most columns or rows are alike: which are not."""
    if x.ndim == 1:
        return None
    near = _near(x, y)
    for axis, what in ((0, "column"), (1, "row")):
        same = np.abs(x - y).max(axis=axis) <= near
        negated = ~same & (np.abs(x + y).max(axis=axis) <= near)
        places = np.flatnonzero(~same)
        if axis == 0 and (same | negated).all():
            return "negated_columns", f"b is a with {told(places.size)} columns negated."
        if same.sum() >= 0.5 * same.size:
            zero = axis == 1 and not y[places].any()
            name = "zero_rows" if zero else f"some_{what}s"
            tail = f"{what} {told(int(places[0]))}{', which are zero.' if zero else '.'}"
            return name, f"b is a but for {told(places.size)} {what}s, the first of them {tail}"
    return None


def _by_rule(p: Diagnosis, q: Diagnosis, apart: str) -> Comparison:
    """What differs between two diagnoses."""
    found = Comparison()
    if not (p.sure and q.sure):
        found.sure = False
        found.say("unknown", f"They differ by nothing that I know{apart}.")
        for name, d in (("a", p), ("b", q)):
            found.sentences.append(f"{name}: {' '.join(_sentences.summary(d)[:2])}")
        return found
    if p.scheme != q.scheme:
        names = _sentences.SCHEMES
        return found.say("scheme", f"b is {names[q.scheme]}, a {names[p.scheme]}.")
    _by_base(found, p, q)
    for name, u, v in _facts(p, q):
        if u == v or (name not in p.details | q.details and None in (u, v)):
            continue
        if (
            isinstance(u, float)
            and isinstance(v, float)
            and abs(u - v) <= 1e-3 * max(abs(u), abs(v))
        ):
            continue
        said = [told(float(w)) if isinstance(w, (int, float)) else str(w).lower() for w in (v, u)]
        found.say(name, f"b's {name.replace('_', ' ')} is {said[0]}, a's {said[1]}.")
    if (p.precision, p.where) != (q.precision, q.where) and p.precision and q.precision:
        found.say("precision", f"b shows {q.precision} {q.where}, a {p.precision} {p.where}.")
    for name, d, other in (("a", p, q), ("b", q, p)):
        theirs = {finding.seen for finding in other.findings}
        for finding in d.findings:
            if finding.seen not in theirs and finding.name in _SAID_BY_FINDING:
                found.say(finding.name, f"{name} alone: {finding.seen}")
    if not found.names:
        found.sure = False
        found.say("unknown", f"They follow one rule, and differ by nothing that I know{apart}.")
    return found


_SAID_BY_FINDING = ("rows_off", "pairs_off", "entries_off", "not_finite", "zero_rows", "noise",
                    "padding_row", "items_differ", "breaks", "mixed_pairing", "swapped",
                    "columns_reversed", "cosine_before_sine", "printed", "bias_transposed",
                    "bias_sign")  # fmt: skip
_UNSAID = ("notes", "norm", "neighbours", "strangers", "changes", "tried", "ntk", "low", "high")


def _facts(p: Diagnosis, q: Diagnosis) -> Iterator[tuple[str, Any, Any]]:
    """The keys and details in which two diagnoses may differ."""
    for name in ("layout", "order", "scaling", "factor", "first_position", "direction",
                 "amplitude", "width"):  # fmt: skip
        yield name, getattr(p, name), getattr(q, name)
    for name in [*p.details, *(name for name in q.details if name not in p.details)]:
        if name not in _UNSAID:
            yield name, p.details.get(name), q.details.get(name)


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
