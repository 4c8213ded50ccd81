"""Rotation and scores against complex numbers and plain loops; both layouts; peers if installed."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_lib import frequencies, relative
from pe_lib.rotary import convert_weights, rotate, score, to_halves, to_interleaved

widths = st.integers(1, 16).map(lambda n: 2 * n)
bases = st.floats(1.5, 1e6)
places = st.one_of(st.integers(-5000, 5000), st.floats(-5000, 5000))
layouts = st.sampled_from(["interleaved", "halves"])
seeds = st.integers(0, 2**32 - 1)


def vectors(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def by_complex_numbers(x, t, base, layout, turned=None):
    """One vector, pair by pair: [x, y] is x + iy, and turning it is a product with e^(i w t)."""
    width, out = turned or len(x), list(x)
    for i in range(width // 2):
        a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + width // 2)
        z = complex(x[a], x[b]) * cmath.exp(1j * t / math.pow(base, 2 * i / width))
        out[a], out[b] = z.real, z.imag
    return out


def test_one_pair_by_hand():
    c, s = math.cos(3), math.sin(3)
    np.testing.assert_allclose(rotate([1, 0], 3), [c, s], rtol=1e-15)
    np.testing.assert_allclose(rotate([0, 1], 3), [-s, c], rtol=1e-15)
    np.testing.assert_allclose(rotate([2.0, 1.0], math.pi / 2), [-1, 2], rtol=1e-15)


def test_layouts_by_hand():
    x, quarter = [1.0, 2, 3, 4, 5, 6, 7, 8], [math.pi / 2] * 4
    side_by_side = rotate(x, 1, frequencies=quarter)
    np.testing.assert_allclose(side_by_side, [-2, 1, -4, 3, -6, 5, -8, 7], rtol=1e-15)
    split = rotate(x, 1, layout="halves", frequencies=quarter)
    np.testing.assert_allclose(split, [-5, -6, -7, -8, 1, 2, 3, 4], rtol=1e-15)
    part = rotate(x, 1, layout="halves", frequencies=quarter[:2], turned=4)
    np.testing.assert_allclose(part, [-3, -4, 1, 2, 5, 6, 7, 8], rtol=1e-15)


@given(seed=seeds, t=places, d_head=widths, base=bases, layout=layouts, part=st.floats(0, 1))
def test_turning_is_a_product_of_complex_numbers(seed, t, d_head, base, layout, part):
    x = vectors(seed, d_head)
    turned = max(2, 2 * int(part * d_head / 2))
    expected = by_complex_numbers(x, t, base, layout)
    np.testing.assert_allclose(rotate(x, t, base, layout), expected, rtol=0, atol=1e-11)
    found = rotate(x, t, base, layout, turned=turned)
    expected = by_complex_numbers(x, t, base, layout, turned)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)
    np.testing.assert_array_equal(found[turned:], x[turned:])


@given(seed=seeds, t=places, d_head=widths, base=bases, layout=layouts)
def test_norms_are_kept_and_minus_t_turns_back(seed, t, d_head, base, layout):
    x = vectors(seed, 3, d_head)
    there = rotate(x, t, base, layout)
    norms = np.linalg.norm(there, axis=-1)
    np.testing.assert_allclose(norms, np.linalg.norm(x, axis=-1), rtol=1e-13)
    np.testing.assert_allclose(rotate(there, -t, base, layout), x, rtol=0, atol=1e-13)


@given(seed=seeds, t=places, k=places, d_head=widths, base=bases)
def test_the_score_depends_on_the_offset_only(seed, t, k, d_head, base):
    q, key = vectors(seed, 2, d_head)
    found = rotate(q, t + k, base) @ rotate(key, t, base)
    assert abs(score(q, key, k, base) - found) <= 1e-10


@given(seed=seeds, k=places, d_head=widths, base=bases)
def test_the_score_is_a_sum_over_the_pairs(seed, k, d_head, base):
    q, key = vectors(seed, 2, d_head).tolist()
    total = 0
    for i in range(d_head // 2):  # equation 12: Re(q k* e^(i w (m - n)))
        a, b = complex(*q[2 * i : 2 * i + 2]), complex(*key[2 * i : 2 * i + 2])
        total += (a * b.conjugate() * cmath.exp(1j * k / math.pow(base, 2 * i / d_head))).real
    assert abs(score(q, key, k, base) - total) <= 1e-11


def test_the_offset_is_query_minus_key():
    # the key is a quarter turn ahead of the query, which catches up as it moves on
    np.testing.assert_allclose(score([2, 0], [0, 3], [0, 1, -1]), 6 * np.sin([0, 1, -1]))
    assert np.ndim(score([2, 0], [0, 3], 1)) == 0 and score([1, 0], [1, 0], 0) == 1.0
    assert score([2, 0], [0, 3], [[1, 2, 3]]).shape == (1, 3)
    np.testing.assert_array_equal(
        score([2, 0], [0, 3], range(4)), score([2, 0], [0, 3], [0, 1, 2, 3])
    )
    coarse = np.float32([0.1, 0.2])
    assert score(coarse, coarse[::-1], 5) == score(coarse.tolist(), coarse[::-1].tolist(), 5)
    assert score(coarse, coarse, 5).dtype == np.float64


def test_a_vector_of_equal_pairs_has_the_kernel_of_the_sinusoids():
    q = np.tile([1.0, 0.0], 32)
    np.testing.assert_allclose(score(q, q, range(200)), relative.kernel(range(200), 64))


@given(seed=seeds, d_head=widths, half=st.integers(1, 16), base=bases, t=places)
def test_both_layouts_agree_after_conversion(seed, d_head, half, base, t):
    turned = min(2 * half, d_head)
    x, order = vectors(seed, 5, d_head), to_halves(d_head, turned)
    split = rotate(x[:, order], t, base, "halves", turned=turned)
    np.testing.assert_array_equal(split, rotate(x, t, base, turned=turned)[:, order])
    back = to_interleaved(d_head, turned)
    np.testing.assert_array_equal(x[:, order][:, back], x)
    assert sorted(order) == list(range(d_head))
    assert order[turned:].tolist() == list(range(turned, d_head))


def test_orders_by_hand():
    assert to_halves(8).tolist() == [0, 2, 4, 6, 1, 3, 5, 7]
    assert to_interleaved(8).tolist() == [0, 4, 1, 5, 2, 6, 3, 7]
    assert to_halves(2).tolist() == to_interleaved(2).tolist() == [0, 1]
    assert to_halves(8, 6).tolist() == [0, 2, 4, 1, 3, 5, 6, 7]
    assert to_interleaved(8, 6).tolist() == [0, 3, 1, 4, 2, 5, 6, 7]


@pytest.mark.parametrize(
    ("heads", "key_heads", "d_head", "turned"), [(4, 2, 6, None), (3, 1, 8, 6)]
)
def test_converted_weights_give_the_same_scores(heads, key_heads, d_head, turned):
    x = vectors(0, 7, 10)
    w_q, w_k = vectors(1, 10, heads * d_head), vectors(2, 10, key_heads * d_head)
    b_q = vectors(3, heads * d_head)

    def scores(w_q, b_q, w_k, layout):
        q = (x @ w_q + b_q).reshape(7, heads, d_head).swapaxes(0, 1)
        k = (x @ w_k).reshape(7, key_heads, d_head).swapaxes(0, 1).repeat(heads // key_heads, 0)
        q, k = (rotate(v, range(7), layout=layout, turned=turned) for v in (q, k))
        return q @ k.swapaxes(1, 2)

    expected = scores(w_q, b_q, w_k, "interleaved")
    converted = [
        convert_weights(w, "halves", heads=n, d_head=d_head, axis=-1, turned=turned)
        for w, n in ((w_q, heads), (b_q, heads), (w_k, key_heads))
    ]
    np.testing.assert_allclose(scores(*converted, "halves"), expected, rtol=0, atol=1e-12)
    assert np.abs(scores(w_q, b_q, w_k, "halves") - expected).max() > 1  # the bug of forgetting
    sizes = {"heads": heads, "d_head": d_head, "turned": turned}
    back = convert_weights(converted[0], "interleaved", axis=1, **sizes)
    np.testing.assert_array_equal(back, w_q)
    linear = convert_weights(w_q.T, "halves", axis=0, **sizes)  # as nn.Linear keeps it
    np.testing.assert_array_equal(linear.T, converted[0])


def test_each_head_is_converted_within_its_block():
    w = np.arange(24, dtype=np.int16).reshape(2, 12)
    found = convert_weights(w, "halves", heads=2, d_head=6, axis=-1)
    expected = np.empty_like(w)
    for head in range(2):
        for i in range(3):
            expected[:, 6 * head + i] = w[:, 6 * head + 2 * i]
            expected[:, 6 * head + 3 + i] = w[:, 6 * head + 2 * i + 1]
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == np.int16 and not np.shares_memory(found, w)


def test_weights_are_not_converted_with_a_number_of_heads_that_is_not_theirs():
    """Eight query heads, two key heads: what a program with one `heads` for both would do."""
    w_k = vectors(0, 512, 2 * 64)
    sizes = {"d_head": 64, "axis": -1}
    convert_weights(w_k, "halves", heads=2, **sizes)
    for wrong in (1, 4, 8):
        with pytest.raises(ValueError, match=rf"heads · d_head = {wrong} · 64 = .* \(512, 128\)"):
            convert_weights(w_k, "halves", heads=wrong, **sizes)
    with pytest.raises(ValueError, match=r"128 entries along axis 0, got shape \(512, 128\)"):
        convert_weights(w_k, "halves", heads=2, d_head=64, axis=0)  # not transposed
    with pytest.raises(TypeError):
        convert_weights(w_k, "halves", heads=2, d_head=64)  # the axis has no default


@pytest.mark.parametrize("turned", [None, 6])
def test_the_gains_of_a_norm_per_head_are_converted_as_well(turned):
    x, w = vectors(0, 5, 12), vectors(1, 12, 2 * 8)
    gain = vectors(2, 8)

    def keys(w, gain, layout):
        heads = (x @ w).reshape(5, 2, 8).swapaxes(0, 1)
        normed = heads / np.sqrt((heads**2).mean(-1, keepdims=True)) * gain
        return rotate(normed, range(5), layout=layout, turned=turned)

    def scores(*given):
        one = keys(*given)
        return one @ one.swapaxes(1, 2)

    sizes = {"d_head": 8, "axis": -1, "turned": turned}
    expected = scores(w, gain, "interleaved")
    w2 = convert_weights(w, "halves", heads=2, **sizes)
    gain2 = convert_weights(gain, "halves", heads=1, **sizes)
    np.testing.assert_allclose(scores(w2, gain2, "halves"), expected, rtol=0, atol=1e-12)
    assert np.abs(scores(w2, gain, "halves") - expected).max() > 0.5  # the gains forgotten


def test_positions_broadcast_over_the_leading_axes():
    x = vectors(0, 2, 3, 5, 8)  # batch, heads, length, d_head
    positions = np.array([[0, 1, 2, 3, 4], [-2, -1, 0, 1, 2]])[:, None]
    found = rotate(x, positions)
    for b, h, t in np.ndindex(2, 3, 5):
        np.testing.assert_array_equal(found[b, h, t], rotate(x[b, h, t], positions[b, 0, t]))
    np.testing.assert_array_equal(rotate(x, range(5))[1, 2], rotate(x[1, 2], range(5)))
    assert rotate(x[0, 0, 0], range(4)).shape == (4, 8)
    assert rotate(x[:, :, :0], range(0)).shape == (2, 3, 0, 8)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_precision_is_kept_and_input_left_alone(dtype):
    x = vectors(0, 9, 16).astype(dtype)
    kept, far = x.copy(), range(100_000, 100_009)
    found = rotate(x, far)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, rotate(x.astype(float), far).astype(dtype))
    np.testing.assert_array_equal(x, kept)
    assert rotate([1, 0], 1).dtype == np.float64
    np.testing.assert_array_equal(rotate(x, np.arange(9, dtype=np.int8)), rotate(x, range(9)))


def test_given_frequencies_take_the_place_of_the_base():
    x, w = vectors(0, 6, 8), frequencies(8)
    np.testing.assert_array_equal(rotate(x, range(6), 50.0, frequencies=w), rotate(x, range(6)))
    shrunk = rotate(x, range(6), frequencies=(w / 4).tolist())
    np.testing.assert_allclose(shrunk, rotate(x, np.arange(6) / 4), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(rotate(x, range(6), frequencies=[0, 0, 0, 0]), x)


def convert(weights, to="halves", heads=1, d_head=6, axis=-1, turned=None):
    return convert_weights(weights, to, heads=heads, d_head=d_head, axis=axis, turned=turned)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: rotate([1, 2, 3], 0), ValueError, r"vectors .* even d_head\), got \(3,\)"),
        (lambda: rotate(1.0, 0), ValueError, r"vectors .* got \(\)"),
        (lambda: rotate(np.ones((2, 0)), 0), ValueError, r"vectors .* got \(2, 0\)"),
        (lambda: rotate([1j, 2], 0), TypeError, "vectors must be integers or floats"),
        (lambda: rotate([1, math.nan], 0), ValueError, "vectors must be finite, got nan"),
        (lambda: rotate([1, 2], "0"), TypeError, "positions must be integers or floats"),
        (lambda: rotate([1, 2], math.inf), ValueError, "positions must be finite, got inf"),
        (lambda: rotate(np.ones((3, 2)), range(4)), ValueError, r"positions .* got shape \(4,\)"),
        (lambda: rotate([1, 2], 0, 1.0), ValueError, "base must be greater than 1, got 1.0"),
        (lambda: rotate([1, 2], 0, layout="half"), ValueError, "layout must be .* got 'half'"),
        (lambda: rotate([1, 2], 0, layout=None), ValueError, "layout must be .* got None"),
        (lambda: rotate([1, 2], 0, frequencies=[1, 2]), ValueError, r"shape \(1,\), got \(2,\)"),
        (lambda: rotate([1, 2], 0, frequencies=["a"]), TypeError, "frequencies must be"),
        (lambda: rotate([1, 2], 0, turned=4), ValueError, "turned .* d_head = 2, got 4"),
        (lambda: rotate([1] * 4, 0, turned=3), ValueError, "turned must be even .* got 3"),
        (lambda: rotate([1] * 4, 0, turned=0), ValueError, "turned must be at least 2, got 0"),
        (lambda: rotate([1] * 4, 0, turned=2.0), TypeError, "turned must be an integer, got 2.0"),
        (lambda: score([1, 2], [1, 2, 3, 4], 0), ValueError, r"query and key .* \(2,\), \(4,\)"),
        (lambda: score([[1, 2]], [[1, 2]], 0), ValueError, r"query and key .* \(1, 2\)"),
        (lambda: score([1, 2], [1], 0), ValueError, r"key must have shape .* got \(1,\)"),
        (lambda: score([1, 2], [1, 2], "far"), TypeError, "offset must be integers or floats"),
        (lambda: to_halves(5), ValueError, "d_head must be even .* got 5"),
        (lambda: to_halves(0), ValueError, "d_head must be at least 2, got 0"),
        (lambda: to_interleaved(True), TypeError, "d_head must be an integer, got True"),
        (lambda: to_halves(8, turned=10), ValueError, "turned .* at most d_head = 8, got 10"),
        (lambda: convert(np.ones((2, 12)), heads=4), ValueError, r"4 · 6 = 24 .* -1, .* \(2, 12\)"),
        (lambda: convert(np.ones((2, 0))), ValueError, r"1 · 6 = 6 .* got shape \(2, 0\)"),
        (lambda: convert(1.0), ValueError, r"got shape \(\)"),
        (lambda: convert(np.ones(6), axis=1), ValueError, r"6 entries along axis 1, .* \(6,\)"),
        (lambda: convert(np.ones(6), axis=-2), ValueError, r"along axis -2, .* \(6,\)"),
        (lambda: convert(np.ones(6), axis=None), TypeError, "axis must be an integer, got None"),
        (lambda: convert(np.ones(6), heads=0), ValueError, "heads must be at least 1"),
        (lambda: convert(np.ones(6), d_head=3), ValueError, "d_head must be even .* got 3"),
        (lambda: convert(np.ones(6), turned=8), ValueError, "turned .* d_head = 6, got 8"),
        (lambda: convert(np.ones(6), to="other"), ValueError, "to must be .* got 'other'"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


# the peers compute their angles in float32: at small positions they agree to 1e-6


@pytest.mark.peers
def test_agrees_with_transformers():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("transformers", reason="transformers is not installed")
    from transformers.models.gpt_neox import modeling_gpt_neox as neox
    from transformers.models.gptj import modeling_gptj as gptj
    from transformers.models.llama import modeling_llama as llama

    q, k = vectors(0, 2, 2, 3, 8, 16).astype(np.float32)
    positions = torch.arange(8)[None].expand(2, -1)

    rotary = llama.LlamaRotaryEmbedding(
        llama.LlamaConfig(
            hidden_size=48,
            num_attention_heads=3,
            head_dim=16,
            rope_parameters={"rope_type": "default", "rope_theta": 500_000.0},
        )
    )
    tensors = torch.tensor(q), torch.tensor(k)
    theirs = llama.apply_rotary_pos_emb(*tensors, *rotary(tensors[0], positions))
    for vector, found in zip((q, k), theirs, strict=True):
        ours = rotate(vector, range(8), 500_000.0, "halves")
        np.testing.assert_allclose(ours, found.numpy(), rtol=0, atol=1e-6)

    rotary = neox.GPTNeoXRotaryEmbedding(
        neox.GPTNeoXConfig(
            hidden_size=48,
            num_attention_heads=3,
            rope_parameters={
                "rope_type": "default",
                "rope_theta": 10_000.0,
                "partial_rotary_factor": 0.25,
            },
        )
    )
    theirs = neox.apply_rotary_pos_emb(*tensors, *rotary(tensors[0], positions))
    for vector, found in zip((q, k), theirs, strict=True):
        ours = rotate(vector, range(8), layout="halves", turned=4)
        np.testing.assert_allclose(ours, found.numpy(), rtol=0, atol=1e-6)

    sin, cos = gptj.create_sinusoidal_positions(8, 16)[None].chunk(2, dim=-1)
    found = gptj.apply_rotary_pos_emb(tensors[0].swapaxes(1, 2), sin, cos).swapaxes(1, 2)
    np.testing.assert_allclose(rotate(q, range(8)), found.numpy(), rtol=0, atol=1e-6)


@pytest.mark.peers
@pytest.mark.parametrize("turned", [16, 8])
def test_agrees_with_rotary_embedding_torch(turned):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    peer = pytest.importorskip(
        "rotary_embedding_torch", reason="rotary-embedding-torch is not installed"
    )
    x = vectors(0, 2, 3, 8, 16).astype(np.float32)
    theirs = peer.RotaryEmbedding(turned).rotate_queries_or_keys(torch.tensor(x))
    ours = rotate(x, range(8), turned=turned)
    np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=0, atol=1e-6)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_an_array_of_ones_own_is_filled_even_in_place(layout, dtype):
    x = vectors(0, 3, 5, 8).astype(dtype)
    expected = rotate(x, range(5), layout=layout, turned=6)
    assert expected.dtype == x.dtype
    apart = np.zeros((3, 5, 8, 2), dtype)[..., 0]
    assert rotate(x, range(5), layout=layout, turned=6, out=apart) is apart
    np.testing.assert_array_equal(apart, expected)
    across = np.ascontiguousarray(x.swapaxes(0, 2)).swapaxes(0, 2)  # the last axis is not the last
    np.testing.assert_array_equal(rotate(across, range(5), layout=layout, turned=6), expected)
    assert rotate(x, range(5), layout=layout, turned=6, out=x) is x
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_a_score_in_any_layout_and_spacing_is_that_of_turned_vectors(layout):
    (q, k), w = vectors(0, 2, 8), [1.0, 0.3, 0.2, 0.0]
    apart = [rotate(q, 9, 1.5, layout, w) @ rotate(k, 9 - offset, 1.5, layout, w)
             for offset in range(-5, 6)]  # fmt: skip
    np.testing.assert_allclose(score(q, k, range(-5, 6), 1.5, layout, w), apart, rtol=1e-12)
