"""Test the claims that chapter 1 makes without showing them, and its copy-and-paste code."""

import math
import re

import numpy as np
from cells import read_text

from pe_lib import encode
from pe_lib.course.wishes import check_wishes, measure_shift_error

NAME = "01-why-order-matters"


def test_the_answers_at_the_end_are_right(chapter):
    x = chapter["X"]

    def layer(rows):
        return chapter["attention"](rows, *chapter["W"])

    dogs = layer(x[[2, 3, 2]])
    np.testing.assert_allclose(dogs[0], dogs[2], atol=1e-12)
    second = layer(dogs + encode(range(3), 8))
    assert np.abs(second[0] - second[2]).max() > 1e-3


def test_the_check_to_paste_fails_where_positions_are_missing(chapter):
    check = re.search(r"```python\n(.*?assert.*?)```", read_text(NAME, "assert gap"), re.DOTALL)[1]
    vectors = np.random.default_rng(0).standard_normal((60, 8))

    def passes(model, length):
        names = {"order_gap": chapter["order_gap"], "model": model, "words": np.arange(length)}
        try:
            exec(check, names)
        except AssertionError:
            return False
        return True

    def layer(x):
        return chapter["attention"](x, *chapter["W"])

    def masked(x):
        return chapter["masked_attention"](x, *chapter["W"])

    for length in (5, 6, 7, 60):
        assert not passes(lambda words: layer(vectors[words]), length)
        assert passes(lambda words: masked(vectors[words]), length)
        places = encode(range(length), 8)
        assert passes(lambda words, places=places: layer(vectors[words] + places), length)


def test_only_two_columns_of_the_checklist_hold_all_wishes(chapter):
    granted = {name: check_wishes(f) for name, f in chapter["ideas"].items()}
    assert [name for name in granted if all(granted[name].values())] == ["t/1000", "chapter 2"]
    missing = {
        name: [wish for wish, ok in wishes.items() if not ok] for name, wishes in granted.items()
    }
    assert chapter["ideas"]["t/1000"](2001).max() == 2  # bounded only in short texts
    assert missing["integers"] == ["bounded"]
    assert missing["fractions"] == ["any length", "linear offset"]
    assert missing["the same"] == ["unique", "any length", "near is near"]


def test_a_matrix_moves_integers_by_three_and_lets_a_query_match_its_key():
    move = np.array([[1, 0], [3, 1]])
    for t in range(50):
        assert (np.array([t, 1]) @ move == [t + 3, 1]).all()


def test_ten_binary_digits_give_positions_0_and_1024_the_same_vector(chapter):
    assert (chapter["binary"]([0, 1024], 10) == 0).all()
    assert chapter["binary"]([1024], 11).any()


def test_integers_give_all_the_weight_to_the_last_word_and_random_vectors_have_no_matrix():
    last = np.arange(1001.0)
    for seed in range(5):
        words = np.random.default_rng(seed).standard_normal((1001, 8))
        rows = np.column_stack([words, last, np.ones(1001)])
        scores = rows @ rows[1000] / math.sqrt(10)
        # so all other weights are less than e to the power -100
        assert scores[1000] - scores[:1000].max() > 100
        table = np.random.default_rng(seed).uniform(-1, 1, (1030, 16))
        assert measure_shift_error(lambda n, table=table: table[:n]) > 0.98
