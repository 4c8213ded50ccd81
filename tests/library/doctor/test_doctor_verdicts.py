"""Test verdicts about arrays that were once misread, each with its whole kind."""

import doctor_bank as bank
import numpy as np
import pytest
from test_doctor_checkpoints import LLAMA, read_stored_config

import pe_lib
from pe_lib.doctor import compare, examine, identify, probe
from pe_lib.doctor._requirements import read_requirements

rng = np.random.default_rng(63)
T = np.arange(256)[:, None]
CODE = np.arange(256)[:, None] >> np.arange(8) & 1
GRAY = (np.arange(256) ^ np.arange(256) >> 1)[:, None] >> np.arange(8) & 1


def space(base, n):
    """Return frequencies that are evenly spaced on a logarithmic scale, from 1 downwards."""
    return base ** (-np.arange(n) / n)


# Tables whose first row is zero by their rule, and for no padding.
ZERO = {
    "sines": np.sin(T * space(1e4, 32)),
    "sines of a large base": np.sin(T * space(5e5, 48)),
    "raw angles": T * space(1e4, 32),
    "ramps": np.linspace(0, 1, 256)[:, None] * rng.normal(size=32),
    "chirps": np.sin(T**2 * space(1e4, 32) / 256),
    "bits": CODE * 1.0,
    "Gray code": GRAY * 1.0,
    "square roots": np.sqrt(T) * rng.normal(size=24),
}


@pytest.mark.parametrize("form", ["float32", "bfloat16"])
@pytest.mark.parametrize("kind", ZERO)
def test_a_first_row_that_is_zero_by_its_rule_is_no_padding(kind, form):
    d = identify(bank.to(form, ZERO[kind]))
    assert "padding_row" not in d.problems and "padding" not in str(d), str(d)


@pytest.mark.parametrize("row", [0, 1])
def test_a_row_kept_for_padding_is_named_but_no_mistake_of_a_model(row):
    for table in (rng.normal(0, 0.02, (120, 32)), pe_lib.encode(range(120), 32)):
        table[row] = 0
        assert identify(table).problems == ["padding_row"]
        report = examine({"embeddings.position_embeddings.weight": table.astype("f4")})
        assert report.healthy and f"Row {row} is zero" in str(report)


def test_raw_angles_are_named():
    for base, n in ((1e4, 32), (5e5, 64)):
        for form in ("float64", "float32"):
            d = identify(bank.to(form, np.arange(90)[:, None] * space(base, n)))
            assert (d.scheme, d.base, d.sure, d.problems) == ("rotary", base, True, [])
            assert "angles, position times frequency" in str(d)


@pytest.mark.parametrize("stored", ["float32", "half"])
@pytest.mark.parametrize("form", ["bfloat16", "float16"])
@pytest.mark.parametrize(("base", "n", "rows"), [(1e4, 16, 64), (5e5, 64, 512), (1e6, 64, 2048)])
def test_an_exact_angle_rounded_once_is_named(base, n, rows, form, stored):
    w = space(base, n).astype(np.float32)
    angles = bank.to(form, (np.arange(rows, dtype=np.float32)[:, None] * w).astype(np.float32))
    kept = "float32" if stored == "float32" else form
    cos, sin = (bank.to(kept, np.tile(f(angles), 2)) for f in (np.cos, np.sin))
    table = bank.join_waves(
        bank.to(kept, np.sin(angles)), bank.to(kept, np.cos(angles)), "interleaved"
    )
    for d in (identify(cos, sin), identify(table)):
        assert d.sure and d.problems == ["half_precision_angles"] and d.base == base, str(d)
        assert (d.precision, d.where) == (form, "angles")


@pytest.mark.parametrize("shape", [(8, 12), (16, 16), (5, 7)])
def test_a_grid_may_have_an_axis_for_its_rows(shape):
    rows, columns = shape
    flat = bank.grid(rows, columns, 64, 1e4, "interleaved")
    for x in (flat.reshape(rows, columns, 64), flat.reshape(1, rows, columns, 64)):
        d = identify(x)
        assert d.sure and d.problems == [] and d.details["axes"] == [rows, columns], str(d)


def test_a_learned_table_may_have_an_axis_for_its_rows():
    x = rng.normal(0, 0.02, (1, 16, 16, 32)).astype(np.float32)
    report = examine({"vision_encoder.pos_embed": x})
    assert report.healthy and "items_differ" not in report.problems
    x[0, 3] = np.nan
    assert not examine({"vision_encoder.pos_embed": x}).healthy


def test_a_zeroed_tail_has_two_readings():
    w = np.where(np.arange(64) < 32, space(1e4, 64), 0)
    d = identify(w)
    assert d.scaling == "proportional" and "The last 32 frequencies are 0." in str(d)
    assert examine({"rotary_emb.inv_freq": w}, LLAMA).healthy is False


def test_an_untrained_table_keeps_its_hint_beside_a_configuration():
    config = {"model_type": "gpt2", "n_embd": 64, "n_head": 2, "n_layer": 2, "n_positions": 128}
    table = rng.normal(0, 0.02, (128, 64)).astype(np.float32)
    for given in (None, config):
        report = examine({"wpe.weight": table}, given)
        assert report.healthy and "look like a table before training" in str(report)


def test_columns_in_another_order_are_named():
    for x in (rng.normal(size=(40, 16)), pe_lib.encode(range(64), 16)):
        halves = np.concatenate([x[:, 8:], x[:, :8]], axis=1)
        assert compare(x, halves).names == ["halves_exchanged"]
        order = np.array([5, 0, 2, 1, *range(6, 16), 3, 4])
        difference = compare(x, x[:, order])
        assert difference.sure and difference.names == ["columns_permuted"]
    halves = pe_lib.encode(range(64), 16, layout="halves")
    assert compare(pe_lib.encode(range(64), 16), halves).names == ["layout"]


def test_functions_are_compared_with_a_width():
    def turn(x, t, base=1e4):
        return pe_lib.rotary.rotate(x, t, base, "halves")

    def rotate_wide(x, t):
        assert x.shape[-1] == 48
        return turn(x, t, 5e5)

    assert compare(turn, rotate_wide, width=48).names == ["base"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.where(T < 200, pe_lib.encode(range(256), 32), 0), "A buffer nobody filled"),
        (np.stack([pe_lib.encode(range(64), 32), pe_lib.encode(range(64), 32, 5e5)]),
         "A buffer nobody filled"),
        (np.array([0.1, 0.5, 0.2, 0.9]), "Frequencies"),
    ],
)  # fmt: skip
def test_a_finding_leads_to_a_page_about_it(values, words):
    d = identify(values)
    assert d.findings and all(words in finding.chapter for finding in d.findings), str(d)


def test_the_last_queries_of_a_bias_are_read():
    whole = bank.alibi(12, 40, causal=False)
    for queries in (6, 17):
        d = identify(whole[:, -queries:])
        assert (d.scheme, d.sure, d.first_position) == ("alibi", True, 40.0 - queries), str(d)
        assert f"Its rows are the last {queries} of 40 queries." in str(d)


def test_a_lost_number_in_a_bias_is_named_and_nothing_is_sure():
    bias = bank.alibi(8, 20)
    bias[3, 4, 2] = np.nan
    d = identify(bias)
    assert (d.scheme, d.problems, d.sure) == ("alibi", ["not_finite"], False), str(d)
    assert "head 3, row 4, column 2" in str(d)


def test_frequencies_in_turns_instead_of_radians_are_named():
    d = identify(space(1e4, 32) * 2 * np.pi)
    assert (d.base, d.problems, d.sure) == (1e4, ["frequencies_multiplied"], True), str(d)


def test_a_pair_lost_in_scaled_frequencies_is_named():
    w = bank.llama3(128, 8, 8192, 5e5)
    for pair in (3, 30, 60):
        lost = w.copy()
        lost[pair] = 0.004
        d = identify(lost.astype(np.float32))
        assert (d.scaling, d.problems, d.exceptions["pairs"]) == ("llama3", ["pairs_off"], [pair])


STARTS = (1, 2, 57, 1000, -3)


@pytest.mark.parametrize("first", STARTS)
def test_an_array_may_begin_at_any_position_and_a_note_says_where(first):
    angles = np.arange(first, first + 90)[:, None] * space(1e4, 32)
    table = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(90, 64)
    for d in (identify(table), identify(np.cos(angles), np.sin(angles))):
        assert (d.first_position, d.sure, d.problems) == (first, True, []), str(d)
        assert f"Row 0 is position {first:,}. That is right if your code expects it." in str(d)


def test_a_first_position_is_a_mistake_where_position_0_is_asked_for():
    """Test a configured table, a cache with a row for each position, and a function."""
    angles = np.arange(1, 513)[:, None] * space(1e4, 32)
    cache = {"cos_cached": np.cos(angles), "sin_cached": np.sin(angles)}
    table = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    marian = {"model_type": "marian", "d_model": 64, "encoder_layers": 2, "decoder_layers": 2,
              "encoder_attention_heads": 2, "decoder_attention_heads": 2,
              "max_position_embeddings": 512}  # fmt: skip
    reports = [examine(cache), examine({"model.encoder.embed_positions.weight": table}, marian),
               probe(lambda x, t: pe_lib.rotary.rotate(x, t + 1))]  # fmt: skip
    for report in reports:
        assert report.problems == ["first_position"], str(report)
        assert "Position 0 has the encoding of position 1." in str(report)
    assert examine({"my_own_table": table}).problems == []


def test_rows_of_padding_before_position_0_are_not_noted_twice():
    table = np.concatenate([np.zeros((1, 64)), pe_lib.encode(range(90), 64)])
    assert "Row 0 is position" not in str(identify(table))


def test_relative_differences_are_bounds_in_percent():
    slopes = 2.0 ** -np.arange(1, 9)
    slopes[3] *= 1.4
    bloom = {"model_type": "bloom", "n_head": 8, "hidden_size": 256, "n_layer": 2}
    report = examine({"alibi_slopes": slopes}, bloom)
    assert "differ from the configuration's by less than 50 %, most of all at head 3" in str(report)


def test_the_order_of_calls_does_not_change_what_a_name_means():
    requirements = read_requirements(read_stored_config("gemma-3-1b"))
    for has_local, kinds in ((True, ["full"]), (False, ["full", "sliding"])) * 2:
        groups, _ = requirements.of("model.rotary_emb.inv_freq", has_local)
        assert sorted({group.layer.kind for group in groups}) == kinds


def test_frequencies_with_a_wrong_sign_are_named():
    for base, n in ((1e4, 64), (5e5, 64), (1e4, 16)):
        w = space(base, n)
        for x, problem in ((-w, "frequencies_negative"), (1 / w, "frequencies_grow")):
            for config in (None, LLAMA):
                report = examine({"inv_freq": x.astype("f4")}, config)
                assert problem in report.problems and "never_filled" not in report.problems
            assert identify(x).problems == [problem], str(identify(x))
    lists = -np.linspace(0, 1, 32), -np.sort(rng.normal(size=64) ** 2)
    for x in (*lists, 2.0 ** np.arange(10)):  # NeRF's bands are no wavelengths
        assert not {*identify(x).problems} & {"frequencies_negative", "frequencies_grow"}
    garbage = -(rng.normal(size=64) ** 2)
    assert examine({"inv_freq": garbage}).problems == ["never_filled"]


def repeat(angles):
    return np.concatenate([angles, angles], axis=1)


@pytest.mark.parametrize("form", ["float32", "bfloat16"])
def test_cosines_and_sines_of_two_bases_are_named(form):
    one, two = T * space(1e4, 32), T * space(5e5, 32)
    for change in (repeat, lambda x: x):
        cos, sin = (bank.to(form, x) for x in (np.cos(change(one)), np.sin(change(two))))
        report = examine({"cos": cos, "sin": sin})
        assert report.problems == ["bases_of_parts"] and "10,000" in str(report), str(report)
        assert "500,000" in str(report)
        same = bank.to(form, np.sin(change(one)))
        assert "bases_of_parts" not in identify(cos, same).problems


def test_a_cache_that_holds_angles_twice_is_named():
    angles = (T * space(1e4, 32)).astype("f4")
    for x in (angles, repeat(angles)):
        report = examine({"cos_cached": x, "sin_cached": x})
        assert report.problems == ["angles_stored"], str(report)
    cos = np.cos(repeat(angles))
    assert examine({"cos_cached": cos, "sin_cached": cos}).problems == ["same_arrays"]


def test_rotations_that_were_multiplied_up_drift_in_length():
    step = (np.cos(space(1e4, 32)) + 1j * np.sin(space(1e4, 32))).astype(np.complex64)
    rows = [np.ones(32, np.complex64)]
    for _ in range(600):
        row = rows[-1] * step
        rows.append(row.real.astype("f2").astype("f4") + 1j * row.imag.astype("f2").astype("f4"))
    x = np.stack(rows)
    assert "drift" in str(identify(x.real, x.imag))
    angles = T * space(1e4, 32)
    noise = rng.normal(0, 0.02, (2, *angles.shape))
    for cos, sin in ((np.cos(angles), np.sin(angles)),
                     (np.cos(angles) + noise[0], np.sin(angles) + noise[1])):  # fmt: skip
        assert "drift" not in str(identify(cos, sin))
