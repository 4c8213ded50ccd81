"""Arrays of other libraries: turned where they are, gradients and all, or refused by name."""

import numpy as np
import pytest

from pe_lib import encode, grid, kernel, position_from_encoding, rotary, shift

CALLS = {
    "interleaved": lambda x: rotary.rotate(x, range(5)),
    "halves": lambda x: rotary.rotate(x, range(5), layout="halves"),
    "partly": lambda x: rotary.rotate(x, [[0], [7]], turned=4),
    "shifted": lambda x: shift(x, [3, 1, 4, 1, 5]),
    "grid": lambda x: grid.rotate_grid(x, range(5), 2),
}
X = np.random.default_rng(0).standard_normal((2, 3, 5, 8))
X[1:] = X[:1]


@pytest.fixture(params=CALLS)
def call(request):
    turned = CALLS[request.param]
    return lambda x: turned(x[:, 0, ...] if request.param == "partly" else x)


@pytest.mark.peers
def test_the_array_api_standard_is_enough(call):
    xp = pytest.importorskip("array_api_strict", reason="array-api-strict is not installed")
    found = call(xp.asarray(X))
    assert type(found) is type(xp.asarray(X))
    np.testing.assert_allclose(np.asarray(found), call(X), rtol=0, atol=1e-14)


@pytest.mark.peers
def test_torch_keeps_its_tensors_their_precision_and_gradients(call):
    torch = pytest.importorskip("torch", reason="torch is not installed")
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


@pytest.mark.peers
def test_jax_traces_and_differentiates(call):
    jax = pytest.importorskip("jax", reason="jax is not installed")
    x = jax.numpy.asarray(X, "float32")
    np.testing.assert_allclose(jax.jit(call)(x), call(X), rtol=0, atol=1e-6)
    slope = jax.grad(lambda x: (call(x) ** 2).sum())(x)
    np.testing.assert_allclose(call(slope), call(2 * x), rtol=0, atol=1e-5)
    assert call(x.astype("bfloat16")).dtype == "bfloat16"


@pytest.mark.peers
def test_elsewhere_tensors_are_read_once_or_refused_by_name():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    jax = pytest.importorskip("jax", reason="jax is not installed")
    for ids in (torch.arange(5), jax.numpy.arange(5)):
        np.testing.assert_array_equal(encode(ids, 8), encode(range(5), 8))
        np.testing.assert_array_equal(kernel(ids, 8), kernel(range(5), 8))
        found = rotary.rotate(torch.ones(5, 8), ids)
        np.testing.assert_allclose(found, rotary.rotate(np.ones((5, 8)), range(5)), atol=1e-6)
    np.testing.assert_array_equal(position_from_encoding(torch.tensor(encode([3, 1], 8))), [3, 1])
    learned = torch.arange(5.0, requires_grad=True)
    for wrong in (
        lambda: encode(learned, 8),
        lambda: rotary.rotate(torch.ones(5, 8), learned),
        lambda: jax.jit(lambda t: encode(t, 8))(jax.numpy.arange(5)),
        lambda: jax.grad(lambda t: encode(t, 8).sum())(3.0),
    ):
        with pytest.raises(TypeError, match=r"^positions must be an array that numpy can"):
            wrong()
    ints = torch.ones(5, 8, dtype=torch.int64)
    with pytest.raises(TypeError, match=r"vectors must be floats, got an array of torch.int64"):
        rotary.rotate(ints, range(5))
    with pytest.raises(TypeError, match="out must be None"):
        rotary.rotate(torch.ones(5, 8), range(5), out=np.ones((5, 8)))
    with pytest.raises(ValueError, match=r"positions must broadcast .* \(5,\), got shape \(4,\)"):
        rotary.rotate(torch.ones(5, 8), range(4))


def test_without_them_nothing_is_imported():
    import subprocess
    import sys

    code = (
        "import sys, numpy as np, pe_lib; pe_lib.rotary.rotate(np.ones(2), 1);"
        "print({'torch', 'jax'} & {*sys.modules})"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "set()\n"
