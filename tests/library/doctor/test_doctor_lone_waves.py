"""Test how the doctor reads sines or cosines that are stored alone, and lists of another width."""

import math

import numpy as np
import pytest

from pe_lib.checkpoints import layers
from pe_lib.doctor import examine, identify

ANGLES = np.arange(96)[:, None] * 10_000.0 ** (-np.arange(0, 64, 2) / 64)
WAVES = {"sines": np.sin(ANGLES), "cosines": np.cos(ANGLES)}


def repeat(waves, side_by_side):
    """Return waves (T, n) twice, either each column beside its copy, or all columns again."""
    twice = np.stack([waves, waves], axis=2).reshape(len(waves), -1)
    return np.float32(twice if side_by_side else np.concatenate([waves, waves], axis=1))


@pytest.mark.parametrize("side_by_side", [False, True])
@pytest.mark.parametrize("kind", WAVES)
def test_a_cache_under_the_other_name_is_found(kind, side_by_side):
    x = repeat(WAVES[kind], side_by_side)
    right, wrong = {"sines": ("sin", "cos"), "cosines": ("cos", "sin")}[kind]
    for name in ("{}", "{}_cached", "rotary_emb.{}_cached", "freqs_{}"):
        assert not examine({name.format(right): x}).problems
        report = examine({name.format(wrong): x})
        assert report.problems == ["named_otherwise"], str(report)
        assert f"but it holds {kind}" in str(report)


@pytest.mark.parametrize("side_by_side", [False, True])
@pytest.mark.parametrize("kind", WAVES)
def test_a_table_with_half_of_its_waves_is_found(kind, side_by_side):
    x = repeat(WAVES[kind], side_by_side)
    for name in ("pe", "model.pos_embed", "encoder.embed_positions.weight"):
        report = examine({name: x})
        assert report.problems == ["half_missing"], str(report)
    for name in ("rotary_cache", "freqs_cis"):
        assert "half_missing" not in examine({name: x}).problems


@pytest.mark.parametrize(
    ("base", "width", "other"),
    [(10_000, 96, 128), (500_000, 96, 128), (1_000_000, 48, 64), (10_000, 64, 80)],
)
def test_an_exponent_over_another_width_is_mentioned(base, width, other):
    w = np.float32(base ** (-np.arange(0, width, 2) / other))
    d = identify(w)
    assert f"base {base:,} for a width of {other}" in str(d)
    assert d.details["other_width"] == other


@pytest.mark.parametrize("base", [10_000, 500_000, 1_000_000, 100_000, 150_000, 8_000_000, 29_989])
@pytest.mark.parametrize("width", [64, 96, 128])
def test_another_width_is_not_mentioned_without_reason(base, width):
    w = np.float32(base ** (-np.arange(0, width, 2) / width))
    assert "other_width" not in identify(w).details


LLAMA = {
    "model_type": "llama",
    "hidden_size": 256,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "max_position_embeddings": 2048,
    "rope_theta": 10_000.0,
}
LLAMA_3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 512}


@pytest.mark.parametrize("scaling", [None, LLAMA_3, YARN], ids=["none", "llama3", "yarn"])
@pytest.mark.parametrize("kind", WAVES)
def test_a_lone_cache_is_compared_with_its_configuration(scaling, kind):
    config = LLAMA if scaling is None else LLAMA | {"rope_scaling": scaling}
    layer = layers(config)[0]
    wave = math.sin if kind == "sines" else math.cos
    rows = [[layer.amplitude * wave(t * w) for w in layer.frequencies] for t in range(96)]
    name = {"sines": "sin_cached", "cosines": "cos_cached"}[kind]
    for x in (np.float32(rows), repeat(np.array(rows), False), repeat(np.array(rows), True)):
        for one in (x, x[None], x[None, None]):
            for key in ("x", name):
                report = examine({key: one}, config)
                assert report.status == "healthy" and "fits" in str(report), str(report)


@pytest.mark.parametrize("kind", WAVES)
def test_a_lone_cache_of_another_base_is_named(kind):
    x = repeat(WAVES[kind], False)
    report = examine({"x": x}, LLAMA | {"rope_theta": 500_000.0})
    assert report.problems == ["base_differs"], str(report)
    assert "10,000" in str(report) and "500,000" in str(report)


@pytest.mark.parametrize("pair", [0, 5, 31])
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_an_infinite_frequency_is_named_beside_a_configuration(pair, value):
    w = np.float32(10_000.0 ** (-np.arange(0, 64, 2) / 64))
    w[pair] = value
    assert "not_finite" in examine({"inv_freq": w}, LLAMA).problems
