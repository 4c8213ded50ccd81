"""Patches of a grid against plain loops, complex numbers and the encodings on a line."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_lib import encode, kernel, rotation
from pe_lib.grid import (
    encode_grid,
    grid_frequencies,
    grid_kernel,
    interleaved,
    rotate_axes,
    rotate_grid,
    sections,
)
from pe_lib.rotary import rotate

widths = st.integers(1, 8).map(lambda n: 4 * n)
bases = st.floats(1.5, 1e6)
places = st.one_of(st.integers(-500, 500), st.floats(-500, 500))
turns = st.floats(-7, 7)
seeds = st.integers(0, 2**32 - 1)


def directions(d_model, base, angle):
    """Frequency vectors as complex numbers, rows real and columns imaginary, one by one."""
    n = d_model // 4
    lengths = [math.pow(base, -i / n) for i in range(n)]
    return [cmath.rect(w, angle) for w in lengths] + [1j * cmath.rect(w, angle) for w in lengths]


def test_frequencies_by_hand():
    plain = [[1, 0], [0.1, 0], [0, 1], [0, 0.1]]
    np.testing.assert_allclose(grid_frequencies(8, 100), plain, rtol=1e-15)
    quarter = grid_frequencies(8, 100, math.pi / 2)  # rows become columns, columns minus rows
    np.testing.assert_allclose(quarter, [[0, 1], [0, 0.1], [-1, 0], [-0.1, 0]], atol=1e-15)
    one = grid_frequencies(8, 100, [0, math.pi / 2])  # only the slow pairs turned
    np.testing.assert_allclose(one, [[1, 0], [0, 0.1], [0, 1], [-0.1, 0]], atol=1e-15)


@given(d_model=widths, base=bases, angle=turns)
def test_frequencies_are_complex_numbers_turned(d_model, base, angle):
    expected = [[z.real, z.imag] for z in directions(d_model, base, angle)]
    np.testing.assert_allclose(grid_frequencies(d_model, base, angle), expected, atol=1e-12)


@given(r=places, c=places, d_model=widths, base=bases, angle=turns)
def test_an_encoding_is_sines_and_cosines_one_by_one(r, c, d_model, base, angle):
    found = encode_grid(r, c, d_model, base, angle)
    for pair, z in enumerate(directions(d_model, base, angle)):
        turned = z.real * r + z.imag * c
        expected = math.sin(turned), math.cos(turned)
        np.testing.assert_allclose(found[2 * pair : 2 * pair + 2], expected, atol=1e-11)


@given(r=places, c=places, d_model=widths, base=bases)
def test_axial_halves_are_encodings_on_a_line(r, c, d_model, base):
    found = encode_grid(r, c, d_model, base)
    np.testing.assert_allclose(found[: d_model // 2], encode(r, d_model // 2, base), atol=1e-12)
    np.testing.assert_allclose(found[d_model // 2 :], encode(c, d_model // 2, base), atol=1e-12)


@given(patch=st.tuples(places, places), k=st.tuples(places, places), angle=turns)
def test_a_dot_product_knows_the_offsets_alone(patch, k, angle):
    (r, c), (down, right) = patch, k
    here, there = encode_grid([r, r + down], [c, c + right], 16, 100, angle)
    assert grid_kernel(down, right, 16, 100, angle) == pytest.approx(here @ there, abs=1e-9)


@given(down=places, right=places, d_model=widths, base=bases)
def test_the_axial_kernel_is_a_sum_of_two(down, right, d_model, base):
    expected = kernel(down, d_model // 2, base) + kernel(right, d_model // 2, base)
    assert grid_kernel(down, right, d_model, base) == pytest.approx(expected, abs=1e-10)


@given(seed=seeds, r=places, c=places, d_head=widths, base=bases, angle=turns)
def test_turning_is_a_product_of_complex_numbers(seed, r, c, d_head, base, angle):
    x = np.random.default_rng(seed).standard_normal(d_head)
    found = rotate_grid(x, r, c, base, angle)
    for pair, z in enumerate(directions(d_head, base, angle)):
        turned = complex(x[2 * pair], x[2 * pair + 1]) * cmath.exp(1j * (z.real * r + z.imag * c))
        expected = turned.real, turned.imag
        np.testing.assert_allclose(found[2 * pair : 2 * pair + 2], expected, atol=1e-10)


@given(seed=seeds, r=places, c=places, d_head=widths)
def test_axial_rotary_halves_are_turned_on_their_lines(seed, r, c, d_head):
    x = np.random.default_rng(seed).standard_normal(d_head)
    expected = [rotate(x[: d_head // 2], r), rotate(x[d_head // 2 :], c)]
    np.testing.assert_allclose(rotate_grid(x, r, c), np.concatenate(expected), atol=1e-12)


@given(seed=seeds, r=places, c=places, down=places, right=places, angle=turns)
def test_a_score_of_turned_vectors_knows_the_offsets_alone(seed, r, c, down, right, angle):
    q, k = np.random.default_rng(seed).standard_normal((2, 16))
    moved = rotate_grid(q, r, c, 100, angle) @ rotate_grid(k, r + down, c + right, 100, angle)
    assert moved == pytest.approx(q @ rotate_grid(k, down, right, 100, angle), abs=1e-9)


def test_moving_a_patch_is_two_rotations():
    matrix = np.zeros((16, 16))
    matrix[:8, :8], matrix[8:, 8:] = rotation(3, 8), rotation(-2, 8)
    np.testing.assert_allclose(matrix @ encode_grid(4, 9, 16), encode_grid(7, 7, 16), atol=1e-12)


def test_rows_and_columns_broadcast():
    grid = encode_grid(np.arange(3)[:, None], range(5), 8)
    assert grid.shape == (3, 5, 8)
    np.testing.assert_array_equal(grid[2, 4], encode_grid(2, 4, 8))
    listed = encode_grid(*np.divmod(np.arange(15), 5), 8)
    np.testing.assert_array_equal(listed.reshape(3, 5, 8), grid)
    assert grid_kernel(np.arange(3)[:, None], range(5), 8).shape == (3, 5)
    assert np.ndim(grid_kernel(0, 0, 8)) == 0 and grid_kernel(0, 0, 8) == 4.0
    x = np.ones((2, 15, 8), np.float32)  # two heads
    turned = rotate_grid(x, *np.divmod(np.arange(15), 5))
    assert turned.shape == x.shape and turned.dtype == np.float32
    np.testing.assert_allclose(turned[1, 9], rotate_grid(x[1, 9], 1, 4), atol=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: grid_frequencies(6), ValueError, "d_model must be a multiple of 4 .*, got 6"),
        (lambda: grid_frequencies(0), ValueError, "d_model must be at least 1, got 0"),
        (lambda: grid_frequencies(8.0), TypeError, "d_model must be an integer"),
        (lambda: grid_frequencies(8, 1), ValueError, "base must be greater than 1"),
        (lambda: grid_frequencies(8, angle=[1] * 3), ValueError, r"angle must .* \(2,\), got \(3,"),
        (lambda: grid_frequencies(8, angle="up"), TypeError, "angle must be integers or floats"),
        (lambda: encode_grid("1", 2, 8), TypeError, "rows must be integers or floats"),
        (lambda: encode_grid(1, math.inf, 8), ValueError, "columns must be finite"),
        (lambda: encode_grid([1, 2], [1] * 3, 8), ValueError, r"columns must broadcast .* \(2,\)"),
        (lambda: grid_kernel(1, 2, 10), ValueError, "d_model must be a multiple of 4"),
        (lambda: rotate_grid(np.ones(6), 1, 2), ValueError, "vectors must have shape"),
        (lambda: rotate_grid(3.0, 1, 2), ValueError, "vectors must have shape"),
        (lambda: rotate_grid(np.ones((2, 0)), 1, 2), ValueError, "vectors must have shape"),
        (lambda: rotate_grid(np.ones((2, 8)), [1] * 3, 2), ValueError, "rows must broadcast"),
        (lambda: sections([2, -1]), ValueError, "shares must be at least 0, got -1"),
        (lambda: sections([]), ValueError, r"shares must hold at least one pair, got \[\]"),
        (lambda: interleaved([0, 0]), ValueError, "shares must hold at least one pair"),
        (lambda: interleaved([2, 3]), ValueError, r"axis 1 .* the last, 4, got \[2, 3\]"),
        (lambda: rotate_axes(np.ones(4), [1, 2], [0]), ValueError, r"axes .* 2 integers, .* \(1,"),
        (lambda: rotate_axes(np.ones(4), [1, 2], [0, 0.5]), ValueError, "axes must be 2 integers"),
        (lambda: rotate_axes(np.ones(4), [1, 2], [0, 2]), ValueError, "an axis for each of 0 to 2"),
        (lambda: rotate_axes(np.ones(4), 1, [0, 0]), ValueError, r"places .* got shape \(\)"),
        (lambda: rotate_axes(np.ones(3), [1], [0]), ValueError, "vectors must have shape"),
        (lambda: rotate_axes(np.ones((2, 4)), np.ones((3, 1)), [0, 0]), ValueError,
         "places must broadcast"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("angle", [0.0, 0.3])
def test_a_lower_precision_is_rounded_once(angle):
    rows, columns = np.arange(9)[:, None], np.arange(7)
    full = encode_grid(rows, columns, 16, angle=angle)
    x = np.random.default_rng(0).standard_normal((9, 7, 16)).astype(np.float16)
    turned = rotate_grid(x.astype(np.float64), rows, columns, angle=angle)
    for dtype in (np.float32, np.float16):
        table = encode_grid(rows, columns, 16, angle=angle, dtype=dtype)
        np.testing.assert_array_equal(table, full.astype(dtype))
    np.testing.assert_array_equal(
        rotate_grid(x, rows, columns, angle=angle), turned.astype(np.float16)
    )


@pytest.mark.parametrize("shares", [[16, 24, 24], [3, 1], [5], [0, 2, 1]])
def test_sections_are_runs_in_the_order_of_the_axes(shares):
    axes = sections(shares)
    assert axes.tolist() == [a for a, count in enumerate(shares) for _ in range(count)]


@pytest.mark.parametrize("shares", [[24, 20, 20], [4, 4, 4], [5, 2, 3], [3, 1], [5], [4, 0, 2]])
def test_interleaved_axes_take_turns_while_they_have_pairs(shares):
    """Pair by pair: the axis whose turn it is, or the first if it has had all its own."""
    left, expected = list(shares), []
    for pair in range(sum(shares)):
        axis = pair % len(shares)
        expected.append(axis if axis and left[axis] else 0)
        left[expected[-1]] -= 1
    assert not any(left)
    assert interleaved(shares).tolist() == expected


@given(seeds, st.sampled_from(["interleaved", "halves"]))
def test_each_pair_turns_by_its_axis(seed, layout):
    rng = np.random.default_rng(seed)
    x, places = rng.standard_normal((2, 3, 8)), rng.integers(-50, 50, (3, 3))
    axes, w = rng.integers(0, 3, 4), rng.uniform(0.001, 1, 4)
    found = rotate_axes(x, places, axes, layout=layout, frequencies=w)
    for n, t, i in np.ndindex(2, 3, 4):
        a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + 4)
        z = complex(x[n, t, a], x[n, t, b]) * cmath.exp(1j * w[i] * int(places[t, axes[i]]))
        assert complex(found[n, t, a], found[n, t, b]) == pytest.approx(z, abs=1e-12)
    words = np.repeat([[7], [8], [900]], 3, axis=1)  # the same place on all axes
    np.testing.assert_allclose(
        rotate_axes(x, words, axes, 500.0, layout),
        rotate(x, [7, 8, 900], 500.0, layout),
        atol=1e-11,
    )


@pytest.mark.peers
@pytest.mark.parametrize("name", ["qwen2_vl", "qwen3_vl"])
def test_shares_of_frame_row_and_column_are_those_of_qwen(name):
    torch = pytest.importorskip("torch", reason="torch is not installed: run: make peers")
    pytest.importorskip("transformers", reason="transformers is not installed: run: make peers")
    if name == "qwen2_vl":
        from transformers.models.qwen2_vl import modeling_qwen2_vl as model
        from transformers.models.qwen2_vl.configuration_qwen2_vl import Qwen2VLTextConfig as Config

        rotary, axes, more = model.Qwen2VLRotaryEmbedding, sections([16, 24, 24]), [16, 24, 24]
    else:
        from transformers.models.qwen3_vl import modeling_qwen3_vl as model
        from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLTextConfig as Config

        rotary, axes, more = (
            model.Qwen3VLTextRotaryEmbedding, interleaved([24, 20, 20]), [24, 20, 20],
        )  # fmt: skip
    parameters = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": more}
    config = Config(hidden_size=256, num_attention_heads=2, num_key_value_heads=2, head_dim=128,
                    rope_parameters=parameters)  # fmt: skip
    rng = np.random.default_rng(3)
    q = rng.standard_normal((1, 2, 5, 128)).astype(np.float32)
    places = rng.integers(0, 40, (5, 3))
    cos, sin = rotary(config)(torch.tensor(q), torch.tensor(places.T[:, None]))
    tensor = torch.tensor(q)
    theirs, _ = model.apply_rotary_pos_emb(tensor, tensor, cos, sin)
    ours = rotate_axes(q, places, axes, 1e6, "halves")
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=2e-5)
