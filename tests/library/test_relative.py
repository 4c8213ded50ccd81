"""Test rotation, shift and kernel by their formulas, and by encodings of t + offset."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_lib import encode, kernel, rotation, shift
from pe_lib._hands import _HANDS

widths = st.integers(1, 24).map(lambda n: 2 * n)
bases = st.floats(1.5, 1e6)
offsets = st.one_of(st.integers(-5000, 5000), st.floats(-5000, 5000))


def blocks(offset, d_model, base):
    """Return the rotation matrix, whose diagonal consists of blocks [[cos, sin], [-sin, cos]]."""
    matrix = np.zeros((d_model, d_model))
    for i in range(0, d_model, 2):
        angle = offset / math.pow(base, i / d_model)
        c, s = math.cos(angle), math.sin(angle)
        matrix[i : i + 2, i : i + 2] = [[c, s], [-s, c]]
    return matrix


@given(t=offsets, k=offsets, d_model=widths, base=bases, seed=st.integers(0, 99))
def test_rotation_and_shift_are_the_matrix_and_move_the_position(t, k, d_model, base, seed):
    matrix = rotation(k, d_model, base)
    np.testing.assert_allclose(matrix, blocks(k, d_model, base), rtol=0, atol=1e-11)
    vector = np.random.default_rng(seed).standard_normal(d_model)  # shift is linear
    np.testing.assert_allclose(shift(vector, k, base), matrix @ vector, rtol=0, atol=1e-11)
    before, after = encode(t, d_model, base), encode(t + k, d_model, base)
    np.testing.assert_allclose(matrix @ before, after, rtol=0, atol=1e-11)


@pytest.mark.parametrize("far", [2**53 + 1, -(2**63), 2**64 - 9])
def test_offsets_that_no_float_holds_stay_integers(far):
    here, there = encode(3, 8), encode(far + 3, 8)
    np.testing.assert_allclose(rotation(far, 8) @ here, there, rtol=0, atol=1e-13)
    np.testing.assert_allclose(shift(here, far), there, rtol=0, atol=1e-13)
    assert abs(kernel(far, 8) - there @ here) <= 1e-13


@given(k=offsets, t=offsets, d_model=widths, base=bases)
def test_kernel_is_a_sum_of_cosines_and_the_dot_product_wherever_it_is_taken(k, t, d_model, base):
    terms = [math.cos(k / math.pow(base, 2 * i / d_model)) for i in range(d_model // 2)]
    assert abs(kernel(k, d_model, base) - math.fsum(terms)) <= 1e-11
    assert kernel(k, d_model, base) == kernel(-k, d_model, base)
    dot = encode(t, d_model, base) @ encode(t + k, d_model, base)
    assert abs(kernel(k, d_model, base) - dot) <= 1e-10


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@given(t=st.integers(-500, 500), offset=st.integers(-500, 500), pairs=st.integers(1, 9))
def test_every_layout_and_spacing_has_its_rotation(layout, t, offset, pairs):
    spaced = 100.0 ** -np.linspace(0, 1, pairs)
    options = {"layout": layout, "frequencies": spaced}
    here, there = (encode(place, 2 * pairs, **options) for place in (t, t + offset))
    np.testing.assert_allclose(shift(here, offset, **options), there, rtol=0, atol=1e-12)
    matrix = rotation(offset, 2 * pairs, **options)
    np.testing.assert_allclose(matrix @ here, there, rtol=0, atol=1e-12)
    dot = kernel(offset, 2 * pairs, frequencies=spaced)
    np.testing.assert_allclose(dot, here @ there, rtol=0, atol=1e-12)


def test_offsets_broadcast_over_the_leading_axes():
    pe = encode(np.arange(6).reshape(2, 3), 8)
    moved = shift(pe, [[10], [20]])
    np.testing.assert_allclose(moved, encode([[10, 11, 12], [23, 24, 25]], 8), atol=1e-14)
    grown = shift(encode(5, 8), range(4))
    np.testing.assert_allclose(grown, encode(range(5, 9), 8), atol=1e-14)
    np.testing.assert_array_equal(rotation(np.array(3), 8), rotation(3, 8))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_shift_keeps_the_precision_and_leaves_its_input_alone(dtype):
    pe = encode(range(9), 16, dtype=dtype)
    kept, atol = pe.copy(), 1e-14 + np.finfo(dtype).eps
    moved = shift(pe, 30)
    assert moved.dtype == dtype and shift([0, 1], 1).dtype == np.float64
    np.testing.assert_allclose(moved, encode(range(30, 39), 16), rtol=0, atol=atol)
    np.testing.assert_array_equal(pe, kept)


def test_kernel_keeps_the_shape_over_blocks():
    few = np.arange(6).reshape(2, 3)
    wide = kernel(few, 2 * _HANDS)  # There are two offsets in each block.
    assert wide.shape == (2, 3)
    np.testing.assert_allclose(wide[1, 1], kernel(4, 2 * _HANDS), rtol=1e-15)
    np.testing.assert_array_equal(kernel(range(3), 8), kernel([0, 1, 2], 8))
    assert kernel(0, 8) == 4.0 and np.ndim(kernel(0, 8)) == 0
