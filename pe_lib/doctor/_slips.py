"""Compute the frequencies that usual mistakes in a scaling give, and find them in arrays."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pe_lib.checkpoints import Layer
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats, Indices
from pe_lib.doctor._matching import Arrays, matching_format
from pe_lib.doctor._numbers import SAME, format_number
from pe_lib.doctor._requirements import Group
from pe_lib.doctor._spacing import find_ramps, plain_frequencies

Slip = tuple["Group", str, dict[str, str]]  # a slip's group, its name and words about it


def find_slip(arrays: Arrays, same: Sequence[Group], d: Diagnosis) -> Slip | None:
    """Return the group whose frequencies were computed with a slip, and the slip's name and words.

    A slip is believed only if the frequencies that it gives rebuild the arrays.
    """
    is_list = len(arrays) == 1
    measured = arrays[0] if is_list else d.picture.get("frequencies", [])
    w = np.asarray(measured, np.float64).reshape(-1)
    for group in same:
        layer = group.layer
        slips = [*_list_slips(layer), *_list_other_ramps(layer, w, d)]
        for name, wrong, words in slips:
            amplitudes = dict.fromkeys([layer.amplitude, 1.0, layer.amplitude**2])
            if (np.abs(wrong / layer.frequencies - 1) > SAME).any() and any(
                matching_format(arrays, replace(layer, frequencies=wrong, amplitude=x), d)
                for x in amplitudes
            ):
                return group, name, words
    return None


def _list_slips(layer: Layer) -> Iterator[tuple[str, Floats, dict[str, str]]]:
    """Yield the frequencies that usual slips give, if the attention factor or a scaling is wrong.

    Linear scaling that was applied twice is named as linear scaling by a square.
    """
    w, n = layer.frequencies, layer.frequencies.size
    if not layer.base or n < 2 or not (w > 0).all() or layer.scaling in ("", "default", "linear"):
        return
    plain = plain_frequencies(n, layer.base)
    yield "scaled_twice", w * w / plain, {}
    yield "factor_in_frequencies", w * layer.amplitude, {}
    yield "factor_in_frequencies", w / layer.amplitude, {}
    if layer.scaling != "dynamic":
        yield "scaled_inversely", plain * plain / w, {}
    # By llama3's rule, a share between its ends rises in a line over the frequency that is scaled.
    share = w / plain
    is_inner = (share > share.min() * (1 + SAME)) & (share < 1 - SAME)
    inner = np.flatnonzero(is_inner)
    if layer.scaling == "llama3" and inner.size > 1:
        one, two = int(inner[0]), int(inner[-1])
        slope = (share[one] - share[two]) / (plain[one] - plain[two])
        line = share[two] + slope * (w - plain[two])
        yield "scaled_twice", w * line.clip(float(share.min()), 1.0), {}
    if layer.scaling == "llama3" and inner.size > 0:
        pairs = _describe_pairs(inner)
        divided = plain * float(share.min())
        words = {"pairs": pairs, "how": "kept as they are"}
        yield "smooth_missing", np.where(is_inner, plain, w), words
        words = {"pairs": pairs, "how": "divided by the whole factor"}
        yield "smooth_missing", np.where(is_inner, divided, w), words


def _describe_pairs(pairs: Indices) -> str:
    """Describe a run of pairs in a phrase, such as "pairs 3 to 7"."""
    first, last = (format_number(int(k)) for k in (pairs[0], pairs[-1]))
    return f"pair {first}" if pairs.size == 1 else f"pairs {first} to {last}"


def _list_other_ramps(
    layer: Layer, w: Floats, d: Diagnosis
) -> Iterator[tuple[str, Floats, dict[str, str]]]:
    """Yield the frequencies of YaRN with other settings that are near w (n,), or nothing.

    If the diagnosis d already has the usual ramp for another length, that length is reported later.
    """
    n, base = layer.frequencies.size, layer.base
    if layer.scaling != "yarn" or not base or w.size != n or n < 2:
        return
    factor = float((plain_frequencies(n, base) / layer.frequencies).max())
    expected, actual = (find_ramps(x, base, factor) for x in (layer.frequencies, w))
    if not expected or not actual:
        return
    right = expected[0]
    # A ramp may be that of several lengths with several turns, so the one that has most settings of
    # the configuration is named.
    ramp = max(actual, key=lambda x: x.count_same(right))
    if d.sure and d.scaling == "yarn" and ramp.has_turns_of(right):
        return
    name = "yarn_ramp_differs" if ramp.is_divided else "factor_in_base"
    yield name, ramp.w, {"actual": f"{ramp}", "expected": f"{right}"}
