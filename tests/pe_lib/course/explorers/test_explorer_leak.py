"""The leak explorer: JavaScript equals pe_lib, and its task has the answers given."""

import json
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib.course.explorers import LeakExplorer
from pe_lib.course.explorers.leak import LENGTH, sequences, shuffled
from pe_lib.course.figures import PALETTE

STATES = [
    {"causal": causal, "layers": layers, "encoded": encoded}
    for causal in (True, False)
    for layers in (1, 2, 3)
    for encoded in (True, False)
]


def test_javascript_equals_pe_lib() -> None:
    calls = [[s["causal"], s["layers"], s["encoded"]] for s in STATES]
    varied = from_module("network", f"{json.dumps(calls)}.map((c) => m.variances(...c))")
    probes = from_module("network", f"{json.dumps(varied)}.map(m.probe)")
    moved = from_module(
        "network",
        f"{json.dumps(calls)}.map((c) => [0, 1, 99].map((n) => m.changes(...c, m.shuffled(n))))",
    )
    for state, variances, r2, changes in zip(STATES, varied, probes, moved, strict=True):
        explorer = LeakExplorer(**state)
        np.testing.assert_allclose(variances, explorer.variances(), rtol=0, atol=1e-9)
        assert r2 == pytest.approx(explorer.probe(), abs=1e-9)
        for number, change in zip((0, 1, 99), changes, strict=True):
            explorer.shuffle = number
            np.testing.assert_allclose(change, explorer.changes(), rtol=0, atol=1e-9)


def test_javascript_draws_the_same_sentences_and_shuffles() -> None:
    assert from_module("network", "m.sequences()") == sequences().tolist()
    assert sequences().min() == 0 and sequences().max() == 11
    orders = from_module("network", "Array.from({ length: 100 }, (_, n) => m.shuffled(n))")
    for number, order in enumerate(orders):
        assert order == shuffled(number).tolist()
        assert sorted(order) == list(range(LENGTH)) and order[-1] == LENGTH - 1


@pytest.mark.parametrize("state", STATES)
def test_what_is_drawn_below_a_word_is_its_own(state: dict[str, Any]) -> None:
    explorer = LeakExplorer(shuffle=7, **state)
    order, first = explorer.standing(), sequences()[0]
    call = json.dumps([*(state[name] for name in ("causal", "layers", "encoded")), order.tolist()])
    layers = from_module("leak", f"m.reading(...{call})")
    assert len(layers) == state["layers"]
    np.testing.assert_allclose(
        np.array(layers[-1]["sums"])[order], explorer.run(first[order])[0], rtol=0, atol=1e-9
    )
    np.testing.assert_allclose(
        np.array(layers[-1]["change"])[order], explorer.changes(), rtol=0, atol=1e-9
    )
    weights = np.array(layers[-1]["weights"])[np.ix_(order, order)]
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert (np.triu(weights, 1).max() == 0) == state["causal"]


def test_a_word_moved_by_hand_stands_elsewhere_in_the_shuffled_sentence() -> None:
    order = [1, 0, *range(2, 16)]
    explorer = LeakExplorer(shuffle=7, order=order)
    assert explorer.standing().tolist() == shuffled(7)[order].tolist()
    found = from_module("network", f"m.standing({json.dumps(explorer.state())})")
    assert found == explorer.standing().tolist()


def test_the_story_says_what_is_so() -> None:
    tokens = sequences()[0]
    assert len(set(tokens)) < 16  # some words are alike
    assert (LeakExplorer(shuffle=1).changes()[:-1] > 1e-3).all()
    two = LeakExplorer(shuffle=1, layers=2)
    assert two.changes()[-1] > 0.1
    assert LeakExplorer(shuffle=1, encoded=True).changes()[-1] > 0.01
    for layers in (1, 2, 3):
        still = LeakExplorer(shuffle=1, causal=False, layers=layers)
        assert still.changes().max() < 1e-12
        spread = np.sqrt(LeakExplorer(layers=layers).variances())
        even = spread[0] / np.sqrt(np.arange(16) + 1)
        assert np.abs(np.log(spread / even)).max() < np.log(2.2)
        level = np.sqrt(LeakExplorer(causal=False, layers=layers).variances())
        assert level.max() / level.min() < 1.5

    def last(**state: Any) -> float:
        return max(LeakExplorer(shuffle=n, **state).changes()[-1] for n in range(1, 20))

    assert last(causal=True, layers=1) < 1e-12
    assert last(causal=True, layers=2) > 0.1
    for layers in (1, 2, 3):
        assert last(causal=False, layers=layers) < 1e-12
        assert LeakExplorer(causal=False, layers=layers).probe() < 0.2
        assert LeakExplorer(causal=True, layers=layers).probe() > 0.8
        for causal in (True, False):
            assert last(causal=causal, layers=layers, encoded=True) > 0.01


def test_variance_is_that_of_the_outputs() -> None:
    explorer = LeakExplorer()
    added = [explorer.run(tokens)[1] for tokens in sequences()]
    for t in (0, 7, 15):
        by_entry = [np.var([rows[t][c] for rows in added]) for c in range(8)]
        assert explorer.variances()[t] == pytest.approx(np.mean(by_entry))


@pytest.mark.parametrize("given", [
    {"layers": 0}, {"layers": 4}, {"shuffle": -1}, {"shuffle": 100}, {"order": [0, 1]},
    {"order": [15, *range(15)]}, {"meter": "other"},
])  # fmt: skip
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any]) -> None:
    with pytest.raises(traitlets.TraitError, match=next(iter(given))):
        LeakExplorer(**given)


def test_the_caption_says_what_is_noticed() -> None:
    assert "in their original order" in LeakExplorer().caption()
    assert "does not change" in LeakExplorer(shuffle=1).caption()
    two = LeakExplorer(shuffle=1, layers=2)
    assert "changes by" in two.caption()
    bars = [bar.get_height() for bar in two.picture().axes[0].patches]
    np.testing.assert_allclose(bars, -two.changes() / 4)
    (ax,) = LeakExplorer(story="variance", layers=2).picture().axes
    spread = [line.get_ydata() for line in ax.lines if line.get_color() == PALETTE["orange"]]
    np.testing.assert_allclose(spread[0], np.sqrt(two.variances()))


@pytest.mark.parametrize("state", STATES)
def test_what_is_explained_is_the_variation_of_the_logarithm(state: dict[str, Any]) -> None:
    """By the residuals of a fitted line, not by a correlation; and both languages say so."""
    explorer = LeakExplorer(story="variance", **state)
    x, y = np.log(explorer.variances()), np.log(np.arange(1, LENGTH + 1))
    line = np.column_stack([x, np.ones(LENGTH)])
    rest = y - line @ np.linalg.lstsq(line, y, rcond=None)[0]
    share = 1 - rest.var() / y.var()
    assert explorer.probe() == pytest.approx(share, abs=1e-9)
    said = f"explains {share:.2f} of the variation of log(position + 1)."
    assert explorer.caption().endswith(f"what attention adds at a position {said}")
    assert from_module("network", f"m.explained({share})") == f"its logarithm {said}"
