"""Compare a model's stored arrays with the position encodings that its configuration asks for."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor, log
from typing import Any

import numpy as np

from pe_lib.checkpoints import Layer
from pe_lib.doctor import _axes, _fill
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats
from pe_lib.doctor._identify import identify
from pe_lib.doctor._matching import EXACT, Arrays, count_rows, matching_format, table_shape
from pe_lib.doctor._numbers import (
    BASES,
    DATA,
    SAME,
    format_number,
    format_share,
    is_same,
    round_significant,
)
from pe_lib.doctor._orders import REPETITIONS
from pe_lib.doctor._proof import HALVES
from pe_lib.doctor._requirements import (
    Group,
    describe_group,
    describe_sides,
    name_rule,
    note_fit,
)
from pe_lib.doctor._slips import find_slip
from pe_lib.doctor._slopes import report_slopes
from pe_lib.doctor._spacing import plain_frequencies

# Whether these findings are problems depends on the amplitude, positions and axes in the
# configuration.
OF_POSITIONS = (
    "first_position", "amplitude", "added_twice", "axes_in_sections", "same_place",
    "position_skipped", "position_repeated", "positions_overflow",
    "frequencies_multiplied",
)  # fmt: skip
# Rows that begin at most this far from position 0 begin there by mistake.
NEAR_START = 2
# In a learned table of the configured length, this finding is not a problem.
INTENDED = ("padding_row",)


def report_short_cache(d: Diagnosis, rows: int, longest: int, may_grow: bool) -> None:
    """Report a cache with fewer rows than a text may have positions, or note it if it may grow."""
    if rows >= longest or d.problems or "fits" not in d.details:
        return
    words = {"actual": format_number(rows), "expected": format_number(longest)}
    if may_grow:
        d.note("cache_shorter", **words)
    else:
        d.problem("cache_short", **words)


def compare_with_groups(
    d: Diagnosis, arrays: Arrays, expected: Sequence[Group], others: Sequence[Group] = ()
) -> Diagnosis:
    """Compare `arrays` and their diagnosis `d` with the groups of layers in a configuration.

    If the settings of an expected group reproduce the numbers, the numbers are right, whatever else
    the diagnosis says. If no group reproduces them, problems say how they differ from the nearest
    group, or which of the `others` they belong to.
    """
    expected = _groups_of_longer_texts(d, arrays, expected) or expected
    formats = [(group, matching_format(arrays, group.layer, d)) for group in expected]
    matches = [(group, form) for group, form in formats if form]
    if matches:
        _report_match(d, matches)
        _report_repetition(d, arrays, matches[0][0])
        return d
    if len(arrays) == 2 and _match_positions(d, arrays, expected):
        return d
    owners = [group for group in others if matching_format(arrays, group.layer, d)]
    if owners:
        d.drop(*d.problems)
        rule = name_rule(expected[0])
        d.problem("other_layers", actual=owners[0].name, expected=expected[0].name, rule=rule)
        return d
    _fill.report_first_position(d)
    same = [x for x in expected if _is_comparable(d, arrays, x)]
    if not same and all(group.scheme == "none" for group in expected):
        # The model may have a buffer that none of its layers uses.
        d.note("unused", layers=" and ".join(group.name for group in expected))
        return d
    if not same and ("all_zero" in d.problems or "not_finite" in d.problems):
        return d  # such numbers have no scheme, so it does not differ
    if not same:
        schemes = dict.fromkeys(group.scheme for group in expected)
        d.problem("scheme_differs", actual=d.scheme, expected=" or ".join(schemes))
        return d
    if d.scheme == "t5" and "max_distance" in d.details:
        _compare_buckets(d, same)
    elif same[0].layer.slopes is not None:
        report_slopes(d, arrays, same[0])
    else:
        _report_mismatch(d, arrays, same)
    return d


def _groups_of_longer_texts(d: Diagnosis, arrays: Arrays, expected: Sequence[Group]) -> list[Group]:
    """Return the dynamic groups with the frequencies that they have after some longer text.

    In a text of L positions, dynamic scaling by s divides the slowest frequency by
    1 + s (L - T)/T, where T is the length in training. So L follows from the slowest frequency. A
    base that many models have is more likely a mistake than the result of some length.
    """
    if d.sure and d.base in BASES:
        return []
    is_list = len(arrays) == 1
    measured = np.asarray(arrays[0] if is_list else d.picture.get("frequencies", []), np.float64)
    w, groups = measured.reshape(-1), []
    for group in expected:
        layer, trained = group.layer, group.layer.switch
        if layer.scaling != "dynamic" or not group.is_for_long or not trained or not layer.base:
            continue
        n = layer.frequencies.size
        plain = plain_frequencies(n, layer.base)
        if w.size != n or n < 3 or not 0 < w[-1] < plain[-1]:
            continue
        # The group's own frequencies are those of a text of T + 1 positions.
        scale = (float(plain[-1] / layer.frequencies[-1]) - 1) * trained
        length = trained + (float(plain[-1] / w[-1]) - 1) * trained / scale
        if not length < 1e9:
            continue
        for whole in dict.fromkeys([floor(length + 0.5), floor(length), ceil(length)]):
            times = 1 + scale * (whole - trained) / trained
            longer = replace(layer, frequencies=plain * times ** (-np.arange(n) / (n - 1)))
            name = group.name.split(" beyond ")[0]
            name = f"{name} after a text of {format_number(whole)} positions"
            if matching_format(arrays, longer, d):
                groups.append(replace(group, name=name, layer=longer))
    return groups[:1]


def _report_mismatch(d: Diagnosis, arrays: Arrays, same: Sequence[Group]) -> None:
    """Report how a table, frequencies or a cache differ from the nearest of some groups."""
    layer, may_turn = same[0].layer, d.scheme in ("rotary", "geometric", "unknown")
    x = np.asarray(arrays[0])
    x = x.reshape(-1, x.shape[-1] if x.ndim > 1 else 1)
    if layer.sides:
        _report_offsets(d, x, same)
        return
    if layer.scheme == "sinusoidal" and layer.axes is not None:
        _report_grid(d, x, layer)
        return
    has_length = count_rows(d, x) == (layer.rows or 0) + layer.first_position
    is_moved = d.scheme == "sinusoidal" and d.details.get("arrangement") == "one axis"
    if is_moved and not d.problems:
        d.problem("rows_moved", positions=d.details["axis_positions"][0])
    has_waves = d.scheme == "sinusoidal" and layer.frequencies.size > 0
    if may_turn or (has_waves and has_length):
        if not (_report_columns(d, same[0]) or _report_size(d, same[0])):
            _report_differences(d, arrays, same)
    else:
        _report_shape(d, x, layer)


def _is_comparable(d: Diagnosis, arrays: Arrays, group: Group) -> bool:
    """Return whether numbers with this diagnosis may be meant for a group, so that they differ."""
    may_turn = d.scheme in ("rotary", "geometric", "unknown")
    is_list = len(arrays) == 1 and np.ndim(arrays[0]) == 1
    if group.scheme == d.scheme or (may_turn and group.scheme == "rotary"):
        return True
    if is_list and group.layer.slopes is not None:
        return True
    is_tower = group.scheme == "rotary" and group.layer.rows is not None
    return (d.scheme == "learned" and is_tower) or (
        d.scheme == "sinusoidal" and group.scheme == "learned"
    )


def _report_shape(d: Diagnosis, x: Floats, layer: Layer) -> None:
    """Report how the numbers of a table's rows and columns differ from a layer's."""
    rows, width = table_shape(layer, x)
    length = count_rows(d, x)
    expected, actual = format_number(rows), format_number(length)
    # Row t of these sinusoids is that of position t, so no row before it is missing.
    is_cut_at_end = d.scheme == "sinusoidal" and layer.axes is None and d.first_position == 0
    if x.shape == (width, rows) and width != rows:
        d.drop("same_rows_of_table", "stretched", "untrained")
        columns = format_number(width)
        d.problem("table_transposed", actual=actual, expected=expected, width=columns)
        return
    if layer.scheme == "t5":
        if length != rows:
            d.problem("bucket_count_differs", actual=actual, expected=expected)
    elif layer.first_position and length == layer.rows != rows and not is_cut_at_end:
        first = format_number(layer.first_position)
        d.problem("first_rows_missing", actual=actual, expected=expected, first=first)
    elif length != rows:
        d.problem("length_differs", actual=actual, expected=expected)
    if x.shape[1] != width:
        name = "bucket_heads_differ" if layer.scheme == "t5" else "table_width_differs"
        d.problem(name, actual=format_number(x.shape[1]), expected=format_number(width))


def _report_offsets(d: Diagnosis, x: Floats, groups: Sequence[Group]) -> None:
    """Report that a table of biases has rows for other offsets, or columns for other heads."""
    layers = [group.layer for group in groups]
    length, sides = count_rows(d, x), describe_sides(layers[0])
    expected = layers[0].rows or 0
    heads = dict.fromkeys(format_number(layer.row_width) for layer in layers)
    if any(x.shape == (layer.row_width, layer.rows) for layer in layers):
        d.drop("same_rows_of_table", "stretched", "untrained")
        d.problem("table_transposed", actual=x.shape[0], expected=expected, width=x.shape[0])
        return
    if length != expected:
        d.problem("offset_count_differs", actual=length, expected=expected, sides=sides)
    if x.shape[1] not in [layer.row_width for layer in layers]:
        d.problem("bucket_heads_differ", actual=x.shape[1], expected=" or ".join(heads))


def _report_grid(d: Diagnosis, x: Floats, layer: Layer) -> None:
    """Report how a table of sinusoids differs from the sinusoids of a layer's square grid."""
    if x.shape != table_shape(layer, x):
        _report_shape(d, x, layer)
        return
    if d.problems or not d.sure:
        if not d.problems:
            d.problem("only_resembles", layers="the configuration")
        return
    if "axes" not in d.details:
        d.problem("grid_missing")
        return
    first = layer.axis_names[0]
    if d.details["order"] != f"{first}s first":
        other = layer.axis_names[1]
        d.problem("grid_order", actual=other, expected=first)
    if d.layout != layer.layout:
        report_layout(d, str(d.layout), str(layer.layout))
    bases = [base for base, exponent in d.readings if exponent == "2i/d"]
    if layer.base and not any(is_same(base, layer.base) for base in bases):
        actual, expected = format_number(d.base), format_number(layer.base)
        mend = _repair_base(expected, "", d.scheme)
        d.problem("base_differs", actual=actual, expected=expected, cause="", mend=mend)
    if not d.problems:
        down, across = d.details["axes"]
        side = round(float(layer.rows or 0) ** 0.5)
        d.problem("grid_shape", actual=f"{down} × {across}", side=side)


def report_layout(d: Diagnosis, actual: str, expected: str) -> None:
    """Report columns in another layout than the expected one. Both are keys of `layouts`."""
    layouts = DATA["layouts"]
    d.problem("columns_differ", actual=layouts[actual], expected=layouts[expected])


def compare_base(d: Diagnosis, groups: Sequence[Group]) -> None:
    """Report a base that no group has, if the diagnosis of the frequencies is certain.

    In an image tower only the base is compared, because programs count patches in different units.
    If a group has this base and as many pairs, in all or for one axis, the frequencies fit it.
    """
    bases = [group.layer.base for group in groups if group.layer.base and group.scheme == "rotary"]
    readings = [base for base, exponent in d.readings if exponent == "2i/d"]
    are_near = any(is_same(x, base) for base in bases for x in readings)
    if bases and readings and d.sure and not are_near:
        actual, expected = format_number(d.base), format_number(bases[0])
        mend = _repair_base(expected, "", d.scheme)
        d.problem("base_differs", actual=actual, expected=expected, cause="", mend=mend)
    fitting = [group for group in groups if _has_base(group, readings) and d.sure
               and (d.width or 0) // 2 in _count_pairs(group.layer)]  # fmt: skip
    if fitting and not d.problems:
        d.alternatives = []
        note_fit(d, fitting)


def _has_base(group: Group, bases: Sequence[float]) -> bool:
    """Return whether a group of rotary layers has one of some bases."""
    base = group.layer.base if group.scheme == "rotary" else None
    return base is not None and any(is_same(x, base) for x in bases)


def _count_pairs(layer: Layer) -> list[int]:
    """Return how many frequencies a layer may have in one list: all, or those of one axis."""
    count = range(len(layer.axis_names))
    axes = [] if layer.axes is None else [int((layer.axes == axis).sum()) for axis in count]
    return [layer.frequencies.size, *axes]


def match_angles(d: Diagnosis, arrays: Arrays, groups: Sequence[Group]) -> None:
    """Name the group whose frequencies and axes explain the cosines and sines of stored angles."""
    cos, sin = (x.reshape(-1, x.shape[-1]) for x in arrays)
    turns = _axes.read_turns(cos, sin)
    if turns is None or d.problems:
        return
    if fitting := [x for x in groups if _axes.solve_rows(turns, x.layer) is not None]:
        d.sure, d.alternatives = True, []
        note_fit(d, fitting)


def _compare_buckets(d: Diagnosis, groups: Sequence[Group]) -> None:
    """Report buckets whose number, largest distance or sides are not the configuration's."""
    details = d.details
    own = (details["buckets"], details["max_distance"], details["bidirectional"])
    kinds = [_describe_buckets(*kind) for kind in details.get("kinds", [own])]
    needs = [_describe_buckets(x.layer.buckets, x.layer.max_distance, x.layer.two_sided)
             for x in groups]  # fmt: skip
    fitting = [x for x, need in zip(groups, needs, strict=True) if need in kinds]
    if "buckets_linear" in d.problems:
        return
    if not fitting:
        d.problem("buckets_differ", actual=_describe_buckets(*own), expected=needs[0])
    elif not d.problems:
        d.sure, d.alternatives = True, []
        note_fit(d, fitting)


def _describe_buckets(count: int | None, farthest: int | None, both: bool) -> str:
    """Describe T5's buckets in a phrase, such as "32 up to distance 128 on both sides"."""
    sides = "both sides" if both else "one side"
    return f"{format_number(count)} up to distance {format_number(farthest)} on {sides}"


def compare_mask(d: Diagnosis, groups: Sequence[Group]) -> Diagnosis:
    """Report a mask whose window is not the configuration's, or name the layers that it fits."""
    groups = [group for group in groups if group.layer.width and group.layer.part != "vision"]
    rules, keys = d.rules, d.details.get("keys", 0)
    if not rules or not groups or d.problems:
        return d
    fitting = [x for x in groups if all(_fits_mask(x.layer, rule, keys) for rule in rules)]
    if fitting:
        d.details["fits"] = " and ".join(group.name for group in fitting)
        d.note("fits", layers=d.details["fits"])
        return d
    name, window, _ = rules[0]
    lengths = dict.fromkeys(x.layer.window for x in groups if x.layer.window)
    expected = " or ".join(format_number(length) for length in lengths)
    if len(rules) > 1:
        return d
    if all(group.layer.two_sided for group in groups):
        _report_encoder_mask(d, name, window, [x.layer.window for x in groups if x.layer.window])
        return d
    if any(group.layer.two_sided for group in groups):
        return d
    if name in ("band", "sides"):
        d.problem("mask_both_sides", actual=window)
    elif name == "none":
        d.problem("mask_open")
    elif name in ("window", "packed") and lengths and window is not None:
        d.problem("window_differs", actual=window, expected=expected)
    elif name in ("window", "packed") and window is not None:
        d.problem("window_unasked", actual=window)
    elif name == "causal":
        d.problem("window_missing", expected=expected)
    return d


def _report_encoder_mask(d: Diagnosis, name: str, window: int | None, windows: list[int]) -> None:
    """Report a mask that hides later keys, or shows another number of keys than an encoder's.

    The `windows` of the configuration count the query's own position, and `window` does not.
    """
    if name in ("causal", "window"):
        d.problem("mask_causal")
    elif name == "band" and windows:
        expected = " or ".join(format_number(length - 1) for length in dict.fromkeys(windows))
        d.problem("band_differs", actual=window, expected=expected)


def _fits_mask(layer: Layer, rule: Sequence[Any], keys: int) -> bool:
    """Return whether a layer needs a mask with this rule for this number of keys.

    A rule is its name, its window, and the largest number of keys that a query sees.
    """
    name, window, most = rule
    limit = layer.window if layer.window and layer.window < keys else None
    if layer.two_sided:
        rules = {"none": limit is None, "groups": limit is None, "band": limit == (window or 0) + 1}
        return rules.get(name, False)
    is_short = limit is None or most <= limit
    rules = {"causal": limit is None, "window": window == limit,
             "packed": is_short if window is None else window == limit}  # fmt: skip
    return rules.get(name, False)


def compare_index(d: Diagnosis, groups: Sequence[Group]) -> Diagnosis:
    """Report an index of another window than the configuration's, or name the layers it fits."""
    windows = [group for group in groups if group.layer.sides]
    if not windows or d.problems or "window" not in d.details:
        return d
    actual = " × ".join(format_number(side) for side in d.details["window"]) + " patches"
    if "class_token" in d.details:
        actual += " and a class token"
    fitting = [group for group in windows if describe_sides(group.layer) == actual]
    if fitting:
        note_fit(d, fitting)
    else:
        expected = describe_sides(windows[0].layer)
        d.problem("index_window_differs", actual=actual, expected=expected)
    return d


def compare_ids(d: Diagnosis, ids: Floats, groups: Sequence[Group]) -> Diagnosis:
    """Report position ids that begin or end at other positions than the configured table."""
    tables = [group for group in groups if group.layer.rows]
    first = tables[0].layer.first_position if tables else 0
    # The first rows of a table may belong to no position. A decoder's own module adds their number
    # to the ids, but in an encoder the ids include it.
    is_added = any(group.layer.part != "encoder" for group in tables)
    begin = float(d.first_position or 0.0)
    d.first_id = 0 if is_added else first
    if begin < first and not is_added:
        d.problem("ids_begin", actual=format_number(begin), expected=format_number(first))
    elif tables and not is_added and 0 < begin - first <= NEAR_START:
        # An encoder reads whole texts, so no earlier tokens explain a late beginning.
        d.problem("ids_late", actual=format_number(begin), expected=format_number(first))
    elif tables:
        last = int(tables[0].layer.rows or 0) - 1 + (0 if is_added else first)
        if ids.max() > last:
            d.problem("ids_beyond", largest=float(ids.max()), last=last)
    if not d.problems:
        note_fit(d, tables or groups)
    return d


def compare_stored_ids(d: Diagnosis, ids: Floats, groups: Sequence[Group]) -> Diagnosis:
    """Report position ids in a model's buffer that do not count up, or go beyond the table."""
    if ids.size != ids.shape[-1]:
        return d  # ids of several rows or axes may be anything
    if (np.diff(ids.reshape(-1)) != 1).any() or ids.min() < 0:
        d.problem("ids_unordered", first=", ".join(format_number(float(v))
                                                   for v in ids.reshape(-1)[:4]))  # fmt: skip
        return d
    tables = [group for group in groups if group.layer.rows and group.layer.part != "vision"]
    if tables:
        last = max((x.layer.rows or 0) - 1 + x.layer.first_position for x in tables)
        if ids.max() > last:
            d.problem("ids_beyond", largest=float(ids.max()), last=last)
        else:
            note_fit(d, tables)
    return d


def _report_match(d: Diagnosis, matches: Sequence[tuple[Group, str]]) -> None:
    """Remove problems that the configuration intends, and name the layers that the arrays fit."""
    first, form = matches[0]
    is_half, is_learned = form in HALVES, form == "rows"
    if is_learned or first.scheme != "learned":
        d.scheme = "learned" if is_learned and first.scheme == "rotary" else first.scheme
    if is_learned and first.scheme == "learned" and first.layer.frequencies.size:
        d.note("sinusoids_at_first")
    # Rows of T5's buckets and rows before the first position may be equal, because no text uses
    # some of them.
    may_repeat = first.scheme == "t5" or d.details.get("copies", 0) <= first.layer.first_position
    repeated = [x for x in d.findings if may_repeat and x.name == "same_rows_of_table"]
    if repeated:
        d.drop("same_rows_of_table")
        d.details.setdefault("notes", []).append(repeated[0].seen)
    kept = [x for x in d.problems if (is_half and "half" in x)
            or (is_learned and x not in INTENDED)]  # fmt: skip
    d.drop(*(x for x in d.problems if x not in kept))
    # A learned table keeps its alternatives, one of which is that the table was never trained.
    d.sure, d.alternatives = not is_learned, d.alternatives if is_learned else []
    if is_half and not kept:
        d.problem("half_precision_frequencies", form=form)
    note_fit(d, [group for group, _ in matches])


def _match_positions(d: Diagnosis, arrays: Arrays, expected: Sequence[Group]) -> bool:
    """If cosines and sines fit a group, but not at positions 0, 1, 2 …, report their positions.

    Returns whether the comparison is complete. Mistakes that are certain remain mistakes, such as
    rows that are copies, or positions that begin at 1.
    """
    certain = [name for name in d.problems if d.sure and name not in OF_POSITIONS]
    is_late = d.first_position is not None and 0 < abs(d.first_position) <= NEAR_START
    if certain or (d.sure and is_late):
        return False
    cos, sin = (np.asarray(x, np.float64) for x in arrays)
    if cos.ndim < 2 or cos.shape != sin.shape:
        return False
    turns = _axes.read_turns(cos.reshape(-1, cos.shape[-1]), sin.reshape(-1, sin.shape[-1]))
    if turns is None:
        return False
    expected = [group for group in expected if not _lacks_scaling(d, group)]
    for group in expected:
        if (axes := _axes.solve_rows(turns, group.layer)) is None:
            continue
        d.scheme, d.sure, d.alternatives = group.scheme, True, []
        kept = ("same_place", "positions_overflow")
        d.drop(*(x for x in d.problems if "half" not in x and x not in kept))
        if abs(turns.amplitude / group.layer.amplitude - 1) > max(SAME, 2 * turns.unit):
            _report_amplitude(d, turns.amplitude, group.layer.amplitude)
            return True
        if "arrangement" not in d.details:
            _axes.note_positions(d, axes)
        if d.scaling == "linear" and axes.positions.shape[1] == 1:
            # The positions are further apart, and the frequencies are the configuration's.
            required = describe_group(group)
            d.scaling, d.factor = required.scaling, required.factor
        note_fit(d, [group])
        _report_repetition(d, arrays, group)
        return True
    for group in expected:
        other = _axes.find_other_axes(turns, group.layer)
        if other is not None:
            d.scheme, d.sure = group.scheme, True
            d.drop("axes_in_sections")
            if "arrangement" not in d.details:
                _axes.note_positions(d, other)
            right = _axes.describe_axes(group.layer)
            d.problem("axes_differ", actual=d.details["arrangement"], expected=right)
            return True
    return False


def _report_repetition(d: Diagnosis, arrays: Arrays, group: Group) -> None:
    """Report a cache that repeats its columns otherwise than transformers does for these layers."""
    expected = group.layer.repeats
    n = group.layer.frequencies.size
    x = np.asarray(arrays[0])
    if len(arrays) < 2 or not expected or n < 2 or x.shape[-1] != 2 * n:
        return
    fitting = [layout for layout in ("halves", "interleaved")
               if all(_is_repeated(np.asarray(array), layout) for array in arrays)]  # fmt: skip
    if fitting and expected not in fitting:
        one, two = (DATA["layouts"][f"{layout}, repeated"] for layout in (fitting[0], expected))
        d.problem("repetition_differs", actual=one, expected=two, layers=group.name)


def _lacks_scaling(d: Diagnosis, group: Group) -> bool:
    """Return whether consecutive rows have no scaling, although the group's is linear.

    Such rows also fit the group's frequencies, at every s-th position for a factor of s. But rows
    so far apart are much less likely than a scaling that was lost.
    """
    is_consecutive = d.sure and d.base is not None and "arrangement" not in d.details
    return is_consecutive and d.scaling == "none" and group.layer.scaling == "linear"


def _report_differences(d: Diagnosis, arrays: Arrays, same: Sequence[Group]) -> None:
    """Report how frequencies, or cosines and sines, differ from those of the nearest group."""
    if "cast_to_integers" in d.problems:
        return  # nothing is left to compare
    if len(arrays) == 2 and _report_cache(d, arrays, same):
        return
    if slip := find_slip(arrays, same, d):
        group, name, words = slip
        if not d.sure:
            d.details.pop("notes", None)  # they say what else these numbers may look like
        d.drop(*d.problems)
        d.scheme, d.sure, d.alternatives = group.scheme, True, []
        words = words | {"layers": group.name, "rule": name_rule(group)}
        d.problem(name, factor=group.layer.amplitude, **words)
        return
    if d.amplitude and any(abs(d.amplitude / x.layer.amplitude - 1) < SAME for x in same):
        d.drop("amplitude")
    is_list = len(arrays) == 1 and d.scheme != "sinusoidal" and "alone" not in d.details
    with np.errstate(invalid="ignore"):
        measured = arrays[0] if is_list else d.picture.get("frequencies", [])
        w = np.asarray(measured, np.float64).reshape(-1)
        w = np.where(np.isfinite(w), w, np.nan)  # an infinite number has no relative distance
    pairs = 0 if d.width is None else d.width // 2
    if not is_list and "resembles" in d.details:
        d.problem("only_resembles", layers=same[0].name)
        return
    if "turns" in d.details and any(x.layer.frequencies.size == pairs for x in same):
        d.problem("turns_differ", layers=same[0].name)
        return
    alike = [group for group in same if group.layer.frequencies.size == w.size]
    if not alike:
        sizes = [group.layer.turned or 2 * group.layer.frequencies.size for group in same]
        widths = dict.fromkeys(map(format_number, sizes))
        actual = format_number(2 * w.size if w.size else d.width)
        problem = "table_width_differs" if d.scheme == "sinusoidal" else "width_differs"
        d.problem(problem, actual=actual, expected=" or ".join(widths))
        return
    if is_list and _is_evenly_spaced(w):
        d.drop(*d.problems)
        d.problem("evenly_spaced", first=float(w[0]), last=float(w[-1]))
        return
    group = min(alike, key=lambda group: _relative_distance(w, group).mean())
    bases = list(dict.fromkeys(format_number(x.layer.base) for x in alike if x.layer.base))
    _report_frequencies(d, w, group, bases)


def _report_columns(d: Diagnosis, group: Group) -> bool:
    """Report sinusoids whose columns have another order. Return whether only the order differs."""
    w = np.asarray(d.picture.get("frequencies", []), np.float64)
    if d.scheme != "sinusoidal" or not d.sure or w.size != group.layer.frequencies.size:
        return False
    order = "cosine first" if group.layer.cosine_first else "sine first"
    expected = "halves" if group.layer.layout == "halves" else "interleaved"
    is_expected = d.layout == expected and d.order == order
    if d.layout is None or is_expected or _relative_distance(w, group).max() > SAME:
        return False
    actual = d.layout if d.order == "sine first" else f"{d.layout}, {d.order}"
    report_layout(d, actual, f"{expected}, {order}" if group.layer.cosine_first else expected)
    return True


def _report_size(d: Diagnosis, group: Group) -> bool:
    """Report sinusoids that are multiplied by a number. Return whether only their size differs."""
    w = np.asarray(d.picture.get("frequencies", []), np.float64)
    if d.scheme != "sinusoidal" or not d.sure or w.size != group.layer.frequencies.size:
        return False
    if d.amplitude in (None, 1.0) or _relative_distance(w, group).max() > SAME:
        return False
    _report_amplitude(d, float(d.amplitude or 1.0), group.layer.amplitude)
    return True


def _report_cache(d: Diagnosis, arrays: Arrays, same: Sequence[Group]) -> bool:
    """Report a cache with only a wrong order or amplitude, and return True for such a cache."""
    for group in same:
        layouts = _find_mixed_layouts(arrays, group.layer, d)
        if layouts is not None:
            d.scheme, d.sure = group.scheme, True
            one, two = (REPETITIONS[layout] for layout in layouts)
            d.problem("mixed_layouts", one=one, two=two)
            return True
    amplitude = float(np.hypot(*arrays).mean())
    for layer in (group.layer for group in same):
        if matching_format(arrays[::-1], layer, d):
            d.problem("swapped")
            return True
        other = replace(layer, amplitude=amplitude)
        if amplitude > 0 and matching_format(arrays, other, d):
            _report_amplitude(d, amplitude, layer.amplitude)
            return True
    return False


def _report_amplitude(d: Diagnosis, actual: float, expected: float) -> None:
    """Report an amplitude that differs from the configuration's, and how to get the right one."""
    d.drop("amplitude", "added_twice")
    is_twice = abs(actual / expected**2 - 1) < SAME and abs(expected - 1) > SAME
    is_root = d.scheme == "sinusoidal" and abs(actual**2 / (d.width or 1) - 1) < SAME
    how = "The attention factor was applied twice. " if is_twice else ""
    if is_root:
        how = "The root of the width belongs to the embeddings of words. "
    step = "Divide" if actual > expected else "Multiply"
    factor = max(actual / expected, expected / actual)
    d.problem(
        "amplitude_differs",
        actual=format_number(actual),
        expected=format_number(expected),
        mend=f"{how}{step} them by {format_number(round_significant(factor, 5))}.",
    )


def _is_evenly_spaced(w: Floats) -> bool:
    """Return whether more than two numbers (n,) fall by the same difference each time."""
    line = w[0] + (w[-1] - w[0]) * np.arange(w.size) / max(1, w.size - 1)
    return bool(w.size > 3 and w[0] > w[-1] and np.abs(w - line).max() < EXACT * w[0])


def _find_mixed_layouts(arrays: Arrays, layer: Layer, d: Diagnosis) -> tuple[str, str] | None:
    """Return the two layouts in which cosines and sines are repeated, if these layouts differ."""
    n = layer.frequencies.size
    cos, sin = (np.asarray(x) for x in arrays)
    if cos.shape != sin.shape or cos.shape[-1] != 2 * n or n < 2:
        return None
    firsts = {"halves": np.arange(n), "interleaved": 2 * np.arange(n)}
    for one, two in (("halves", "interleaved"), ("interleaved", "halves")):
        halves = [cos[..., firsts[one]], sin[..., firsts[two]]]
        are_repeated = _is_repeated(cos, one) and _is_repeated(sin, two)
        if are_repeated and matching_format(halves, layer, d):
            return one, two
    return None


def _is_repeated(x: Floats, layout: str) -> bool:
    """Return whether a cache (…, 2n) has each pair's column twice, as in a layout."""
    n = x.shape[-1] // 2
    one, two = (x[..., :n], x[..., n:]) if layout == "halves" else (x[..., 0::2], x[..., 1::2])
    return np.array_equal(one, two)


def _relative_distance(w: Floats, group: Group) -> Floats:
    """Return the relative difference, from 0 to 2, between each frequency and a group's."""
    right = group.layer.frequencies
    return np.abs(w - right) / np.maximum(np.maximum(np.abs(w), right), 1e-300)


def _repair_base(expected: str, cause: str, scheme: str) -> str:
    """Return how to repair numbers of another base, if the cause may be the exponent."""
    if scheme == "sinusoidal":
        return f"Compute the table again with base {expected}, which this kind of model has."
    if cause:
        return "Compute the buffer again with exponent 2i/d, where d counts the entries that turn."
    return f"Set rope_theta to {expected} where the buffer is computed."


def _explain_base(base: float, layer: Layer) -> str:
    """Return a sentence on a mistake in the exponent that turns a layer's base into another."""
    if not layer.base or base <= 1:
        return ""
    times = log(base) / log(layer.base)
    widths = layer.turned, layer.width
    if 0 < widths[0] < widths[1] and abs(times / (widths[0] / widths[1]) - 1) < SAME:
        one, two = (format_number(width) for width in widths)
        return f" The exponents may have been divided by {two}, the width of a head, not by {one}."
    if abs(times - 0.5) < SAME:
        return " The exponent may be i/d instead of 2i/d, which has the same effect."
    if abs(times - 2) < SAME:
        return " The exponent may be 4i/d instead of 2i/d, which has the same effect."
    return ""


def _find_exponents(readings: Sequence[tuple[float, str]], layer: Layer) -> list[str]:
    """Return the exponents with which frequencies have a layer's base."""
    base = layer.base or 1.0
    return [exponent for b, exponent in readings if is_same(b, base)]


def _report_exponent(d: Diagnosis, layer: Layer) -> None:
    """Report sinusoids with a layer's base, but with another exponent."""
    actual = _find_exponents(d.readings, layer)
    expected = _find_exponents(identify(layer.frequencies).readings, layer)
    if actual and expected and actual[0] not in expected:
        d.problem("exponent_differs", actual=actual[0], expected=expected[0])


def _report_frequencies(d: Diagnosis, w: Floats, group: Group, choices: Sequence[str]) -> None:
    """Report whether frequencies w (n,) differ in base, scaling or otherwise from a group's.

    `choices` has the bases of all groups to which the frequencies may belong.
    """
    required, off = describe_group(group), _relative_distance(w, group)
    # The first pair with the largest error. Errors that differ only by rounding count as equal.
    at = int(np.argmax(off >= off.max() * (1 - 1e-9)))
    right = float(group.layer.frequencies[at])
    times = float(w[at]) / right if right > 0 else 0.0
    faster = format_number(round_significant(times, 3)) if times > 0 else "0"
    evidence = f"pair {format_number(at)} turns {faster} times as fast as it should"
    # If a wrong exponent was reported, it may be the only reason why the base differs. So a base
    # that is right when read with that exponent is not reported.
    bases = [base for base, exponent in d.readings if exponent in ("2i/d", d.exponent)]
    own = _find_exponents(identify(group.layer.frequencies).readings, group.layer)
    base = required.base or (group.layer.base if d.exponent in own else None)
    if base and d.base and not any(is_same(b, base) for b in bases):
        actual, expected = format_number(d.base), " or ".join(choices)
        cause = _explain_base(d.base, group.layer)
        mend = _repair_base(expected, cause, group.scheme)
        d.problem(
            "base_differs", evidence, actual=actual, expected=expected, cause=cause, mend=mend
        )
    names = [x.scaling or "none" for x in (d, required)]
    factors = [x.factor or 1.0 for x in (d, required)]
    # Angles in degrees are not scaled on purpose.
    is_scaled = d.sure and "degrees" not in d.problems and "in_degrees" not in d.problems
    if is_scaled and (names[0] != names[1] or not is_same(*factors)):
        actual, expected = (
            name + (f" by {format_number(factor)}" if factor != 1 else "")
            for name, factor in zip(names, factors, strict=True)
        )
        d.problem("scaling_differs", evidence, actual=actual, expected=expected)
    others = [name for name in d.problems if name not in INTENDED]
    if required.base is None and d.sure and not others:
        _report_exponent(d, group.layer)
    others = [name for name in d.problems if name not in INTENDED]
    if not others and d.sure and "trained_length" in d.details:
        length = format_number(d.details["trained_length"])
        d.problem("trained_length_differs", evidence, actual=length, scaling=names[0])
        return
    # If a wrong exponent was reported, it already explains why the frequencies differ.
    if not others and d.exponent not in ("4i/d", "i/d"):
        share = format_share(abs(times - 1))
        d.problem("frequencies_differ", evidence, share=share, pair=format_number(at))
