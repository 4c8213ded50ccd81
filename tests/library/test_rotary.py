"""Test rotations and scores in both layouts against complex numbers and against simple loops."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_lib import _arrays
from pe_lib.checkpoints import Layer
from pe_lib.context import yarn, yarn_amplitude
from pe_lib.rotary import convert_weights, cos_sin, rotate, score, to_halves, to_interleaved

LAYOUTS = ["interleaved", "halves"]
widths = st.integers(1, 16).map(lambda n: 2 * n)
bases = st.floats(1.5, 1e6)
places = st.one_of(st.integers(-5000, 5000), st.floats(-5000, 5000))
seeds = st.integers(0, 2**32 - 1)


def vectors(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def by_complex_numbers(x, t, base, layout, turned_width):
    """Rotate a vector pair by pair, multiplying each pair as a complex number by e^(i w t)."""
    out = list(x)
    for i in range(turned_width // 2):
        a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + turned_width // 2)
        z = complex(x[a], x[b]) * cmath.exp(1j * t / math.pow(base, 2 * i / turned_width))
        out[a], out[b] = z.real, z.imag
    return out


@pytest.mark.parametrize("layout", LAYOUTS)
@given(seed=seeds, t=places, d_head=widths, base=bases, part=st.floats(0, 1))
def test_turning_is_a_product_of_complex_numbers(layout, seed, t, d_head, base, part):
    x = vectors(seed, d_head)
    expected = by_complex_numbers(x, t, base, layout, d_head)
    np.testing.assert_allclose(rotate(x, t, base, layout), expected, rtol=0, atol=1e-11)
    turned_width = max(2, 2 * int(part * d_head / 2))
    result = rotate(x, t, base, layout, turned=turned_width)
    expected = by_complex_numbers(x, t, base, layout, turned_width)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-11)
    np.testing.assert_array_equal(result[turned_width:], x[turned_width:])


@given(t=places, d_head=widths, base=bases, amplitude=st.floats(0, 3))
def test_cosines_and_sines_one_by_one(t, d_head, base, amplitude):
    cos, sin = cos_sin([t, -t], d_head, base, amplitude=amplitude)
    assert cos.shape == sin.shape == (2, d_head // 2)
    for i in range(d_head // 2):
        angle = t / math.pow(base, 2 * i / d_head)
        pair = amplitude * math.cos(angle), amplitude * math.sin(angle)
        np.testing.assert_allclose((cos[0, i], sin[0, i]), pair, rtol=0, atol=1e-11)
        np.testing.assert_allclose((cos[1, i], -sin[1, i]), pair, rtol=0, atol=1e-11)


def test_cosines_and_sines_are_those_of_rotate_and_of_a_layer():
    w, t = [1.0, 0.3, 0.2, 0.0], np.arange(6.0).reshape(2, 3)
    cos, sin = cos_sin(t, 8, frequencies=w, amplitude=1.25)
    ones = rotate(np.tile([1.0, 0.0], 4), t, frequencies=w, amplitude=1.25)
    np.testing.assert_array_equal(ones, np.stack([cos, sin], axis=-1).reshape(2, 3, 8))
    rounded = cos_sin(t, 8, frequencies=w, amplitude=1.25, dtype=np.float32)
    layer = Layer("rotary", 8, 8, np.array(w), amplitude=1.25).cos_sin(t)
    for ours, theirs in zip(rounded, layer, strict=True):
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-7)
    # Rotate as transformers does, where each entry has its own cosine and sine.
    x = vectors(0, 2, 3, 8)
    wide_cos, wide_sin = np.concatenate([cos, cos], -1), np.concatenate([sin, sin], -1)
    by_hand = x * wide_cos + np.concatenate([-x[..., 4:], x[..., :4]], -1) * wide_sin
    rotated = rotate(x, t, layout="halves", frequencies=w, amplitude=1.25)
    np.testing.assert_allclose(rotated, by_hand, rtol=0, atol=1e-14)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_an_amplitude_multiplies_what_is_rotated_and_nothing_else(layout, dtype):
    x, t = vectors(1, 5, 12).astype(dtype), np.arange(5)
    options = {"layout": layout, "frequencies": yarn(8, 4, 4096), "turned": 8}
    scaled = rotate(x, t, **options, amplitude=yarn_amplitude(4))
    plain = rotate(x.astype(float), t, **options)
    np.testing.assert_allclose(
        scaled[:, :8], (0.1 * math.log(4) + 1) * plain[:, :8], rtol=np.finfo(dtype).eps, atol=1e-7
    )
    np.testing.assert_array_equal(scaled[:, 8:], x[:, 8:])
    assert scaled.dtype == dtype
    np.testing.assert_array_equal(rotate(x, t, **options, amplitude=1), rotate(x, t, **options))


@given(seed=seeds, k=places, d_head=widths, base=bases)
def test_the_score_is_a_sum_over_the_pairs(seed, k, d_head, base):
    q, key = vectors(seed, 2, d_head).tolist()
    total = 0
    for i in range(d_head // 2):  # equation 12 is Re(q k* e^(i w (m - n)))
        a, b = complex(*q[2 * i : 2 * i + 2]), complex(*key[2 * i : 2 * i + 2])
        total += (a * b.conjugate() * cmath.exp(1j * k / math.pow(base, 2 * i / d_head))).real
    assert abs(score(q, key, k, base) - total) <= 1e-11


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_score_in_any_layout_and_spacing_is_that_of_turned_vectors(layout):
    (q, k), w = vectors(0, 2, 8), [1.0, 0.3, 0.2, 0.0]
    strided = [
        rotate(q, 9, 1.5, layout, w) @ rotate(k, 9 - offset, 1.5, layout, w)
        for offset in range(-5, 6)
    ]
    np.testing.assert_allclose(score(q, k, range(-5, 6), 1.5, layout, w), strided, rtol=1e-12)
    assert score(q, k, [[1, 2, 3]]).shape == (1, 3) and np.ndim(score(q, k, 1)) == 0
    coarse = q.astype(np.float32)
    assert score(coarse, coarse, 5).dtype == np.float64
    assert score(coarse, coarse, 5) == score(coarse.tolist(), coarse.tolist(), 5)


@given(seed=seeds, d_head=widths, half=st.integers(1, 16), base=bases, t=places)
def test_both_layouts_agree_after_conversion(seed, d_head, half, base, t):
    turned_width = min(2 * half, d_head)
    x, order = vectors(seed, 5, d_head), to_halves(d_head, turned_width)
    assert sorted(order) == list(range(d_head))
    split = rotate(x[:, order], t, base, "halves", turned=turned_width)
    np.testing.assert_array_equal(split, rotate(x, t, base, turned=turned_width)[:, order])
    np.testing.assert_array_equal(x[:, order][:, to_interleaved(d_head, turned_width)], x)


@pytest.mark.parametrize(
    ("heads", "key_heads", "d_head", "turned_width"), [(4, 2, 6, None), (3, 1, 8, 6)]
)
def test_converted_weights_give_the_same_scores(heads, key_heads, d_head, turned_width):
    """Check that converting weights, biases and the gains of a norm changes no score."""
    x, gain = vectors(0, 7, 10), vectors(4, d_head)
    w_q, w_k = vectors(1, 10, heads * d_head), vectors(2, 10, key_heads * d_head)
    b_q = vectors(3, heads * d_head)

    def scores(w_q, b_q, w_k, gain, layout):
        q = (x @ w_q + b_q).reshape(7, heads, d_head).swapaxes(0, 1)
        k = (x @ w_k).reshape(7, key_heads, d_head).swapaxes(0, 1).repeat(heads // key_heads, 0)
        k = k / np.sqrt((k**2).mean(-1, keepdims=True)) * gain
        q, k = (rotate(v, range(7), layout=layout, turned=turned_width) for v in (q, k))
        return q @ k.swapaxes(1, 2)

    given_ = w_q, b_q, w_k, gain
    expected = scores(*given_, "interleaved")
    sizes = {"d_head": d_head, "turned": turned_width}
    converted = [
        convert_weights(w, "halves", heads=n, axis=-1, **sizes)
        for w, n in zip(given_, (heads, heads, key_heads, 1), strict=True)
    ]
    np.testing.assert_allclose(scores(*converted, "halves"), expected, rtol=0, atol=1e-12)
    assert np.abs(scores(*given_, "halves") - expected).max() > 1  # Unconverted weights are wrong.
    back = convert_weights(converted[0], "interleaved", heads=heads, axis=1, **sizes)
    np.testing.assert_array_equal(back, w_q)
    linear = convert_weights(w_q.T, "halves", heads=heads, axis=0, **sizes)  # as in nn.Linear
    np.testing.assert_array_equal(linear.T, converted[0])


def test_positions_broadcast_over_the_leading_axes():
    x = vectors(0, 2, 3, 5, 8)  # batch, heads, length, d_head
    positions = np.array([[0, 1, 2, 3, 4], [-2, -1, 0, 1, 2]])[:, None]
    result = rotate(x, positions)
    for b, h, t in np.ndindex(2, 3, 5):
        np.testing.assert_array_equal(result[b, h, t], rotate(x[b, h, t], positions[b, 0, t]))
    assert rotate(x[0, 0, 0], range(4)).shape == (4, 8)
    assert rotate(x[:, :, :0], range(0)).shape == (2, 3, 0, 8)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_precision_is_kept_and_an_array_of_ones_own_filled_even_in_place(layout, dtype):
    x, far = vectors(0, 3, 5, 8).astype(dtype), range(100_000, 100_005)
    options, kept = {"layout": layout, "turned": 6}, x.copy()
    expected = rotate(x.astype(float), far, **options).astype(dtype)
    np.testing.assert_array_equal(rotate(x, far, **options), expected)
    assert rotate(x, far, **options).dtype == dtype and rotate([1, 0], 1).dtype == np.float64
    np.testing.assert_array_equal(x, kept)
    strided = np.zeros((3, 5, 8, 2), dtype)[..., 0]
    assert rotate(x, far, **options, out=strided) is strided
    np.testing.assert_array_equal(strided, expected)
    across = np.ascontiguousarray(x.swapaxes(0, 2)).swapaxes(0, 2)  # not contiguous in memory
    np.testing.assert_array_equal(rotate(across, far, **options), expected)
    assert rotate(x, far, **options, out=x) is x
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_result_may_lie_across_its_vectors(layout, monkeypatch):
    monkeypatch.setattr(_arrays, "_PAIRS", 1)  # Rotate in the smallest possible blocks.
    room = vectors(0, 4, 5, 8)
    expected = rotate(room[:-1].copy(), range(5), layout=layout)
    rotate(room[:-1], range(5), layout=layout, out=room[1:])
    np.testing.assert_array_equal(room[1:], expected)
