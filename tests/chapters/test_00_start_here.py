"""Test the claims that the answers in chapter 0 make but that no cell shows."""

import numpy as np

from pe_lib import encode

NAME = "00-start-here"


def test_the_answers_at_the_end_are_right(chapter):
    layer, places, words = chapter["attention"], encode(range(3), 2), chapter["news"]
    # Reversing rows that already contain positions moves the positions too, so the outputs reverse.
    moved = words + places
    np.testing.assert_allclose(layer(moved[::-1]), layer(moved)[::-1], atol=1e-12)
    late = layer(words) + places, layer(words[::-1]) + places
    # If positions are added after the layer, the row of "bites" does not depend on who came first.
    np.testing.assert_allclose(late[0][1], late[1][1], atol=1e-12)
    second = [layer(rows)[1] for rows in late]
    assert np.abs(second[0] - second[1]).max() > 0.001
    # If positions count words, two tokens of one word share a position and can be swapped.
    shared, swapped = [0, 1, 2, 2, 3, 4, 5], [0, 1, 3, 2, 4, 5, 6]
    x, added = chapter["X"], chapter["table"][shared]
    np.testing.assert_allclose(layer(x[swapped] + added), layer(x + added)[swapped], atol=1e-12)


def test_positions_reach_a_word_that_stays_in_its_place(chapter):
    assert np.abs(chapter["one"][1] - chapter["other"][1]).max() > 0.005
    assert np.abs(chapter["one"] - chapter["other"][::-1])[[0, 2]].max(axis=1).min() > 0.5
