"""From arrays to the module that knows them."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _arrays, _biases, _formats, _sentences, _tables
from pe_lib.doctor._diagnosis import Diagnosis


def identify(values: Any, sines: Any = None) -> Diagnosis:
    """What these numbers are: scheme, base, layout, scaling, precision, and what is wrong.

    `values` is a table of positions (T, d); frequencies, `inv_freq`, (n,), in radians per position;
    a bias (heads, T, T) or (T, T), or a matrix of buckets; slopes (heads,); or cosines (T, n), with
    `sines` of the same shape. Both may come as a pair (cos, sin); dictionaries are for `examine`.
    Axes of length 1 are left out, and of very long arrays the first rows are read. The keys of the
    result are those of `Diagnosis`; `sure` is True only where a rule gives the numbers back.

    Sources: those of `pe_lib.sinusoidal`, `rotary`, `biases` and `context`. Raises TypeError or
    ValueError, in one line, for what is not real numbers, one number or one row, and shapes that
    are none of these.

    >>> import pe_lib
    >>> found = identify(pe_lib.encode(range(1, 65), 32))
    >>> found.scheme, found.base, found.layout, found.first_position, found.sure
    ('sinusoidal', 10000.0, 'interleaved', 1.0, True)
    >>> identify(pe_lib.frequencies(64, 5e5) / 4).scaling
    'linear'
    """
    if sines is None and isinstance(values, tuple) and len(values) == 2 and np.ndim(values[0]) > 0:
        values, sines = values
    return _apply_gate(
        _diagnose_array(_arrays.as_array("values", values))
        if sines is None
        else _diagnose_cache(values, sines)
    )


def _apply_gate(d: Diagnosis) -> Diagnosis:
    """The one gate: sure only of what the recipe gives back, entry by entry."""
    d.sure = d.sure and d.passed()
    if (d.precision, d.where) == ("float64", "values") and _formats.narrowest_format(
        d.seen
    ) != "float64":
        d.precision = d.where = None  # numbers that narrower formats hold, too, show none
    return d


def _diagnose_array(x: NDArray[Any]) -> Diagnosis:
    """The diagnosis of one array, by its shape."""
    if x.ndim == 1 and x.size > 1:
        numbers = _arrays.read_floats(x, "values")
        return _biases.diagnose_slopes(numbers) or _tables.diagnose_frequencies(numbers)
    kept = [n for n in x.shape if n > 1]
    if x.shape[-1:] == (1,) or not 1 < len(kept) < 4 or (len(kept) == 3 and x.shape[-2] == 1):
        wanted = "a list, a table of more than one row and column, or a bias"
        raise ValueError(f"values must be {wanted}, got shape {x.shape}")
    y = x.reshape(kept)
    turned = x.ndim == 3 and kept[-1] == 2  # cosine and sine of each pair (T, n, 2)
    if turned or (x.ndim == 3 and kept[0] == 2 and kept[1] != kept[-1]):  # or (2, T, n)
        d = _diagnose_cache(y[..., 0], y[..., 1]) if turned else _diagnose_cache(y[0], y[1])
        if d.sure:
            return d
    if len(kept) == 2 or turned:
        return _diagnose_matrix(y.reshape(len(y), -1))
    if kept[1] == kept[2] or kept[0] <= 128:
        z = _arrays.read_floats(y, "values")
        keys = (z == z[:, :1]).all()  # BLOOM's form, a row for each query
        found = _biases.diagnose_bias(z[:, :1] if keys else z)
        if found and (found.sure or not keys):
            return found
    return _diagnose_batch(_diagnose_matrix, list(y))


def _diagnose_cache(cos: Any, sin: Any) -> Diagnosis:
    """Cosines and sines of one shape; a batch of them, or a batch of heads, item by item."""
    c, s = _arrays.as_array("cos", cos), _arrays.as_array("sin", sin)
    if c.shape != s.shape:
        raise ValueError(f"cos and sin must have one shape, got {c.shape} and {s.shape}")
    kept = [n for n in c.shape[:-1] if n > 1]
    if not kept or c.shape[-1] == 0 or (c.shape[-2] == 1 and len(kept) > 1):
        raise ValueError(f"cos must have a row for each position, got shape {c.shape}")
    parts = [x.reshape(-1, kept[-1], x.shape[-1]) for x in (c, s)]

    def one(item: tuple[NDArray[Any], NDArray[Any]]) -> Diagnosis:
        y = [_arrays.read_floats(x, "cos") for x in item]
        return _note_unread_rows(_tables.diagnose_cache(*y), len(y[0]), len(item[0]))

    return _diagnose_batch(one, list(zip(*parts, strict=True)))


def _note_unread_rows(d: Diagnosis, rows: int, whole: int) -> Diagnosis:
    """Says so where a long array was read in part."""
    if rows < whole:
        d.note("read", rows=rows, all=whole)
    return d


def _diagnose_batch(one: Callable[[Any], Diagnosis], items: list[Any]) -> Diagnosis:
    """The diagnosis of item 0, and which others are not the same, to the last bit."""
    d = one(items[0])
    others = [k for k, item in enumerate(items) if not np.array_equal(item, items[0], True)]
    if others:
        d.exceptions["items"] = others
        what = " ".join(_sentences.summarise(_apply_gate(one(items[others[0]])))[:2])
        d.problem("items_differ", count=len(others), all=len(items), item=others[0], what=what)
    return d


def _diagnose_matrix(x: NDArray[Any]) -> Diagnosis:
    """A table, a bias of one head, or keys' biases of several."""
    y = _arrays.read_floats(x, "values")
    if y.shape[0] == y.shape[1] and (found := _biases.diagnose_bias(y[None])):
        return found
    d = _note_unread_rows(_tables.diagnose_table(y), len(y), len(x))
    if not d.sure and d.scheme in ("learned", "unknown"):
        found = _biases.diagnose_bias(y[None]) or _biases.diagnose_bias(y[:, None])
        if found and found.sure:
            return found
    return d
