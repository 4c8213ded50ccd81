"""Test the claims of chapter 13's Deeper page with rotations from the library and plain loops."""

import math

import numpy as np
import pytest
from cells import functions, read_text

from pe_lib import frequencies
from pe_lib.rotary import rotate
from tests.recorded import read_recording

NAME = "13-length-deeper"


@pytest.fixture(scope="module")
def chapter():
    known = {"frequencies": frequencies}
    lists = read_recording("checkpoints/phi-3.5-mini")["config"]["rope_scaling"]
    known |= {k: np.array(lists[f"{k}_factor"]) for k in ("short", "long")}
    return functions(NAME, np=np, **known)


def test_keys_from_before_the_switch(chapter):
    """Test how scores of old and of new keys correlate, with keys that the library rotates."""
    longrope, stale = chapter["longrope"], chapter["stale"]
    draw = np.random.default_rng(0).standard_normal((2, 4097, 48))
    pairs = np.stack([draw[0], draw[1]], axis=-1).reshape(4097, 96)
    q = rotate(pairs[:1], [4100], frequencies=longrope(4101))[0]
    s = np.arange(4096)
    old, new = (rotate(pairs[1:], s, frequencies=longrope(n)) @ q for n in (4096, 4101))
    assert np.corrcoef(old, new)[0, 1] == pytest.approx(stale(4100, 4096, 0), abs=1e-9)
    # Check with plain cosines that the peak in Figure 13.D1 is at a position below 400.
    angle = 4100 * longrope(4097) - np.outer(s, longrope(4096))
    assert np.cos(angle).mean(axis=1).argmax() < 400


def test_compressed_keys_are_off_by_turns_in_fast_pairs_only():
    """Test the errors in turns of a group's last word, and the ratios that the text names."""
    ratios = set(read_recording("checkpoints/deepseek-v4-flash")["config"]["compress_ratios"])
    assert ratios == {0, 4, 128}
    for i, (near, far) in {0: (0.477, 20.213), 8: (0.024, 1.011), 31: (0.0, 0.0)}.items():
        w = 160_000 ** (-i / 32)
        assert 3 * w / math.tau == pytest.approx(near, abs=6e-4)
        assert 127 * w / math.tau == pytest.approx(far, abs=6e-4)


def test_a_forgetting_gate_counts_sentences():
    """Test that a full stop takes ln 5 off, and that sentences of any length count the same."""
    assert "$\\ln 5 = 1.61$" in read_text(NAME, "**FoX**")
    for length in (3, 30):
        gates = ([1.0] * (length - 1) + [0.2]) * 2
        assert -sum(map(math.log, gates)) == pytest.approx(2 * 1.6094, abs=1e-3)


def test_dropping_costs_in_the_toy():
    right = read_recording("dropped")["right"]
    at_96 = {task: {m: np.array(r)[:, 2] for m, r in of.items()} for task, of in right.items()}
    ahead = [
        sum((of[one] > of["dropped 600"]).sum() for of in at_96.values())
        for one in ("kept", "never, on")
    ]
    assert ahead == [14, 15]
    assert (at_96["latest"]["never, on"] > at_96["latest"]["kept"]).sum() == 4
    assert (at_96["latest"]["dropped 600"] > at_96["latest"]["kept"]).sum() == 1
    lost = {task: np.subtract(*np.array(of["kept"])[:, [0, 2]].T) for task, of in right.items()}
    assert (np.append(lost["previous"], lost["recall"]) < 0.06).sum() == 9
    assert (lost["latest"] > 0.1).all()
