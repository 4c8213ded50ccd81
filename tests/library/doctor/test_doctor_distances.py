"""Test that the doctor reads matrices of relative positions, and calls none of them ids."""

import numpy as np
import pytest

from pe_lib.doctor import examine, identify


def build(rule, tokens=24):
    """Return the matrix (tokens, tokens) whose entries are rule(query, key), by a naive loop."""
    return np.array([[rule(t, s) for s in range(tokens)] for t in range(tokens)])


def clip(value, low, high):
    return max(low, min(high, value))


FORWARD, BACK = "position of the key (the column) minus", "position of the query (the row) minus"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda t, s: s - t, [FORWARD]),
        (lambda t, s: t - s, [BACK]),
        (lambda t, s: abs(t - s), ["distance between the query"]),
        (lambda t, s: max(t - s, 0), ["how far the key (the column) is before"]),
        (lambda t, s: s - t + 23, [FORWARD, "23 is added", "To each entry"]),
        (lambda t, s: clip(s - t, -8, 8) + 8, [FORWARD, "8 is added", "from 0 to 16"]),
        (lambda t, s: clip(s - t, -8, 7), [FORWARD, "from -8 to 7"]),
        (lambda t, s: min(abs(t - s), 10), ["distance between", "from 0 to 10"]),
    ],
)
def test_a_matrix_of_relative_positions_is_read(rule, words):
    x = build(rule)
    for report in (identify(x), examine({"relative_positions": x})):
        assert not report.problems
        assert all(word in str(report) for word in [*words, "relative positions"]), str(report)
    assert identify(x).sure


@pytest.mark.parametrize(
    "rule",
    [
        lambda t, s: (s - t) ** 2,
        lambda t, s: (s - t) % 7,
        lambda t, s: s - t + (t == 5),
        lambda t, s: 2 * (s - t),
        lambda t, s: int(s <= t),
    ],
)
def test_other_whole_numbers_are_no_relative_positions(rule):
    assert identify(build(rule)).scheme != "relative"


def test_a_square_batch_of_padded_ids_is_no_matrix_of_relative_positions():
    ids = build(lambda t, s: max(s - t, 0), 12)  # each text has one token more of padding
    assert identify(ids).scheme == "ids"


def test_a_matrix_with_one_wrong_row_is_not_called_certain():
    x = build(lambda t, s: s - t)
    x[7] += 1
    assert identify(x).scheme != "relative"
