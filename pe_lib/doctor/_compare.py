"""Not that two arrays or functions differ, but how."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pe_lib.doctor import _formats, _given, _sentences
from pe_lib.doctor._data import DATA
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import bound, chosen, told
from pe_lib.doctor._probe import probe
from pe_lib.doctor._proof import Floats

# what two sure diagnoses may differ in, and details that are not told
KEYS = ("layout", "order", "scaling", "factor", "first_position", "direction", "amplitude",
        "width")  # fmt: skip
UNSAID = ("notes", "norm", "neighbours", "strangers", "changes", "tried", "ntk", "low", "high",
          "slopes")  # fmt: skip


@dataclass
class Comparison:
    """How b differs from a: `same`, `sure`, short `names` and `sentences`; prints as text.

    As a truth value it is `same`.
    """

    same: bool = False
    sure: bool = True
    names: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    def say(self, name: str, **words: str) -> "Comparison":
        """Add one difference, in the sentence of that name."""
        self.names.append(name)
        self.sentences.append(DATA["compare"][name].format(**words))
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
    if x.shape == y.shape and np.array_equal(x, y, equal_nan=True):
        return Comparison(same=True).say("same")
    p, apart = identify(a), ""
    if np.isfinite(x).all() and np.isfinite(y).all():
        for name, made, words in _changes(x, y):
            if made.shape == y.shape and np.abs(made - y).max() <= _near(made, y):
                return Comparison().say(name, **words)
    if x.shape == y.shape:
        off = np.abs(np.where(np.isfinite(x), x, 0.0) - np.where(np.isfinite(y), y, 0.0))
        place = ", ".join(told(int(k)) for k in np.unravel_index(int(np.argmax(off)), x.shape))
        apart = f"; the largest difference is {bound(float(off.max()))}, at ({place})"
    return _by_rule(p, identify(b), apart)


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
    unit = 2.0**-22 if "float32" in (_formats.held(x), _formats.held(y)) else 2.0**-46
    return unit * max(float(np.abs(x).max()), float(np.abs(y).max()))


Change = tuple[str, Floats, dict[str, str]]  # its name, what it makes of a, and words


def _changes(x: Floats, y: Floats) -> Iterator[Change]:
    """The ways in which a may have become b, the least first."""
    if x.shape == y.shape:
        for form in _formats.NARROW:
            for one, other, names in ((x, y, ("b", "a")), (y, x, ("a", "b"))):
                if np.array_equal(_formats.rounded(one, form), other):
                    yield "rounded", y, {"one": names[0], "other": names[1], "form": form}
        yield "close", x, {"off": bound(float(np.abs(x - y).max()))}
        yield "negated", -x, {}
        if x.any() and y.any():
            k = float((x * y).sum() / (x * x).sum())
            k = chosen(k, 1e-9)[0] if k > 0 else k
            yield "scaled", k * x, {"times": told(k)}
        more = float(np.median(y - x))
        more = np.sign(more) * chosen(abs(more), 1e-9)[0]
        yield "added", x + more, {"more": told(more)}
    yield "reversed", x[::-1], {"what": "" if x.ndim == 1 else "with its rows "}
    if x.ndim == 2 and y.ndim == 2:
        yield "transposed", x.T, {}
        yield from _cut(x, y)
        if x.shape == y.shape:
            yield from _but_for(x, y)


def _cut(x: Floats, y: Floats) -> Iterator[Change]:
    """Rows shifted, or one array the beginning of the other."""
    rows, columns = min(len(x), len(y)), min(x.shape[1], y.shape[1])
    near = _near(x, y)
    alike = np.abs(x[:rows, :columns] - y[:rows, :columns]).max() <= near
    for axis, what in ((0, "rows"), (1, "columns")):
        mine, whose = y.shape[axis], x.shape[axis]
        if alike and mine != whose and x.shape[1 - axis] == y.shape[1 - axis]:
            short, long = ("b", "a") if mine < whose else ("a", "b")
            count = told(min(mine, whose))
            yield f"{what}_cut", y, {"short": short, "long": long, "count": count}
    for one, other, sign in ((x, y, ""), (y, x, "-")) if x.shape == y.shape else ():
        for k in np.flatnonzero(np.abs(one - other[0]).max(axis=1) <= near)[:8].tolist():
            if 0 < k <= len(x) - 2 and np.abs(one[k:] - other[: len(x) - k]).max() <= near:
                mine, whose = (0, k) if not sign else (k, 0)
                yield "shifted", y, {"rows": sign + told(k), "mine": told(mine),
                                     "whose": told(whose)}  # fmt: skip


def _but_for(x: Floats, y: Floats) -> Iterator[Change]:
    """Most columns or rows are alike: which are not."""
    near = _near(x, y)
    for axis, what in ((0, "columns"), (1, "rows")):
        same = np.abs(x - y).max(axis=axis) <= near
        places = np.flatnonzero(~same)
        words = {"count": told(places.size), "first": told(int(places[0]))}
        if same.sum() > 0.5 * same.size:
            zero = axis == 1 and not y[places].any()
            yield "zero_rows" if zero else f"some_{what}", y, words


def _by_rule(p: Diagnosis, q: Diagnosis, apart: str) -> Comparison:
    """What differs between two diagnoses."""
    found = Comparison(sure=p.sure and q.sure)
    if not found.sure:
        found.say("unknown", apart=apart)
        found.sentences += [f"{name}: {' '.join(_sentences.summary(d)[:2])}"
                            for name, d in (("a", p), ("b", q))]  # fmt: skip
        return found
    if p.scheme != q.scheme:
        names = _sentences.SCHEMES
        return found.say("scheme", b=names[q.scheme], a=names[p.scheme])

    def differ(name: str, v: Any, u: Any) -> None:
        b, a = (told(float(w)) if isinstance(w, int | float) else str(w).lower() for w in (v, u))
        found.names.append(name)
        found.sentences.append(f"b's {name.replace('_', ' ')} is {b}, a's {a}.")

    for name, v, u in _of_base(p, q):
        differ(name, v, u)
    for name in KEYS:
        u, v = getattr(p, name), getattr(q, name)
        if None not in (u, v) and not _alike(u, v):
            differ(name, v, u)
    for name in [*p.details, *(name for name in q.details if name not in p.details)]:
        u, v = p.details.get(name), q.details.get(name)
        if name not in UNSAID and not _alike(u, v):
            differ(name, v, u)
    if (p.precision, p.where) != (q.precision, q.where) and p.precision and q.precision:
        words = {"b": f"{q.precision} {q.where}", "a": f"{p.precision} {p.where}"}
        found.say("precision", **words)
    for name, d, other in (("a", p, q), ("b", q, p)) if not found.names else ():
        theirs = {finding.seen for finding in other.findings}
        for finding in (x for x in d.findings if x.seen not in theirs):
            found.names.append(finding.name)
            found.sentences.append(f"{name} alone: {finding.seen}")
    if not found.names:
        found.sure = False
        found.say("unknown", apart=apart)
        found.sentences[0] = f"They follow one rule. {found.sentences[0]}"
    return found


def _alike(u: Any, v: Any) -> bool:
    if isinstance(u, float) and isinstance(v, float):
        return abs(u - v) <= 1e-3 * max(abs(u), abs(v))
    return bool(u == v)


def _of_base(p: Diagnosis, q: Diagnosis) -> Iterator[tuple[str, Any, Any]]:
    """Exponent and base, of b and of a, unless one reading of p is one of q."""
    if p.base is None or q.base is None:
        return
    if any(e == f and abs(b / c - 1) < 1e-4 for b, e in p.readings for c, f in q.readings):
        return
    base = {e: b for b, e in reversed(q.readings)}.get(p.exponent or "")  # of b, as a is read
    same = abs(p.base / q.base - 1) < 1e-4
    if same or (p.exponent != q.exponent and base is None):
        yield "exponent", q.exponent, p.exponent
    if not same:
        yield "base", q.base if p.exponent == q.exponent or base is None else base, p.base
