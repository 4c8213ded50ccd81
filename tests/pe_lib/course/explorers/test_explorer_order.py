"""The order explorer: JavaScript equals numpy, and what its task says is what it shows."""

import json

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib.course.explorers import OrderExplorer

SHUFFLED = [6, 3, 2, 0, 5, 1, 4]
SWITCHES = [(p, c, m) for p in (False, True) for c in (False, True) for m in (False, True)]


def changes(order: list[int], positions: bool, causal: bool, pooled: bool) -> np.ndarray:
    explorer = OrderExplorer(order=order, positions=positions, causal=causal, pooled=pooled)
    return explorer.changes()


def loop(explorer: OrderExplorer, order: list[int]) -> list[list[float]]:
    """Outputs by the formula, one number at a time."""
    d = len(explorer.vectors[0])
    rows = [list(explorer.vectors[k]) for k in order]
    for t, row in enumerate(rows):
        for c in range(d):
            angle = t / 10_000 ** ((c - c % 2) / d)
            row[c] += (np.cos(angle) if c % 2 else np.sin(angle)) if explorer.positions else 0
    outputs = []
    for t, query in enumerate(rows):
        seen = rows[: t + 1] if explorer.causal else rows
        powers = [np.exp(np.dot(query, key) / d**0.5) for key in seen]
        outputs.append([sum(p * r[c] for p, r in zip(powers, seen, strict=True)) / sum(powers)
                        for c in range(d)])  # fmt: skip
    return outputs


@pytest.mark.parametrize(("positions", "causal", "pooled"), SWITCHES)
def test_changes_are_those_of_the_formula(positions: bool, causal: bool, pooled: bool) -> None:
    explorer = OrderExplorer(order=SHUFFLED, positions=positions, causal=causal, pooled=pooled)
    before, after = np.array(loop(explorer, list(range(7)))), np.array(loop(explorer, SHUFFLED))
    expected = np.abs(after - before[SHUFFLED]).max(axis=1)
    if pooled:
        expected = [np.abs(after.mean(axis=0) - before.mean(axis=0)).max()]
    np.testing.assert_allclose(explorer.changes(), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", [list(range(7)), SHUFFLED, [0, 1, 2, 3, 4, 6, 5]])
def test_javascript_changes_equal_numpys(order: list[int]) -> None:
    vectors = json.dumps(OrderExplorer().vectors)
    for positions, causal, pooled in SWITCHES:
        call = json.dumps([order, positions, causal, pooled])[1:-1]
        found = from_module("order", f"m.changes({vectors}, {call})")
        expected = changes(order, positions, causal, pooled)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def test_the_answers_to_the_task_are_right() -> None:
    last_two = [0, 1, 2, 3, 4, 6, 5]
    for order in (SHUFFLED, last_two, [6, 5, 4, 3, 2, 1, 0]):
        assert changes(order, False, False, False).max() < 1e-12
        assert changes(order, False, False, True).max() < 1e-12
        assert changes(order, True, False, True).max() > 1e-3
    masked = changes(last_two, False, True, False)
    assert masked[:5].max() < 1e-12 and masked[5:].min() > 1e-3
    for k in range(6):
        order = list(range(7))
        order[k : k + 2] = k + 1, k
        assert changes(order, True, False, False).min() > 1e-6


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"order": [0, 1, 2]}, "order must hold each of 0 to 6 once"),
        ({"order": [0, 0, 1, 2, 3, 4, 5]}, "order must hold each"),
        ({"vectors": [[1.0, 2.0]]}, "vectors must hold a row"),
        ({"words": ["a"], "vectors": [[1.0, 2.0, 3.0]]}, "vectors must hold a row"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, object], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        OrderExplorer(**given)


def test_the_caption_says_what_changed() -> None:
    assert "does not change" in OrderExplorer(order=SHUFFLED).caption()
    assert "changes by up to" in OrderExplorer(order=SHUFFLED, causal=True).caption()
    assert "the mean of all outputs does not change" in OrderExplorer(pooled=True).caption()
