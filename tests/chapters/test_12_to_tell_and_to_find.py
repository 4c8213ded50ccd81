"""What chapter 12 claims: over seeds, from what was recorded; of scores, by complex numbers."""

import json

import numpy as np
import pytest
from cells import CHAPTERS, functions

from pe_lib import frequencies
from pe_lib.course.model import Transformer, tasks
from pe_lib.course.model.schemes import Scheme
from tools.experiments import since

NAME, DATA = "12-to-tell-and-to-find", CHAPTERS / "data"
RECORDING = json.loads((DATA / "since.json").read_text("utf-8"))
STACKS = {
    name: np.array([run["right"] for run in runs]) for name, runs in RECORDING["stacks"].items()
}  # (seeds, lengths)


@pytest.fixture(scope="module")
def chapter():
    known = {"frequencies": frequencies, "tasks": tasks}
    return functions(NAME, np=np, Transformer=Transformer, Scheme=Scheme, **known)


def test_the_chapter_s_model_is_the_recorded_one(chapter):
    model, recorded = chapter["stack"]("none", window=8), since.stacked("window, none", 0)
    tokens, _ = tasks.facts()(np.random.default_rng(0), 2, 32)
    np.testing.assert_array_equal(model(tokens), recorded(tokens))


def test_each_change_helps_in_every_seed():
    far = {name: right[:, -1] for name, right in STACKS.items()}
    for better, worse in [
        ("rotary, none", "rotary, rotary"), ("window, none", "window, rotary"),
        ("window, rotary", "rotary, rotary"), ("window, none", "rotary, none"),
    ]:  # fmt: skip
        assert far[better].min() > far[worse].max()
    means = {name: right.mean(axis=0) for name, right in STACKS.items()}
    assert min(means, key=lambda name: means[name][-1]) == "none, rotary"
    shown = [f"{means[n][-1]:.2f}" for n in ("window, rotary", "rotary, none")]
    assert shown == ["0.78", "0.55"] and far["window, none"].min() > 0.97
    assert {right.shape for right in STACKS.values()} == {(5, 4)}
    slow = far["window, base 1,000,000"]  # the base of the layer that finds
    assert 0.88 < slow.mean() < 0.95 and far["window, rotary"].max() > slow.min()  # they overlap
    assert abs(far["window, base 10"].mean() - far["none, none"].mean()) < 0.02
    assert min(far["window, a quarter turned"].mean(), far["window, none"].mean()) > 0.99


def test_pairs_turn_by_their_axes(chapter):
    rng = np.random.default_rng(2)
    x, places = rng.standard_normal((5, 8)), rng.integers(0, 30, (5, 3))
    axes, w = np.array([0, 2, 1, 1]), np.array([1, 0.3, 0.1, 0.02])
    expected = (x.view(complex) * np.exp(1j * w * places[:, axes])).view(float)
    found = chapter["turned_by_axis"](x, places, axes, w)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    for axis, step in (("row", (1, 0)), ("column", (0, 1))):  # a neighbour is the patch before
        tokens, answers = since.neighbour(axis, side=4)(np.random.default_rng(1), 2, 16)
        for (n, r, c), answer in np.ndenumerate(answers.reshape(2, 4, 4)):
            there = r - step[0], c - step[1]
            wanted = -1 if min(there) < 0 else tokens.reshape(2, 4, 4)[n][there]
            assert answer == wanted
