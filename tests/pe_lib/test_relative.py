"""Rotation, shift and kernel: each against the encoding of the moved position, or a plain sum."""

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


def test_one_pair_by_hand():
    c, s = math.cos(3), math.sin(3)
    np.testing.assert_allclose(rotation(3, 2), [[c, s], [-s, c]], rtol=1e-15)


@given(t=offsets, k=offsets, d_model=widths, base=bases)
def test_rotation_and_shift_move_the_position(t, k, d_model, base):
    before, after = encode(t, d_model, base), encode(t + k, d_model, base)
    np.testing.assert_allclose(rotation(k, d_model, base) @ before, after, rtol=0, atol=1e-11)
    np.testing.assert_allclose(shift(before, k, base), after, rtol=0, atol=1e-11)


@given(k=offsets, d_model=widths, base=bases)
def test_rotation_is_orthogonal_and_block_diagonal(k, d_model, base):
    matrix = rotation(k, d_model, base)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(d_model), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(rotation(-k, d_model, base), matrix.T)
    pair = np.arange(d_model) // 2
    assert not matrix[pair[:, None] != pair].any()


@given(a=offsets, b=offsets, d_model=widths, base=bases)
def test_rotations_add_up(a, b, d_model, base):
    both = rotation(a, d_model, base) @ rotation(b, d_model, base)
    np.testing.assert_allclose(both, rotation(a + b, d_model, base), rtol=0, atol=1e-11)


def test_shift_is_linear_and_not_only_for_encodings():
    vector = np.random.default_rng(0).standard_normal(12)
    np.testing.assert_allclose(shift(vector, 7.5, 50.0), rotation(7.5, 12, 50.0) @ vector)


def test_offsets_broadcast_over_the_leading_axes():
    pe = encode(np.arange(6).reshape(2, 3), 8)
    moved = shift(pe, [[10], [20]])
    np.testing.assert_allclose(moved, encode([[10, 11, 12], [23, 24, 25]], 8), atol=1e-14)
    grown = shift(encode(5, 8), range(4))
    np.testing.assert_allclose(grown, encode(range(5, 9), 8), atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_shift_keeps_the_precision_and_leaves_its_input_alone(dtype):
    pe = encode(range(9), 16, dtype=dtype)
    kept = pe.copy()
    moved = shift(pe, 30)
    assert moved.dtype == dtype
    np.testing.assert_allclose(
        moved, encode(range(30, 39), 16), rtol=0, atol=1e-14 + np.finfo(dtype).eps
    )
    np.testing.assert_array_equal(pe, kept)
    assert shift([0, 1], 1).dtype == np.float64


def test_kernel_at_width_512():
    np.testing.assert_allclose(
        kernel([1, 10, 100], 512) / 256, [0.97306, 0.67887, 0.43731], rtol=0, atol=5e-6
    )


@given(k=offsets, d_model=widths, base=bases)
def test_kernel_is_an_exact_sum_of_cosines(k, d_model, base):
    terms = [math.cos(k / math.pow(base, 2 * i / d_model)) for i in range(d_model // 2)]
    assert abs(kernel(k, d_model, base) - math.fsum(terms)) <= 1e-11
    assert kernel(k, d_model, base) == kernel(-k, d_model, base)


@given(t=offsets, k=offsets, d_model=widths, base=bases)
def test_kernel_is_the_dot_product_wherever_it_is_taken(t, k, d_model, base):
    dot = encode(t, d_model, base) @ encode(t + k, d_model, base)
    assert abs(kernel(k, d_model, base) - dot) <= 1e-10


def test_kernel_keeps_the_shape_over_blocks():
    few = np.arange(6).reshape(2, 3)
    wide = kernel(few, 2 * _HANDS)  # two offsets to a block
    assert wide.shape == (2, 3)
    np.testing.assert_allclose(wide[1, 1], kernel(4, 2 * _HANDS), rtol=1e-15)
    np.testing.assert_array_equal(kernel(range(3), 8), kernel([0, 1, 2], 8))
    assert kernel(0, 8) == 4.0 and np.ndim(kernel(0, 8)) == 0


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@given(t=st.integers(-500, 500), offset=st.integers(-500, 500), pairs=st.integers(1, 9))
def test_every_layout_and_spacing_has_its_rotation(layout, t, offset, pairs):
    spaced = 100.0 ** -np.linspace(0, 1, pairs)
    how = {"layout": layout, "frequencies": spaced}
    here, there = (encode(place, 2 * pairs, **how) for place in (t, t + offset))
    np.testing.assert_allclose(shift(here, offset, **how), there, rtol=0, atol=1e-12)
    matrix = rotation(offset, 2 * pairs, **how)
    np.testing.assert_allclose(matrix @ here, there, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        kernel(offset, 2 * pairs, frequencies=spaced), here @ there, rtol=0, atol=1e-12
    )


def test_types_tell_numbers_from_arrays():
    assert len(kernel(range(3), 8)) == 3
    assert isinstance(kernel(3, 8), np.float64)
