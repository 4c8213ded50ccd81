"""The order explorer: JavaScript equals numpy, and what its story says is what it shows."""

import json

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib import encode
from pe_lib.course.attention import attention
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


@pytest.mark.parametrize("order", [list(range(7)), SHUFFLED])
@pytest.mark.parametrize("positions", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_javascript_weights_equal_numpys(order: list[int], positions: bool, causal: bool) -> None:
    explorer = OrderExplorer(order=order, positions=positions, causal=causal)
    places = [order.index(k) for k in range(7)]
    call = json.dumps([explorer.vectors, places, positions, causal])[1:-1]
    found = from_module("order", f"m.mixed({call})")
    by_word = explorer.weights()[np.ix_(places, places)]
    np.testing.assert_allclose(found["weights"], by_word, rtol=0, atol=1e-9)
    outputs = np.array(loop(explorer, order))[places]
    np.testing.assert_allclose(found["outputs"], outputs, rtol=0, atol=1e-9)


def test_between_two_places_a_word_has_the_clocks_of_where_it_is() -> None:
    explorer = OrderExplorer()
    places = [0, 1, 3.3, 2.1, 4, 5, 6]
    found = from_module(
        "order", f"m.mixed({json.dumps([explorer.vectors, places, True, False])[1:-1]})"
    )
    x = np.array(explorer.vectors) + encode(np.array(places), 8)
    np.testing.assert_allclose(found["outputs"], attention(x, x, x), rtol=0, atol=1e-9)


@pytest.mark.parametrize(("place", "expected"), [
    (0, [2, 0, 1, 3, 4, 5, 6]), (1.5, list(range(7))), (2.49, list(range(7))),
    (2.5, [0, 1, 3, 2, 4, 5, 6]), (6, [0, 1, 3, 4, 5, 6, 2]),
])  # fmt: skip
def test_a_held_word_stands_at_the_nearest_place(place: float, expected: list[int]) -> None:
    explorer = OrderExplorer(place=float(place))
    assert explorer.standing() == expected
    assert from_module("order", f"m.standing({json.dumps(explorer.state())})") == expected


def test_shares_stand_on_their_foot_side_by_side() -> None:
    weights = OrderExplorer().weights()
    feet = from_module("words", f"m.feet({json.dumps([weights.tolist(), list(range(7))])[1:-1]})")
    for word, shares in enumerate(feet):
        np.testing.assert_allclose(
            [end - start for start, end in shares], weights[word], atol=1e-12
        )
        rest = [k for k in range(7) if k != word]
        outwards = [*sorted((k for k in rest if k < word), reverse=True), word,
                    *sorted((k for k in rest if k > word), reverse=True)]  # fmt: skip
        assert sorted(range(7), key=lambda k, s=shares: s[k][0]) == outwards


def test_the_story_says_what_is_so() -> None:
    dog = OrderExplorer().weights()[2]
    assert [f"{share:.2f}" for share in dog[[2, 3, 1]]] == ["0.33", "0.19", "0.17"]
    assert sorted(dog)[-3:] == sorted(dog[[2, 3, 1]])
    for order in (SHUFFLED, [6, 5, 4, 3, 2, 1, 0]):
        assert changes(order, False, False, False).max() < 1e-12
        assert changes(order, False, False, True).max() < 1e-12
        assert changes(order, True, False, False).min() > 0.1
    first, last = OrderExplorer(causal=True, place=0.0), OrderExplorer(causal=True, place=6.0)
    assert first.weights()[0].tolist() == [1] + 6 * [0] and last.weights()[6].min() > 0.05
    for k in range(6):  # the second task: any two neighbours
        order = list(range(7))
        order[k : k + 2] = k + 1, k
        found = changes(order, False, True, False)
        assert (found < 1e-12).sum() == 5 and found[k : k + 2].min() > 1e-3
        assert changes(order, True, False, False).min() > 1e-6


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"order": [0, 1, 2]}, "order must hold each of 0 to 6 once"),
        ({"order": [0, 0, 1, 2, 3, 4, 5]}, "order must hold each"),
        ({"vectors": [[1.0, 2.0]]}, "vectors must hold a row"),
        ({"words": ["a"], "vectors": [[1.0, 2.0, 3.0]]}, "vectors must hold a row"),
        ({"word": 7}, "word must be below 7, got 7"),
        ({"place": 6.5}, "place must be at most 6, got 6.5"),
        ({"story": "other"}, "story must be one of main, mask"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, object], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        OrderExplorer(**given)


def test_other_words_get_vectors() -> None:
    explorer = OrderExplorer(words=["dog", "bites"])
    assert (explorer.word, explorer.place, np.shape(explorer.vectors)) == (1, 1.0, (2, 8))


def test_the_caption_says_what_changed() -> None:
    assert "does not change" in OrderExplorer(order=SHUFFLED).caption()
    assert "changes by up to" in OrderExplorer(order=SHUFFLED, causal=True).caption()
    assert "the mean of all outputs does not change" in OrderExplorer(pooled=True).caption()
    assert "“the old bites a young man dog”" in OrderExplorer(place=6.0).caption()


def test_the_picture_shows_the_changes_below_the_words() -> None:
    explorer = OrderExplorer(order=SHUFFLED, positions=True)
    above, below = explorer.picture().axes
    heights = [bar.get_height() for bar in below.patches]
    np.testing.assert_allclose(heights, explorer.changes())
    words = [label.get_text() for label in below.get_xticklabels()]
    assert words == ["man", "bites", "dog", "the", "young", "old", "a"]
    assert len(above.patches) == 21
