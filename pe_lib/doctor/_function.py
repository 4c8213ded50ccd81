"""Compare a function that encodes positions with the layers that a configuration asks for."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from pe_lib import rotary
from pe_lib.checkpoints import Layer
from pe_lib.doctor import _config, _matching, _requirements
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats
from pe_lib.doctor._matching import EXACT
from pe_lib.doctor._numbers import DATA, format_number
from pe_lib.doctor._probe import NEAR, WIDTHS, Image, diagnose_images, read_cache, read_images
from pe_lib.doctor._requirements import Group

# Besides the first positions, a function is compared at these, if it can be called there.
FAR = (50, 100, 500, 2000)
# These schemes add a table to the vectors, instead of rotating them.
ADDED = ("learned", "sinusoidal")


def compare_function(function: Callable[..., Any], groups: Sequence[Group]) -> Diagnosis:
    """Diagnose a function as `probe` does, and compare it with the groups of a configuration.

    The function is right if it gives what one of the groups gives. A note then names the groups
    that need another function.
    """
    image, n = read_images(function, [*_list_widths(groups), *WIDTHS])
    d = diagnose_images(image, n)
    fitting = [group for group in groups if _is_right(image, n, group.layer)]
    if not fitting:
        _report_differences(d, image, n, groups)
        return d
    problems = [name for name in d.problems if name == "breaks"]
    d.drop(*(name for name in d.problems if name not in problems))
    d.scheme, d.sure, d.alternatives = fitting[0].scheme, True, []
    _requirements.note_fit(d, fitting)
    others = [group for group in groups if not any(_are_same(group, fit) for fit in fitting)]
    if others:
        d.note("other_function", layers=" and ".join(group.name for group in others))
    return d


def _are_same(one: Group, other: Group) -> bool:
    return one.scheme == other.scheme and np.array_equal(
        one.layer.frequencies, other.layer.frequencies
    )


def _list_widths(groups: Iterable[Group]) -> list[int]:
    """List the widths of vectors to try on a function: whole heads first, then rotated parts."""
    layers = [group.layer for group in groups]
    added = [2 * x.frequencies.size for x in layers if x.scheme in ADDED]
    widths = [*(x.width for x in layers), *added, *(x.turned for x in layers)]
    return [width for width in dict.fromkeys(widths) if width > 1]


def _is_right(image: Image, n: int, layer: Layer) -> bool:
    """Return whether a function does what a layer does, at the first and at some far positions.

    A learned table can be any table that is added.
    """
    first = np.stack([image(t) for t in range(NEAR)])
    zero = first[:, -1]
    if layer.scheme in ADDED:
        is_added = bool(np.abs(zero).max() > 0)
        return is_added and (layer.scheme == "learned" or _is_sinusoid(zero, layer))
    if layer.scheme == "none":
        return bool(np.abs(first[:, :-1] - np.eye(n)).max() < EXACT and not zero.any())
    is_rotary = layer.scheme in ("rotary", "rotary_axes") and n in (layer.width, layer.turned)
    return is_rotary and all(_is_rotated(image, n, layer, t) for t in (*range(NEAR), *FAR))


def _is_sinusoid(table: Floats, layer: Layer) -> bool:
    """Return whether a table (T, width) holds a layer's sinusoids for the first T positions.

    Row 0 may be position 0, or the first row that the layer's own table has for a position.
    """
    if table.shape[1] != 2 * layer.frequencies.size:
        return False
    rows = np.arange(len(table))
    starts = (0, layer.first_position)
    return any(_matching.match_sinusoid(table, layer, rows + start) for start in starts)


def _is_rotated(image: Image, n: int, layer: Layer, t: int) -> bool:
    """Return whether the unit vectors at position t are rotated as a layer rotates them."""
    try:
        actual = image(t)[:-1]
    except Exception:  # the function may fail at positions this far away
        return t >= NEAR
    start = layer.start if n == layer.width else 0
    expected, part = np.eye(n), slice(start, start + layer.turned)
    expected[:, part] = layer.amplitude * rotary.rotate(
        np.eye(n)[:, part], t, frequencies=layer.frequencies, layout=layer.layout or "halves"
    )
    slack = layer.amplitude * EXACT * (1 + t * float(layer.frequencies.max(initial=0.0)))
    return bool(np.abs(actual - expected).max() <= slack)


def _report_differences(d: Diagnosis, image: Image, n: int, groups: Sequence[Group]) -> None:
    """Report how a function differs from the nearest group of a configuration."""
    turning = [x for x in groups if x.scheme == "rotary"]
    if d.scheme == "none" or not turning or d.details.get("added"):
        schemes = dict.fromkeys(group.scheme for group in groups)
        d.problem("scheme_differs", actual=d.scheme, expected=" or ".join(schemes))
        return
    pairs = read_cache(image, n)
    widths = dict.fromkeys(format_number(group.layer.turned) for group in turning)
    if pairs is None:
        return
    if not any(x.layer.frequencies.size == pairs[0].shape[1] for x in turning):
        actual = format_number(2 * pairs[0].shape[1])
        d.problem("width_differs", actual=actual, expected=" or ".join(widths))
        return
    layouts = [x.layer.layout for x in turning if x.layer.layout]
    if d.layout and layouts and d.layout not in layouts:
        actual, expected = (DATA["layouts"][f"{name}, turned"] for name in (d.layout, layouts[0]))
        d.problem("layout_differs", actual=actual, expected=expected)
    # If the cosines and sines fit a group, there is nothing but the layout to report.
    if not any(_matching.matching_format(pairs, group.layer, d) for group in turning):
        _config.compare_with_groups(d, pairs, turning)
