"""Test the claims of chapter 2 by independent methods."""

import math
import re

import numpy as np
import pytest
from cells import said

from pe_lib import encode


def test_every_bit_is_the_sign_of_its_sine():
    for t in range(1024):
        signs = [math.sin(2 * math.pi * (t + 0.5) / 2 ** (b + 1)) < 0 for b in range(9, -1, -1)]
        assert "".join(str(int(sign)) for sign in signs) == f"{t:010b}"


@pytest.mark.peers
def test_the_pytorch_code_in_the_text_runs_and_agrees():
    torch = pytest.importorskip("torch", reason="torch is not installed: run: make peers")
    text = said("02-the-formula", "class AddPositions")
    (snippet,) = re.findall(r"```python\n(import torch.+?)```", text, re.DOTALL)
    names = {}
    exec(snippet, names)
    table = names["sinusoidal_table"](5000, 64)
    assert table.dtype == torch.float32
    np.testing.assert_allclose(table.numpy(), encode(range(5000), 64), rtol=0, atol=6e-8)
    layer = names["AddPositions"](64, 5000)
    x = torch.randn(3, 17, 64, generator=torch.Generator().manual_seed(0))
    expected = x.numpy() + encode(range(17), 64)
    np.testing.assert_allclose(layer(x).numpy(), expected, rtol=0, atol=1e-6)
    assert not list(layer.parameters()) and not layer.state_dict()
