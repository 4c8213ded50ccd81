"""Test the candidate positions of values and of pairs against a loop that tries every position."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pe_lib import encode, positions_from_pair, positions_from_value

tolerances = st.one_of(st.sampled_from([0.0, 1e-12, 5e-7, 2.0]), st.floats(1e-4, 1.5))


def entry(k, dim, d_model, base):
    """Return one entry of the encoding of position k, computed with Python's math module."""
    angle = k * math.pow(base, -(dim - dim % 2) / d_model)
    return math.cos(angle) if dim % 2 else math.sin(angle)


@given(st.data())
def test_every_position_with_that_value_or_pair(data):
    """Check that all clear matches are found, and that each result matches up to rounding."""
    d_model = data.draw(st.integers(1, 16).map(lambda n: 2 * n))
    base = data.draw(st.one_of(st.just(10_000.0), st.floats(1.5, 1e12)))
    atol, stop = data.draw(tolerances), data.draw(st.integers(1, 300))
    dim, k = data.draw(st.integers(0, d_model - 1)), data.draw(st.integers(0, 2 * stop))

    def find_expected(entries):
        errors = [max(abs(entry(k, i, d_model, base) - v) for i, v in entries) for k in range(stop)]
        return ({k for k in range(stop) if errors[k] <= atol + slack} for slack in (-1e-12, 1e-12))

    value = data.draw(st.one_of(st.just(entry(k, dim, d_model, base)), st.floats(-1, 1)))
    value = data.draw(st.sampled_from([value, 1.0, -1.0, 0.0, 1 + atol, -1 - atol]))
    candidates = positions_from_value(value, dim, d_model, base, stop, atol)
    certain, possible = find_expected([(dim, value)])
    assert candidates.dtype == np.int64 and candidates.tolist() == sorted(set(candidates.tolist()))
    assert certain <= set(candidates.tolist()) <= possible

    pair, nudge = dim // 2, data.draw(st.sampled_from([0, 0.5, -0.5, 0.99])) * atol
    sin = entry(k, 2 * pair, d_model, base) + nudge
    cos = entry(k, 2 * pair + 1, d_model, base) - nudge
    assume(max(abs(sin), abs(cos)) <= 1 + atol)
    candidates = positions_from_pair(sin, cos, pair, d_model, base, stop, atol).tolist()
    certain, possible = find_expected([(2 * pair, sin), (2 * pair + 1, cos)])
    assert candidates == sorted(set(candidates)) and certain <= set(candidates) <= possible


def test_by_hand():
    # 710 positions are very nearly 113 turns, so both pairs agree to four digits.
    pair = math.sin(11), math.cos(11), 0, 8
    assert positions_from_pair(*pair, max_position=1000, atol=1e-4).tolist() == [11, 721]
    assert positions_from_pair(*pair, max_position=1000).tolist() == [11]
    # By default, values must agree to six decimals, and ten thousand positions are searched.
    sin, cos = math.sin(9999), math.cos(9999)
    for error, expected in ((4.9e-7, [9999]), (5.1e-7, [])):
        assert positions_from_value(sin + error, 0, 8).tolist() == expected
        assert positions_from_pair(sin + error, cos, 0, 8).tolist() == expected
    assert positions_from_pair(math.sin(10**4), math.cos(10**4), 0, 8).tolist() == []


@pytest.mark.parametrize("decimals", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("k", [5, 9, 77, 299])
def test_a_rounded_value_finds_all_that_print_like_it(decimals, k):
    stop, dim = 300, 3
    entries = [entry(t, dim, 8, 10_000.0) for t in range(stop)]
    value = round(entries[k], decimals)
    digits = repr(value).partition(".")[2]  # without trailing zeros
    alike = [t for t in range(stop) if round(entries[t], len(digits)) == value]
    candidates = positions_from_value(value, dim, 8, max_position=stop).tolist()
    assert k in candidates and candidates == alike
    sin = round(entry(k, dim - 1, 8, 10_000.0), decimals)
    candidates = positions_from_pair(sin, value, 1, 8, max_position=stop).tolist()
    assert k in candidates and {*candidates} <= {*alike}


def test_how_close_a_value_must_be_follows_from_how_it_is_written():
    settings = {"dim": 0, "d_model": 2, "max_position": 200}
    for value, atol in ((0.489, 5e-4), (-0.5, 0.05), (4.9e-05, 5e-7), (0.4794255386, 5e-7)):
        expected = [t for t in range(200) if abs(math.sin(t) - value) <= atol]
        assert positions_from_value(value, **settings).tolist() == expected
    # In an encoding, only the values 0, 1 and -1 can occur exactly.
    assert positions_from_value(0.0, **settings).tolist() == [0]
    assert positions_from_value(-1, **settings).tolist() == []
    # A value in lower precision must match the position from which it was rounded.
    for kind in (np.float32, np.float16):
        for t in (3, 50, 199):
            assert t in positions_from_value(kind(math.sin(t)), **settings)
    sin, cos = kind(math.sin(50)), kind(math.cos(50))
    assert positions_from_pair(sin, cos, 0, 2, max_position=200).tolist() == [50]
    # The number with more decimals sets the tolerance of both numbers, so 0.91 is read as 0.910.
    assert positions_from_pair(0.91, -0.416, 0, 2, max_position=200, atol=None).tolist() == []
    assert positions_from_pair(0.909, -0.416, 0, 2, max_position=200).tolist() == [2]


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("dim", [0, 1, 2, 5, 62, 63])
def test_values_agree_with_the_table_to_the_last_bit(dim, layout):
    column = encode(np.arange(3000.0), 64, layout=layout)[:, dim]
    settings = {"max_position": 3000, "layout": layout}
    for k in (0, 1, 1234, 2999):
        for atol in (0.0, 1e-9, 1e-3, 0.3):
            expected = np.flatnonzero(np.abs(column - column[k]) <= atol)
            candidates = positions_from_value(column[k], dim, 64, **settings, atol=atol)
            np.testing.assert_array_equal(candidates, expected)
    # This cosine changes so slowly that many positions have the exact value 1.
    column = encode(np.arange(1000.0), 64, 1e20)[:, 63]
    candidates = positions_from_value(1.0, 63, 64, 1e20, max_position=1000, atol=0.0)
    np.testing.assert_array_equal(candidates, np.flatnonzero(column == 1))


def test_given_frequencies_may_come_in_any_order():
    w = [0.01, 2.0, 1e-4, 0.3]
    table = encode(np.arange(300.0), 8, frequencies=w)
    settings = {"max_position": 300, "atol": 1e-9, "frequencies": w}
    for dim in range(8):
        is_close = abs(table - table[77]) <= 1e-9
        candidates = positions_from_value(table[77, dim], dim, 8, **settings)
        np.testing.assert_array_equal(candidates, np.flatnonzero(is_close[:, dim]))
        is_close_pair = is_close[:, dim - dim % 2] & is_close[:, dim - dim % 2 + 1]
        sin, cos = table[77, dim - dim % 2 :][:2]
        candidates = positions_from_pair(sin, cos, dim // 2, 8, **settings)
        np.testing.assert_array_equal(candidates, np.flatnonzero(is_close_pair))


def test_at_most_two_seconds_of_positions_are_looked_at():
    for call in (positions_from_value, partial(positions_from_pair, 0.6)):
        with pytest.raises(ValueError, match=rf"max_position must be at most 2\*\*24, got {2**53}"):
            call(0.8, 0, 64, max_position=2**53)
    stop = 2**17 + 3  # three blocks
    candidates = positions_from_value(0.5, 0, 2, max_position=stop, atol=1e-3)
    np.testing.assert_array_equal(
        candidates, np.flatnonzero(abs(np.sin(np.arange(stop)) - 0.5) <= 1e-3)
    )
