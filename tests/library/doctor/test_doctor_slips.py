"""Test slips of a program that leave a cache or table whole but wrong, each with its neighbours.

All arrays are computed here, without the library.
"""

import numpy as np
import pytest
from doctor_bank import to as round_to

from pe_lib.doctor import examine, identify

ROWS, PAIRS = 160, 32
T = np.arange(ROWS)[:, None]
LLAMA = {"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8,
         "num_hidden_layers": 2}  # fmt: skip


def turn(positions, base=1e4, times=1.0):
    """Return cosines and sines (T, pairs) of some positions, with angles multiplied by `times`."""
    angles = positions * base ** (-np.arange(PAIRS) / PAIRS) * times
    return np.cos(angles), np.sin(angles)


def arrange(cos, sin, how):
    """Return the arrays that a program stores: one table or cache, or cosines and sines."""
    if how == "interleaved":
        return (np.stack([sin, cos], -1).reshape(len(cos), -1),)
    if how == "side by side":
        return (np.concatenate([cos, sin], 1),)
    if how == "twice, side by side":
        return (np.concatenate([cos, cos, sin, sin], 1),)
    return (np.tile(cos, 2), np.tile(sin, 2)) if how == "repeated" else (cos, sin)


HOW = ["interleaved", "side by side", "apart", "repeated"]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("form", ["float64", "float32", "bfloat16"])
@pytest.mark.parametrize("ahead", [0, 1, -1, 2])
def test_sines_ahead_of_their_cosines_are_named(how, form, ahead):
    cos, sin = turn(T + max(0, -ahead))[0], turn(T + max(0, ahead))[1]
    d = identify(*(round_to(form, x) for x in arrange(cos, sin, how)))
    assert d.sure and d.base == 1e4 and d.passed(), str(d)
    assert d.problems == (["parts_shifted"] if ahead else []), str(d)
    which = "sines is that of the cosines" if ahead > 0 else "cosines is that of the sines"
    assert not ahead or f"{which} plus {abs(ahead)}," in str(d)


def test_sines_ahead_of_their_cosines_are_no_other_problem_of_a_model():
    for ahead in (1, -1):
        cos, sin = turn(T + max(0, -ahead))[0], turn(T + max(0, ahead))[1]
        report = examine({"rotary_emb.cos_cached": cos, "rotary_emb.sin_cached": sin}, LLAMA)
        assert report.problems == ["parts_shifted"], str(report)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("base", [1e4, 5e5])
@pytest.mark.parametrize("form", ["float64", "float32"])
def test_degrees_are_told_from_radians(how, base, form):
    for times, problem in ((180 / np.pi, "in_degrees"), (np.pi / 180, "degrees")):
        arrays = arrange(*turn(T, base, times), how)
        d = identify(*(round_to(form, x) for x in arrays))
        assert (d.base, d.sure, d.problems) == (base, True, [problem]), str(d)


def test_frequencies_in_degrees_were_filled():
    w = 1e4 ** (-np.arange(PAIRS) / PAIRS) * 180 / np.pi
    for config in (None, LLAMA):
        assert examine({"rotary_emb.inv_freq": w}, config).problems == ["in_degrees"]
    report = examine({"rotary_emb.inv_freq": w * np.random.default_rng(0).random(PAIRS)}, LLAMA)
    assert report.problems == ["never_filled"]


@pytest.mark.parametrize("how", ["interleaved", "side by side", "twice, side by side"])
def test_a_transposed_array_is_named(how):
    (x,) = arrange(*turn(T), how)
    assert identify(x).problems == [] and identify(x).sure
    d = identify(x.T)
    assert (d.base, d.sure, d.problems) == (1e4, True, ["transposed"]), str(d)
    for cosines in (turn(T)[0], np.tile(turn(T)[0], 2)):
        assert identify(cosines.T).problems == ["transposed"]


def test_a_transposed_cache_of_a_model_was_filled():
    (x,) = arrange(*turn(T), "side by side")
    assert examine({"rotary_emb.cos_sin_cache": x}, LLAMA).healthy
    assert examine({"rotary_emb.cos_sin_cache": x.T}, LLAMA).problems == ["transposed"]


CASTS = {"cut off": np.trunc, "rounded": np.round, "rounded down": np.floor}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("form", ["float64", "float32"])
@pytest.mark.parametrize("cast", CASTS)
def test_a_cast_to_integers_is_named(how, form, cast):
    arrays = arrange(*turn(T), how)
    d = identify(*(CASTS[cast](round_to(form, x)).astype(int) for x in arrays))
    assert d.problems == ["cast_to_integers"] and f"were {cast}, as by a cast" in str(d), str(d)
    # Only the cosines of position 0 survive a cut, which says nothing of the base.
    assert (d.sure, d.base) == ((False, None) if cast == "cut off" else (True, 1e4)), str(d)


def test_a_cast_to_integers_is_the_only_problem_of_a_model():
    cos, sin = (np.tile(x, 2).astype(int) for x in turn(T))
    w = (1e4 ** (-np.arange(PAIRS) / PAIRS)).astype(int)
    for tensors in ({"rotary_emb.cos_cached": cos, "rotary_emb.sin_cached": sin},
                    {"rotary_emb.inv_freq": w}):  # fmt: skip
        for config in (None, LLAMA):
            assert examine(tensors, config).problems == ["cast_to_integers"]


def test_other_integers_are_no_cast():
    rng = np.random.default_rng(0)
    bits = np.arange(256)[:, None] >> np.arange(8) & 1
    for x in (bits, np.eye(64, 32), rng.integers(-1, 2, (128, 64)), 1 - np.tri(64, 32, -1)):
        assert "cast_to_integers" not in identify(x).problems
