"""A function asked instead of an array: unit vectors at near and far positions tell."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pe_lib.doctor import _given, _orders
from pe_lib.doctor._diagnosis import Diagnosis, Finding
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import bound, told
from pe_lib.doctor._proof import BLIND, Floats, Rows
from pe_lib.doctor._sentences import note, other

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
            calls = _calls(function, n)
        except Exception as error:  # whatever another's function raises
            why = why or " ".join(f"{type(error).__name__}: {error}".split())[:120]
        else:
            return _vectors(calls)
    raise ValueError(
        "function must take (vector, position) and return a vector, as lambda x, t: rotate(x, "
        f"cos[t], sin[t]) does: {why}"
    )


@dataclass
class _Calls:
    """A function that takes (vector, position), and how it wants its vectors."""

    function: Callable[..., Any]
    width: int
    torch: bool = False
    batch: bool = False

    def one(self, x: Floats, t: int) -> Floats:
        """What it makes of x (…, width) at position t, complex numbers as pairs of real ones."""
        given: Any = x.copy()
        if self.torch:
            given = sys.modules["torch"].from_numpy(given)
        made = self.function(given, t)
        if hasattr(made, "is_complex") and made.is_complex():
            made = made.detach().resolve_conj().cpu().numpy()
        if np.iscomplexobj(made):
            made = np.stack([made.real, made.imag], axis=-1).reshape(*x.shape[:-1], -1)
        return np.asarray(_given.array("function(x, t)", made), np.float64)

    def image(self, t: int) -> Floats:
        """What it makes of the unit vectors, a row each, and in the last row of zero."""
        x = np.concatenate([np.eye(self.width), np.zeros((1, self.width))])
        return self.one(x, t) if self.batch else np.stack([self.one(row, t) for row in x])


def _calls(function: Callable[..., Any], width: int) -> _Calls:
    """Raises whatever the function does, if it takes no vector of this width."""
    calls = _Calls(function, width)
    x = np.concatenate([np.eye(width), np.zeros((1, width))])
    try:
        first = calls.one(x[0], 3)
    except Exception:
        if "torch" not in sys.modules:
            raise
        calls.torch = True
        first = calls.one(x[0], 3)
    if first.shape != (width,):
        raise ValueError(f"a vector of {width} became an array of shape {first.shape}")
    try:
        both = calls.one(x, 3)
        alike = both.shape == x.shape and np.allclose(both[0], first, 0, 1e-12)
        calls.batch = bool(alike and np.allclose(both[-1], calls.one(x[-1], 3), 0, 1e-12))
    except Exception:
        calls.batch = False
    return calls


def _vectors(calls: _Calls) -> Diagnosis:
    """A function of a vector and a position."""
    n = calls.width
    images = np.stack([calls.image(t) for t in range(NEAR)])
    zero, moved = images[:, -1], images[:, :-1]
    if np.abs(zero).max() > 1e-9:  # positions are added: what comes out for 0 is the table
        d = identify(zero)
        d.details["added"] = True
        scale = float(moved[3, 0, 0] - zero[3, 0])
        if abs(scale - 1) > 1e-6:
            text = note("vector_scaled", scale=told(scale))
            d.findings.append(Finding("vector_scaled", text))
        _far(d, calls, lambda image: image[-1][None])
        return d
    still = np.eye(n)
    if np.abs(moved - still).max() < 1e-12:
        d = Diagnosis("none", width=n, details={"turned": 0, "relative": True})
        d.sure = all(np.abs(calls.image(t)[:-1] - still).max() < 1e-12 for t in (100, 10_000))
        return d
    apart = np.abs(moved - moved * still).max(axis=0)
    partner = np.where(apart.max(axis=1) > 1e-12, apart.argmax(axis=1), -1)
    known = np.flatnonzero(partner >= 0)
    low, high = (int(known[0]), int(known[-1]) + 1) if known.size else (0, 0)
    turned, i = high - low, np.arange(high - low)
    pairs = {"interleaved": i ^ 1, "halves": (i + turned // 2) % max(turned, 1)}
    mates = partner[low:high] - low
    layout = next((k for k, mate in pairs.items() if turned % 2 == 0 and (mates == mate).all()), "")
    if not turned or not layout:
        d = Diagnosis(width=n, details={"turned": turned})
        d.alternatives.append(other("unpaired"))
        return d
    first = i[0::2] if layout == "interleaved" else i[: turned // 2]
    second = i[1::2] if layout == "interleaved" else i[turned // 2 :]

    def cos_sin(images: Floats) -> Floats:
        return np.concatenate([images[:, first, first], images[:, first, second]], axis=1)

    d = _turned(moved[:, low:high, low:high], layout, first, second, cos_sin)
    d.details.update(turned=turned, turned_from=low)
    if d.scheme == "unknown":
        return d
    which = "The first" if low == 0 else "The last" if high == n else "The middle"
    said = note("some_turn", which=which, turned=told(turned), width=told(n))
    said = note("all_turn", width=told(n)) if turned == n else said
    d.details.setdefault("notes", []).append(said)
    _relative(d, moved)
    if "mixed_pairing" not in d.problems:
        _far(d, calls, lambda image: cos_sin(image[None, low:high, low:high]))
    return d


def _turned(moved: Floats, layout: str, first: Rows, second: Rows,
            cos_sin: Callable[[Floats], Floats]) -> Diagnosis:  # fmt: skip
    """The cosines and sines by which pairs turn, diagnosed."""
    turned = moved.shape[1]
    cos, sin = np.split(cos_sin(moved), 2, axis=1)
    rotation = np.abs(moved[:, second, first] + sin).max() <= 1e-5
    if rotation and np.abs(moved[:, second, second] - cos).max() <= 1e-5:
        d = identify(cos, sin)
        d.layout, d.order, d.width = layout, "turned", turned
        return d
    diagonal = np.diagonal(moved, 0, 1, 2)
    cached = _orders.repeats(diagonal)
    if cached is None or cached == layout:
        d = Diagnosis(width=turned)
        d.alternatives.append(other("no_rotation"))
        return d
    d = identify(diagonal)
    d.layout, d.order, d.width, d.alternatives = None, None, turned, []
    words = {"halves": "in halves", "interleaved": "in twos"}
    d.problem("mixed_pairing", one=words[layout], two=words[cached])
    return d


def _relative(d: Diagnosis, moved: Floats) -> None:
    """Whether a score knows the offset alone: queries and keys moved on together."""
    n = moved.shape[1]
    q, k = np.sin(np.arange(n) * 1.7 + 0.3), np.cos(np.arange(n) * 0.9 + 0.1)
    size = float(np.sqrt((q @ q) * (k @ k)))
    scores = (moved.transpose(0, 2, 1) @ q) @ (moved.transpose(0, 2, 1) @ k).T / size
    most = max(float(np.ptp(np.diagonal(scores, offset))) for offset in (-7, -3, 0, 3, 11))
    d.details.update(relative=most < 1e-4, changes=most)
    said = note("relative") if most < 1e-4 else note("not_relative", size=bound(most))
    d.details["notes"].append(said)


def _far(d: Diagnosis, calls: _Calls, seen: Callable[[Floats], Floats]) -> None:
    """Whether far positions follow the rule of the near ones; if not, from where on."""
    if not d.sure or d.recipe is None or d.rounding is None or d.first_position is None:
        return
    recipe, rounding = d.recipe, d.rounding
    errors: list[str] = []

    def fits(t: int) -> bool:
        wanted, slack = recipe.entries(np.array([t]), rounding, 0.0)
        try:
            right = rounding.explains(seen(calls.image(t)), wanted, slack + 1e-6)
        except Exception as error:  # whatever another's function raises
            errors.append(type(error).__name__)
            return False
        return bool(right.all()) and float(slack.mean()) < BLIND

    good, bad = NEAR - 1, 0
    for t in FAR:
        if not fits(t):
            bad = t
            break
        good = t
    d.details["tried"] = bad or FAR[-1]
    failed = bool(errors)
    while bad and bad - good > 1:
        middle = (bad + good) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    notes = d.details.setdefault("notes", [])
    if failed:
        notes.append(note("ends", position=told(bad), error=errors[-1]))
    elif bad:
        here = seen(calls.image(bad))
        again = [t for t in (0, good) if np.abs(seen(calls.image(t)) - here).max() < 1e-6]
        how = f": it is that of position {told(again[-1])} again" if again else ""
        d.problem("breaks", position=told(bad), how=how)
    else:
        notes.append(note("tried", count=told(NEAR + len(FAR)), last=told(FAR[-1])))
