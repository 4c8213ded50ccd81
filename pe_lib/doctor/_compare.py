"""Compare two arrays or two functions, and describe how they differ."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _arrays, _formats, _sentences
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Booleans, Floats
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import DATA, format_bound, format_number, round_to_chosen
from pe_lib.doctor._probe import probe

# Which fields are compared between two certain diagnoses, and which details are ignored.
FIELDS = ("exponent", "base", "layout", "order", "scaling", "factor", "first_position", "direction",
          "amplitude", "width")  # fmt: skip
UNMENTIONED = (
    "notes",
    "norm",
    "neighbours",
    "strangers",
    "tried",
    "ntk",
    "slopes",
    "fits_groups",
    "keys",
    "kinds",
    "turns",
    "axis_positions",
)
# At most this many rows of a are tried as the first row of b.
MAX_SHIFTS = 8


@dataclass
class Comparison:
    """The result of a comparison: the differences between a and b, as `names` and `sentences`.

    It prints as text, and its truth value is `same`.
    """

    same: bool = False
    sure: bool = True
    names: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    def say(self, name: str, **words: Any) -> "Comparison":
        """Add a difference by its name, together with the sentence that describes it."""
        self.names.append(name)
        self.sentences.append(_sentences.fill_template(DATA["compare"][name], words))
        return self

    def __bool__(self) -> bool:
        return self.same

    def __str__(self) -> str:
        return "\n".join(self.sentences)


@dataclass
class _Change:
    """A possible change from a to b, with the two arrays that are equal if this change happened."""

    name: str  # the name of the sentence that describes the change
    x: Floats
    y: Floats
    words: dict[str, Any] = field(default_factory=dict)


def compare(a: Any, b: Any, width: int | None = None) -> Comparison:
    """Describe how b differs from a, for example by rounding, by a shift, or by a scale factor.

    Both arguments are what `identify` takes (tables, frequencies, biases, or pairs (cos, sin)), or
    both are functions, as `probe` takes them with the same `width`. First, b is compared with a
    after each of several simple changes. If no change gives every entry of b, both are diagnosed
    and the diagnoses are compared. Where neither explains b, `sure` is False. If the shapes differ,
    the sentences say so, and how well the common part agrees.

    Raises the errors of `identify` and `probe`, and TypeError for a function and an array.

    >>> import pe_lib
    >>> a = pe_lib.encode(range(64), 32)
    >>> print(compare(a, pe_lib.encode(range(64), 32, layout="halves")))
    b's layout is halves, and a's is interleaved.
    >>> print(compare(a, pe_lib.encode(range(2, 66), 32)))
    b is a shifted by 2 rows: b's row 0 is a's row 2.
    >>> print(compare(pe_lib.frequencies(64), pe_lib.frequencies(64, 5e5)))
    b's base is 500,000, and a's is 10,000.
    """
    functions = [callable(x) and not hasattr(x, "__array__") for x in (a, b)]
    if all(functions):
        return _compare_functions(probe(a, width), probe(b, width))
    if any(functions):
        raise TypeError("a and b must both be arrays, or both functions")
    sides = _read_side(a, "a"), _read_side(b, "b")
    x, y = (_as_table(side) for side in sides)
    same_shape = sides[0].table_shape == sides[1].table_shape
    if same_shape and np.array_equal(x, y, equal_nan=True):
        return _equal_as_read(*sides)
    finite = bool(np.isfinite(x).all() and np.isfinite(y).all())
    # If only the first rows were read of two arrays of different length, their ends are unknown.
    comparable = finite and (same_shape or x.shape != y.shape)
    for change in _propose_changes(x, y) if comparable else ():
        if _close_entries(change.x, change.y).all():
            return Comparison().say(change.name, **change.words)
    shapes = [] if same_shape else _describe_shapes(*sides)
    if "all_agree" in [name for name, _ in shapes]:
        sentences = [text for _, text in shapes]
        read_all = not any(side.is_cut for side in sides)
        return Comparison(sure=read_all, names=["shape"], sentences=sentences)
    largest = _largest_difference(x, y) if same_shape else ""
    comparison = _compare_diagnoses(identify(a), identify(b), largest)
    # Two diagnoses explain more than a new order of columns, so the order is only tried after them.
    is_unordered = "columns_out_of_order" in comparison.names
    if (not comparison.sure or is_unordered) and comparable and x.ndim == 2 and x.shape == y.shape:
        in_order = _compare_columns(x, y)
        comparison = comparison if in_order is None else in_order
    if shapes:
        comparison.names.append("shape")
        comparison.sentences += [text for _, text in shapes]
    return comparison


def _compare_functions(a: Diagnosis, b: Diagnosis) -> Comparison:
    """Compare how two functions encode positions, using the diagnoses of both functions."""
    comparison = _compare_diagnoses(a, b, "")
    # If no difference is known between two certain diagnoses, both functions follow the same rule.
    if a.sure and b.sure and comparison.names == ["unknown"]:
        return Comparison(same=True).say("same_function")
    return comparison


def _largest_difference(x: Floats, y: Floats) -> str:
    """Describe in a phrase the largest difference between two arrays, and its place."""
    off = np.abs(np.where(np.isfinite(x), x, 0.0) - np.where(np.isfinite(y), y, 0.0))
    index = np.unravel_index(int(np.argmax(off)), x.shape)
    return f"; the largest difference is {format_bound(float(off.max()))}, at {_place(index)}"


@dataclass
class _Side:
    """One side of a comparison: the examined part of an array, or of a pair (cos, sin)."""

    arrays: list[NDArray[Any]]
    parts: list[Floats]  # only the first rows of a very long array are read

    @property
    def shape(self) -> tuple[int, ...]:
        return self.arrays[0].shape

    @property
    def table_shape(self) -> tuple[int, ...]:
        """Return the shape that the complete array would have after `_as_table`."""
        sizes = [size for size in self.shape if size > 1] or [1]
        width = sizes[-1] * len(self.arrays)
        return (sizes[0],) if len(sizes) == 1 else (prod(sizes[:-1]), width)

    @property
    def is_cut(self) -> bool:
        return self.parts[0].shape != self.shape

    def __str__(self) -> str:
        """Describe the array's shape in words, such as "40 rows of 16 entries"."""
        sizes = [format_number(size) for size in self.shape]
        if len(self.arrays) == 2:
            return f"cosines and sines of shape {' × '.join(sizes)}"
        if len(sizes) == 1:
            return f"{sizes[0]} numbers"
        if len(sizes) == 2:
            return f"{sizes[0]} rows of {sizes[1]} entries"
        return f"shape {' × '.join(sizes)}"


def _read_side(values: Any, name: str) -> _Side:
    """Read one side of a comparison, which is either an array or a pair (cos, sin)."""
    is_pair = isinstance(values, tuple) and len(values) == 2 and np.ndim(values[0]) > 1
    arrays = [_arrays.as_array(name, side) for side in (values if is_pair else (values,))]
    if arrays[0].shape != arrays[-1].shape:
        raise ValueError(f"{name} must be cos and sin of one shape")
    return _Side(arrays, [_arrays.read_floats(array, name) for array in arrays])


def _as_table(side: _Side) -> Floats:
    """Return a single array, joining cosines and sines, and removing axes of length 1."""
    x = np.concatenate(side.parts, axis=-1) if side.shape else side.parts[0]
    x = x.reshape([n for n in x.shape if n > 1] or [1])
    return x if x.ndim < 3 else x.reshape(-1, x.shape[-1])


def _equal_as_read(a: _Side, b: _Side) -> Comparison:
    """Compare two long arrays completely if their examined parts are equal."""
    for x, y, part in zip(a.arrays, b.arrays, a.parts, strict=True):
        if part.shape != x.shape and not np.array_equal(x, y, equal_nan=x.dtype.kind == "f"):
            rows = part.shape[-2]
            return Comparison(sure=False).say("same_as_read", rows=rows, all=x.shape[-2])
    return Comparison(same=True).say("same")


def _describe_shapes(a: _Side, b: _Side) -> list[tuple[str, str]]:
    """Describe how two shapes differ, and how well the arrays agree where they overlap."""
    sentences = DATA["compare"]
    first = ("shapes", str(sentences["shapes"].format(a=a, b=b)))
    if len(a.shape) != len(b.shape) or len(a.parts) != len(b.parts):
        return [first]
    sizes = zip(a.parts[0].shape, b.parts[0].shape, strict=True)
    common = tuple(slice(0, min(pair)) for pair in sizes)
    x, y = (np.stack([part[common] for part in side.parts]) for side in (a, b))
    finite = np.isfinite(x) & np.isfinite(y)
    agree = (x == y) | (np.isnan(x) & np.isnan(y))
    agree |= _close_entries(np.where(finite, x, 0.0), np.where(finite, y, 0.0)) & finite
    words: dict[str, Any] = {"all": x.size, "read": " that were read" * (a.is_cut or b.is_cut)}
    if agree.all():
        return [first, ("all_agree", _sentences.fill_template(sentences["all_agree"], words))]
    differs = ~agree.all(axis=0)
    index = np.unravel_index(int(np.argmax(differs)), differs.shape)
    words |= {"count": int(agree.sum()), "place": _place(index)}
    return [first, ("some_agree", _sentences.fill_template(sentences["some_agree"], words))]


def _place(index: Sequence[Any]) -> str:
    """Describe where an entry is, such as "index 3", "row 4, column 0" or "(1, 2, 3)"."""
    places = [format_number(int(k)) for k in index]
    if len(places) == 1:
        return f"index {places[0]}"
    return f"row {places[0]}, column {places[1]}" if len(places) == 2 else f"({', '.join(places)})"


def _close_entries(x: Floats, y: Floats) -> Booleans:
    """Return which entries are equal up to rounding errors of float64, or of float32.

    The bound is that of float32 if at least one array needs float32 to hold its numbers. Numbers
    that fit into half precision are compared as float64, such as whole numbers, or the entries of
    two tables that were each rounded to half precision.
    """
    if x.shape != y.shape:
        return np.zeros(1, np.bool_)
    formats = _formats.narrowest_format(x), _formats.narrowest_format(y)
    unit = 2.0**-22 if "float32" in formats else 2.0**-46
    return np.asarray(np.abs(x - y) <= unit * max(np.abs(x).max(), np.abs(y).max()))


def _propose_changes(x: Floats, y: Floats) -> Iterator[_Change]:
    """Propose changes that may turn a into b, beginning with the smallest change."""
    if x.shape == y.shape:
        yield from _propose_new_values(x, y)
    if x.ndim == y.ndim and x.shape[1:] == y.shape[1:] and len(x) != len(y):
        yield from _propose_excerpts(x, y)
    if not x.ndim == y.ndim == 2:
        return
    yield _Change("transposed", x.T, y)
    (count, short), (longer, long) = sorted([(x.shape[1], "a"), (y.shape[1], "b")])
    if len(x) == len(y) and count < longer:
        words = {"short": short, "long": long, "count": count}
        yield _Change("columns_cut", x[:, :count], y[:, :count], words)
    if x.shape == y.shape:
        yield from _propose_shifts(x, y)
        yield from _propose_few_differences(x, y)


def _propose_new_values(x: Floats, y: Floats) -> Iterator[_Change]:
    """Propose that all entries were rounded, negated, scaled, shifted, or put in reverse order."""
    for form in _formats.NARROW:
        for one, other, b, a in ((x, y, "b", "a"), (y, x, "a", "b")):
            if np.array_equal(_formats.round_to(one, form), other):
                yield _Change("rounded", y, y, {"one": b, "other": a, "form": form})
    yield _Change("close", x, y, {"off": format_bound(float(np.abs(x - y).max()))})
    yield _Change("negated", -x, y)
    if x.any() and y.any():
        times = _round_signed(float((x * y).sum() / (x * x).sum()))
        yield _Change("scaled", times * x, y, {"times": times})
    more = _round_signed(float(np.median(y - x)))
    yield _Change("added", x + more, y, {"more": more})
    yield _Change("reversed", x[::-1], y, {"what": "" if x.ndim == 1 else "with its rows "})


def _propose_excerpts(x: Floats, y: Floats) -> Iterator[_Change]:
    """Propose that the shorter array is the beginning or the end of the longer array."""
    (count, short), (_, long) = sorted([(len(x), "a"), (len(y), "b")])
    words = {"short": short, "long": long, "count": count}
    what = "numbers" if x.ndim == 1 else "rows"
    yield _Change(f"{what}_cut", x[:count], y[:count], words)
    yield _Change(f"last_{what}", x[-count:], y[-count:], words)


def _propose_shifts(x: Floats, y: Floats) -> Iterator[_Change]:
    """Propose that one array begins at a later row of the other array."""
    for one, other, sign in ((x, y, 1), (y, x, -1)):
        begins = _close_entries(one, np.broadcast_to(other[0], x.shape)).all(axis=1)
        for k in np.flatnonzero(begins)[:MAX_SHIFTS]:
            if 0 < k <= len(x) - 2:
                words = {"rows": sign * k, "mine": max(0, -sign * k), "whose": max(0, sign * k)}
                yield _Change("shifted", one[k:], other[:-k], words)


def _propose_few_differences(x: Floats, y: Floats) -> Iterator[_Change]:
    """Propose that b equals a except in a minority of the columns or of the rows."""
    for axis, what in enumerate(("columns", "rows")):
        same = _close_entries(x, y).all(axis=axis)
        if same.mean() > 0.5:
            is_zero = what == "rows" and not y[~same].any()
            words = {"count": (~same).sum(), "first": np.argmin(same)}
            yield _Change("zero_rows" if is_zero else f"some_{what}", y, y, words)


def _compare_columns(x: Floats, y: Floats) -> Comparison | None:
    """Describe how the columns of b are those of a in another order, or return None."""
    half = x.shape[1] // 2
    exchanged = np.concatenate([x[:, half:], x[:, :half]], axis=1)
    if x.shape[1] % 2 == 0 and _close_entries(exchanged, y).all():
        return Comparison().say("halves_exchanged")
    # Equal columns may stand in any order, so each column of b is matched with the next column of a
    # that is equal to it and not yet used.
    places: dict[bytes, list[int]] = {}
    for k in range(x.shape[1]):
        places.setdefault(x[:, k].tobytes(), []).append(k)
    order = []
    for k in range(y.shape[1]):
        free = places.get(y[:, k].tobytes())
        if not free:
            return None
        order.append(free.pop(0))
    moved = [k for k in range(len(order)) if order[k] != k]
    words = {"count": len(moved), "first": moved[0], "from": order[moved[0]]}
    return Comparison().say("columns_permuted", **words)


def _round_signed(x: float) -> float:
    """Return a round number near x, of the same sign, that a person probably chose."""
    return float(np.sign(x)) * round_to_chosen(abs(x), 1e-9)[0]


def _compare_diagnoses(p: Diagnosis, q: Diagnosis, largest: str) -> Comparison:
    """Describe how diagnosis q of array b differs from diagnosis p of array a."""
    comparison = Comparison(sure=p.sure and q.sure)
    if not comparison.sure:
        comparison.say("unknown", apart=largest)
        for name, d in (("a", p), ("b", q)):
            comparison.sentences.append(f"{name}: {' '.join(_sentences.summarise(d)[:2])}")
        return comparison
    if p.scheme != q.scheme:
        names = _sentences.SCHEMES
        return comparison.say("scheme", b=names[q.scheme], a=names[p.scheme])
    _compare_fields(comparison, p, q)
    if (p.precision, p.where) != (q.precision, q.where) and p.precision and q.precision:
        b, a = (f"{d.precision} {d.where}" for d in (q, p))
        comparison.say("precision", b=b, a=a)
    if not comparison.names:
        _compare_findings(comparison, p, q)
    if not comparison.names:
        comparison.sure = False
        comparison.say("unknown", apart=largest)
        comparison.sentences.insert(0, DATA["compare"]["same_rule"])
    return comparison


def _compare_fields(comparison: Comparison, p: Diagnosis, q: Diagnosis) -> None:
    """Describe which fields and details differ between two diagnoses of the same scheme."""
    # If both diagnoses allow the same pair (base, exponent), the base and the exponent agree, and
    # are not compared.
    shared = any(e == f and _is_close(b, c) for b, e in p.readings for c, f in q.readings)
    keys = [key for key in FIELDS[2 * shared :] if None not in (getattr(p, key), getattr(q, key))]
    mine, theirs = (
        {key: getattr(d, key) for key in keys}
        | {key: x for key, x in d.details.items() if key not in UNMENTIONED}
        for d in (p, q)
    )
    for key in mine | theirs:
        values = mine.get(key), theirs.get(key)
        if not _is_close(*values):
            a, b = (
                format_number(x) if isinstance(x, int | float) else str(x).lower() for x in values
            )
            words = {"field": key.replace("_", " "), "a": a, "b": b}
            comparison.names.append(key)
            comparison.sentences.append(str(DATA["compare"]["field"].format(**words)))


def _compare_findings(comparison: Comparison, p: Diagnosis, q: Diagnosis) -> None:
    """Describe the findings that appear in only one of two diagnoses."""
    for name, d, other in (("a", p, q), ("b", q, p)):
        for finding in d.findings:
            if finding.seen not in [theirs.seen for theirs in other.findings]:
                comparison.names.append(finding.name)
                text = DATA["compare"]["alone"].format(name=name, seen=finding.seen)
                comparison.sentences.append(text)


def _is_close(u: Any, v: Any) -> bool:
    if isinstance(u, float) and isinstance(v, float):
        return abs(u - v) <= 1e-4 * max(abs(u), abs(v))
    return bool(u == v)
