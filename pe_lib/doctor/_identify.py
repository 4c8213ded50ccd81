"""From arrays to the module that knows them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _biases, _caches, _given, _lists, _tables
from pe_lib.doctor._diagnosis import Diagnosis

Floats = NDArray[np.float64]


def identify(values: Any, sines: Any = None) -> Diagnosis:
    """What these numbers are: scheme, base, layout, scaling, precision, and what is wrong.

    `values` is a table of positions (T, d); frequencies, `inv_freq`, (n,), in radians per position;
    a bias (heads, T, T) or (T, T), or a matrix of buckets; slopes (heads,); or cosines (T, n), with
    `sines` of the same shape. Both may come as a pair (cos, sin) or a dictionary with such names.
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
    if sines is not None:
        return _cache(values, sines)
    if isinstance(values, dict):
        return _named(values)
    if isinstance(values, tuple) and len(values) == 2 and np.ndim(values[0]) > 0:
        if np.ndim(values[0]) == 1:
            raise ValueError("cos and sin must have a row for each position, got one row")
        return _cache(*values)
    x = _given.array("values", values)
    if x.ndim == 0 or x.size == 1:
        raise ValueError(f"values must be more than one number, got shape {x.shape}")
    if x.ndim == 3 and x.shape[2] == 2 and min(x.shape[:2]) > 1:
        x = _given.floats(x, "values")  # (T, n, 2): cosine and sine of each pair
        d = _caches.cache(x[..., 0], x[..., 1])
        return d if d.sure else _tables.table(x.reshape(len(x), -1))
    if x.ndim == 3 and x.shape[0] == 2 and x.shape[1] != x.shape[2] and x.shape[1] > 1:
        d = _cache(x[0], x[1])
        if d.sure:
            return d
    if x.ndim == 1:
        return _lists.frequencies(_given.floats(x, "values"))
    if x.ndim == 2:
        return _matrix(x)
    return _blocks(x)


def _named(values: dict[Any, Any]) -> Diagnosis:
    """A dictionary: cosines and sines by their names, or one array."""
    by = {str(key).lower(): value for key, value in values.items()}
    cos = [v for k, v in by.items() if "cos" in k and "sin" not in k.replace("cos", "")]
    sin = [v for k, v in by.items() if "sin" in k and "cos" not in k]
    if len(cos) == 1 and len(sin) == 1:
        return _cache(cos[0], sin[0])
    if len(by) == 1:
        return identify(next(iter(by.values())))
    for name in ("inv_freq", "frequencies", "pe", "table", "bias"):
        if name in by:
            return identify(by[name])
    raise ValueError(f"values must name cos and sin, or one array, got {sorted(by)[:6]}")


def _cache(cos: Any, sin: Any) -> Diagnosis:
    c, s = _given.array("cos", cos), _given.array("sin", sin)
    if c.shape != s.shape:
        raise ValueError(f"cos and sin must have one shape, got {c.shape} and {s.shape}")
    shape = [n for n in c.shape[:-1] if n > 1]
    if c.ndim < 2 or not shape:
        raise ValueError(f"cos must have a row for each position, got shape {c.shape}")
    if len(shape) > 1:  # a batch, or heads: all alike, one is enough
        c, s = (x.reshape(-1, *x.shape[-2:])[0] for x in (c, s))
        shape = [n for n in c.shape[:-1] if n > 1]
        if not shape:
            raise ValueError(f"cos must have a row for each position, got shape {np.shape(cos)}")
    c, s = (_given.floats(x.reshape(shape[0], x.shape[-1]), "cos") for x in (c, s))
    return _caches.cache(c, s)


def _matrix(x: NDArray[Any]) -> Diagnosis:
    if x.shape[0] == 1:
        raise ValueError(f"values must have more than one row, got shape {x.shape}")
    if x.shape[1] == 1:
        raise ValueError(f"values must be more than one entry wide, got shape {x.shape}")
    y = _given.floats(x, "values")
    if y.shape[0] == y.shape[1]:
        found = _biases.bias(y[None, :512, :512])
        if found:
            return found
    d = _tables.table(y)
    if not d.sure and d.scheme in ("learned", "unknown") and y.shape[0] != y.shape[1]:
        found = _biases.bias(y[None, :512, :512]) or _biases.bias(y[:, None, :512])
        if found and found.sure:
            return found
    return d


def _blocks(x: NDArray[Any]) -> Diagnosis:
    """Three axes or more: a bias, or a table with axes of length 1."""
    kept = [n for n in x.shape if n > 1]
    if len(kept) == 2 and x.shape[-1] > 1:
        if x.ndim == 3 and x.shape[1] == 1 and x.shape[0] > 1:
            y = x[:, 0]
            d = _matrix(y)
            if d.sure or y.shape[0] > 256:
                return d
            return _biases.bias(_given.floats(x, "values")) or d
        return _matrix(x.reshape(kept))
    if len(kept) == 1 and x.shape[-1] > 1:
        raise ValueError(f"values must have more than one row, got shape {x.shape}")
    if len(kept) == 3 and x.shape[-1] > 1 and x.shape[-2] > 1:
        y = x.reshape(kept)[:128, :512, :512]
        found = _biases.bias(_given.floats(y, "values"))
        if found:
            return found
        if kept[0] > 1 and kept[1] != kept[2]:  # a batch of one table
            z = x.reshape(kept)
            if np.array_equal(np.asarray(z[0]), np.asarray(z[1])):
                return _matrix(z[0])
            if kept[0] * kept[1] >= 4:  # a grid with its own axes
                d = _tables.table(_given.floats(z.reshape(kept[0] * kept[1], kept[2]), "values"))
                if d.sure:
                    return d
        return Diagnosis()
    raise ValueError(f"values must be a table, a list or a bias, got shape {x.shape}")
