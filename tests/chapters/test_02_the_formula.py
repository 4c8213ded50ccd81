"""What chapter 2 builds in front of the reader is what the library does, and what it says is so."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cells import functions

from pe_lib import encode, frequencies, wavelengths
from tools.notebooks import ROOT, read

CHAPTER = read(ROOT / "chapters" / "02-the-formula.ipynb")
PROSE = "\n".join(c.source for c in CHAPTER.cells if c.cell_type == "markdown")


@pytest.fixture(scope="module")
def built() -> dict[str, Any]:
    """The functions that the chapter defines, by name."""
    return functions("02-the-formula", np=np)


def naive(position: float, dimension: int, exponent: float) -> float:
    angle = position / 10_000.0**exponent
    return math.cos(angle) if dimension % 2 else math.sin(angle)


@pytest.mark.parametrize("d_model", [2, 4, 8, 64, 512])
def test_the_function_built_in_the_chapter_is_the_librarys(
    built: dict[str, Any], d_model: int
) -> None:
    for base in (10_000.0, 100.0):
        chapter = built["positional_encoding"](range(300), d_model, base)
        np.testing.assert_allclose(chapter, encode(range(300), d_model, base), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("name", "factor"), [("doubled", 4), ("halved", 1)])
def test_the_mistakes_are_the_ones_that_the_text_names(
    built: dict[str, Any], name: str, factor: int
) -> None:
    table = built[name](range(20), 8)
    for position in range(20):
        for dimension in range(8):
            expected = naive(position, dimension, factor * (dimension // 2) / 8)
            assert table[position, dimension] == pytest.approx(expected, abs=1e-12)
    assert not np.allclose(table, encode(range(20), 8))


def test_the_table_by_hand_holds_what_a_calculator_gives() -> None:
    rows = re.findall(r"^\| (\d) \| (.+) \|$", PROSE, re.MULTILINE)
    assert [int(position) for position, _ in rows] == [0, 1, 2, 3]
    for position, cells in rows:
        values = [float(v.replace("−", "-")) for v in cells.split(" | ")]
        expected = [naive(int(position), j, 2 * (j // 2) / 4) for j in range(4)]
        assert values == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(("d_model", "factor"), [(512, "1.04"), (8, "10.00")])
def test_the_last_frequency_and_wavelength_are_as_far_from_the_base_as_it_says(
    d_model: int, factor: str
) -> None:
    assert r"from 1 down to $\mathrm{base}^{-(d-2)/d}$" in PROSE
    assert r"from $2\pi$ up to $2\pi \cdot \mathrm{base}^{(d-2)/d}$" in PROSE
    said = "ten times 1/base" if factor == "10.00" else f"{factor} times 1/base"
    assert f"{said} for `d_model = {d_model}`" in PROSE
    last = float(frequencies(d_model)[-1])
    assert last == pytest.approx(10_000.0 ** (-(d_model - 2) / d_model), rel=1e-12)
    assert f"{last / 1e-4:.2f}" == f"{2 * math.pi * 1e4 / wavelengths(d_model)[-1]:.2f}" == factor


def test_every_call_out_that_asks_for_a_prediction_comes_before_code_that_answers() -> None:
    kinds = ["predict" if "> **Predict.**" in c.source else c.cell_type for c in CHAPTER.cells]
    asked = [k for k, kind in enumerate(kinds) if kind == "predict"]
    assert len(asked) >= 4
    for k, until in zip(asked, [*asked[1:], len(kinds)], strict=True):
        assert "code" in kinds[k:until]


@pytest.mark.peers
def test_the_pytorch_code_in_the_text_runs_and_agrees(tmp_path: Path) -> None:
    torch = pytest.importorskip(
        "torch", reason="PyTorch is not installed (it is large and only checks the snippets)"
    )
    (snippet,) = re.findall(r"```python\n(import torch.+?)```", PROSE, re.DOTALL)
    namespace: dict[str, Any] = {}
    exec(snippet, namespace)
    table = namespace["sinusoidal_table"](5000, 64)
    assert table.dtype == torch.float32
    np.testing.assert_allclose(table.numpy(), encode(range(5000), 64), rtol=0, atol=6e-8)

    layer = namespace["AddPositions"](64, 5000)
    x = torch.randn(3, 17, 64, generator=torch.Generator().manual_seed(0))
    expected = x.numpy() + encode(range(17), 64)
    np.testing.assert_allclose(layer(x).numpy(), expected, rtol=0, atol=1e-6)
    assert not list(layer.parameters())
    assert not layer.state_dict()
