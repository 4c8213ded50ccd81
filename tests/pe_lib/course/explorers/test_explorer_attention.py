"""The attention explorer: JavaScript equals pe_lib, and its task has the answers given."""

import json
from math import cos, exp, sin, sqrt
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib.course.explorers import AttentionExplorer

STATES: list[dict[str, Any]] = [
    {"positions": positions, "backwards": backwards, "words": words, "vectors": vectors}
    for positions in (False, True)
    for backwards in (False, True)
    for words, vectors in [
        (["good", "not", "bad"], [[1.8, 0.6], [0.4, 1.5], [-1.5, 0.8]]),
        (["a", "b"], [[-2.5, 2.5], [0.0, 0.0]]),
        (["a", "b", "c", "d", "e"], [[k / 2, -k / 3] for k in range(5)]),
    ]
]


def by_hand(state: dict[str, Any]) -> tuple[list[list[float]], list[list[float]]]:
    """Weights and outputs, one number at a time."""
    n = len(state["words"])
    rows = []
    for k, (x, y) in enumerate(state["vectors"]):
        place = n - 1 - k if state["backwards"] else k
        rows.append((x + sin(place), y + cos(place)) if state["positions"] else (x, y))
    weights, outputs = [], []
    for a in rows:
        powers = [exp((a[0] * b[0] + a[1] * b[1]) / sqrt(2)) for b in rows]
        weights.append([p / sum(powers) for p in powers])
        outputs.append([sum(w * b[c] for w, b in zip(weights[-1], rows, strict=True))
                        for c in (0, 1)])  # fmt: skip
    return weights, outputs


@pytest.mark.parametrize("state", STATES)
def test_weights_and_outputs_are_those_of_the_formula(state: dict[str, Any]) -> None:
    explorer = AttentionExplorer(**state)
    weights, outputs = by_hand(state)
    np.testing.assert_allclose(explorer.weights(), weights, atol=1e-12)
    np.testing.assert_allclose(explorer.outputs(), outputs, atol=1e-12)


def test_javascript_equals_pe_lib() -> None:
    calls = [[s["vectors"], s["positions"], s["backwards"]] for s in STATES]
    found = from_module("attention", f"{json.dumps(calls)}.map((c) => m.attend(...c))")
    for state, result in zip(STATES, found, strict=True):
        explorer = AttentionExplorer(**state)
        for name in ("inputs", "weights", "outputs"):
            expected = getattr(explorer, name)()
            np.testing.assert_allclose(result[name], expected, rtol=0, atol=1e-9)


def test_the_story_says_what_is_so() -> None:
    forwards, backwards = AttentionExplorer(), AttentionExplorer(backwards=True)
    assert f"{forwards.weights()[1, 1]:.2f}" == "0.54" and forwards.vectors[1] == [0.4, 1.5]
    np.testing.assert_allclose(backwards.outputs(), forwards.outputs(), atol=1e-12)
    there = AttentionExplorer(positions=True)
    back = AttentionExplorer(positions=True, backwards=True)
    assert np.abs(there.outputs() - back.outputs()).max(axis=1).min() > 0.1
    np.testing.assert_array_equal(there.inputs()[1], back.inputs()[1])  # its hand stays


def test_the_story_of_two_words_says_what_is_so() -> None:
    two = AttentionExplorer(story="two")
    assert (two.words, two.vectors) == (["dog", "man"], [[1, 0], [0, 1]])
    assert two.words[two.chosen] == "dog"
    powers = [exp(1 / sqrt(2)), exp(0)]
    assert [f"{x:.2f}" for x in (*powers, sum(powers))] == ["2.03", "1.00", "3.03"]
    assert [f"{x:.2f}" for x in two.weights()[0]] == ["0.67", "0.33"]
    assert two.outputs()[0] == pytest.approx([2 / 3, 1 / 3], abs=0.01)
    for angle in (0.5, 2, 4):  # the circle through 0 and the tip of man
        dog = [cos(angle) / 2, 0.5 + sin(angle) / 2]
        even = AttentionExplorer(story="two", vectors=[dog, [0, 1]])
        np.testing.assert_allclose(even.weights()[0], 0.5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"vectors": [[1.0, 2.0]]}, "vectors must hold two numbers"),
        ({"vectors": [[1.0, 2.0], [1.0, 2.0], [1.0]]}, "vectors must hold two numbers"),
        ({"vectors": [[1.0, 2.0], [1.0, 2.0], [1.0, 2.6]]}, "from -2.5 to 2.5"),
        ({"chosen": 3}, "chosen must be below 3, got 3"),
        ({"words": ["alone"], "vectors": [[1.0, 0.0]]}, "words"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        AttentionExplorer(**given)


def test_the_caption_and_the_picture_show_the_weights() -> None:
    explorer = AttentionExplorer(chosen=1)
    for weight in explorer.weights()[1]:
        assert f"{weight:.2f} to" in explorer.caption()
    bars = explorer.picture().axes[1].patches
    np.testing.assert_allclose([bar.get_width() for bar in bars], explorer.weights().T.ravel())
    assert "“bad not good”" in AttentionExplorer(backwards=True).caption()
