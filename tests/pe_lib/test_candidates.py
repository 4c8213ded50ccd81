"""One value and one pair against brute force over all positions, and against the encoder itself."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pe_lib import candidates, encode, positions_from_pair, positions_from_value
from pe_lib.candidates import _runs

widths = st.integers(1, 16).map(lambda n: 2 * n)
bases = st.one_of(st.just(10_000.0), st.floats(1.5, 1e12))
tolerances = st.one_of(st.sampled_from([0.0, 1e-12, 5e-7, 2.0]), st.floats(1e-4, 1.5))


def entry(k, dim, d_model, base):
    angle = k * math.pow(base, -(dim - dim % 2) / d_model)
    return math.cos(angle) if dim % 2 else math.sin(angle)


def scan(matches, stop, atol):
    """Positions that surely match, and those within rounding of the boundary."""
    sure = {k for k in range(stop) if matches(k, atol - 1e-12)}
    return sure, {k for k in range(stop) if matches(k, atol + 1e-12)}


# One value


def test_eleven_and_344_share_a_sine():
    eleven = math.sin(11)
    assert {11, 344} <= set(positions_from_value(eleven, 0, 8, max_position=400).tolist())
    assert positions_from_value(eleven, 0, 8, max_position=400, atol=1e-9).tolist() == [11]


@given(st.data())
def test_every_position_with_that_value(data):
    d_model, base, atol = data.draw(widths), data.draw(bases), data.draw(tolerances)
    dim, stop = data.draw(st.integers(0, d_model - 1)), data.draw(st.integers(1, 300))
    k = data.draw(st.integers(0, 2 * stop))
    value = data.draw(st.one_of(st.just(entry(k, dim, d_model, base)), st.floats(-1, 1)))
    value = data.draw(st.sampled_from([value, 1.0, -1.0, 0.0, 1 + atol, -1 - atol]))
    found = positions_from_value(value, dim, d_model, base, stop, atol)
    sure, perhaps = scan(
        lambda k, within: abs(entry(k, dim, d_model, base) - value) <= within, stop, atol
    )
    assert found.dtype == np.int64
    assert found.tolist() == sorted(set(found.tolist()))
    assert sure <= set(found.tolist()) <= perhaps


@pytest.mark.parametrize("dim", [0, 1, 2, 5, 62, 63])
def test_value_agrees_with_the_table_to_the_last_bit(dim):
    column = encode(np.arange(3000.0), 64)[:, dim]  # computed one by one
    for k in (0, 1, 1234, 2999):
        for atol in (0.0, 1e-9, 1e-3, 0.3):
            expected = np.flatnonzero(np.abs(column - column[k]) <= atol)
            found = positions_from_value(column[k], dim, 64, max_position=3000, atol=atol)
            np.testing.assert_array_equal(found, expected)


def test_value_and_pair_are_found_far_out_at_the_price_of_the_turns():
    k, limits = 10**12 + 7, {"max_position": 10**12 + 8, "atol": 1e-9}
    sin, cos = encode(k, 512, 1e9)[510:]
    by_value = positions_from_value(sin, 510, 512, 1e9, **limits)
    by_pair = positions_from_pair(sin, cos, 255, 512, 1e9, **limits)
    assert by_value[-1] == by_pair[-1] == k
    np.testing.assert_allclose(encode(by_value, 512, 1e9)[:, 510], sin, rtol=0, atol=1e-9)
    assert set(by_pair) <= set(by_value)


def test_unless_told_otherwise_six_decimals_and_ten_thousand_positions():
    sin, cos = math.sin(9999), math.cos(9999)
    for off, found in ((4.9e-7, [9999]), (5.1e-7, [])):
        assert positions_from_value(sin + off, 0, 8).tolist() == found
        assert positions_from_pair(sin + off, cos, 0, 8).tolist() == found
    assert positions_from_value(math.sin(10**4), 0, 8).tolist() == []
    assert positions_from_pair(math.sin(10**4), math.cos(10**4), 0, 8).tolist() == []


def test_a_crest_is_flat_in_float64():
    ones = np.flatnonzero(encode(np.arange(1000.0), 4, 1e20)[:, 3] == 1)
    assert ones.size > 50
    found = positions_from_value(1.0, 3, 4, 1e20, max_position=1000, atol=0.0)
    np.testing.assert_array_equal(found, ones)


def test_the_end_is_excluded_as_in_range():
    assert positions_from_value(1.0, 1, 2, max_position=1).tolist() == [0]
    assert 5 not in positions_from_value(math.sin(5), 0, 2, max_position=5)
    assert 5 in positions_from_value(math.sin(5), 0, 2, max_position=6)
    assert positions_from_value(0.5, 0, 2, max_position=3, atol=1e-9).tolist() == []


def test_within_two_every_position_matches():
    assert positions_from_value(-1.0, 0, 8, max_position=50, atol=2.0).tolist() == [*range(50)]
    assert positions_from_pair(0.6, 0.8, 0, 8, max_position=50, atol=2.0).tolist() == [*range(50)]


@settings(max_examples=50)
@given(
    near=st.floats(0, math.pi),
    width=st.floats(0, 1),
    crest=st.sampled_from([0.0, math.pi / 2]),
    w=st.floats(1e-3, 8),
    stop=st.integers(1, 3000),
)
def test_runs_are_the_union_of_both_arcs(near, width, crest, w, stop):
    far = min(near + width, math.pi)
    arcs = [(crest - far, crest - near), (crest + near, crest + far)]

    def covered(arcs):
        return [np.arange(k, k + n) for k, n in zip(*_runs(arcs, w, stop), strict=True)]

    both = np.union1d(*(np.concatenate(covered([arc])) for arc in arcs))
    found = np.concatenate(covered(arcs))
    assert (np.diff(found) > 0).all()  # sorted, without repeats, as they come
    assert set(both) <= set(found)  # if these are most positions, all of them are taken


FAR_OUT = {"max_position": 2**53}


@pytest.mark.parametrize(
    "call, which",
    [
        (lambda n: positions_from_value(0.5, 0, 64, max_position=n), "dim = 0"),
        (lambda n: positions_from_value(0.9, 0, 2, max_position=n, frequencies=[1e10]), "dim = 0"),
        (lambda n: positions_from_value(1, 3, 4, 1e24, max_position=n, atol=1e-6), "dim = 3"),
        (lambda n: positions_from_value(0, 2, 4, 1e40, max_position=n), "dim = 2"),
        (lambda n: positions_from_pair(0.6, 0.8, 5, 64, max_position=n), "pair = 5"),
    ],
)
def test_what_cannot_be_looked_at_is_refused_at_once(call, which):
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=f"{which} and atol .* got {2**53}$") as error:
            call(2**53)
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()
    most = int(str(error.value).split("max_position must be at most ")[1].split()[0])
    assert most == 2**25 or which != "dim = 0"  # a fast hand: all positions are looked at
    with pytest.raises(ValueError, match=f"at most {most} .* got {most + 1}$"):
        call(most + 1)


def test_the_most_that_is_looked_at(monkeypatch):
    monkeypatch.setattr(candidates, "_MAX_LOOKED_AT", 1000)
    with pytest.raises(ValueError, match="at most 1000 for dim = 0 and atol = 2 "):
        positions_from_value(0, 0, 8, max_position=1001, atol=2)
    assert positions_from_value(0, 0, 8, max_position=1000, atol=2).size == 1000


def test_few_turns_are_searched_up_to_the_end_of_float64():
    k = 2**53 - 1
    sin, cos = encode(k, 4, 1e28)[2:]
    assert k in positions_from_value(sin, 2, 4, 1e28, **FAR_OUT, atol=1e-12)
    assert k in positions_from_pair(sin, cos, 1, 4, 1e28, **FAR_OUT, atol=1e-12)
    for k in np.random.default_rng(53).integers(2**52, 2**53, 40):
        sin = encode(k, 2, frequencies=[1.23e-12])[0]
        assert k in positions_from_value(sin, 0, 2, frequencies=[1.23e-12], **FAR_OUT, atol=1e-15)
    tiny = {"frequencies": [1e-20], **FAR_OUT}  # never further than 0.0001 radians
    assert positions_from_value(0.5, 0, 2, **tiny).tolist() == []
    assert positions_from_pair(0.6, 0.8, 0, 2, **tiny).tolist() == []


def test_crowded_candidates_are_one_run():
    for arcs, w in (([(-2.0, 2.0)], 1e-3), ([(0.0, 1e-6)], 0.6), ([(0.0, 0.1)] * 2, 50.0)):
        assert [part.tolist() for part in _runs(arcs, w, 10**9)] == [[0], [10**9]]


def test_memory_is_that_of_the_result():
    tracemalloc.start()
    try:
        found = positions_from_value(0.0, 0, 8, max_position=10**6, atol=2.0)
        assert tracemalloc.get_traced_memory()[1] < 2 * found.nbytes + 2**25
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(found, np.arange(10**6))


# One pair


@given(st.data())
def test_every_position_with_that_pair(data):
    d_model, base, atol = data.draw(widths), data.draw(bases), data.draw(tolerances)
    pair, stop = data.draw(st.integers(0, d_model // 2 - 1)), data.draw(st.integers(1, 300))
    k = data.draw(st.integers(0, 2 * stop))
    nudge = data.draw(st.sampled_from([0, 0.5, -0.5, 0.99])) * atol
    sin = entry(k, 2 * pair, d_model, base) + nudge
    cos = entry(k, 2 * pair + 1, d_model, base) - nudge
    assume(max(abs(sin), abs(cos)) <= 1 + atol)
    found = positions_from_pair(sin, cos, pair, d_model, base, stop, atol).tolist()
    sure, perhaps = scan(
        lambda k, within: (
            max(
                abs(entry(k, 2 * pair, d_model, base) - sin),
                abs(entry(k, 2 * pair + 1, d_model, base) - cos),
            )
            <= within
        ),
        stop,
        atol,
    )
    assert found == sorted(set(found))
    assert sure <= set(found) <= perhaps


def test_a_pair_recurs_with_its_wavelength():
    sin, cos = math.sin(11), math.cos(11)
    assert positions_from_pair(sin, cos, 0, 8, max_position=1000).tolist() == [11]
    # 710 is almost 113 turns: the same pair to four digits
    assert positions_from_pair(sin, cos, 0, 8, max_position=1000, atol=1e-4).tolist() == [11, 721]
    assert positions_from_pair(math.sin(0.11), math.cos(0.11), 2, 8).tolist() == [11]
