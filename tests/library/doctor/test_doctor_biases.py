"""Test biases and masks whose heads, keys or entries differ from the usual ones.

All arrays are computed here, without the library.
"""

import doctor_bank as bank
import numpy as np
import pytest

from pe_lib.biases import alibi_slopes
from pe_lib.doctor import examine, identify
from pe_lib.doctor._formats import round_to

T = 40
OFFSETS = np.arange(T) - np.arange(T)[:, None]
SLOPES = 2.0 ** -np.arange(1, 9)
LONG = 2.0 ** (-np.arange(1, 17) / 2)
BIAS = -SLOPES[:, None, None] * np.abs(OFFSETS)
BLOOM = {"model_type": "bloom", "n_head": 16, "hidden_size": 256, "n_layer": 2}


def hide(hidden):
    return np.where(hidden, -np.inf, 0.0)


def change(x, at, value):
    x = np.array(x)
    x[at] = value
    return x


@pytest.mark.parametrize("value", [0.0, -0.25, np.nan, LONG[4]])
def test_a_wrong_slope_is_named_among_right_ones(value):
    d = identify(change(LONG, 5, value))
    assert (d.scheme, d.sure, d.exceptions["pairs"]) == ("alibi", True, [5]), str(d)
    assert "heads_off" in d.problems and ("not_finite" in d.problems) == np.isnan(value)
    report = examine({"alibi_slopes": change(LONG, 5, value)}, BLOOM)
    assert "heads_off" in report.problems and "fits" not in str(report), str(report)


def test_slopes_of_few_heads_are_not_certain_if_one_is_wrong():
    assert not identify(change(SLOPES, 3, 0.0)).sure


def test_slopes_that_begin_again_are_named():
    d = identify(np.concatenate([SLOPES, SLOPES[:4]]))
    assert (d.scheme, d.sure, d.problems) == ("alibi", True, ["slopes_repeated"]), str(d)


def test_zeros_in_place_of_slopes_give_no_warning():
    assert examine({"alibi_slopes": np.zeros(16)}, BLOOM).problems == ["all_zero"]


HEALTHY = {
    "signed": (SLOPES[:, None, None] * OFFSETS, "alibi", "needs a causal mask"),
    "lifted": (BIAS - SLOPES[:, None, None], "alibi", "softmax does not see that number"),
    "padding": (BIAS + hide((OFFSETS > 0) | (np.arange(T) < 5)), "alibi",
                "5 keys are masked, the first of them key 0"),
    "padding behind": (BIAS + hide(np.arange(T) > T - 4), "alibi",
                       "3 keys are masked, the first of them key 37"),
    "marked": (np.triu(np.ones((T, T)), 1), "mask", "1 means masked"),
    "both sides": (hide(np.abs(OFFSETS) > 6), "mask", "up to 6 positions before or after"),
    "zeros behind": (np.tril(BIAS), "alibi", "a causal mask has to be added"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HEALTHY)
def test_these_biases_are_healthy(kind):
    x, scheme, words = HEALTHY[kind]
    d = identify(x)
    assert (d.scheme, d.sure, d.problems) == (scheme, True, []) and words in str(d), str(d)


FAULTS = {
    "a lowest value": (np.maximum(BIAS, -6), "bias_clipped"),
    "a farthest distance": (np.maximum(BIAS, BIAS[:, :1, 16:17]), "bias_clipped"),
    "the own key masked": (hide(OFFSETS >= 0), "mask_strict"),
    "the next key seen": (hide(OFFSETS > 1), "mask_ahead"),
    "zeros behind a wrong sign": (np.tril(-BIAS), "bias_sign"),
    "zeros before the query": (np.triu(BIAS), "bias_ahead"),
    "zeros behind a limit": (np.tril(np.maximum(BIAS, BIAS[:, :1, 16:17])), "bias_clipped"),
    "one slope": (np.tril(-0.25 * np.abs(OFFSETS) * np.ones((8, 1, 1))), "slopes_same"),
    "one slope, masked": (
        hide(OFFSETS > 0) - 0.5 * np.abs(OFFSETS) * np.ones((4, 1, 1)),
        "slopes_same",
    ),
    "slopes twice": (np.tril(np.concatenate([BIAS, BIAS])), "slopes_repeated"),
    "each slope twice": (np.repeat(BIAS, 2, axis=0), "slopes_repeated"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_these_biases_are_named(kind):
    x, problem = FAULTS[kind]
    d = identify(x)
    assert d.sure and d.problems == [problem], str(d)


def test_masks_and_biases_without_a_rule_are_described():
    holes = change(hide(OFFSETS > 0), (slice(30, 40), slice(3, 5)), -np.inf)
    seen = change(hide(OFFSETS > 0), (slice(0, 20), slice(25, 28)), 0)
    near = change(hide(OFFSETS > 0), (slice(0, 36, 5), slice(38, 39)), 0)
    for x, words in ((seen, "some of those after it"), (holes, "some of those before it"),
                     (near, "in 8 entries, the first of them in row 0, column 38")):  # fmt: skip
        d = identify(x)
        assert (d.scheme, d.sure, d.problems) == ("mask", False, []) and words in str(d), str(d)
    clipped = np.random.default_rng(0).normal(size=33)[np.clip(OFFSETS, -16, 16) + 16]
    d = identify(clipped)
    assert (d.scheme, d.sure) == ("unknown", False), str(d)
    assert "Before offset -15 and after offset 15 the bias stays the same." in str(d)


def test_the_settings_of_buckets_and_heads_are_said():
    assert "8 heads." in str(identify(BIAS))
    far = np.minimum(8 + (np.log(np.maximum(np.abs(OFFSETS), 1) / 8) / np.log(16) * 8), 15)
    kind = 16 * (OFFSETS > 0) + np.where(np.abs(OFFSETS) < 8, np.abs(OFFSETS), far.astype(int))
    bias = np.random.default_rng(1).normal(size=(4, 32))[:, kind]
    assert "32 buckets up to distance 128 on both sides" in str(identify(bias))


def test_slopes_times_keys_are_known_under_a_causal_mask():
    bias = hide(OFFSETS > 0) + SLOPES[:, None, None] * np.arange(T)
    finite = np.where(OFFSETS > 0, -1e9, 0) + SLOPES[:, None, None] * (np.arange(T) - T + 1)
    for x in (bias, bias.astype(np.float32), finite, finite.astype(np.float32)):
        d = identify(x)
        assert (d.scheme, d.sure, d.problems) == ("alibi", True, []), str(d)
    d = identify(change(bias, (2, 30, 7), 5.0))
    assert not d.sure or d.problems, str(d)


def slopes_of(heads):
    """Return the slopes of a number of heads that is a power of two."""
    return 2.0 ** (-8 * np.arange(1, heads + 1) / heads)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("heads", [8, 16, 32])
def test_rows_of_slopes_times_keys_are_known_from_either_end(heads, dtype):
    """Test BLOOM's rows, which count from the first key, and MPT's, which count from the last."""
    keys = np.arange(100)
    for places in (keys, keys - 99):
        row = (slopes_of(heads)[:, None] * places).astype(dtype)
        for shape in ((heads, 1, 100), (1, heads, 1, 100)):
            d = identify(row.reshape(shape))
            assert (d.scheme, d.sure, d.problems) == ("alibi", True, []), str(d)
            d = identify(-row.reshape(shape))
            assert (d.scheme, d.problems) == ("alibi", ["bias_sign"]), str(d)


def test_rows_of_other_slopes_are_compared_with_the_configuration():
    keys = np.arange(64)
    for slopes, problem in ((slopes_of(16)[:8], "heads_differ"), (slopes_of(8), "heads_differ"),
                            (slopes_of(32), "heads_differ"), (slopes_of(16), None)):  # fmt: skip
        bias = (slopes[:, None, None] * keys).astype(np.float32)
        for x in (bias, bias[None]):
            report = examine({"alibi": x}, BLOOM)
            assert report.problems == ([problem] if problem else []), str(report)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_heads_of_a_batch_are_those_of_the_configuration(count):
    """Test BLOOM's bias, which has the heads of each text one after the other."""
    bias = (slopes_of(16)[:, None, None] * np.arange(64)).astype(np.float32)
    batch = np.concatenate([bias] * count)
    report = examine({"alibi": batch}, BLOOM)
    assert report.healthy and f"for each of {count} texts" in str(report), str(report)
    d = identify(batch)
    assert not d.problems or "Or: They may be the heads of a batch" in str(d), str(d)


DISTANCE = np.abs(OFFSETS)


@pytest.mark.parametrize("x", [OFFSETS, OFFSETS + T - 1, -OFFSETS, DISTANCE, np.tril(DISTANCE)])
def test_whole_offsets_and_distances_are_no_alibi(x):
    assert identify(x.astype(int)).scheme != "alibi"


def bucket(offset, count=32, farthest=128, both=True):
    """Return T5's bucket for one offset, key minus query."""
    side = count // 2 if both else count
    first = side if both and offset > 0 else 0
    distance = abs(offset) if both else max(-offset, 0)
    if distance < side // 2:
        return first + distance
    far = np.log(distance / (side // 2)) / np.log(farthest / (side // 2)) * (side - side // 2)
    return first + min(side // 2 + int(far + 1e-9), side - 1)


def make_buckets(length, rule=bucket, **settings):
    return np.array([[rule(s - t, **settings) for s in range(length)] for t in range(length)])


T5 = {"model_type": "t5", "d_model": 64, "d_kv": 8, "num_heads": 8, "num_layers": 6,
      "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128}  # fmt: skip
LINEAR = make_buckets(60, lambda k: min(abs(k), 15) + 16 * (k > 0))
# For each matrix of buckets: the problem that it has beside T5's configuration.
MATRICES = {
    "both sides": (make_buckets(160), []),
    "one side": (make_buckets(140, both=False), []),
    "reversed": (make_buckets(160).T, ["buckets_reversed"]),
    "one side, reversed": (make_buckets(140, both=False).T, ["buckets_reversed"]),
    "from 1": (make_buckets(160) + 1, ["buckets_shifted"]),
    "16 buckets": (make_buckets(160, count=16), ["buckets_differ"]),
    "up to 64": (make_buckets(160, farthest=64), ["buckets_differ"]),
    "linear": (LINEAR, ["buckets_linear"]),
}


@pytest.mark.parametrize("name", MATRICES)
def test_buckets_are_compared_with_the_configuration(name):
    matrix, problems = MATRICES[name]
    for x in (matrix, matrix[None, None]):
        report = examine({"buckets": lambda x=x: x}, T5)
        assert report.problems == problems, str(report)
        assert report.healthy == (not problems) and ("fits" in str(report)) == (not problems)


def test_buckets_of_unusual_settings_fit_their_configuration():
    config = {**T5, "relative_attention_num_buckets": 24, "relative_attention_max_distance": 100}
    matrix = make_buckets(130, count=24, farthest=100)
    assert examine({"buckets": lambda: matrix}, config).healthy


def make_index(rows, columns, factor=None):
    """Return Swin's index of a window, whose row offset is multiplied by 2 · columns - 1."""
    factor = factor or 2 * columns - 1
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    return np.array([[(r - q + rows - 1) * factor + c - k + columns - 1 for q, k in cells]
                     for r, c in cells])  # fmt: skip


@pytest.mark.parametrize("window", [(7, 7), (4, 6), (8, 8), (2, 3)])
def test_the_index_of_a_window_is_known(window):
    index = make_index(*window)
    name = "layers.0.blocks.0.attn.relative_position_index"
    classed = np.zeros((len(index) + 1, len(index) + 1), int)
    classed[1:, 1:] = index
    classed[0], classed[:, 0], classed[0, 0] = 500, 501, 502
    for x in (index, classed, index.reshape(-1)):
        d = examine({name: lambda x=x: x}).entries[0].diagnosis
        assert (d.scheme, d.sure, d.problems) == ("index", True, []), str(d)
    shared = make_index(*window, factor=window[1])
    d = examine({name: lambda: shared}).entries[0].diagnosis
    assert d.problems == ["index_shared"] and not d.sure, str(d)
    assert identify(index).scheme != "alibi" and identify(shared).scheme != "alibi"


def build_index(rows, columns, class_token=False):
    """Return Swin's index of relative positions, patch by patch, or BEiT's with a class token."""
    patches = [(r, c) for r in range(rows) for c in range(columns)]
    width, count = 2 * columns - 1, (2 * rows - 1) * (2 * columns - 1)
    index = np.array([[(r - s + rows - 1) * width + c - k + columns - 1 for s, k in patches]
                      for r, c in patches])  # fmt: skip
    if class_token:
        index = np.pad(index, ((1, 0), (1, 0)))
        index[0], index[:, 0], index[0, 0] = count, count + 1, count + 2
    return index


WINDOWS = [(7, 7, False), (8, 8, False), (6, 12, False), (14, 14, True), (4, 5, True)]


@pytest.mark.parametrize("window", WINDOWS)
def test_the_index_of_a_window_is_known_without_its_table(window):
    index = build_index(*window)
    for x in (index, index.astype("f4"), index.reshape(-1)):
        for d in (identify(x), examine({"relative_position_index": x}).entries[0].diagnosis):
            assert (d.scheme, d.sure, d.problems) == ("index", True, []), str(d)
            assert f"a window of {window[0]} × {window[1]}" in str(d)


@pytest.mark.parametrize("window", WINDOWS[:3])
def test_mistakes_in_the_index_of_a_window_are_named(window):
    rows, columns, _ = window
    index = build_index(*window)
    places = np.array([(r, c) for r in range(rows) for c in range(columns)])
    down, right = (places[:, None, k] - places[None, :, k] for k in (0, 1))
    by_columns = (right + columns - 1) * (2 * rows - 1) + down + rows - 1
    wrong = index.copy()
    wrong[[3, 5]] = 0
    for x, problem in (
        (index.T, "index_transposed"), (by_columns, "index_by_columns"),
        (down * (2 * columns - 1) + right, "index_moved"), (index + 1, "index_moved"),
        (wrong, "rows_off"),
    ):  # fmt: skip
        for d in (identify(x), examine({"relative_position_index": x}).entries[0].diagnosis):
            assert d.problems == [problem] and d.sure and d.passed(), str(d)
    assert identify(wrong).exceptions["rows"] == [3, 5]
    shared = (down + rows - 1) * columns + right + columns - 1
    assert examine({"relative_position_index": shared}).problems == ["index_shared"]


def test_the_index_of_a_class_token_is_its_own():
    index = build_index(4, 5, class_token=True)
    index[0, 1:] = index[2, 3]
    assert identify(index).problems == ["index_of_class"]
    distances = np.arange(49) - np.arange(49)[:, None]
    for x in (distances, np.abs(distances), np.arange(49).reshape(7, 7), np.tri(49)):
        assert identify(x).scheme != "index"


@pytest.mark.parametrize(
    ("form", "length", "lost"), [("bfloat16", 512, 257), ("float16", 4096, 2049)]
)
@pytest.mark.parametrize("from_last", [False, True])
def test_distances_that_were_rounded_are_named(form, length, lost, from_last):
    slopes = alibi_slopes(12)
    distance = np.arange(length, dtype=float)
    rounded = round_to(distance, form)
    for x, problems in ((rounded, ["half_precision_distances"]), (distance, [])):
        bias = -slopes[:, None, None] * x if from_last else slopes[:, None, None] * x
        d = identify(bias.astype("f4"))
        assert d.scheme == "alibi" and [p for p in d.problems if p != "bias_sign"] == problems, d
        assert not problems or f"from distance {lost:,} on" in str(d)


def test_a_slope_of_zero_is_named():
    slopes = alibi_slopes(16)
    slopes[3] = 0
    d = identify(slopes)
    assert d.problems == ["heads_off"] and "The slope of head 3 is 0" in str(d)


def test_what_alibi_may_lose_is_noted():
    slopes = 2.0 ** -np.arange(1, 9)[:, None, None]
    distance = np.abs(np.subtract.outer(np.arange(64), np.arange(64)))
    square, line = (identify(-slopes * distance**power) for power in (2, 1))
    assert "square of the distance" in str(square) and "square" not in str(line)
    keys = slopes * np.arange(1024)
    for form, words in (("bfloat16", "From distance 256 on"), ("float32", "")):
        d = identify(bank.to(form, keys))
        assert (d.scheme, d.problems) == ("alibi", []), str(d)
        assert words in str(d) and ("same penalty" in str(d)) == bool(words)
    assert "same penalty" not in str(identify(bank.to("bfloat16", keys[..., :200])))


@pytest.mark.parametrize("heads", [8, 12, 16, 20])
def test_blooms_slopes_in_float32_are_right(heads):
    # BLOOM's program raises a float32 base to whole powers, which is off by up to 3e-7.
    power = 8 if heads < 16 else 16
    bases = [float(np.float32(2 ** (-8 / power))), float(np.float32(2 ** (-4 / power)))]
    slopes = [bases[0] ** (h + 1) for h in range(power)]
    slopes += [bases[1] ** (2 * h + 1) for h in range(heads - power)]
    bias = np.zeros((heads, 32, 32), np.float32)
    for h in range(heads):
        for t in range(32):
            for s in range(32):
                bias[h, t, s] = -np.float32(np.float32(slopes[h]) * np.float32(abs(t - s)))
    for x in (bias, bias[:, -1:], np.float32(slopes)):
        d = identify(x)
        assert (d.scheme, d.sure, d.problems) == ("alibi", True, []), str(d)
