"""Test the claims on the Deeper page of chapter 12."""

import json
import math

import numpy as np
import pytest
from cells import CHAPTERS, functions

from pe_lib.checkpoints import layers
from pe_lib.rotary import score
from tests.recorded import read_recording
from tools.experiments import models

NAME = "12-to-tell-and-to-find-deeper"


@pytest.fixture(scope="module")
def built():
    """Return a dictionary of the functions that the page defines."""
    return functions(NAME, np=np)


def test_what_it_says_of_every_seed():
    """Test what the page says about single seeds, whereas its cells print means and ranges."""
    lowest = np.sort(np.array(read_recording("reach")["right"]["none"]).min(axis=1)).round(2)
    assert lowest[0] == 0.85 and lowest[1] >= 0.98
    runs = read_recording("since")["stacks"]["window, base 10"]
    pairs = np.array([run["pairs"] for run in runs]).sum(axis=1)
    mean = (pairs / pairs.sum(axis=1, keepdims=True)).mean(axis=0)
    np.testing.assert_array_equal(mean[5:].round(2), [-0.12, 0.32, 0.81])


def test_the_worst_of_round_robin_is_better_than_the_best_of_sections():
    for base in (100, 1_000_000):
        runs = [run for run in read_recording("since")["axes"] if run["base"] == base]
        dealt = [run["right"] for run in runs if run["share"] == "round robin"]
        cut = [run["right"] for run in runs if run["share"] != "round robin"]
        assert len(dealt) == 2 and len(cut) >= 2
        assert min(map(min, dealt)) > max(map(max, cut))


def test_deepseek_v4_turns_the_last_64_entries():
    config = json.loads((CHAPTERS / "data/checkpoints/deepseek-v4-flash.json").read_text("utf-8"))
    for layer in layers(config["config"]):
        assert (layer.width, layer.start, layer.turned) == (512, 448, 64)


def test_values_that_are_turned_back_depend_on_offsets_alone():
    """Test (12.D5) with one pair as a complex number."""
    rng = np.random.default_rng(1)
    weights, v = rng.random(6), rng.standard_normal(6) + 1j * rng.standard_normal(6)
    at = np.array([0, 1, 2, 5, 8, 9])
    outputs = [
        np.exp(-0.3j * (9 + moved)) * (weights * np.exp(0.3j * (at + moved)) * v).sum()
        for moved in (0, 1000)
    ]
    by_offset = (weights * np.exp(0.3j * (at - 9)) * v).sum()
    np.testing.assert_allclose(outputs, by_offset, atol=1e-10)


def test_the_angle_of_a_word_shifts_its_score():
    """Test (12.D1) against the score of the library."""
    rng = np.random.default_rng(2)
    for q, k in rng.standard_normal((20, 2, 2)):
        phi = math.atan2(k[1], k[0]) - math.atan2(q[1], q[0])
        for offset in (0, 3, 17):
            expected = math.hypot(*q) * math.hypot(*k) * math.cos(0.7 * offset - phi)
            assert score(q, k, offset, frequencies=[0.7]) == pytest.approx(expected)


def test_pairs_turn_by_their_axes(built):
    rng = np.random.default_rng(2)
    x, places = rng.standard_normal((5, 8)), rng.integers(0, 30, (5, 3))
    axes, w = np.array([0, 2, 1, 1]), np.array([1, 0.3, 0.1, 0.02])
    expected = (x.view(complex) * np.exp(1j * w * places[:, axes])).view(float)
    found = built["turned_by_axis"](x, places, axes, w)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    # The neighbouring patch is the previous patch in the same column, or in the same row.
    for back, step in ((4, (1, 0)), (1, (0, 1))):
        tokens, answers = models.neighbour(back, 4)(np.random.default_rng(1), 2, 16)
        for (n, r, c), answer in np.ndenumerate(answers.reshape(2, 4, 4)):
            there = r - step[0], c - step[1]
            wanted = -1 if min(there) < 0 else tokens.reshape(2, 4, 4)[n][there]
            assert answer == wanted
