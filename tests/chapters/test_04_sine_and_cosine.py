"""Test chapter 4's claims about its decoders by brute force and at the bounds of their errors."""

import numpy as np
import pytest
from cells import functions

from pe_lib import encode, frequencies, position_from_encoding

NAME = "04-sine-and-cosine"


@pytest.fixture(scope="module")
def chapter():
    known = {"position_from_encoding": position_from_encoding, "encode": encode}
    return functions(NAME, np=np, frequencies=frequencies, **known)


def rows(angles):
    """Return encodings from the angles of clock hands, with one row for each row of angles."""
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(len(angles), -1)


def test_its_decoder_stands_the_angles_it_promises(chapter):
    """Test (4.5): errors of the angles just below the bound never change the decoded position."""
    bound = np.pi / (10_000 ** (2 / 8) + 1)
    k = np.arange(300, 5_000)
    for signs in np.ndindex(2, 2, 2, 2):
        off = 0.99 * bound * (2 * np.array(signs) - 1)
        found = chapter["decode"](rows(k[:, None] * frequencies(8) + off))
        np.testing.assert_array_equal(found, k)
    # Beyond the bound, the last hand may be wrong by a whole turn.
    for size, exact in [(0.28, True), (0.3, False)]:
        angles = 137 * frequencies(8) + size * np.array([1, -1, 1, -1])
        assert (abs(chapter["narrow"](rows([angles])[0]) - 137) < 1.001 * size) == exact


def test_nearest_two_positions_by_brute_force(chapter):
    for count in (20, 200):
        pairs = [(s, t) for s in range(count) for t in range(s)]
        gap, *nearest = min((abs(np.sin(s) - np.sin(t)), t, s) for s, t in pairs)
        assert chapter["nearest_sines"](count) == (nearest, pytest.approx(gap))
        table = encode(range(count), 2)
        chord, offset = min((np.linalg.norm(table[s] - table[t]), s - t) for s, t in pairs)
        assert chapter["nearest_pairs"](count) == (offset, pytest.approx(chord, abs=1e-9))


def test_eleven_levels_of_differences_reach_two_billion():
    """Test that in 2e9 positions the slowest hand makes less than half a turn at level 11."""
    turns = [abs(np.diff(frequencies(64), n=n)).min() * 2e9 / (2 * np.pi) for n in (10, 11)]
    assert turns[1] < 0.5 < turns[0]


def test_what_a_check_of_rows_does_and_does_not_show():
    """Test that a check accepts 78 rows with nearly equal frequencies, and also shifted rows."""
    table = rows(np.outer(np.arange(79), 10_000.0 ** -(np.arange(256) / 255)))
    np.testing.assert_array_equal(position_from_encoding(table[:78]), np.arange(78))
    with pytest.raises(ValueError, match=r"encoding\[78\] agrees with no position"):
        position_from_encoding(table)
    assert position_from_encoding(encode(range(2, 7), 512)).tolist() == [2, 3, 4, 5, 6]
