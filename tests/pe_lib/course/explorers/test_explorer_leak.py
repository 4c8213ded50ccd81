"""The leak explorer: JavaScript equals pe_lib, and its task has the answers given."""

import json
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib.course.explorers import LeakExplorer
from pe_lib.course.explorers.leak import LENGTH, sequences, shuffled

STATES = [
    {"causal": causal, "layers": layers, "encoded": encoded}
    for causal in (True, False)
    for layers in (1, 2, 3)
    for encoded in (True, False)
]


def test_javascript_equals_pe_lib() -> None:
    calls = [[s["causal"], s["layers"], s["encoded"]] for s in STATES]
    varied = from_module("leak", f"{json.dumps(calls)}.map((c) => m.variances(...c))")
    probes = from_module("leak", f"{json.dumps(varied)}.map(m.probe)")
    moved = from_module(
        "leak", f"{json.dumps(calls)}.map((c) => [0, 1, 99].map((n) => m.changes(...c, n)))"
    )
    for state, variances, r2, changes in zip(STATES, varied, probes, moved, strict=True):
        explorer = LeakExplorer(**state)
        np.testing.assert_allclose(variances, explorer.variances(), rtol=0, atol=1e-9)
        assert r2 == pytest.approx(explorer.probe(), abs=1e-9)
        for number, change in zip((0, 1, 99), changes, strict=True):
            explorer.shuffle = number
            np.testing.assert_allclose(change, explorer.changes(), rtol=0, atol=1e-9)


def test_javascript_draws_the_same_sentences_and_shuffles() -> None:
    assert from_module("leak", "m.sequences()") == sequences().tolist()
    assert sequences().min() == 0 and sequences().max() == 11
    orders = from_module("leak", "Array.from({ length: 100 }, (_, n) => m.shuffled(n))")
    for number, order in enumerate(orders):
        assert order == shuffled(number).tolist()
        assert sorted(order) == list(range(LENGTH)) and order[-1] == LENGTH - 1


def test_the_answers_to_the_task_are_right() -> None:
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


@pytest.mark.parametrize("given", [{"layers": 0}, {"layers": 4}, {"shuffle": -1}, {"shuffle": 100}])
def test_what_does_not_fit_is_refused_by_name(given: dict[str, int]) -> None:
    with pytest.raises(traitlets.TraitError, match=next(iter(given))):
        LeakExplorer(**given)


def test_the_caption_says_what_is_noticed() -> None:
    assert "does not change" in LeakExplorer(layers=1).caption()
    assert "changes by" in LeakExplorer(layers=2).caption()
    left, right = LeakExplorer(layers=2).picture().axes
    bars = [bar.get_height() for bar in left.patches]
    np.testing.assert_allclose(bars, LeakExplorer(layers=2).changes())
    assert right.get_title(loc="left") == "variance of what attention adds"
    np.testing.assert_allclose(right.lines[0].get_ydata(), LeakExplorer(layers=2).variances())


@pytest.mark.parametrize("state", STATES)
def test_what_is_explained_is_the_variation_of_the_logarithm(state: dict[str, Any]) -> None:
    """By the residuals of a fitted line, not by a correlation; and both languages say so."""
    explorer = LeakExplorer(**state)
    x, y = np.log(explorer.variances()), np.log(np.arange(1, LENGTH + 1))
    line = np.column_stack([x, np.ones(LENGTH)])
    rest = y - line @ np.linalg.lstsq(line, y, rcond=None)[0]
    share = 1 - rest.var() / y.var()
    assert explorer.probe() == pytest.approx(share, abs=1e-9)
    said = f"explains {share:.2f} of the variation of log(position + 1)."
    assert explorer.caption().endswith(f"what attention adds at a position {said}")
    assert from_module("leak", f"m.explained({share})") == f"its logarithm {said}"
