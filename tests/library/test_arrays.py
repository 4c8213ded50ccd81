"""Test that arrays from other libraries keep their type and gradients, or raise a clear error."""

import numpy as np
import pytest

from pe_lib import biases, encode, grid, kernel, position_from_encoding, rotary, shift

pytestmark = pytest.mark.peers
CALLS = {
    "interleaved": lambda x: rotary.rotate(x, range(5)),
    "halves": lambda x: rotary.rotate(x, range(5), layout="halves"),
    "partly": lambda x: rotary.rotate(x[:, 0, ...], [[0], [7]], turned=4),
    "shifted": lambda x: shift(x, [3, 1, 4, 1, 5]),
    "grid": lambda x: grid.rotate_grid(x, range(5), 2),
}
X = np.random.default_rng(0).standard_normal((2, 3, 5, 8))
X[1:] = X[:1]
call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


@call
def test_the_array_api_standard_is_enough(call):
    import array_api_strict as xp

    result = call(xp.asarray(X))
    assert type(result) is type(xp.asarray(X))
    np.testing.assert_allclose(np.asarray(result), call(X), rtol=0, atol=1e-14)


@call
def test_torch_keeps_its_tensors_their_precision_and_gradients(call):
    import torch

    x = torch.tensor(X, requires_grad=True)
    result = call(x)
    np.testing.assert_allclose(result.detach().numpy(), call(X), rtol=0, atol=1e-14)
    # The sum of squares has the gradient 2x, because a rotation preserves lengths.
    result.square().sum().backward()
    assert torch.allclose(call(x.grad), call(2 * x.detach()))
    for kind, atol in ((torch.float32, 1e-6), (torch.float16, 4e-3), (torch.bfloat16, 3e-2)):
        narrow = x.detach().to(kind)
        assert call(narrow).dtype == kind
        exact = call(narrow.double().numpy())
        np.testing.assert_allclose(call(narrow).double().numpy(), exact, rtol=0, atol=atol)


@call
def test_jax_traces_and_differentiates(call):
    import jax

    x = jax.numpy.asarray(X, "float32")
    np.testing.assert_allclose(jax.jit(call)(x), call(X), rtol=0, atol=1e-6)
    slope = jax.grad(lambda x: (call(x) ** 2).sum())(x)
    np.testing.assert_allclose(call(slope), call(2 * x), rtol=0, atol=1e-5)
    assert call(x.astype("bfloat16")).dtype == "bfloat16"


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("turned", [None, 4])
def test_torch_compiles_a_rotation_as_one_graph(layout, turned):
    import torch

    x, w = torch.tensor(X, requires_grad=True), [1.0, 0.5]
    ids = torch.arange(3, 13).reshape(2, 1, 5)
    spaced = {"base": 100} if turned is None else {"frequencies": w}
    scaled = {"amplitude": 1.5, **spaced}
    for positions, more in ((range(5), {}), (ids, spaced), ([4, 3, 2, 1, 0], {}), (ids, scaled)):
        options = {"layout": layout, "turned": turned, **more}

        def rotate_vectors(x, positions, options=options):
            return rotary.rotate(x, positions, **options)

        compiled = torch.compile(rotate_vectors, fullgraph=True, backend="aot_eager")
        result = compiled(x, positions)
        torch.testing.assert_close(result, rotate_vectors(x, positions), rtol=0, atol=2e-15)
        (gradient,) = torch.autograd.grad(result.square().sum(), x)
        expected = 2 * x  # A rotation preserves lengths.
        expected = torch.cat([more.get("amplitude", 1) ** 2 * expected[..., :turned],
                              expected[..., 8 if turned is None else turned :]], -1)  # fmt: skip
        assert torch.allclose(gradient, expected)
        torch.compiler.reset()


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
def test_a_checkpoints_tensors_are_reordered_resized_and_decoded(kind):
    import jax
    import torch

    dtype = getattr(torch, kind)
    table = torch.tensor(X[0].reshape(15, 8), dtype=dtype)
    sizes = {"heads": 3, "d_head": 5 - 1, "axis": 0}
    for move in (
        lambda x: rotary.convert_weights(x[:12], "halves", **sizes),
        lambda x: grid.resized(x, (2, 7), (3, 9), extra=1),
        lambda x: biases.t5_bias(9, x),
    ):
        expected = move(table.double().numpy())
        for tensor in (table, jax.numpy.asarray(table.float().numpy(), kind)):
            result = move(tensor)
            assert type(result) is type(tensor) and result.dtype == tensor.dtype
            close = np.asarray(result.float() if tensor is table else result, float)
            np.testing.assert_allclose(close, expected, atol=8 * torch.finfo(dtype).eps)
    k = [0, 5, 700, 40_000]
    pe = torch.tensor(encode(k, 64)).to(dtype)
    for tensor in (pe, jax.numpy.asarray(pe.float().numpy(), kind)):
        np.testing.assert_array_equal(position_from_encoding(tensor), k)
        result = position_from_encoding(tensor, max_position=50_000)
        np.testing.assert_array_equal(result, k)


@pytest.mark.parametrize("method", ["bicubic", "bilinear"])
@pytest.mark.parametrize("new", [(24, 24), (5, 31), (13, 14), (1, 2)])
def test_a_table_is_resized_as_torch_does(method, new):
    import torch

    old, extra = (14, 9), 2
    table = torch.randn(extra + 14 * 9, 6, dtype=torch.float64, requires_grad=True)
    picture = table[extra:].T.reshape(1, 6, *old)
    expected = torch.nn.functional.interpolate(picture, new, mode=method, align_corners=False)
    result = grid.resized(table, old, new, method, extra=extra)
    assert torch.equal(result[:extra], table[:extra])
    assert torch.allclose(result[extra:], expected[0].flatten(1).T, rtol=0, atol=1e-12)
    (gradient,) = torch.autograd.grad(result.sum(), table)
    assert gradient.shape == table.shape


def test_elsewhere_tensors_are_read_once_or_refused_by_name():
    import jax
    import torch

    for ids in (torch.arange(5), jax.numpy.arange(5)):
        np.testing.assert_array_equal(encode(ids, 8), encode(range(5), 8))
        np.testing.assert_array_equal(kernel(ids, 8), kernel(range(5), 8))
        result = rotary.rotate(torch.ones(5, 8), ids)
        np.testing.assert_allclose(result, rotary.rotate(np.ones((5, 8)), range(5)), atol=1e-6)
    np.testing.assert_array_equal(position_from_encoding(torch.tensor(encode([3, 1], 8))), [3, 1])
    learned, ones = torch.arange(5.0, requires_grad=True), torch.ones(5, 8)
    unread = "positions must be an array that numpy can"
    for error, message, wrong in (
        (TypeError, unread, lambda: encode(learned, 8)),
        (TypeError, unread, lambda: rotary.rotate(ones, learned)),
        (TypeError, unread, lambda: jax.jit(lambda t: encode(t, 8))(jax.numpy.arange(5))),
        (TypeError, unread, lambda: jax.grad(lambda t: encode(t, 8).sum())(3.0)),
        (TypeError, "vectors must be floats, got", lambda: rotary.rotate(ones.long(), range(5))),
        (ValueError, "dtype must be numpy's", lambda: encode(3, 8, dtype=torch.float32)),
        (TypeError, "out must be None", lambda: rotary.rotate(ones, range(5), out=np.ones((5, 8)))),
        (ValueError, "positions must broadcast", lambda: rotary.rotate(ones, range(4))),
    ):
        with pytest.raises(error, match=f"^{message}"):
            wrong()
