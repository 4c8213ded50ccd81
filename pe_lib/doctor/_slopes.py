"""Compare ALiBi slopes with those that a configuration asks for."""

import numpy as np

from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats
from pe_lib.doctor._matching import EXACT, Arrays
from pe_lib.doctor._numbers import SAME, format_share
from pe_lib.doctor._requirements import Group, note_fit

# A slope that was read from a bias in half precision has at most this relative error.
NEAR_SLOPE = 6e-3


def report_slopes(d: Diagnosis, arrays: Arrays, group: Group) -> None:
    """Report how ALiBi slopes, or the slopes in a bias, differ from the slopes of a group."""
    expected = np.asarray(group.layer.slopes)
    m = find_slopes(d, arrays)
    d.scheme = "alibi"
    count = m.size // expected.size
    is_batch = count > 1 and m.size == count * expected.size
    if is_batch and np.abs(m.reshape(count, -1) / expected - 1).max() < NEAR_SLOPE:
        # BLOOM puts the heads of each text of a batch side by side.
        d.sure, d.alternatives = True, []
        d.drop(*(name for name in d.problems if name.startswith("slopes")))
        d.note("batch_heads", heads=expected.size, count=count)
        note_fit(d, [group])
        return
    if m.size != expected.size:
        first, is_list = _find_part(m, expected), np.asarray(arrays[0]).size == m.size
        if first is None:
            d.drop("slopes_order", "slopes_scaled", "slopes_of_the_paper")
        else:
            d.sure, d.alternatives = True, []
            d.drop(*(name for name in d.problems if name.startswith("slopes") or is_list))
            d.note("some_heads", first=first, last=first + m.size - 1, all=expected.size)
        if first is None or not is_list:
            d.problem("heads_differ", actual=m.size, expected=expected.size)
        else:
            note_fit(d, [group])
        return
    if not np.isfinite(m).all() or not m.any():
        return  # it was already reported that these are no numbers, or only zeros
    off, times = np.abs(m / expected - 1), float(np.median(m / expected))
    d.sure, d.alternatives = True, []
    if off.max() < NEAR_SLOPE and "heads_off" in d.problems:
        return  # the slopes are those of most heads, but not of all
    if off.max() < NEAR_SLOPE:
        d.drop(*(name for name in d.problems if name.startswith("slopes")))
        note_fit(d, [group])
        return
    d.drop("slopes", "not_falling", "pairs_from_one")
    if any(name.startswith("slopes") for name in d.problems):
        return
    step = float((expected[:-1] / expected[1:]).max()) if m.size > 1 else 1.0
    if times > 0 and np.abs(m / expected / times - 1).max() < SAME:
        is_step = abs(times / step - 1) < SAME
        name = "slopes_from_zero" if is_step else "slopes_scaled"
        d.problem(name, heads=m.size, factor=times)
    elif np.abs(np.sort(m) / np.sort(expected) - 1).max() < SAME:
        d.problem("slopes_order", heads=m.size)
    else:
        head = int(np.argmax(off))
        d.problem("slopes_differ", share=format_share(float(off[head])), head=head)


def _find_part(m: Floats, expected: Floats) -> int | None:
    """Return the head at which m begins, if m is a run of the expected slopes, as on one device."""
    for first in range(expected.size - m.size + 1):
        if np.abs(m / expected[first : first + m.size] - 1).max() < EXACT:
            return first
    return None


def find_slopes(d: Diagnosis, arrays: Arrays) -> Floats:
    """Return the slopes (heads,) that a diagnosis found in a bias, or else the array itself."""
    slopes = d.details.get("slopes")
    is_list = sum(n > 1 for n in np.asarray(arrays[0]).shape) < 2
    return np.asarray(arrays[0] if slopes is None or is_list else slopes, np.float64).reshape(-1)
