"""Not that two arrays or functions differ, but how."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pe_lib.doctor import _formats, _given, _sentences
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats, Truths
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import DATA, bound, chosen, told
from pe_lib.doctor._probe import probe

# what two sure diagnoses may differ in, and details that are not told
KEYS = ("exponent", "base", "layout", "order", "scaling", "factor", "first_position", "direction",
        "amplitude", "width")  # fmt: skip
UNSAID = ("notes", "norm", "neighbours", "strangers", "tried", "ntk")


@dataclass
class Comparison:
    """How b differs from a: `same`, `sure`, short `names` and `sentences`; prints as text.

    As a truth value it is `same`.
    """

    same: bool = False
    sure: bool = True
    names: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    def say(self, name: str, **words: Any) -> "Comparison":
        """Add one difference, in the sentence of that name."""
        self.names.append(name)
        self.sentences.append(_sentences.filled(DATA["compare"][name], words))
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
    b's layout is halves, a's interleaved.
    >>> print(compare(a, pe_lib.encode(range(2, 66), 32)))
    b is a shifted by 2 rows: b's row 0 is a's row 2.
    >>> print(compare(pe_lib.frequencies(64), pe_lib.frequencies(64, 5e5)))
    b's base is 500,000, a's 10,000.
    """
    functions = [callable(x) and not hasattr(x, "__array__") for x in (a, b)]
    if all(functions):
        p, q = probe(a), probe(b)
        found = _by_rule(p, q, "")
        if p.sure and q.sure and found.names == ["unknown"]:  # one rule, as far as was tried
            found = Comparison(same=True).say("same_function")
        return found
    if any(functions):
        raise TypeError("a and b must both be arrays, or both functions")
    x, y = _one(a, "a"), _one(b, "b")
    if np.array_equal(x, y, equal_nan=True):
        return Comparison(same=True).say("same")
    finite = bool(np.isfinite(x).all() and np.isfinite(y).all())
    for name, one, other, words in _changes(x, y) if finite else ():
        if _near(one, other).all():
            return Comparison().say(name, **words)
    apart = ""
    if x.shape == y.shape:
        off = np.abs(np.where(np.isfinite(x), x, 0.0) - np.where(np.isfinite(y), y, 0.0))
        place = ", ".join(told(int(k)) for k in np.unravel_index(int(np.argmax(off)), x.shape))
        apart = f"; the largest difference is {bound(float(off.max()))}, at ({place})"
    return _by_rule(identify(a), identify(b), apart)


def _one(values: Any, name: str) -> Floats:
    """One array: cosines and sines side by side, axes of length 1 left out."""
    if isinstance(values, tuple) and len(values) == 2 and np.ndim(values[0]) > 1:
        parts = [_given.floats(_given.array(name, v), name) for v in values]
        if parts[0].shape != parts[1].shape:
            raise ValueError(f"{name} must be cos and sin of one shape")
        values = np.concatenate(parts, axis=-1)
    x = _given.floats(_given.array(name, values), name)
    x = x.reshape([n for n in x.shape if n > 1] or [1])
    return x if x.ndim < 3 else x.reshape(-1, x.shape[-1])


def _near(x: Floats, y: Floats) -> Truths:
    """Which entries are alike but for the last bits of float64, or of float32.

    Numbers that fit in half precision are no coarser for that: whole numbers do, and so do two
    tables that were each rounded.
    """
    if x.shape != y.shape:
        return np.zeros(1, np.bool_)
    unit = 2.0**-22 if "float32" in (_formats.held(x), _formats.held(y)) else 2.0**-46
    return np.asarray(np.abs(x - y) <= unit * max(np.abs(x).max(), np.abs(y).max()))


def _changes(x: Floats, y: Floats) -> Iterator[tuple[str, Floats, Floats, dict[str, Any]]]:
    """The ways in which a may have become b, the least first: a name, what is alike then, words."""
    if x.shape == y.shape:
        for form in _formats.NARROW:
            for one, other, b, a in ((x, y, "b", "a"), (y, x, "a", "b")):
                if np.array_equal(_formats.rounded(one, form), other):
                    yield "rounded", y, y, {"one": b, "other": a, "form": form}
        yield "close", x, y, {"off": bound(float(np.abs(x - y).max()))}
        yield "negated", -x, y, {}
        if x.any() and y.any():
            times = _chosen(float((x * y).sum() / (x * x).sum()))
            yield "scaled", times * x, y, {"times": times}
        more = _chosen(float(np.median(y - x)))
        yield "added", x + more, y, {"more": more}
        yield "reversed", x[::-1], y, {"what": "" if x.ndim == 1 else "with its rows "}
    if not x.ndim == y.ndim == 2:
        return
    yield "transposed", x.T, y, {}
    for axis, what in enumerate(("rows", "columns")):
        (count, short), (longer, long) = sorted([(x.shape[axis], "a"), (y.shape[axis], "b")])
        if count < longer:
            one, other = (z.take(range(count), axis) for z in (x, y))
            yield f"{what}_cut", one, other, {"short": short, "long": long, "count": count}
    if x.shape != y.shape:
        return
    for one, other, sign in ((x, y, 1), (y, x, -1)):
        for k in np.flatnonzero(_near(one, np.broadcast_to(other[0], x.shape)).all(axis=1))[:8]:
            if 0 < k <= len(x) - 2:
                words = {"rows": sign * k, "mine": max(0, -sign * k), "whose": max(0, sign * k)}
                yield "shifted", one[k:], other[:-k], words
    for axis, what in enumerate(("columns", "rows")):
        same = _near(x, y).all(axis=axis)
        if same.mean() > 0.5:
            zero = what == "rows" and not y[~same].any()
            words = {"count": (~same).sum(), "first": np.argmin(same)}
            yield "zero_rows" if zero else f"some_{what}", y, y, words


def _chosen(x: float) -> float:
    """The number that somebody chose, of either sign."""
    return float(np.sign(x)) * chosen(abs(x), 1e-9)[0]


def _by_rule(p: Diagnosis, q: Diagnosis, apart: str) -> Comparison:
    """What differs between two diagnoses, of a and of b."""
    found = Comparison(sure=p.sure and q.sure)
    if not found.sure:
        found.say("unknown", apart=apart)
        for name, d in (("a", p), ("b", q)):
            found.sentences.append(f"{name}: {' '.join(_sentences.summary(d)[:2])}")
        return found
    if p.scheme != q.scheme:
        names = _sentences.SCHEMES
        return found.say("scheme", b=names[q.scheme], a=names[p.scheme])
    shared = any(e == f and _alike(b, c) for b, e in p.readings for c, f in q.readings)
    keys = [key for key in KEYS[2 * shared :] if None not in (getattr(p, key), getattr(q, key))]
    one, two = (
        {key: getattr(d, key) for key in keys}
        | {key: x for key, x in d.details.items() if key not in UNSAID}
        for d in (p, q)
    )
    for key in one | two:
        u, v = one.get(key), two.get(key)
        if not _alike(u, v):
            a, b = (told(x) if isinstance(x, int | float) else str(x).lower() for x in (u, v))
            found.names.append(key)
            found.sentences.append(f"b's {key.replace('_', ' ')} is {b}, a's {a}.")
    if (p.precision, p.where) != (q.precision, q.where) and p.precision and q.precision:
        found.say("precision", b=f"{q.precision} {q.where}", a=f"{p.precision} {p.where}")
    for name, d, other in (("a", p, q), ("b", q, p)) if not found.names else ():
        for finding in d.findings:
            if finding.seen not in [theirs.seen for theirs in other.findings]:
                found.names.append(finding.name)
                found.sentences.append(f"{name} alone: {finding.seen}")
    if not found.names:
        found.sure = False
        found.say("unknown", apart=apart)
        found.sentences[0] = f"They follow one rule. {found.sentences[0]}"
    return found


def _alike(u: Any, v: Any) -> bool:
    if isinstance(u, float) and isinstance(v, float):
        return abs(u - v) <= 1e-4 * max(abs(u), abs(v))
    return bool(u == v)
