"""Arrays of other libraries: turned where they are, gradients and all, or refused by name."""

import numpy as np
import pytest

from pe_lib import encode, grid, kernel, position_from_encoding, rotary, shift

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

    found = call(xp.asarray(X))
    assert type(found) is type(xp.asarray(X))
    np.testing.assert_allclose(np.asarray(found), call(X), rtol=0, atol=1e-14)


@call
def test_torch_keeps_its_tensors_their_precision_and_gradients(call):
    import torch

    x = torch.tensor(X, requires_grad=True)
    found = call(x)
    np.testing.assert_allclose(found.detach().numpy(), call(X), rtol=0, atol=1e-14)
    found.square().sum().backward()  # a rotation keeps lengths: the gradient is 2x
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


def test_elsewhere_tensors_are_read_once_or_refused_by_name():
    import jax
    import torch

    for ids in (torch.arange(5), jax.numpy.arange(5)):
        np.testing.assert_array_equal(encode(ids, 8), encode(range(5), 8))
        np.testing.assert_array_equal(kernel(ids, 8), kernel(range(5), 8))
        found = rotary.rotate(torch.ones(5, 8), ids)
        np.testing.assert_allclose(found, rotary.rotate(np.ones((5, 8)), range(5)), atol=1e-6)
    np.testing.assert_array_equal(position_from_encoding(torch.tensor(encode([3, 1], 8))), [3, 1])
    learned, ones = torch.arange(5.0, requires_grad=True), torch.ones(5, 8)
    unread = "positions must be an array that numpy can"
    for error, message, wrong in (
        (TypeError, unread, lambda: encode(learned, 8)),
        (TypeError, unread, lambda: rotary.rotate(ones, learned)),
        (TypeError, unread, lambda: jax.jit(lambda t: encode(t, 8))(jax.numpy.arange(5))),
        (TypeError, unread, lambda: jax.grad(lambda t: encode(t, 8).sum())(3.0)),
        (TypeError, "vectors must be floats, got", lambda: rotary.rotate(ones.long(), range(5))),
        (TypeError, "out must be None", lambda: rotary.rotate(ones, range(5), out=np.ones((5, 8)))),
        (ValueError, "positions must broadcast", lambda: rotary.rotate(ones, range(4))),
    ):
        with pytest.raises(error, match=f"^{message}"):
            wrong()
