"""What chapter 2 claims, by other ways than its own, and what was recorded for it."""

import json
import math
import re

import numpy as np
import pytest
from cells import CHAPTERS, said

from pe_lib import encode

SCALES = json.loads((CHAPTERS / "data" / "scale.json").read_text("utf-8"))


def test_every_bit_is_the_sign_of_its_sine():
    for t in range(1024):
        signs = [math.sin(2 * math.pi * (t + 0.5) / 2 ** (b + 1)) < 0 for b in range(9, -1, -1)]
        assert "".join(str(int(sign)) for sign in signs) == f"{t:010b}"


@pytest.mark.parametrize(
    ("length", "shown"),
    [(64, {1e4: 2.1, 1e8: 3.3, 1e2: 1.3}), (2048, {1e4: 67, 1e8: 106, 1e2: 582})],
)  # fmt: skip
def test_which_spread_of_speeds_suffers_depends_on_the_length(length, shown):
    """The best linear reading under noise, as the regularised least squares it is."""
    for base, number in shown.items():
        x = encode(range(length), 32, base)
        x = x - x.mean(axis=0)
        t = np.arange(length) - (length - 1) / 2
        rows = np.vstack([x / math.sqrt(length), 0.1 * np.eye(32)])  # noise as 32 more equations
        _, missed, *_ = np.linalg.lstsq(rows, np.append(t / math.sqrt(length), np.zeros(32)))
        assert math.sqrt(missed[0]) == pytest.approx(number, abs=0.05 if length == 64 else 0.5)


def test_training_mends_the_scale_where_positions_are_added_and_only_there():
    ends = {
        (e["scheme"], e["scale"]): {part: np.array([run[part] for run in e["runs"]])
                                    for part in e["runs"][0]}
        for e in SCALES
    }  # fmt: skip
    added, control = ends["sinusoidal", 0.02], ends["rotary", 0.02]
    for (scheme, scale), end in ends.items():
        if scheme == "sinusoidal" or scale < 1:
            assert (end["right"][:, 1] >= 0.999).all()
    poor = np.sort(ends["rotary", 1.0]["right"][:, 1])  # two of five seeds
    assert (abs(poor[:2] - 0.8) < 0.03).all() and (poor[2:] > 0.98).all()
    length, named = added["length"][:, 1], 100 * added["named"][:, 1]
    text = said("02-the-formula", f"{length.min():.2f} to {length.max():.2f}, and the reader")
    assert f"between {named.min():.0f} and {named.max():.0f} %" in text
    assert f"to {control['length'][:, 1].max():.2f} at most" in text
    longer = [np.median(part["length"][:, 1] / part["length"][:, 0]) for part in (added, control)]
    assert [round(factor) for factor in longer] == [7, 2]
    assert np.ptp(control["named"], axis=1).max() < 0.03 and control["named"].max() < 0.05


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
