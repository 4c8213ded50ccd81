"""Diagnose an array according to its shape, and call a diagnosis certain only with a proof."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import (
    _arrays,
    _biases,
    _distances,
    _formats,
    _ids,
    _likeness,
    _masks,
    _sentences,
    _tables,
    _windows,
)
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats
from pe_lib.doctor._orders import table_orders

# An array with more matrices than this is treated as a batch of tables, not as a bias.
MAX_HEADS = 128
# The patches in a side of a window whose index is recognised without its name.
MIN_WINDOW, MAX_WINDOW = 4, 32
# If items in a batch of caches differ from the first item, fewer than this many are examined.
MAX_MOVED = 16


def identify(values: Any, sines: Any = None) -> Diagnosis:
    """Diagnose an array: its position scheme, base, layout, scaling, precision, and any mistakes.

    `values` may be a table of positions (T, d), frequencies such as `inv_freq` (n,) in radians per
    position, a bias (heads, T, T) or (T, T), a matrix of buckets, slopes (heads,), or cosines
    (T, n) with `sines` of the same shape. Cosines and sines may also come as a pair (cos, sin).
    Pass dictionaries to `examine`. Axes of length 1 are left out, and only the first rows of very
    long arrays are read. The result is a `Diagnosis`, which is `sure` only if a rule reproduces the
    numbers.

    Sources: see `pe_lib.sinusoidal`, `rotary`, `biases` and `context`. Raises TypeError or
    ValueError, in one line, for values that are not real numbers, for a single number or row, and
    for any other shape.

    >>> import pe_lib
    >>> d = identify(pe_lib.encode(range(1, 65), 32))
    >>> d.scheme, d.base, d.layout, d.first_position, d.sure
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
    """Make a diagnosis uncertain if its recipe fails to reproduce any entry of the array."""
    d.sure = d.sure and d.passed()
    claims_float64 = (d.precision, d.where) == ("float64", "values")
    if claims_float64 and _formats.narrowest_format(d.seen) != "float64":
        # A narrower format could hold these numbers exactly, so their precision cannot be known.
        d.precision = d.where = None
    return d


def _diagnose_array(x: NDArray[Any]) -> Diagnosis:
    """Diagnose an array according to its shape, as a list, a table, a bias, a cache, or a batch."""
    kept = [n for n in x.shape if n > 1]
    is_row = x.ndim == 2 and len(x) == 1 and len(kept) == 1  # one text, or a list in a table
    if len(kept) == 2 and (offsets := _read_offsets(x.reshape(kept))):
        return offsets
    if (_is_integer(x) or is_row) and _ids.are_ids(x):
        d = _ids.diagnose_batch(x)
        d.sure = False  # without a tensor name, the integers may count something else
        return d
    if _is_integer(x) and (integers := _describe_integers(x, is_row)):
        return integers
    if len(kept) == 3 and (coordinates := _windows.diagnose_coordinates(x)):
        return coordinates
    if (x.ndim == 1 or is_row) and x.size > 1:
        return _diagnose_list(x)
    if x.shape[-1:] == (1,) or not 1 < len(kept) < 4 or (len(kept) == 3 and x.shape[-2] == 1):
        expected = "a list, a table of more than one row and column, or a bias"
        raise ValueError(f"values must be {expected}, got shape {x.shape}")
    y = x.reshape(kept)
    are_pairs = x.ndim == 3 and kept[-1] == 2  # shape (T, n, 2): a cosine and a sine for each pair
    # An array of shape (2, T, n) may hold all cosines and then all sines.
    if are_pairs or (x.ndim == 3 and kept[0] == 2 and kept[1] != kept[-1]):
        d = _diagnose_cache(y[..., 0], y[..., 1]) if are_pairs else _diagnose_cache(y[0], y[1])
        if d.sure:
            return d
    if len(kept) == 2 or are_pairs:
        return _diagnose_matrix(y.reshape(len(y), -1), x.shape[-2] == 1)
    if kept[1] == kept[2] or kept[0] <= MAX_HEADS:
        z = _read_square(y)
        are_keys = (z == z[:, :1]).all()  # BLOOM's bias, which has one row for all queries
        bias = _biases.diagnose_bias(z[:, :1] if are_keys else z)
        if bias and (bias.sure or not are_keys):
            return _note_unread_rows(bias, z.shape[1], kept[1])
    return _diagnose_layers(y)


def _diagnose_list(x: NDArray[Any]) -> Diagnosis:
    """Diagnose a list as the index of a window, as slopes or as frequencies."""
    numbers = _arrays.read_floats(x.reshape(-1), "values")
    if index := _read_index(numbers):
        return index
    d = _biases.diagnose_slopes(numbers) or _tables.diagnose_frequencies(numbers)
    if _is_integer(x):  # frequencies are no integers, so these count or name something else
        d.drop("not_falling", "negative")
    return d


def _diagnose_layers(y: NDArray[Any]) -> Diagnosis:
    """Diagnose an array with three axes as a batch of tables, as one table, or as a grid."""
    d, kept = _diagnose_batch(_diagnose_matrix, list(y)), [*y.shape]
    if d.problems:
        whole = _diagnose_matrix(y.reshape(-1, kept[-1]))
        # A grid may have an axis for its rows, and a learned table may have several parts.
        if whole.details.get("axes") == kept[:-1] and whole.sure:
            return whole
        if d.scheme == "learned" and whole.scheme == "learned" and "items_differ" in d.problems:
            # An image model may store the channels before the rows and columns of its grid.
            grid = _diagnose_matrix(y.reshape(len(y), -1).T)
            if grid.scheme == "sinusoidal" and grid.details.get("axes") == kept[1:]:
                grid.note("channels_first", count=len(y))
                return grid
            whole.note("items_learned", count=len(y))
            return whole
    return d


def _read_offsets(x: NDArray[Any]) -> Diagnosis | None:
    """Return the diagnosis of a matrix that counts offsets in a window or in a text, or None."""
    if index := _read_index(x):
        return index
    if not _is_integer(x) or len(x) != x.shape[1]:
        return None
    return _distances.diagnose_distances(_arrays.read_floats(x, "values"))


def _read_index(x: NDArray[Any]) -> Diagnosis | None:
    """Return the diagnosis of an index (N, N) or (N · N,) of a window, if it is certain."""
    if not MIN_WINDOW**2 <= x.size <= MAX_WINDOW**4 or (x.ndim == 2 and len(x) != x.shape[1]):
        return None
    y = np.asarray(x, np.float64)
    count = y.size**0.5  # of patches, each of which has an offset of its own from the first
    if not np.isfinite(y).all() or not count <= float(y.max() - y.min()) + 1 < 9 * count:
        return None
    d = _windows.diagnose_index(y)
    if d and (d.sure or (_is_integer(x) and x.ndim == 2 and _windows.has_own_numbers(y))):
        return d
    return None


def _describe_integers(x: NDArray[Any], is_row: bool) -> Diagnosis | None:
    """Describe integers that are one for each text, or all the same. Return None for others."""
    if x.ndim == 2 and x.shape[1] == 1 and len(x) > 1 and x.min() >= 0:
        return _ids.diagnose_step(x)
    is_list = x.ndim == 1 or is_row
    return _describe_constant(x) if is_list and _ids.may_be_constant(x) else None


def _describe_constant(x: NDArray[Any]) -> Diagnosis:
    """Describe integers (1, T) or (T,) that are all the same."""
    if x.reshape(-1)[0] == 1:
        d = Diagnosis()
        d.note("ones", count=x.size)
        return d
    d = _ids.diagnose_batch(x)
    d.sure = False
    return d


def _is_integer(x: NDArray[Any]) -> bool:
    """Return whether an array has a type of integers. Rising floats may count something else."""
    return getattr(x, "dtype", None) is not None and x.dtype.kind in "iu"


def _diagnose_cache(cos: Any, sin: Any) -> Diagnosis:
    """Diagnose cosines and sines of equal shape, which may have axes for a batch or for heads."""
    c, s = _arrays.as_array("cos", cos), _arrays.as_array("sin", sin)
    if c.shape != s.shape:
        raise ValueError(f"cos and sin must have one shape, got {c.shape} and {s.shape}")
    kept = [n for n in c.shape[:-1] if n > 1]
    if c.ndim > 1 and not kept and c.shape[-1] > 1:
        kept = [1]  # the only row of one decoding step
    if not kept or c.shape[-1] == 0 or (c.shape[-2] == 1 and len(kept) > 1):
        raise ValueError(f"cos must have a row for each position, got shape {c.shape}")
    parts = [x.reshape(-1, kept[-1], x.shape[-1]) for x in (c, s)]

    def diagnose_item(item: tuple[NDArray[Any], NDArray[Any]]) -> Diagnosis:
        y = [_arrays.read_floats(x, "cos") for x in item]
        return _note_unread_rows(_tables.diagnose_cache(*y), len(y[0]), len(item[0]))

    return _diagnose_batch(diagnose_item, list(zip(*parts, strict=True)))


def _note_unread_rows(d: Diagnosis, rows: int, total: int) -> Diagnosis:
    """Add a note if only the first rows of a long array were read."""
    if rows < total:
        d.note("read", rows=rows, all=total)
    return d


def _diagnose_batch(diagnose: Callable[[Any], Diagnosis], items: list[Any]) -> Diagnosis:
    """Diagnose the first item of a batch, and report which items differ from the first."""
    d = diagnose(items[0])
    others = [k for k, item in enumerate(items) if not np.array_equal(item, items[0], True)]
    if others:
        d.exceptions["items"] = others
        other = _apply_gate(diagnose(items[others[0]]))
        if isinstance(items[0], tuple) and _have_one_rule(d, other):
            rest = [_apply_gate(diagnose(items[k])) for k in others[1:MAX_MOVED]]
            if all(_have_one_rule(d, one) for one in rest):
                what = " ".join(other.details.get("notes", []))
                d.exceptions["items"] = []
                d.note("items_moved", count=len(others), all=len(items), item=others[0], what=what)
                return d
        what = " ".join(_sentences.summarise(other)[:2])
        d.problem("items_differ", count=len(others), all=len(items), item=others[0], what=what)
    return d


def _have_one_rule(d: Diagnosis, other: Diagnosis) -> bool:
    """Return whether two caches are healthy and differ only in the positions of their rows."""
    keys = (d.base, d.exponent, d.scaling, d.factor, d.amplitude, d.layout)
    others = (
        other.base,
        other.exponent,
        other.scaling,
        other.factor,
        other.amplitude,
        other.layout,
    )
    healthy = d.sure and other.sure and not d.problems and not other.problems
    return healthy and keys == others


def _read_square(x: NDArray[Any]) -> Floats:
    """Return the entries of a bias (…, T, S) as floats: all, or the first queries and their keys.

    Of a bias that is too large, only the first rows are read. If T = S, as many columns are kept.
    """
    y = _arrays.read_floats(x, "values")
    return y[..., : y.shape[-2]] if x.shape[-2] == x.shape[-1] else y


def _diagnose_matrix(x: NDArray[Any], is_query: bool = False) -> Diagnosis:
    """Diagnose a matrix as a table, as one head's bias, or as BLOOM's bias for several heads.

    `is_query` says whether each row may be the only query of a head.
    """
    y = _arrays.read_floats(x, "values")
    integers = Diagnosis()
    # A table is longer than wide, and a batch of masks seldom has so many texts.
    if len(y) > y.shape[1] and _likeness.describe_integers(integers, y, table_orders(y.shape[1])):
        return integers
    square = _read_square(x)[None]
    if square.shape[1] == square.shape[2] or _masks.list_readings(square):
        bias = _biases.diagnose_bias(square)
        if bias and (bias.sure or square.shape[1] == square.shape[2]):
            return _note_unread_rows(bias, square.shape[1], len(x))
    if is_query:
        bias = _biases.diagnose_bias(y[:, None])
        if bias and bias.scheme == "alibi":
            return bias
    d = _note_unread_rows(_tables.diagnose_table(y), len(y), len(x))
    if not d.sure and d.scheme in ("learned", "unknown"):
        for z in (y[None], y[:, None]):
            bias = _biases.diagnose_bias(z)
            if bias and bias.sure:
                return bias
    return d
