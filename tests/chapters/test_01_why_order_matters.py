"""Facts and definitions of chapter 1, against the library and by plain counting."""

import numpy as np
import pytest
from cells import executed

from pe_lib.attention import attention


@pytest.fixture(scope="module")
def chapter():
    return executed("01-why-order-matters")


@pytest.mark.parametrize("causal", [False, True])
def test_its_attention_is_the_library_s(chapter, causal):
    x, weights = chapter["X"], chapter["W"]
    expected = attention(*(x @ w for w in weights), causal=causal)
    np.testing.assert_allclose(
        chapter["attention"](x, *weights, causal=causal), expected, atol=1e-12
    )


def test_its_binary_digits_are_python_s(chapter):
    for t, digits in enumerate(chapter["binary"](np.arange(64), 6)):
        assert "".join(map(str, digits[::-1])) == f"{t:06b}"


def test_the_checklist(chapter):
    failed = {
        name: {wish for wish, ok in chapter["score"](f).items() if not ok}
        for name, f in chapter["ideas"].items()
    }
    assert failed == {
        "integers": {"bounded", "linear offset"},
        "normalised": {"any length", "linear offset"},
        "binary": {"equal steps", "any length", "linear offset"},
        "random": {"bounded", "equal steps", "any length", "deterministic", "linear offset"},
        "sinusoidal": set(),
    }
