"""A function asked instead of an array: unit vectors at near and far positions tell."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from pe_lib.doctor import _arrays
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import format_number
from pe_lib.doctor._orders import REPETITIONS
from pe_lib.doctor._proof import BLIND

Image = Callable[[int], Floats]  # what becomes of vectors at a position

WIDTHS = (64, 32, 128, 16, 8, 96, 80, 256, 4, 2)
NEAR = 32  # positions 0 … 31 show the rule
FAR = (64, 100, 128, 256, 512, 1000, 1024, 2048, 4096, 8192, 10_000, 16_384, 32_768, 65_536,
       100_000, 131_072)  # fmt: skip


def probe(function: Callable[..., Any], width: int | None = None) -> Diagnosis:
    """What a function does with positions: layout, direction, turned width, where it starts.

    `function` takes (vector, position), a vector (width,) and a whole number, and returns the
    vector with its position in it. Vectors may come as rows of one array, and as tensors of PyTorch
    where the function wants them. `width` is tried, or else usual widths. What a function of
    (length, width) returns is for `identify`.

    It is given unit vectors at positions 0 to 31, and at some up to 131,072, where it must follow
    the same rule. The entries that one turns into show the layout ("interleaved" or
    "halves"), the sign the direction (1 counter-clockwise), entries that stay the turned width.
    `details` has "turned", "turned_from", "relative" (whether scores know the offset alone),
    "tried" (the farthest position) and "added" (whether positions are added instead). Which layout
    trained *weights* expect cannot be read off them.

    Raises TypeError if it is no function, ValueError if no call gave such an array: a function of
    queries, keys, cosines and sines must be wrapped.

    >>> from pe_lib import rotary
    >>> found = probe(lambda x, t: rotary.rotate(x, t, layout="halves", turned=16), width=64)
    >>> found.scheme, found.layout, found.direction, found.details["turned"], found.base
    ('rotary', 'halves', 1, 16, 10000.0)
    """
    if not callable(function):
        raise TypeError("function must be a function of (vector, position)")
    why = ""
    for n in (width,) if width else WIDTHS:
        try:
            image = _read_images(function, n)
        except Exception as error:  # whatever another's function raises
            why = why or " ".join(f"{type(error).__name__}: {error}".split())[:120]
        else:
            return _diagnose_images(image, n)
    raise ValueError(
        "function must take (vector, position) and return a vector, as lambda x, t: rotate(x, "
        f"cos[t], sin[t]) does: {why}"
    )


def _read_images(function: Callable[..., Any], n: int) -> Image:
    """What unit vectors become at a position, a row each, and zero, the last row.

    They are given as arrays or as tensors, all at once if that is the same, or one by one. Raises
    whatever the function does, if it takes no vector of this width.
    """
    units = np.concatenate([np.eye(n), np.zeros((1, n))])
    torch = None

    def one(x: Floats, t: int) -> Floats:
        """What becomes of x (…, n) at position t, complex numbers as pairs of real ones."""
        made = function(x.copy() if torch is None else torch.from_numpy(x.copy()), t)
        made = _arrays.to_numpy(made.resolve_conj() if hasattr(made, "resolve_conj") else made)
        if np.iscomplexobj(made):
            made = np.stack([made.real, made.imag], axis=-1).reshape(*x.shape[:-1], -1)
        return np.asarray(_arrays.as_array("function(x, t)", made), np.float64)

    def each(x: Floats, t: int) -> Floats:
        return np.stack([one(row, t) for row in x])

    try:
        ends = each(units[[0, -1]], 3)
    except Exception:
        torch = sys.modules.get("torch")
        if torch is None:
            raise
        ends = each(units[[0, -1]], 3)
    if ends.shape != (2, n):
        raise ValueError(f"a vector of {n} became an array of shape {ends.shape[1:]}")
    try:
        both = one(units, 3)
        batch = both.shape == units.shape and np.allclose(both[[0, -1]], ends, 0, 1e-12)
    except Exception:
        batch = False
    return lambda t: (one if batch else each)(units, t)


def _diagnose_images(image: Image, n: int) -> Diagnosis:
    """What becomes of n unit vectors, and of zero, diagnosed."""
    images = np.stack([image(t) for t in range(NEAR)])
    zero, moved, still = images[:, -1], images[:, :-1], np.eye(n)
    if np.abs(zero).max() > 1e-9:  # positions are added: what comes out for 0 is the table
        d = identify(zero)
        d.details["added"] = True
        _try_far_positions(d, lambda t: image(t)[-1:])
        return d
    if np.abs(moved - still).max() < 1e-12:
        d = Diagnosis("none", width=n, details={"turned": 0, "relative": True})
        d.sure = all(np.abs(image(t)[:-1] - still).max() < 1e-12 for t in (100, 10_000))
        return d
    apart = np.abs(moved * (1 - still)).max(axis=0)
    known = np.flatnonzero(apart.max(axis=1) > 1e-12)
    low, turned, i = int(known.min(initial=n)), known.size, np.arange(known.size)
    mates = apart.argmax(axis=1)[known] - low
    orders = {"interleaved": i ^ 1, "halves": (i + turned // 2) % max(turned, 1)}
    layout = next((name for name, order in orders.items() if (mates == order).all()), None)
    if not turned or turned % 2 or known[-1] - low >= turned or layout is None:
        d = Diagnosis(width=n, details={"turned": turned})
        d.other("unpaired")
        return d
    first = low + np.flatnonzero(i < mates)
    second = low + mates[first - low]

    def cos_sin(images: Floats) -> Floats:
        return np.concatenate([images[:, first, first], images[:, first, second]], axis=1)

    cos, sin = np.split(cos_sin(moved), 2, axis=1)
    ahead, below = moved[:, second, first] + sin, moved[:, second, second] - cos
    turns = max(np.abs(ahead).max(), np.abs(below).max()) <= 1e-5
    d = identify(cos, sin) if turns else identify(np.diagonal(moved, 0, 1, 2)[:, known])
    cached = d.layout
    if turns:
        d.layout, d.order, d.width = layout, "turned", turned
    elif cached in (None, layout):
        d = Diagnosis(width=turned)
        d.other("no_rotation")
    else:  # cosines in another layout than pairs
        d.layout, d.order, d.width, d.alternatives = None, None, turned, []
        d.problem("mixed_pairing", one=REPETITIONS[layout], two=REPETITIONS[cached])
    d.details.update(turned=turned, turned_from=low)
    if d.scheme == "unknown":
        return d
    which = "The first" if low == 0 else "The last" if low + turned == n else "The middle"
    d.note("all_turn" if turned == n else "some_turn", which=which, turned=turned, width=n)
    relative = turns and not d.exceptions["rows"]
    d.details["relative"] = relative
    d.note("relative" if relative else "not_relative")
    if "mixed_pairing" not in d.problems:
        _try_far_positions(d, lambda t: cos_sin(image(t)[None]))
    return d


def _try_far_positions(d: Diagnosis, seen: Image) -> None:
    """Whether far positions follow the rule of the near ones; if not, from where on."""
    if not d.sure or d.recipe is None or d.first_position is None:
        return
    recipe, rounding, errors = d.recipe, d.rounding, [""]

    def fits(t: int) -> bool:
        wanted, slack = recipe.entries(np.array([t]), rounding, 0.0)
        try:
            right = rounding.explains(seen(t), wanted, slack + 1e-6)
        except Exception as error:  # whatever another's function raises
            errors.append(type(error).__name__)
            return False
        return bool(right.all()) and float(slack.mean()) < BLIND

    bad = next((t for t in FAR if not fits(t)), None)
    d.details["tried"] = bad or FAR[-1]
    if bad is None:
        d.note("tried", count=NEAR + len(FAR), last=FAR[-1])
        return
    failed, good = errors[-1], max(t for t in (NEAR - 1, *FAR) if t < bad)
    while bad - good > 1:
        middle = (bad + good) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    if failed:
        d.note("ends", position=bad, error=failed)
        return
    again = [t for t in (0, good) if np.abs(seen(t) - seen(bad)).max() < 1e-6]
    how = f": it is that of position {format_number(again[-1])} again" if again else ""
    d.problem("breaks", position=bad, how=how)
