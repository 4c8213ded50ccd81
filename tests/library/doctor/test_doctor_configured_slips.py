"""Test slips that only a configuration shows, each with healthy neighbours."""

import json
import math

import numpy as np
import pytest
from test_doctor_command import safetensors

from pe_lib import checkpoints
from pe_lib.doctor import examine, identify
from pe_lib.doctor.__main__ import main

LLAMA = {"model_type": "llama", "hidden_size": 1024, "num_attention_heads": 16,
         "num_hidden_layers": 4, "max_position_embeddings": 1024}  # fmt: skip
LLAMA_3 = {"rope_type": "llama3", "rope_theta": 5e5, "factor": 8.0, "low_freq_factor": 1.0,
           "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}  # fmt: skip


def make_cache(w, rows):
    """Return a cache of cosines and sines, each repeated for both halves of a head."""
    angles = np.outer(np.arange(rows), np.tile(w, 2))
    return {"rotary_emb.cos_cached": np.cos(angles).astype("f4"),
            "rotary_emb.sin_cached": np.sin(angles).astype("f4")}  # fmt: skip


def wanted(rope, **more):
    return {**LLAMA, "rope_parameters": rope, **more}


# Dynamic scaling


def dynamic(length, factor, trained=1024, width=64, base=1e4):
    """Return the frequencies of dynamic scaling after a text of some length, pair by pair."""
    grown = base * (factor * length / trained - (factor - 1)) ** (width / (width - 2))
    return np.array([1 / grown ** (2 * i / width) for i in range(width // 2)])


@pytest.mark.parametrize("factor", [2.0, 6.0])
@pytest.mark.parametrize("length", [1025, 2048, 5000, 65536])
def test_frequencies_that_grew_with_a_text_are_healthy(length, factor):
    config = {**LLAMA, "rope_scaling": {"type": "dynamic", "factor": factor}, "rope_theta": 1e4}
    w = dynamic(length, factor)
    for tensors in ({"rotary_emb.inv_freq": w.astype("f4")}, make_cache(w, min(length, 3000))):
        report = examine(tensors, config)
        assert report.healthy and f"a text of {length:,} positions" in str(report), str(report)


def test_other_bases_are_not_those_of_a_longer_text():
    config = {**LLAMA, "rope_scaling": {"type": "dynamic", "factor": 2.0}, "rope_theta": 1e4}
    for w in (5e5 ** (-np.arange(32) / 32), 1e4 ** (-np.arange(32) / 32) / 2, dynamic(900, 2.0)):
        assert not examine({"rotary_emb.inv_freq": w.astype("f4")}, config).healthy
    static = {**LLAMA, "rope_theta": 1e4}
    w = dynamic(2048, 2.0).astype("f4")
    assert examine({"rotary_emb.inv_freq": w}, static).problems == ["base_differs"]


# llama3, YaRN and LongRoPE


def llama_3(width=64, base=5e5, factor=8.0, length=8192, between="blended"):
    """Return llama3's frequencies pair by pair, with or without the smooth part."""
    frequencies = []
    for i in range(width // 2):
        w = base ** (-2 * i / width)
        turns = length * w / (2 * math.pi)
        smooth = {"blended": (turns - 1) / 3, "kept": 1.0, "divided": 0.0}[between]
        smooth = 1.0 if turns > 4 else 0.0 if turns < 1 else smooth
        frequencies.append(smooth * w + (1 - smooth) * w / factor)
    return np.array(frequencies)


def test_a_missing_smooth_part_is_named():
    for between, problems in (("blended", []), ("kept", ["smooth_missing"]),
                              ("divided", ["smooth_missing"])):  # fmt: skip
        w = llama_3(between=between)
        for tensors in ({"rotary_emb.inv_freq": w.astype("f4")}, {"freqs": w}, make_cache(w, 1024)):
            report = examine(tensors, wanted(LLAMA_3))
            assert report.problems == problems, f"{between}: {report}"


def yarn(length, fast=32, slow=1, factor=40.0, width=64, base=1e4, whole=True, outside=True):
    """Return YaRN's frequencies pair by pair."""
    low, high = (width * math.log(length / (r * 2 * math.pi)) / (2 * math.log(base))
                 for r in (fast, slow))  # fmt: skip
    if whole:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, width - 1)
    frequencies = []
    for i in range(width // 2):
        plain = base ** (-2 * i / width)
        slow_w = plain / factor if outside else (base * factor) ** (-2 * i / width)
        ramp = min(max((i - low) / max(high - low, 0.001), 0.0), 1.0)
        frequencies.append(plain * (1 - ramp) + slow_w * ramp)
    return np.array(frequencies)


YARN = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 40.0, "beta_fast": 32, "beta_slow": 1,
        "attention_factor": 1.0, "original_max_position_embeddings": 4096}  # fmt: skip


@pytest.mark.parametrize(
    ("w", "words"),
    [
        (yarn(163840), "from 32 turns to 1 in 163,840 positions"),
        (yarn(4096, 16, 2), "from 16 turns to 2 in 4,096 positions"),
        (yarn(4096, 64, 1), "from 64 turns to 1 in 4,096 positions"),
        (yarn(4096, whole=False), "in 4,096 positions, with ends between pairs"),
        (yarn(4096, outside=False), "The base was multiplied by it instead"),
    ],
)
def test_another_ramp_is_named(w, words):
    tensors = ({"rotary_emb.inv_freq": w.astype("f4")}, make_cache(w, 1024))
    report = examine(tensors[0], wanted(YARN))
    assert not report.healthy and words in str(report), str(report)
    assert examine({"rotary_emb.inv_freq": yarn(4096).astype("f4")}, wanted(YARN)).healthy
    assert not examine(tensors[1], wanted(YARN)).healthy


def test_a_configured_ramp_is_healthy():
    for fast, slow in ((16, 2), (64, 1), (8, 0.5)):
        config = wanted({**YARN, "beta_fast": fast, "beta_slow": slow})
        w = yarn(4096, fast, slow).astype("f4")
        assert examine({"rotary_emb.inv_freq": w}, config).healthy
        usual = yarn(4096).astype("f4")
        report = examine({"rotary_emb.inv_freq": usual}, config)
        assert report.problems == ["yarn_ramp_differs"], str(report)


def test_plain_frequencies_have_no_ramp():
    plain = (1e4 ** (-np.arange(32) / 32)).astype("f4")
    report = examine({"rotary_emb.inv_freq": plain}, wanted(YARN))
    assert report.problems == ["scaling_differs"], str(report)


def test_factors_that_were_multiplied_are_named():
    factors = [round(1 + 0.05 * i * i, 2) for i in range(32)]
    rope = {"rope_type": "longrope", "rope_theta": 1e4, "short_factor": factors,
            "long_factor": factors, "factor": 4.0,
            "original_max_position_embeddings": 1024}  # fmt: skip
    plain = 1e4 ** (-np.arange(32) / 32)
    for w, problems in ((plain / factors, []), (plain * factors, ["scaled_inversely"])):
        report = examine({"rotary_emb.inv_freq": w.astype("f4")}, wanted(rope))
        assert report.problems == problems, str(report)


def test_evenly_spaced_frequencies_are_named():
    config = wanted({"rope_type": "default", "rope_theta": 1e4})
    even = np.linspace(1, 1e-4, 32).astype("f4")
    assert examine({"rotary_emb.inv_freq": even}, config).problems == ["evenly_spaced"]
    assert "evenly_spaced" not in identify(np.linspace(1, 0, 32)).problems


# Tables and caches


def test_gptj_has_its_sines_first():
    config = {"model_type": "gptj", "n_embd": 256, "n_head": 4, "n_layer": 2, "n_positions": 512,
              "rotary_dim": 32}  # fmt: skip
    angles = np.outer(np.arange(512), 1e4 ** (-np.arange(16) / 16))
    sin, cos = np.sin(angles).astype("f4"), np.cos(angles).astype("f4")
    name = "transformer.h.0.attn.embed_positions"
    assert examine({name: np.hstack([sin, cos])}, config).healthy
    report = examine({name: np.hstack([cos, sin])}, config)
    assert report.problems == ["columns_differ"], str(report)


def fairseq(rows, width=64, cosine_first=False):
    """Return fairseq's sinusoids row by row, with all sines first or all cosines first."""
    half = width // 2
    table = []
    for t in range(rows):
        angles = [t / 1e4 ** (i / (half - 1)) for i in range(half)]
        parts = [[f(a) for a in angles] for f in (math.sin, math.cos)]
        one, two = parts[::-1] if cosine_first else parts
        table.append([*one, *two])
    return np.array(table, np.float32)


def test_a_table_needs_the_rows_before_its_first_position():
    config = {"model_type": "m2m_100", "d_model": 64, "encoder_layers": 2, "decoder_layers": 2,
              "encoder_attention_heads": 4, "decoder_attention_heads": 4,
              "max_position_embeddings": 256}  # fmt: skip
    right = fairseq(258)
    right[1] = 0
    name = "model.encoder.embed_positions.weights"
    assert examine({name: right}, config).healthy
    assert examine({name: fairseq(256)}, config).problems == ["length_differs"]
    assert examine({name: right[:256]}, config).problems == ["length_differs"]
    assert not examine({name: right[2:]}, config).healthy


def test_musicgen_has_its_cosines_first():
    config = {"model_type": "musicgen_decoder", "hidden_size": 64, "num_attention_heads": 4,
              "num_hidden_layers": 2, "max_position_embeddings": 256}  # fmt: skip
    name = "model.decoder.embed_positions.weights"
    assert examine({name: fairseq(256, cosine_first=True)}, config).healthy
    report = examine({name: fairseq(256)}, config)
    assert report.problems == ["columns_differ"], str(report)
    assert "all sines first, but the configuration asks for all cosines first" in str(report)


@pytest.mark.parametrize("rows", [300, 1024, 2000])
def test_a_short_cache_is_named_if_it_does_not_grow(rows):
    w = 1e4 ** (-np.arange(32) / 32)
    angles = np.outer(np.arange(rows), w)
    cache = np.hstack([np.cos(angles), np.sin(angles)]).astype("f4")
    config = {**LLAMA, "rope_theta": 1e4}
    report = examine({"layers.0.rotary_emb.cos_sin_cache": cache}, config)
    assert report.problems == (["cache_short"] if rows < 1024 else []), str(report)
    report = examine(make_cache(w, rows), config)
    assert report.healthy and ("longer for a longer text" in str(report)) == (rows < 1024)


def test_positions_two_apart_are_noted():
    w = 1e4 ** (-np.arange(32) / 32)
    for step in (1, 2, 3):
        angles = np.outer(step * np.arange(100), np.tile(w, 2))
        pair = {"cos": np.cos(angles).astype("f4"), "sin": np.sin(angles).astype("f4")}
        report = examine(pair, {**LLAMA, "rope_theta": 1e4})
        assert report.healthy and (f"{step} apart" in str(report)) == (step > 1), str(report)


def test_a_stored_buffer_in_half_precision_is_a_note(tmp_path, capsys):
    """Test that float16 in a checkpoint is no finding, because transformers does not load it."""
    config = {"model_type": "gpt_neox", "hidden_size": 1024, "num_attention_heads": 16,
              "num_hidden_layers": 1, "rotary_pct": 0.25, "rotary_emb_base": 10000}  # fmt: skip
    name = "gpt_neox.layers.0.attention.rotary_emb.inv_freq"
    w = (1e4 ** (-np.arange(8) / 8)).astype("f2")
    path, settings = tmp_path / "model.safetensors", tmp_path / "config.json"
    settings.write_text(json.dumps(config))
    for x, status in ((w, 0), (w.astype("f4"), 1), (np.roll(w, 1), 1)):
        safetensors(path, {name: x})
        assert main([str(path), "--against", str(settings)]) == status, capsys.readouterr().out
        assert ("computes them anew" in capsys.readouterr().out) == (status == 0)
    assert examine({name: w}, config).problems == ["half_precision_frequencies"]


# Towers


def test_frequencies_of_a_tower_are_compared_without_a_name():
    config = {"model_type": "dinov3_vit", "hidden_size": 384, "num_attention_heads": 6,
              "num_hidden_layers": 2, "image_size": 224, "patch_size": 16,
              "rope_theta": 100.0}  # fmt: skip
    for base, problems in ((100.0, []), (1e4, ["base_differs"])):
        w = (base ** (-np.arange(16) / 16)).astype("f4")
        for name in ("w", "rope_embeddings.inv_freq"):
            report = examine({name: w}, config)
            assert (report.problems, report.status == "healthy") == (problems, not problems)


def test_pixtrals_angles_are_compared():
    config = {"model_type": "pixtral", "hidden_size": 256, "num_attention_heads": 4,
              "num_hidden_layers": 2, "image_size": 128, "patch_size": 16}  # fmt: skip
    w = [1e4 ** (-2 * i / 64) for i in range(32)]
    rows = [[r * x for x in w[0::2]] + [c * x for x in w[1::2]] for r in range(8) for c in range(8)]
    angles = np.tile(np.array(rows, np.float32), (1, 2))
    report = examine({"patch_positional_embedding.inv_freq": angles}, config)
    assert report.status == "healthy" and "all 2 layers" in str(report), str(report)


@pytest.mark.parametrize(("rows", "words"), [
    (169, "7 × 7"), (529, "12 × 12"), (732, "14 × 14"), (170, ""),
])  # fmt: skip
def test_a_table_of_offsets_in_a_window_has_no_buckets(rows, words):
    table = np.random.default_rng(0).normal(0, 0.02, (rows, 3)).astype("f4")
    report = examine({"attention.relative_position_bias_table": table})
    assert "buckets" not in str(report) and words in str(report), str(report)
    assert ("window" in str(report)) == bool(words)


# Keys that published files have


@pytest.mark.parametrize("kind", ["marian", "bart", "mbart", "pegasus", "plbart", "led"])
@pytest.mark.parametrize("value", [True, False])
def test_a_key_that_no_version_reads_is_accepted(kind, value):
    config = {"model_type": kind, "d_model": 64, "encoder_layers": 1, "decoder_layers": 1,
              "encoder_attention_heads": 4, "decoder_attention_heads": 4,
              "static_position_embeddings": value, "normalize_before": False,
              "normalize_embedding": False, "add_final_layer_norm": False,
              "extra_pos_embeddings": 2, "num_hidden_layers": 1}  # fmt: skip
    notes = checkpoints.groups(config).notes
    assert any("static_position_embeddings" in note for note in notes)


def test_other_lengths_of_published_files_are_accepted():
    config = {"model_type": "ctrl", "n_embd": 64, "n_layer": 1, "n_head": 4, "n_positions": 256}
    assert checkpoints.layers({**config, "n_ctx": 512})[0].rows == 256


def test_gpt_neox_japanese_rotates_a_share():
    config = {"model_type": "gpt_neox_japanese", "hidden_size": 2560, "num_attention_heads": 32,
              "num_hidden_layers": 1, "rotary_pct": 0.5, "rotary_emb_base": 10000}  # fmt: skip
    assert checkpoints.layers(config)[0].turned == 40
    del config["rotary_pct"]
    assert checkpoints.layers(config)[0].turned == 80
