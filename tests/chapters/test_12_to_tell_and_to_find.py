"""Test chapter 12's claims about seeds by its recordings, and about scores by plain loops."""

import numpy as np
import pytest
from cells import functions

from pe_lib import frequencies
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.schemes import Scheme
from tests.recorded import recorded
from tools.experiments import models, since

NAME = "12-to-tell-and-to-find"
RECORDING = recorded("since")


@pytest.fixture(scope="module")
def chapter():
    known = {"frequencies": frequencies, "tasks": tasks}
    return functions(NAME, np=np, Transformer=Transformer, Scheme=Scheme, **known)


def test_the_chapter_s_model_is_the_recorded_one(chapter):
    model, recorded = chapter["stack"]("none", window=8), since.stacked("window, none", 0)
    tokens, _ = tasks.facts()(np.random.default_rng(0), 2, 32)
    np.testing.assert_array_equal(model(tokens), recorded(tokens))


def test_what_it_says_of_every_seed():
    """Test what the chapter says about single seeds, whereas its cells print means and ranges."""
    right = recorded("reach")["right"]
    lowest = np.sort(np.array(right["none"]).min(axis=1)).round(2)
    assert lowest[0] == 0.85 and lowest[1] >= 0.98
    assert (np.array(right["rotary, 96"])[:, -1] > np.array(right["rotary"])[:, -1]).all()
    pairs = np.array([run["pairs"] for run in RECORDING["stacks"]["window, base 10"]]).sum(axis=1)
    mean = (pairs / pairs.sum(axis=1, keepdims=True)).mean(axis=0)
    np.testing.assert_array_equal(mean[5:].round(2), [-0.12, 0.32, 0.81])


def test_pairs_turn_by_their_axes(chapter):
    rng = np.random.default_rng(2)
    x, places = rng.standard_normal((5, 8)), rng.integers(0, 30, (5, 3))
    axes, w = np.array([0, 2, 1, 1]), np.array([1, 0.3, 0.1, 0.02])
    expected = (x.view(complex) * np.exp(1j * w * places[:, axes])).view(float)
    found = chapter["turned_by_axis"](x, places, axes, w)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    # The neighbouring patch is the previous patch in the same column, or in the same row.
    for back, step in ((4, (1, 0)), (1, (0, 1))):
        tokens, answers = models.neighbour(back, 4)(np.random.default_rng(1), 2, 16)
        for (n, r, c), answer in np.ndenumerate(answers.reshape(2, 4, 4)):
            there = r - step[0], c - step[1]
            wanted = -1 if min(there) < 0 else tokens.reshape(2, 4, 4)[n][there]
            assert answer == wanted


def test_a_layer_of_each_kind_by_a_plain_loop():
    tokens, _ = tasks.facts()(np.random.default_rng(0), 1, 40)
    for kind in since.KINDS:
        (_, turns), (_, window), *slope = since.KINDS[kind]
        layer = since.stacked(kind, 0).forward(tokens)[1]["layers"][1]
        q, k = (layer[name][0].astype(float) for name in ("q", "k"))
        for head, t in ((0, 39), (1, 20)):
            seen = range(max(0, t + 1 - (window or 99)), t + 1)
            scores = [q[head, t] @ k[head, s] / 4 - sum(slope) * (t - s) for s in seen]
            expected = np.exp(scores) / np.exp(scores).sum()
            weights = layer["weights"][0, head, t]
            np.testing.assert_allclose(weights[list(seen)], expected, rtol=1e-4)
            assert weights.sum() == pytest.approx(1, rel=1e-5)
        plain = since.stacked("none", 0).forward(tokens)[1]["layers"][1]["q"]
        assert np.array_equal(layer["q"], plain) == (not turns.any())


def test_offsets_are_counted_from_the_number():
    """Test offsets with a model that is right only if the number is less than 64 words back."""

    def reader(tokens):
        logits = np.zeros((*tokens.shape, 8))
        for n, row in enumerate(tokens):
            places = {}
            for t, token in enumerate(row):
                # the place where the name occurs for the second time
                if token < 8 and token in places:
                    told = places[token] + 1
                    logits[n, t, (row[told] - 8 + (t - told >= 64)) % 8] = 1
                places.setdefault(token, t)
        return logits

    assert since.by_offset(reader, texts=128) == [1, 1, 1, 0, 0, 0, 0]
