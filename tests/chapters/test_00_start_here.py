"""Test claims in the answers of chapter 0 that no cell of the chapter shows."""

import numpy as np

from pe_lib import encode

NAME = "00-start-here"


def test_the_answers_at_the_end_are_right(chapter):
    layer, places, words = chapter["attention"], encode(range(3), 2), chapter["sentence"]
    # Reversing words plus positions also moves the positions, so the outputs are only reversed.
    moved = words + places
    np.testing.assert_allclose(layer(moved[::-1]), layer(moved)[::-1], atol=1e-12)
    late = layer(words) + places, layer(words[::-1]) + places
    # If positions are added after the layer, the row for "bites" does not depend on the word order.
    np.testing.assert_allclose(late[0][1], late[1][1], atol=1e-12)
    second = [layer(rows)[1] for rows in late]
    assert np.abs(second[0] - second[1]).max() > 0.001
    # If positions count words, two tokens of one word have the same position and can be swapped.
    shared, swapped = [0, 1, 2, 2, 3, 4, 5], [0, 1, 3, 2, 4, 5, 6]
    x, added = chapter["X"], chapter["table"][shared]
    np.testing.assert_allclose(layer(x[swapped] + added), layer(x + added)[swapped], atol=1e-12)


def test_positions_reach_a_word_that_stays_in_its_place(chapter):
    assert np.abs(chapter["one"][1] - chapter["other"][1]).max() > 0.005
    assert np.abs(chapter["one"] - chapter["other"][::-1])[[0, 2]].max(axis=1).min() > 0.5


def test_a_matrix_takes_the_positions_out_and_leaves_each_word_recognisable():
    """Project words plus positions onto directions in which no position has a component."""
    positions, seeds = encode(range(100), 512), range(3)
    directions = np.linalg.qr(positions.T)[0]
    for seed in seeds:
        rng = np.random.default_rng(seed)
        words = 0.1 * rng.standard_normal((2000, 512))
        rows = words + positions[rng.integers(100, size=2000)]
        cleaned = rows - rows @ directions @ directions.T
        assert ((cleaned @ words.T).argmax(axis=1) == np.arange(2000)).all()
        assert ((rows @ words.T).argmax(axis=1) == np.arange(2000)).mean() < 0.6


def test_random_dot_products_grow_with_the_root_of_the_width():
    rng = np.random.default_rng(0)
    for width in (2, 8, 64, 512):
        pairs = rng.standard_normal((2, 20_000, width))
        assert np.isclose(pairs.prod(axis=0).sum(axis=1).std(), width**0.5, rtol=0.05)


def test_attention_cannot_notice_the_order_if_positions_run_along_the_batch(chapter):
    """Test the wrong axis of the chapter: each word keeps its output if the words are shuffled."""
    layer, order = chapter["attention"], np.array([3, 1, 4, 0, 2])
    words = np.random.default_rng(1).standard_normal((3, 5, 8))
    for added, noticed in ((encode(range(5), 8), True), (encode(range(3), 8)[:, None], False)):
        rows = np.broadcast_to(added, words.shape)[1]
        before, after = layer(words[1] + rows), layer(words[1][order] + rows)
        assert (np.abs(after - before[order]).max() > 0.1) == noticed
