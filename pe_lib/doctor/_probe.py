"""Diagnose a function that encodes positions by calling it on unit vectors."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import exp, log
from typing import Any

import numpy as np

from pe_lib.doctor import _arrays, _fill
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats, Indices
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import BASES, format_number, round_to_chosen
from pe_lib.doctor._orders import REPETITIONS
from pe_lib.doctor._proof import BLIND

# An Image is a function that maps a position to the images of some fixed vectors.
Image = Callable[[int], Floats]

WIDTHS = (64, 32, 128, 16, 8, 96, 80, 256, 4, 2)
NEAR = 32  # a function's rule is measured at positions 0 to 31
FAR = (64, 100, 128, 256, 512, 1000, 1024, 2048, 4096, 8192, 10_000, 16_384, 32_768, 65_536,
       100_000, 131_072)  # fmt: skip
# If an entry changes by less than this, the cause is rounding and not rotation.
NO_CHANGE = 1e-12
# If the images of the zero vector are smaller than this, the function adds no position table.
NO_TABLE = 1e-9
# The two sines of a rotated pair agree within this bound, and so do its two cosines.
NO_ROTATION = 1e-5
# A function that computes in float32 may be off by this much at any position.
FLOAT32 = 1e-6


def probe(function: Callable[..., Any], width: int | None = None) -> Diagnosis:
    """Diagnose how a function encodes positions: its layout, direction, rotary width and start.

    `function` takes (vector, position), where the vector has shape (width,) and the position is a
    whole number, and returns the vector with the position encoded in it. Vectors may come as rows
    of one array, and as PyTorch tensors if the function needs them. If `width` is None, usual
    widths are tried. If a function takes (length, width) and returns a table, give its result to
    `identify`.

    The function is called for unit vectors at positions 0 to 31, and at some positions up to
    131,072, where it must follow the same rule. The entries that a unit vector moves to show the
    layout ("interleaved" or "halves"), their sign shows the direction (1 is counter-clockwise), and
    the entries that stay the same show the turned width. `details` has "turned", "turned_from",
    "relative" (whether scores depend on the offset alone), "tried" (the farthest position) and
    "added" (whether positions are added instead). A function cannot show which layout trained
    *weights* expect.

    Raises TypeError if `function` is not a function, and ValueError if no call returned an array of
    the right shape. A function of queries, keys, cosines and sines must be wrapped.

    >>> from pe_lib import rotary
    >>> d = probe(lambda x, t: rotary.rotate(x, t, layout="halves", turned=16), width=64)
    >>> d.scheme, d.layout, d.direction, d.details["turned"], d.base
    ('rotary', 'halves', 1, 16, 10000.0)
    """
    if not callable(function):
        raise TypeError("function must be a function of (vector, position)")
    image, n = read_images(function, (width,) if width else WIDTHS)
    return diagnose_images(image, n)


def read_images(function: Callable[..., Any], widths: Iterable[int]) -> tuple[Image, int]:
    """Return the images of unit vectors, in the first of the given widths that a function takes.

    Raises ValueError if the function takes vectors of none of them.
    """
    reason = ""
    for n in widths:
        try:
            return _read_images(function, n), n
        except Exception as error:  # the caller's function may raise any exception
            reason = reason or " ".join(f"{type(error).__name__}: {error}".split())[:120]
    raise ValueError(
        "function must take (vector, position) and return a vector, as lambda x, t: rotate(x, "
        f"cos[t], sin[t]) does: {reason}"
    )


def _read_images(function: Callable[..., Any], n: int) -> Image:
    """Return a function that computes, for a position, the images of n unit vectors and of zero.

    The vectors are passed as arrays or as tensors, all at once if that makes no difference, and
    otherwise one by one. Raises the function's own error if it takes no vectors of this width.
    """
    units = np.concatenate([np.eye(n), np.zeros((1, n))])
    torch = None

    def call(x: Floats, t: int) -> Floats:
        """Return the function's value for x (…, n) at position t, with complex entries as pairs."""
        image = function(x.copy() if torch is None else torch.from_numpy(x.copy()), t)
        image = _arrays.to_numpy(image.resolve_conj() if hasattr(image, "resolve_conj") else image)
        if np.iscomplexobj(image):
            parts = np.stack([image.real, image.imag], axis=-1)
            image = parts.reshape(*x.shape[:-1], -1)
        return np.asarray(_arrays.as_array("function(x, t)", image), np.float64)

    def call_each(x: Floats, t: int) -> Floats:
        return np.stack([call(row, t) for row in x])

    try:
        ends = call_each(units[[0, -1]], 3)
    except Exception:
        torch = sys.modules.get("torch")
        if torch is None:
            raise
        ends = call_each(units[[0, -1]], 3)
    if ends.shape != (2, n):
        raise ValueError(f"a vector of {n} became an array of shape {ends.shape[1:]}")
    try:
        images = call(units, 3)
        takes_rows = images.shape == units.shape and np.allclose(images[[0, -1]], ends, 0, 1e-12)
    except Exception:
        takes_rows = False
    return lambda t: (call if takes_rows else call_each)(units, t)


@dataclass
class _Pairs:
    """Which entries of a vector are rotated, and how these entries form pairs."""

    low: int  # the index of the first rotated entry
    width: int
    layout: str
    first: Indices  # for each pair, the index of its first entry
    second: Indices
    entries: Indices  # the indices of all rotated entries
    # whether pairs are formed from the two halves of the whole vector, but only some pairs rotate
    spread: bool = False

    def cos_sin(self, images: Floats) -> Floats:
        """Return cosines and sines side by side, given the images (T, n, n) of unit vectors."""
        cos, sin = images[:, self.first, self.first], images[:, self.first, self.second]
        return np.concatenate([cos, sin], axis=1)


def diagnose_images(image: Image, n: int) -> Diagnosis:
    """Diagnose a function from its values for n unit vectors and for the zero vector."""
    images = np.stack([image(t) for t in range(NEAR)])
    zero, moved, still = images[:, -1], images[:, :-1], np.eye(n)
    # a function that adds a position table maps the zero vector to the table
    if np.abs(zero).max() > NO_TABLE:
        d = identify(zero)
        d.details["added"] = True
        _fill.report_first_position(d)
        _try_far_positions(d, lambda t: image(t)[-1:])
        return d
    if np.abs(moved - still).max() < NO_CHANGE:
        d = Diagnosis("none", width=n, details={"turned": 0, "relative": True})
        far = (100, 10_000)
        d.sure = all(np.abs(image(t)[:-1] - still).max() < NO_CHANGE for t in far)
        return d
    apart = np.abs(moved * (1 - still)).max(axis=0)
    pairs = _find_pairs(apart)
    if pairs is None:
        width = int((apart.max(axis=1) > NO_CHANGE).sum())
        d = Diagnosis(width=n, details={"turned": width})
        d.other("unpaired")
        return d
    return _diagnose_pairs(image, moved, pairs)


def read_cache(image: Image, n: int) -> list[Floats] | None:
    """Return the cosines and sines (T, pairs) of a function, or None if it rotates no pairs."""
    moved = np.stack([image(t)[:-1] for t in range(NEAR)])
    pairs = _find_pairs(np.abs(moved * (1 - np.eye(n))).max(axis=0))
    return None if pairs is None else np.split(pairs.cos_sin(moved), 2, axis=1)


def _find_pairs(apart: Floats) -> _Pairs | None:
    """Find which entries form pairs, given how strongly each entry affects every other: (n, n).

    Returns None if the rotated entries are not a block of pairs in a known layout, and no pairs of
    the two halves of the vector.
    """
    n = len(apart)
    entries = np.flatnonzero(apart.max(axis=1) > NO_CHANGE)
    low, width, i = int(entries.min(initial=n)), entries.size, np.arange(entries.size)
    mates = apart.argmax(axis=1)[entries] - low
    half = np.arange(n // 2)
    if n % 2 == 0 and low == 0 and width < n and (mates == (entries + n // 2) % n).all():
        # Gemma 4 joins entries from the two halves of a head to pairs, but rotates only the first
        # pairs.
        return _Pairs(0, n, "halves", half, half + n // 2, entries, spread=True)
    orders = {"interleaved": i ^ 1, "halves": (i + width // 2) % max(width, 1)}
    layout = next((name for name, order in orders.items() if (mates == order).all()), None)
    if not width or width % 2 or entries[-1] - low >= width or layout is None:
        return None
    first = low + np.flatnonzero(i < mates)
    return _Pairs(low, width, layout, first, low + mates[first - low], entries)


def _diagnose_pairs(image: Image, moved: Floats, pairs: _Pairs) -> Diagnosis:
    """Diagnose how pairs change, given the images (T, n, n) of unit vectors at T positions."""
    n, width, low = moved.shape[1], pairs.width, pairs.low
    first, second = pairs.first, pairs.second
    cos, sin = np.split(pairs.cos_sin(moved), 2, axis=1)
    ahead, below = moved[:, second, first] + sin, moved[:, second, second] - cos
    rotates = max(np.abs(ahead).max(), np.abs(below).max()) <= NO_ROTATION
    if rotates:
        d = identify(cos, sin)
        _fill.report_first_position(d)
        d.layout, d.order, d.width = pairs.layout, "turned", width
        _read_whole_width(d, n)
    else:
        d = _diagnose_no_rotation(moved, pairs)
    d.details.update(turned=pairs.entries.size, turned_from=low)
    if d.scheme == "unknown":
        return d
    which = "The first" if low == 0 else "The last" if low + width == n else "The middle"
    if pairs.spread:
        d.note("halves_turn", turned=pairs.entries.size // 2, width=n // 2)
    else:
        d.note("all_turn" if width == n else "some_turn", which=which, turned=width, width=n)
    is_relative = rotates and not d.exceptions["rows"]
    d.details["relative"] = is_relative
    d.note("relative" if is_relative else "not_relative")
    if "mixed_pairing" not in d.problems:
        _try_far_positions(d, lambda t: pairs.cos_sin(image(t)[None]))
    return d


def _read_whole_width(d: Diagnosis, n: int) -> None:
    """If only some of n entries rotate, try whether frequencies are spaced as for all n entries.

    A list of frequencies does not show how wide the head is, so an unusual base of the part may be
    a usual base of the whole.
    """
    w = d.picture.get("rule", [])
    is_usual = d.exponent == "2i/d" and d.base in BASES
    if not d.sure or d.scaling != "none" or is_usual or not 2 <= len(w) < n // 2:
        return
    base, digits = round_to_chosen(exp(log(w[0] / w[1]) * n / 2), 1e-6)
    if digits > 3 or base not in BASES:
        return
    d.drop("halved_exponent", "doubled_exponent", "either_exponent")
    d.base, d.exponent, d.readings, d.alternatives = base, "2i/d", [(base, "2i/d")], []
    d.details["spaced_over"] = n
    d.note("spaced_over", width=n, turned=2 * len(w))


def _diagnose_no_rotation(moved: Floats, pairs: _Pairs) -> Diagnosis:
    """Diagnose pairs that do not rotate, for example because two layouts were mixed up."""
    d = identify(np.diagonal(moved, 0, 1, 2)[:, pairs.entries])
    cached = d.layout
    if cached in (None, pairs.layout):
        d = Diagnosis(width=pairs.width)
        d.other("no_rotation")
        return d
    d.layout, d.order, d.width, d.alternatives = None, None, pairs.width, []
    d.problem("mixed_pairing", one=REPETITIONS[pairs.layout], two=REPETITIONS[cached])
    return d


def _try_far_positions(d: Diagnosis, image: Image) -> None:
    """Report the first position at which the function breaks its rule, if it does so far away."""
    if not d.sure or d.recipe is None or d.first_position is None:
        return
    recipe, rounding, errors = d.recipe, d.rounding, [""]

    def fits(t: int) -> bool:
        expected, slack = recipe.entries(np.array([t]), rounding, 0.0)
        try:
            right = rounding.explains(image(t), expected, slack + FLOAT32)
        except Exception as error:  # the caller's function may raise any exception
            errors.append(type(error).__name__)
            return False
        return bool(right.all()) and float(slack.mean()) < BLIND

    bad = next((t for t in FAR if not fits(t)), None)
    d.details["tried"] = bad or FAR[-1]
    if bad is None:
        d.note("tried", count=NEAR + len(FAR), last=FAR[-1])
        return
    error, good = errors[-1], max(t for t in (NEAR - 1, *FAR) if t < bad)
    while bad - good > 1:  # find the first position that breaks the rule by bisection
        middle = (bad + good) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    if error:
        d.note("ends", position=bad, error=error)
        return
    again = [t for t in (0, good) if np.abs(image(t) - image(bad)).max() < FLOAT32]
    how = f": it is that of position {format_number(again[-1])} again" if again else ""
    d.problem("breaks", position=bad, how=how)
