"""Test chapter 4's claims about its decoders by brute force, and with errors near the limit."""

from math import atan2, pi, tau

import numpy as np
import pytest
from cells import functions, read_output, read_text

from pe_lib import encode, frequencies, position_from_encoding

NAME = "04-sine-and-cosine"
DEEPER = f"{NAME}-deeper"


@pytest.fixture(scope="module")
def chapter():
    known = {"position_from_encoding": position_from_encoding, "encode": encode}
    return functions(NAME, np=np, frequencies=frequencies, **known)


@pytest.fixture(scope="module")
def deeper():
    return functions(DEEPER, np=np, frequencies=frequencies, encode=encode)


def rows(angles):
    """Return encodings for angles of clock hands, with a row for each row of angles."""
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(len(angles), -1)


def test_the_places_of_the_hands_by_hand():
    """Test that each guess in the table is the hand's position nearest to the last guess."""
    row = [-0.9, 0.3, 0.9, 0.4, 1.0, 0.2, 0.1, 1.0]
    guess, guesses = 0.0, []
    for pair in (3, 2, 1, 0):
        angle = atan2(row[2 * pair], row[2 * pair + 1]) % tau
        places = [10**pair * (angle + n * tau) for n in range(3_000 if pair < 3 else 1)]
        guess = min(places, key=lambda place: abs(place - guess))
        guesses.append(f"{guess:.1f}")
    assert guesses == ["99.7", "137.3", "137.2", "137.0"]
    text = read_text(NAME, "| nearest to the guess |")
    assert all(f"| {guess} |" in text for guess in guesses)


def test_one_row_below_3000_is_printed_like_137_and_no_two_rows_alike():
    table = [tuple(row) for row in (encode(range(3_000), 8) * 10).round().astype(int).tolist()]
    assert table.count(table[137]) == 1 and len(set(table)) == 3_000


def test_its_decoder_stands_the_angles_it_promises(chapter):
    """Test equation (4.5): angle errors just below the bound never change the decoded position."""
    bound = np.pi / (10_000 ** (2 / 8) + 1)
    k = np.arange(2_800)
    for signs in np.ndindex(2, 2, 2, 2):
        off = 0.99 * bound * (2 * np.array(signs) - 1)
        found = chapter["decode"](rows(k[:, None] * frequencies(8) + off))
        np.testing.assert_array_equal(found, k)
    # Above the bound, the last hand may be wrong by a whole turn.
    for size, exact in [(0.28, True), (0.3, False)]:
        angles = 137 * frequencies(8) + size * np.array([1, -1, 1, -1])
        assert (abs(chapter["narrow"](rows([angles])[0]) - 137) < 1.001 * size) == exact


@pytest.mark.parametrize("d_model", [64, 512])
def test_in_wide_rows_only_the_last_rounding_sets_a_limit(chapter, d_model):
    """Test errors just below a half, of all signs, from position 0 to the end of the reach."""
    w, rng = frequencies(d_model), np.random.default_rng(0)
    last = int((pi - 0.49) / w[-1]) - 1
    k = np.append(np.arange(2_000), np.arange(last - 2_000, last))
    for signs in [1, -1, rng.choice([-1, 1], w.size), rng.choice([-1, 1], w.size)]:
        found = chapter["decode"](rows(k[:, None] * w + 0.49 * signs))
        np.testing.assert_array_equal(found, k)
    assert not (chapter["decode"](rows(k[:, None] * w + 0.51)) == k).any()


@pytest.mark.parametrize(("d_model", "reach"), [(8, 3_141), (64, 23_558), (512, 30_305)])
def test_the_whole_row_reaches_half_of_the_longest_wavelength(chapter, d_model, reach):
    found = chapter["decode"](encode([reach, reach + 1], d_model))
    assert found[0] == reach and found[1] != reach + 1


def test_the_plain_mean_is_the_worst_and_the_best_reading(deeper):
    """Test that the best weights depend on the noise, with other seeds than the page uses."""
    for seed in (20, 21):
        for noise, start, order in [
            (deeper["add_noise"], 0, (2, 1, 0)),
            (deeper["add_noise"], 5_000, (2, 1, 0)),
            (deeper["slip_hands"], 0, (0, 1, 2)),
        ]:
            t, x = noise(seed, start, start + 2_000)
            right = [(deeper["decode_weighted"](x, power) == t).mean() for power in order]
            assert right == sorted(right, reverse=True), (seed, start, right)


def test_eleven_levels_of_differences_reach_two_billion():
    """Test that at level 11 the slowest hand makes less than half a turn in 2e9 positions."""
    turns = [abs(np.diff(frequencies(64), n=n)).min() * 2e9 / (2 * np.pi) for n in (10, 11)]
    assert turns[1] < 0.5 < turns[0]
    assert "   11           8,295,043\n" in read_output(DEEPER, "longest wavelength")


def test_what_a_check_of_rows_does_and_does_not_show():
    """Test that the check accepts 78 rows of slightly wrong frequencies, and also shifted rows."""
    table = rows(np.outer(np.arange(79), 10_000.0 ** -(np.arange(256) / 255)))
    np.testing.assert_array_equal(position_from_encoding(table[:78]), np.arange(78))
    with pytest.raises(ValueError, match=r"encoding\[78\] agrees with no position"):
        position_from_encoding(table)
    assert position_from_encoding(encode(range(2, 7), 512)).tolist() == [2, 3, 4, 5, 6]
