"""The mask explorer: its table is P S Pᵀ, its mask stays where it is, and its story is true."""

import json

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib.course.explorers import MaskExplorer

SHUFFLED = [6, 3, 2, 0, 5, 1, 4]


def permutation(order: list[int]) -> np.ndarray:
    return np.eye(len(order))[order]


def test_the_table_is_permuted_on_both_sides() -> None:
    explorer = MaskExplorer(order=SHUFFLED)
    p, s = permutation(SHUFFLED), np.array(explorer.scores)
    np.testing.assert_array_equal(explorer.table(), p @ s @ p.T)
    found = from_module("mask", f"m.permuted({json.dumps(explorer.scores)}, {SHUFFLED})")
    np.testing.assert_array_equal(found, p @ s @ p.T)


def test_the_mask_does_not_move_with_the_words() -> None:
    p, s = permutation(SHUFFLED), np.array(MaskExplorer().scores)
    below = np.tri(7) > 0
    np.testing.assert_array_equal(
        MaskExplorer(order=SHUFFLED, causal=True).table(), np.where(below, p @ s @ p.T, -np.inf)
    )
    with_it = p @ np.where(below, s, 0) @ p.T  # P (S + M) Pᵀ, what is cut being 0
    assert not np.array_equal(with_it != 0, below)


def test_the_story_is_true() -> None:
    sees = from_module("mask", f"[[0, 1, 2, 3, 4, 5, 6], {SHUFFLED}]"
                       ".map((o) => m.seen(o, 2, true))")  # fmt: skip
    assert sees == [[0, 1, 2], [6, 3, 2]]  # dog cannot see man, and then it does
    assert from_module("mask", f"m.seen({SHUFFLED}, 2, false)") == SHUFFLED
    last = [6, 3, 0, 5, 1, 4, 2]
    assert len(from_module("mask", f"m.seen({last}, 2, true)")) == 7


def test_a_word_makes_room_for_another() -> None:
    found = from_module("mask", "[m.moved([0, 1, 2, 3], 0, 2), m.moved([0, 1, 2, 3], 3, 1)]")
    assert found == [[1, 2, 0, 3], [0, 3, 1, 2]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"order": [0, 1]}, "order must hold each of 0 to 6 once"),
        ({"scores": [[1.0, 2.0]]}, "scores must hold 7 rows of 7"),
        ({"query": 7}, "query and key must be words from 0 to 6"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, object], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        MaskExplorer(**given)


def test_caption_and_picture_say_what_is_cut() -> None:
    assert "There is no mask." in MaskExplorer().caption()
    explorer = MaskExplorer(causal=True)
    assert "dog asks for man with 1.19. The causal mask cuts it." in explorer.caption()
    assert "lets it through" in MaskExplorer(causal=True, order=SHUFFLED).caption()
    (ax,) = explorer.picture().axes
    assert ax.images[0].get_array().mask.sum() == 21 == len(ax.lines) - 1
