"""Test tables, caches and lists that are near a rule, or follow one in another order.

All arrays are computed here, without the library.
"""

import re

import numpy as np
import pytest
from doctor_bank import to as round_to

from pe_lib.doctor import examine, identify

rng = np.random.default_rng(20)
WIDTH, ROWS = 64, 120


def space(base, width=WIDTH):
    """Return a frequency for each pair, evenly spaced on a logarithmic scale from 1 downwards."""
    return base ** (-np.arange(0, width, 2) / width)


def table(base=1e4, width=WIDTH, rows=ROWS, halves=False):
    angles = np.arange(rows)[:, None] * space(base, width)
    waves = [np.sin(angles), np.cos(angles)]
    return np.concatenate(waves, 1) if halves else np.stack(waves, -1).reshape(rows, -1)


# --- Rows and columns in another order, which the doctor solves ---


@pytest.mark.parametrize("form", ["float64", "float32", "bfloat16"])
@pytest.mark.parametrize("base", [1e4, 5e5])
def test_columns_in_any_order_are_solved(base, form):
    x = round_to(form, table(base))
    for order in (rng.permutation(WIDTH), np.r_[0:8, np.arange(8, 64).reshape(-1, 2).T.ravel()]):
        d = identify(x[:, order])
        assert (d.scheme, d.base, d.sure) == ("sinusoidal", base, True), str(d)
        assert d.problems == ["columns_out_of_order"]
        kind = "sine" if order[0] % 2 == 0 else "cosine"
        if form != "bfloat16":  # there, slow pairs are equal, so their order cannot be known
            assert f"begin with the {kind} of pair {order[0] // 2}," in str(d)
            np.testing.assert_allclose(d.rebuild(), table(base)[:, order], atol=1e-9)


@pytest.mark.parametrize("width", [9, 33, 65, 127])
@pytest.mark.parametrize("divisor", [0, 1])
def test_a_table_of_odd_width_is_healthy(width, divisor):
    """Test both usual exponents, and both usual layouts."""
    i = np.arange((width + 1) // 2)
    angles = np.arange(ROWS)[:, None] * 1e4 ** (-2 * i / (width + divisor))
    sines, cosines = np.sin(angles), np.cos(angles)[:, :-1]
    twos = np.empty((ROWS, width))
    twos[:, 0::2], twos[:, 1::2] = sines, cosines
    for x, layout in ((twos, "interleaved"), (np.concatenate([sines, cosines], 1), "halves")):
        d = identify(x.astype("f4"))
        assert (d.scheme, d.base, d.layout, d.width) == ("sinusoidal", 1e4, layout, width), str(d)
        assert d.sure and d.problems == [] and "is odd, so the last sine has no cosine" in str(d)


def test_an_odd_width_may_be_filled_with_zeros():
    d = identify(np.concatenate([table(halves=True), np.zeros((ROWS, 1))], axis=1))
    assert d.sure and d.problems == [] and "width 65 is odd, and the last column" in str(d)


def test_a_lost_column_is_named():
    d = identify(np.delete(table(), 6, axis=1))
    assert d.sure and d.problems == ["columns_out_of_order", "columns_missing"], str(d)
    assert "missing: 1, the first of them the sine of pair 3." in str(d)


def test_rows_in_any_order_are_solved():
    order = rng.permutation(ROWS)
    angles = order[:, None] * space(1e4)
    for d in (identify(table()[order]), identify(table(halves=True)[order].astype("f4")),
              identify(np.cos(angles), np.sin(angles))):  # fmt: skip
        assert d.sure and d.base == 1e4 and d.problems == ["rows_permuted"], str(d)
        assert f"row 0 is position {order[0]}." in str(d)


def test_rows_that_devices_share_are_in_order():
    """Test blocks of rows in the order in which ring attention deals them out."""
    order = np.concatenate([np.r_[8 * k : 8 * k + 8, 120 - 8 * k - 8 : 120 - 8 * k]
                            for k in range(7)] + [np.r_[56:64]])  # fmt: skip
    angles = order[:, None] * space(1e4)
    for d in (identify(table()[order]), identify(np.cos(angles), np.sin(angles))):
        assert d.sure and d.problems == [] and "Its rows stand at positions 0–7" in str(d)


# --- Numbers near a rule, of which the doctor is never sure ---


def read_size(d):
    """Return the size of the errors that a diagnosis names."""
    return float(re.search(r"off this rule by about ([0-9.]+)\. ", str(d))[1])


@pytest.mark.parametrize("size", [1e-3, 0.01, 0.05, 0.2])
@pytest.mark.parametrize("halves", [False, True])
def test_a_table_with_noise_resembles_its_rule(size, halves):
    d = identify(table(halves=halves) + rng.normal(0, size, (ROWS, WIDTH)))
    assert (d.scheme, d.base, d.exponent, d.sure) == ("sinusoidal", 1e4, "2i/d", False), str(d)
    assert d.layout == ("halves" if halves else "interleaved") and d.problems == []
    assert read_size(d) == pytest.approx(size, rel=0.05)


def test_a_cache_with_noise_resembles_its_rule():
    angles = np.arange(ROWS)[:, None] * space(5e5)
    for twice in (np.concatenate([angles, angles], 1), np.repeat(angles, 2, axis=1), angles):
        pair = [f(twice) + rng.normal(0, 0.01, twice.shape) for f in (np.cos, np.sin)]
        d = identify(*pair)
        assert (d.scheme, d.base, d.width, d.sure) == ("rotary", 5e5, WIDTH, False), str(d)
        assert read_size(d) == pytest.approx(0.01, rel=0.05)


CHANGED = {
    "8 bits": (lambda x: np.round(127 * x) / 127, [], "only 255 different values"),
    "dropout": (lambda x: x * (np.random.default_rng(0).random(x.shape) > 0.1) / 0.9, [],
                "as after dropout"),
    "clipped": (lambda x: x.clip(-0.6, 0.7), ["clipped"], "below -0.6 and above 0.7"),
    "ReLU": (lambda x: np.maximum(x, 0), ["negative_lost"], "as after a ReLU"),
    "absolute": (np.abs, ["no_sign"], "lost their sign"),
    "shifted": (lambda x: x + 1, ["shifted_values"], "middle is 1 instead of 0"),
    "from 0 to 1": (lambda x: (x + 1) / 2, ["shifted_values"], "middle is 0.5 instead of 0"),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGED)
def test_what_happened_to_a_table_is_named(change):
    make, problems, words = CHANGED[change]
    for halves in (False, True):
        d = identify(make(table(halves=halves)).astype("f4"))
        assert (d.scheme, d.base, d.sure) == ("sinusoidal", 1e4, False), str(d)
        assert d.problems == problems and words in str(d), str(d)


def test_pairs_that_turn_by_no_known_rule_are_described():
    w = np.sort(rng.uniform(0.01, 1, WIDTH // 2))[::-1]
    steps = np.arange(ROWS)[:, None] * w
    angles = np.arange(ROWS)[:, None] * space(1e4) + rng.uniform(0, 6, WIDTH // 2)
    for values, words in ((steps, "frequencies, which begin with"), (angles, "angle of its own")):
        d = identify(np.concatenate([np.sin(values), np.cos(values)], axis=1))
        assert (d.scheme, d.sure, d.problems) == ("sinusoidal", False, []) and words in str(d)


def test_pairs_that_turn_ever_faster_do_not_turn_steadily():
    angles = (np.arange(ROWS) ** 2 / ROWS)[:, None] * space(1e4)
    d = identify(np.concatenate([np.sin(angles), np.cos(angles)], axis=1))
    assert not d.sure and "turn steadily" not in str(d), str(d)


def test_learned_tables_resemble_nothing():
    smooth = np.cumsum(rng.normal(0, 0.1, (256, WIDTH)), 0)
    drifting = 1 + 0.01 * smooth
    for x in (rng.normal(0, 0.02, (256, WIDTH)), smooth, drifting, rng.uniform(0, 1, (99, 20))):
        d = identify(x)
        assert (d.scheme, d.sure, d.problems) == ("learned", False, []), str(d)


def test_a_learned_table_that_began_as_sinusoids_is_healthy_where_one_is_configured():
    gpt2 = {"model_type": "gpt2", "n_embd": WIDTH, "n_head": 2, "n_layer": 2, "n_positions": ROWS}
    trained = table() + rng.normal(0, 0.02, (ROWS, WIDTH))
    assert examine({"wpe.weight": trained}, gpt2).problems == []


def test_a_rule_that_is_configured_must_be_kept():
    marian = {"model_type": "marian", "d_model": WIDTH, "encoder_layers": 2, "decoder_layers": 2,
              "encoder_attention_heads": 2, "decoder_attention_heads": 2,
              "max_position_embeddings": ROWS}  # fmt: skip
    noisy = table(halves=True) + rng.normal(0, 0.02, (ROWS, WIDTH))
    name = "model.encoder.embed_positions.weight"
    assert examine({name: table(halves=True).astype("f4")}, marian).healthy
    assert examine({name: noisy}, marian).problems == ["only_resembles"]


# --- Lists of frequencies ---


@pytest.mark.parametrize("base", [1e4, 5e5, 1e6])
def test_frequencies_near_a_rule_are_described(base):
    w = space(base, 128)
    d = identify(w * (1 + rng.normal(0, 0.01, 64)))
    assert not d.sure and d.problems == [] and f"frequencies of base {base:,.0f} do" in str(d)
    d = identify(w[::-1])
    assert (d.base, d.sure, d.problems) == (base, False, ["columns_reversed"]), str(d)
    for twice, how in ((np.repeat(w, 2), "twice in a row"), (np.tile(w, 2), "all again")):
        d = identify(twice)
        assert (d.base, d.sure, d.problems) == (base, False, ["frequencies_repeated"]), str(d)
        assert how in str(d)


def test_reversed_frequencies_of_a_model_are_no_unused_memory():
    llama = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
             "num_hidden_layers": 32, "rope_theta": 5e5}  # fmt: skip
    for config in (None, llama):
        report = examine({"rotary_emb.inv_freq": space(5e5, 128)[::-1]}, config)
        assert report.problems == ["columns_reversed"], str(report)
    noisy = space(5e5, 128) * (1 + rng.normal(0, 0.05, 64))
    assert examine({"rotary_emb.inv_freq": noisy}, llama).problems == ["frequencies_differ"]


def test_one_array_in_both_places_is_named():
    cosines = np.cos(np.arange(ROWS)[:, None] * space(1e4))
    assert identify(cosines, cosines).problems == ["same_arrays"]


# --- Whole columns and rows that are lost or misplaced ---


@pytest.mark.parametrize("form", ["float64", "float32"])
@pytest.mark.parametrize("row", [17, 60, 100])
def test_one_position_left_out_or_there_twice_is_named(row, form):
    x = round_to(form, table())
    angles = np.arange(ROWS)[:, None] * space(1e4)
    less = [np.delete(part, row, axis=0) for part in (x, np.cos(angles), np.sin(angles))]
    for d, problems in ((identify(less[0]), ["position_skipped"]), (identify(*less[1:]), [])):
        # In the cosines and sines of one call, a token may have been removed on purpose.
        assert d.sure and d.problems == problems, str(d)
        assert f"Position {row} is left out: row {row} is position {row + 1}" in str(d)
    cache = {"rotary_emb.cos_cached": less[1], "rotary_emb.sin_cached": less[2]}
    assert examine(cache).problems == ["position_skipped"]
    assert examine({"cos": less[1], "sin": less[2]}).healthy
    more = np.insert(x, row, x[row - 1], axis=0)
    d = identify(more)
    assert d.sure and d.problems == ["position_repeated"], str(d)
    assert f"Position {row - 1} is there twice: row {row} repeats" in str(d)
    np.testing.assert_allclose(d.rebuild(), np.insert(table(), row, table()[row - 1], 0), atol=1e-9)


def test_one_slip_in_many_rows_of_one_call_is_named():
    for positions, problems in (
        (np.delete(np.arange(301), 200), ["position_skipped"]),
        (np.insert(np.arange(300), 200, 199), ["position_repeated"]),
        (np.delete(np.arange(101), 50), []),  # too short
        (np.delete(np.arange(7, 308), 200), []),  # a later part of a text
        (np.delete(np.arange(303), [100, 200]), []),  # tokens may have been removed
        (np.r_[0:150, 0:150], []),
    ):
        angles = positions[:, None] * space(1e4)
        report = examine({"cos": np.cos(angles), "sin": np.sin(angles)})
        assert report.problems == problems, str(report)
        assert not problems or "Or:" in str(report)


def test_rows_of_several_texts_are_healthy():
    angles = np.r_[0:50, 0:30, 7:40][:, None] * space(1e4)
    d = identify(np.cos(angles), np.sin(angles))
    assert d.sure and d.problems == [] and "positions 0–49, then 0–29, then 7–39." in str(d)


@pytest.mark.parametrize("width", [32, 64, 120])
def test_columns_that_repeat_others_or_are_empty_are_named(width):
    x = table(width=width).astype("f4")
    half = width // 2
    again = np.concatenate([x[:, :half], x[:, :half]], axis=1)
    d = identify(again)
    assert d.problems == ["columns_repeated"] and not d.sure, str(d)
    for columns, which in ((slice(1, None, 2), "odd"), (slice(0, None, 2), "even")):
        lost = x.copy()
        lost[:, columns] = 0
        d = identify(lost)
        assert d.problems == ["columns_empty"] and f"zeros: the {which} ones." in str(d), str(d)


def test_sines_without_cosines_are_those_of_a_cache():
    sines = np.sin(np.arange(ROWS)[:, None] * space(5e5))
    for x, layout in ((sines, None), (np.concatenate([sines, sines], 1), "halves"),
                      (np.repeat(sines, 2, axis=1), "interleaved")):  # fmt: skip
        d = identify(x.astype("f4"))
        assert (d.scheme, d.base, d.layout, d.problems) == ("rotary", 5e5, layout, []), str(d)
        assert d.sure and "its cosines are missing" in str(d)


@pytest.mark.parametrize("first", [40, 70, 110])
def test_rows_that_were_never_computed_are_named(first):
    x = table()
    x[first:] = rng.normal(size=x[first:].shape)
    d = identify(x)
    if first > ROWS // 2:
        assert d.sure and d.problems == ["rows_off"] and d.exceptions["rows"][0] == first, str(d)
    else:  # most rows follow no rule
        assert not d.sure


def test_a_column_of_zeros_is_named():
    x = table()
    x[:, 9] = 0
    d = identify(x)
    assert d.problems == ["pairs_off"] and "only zeros: 1, the first of them column 9." in str(d)


@pytest.mark.parametrize("halves", [True, False])
def test_a_transposed_cache_is_named(halves):
    angles = np.arange(256)[:, None] * space(1e4)
    cos, sin = np.cos(angles), np.sin(angles)
    if halves:
        cos, sin = np.tile(cos, 2), np.tile(sin, 2)
    d = identify(cos.T.copy(), sin.T.copy())
    assert d.sure and d.problems == ["transposed"] and d.base == 1e4, str(d)
    np.testing.assert_allclose(d.rebuild()[0], cos.T, atol=1e-9)


# --- Frequencies and sizes that come from a slip in one line of code ---


def test_wrong_logarithms_signs_and_divisions_are_named():
    i = np.arange(32)
    slips = {
        "one_frequency": np.ones(32),
        "frequencies_grow": 1e4 ** (i / 32),
        "base_log10": np.exp(-i / 32 * np.log10(1e4)),
    }
    for problem, w in slips.items():
        angles = np.arange(ROWS)[:, None] * w
        assert problem in identify(w).problems, str(identify(w))
        both = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(ROWS, -1)
        assert identify(both).problems == [problem], str(identify(both))
    # one frequency is no slip if there is only one pair, or if few pairs are copies
    assert identify(np.ones(4)).problems == []


def test_positions_divided_by_the_length_are_named():
    for rows, factor in ((100, 100), (100, 99), (200, 200)):
        angles = np.arange(rows)[:, None] / factor * space(1e4)
        d = identify(np.concatenate([np.sin(angles), np.cos(angles)], 1))
        assert d.problems == ["positions_divided"], str(d)
    angles = np.arange(400)[:, None] / 4 * space(1e4)  # a text that is four times as long
    assert identify(np.concatenate([np.sin(angles), np.cos(angles)], 1)).problems == []


@pytest.mark.parametrize("times", [8.0, 1 / 8])
def test_a_root_of_the_width_is_noted_and_another_factor_is_a_finding(times):
    d = identify((times * table()).astype("f4"))
    assert d.sure and d.problems == [] and "the root of the width." in str(d), str(d)
    assert identify((times * 1.1 * table()).astype("f4")).problems == ["amplitude"]
    config = {"model_type": "marian", "d_model": WIDTH, "encoder_layers": 2, "decoder_layers": 2,
              "encoder_attention_heads": 4, "decoder_attention_heads": 4,
              "max_position_embeddings": ROWS}  # fmt: skip
    name, x = "model.encoder.embed_positions.weight", table(halves=True).astype("f4")
    assert examine({name: x}, config).healthy
    assert examine({name: times * x}, config).problems == ["amplitude_differs"]


# --- Grids, whose rows and columns may stand in any order ---


def grid(sizes, widths, halves=True):
    """Return a table with a row for each place of a grid, and a block of columns for each axis."""
    places = np.indices(sizes).reshape(len(sizes), -1)
    blocks = []
    for place, width in zip(places, widths, strict=True):
        angles = place[:, None] * space(1e4, width)
        waves = [np.sin(angles), np.cos(angles)]
        both = np.concatenate(waves, 1) if halves else np.stack(waves, -1).reshape(len(place), -1)
        blocks.append(both)
    return np.concatenate(blocks, axis=1)


def test_a_table_for_videos_has_three_axes():
    d = identify(grid((5, 6, 10), (64, 96, 96)).astype("f4"))
    assert d.sure and d.problems == [] and d.base == 1e4, str(d)
    assert "positions on 3 axes" in str(d)


@pytest.mark.parametrize("halves", [True, False])
def test_the_shuffled_rows_of_a_grid_are_named(halves):
    x = grid((12, 12), (64, 64), halves)
    d = identify(x[rng.permutation(144)])
    assert d.sure and d.problems == ["grid_permuted"], str(d)
    blocks = np.arange(144).reshape(6, 2, 6, 2).transpose(0, 2, 1, 3).reshape(-1)
    assert identify(x[blocks]).problems == []  # the order of models that merge 2 × 2 patches


@pytest.mark.parametrize("shape", [(20, 20), (12, 17)])
def test_channels_may_come_before_a_grid(shape):
    x = grid(shape, (64, 64), halves=False)
    d = identify(x.T.reshape(1, 128, *shape).astype("f4"))
    assert d.sure and d.problems == [] and d.details["axes"] == [*shape], str(d)


@pytest.mark.parametrize("shape", [(25, 34), (20, 20)])
def test_positions_may_be_divided_by_the_length_of_each_axis(shape):
    """Test the table that DETR computes, with positions from 2π/length to 2π on each axis."""
    y, x = (np.arange(1, n + 1) / (n + 1e-6) * 2 * np.pi for n in shape)
    w = 1e4 ** (-np.arange(0, 128, 2) / 128)
    blocks = []
    for t in (np.repeat(y, shape[1]), np.tile(x, shape[0])):
        angles = t[:, None] * w
        blocks.append(np.stack([np.sin(angles), np.cos(angles)], -1).reshape(len(t), -1))
    table = np.concatenate(blocks, axis=1).astype("f4")
    report = examine({"pos_embed": table.T.reshape(1, 256, *shape)})
    assert report.healthy, str(report)


def test_a_list_may_be_the_only_row_of_a_table():
    d = identify(space(5e5)[None].astype("f4"))
    assert d.sure and d.scheme == "rotary" and d.base == 5e5, str(d)
    ids = np.arange(3000.0)[None]
    assert identify(ids).scheme == "ids" and identify(ids).problems == []
    assert identify(round_to("float16", ids)).problems == ["half_precision_positions"]


# --- Caches that lost a part ---


def test_lost_sines_and_stored_angles_are_named():
    angles = np.arange(ROWS)[:, None] * space(1e4, 128)
    cos = np.cos(angles).astype("f4")
    d = identify(cos, 0 * cos)
    assert d.problems == ["sines_lost"] and d.base == 1e4, str(d)
    assert identify(cos, np.sin(angles).astype("f4")).problems == []
    both = np.concatenate([angles, angles], axis=1).astype("f4")
    report = examine({"rotary_emb.cos_cached": both})
    assert report.problems == ["angles_stored"], str(report)
    assert identify(both).problems == []  # angles alone are healthy
