"""Test positions on a grid against simple loops, complex numbers, and encodings on one axis."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_lib.grid import (
    encode_grid,
    grid_frequencies,
    grid_kernel,
    resized,
    rotate_axes,
    rotate_grid,
    round_robin,
    sections,
)
from pe_lib.rotary import rotate

widths = st.integers(1, 8).map(lambda n: 4 * n)
bases = st.floats(1.5, 1e6)
places = st.one_of(st.integers(-500, 500), st.floats(-500, 500))
turns = st.just(0.0) | st.floats(-7, 7)
seeds = st.integers(0, 2**32 - 1)


def directions(d_model, base, angle):
    """Return frequency vectors as complex numbers, whose real part is for the rows."""
    n = d_model // 4
    lengths = [math.pow(base, -i / n) for i in range(n)]
    return [cmath.rect(w, angle) for w in lengths] + [1j * cmath.rect(w, angle) for w in lengths]


def test_frequencies_by_hand():
    plain = [[1, 0], [0.1, 0], [0, 1], [0, 0.1]]
    np.testing.assert_allclose(grid_frequencies(8, 100), plain, rtol=1e-15)
    # A quarter turn of the grid takes the place (r, c) to (-c, r).
    quarter = grid_frequencies(8, 100, math.pi / 2)
    np.testing.assert_allclose(quarter, [[0, 1], [0, 0.1], [-1, 0], [-0.1, 0]], atol=1e-15)
    # In this case, only the slow pairs are rotated.
    one = grid_frequencies(8, 100, [0, math.pi / 2])
    np.testing.assert_allclose(one, [[1, 0], [0, 0.1], [0, 1], [-0.1, 0]], atol=1e-15)


@given(r=places, c=places, d_model=widths, base=bases, angle=turns, seed=seeds)
def test_encoding_and_rotation_one_by_one(r, c, d_model, base, angle, seed):
    encoded = encode_grid(r, c, d_model, base, angle)
    x = np.random.default_rng(seed).standard_normal(d_model)
    rotated = rotate_grid(x, r, c, base, angle)
    for pair, z in enumerate(directions(d_model, base, angle)):
        a, two = z.real * r + z.imag * c, slice(2 * pair, 2 * pair + 2)
        np.testing.assert_allclose(encoded[two], (math.sin(a), math.cos(a)), atol=1e-11)
        moved = complex(*x[two]) * cmath.exp(1j * a)
        np.testing.assert_allclose(rotated[two], (moved.real, moved.imag), atol=1e-10)


@given(patch=st.tuples(places, places), k=st.tuples(places, places), angle=turns, seed=seeds)
def test_dot_products_and_scores_know_the_offsets_alone(patch, k, angle, seed):
    (r, c), (down, right) = patch, k
    here, there = encode_grid([r, r + down], [c, c + right], 16, 100, angle)
    assert grid_kernel(down, right, 16, 100, angle) == pytest.approx(here @ there, abs=1e-9)
    query, key = np.random.default_rng(seed).standard_normal((2, 16))
    moved = rotate_grid(query, r, c, 100, angle) @ rotate_grid(key, r + down, c + right, 100, angle)
    assert moved == pytest.approx(query @ rotate_grid(key, down, right, 100, angle), abs=1e-9)


def test_rows_and_columns_broadcast():
    grid = encode_grid(np.arange(3)[:, None], range(5), 8)
    assert grid.shape == (3, 5, 8)
    np.testing.assert_array_equal(grid[2, 4], encode_grid(2, 4, 8))
    assert grid_kernel(np.arange(3)[:, None], range(5), 8).shape == (3, 5)
    x = np.ones((2, 15, 8), np.float32)  # two heads
    rotated = rotate_grid(x, *np.divmod(np.arange(15), 5))
    assert rotated.shape == x.shape and rotated.dtype == np.float32
    np.testing.assert_allclose(rotated[1, 9], rotate_grid(x[1, 9], 1, 4), atol=1e-6)


@pytest.mark.parametrize("shares", [[24, 20, 20], [4, 4, 4], [5, 2, 3], [3, 1], [5], [4, 0, 2]])
def test_axes_of_pairs_are_runs_or_are_dealt_while_they_have_pairs(shares):
    """Check that `sections` gives consecutive pairs, and `round_robin` deals pairs in turn."""
    assert sections(shares).tolist() == [a for a, count in enumerate(shares) for _ in range(count)]
    left, expected = list(shares), []
    for pair in range(sum(shares)):
        axis = pair % len(shares)
        expected.append(axis if axis and left[axis] else 0)
        left[expected[-1]] -= 1
    assert not any(left)
    assert round_robin(shares).tolist() == expected


def compute_cubic_weight(x):
    """Return the weight at distance x by equation 4 of Keys (1981), with a = -0.75 (PyTorch)."""
    a, x = -0.75, abs(x)
    if x < 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0.0


@pytest.mark.parametrize("new", [(7, 9), (4, 3), (2, 5), (1, 1), (8, 1)])
@pytest.mark.parametrize(
    ("method", "weight"),
    [("bicubic", compute_cubic_weight), ("bilinear", lambda x: max(1 - abs(x), 0))],
)
def test_a_table_is_resized_place_by_place(method, weight, new):
    """Compare a resized table with a loop that repeats the patches at the border outwards."""
    old, rng = (4, 3), np.random.default_rng(0)
    table = rng.standard_normal((1 + 12, 2))
    result = resized(table, old, new, method, extra=1)
    np.testing.assert_array_equal(result[0], table[0])
    for i, j in np.ndindex(new):
        r, c = ((k + 0.5) * n / m - 0.5 for k, n, m in zip((i, j), old, new, strict=True))
        total = 0
        for a in range(-4, 9):
            for b in range(-4, 9):
                patch = table[1 + 3 * min(max(a, 0), 3) + min(max(b, 0), 2)]
                total = total + weight(r - a) * weight(c - b) * patch
        np.testing.assert_allclose(result[1 + i * new[1] + j], total, atol=1e-13)
    np.testing.assert_allclose(resized(table[1:], old, old, method), table[1:], atol=1e-15)
    assert resized(table.astype(np.float16), old, new, extra=1).dtype == np.float16
    np.testing.assert_allclose(resized(np.ones((12, 2), int), old, new), 1, atol=1e-15)


def test_places_that_no_float_holds_stay_integers():
    far, x = 2**53 + 1, np.random.default_rng(2).standard_normal(8)
    result = rotate_axes(x, [far, 5, -far], [0, 1, 2, 0])
    for pair, place in enumerate([far, 5, -far, far]):
        two = slice(2 * pair, 2 * pair + 2)
        np.testing.assert_array_equal(result[two], rotate(x, place)[two])


@given(seeds, st.sampled_from(["interleaved", "halves"]))
def test_each_pair_turns_by_its_axis(seed, layout):
    rng = np.random.default_rng(seed)
    x, places = rng.standard_normal((2, 3, 8)), rng.integers(-50, 50, (3, 3))
    axes, w = rng.integers(0, 3, 4), rng.uniform(0.001, 1, 4)
    result = rotate_axes(x, places, axes, layout=layout, frequencies=w)
    for n, t, i in np.ndindex(2, 3, 4):
        a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + 4)
        z = complex(x[n, t, a], x[n, t, b]) * cmath.exp(1j * w[i] * int(places[t, axes[i]]))
        assert complex(result[n, t, a], result[n, t, b]) == pytest.approx(z, abs=1e-12)
    # Words have the same position on each of the axes.
    words = np.repeat([[7], [8], [900]], 3, axis=1)
    plain = rotate(x, [7, 8, 900], 500.0, layout)
    np.testing.assert_allclose(rotate_axes(x, words, axes, 500.0, layout), plain, atol=1e-11)
