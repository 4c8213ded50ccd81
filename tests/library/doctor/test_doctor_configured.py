"""Test that a configuration is compared with whatever numbers are given, and never ignored."""

import json
from pathlib import Path

import numpy as np
import pytest
from test_doctor_checkpoints import STORED, read_stored_config

from pe_lib import checkpoints
from pe_lib.doctor import examine, identify
from pe_lib.doctor.__main__ import main


def program(heads, step=0):
    """Return the slopes of ALiBi's published program, with heads counted from 1 - `step`."""
    power = 1 << (heads.bit_length() - 1)
    first = [2.0 ** (-8 * (h - step) / power) for h in range(1, power + 1)]
    between = [2.0 ** (-8 * (h - step) / power) for h in np.arange(0.5, power)]
    return np.array([*first, *between[: heads - power]])


def mpt(heads, **more):
    return {"model_type": "mpt", "d_model": 64 * heads, "n_heads": heads, "n_layers": 4,
            "max_seq_len": 2048, "attn_config": {"alibi": True, **more}}  # fmt: skip


def make_bias(slopes):
    """Return the bias (heads, 24, 24) that slopes give."""
    distance = np.abs(np.subtract.outer(np.arange(24), np.arange(24)))
    return -slopes[:, None, None] * distance


HEADS = (4, 6, 8, 12, 16, 20, 40)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("heads", HEADS)
def test_slopes_counted_from_zero_are_no_frequencies(heads, dtype):
    """Test the program's slopes and the formula's slopes, both counted from 0."""
    for slopes in (program(heads, 1), 2.0 ** (-8 * np.arange(heads) / heads)):
        d = identify(slopes.astype(dtype))
        assert (d.scheme, d.problems) == ("alibi", ["slopes_from_zero"]), str(d)
        assert d.sure == (heads not in (4, 8)), "these are plain quarters or halves, too"


@pytest.mark.parametrize("heads", HEADS)
def test_slopes_are_compared_with_the_configuration(heads):
    right, rng = program(heads), np.random.default_rng(heads)
    wrong = {
        "slopes_from_zero": program(heads, 1),
        "slopes_scaled": 3 * right,
        "slopes_differ": right * (1 + 0.1 * rng.random(heads)),
        "heads_differ": program(heads + 3),
    }
    if (np.diff(right) > 0).any():
        wrong["slopes_order"] = np.sort(right)[::-1]
    for keep in (lambda m: m, lambda m: m.reshape(1, -1, 1, 1), make_bias):
        report = examine({"alibi_slopes": keep(right)}, mpt(heads))
        assert report.healthy and "all 4 layers" in str(report), str(report)
        for problem, slopes in wrong.items():
            report = examine({"alibi_slopes": keep(slopes)}, mpt(heads))
            assert problem in report.problems, (problem, str(report))


def test_slopes_of_another_largest_exponent_are_compared():
    """Test slopes from 2^-16, which are no slopes of the paper but may be configured."""
    config = mpt(8, alibi_bias_max=16)
    right = 2.0 ** (-16 * np.arange(1, 9) / 8)
    assert examine({"slopes": right}, config).healthy
    assert "slopes_from_zero" in examine({"slopes": 4 * right}, config).problems
    assert not examine({"slopes": program(8)}, config).healthy


KINDS = [path.stem for path in sorted(STORED.glob("*.json"))]


def rotations(config):
    """Return each rotary group of a decoder whose frequencies no other group has."""
    found = {}
    for group in checkpoints.groups(config):
        if group.layer.part == "decoder" and group.layer.scheme == "rotary":
            found.setdefault(group.layer.frequencies.tobytes(), group.layer)
    return list(found.values())


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_layer_without_numbers_is_named(name):
    config = read_stored_config(name)
    layers = rotations(config)
    every = {f"{layer.kind}_inv_freq": layer.frequencies for layer in layers}
    assert examine(every, config).problems == []
    for layer in layers if len(layers) > 1 else ():
        report = examine({"rotary_emb.inv_freq": layer.frequencies.astype(np.float32)}, config)
        assert report.problems == ["layers_missing"] * (len(layers) > 1), str(report)
        assert "No numbers are there for the" in str(report)


def test_an_array_saved_alone_is_a_part_and_the_rest_is_named(tmp_path, capsys):
    (tmp_path / "config.json").write_text(json.dumps(read_stored_config("gemma-3-1b")))
    np.save(tmp_path / "inv_freq.npy", 1e6 ** (-np.arange(128) / 128))
    status = main([str(tmp_path / "inv_freq.npy"), "--against", str(tmp_path / "config.json")])
    out = capsys.readouterr().out
    assert status == 0 and "No numbers here are for the 22 sliding layers" in out
    assert Path(tmp_path / "inv_freq.npy").exists()


@pytest.mark.parametrize(("first", "count"), [(0, 8), (8, 8), (20, 4)])
def test_slopes_of_some_heads_on_one_device_are_healthy(first, count):
    part = program(32)[first : first + count].astype(np.float32)
    report = examine({"alibi_slopes": part}, mpt(32))
    words = f"These are the slopes of heads {first} to {first + count - 1} of 32."
    assert report.healthy and words in str(report), str(report)


def test_mixed_layouts_are_named_beside_a_scaled_configuration():
    config = read_stored_config("llama-3.1-8b")
    cos, sin = checkpoints.layers(config)[0].cos_sin(range(64))
    arrays = {"cos": np.concatenate([cos, cos], axis=1), "sin": np.repeat(sin, 2, axis=1)}
    assert examine(arrays, config).problems == ["mixed_layouts"]


VIT = {"model_type": "vit", "hidden_size": 32, "num_attention_heads": 2,
       "num_hidden_layers": 2, "image_size": 224, "patch_size": 16}  # fmt: skip
# This tower rotates as well as it adds a table.
GLM = {**VIT, "model_type": "glm4v_vision", "num_heads": 2, "depth": 2}


@pytest.mark.parametrize(("config", "rows"), [(VIT, 197), (GLM, 196)])
@pytest.mark.parametrize("count", [180, 400])
def test_the_table_of_an_image_tower_has_the_configured_length(config, rows, count):
    table = np.random.default_rng(0).normal(0, 0.02, (1, rows, 32))
    name = "embeddings.position_embeddings"
    assert examine({name: table}, config).status == "healthy"
    other = np.concatenate([table, table + 1, table + 2], axis=1)[:, :count]
    assert examine({name: other}, config).problems == ["length_differs"]


def test_the_base_of_an_image_tower_is_compared():
    config = read_stored_config("pixtral-vision")
    layer = checkpoints.layers(config)[0]
    assert examine({"inv_freq": layer.frequencies.astype(np.float32)}, config).healthy
    other = (5e5 ** (-np.arange(layer.frequencies.size) / layer.frequencies.size)).astype("f4")
    assert examine({"inv_freq": other}, config).problems == ["base_differs"]
    # Patches may be counted in another unit.
    usual = layer.base ** (-np.arange(16) / 16) / 14
    assert "base_differs" not in examine({"inv_freq": usual.astype(np.float32)}, config).problems


def test_the_columns_of_sinusoids_stand_in_the_configured_order():
    config = {"model_type": "xglm", "d_model": 64, "attention_heads": 4, "num_layers": 2,
              "max_position_embeddings": 300}  # fmt: skip
    angles = np.outer(np.arange(302), checkpoints.layers(config)[0].frequencies)
    sin, cos = np.sin(angles).astype(np.float32), np.cos(angles).astype(np.float32)
    tables = {
        "healthy": np.concatenate([sin, cos], axis=1),
        "cosines first": np.concatenate([cos, sin], axis=1),
        "side by side": np.stack([sin, cos], axis=2).reshape(302, 64),
    }
    for name, table in tables.items():
        expected = [] if name == "healthy" else ["columns_differ"]
        assert examine({"embed_positions.weights": table}, config).problems == expected, name


def examine_gemma(full, sliding, **changes):
    """Examine the two modules that transformers 4 gave Gemma 3, with these bases."""
    config = read_stored_config("gemma-3-1b") | changes
    names = {"model.rotary_emb.inv_freq": full, "model.rotary_emb_local.inv_freq": sliding}
    exponents = -np.arange(0, 256, 2) / 256
    return examine({name: (base**exponents).astype("f4") for name, base in names.items()}, config)


def test_two_modules_of_transformers_4_belong_to_two_kinds_of_layer():
    assert examine_gemma(1e6, 1e4).healthy
    swapped = examine_gemma(1e4, 1e6)
    assert not swapped.healthy
    assert "the 4 full layers should have their own: base 1,000,000" in str(swapped)
    lost = examine_gemma(1e6, 1e4, rope_scaling={"rope_type": "linear", "factor": 8.0})
    assert "The scaling is none, but the configuration says linear by 8." in str(lost)


def test_slopes_with_another_maximum_are_not_called_frequencies_from_one():
    report = examine({"slopes": 2.0 ** -np.arange(1, 17)}, mpt(16, alibi_bias_max=8))
    assert "The slopes differ from the configuration's" in str(report)
    assert "counted from 1" not in str(report)


@pytest.mark.parametrize("rows", [64, 512])
@pytest.mark.parametrize("factor", [2.0, 4.0])
def test_a_linear_scaling_that_a_cache_lacks_is_named(rows, factor):
    config = {"model_type": "llama", "hidden_size": 512, "num_attention_heads": 4,
              "num_hidden_layers": 4, "max_position_embeddings": 4096, "rope_theta": 1e4,
              "rope_scaling": {"type": "linear", "factor": factor}}  # fmt: skip
    names = "rotary_emb.cos_cached", "rotary_emb.sin_cached"
    for divisor, is_right in ((1.0, False), (factor, True)):
        angles = np.arange(rows)[:, None] * 1e4 ** (-np.arange(64) / 64) / divisor
        angles = np.concatenate([angles, angles], axis=1)
        cache = [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]
        report = examine(dict(zip(names, cache, strict=True)), config)
        assert report.healthy == is_right, str(report)
        sentence = f"The scaling is none, but the configuration says linear by {factor:.0f}."
        assert (sentence in str(report)) != is_right, str(report)


def test_the_width_of_a_table_is_compared_with_that_of_the_model():
    config = {"model_type": "marian", "d_model": 128, "encoder_layers": 2, "decoder_layers": 2,
              "encoder_attention_heads": 4, "decoder_attention_heads": 4,
              "max_position_embeddings": 512}  # fmt: skip
    angles = np.arange(512)[:, None] * 1e4 ** (-np.arange(128) / 128)
    table = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    report = examine({"model.encoder.embed_positions.weight": table}, config)
    assert "The table has width 256, but the configuration says 128." in str(report), str(report)


# --- Caches, compared with the layout and the positions that a configuration asks for ---

LLAMA_2 = {"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4,
           "num_hidden_layers": 4, "rope_theta": 1e4, "max_position_embeddings": 4096}  # fmt: skip
COHERE = {**LLAMA_2, "model_type": "cohere"}
YARN = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 4096}
SCALINGS = {"none": None, "linear": {"rope_type": "linear", "factor": 4.0}, "yarn": YARN}


def make_cache(layer, positions, repeat="halves"):
    """Return the cosines and sines of a layer by a loop over pairs, with each column twice."""
    n = layer.frequencies.size
    cos, sin = np.zeros((2, len(positions), 2 * n))
    for i in range(n):
        columns = (i, n + i) if repeat == "halves" else (2 * i, 2 * i + 1)
        for column in columns:
            cos[:, column] = layer.amplitude * np.cos(positions * layer.frequencies[i])
            sin[:, column] = layer.amplitude * np.sin(positions * layer.frequencies[i])
    return cos.astype(np.float32), sin.astype(np.float32)


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("positions", [np.arange(90), np.arange(90) % 40])
@pytest.mark.parametrize(("config", "right"), [(LLAMA_2, "halves"), (COHERE, "interleaved")])
def test_a_cache_repeats_its_columns_as_the_model_needs_them(config, right, positions, scaling):
    if SCALINGS[scaling] and config is LLAMA_2:
        config = {**config, "rope_scaling": SCALINGS[scaling]}
    layer = checkpoints.layers(config)[0]
    for repeat in ("halves", "interleaved"):
        cos, sin = make_cache(layer, positions, repeat)
        report = examine({"cos": cos, "sin": sin}, config)
        assert report.problems == ["repetition_differs"] * (repeat != right), str(report)
        assert report.healthy == (repeat == right)
    # A cache with one column for each pair may be used with either layout.
    cos, sin = layer.cos_sin(positions)
    assert examine({"cos": cos, "sin": sin}, config).healthy


@pytest.mark.parametrize("kind", ["gptj", "glm", "deepseek_v3", "ernie4_5"])
@pytest.mark.parametrize("repeat", ["halves", "interleaved"])
def test_a_cache_of_a_model_whose_repetition_is_unknown_is_healthy(kind, repeat):
    config = {**LLAMA_2, "model_type": kind}
    if kind == "gptj":
        config = {"model_type": kind, "n_embd": 256, "n_head": 4, "n_layer": 2, "rotary_dim": 64}
    layer = checkpoints.layers(config)[0]
    cos, sin = make_cache(layer, np.arange(64), repeat)
    assert examine({"cos": cos, "sin": sin}, config).healthy


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("is_repeated", [True, False])
def test_cosines_and_sines_side_by_side_are_compared(scaling, is_repeated):
    config = {**LLAMA_2, "rope_scaling": SCALINGS[scaling]}
    layer = checkpoints.layers(config)[0]

    def both(layer):
        parts = make_cache(layer, np.arange(80)) if is_repeated else layer.cos_sin(np.arange(80))
        return np.concatenate(parts, axis=1)

    for shape in ((80, -1), (1, 1, 80, -1)):
        report = examine({"cache": both(layer).reshape(shape)}, config)
        assert report.status == "healthy" and "fits all 4 layers" in str(report), str(report)
    other = checkpoints.layers({**config, "rope_theta": 5e5})[0]
    assert "base_differs" in examine({"cache": both(other)}, config).problems
    random = np.random.default_rng(0).normal(size=(80, 64))
    assert examine({"table": random}, config).problems == []


MOVED = {
    "position_skipped": np.delete(np.arange(201), 90),
    "position_repeated": np.insert(np.arange(199), 90, 89),
    "wrapped": np.arange(200) % 64,
    "exchanged": np.roll(np.arange(200), 70),
}


@pytest.mark.parametrize("config", [None, LLAMA_2, {**LLAMA_2, "rope_scaling": YARN}])
@pytest.mark.parametrize("name", MOVED)
def test_the_rows_of_a_whole_cache_have_positions_from_0(name, config):
    layer = checkpoints.layers(config or LLAMA_2)[0]
    cos, sin = make_cache(layer, MOVED[name])
    report = examine({"rotary_emb.cos_cached": cos, "rotary_emb.sin_cached": sin}, config)
    # With YaRN's frequencies, only the configuration tells the positions of the rows.
    assert report.problems in ([name], ["cache_moved"]), str(report)
    # The cosines and sines of one call may belong to several texts.
    if config:
        report = examine({"cos": cos, "sin": sin}, config)
        assert report.problems in ([], [name]) and report.healthy == (not report.problems)
        assert not report.problems or name.startswith("position")
    cos, sin = make_cache(layer, np.arange(9, 100))
    report = examine({"rotary_emb.cos_cached": cos, "rotary_emb.sin_cached": sin}, config)
    assert report.problems == ["first_position"], str(report)


@pytest.mark.parametrize("name", ["position_skipped", "exchanged"])
def test_the_rows_of_configured_sinusoids_have_positions_from_0(name):
    config = {"model_type": "marian", "d_model": 64, "encoder_layers": 2, "decoder_layers": 2,
              "encoder_attention_heads": 2, "decoder_attention_heads": 2,
              "max_position_embeddings": 200}  # fmt: skip
    angles = np.outer(MOVED[name], 1e4 ** (-np.arange(32) / 32))
    table = np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)
    report = examine({"model.encoder.embed_positions.weight": table}, config)
    assert report.problems == ["rows_moved" if name == "exchanged" else name], str(report)


# --- What the repair of frequencies and amplitudes must do beside a configuration ---


def test_frequencies_that_were_scaled_twice_are_named():
    config = {**LLAMA_2, "rope_scaling": YARN}
    layer = checkpoints.layers(config)[0]
    plain = 1e4 ** (-np.arange(32) / 32)
    twice = layer.frequencies * (layer.frequencies / plain)
    angles = np.outer(np.arange(100), twice)
    for a in (1.0, layer.amplitude):
        amplitude = layer.amplitude * a
        pair = [(amplitude * f(angles)).astype(np.float32) for f in (np.cos, np.sin)]
        arrays = (
            {"inv_freq": twice.astype(np.float32)},
            dict(zip(("cos", "sin"), pair, strict=True)),
        )
        for tensors in arrays:
            report = examine(tensors, config)
            assert report.problems == ["scaled_twice"], str(report)


@pytest.mark.parametrize("times", [0.0, 2.0, 3.0])
def test_the_repair_of_an_amplitude_leads_to_the_configured_one(times):
    config = {**LLAMA_2, "rope_scaling": YARN}
    layer = checkpoints.layers(config)[0]
    cos, sin = make_cache(layer, np.arange(100))
    factor = layer.amplitude ** (times - 1)
    report = examine({"cos": cos * np.float32(factor), "sin": sin * np.float32(factor)}, config)
    assert report.problems == ["amplitude_differs"], str(report)
    step = "Multiply" if factor < 1 else "Divide"
    assert f"{step} them by {max(factor, 1 / factor):.5g}" in str(report), str(report)
    assert ("was applied twice" in str(report)) == (times == 2), str(report)


def test_an_amplitude_that_is_configured_is_not_to_be_divided_out():
    config = {**LLAMA_2, "rope_scaling": YARN}
    amplitude = checkpoints.layers(config)[0].amplitude
    plain = checkpoints.layers(LLAMA_2)[0]
    cos, sin = (np.float32(amplitude) * x for x in make_cache(plain, np.arange(100)))
    assert examine({"cos": cos, "sin": sin}, config).problems == ["scaling_differs"]


def test_a_mistake_in_the_exponent_is_named_beside_the_base():
    config = {"model_type": "phi", "hidden_size": 384, "num_attention_heads": 4,
              "num_hidden_layers": 2, "partial_rotary_factor": 0.25, "rope_theta": 1e4}  # fmt: skip
    by_head = 1e4 ** (-2 * np.arange(12) / 96)
    halved = 1e4 ** (-np.arange(12) / 24)
    for w, words in ((by_head, "divided by 96, the width of a head, not by 24"),
                     (halved, "The exponent may be i/d instead of 2i/d")):  # fmt: skip
        report = examine({"inv_freq": w.astype(np.float32)}, config)
        assert report.problems == ["base_differs"] and words in str(report), str(report)
        assert "Set rope_theta" not in str(report)


def space_frequencies(base, width=64):
    return np.array([base ** (-2 * i / width) for i in range(width // 2)], np.float32)


PLAIN = {"model_type": "llama", "hidden_size": 2048, "num_attention_heads": 32,
         "num_hidden_layers": 16, "max_position_embeddings": 131072}  # fmt: skip
TWO_BASES = {"model_type": "gemma3_text", "hidden_size": 256, "num_attention_heads": 4,
             "head_dim": 64, "num_hidden_layers": 12, "rope_theta": 1e6,
             "rope_local_base_freq": 1e4}  # fmt: skip


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("scaling", ["llama3", "yarn"])
def test_a_lost_original_length_is_named(scaling, missing):
    """Test that frequencies scaled for 8,192 positions are told from those for 131,072."""
    rope = {"rope_type": scaling, "rope_theta": 5e5, "factor": 8.0}
    if scaling == "llama3":
        rope |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    right = {**rope, "original_max_position_embeddings": 8192}
    w = checkpoints.layers({**PLAIN, "rope_parameters": right})[0].frequencies
    config = {**PLAIN, "rope_parameters": rope if missing else right}
    report = examine({"model.rotary_emb.inv_freq": w.astype(np.float32)}, config)
    assert report.problems == (["trained_length_differs"] if missing else []), str(report)
    assert not missing or "8,192 positions" in str(report)


@pytest.mark.parametrize(
    "name", ["rotary_inv_freq", "my_rope_inv_freq", "inv_freq", "attn_inv_freq"]
)
def test_a_word_before_inv_freq_does_not_hide_it_from_the_configuration(name):
    config = {**PLAIN, "rope_theta": 5e5}
    assert examine({name: space_frequencies(5e5)}, config).status == "healthy"
    assert examine({name: space_frequencies(1e4)}, config).problems == ["base_differs"]
    assert examine({"vision_inv_freq": space_frequencies(1e4)}, config).problems == []


@pytest.mark.parametrize(
    ("local", "other"),
    [("rope_local.inv_freq", "rope_global.inv_freq"), ("local_inv_freq", "global_inv_freq"),
     ("rotary_emb_sliding.inv_freq", "rotary_emb_full.inv_freq"),
     ("swa_rotary_emb.inv_freq", "rotary_emb.inv_freq")],
)  # fmt: skip
def test_names_say_which_buffer_is_for_sliding_layers(local, other):
    low, high = space_frequencies(1e4), space_frequencies(1e6)
    assert examine({local: low, other: high}, TWO_BASES).status == "healthy"
    assert "other_layers" in examine({local: high, other: low}, TWO_BASES).problems
    assert "other_layers" in examine({local: high, other: high}, TWO_BASES).problems


def test_a_buffer_for_layers_that_the_model_lacks_is_compared_with_no_others():
    """Test DeepSeek-V4 without sliding layers, whose modules still have a buffer for them."""
    config = read_stored_config("deepseek-v4-flash")
    config |= {"num_hidden_layers": 2, "compress_ratios": [4, 128], "num_nextn_predict_layers": 0}
    group = checkpoints.layers(config)
    assert {layer.kind for layer in group} == {"compressed"}
    name = "layers.0.self_attn.compressor.rotary_emb"
    main = (10_000.0 ** -(np.arange(32) / 32)).astype(np.float32)
    compressed = group[0].frequencies.astype(np.float32)
    right = {f"{name}.main_inv_freq": main, f"{name}.compress_inv_freq": compressed}
    assert examine(right, config).healthy
    assert not examine(right | {f"{name}.compress_inv_freq": main}, config).healthy


def test_names_that_say_nothing_leave_both_bases_open():
    low, high, wrong = (space_frequencies(base) for base in (1e4, 1e6, 5e5))
    for pair in ((low, high), (high, low)):
        report = examine({"rope_a.inv_freq": pair[0], "rope_b.inv_freq": pair[1]}, TWO_BASES)
        assert report.status == "healthy", str(report)
    report = examine({"rope_a.inv_freq": wrong, "rope_b.inv_freq": high}, TWO_BASES)
    assert report.problems == ["base_differs"]
    assert "says 10,000 or 1,000,000" in str(report)


def test_keys_beside_the_text_part_are_noted():
    """Test a rotation's key at the wrong level, which transformers does not read."""
    text = {**PLAIN, "rope_theta": 5e5}
    tensors = {"model.language_model.rotary_emb.inv_freq": space_frequencies(5e5)}
    yarn = {"rope_type": "yarn", "factor": 4.0}
    for outside, count in (
        ({}, 0),
        ({"rope_theta": 5e5}, 0),
        ({"rope_theta": 1e4}, 1),
        ({"rope_scaling": yarn}, 1),
    ):
        report = examine(tensors, {"model_type": "llava", **outside, "text_config": text})
        assert report.status == "healthy"
        assert str(report).count("reads it only inside config['text_config']") == count


def test_a_factor_or_a_scaling_in_the_wrong_place_is_named():
    base = {"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8,
            "num_hidden_layers": 2, "rope_theta": 5e5}  # fmt: skip
    yarn = {**base, "rope_scaling": {"rope_type": "yarn", "factor": 4.0,
                                     "original_max_position_embeddings": 8192}}  # fmt: skip
    factor = 0.1 * np.log(4.0) + 1
    w = checkpoints.layers(yarn)[0].frequencies
    angles = np.arange(64)[:, None]
    for wrong in (w * factor, w / factor):
        cache = {"cos": np.cos(angles * wrong), "sin": np.sin(angles * wrong)}
        for tensors in ({"inv_freq": wrong.astype("f4")}, cache):
            report = examine(tensors, yarn)
            assert report.problems == ["factor_in_frequencies"], str(report)
            assert "the attention factor, 1.1386" in str(report)
    assert examine({"inv_freq": (w * 1.1).astype("f4")}, yarn).problems == ["frequencies_differ"]

    scaling = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
               "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}  # fmt: skip
    llama3 = {**base, "rope_scaling": scaling}

    def scale(w):
        """Return frequencies scaled by the loop of Meta's reference code."""
        new = []
        for freq in w:
            length = 2 * np.pi / freq
            smooth = (8192 / length - 1) / 3
            mixed = (1 - smooth) * freq / 8 + smooth * freq
            new.append(freq if length < 2048 else freq / 8 if length > 8192 else mixed)
        return np.array(new)

    once = scale(5e5 ** (-np.arange(32) / 32))
    assert examine({"inv_freq": once}, llama3).healthy
    for twice in (scale(once), once * once / 5e5 ** (-np.arange(32) / 32)):
        assert examine({"inv_freq": twice}, llama3).problems == ["scaled_twice"]


@pytest.mark.parametrize("width", [16, 32, 64])
def test_the_sines_and_cosines_of_gptj_are_compared_at_any_width(width):
    config = {"model_type": "gptj", "n_embd": 512, "n_head": 8, "n_layer": 2, "rotary_dim": 32,
              "n_positions": 256}  # fmt: skip
    angles = np.arange(256)[:, None] * 1e4 ** (-np.arange(0, width, 2) / width)
    buffer = np.concatenate([np.sin(angles), np.cos(angles)], 1).astype("f4")
    for name in ("transformer.h.0.attn.embed_positions", "embed_positions"):
        report = examine({name: buffer}, config)
        assert report.problems == ([] if width == 32 else ["width_differs"]), str(report)
        assert report.status == ("healthy" if width == 32 else "found")
