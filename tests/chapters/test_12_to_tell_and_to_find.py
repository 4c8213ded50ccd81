"""Test chapter 12's claims about seeds by its recordings, and about scores by plain loops."""

import json
import math

import numpy as np
import pytest
from cells import CHAPTERS, functions

from pe_lib import frequencies
from pe_lib.checkpoints import layers
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.schemes import Scheme
from pe_lib.rotary import rotate
from tests.recorded import read_recording
from tools.experiments import since

NAME = "12-to-tell-and-to-find"
RECORDING = read_recording("since")


@pytest.fixture(scope="module")
def chapter():
    known = {"frequencies": frequencies, "tasks": tasks}
    return functions(NAME, np=np, Transformer=Transformer, Scheme=Scheme, **known)


def test_the_chapter_s_model_is_the_recorded_one(chapter):
    model, recorded = chapter["stack"]("none", window=8), since.make_stack("window, none", 0)
    tokens, _ = tasks.facts()(np.random.default_rng(0), 2, 32)
    np.testing.assert_array_equal(model(tokens), recorded(tokens))


def test_each_change_helps_with_the_other_held_fixed():
    """Test that at 192 words, the worst seed with a change is better than the best without it."""
    right = {name: [run["right"][-1] for run in runs] for name, runs in RECORDING["stacks"].items()}
    for better, worse in [
        ("window, none", "rotary, none"),
        ("window, rotary", "rotary, rotary"),
        ("window, none", "window, rotary"),
        ("rotary, none", "rotary, rotary"),
    ]:
        assert min(right[better]) > max(right[worse])
    others = [right[name] for name in list(right)[:6] if name != "none, rotary"]
    assert max(right["none, rotary"]) <= min(map(min, others))


def test_larger_offsets_in_training_help_every_seed():
    right = read_recording("reach")["right"]
    far = {name: np.array(runs)[:, -1] for name, runs in right.items()}
    assert (far["rotary, 96"] > far["rotary"]).all()


def read_stored_config(name):
    return json.loads((CHAPTERS / f"data/checkpoints/{name}.json").read_text("utf-8"))["config"]


def test_which_models_have_layers_of_two_kinds():
    """Test it by the layers' frequencies: a layer turns nothing if it has none above 0."""
    for name, has_windows in [
        ("llama-4-scout", True),
        ("command-r7b", True),
        ("exaone-4.0-32b", True),
        ("muse-spark", True),
        ("smollm3-3b", False),
    ]:
        kinds = {
            (bool((layer.frequencies > 0).any()), layer.window is not None)
            for layer in layers(read_stored_config(name))
        }
        assert kinds == {(True, has_windows), (False, False)}, name
    for name, bases in [("gemma-3-1b", {1e4, 1e6}), ("modernbert-base", {1e4, 1.6e5})]:
        read = layers(read_stored_config(name))
        assert {layer.base for layer in read} == bases
        assert {layer.base for layer in read if layer.window} == {1e4}


def test_the_score_of_a_word_with_itself_by_a_plain_loop(chapter):
    w = [1e6 ** (-2 * i / 256) for i in range(128)]
    for moving in (128, 32):
        frequencies_ = np.array(w[:moving] + [0.0] * (128 - moving))
        for offset in (10, 512, 100_000):
            expected = sum(math.cos(offset * one) for one in frequencies_) / 128
            (found,) = chapter["own_score"](frequencies_, [offset])
            assert found == pytest.approx(expected, abs=1e-12)


def test_pairs_of_gemma_4_lie_half_a_head_apart():
    layer = layers(read_stored_config("gemma-4-26b-a4b"))[5]
    x = np.random.default_rng(0).standard_normal((1, 512))
    found = rotate(x, [3], layout=layer.layout, frequencies=layer.frequencies)
    expected = x.copy()
    for i in range(64):
        angle = 3 * 1e6 ** (-2 * i / 512)
        pair = complex(x[0, i], x[0, i + 256]) * complex(math.cos(angle), math.sin(angle))
        expected[0, [i, i + 256]] = pair.real, pair.imag
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_layer_of_each_kind_by_a_plain_loop():
    tokens, _ = tasks.facts()(np.random.default_rng(0), 1, 40)
    for kind in since.KINDS:
        (_, turns), (_, window), *slope = since.KINDS[kind]
        layer = since.make_stack(kind, 0).forward(tokens)[1]["layers"][1]
        q, k = (layer[name][0].astype(float) for name in ("q", "k"))
        for head, t in ((0, 39), (1, 20)):
            seen = range(max(0, t + 1 - (window or 99)), t + 1)
            scores = [q[head, t] @ k[head, s] / 4 - sum(slope) * (t - s) for s in seen]
            expected = np.exp(scores) / np.exp(scores).sum()
            weights = layer["weights"][0, head, t]
            np.testing.assert_allclose(weights[list(seen)], expected, rtol=1e-4)
            assert weights.sum() == pytest.approx(1, rel=1e-5)
        plain = since.make_stack("none", 0).forward(tokens)[1]["layers"][1]["q"]
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
