"""What chapter 2 builds in front of the reader is what the library does, and what it says is so."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cells import executed, functions

from pe_lib import encode, frequencies, wavelengths
from tools.notebooks import ROOT, read

CHAPTER = read(ROOT / "chapters" / "02-the-formula.ipynb")
PROSE = "\n".join(c.source for c in CHAPTER.cells if c.cell_type == "markdown")


@pytest.fixture(scope="module")
def built() -> dict[str, Any]:
    """The functions that the chapter defines, by name."""
    return functions("02-the-formula", np=np)


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    """All names of the chapter after its cells have run."""
    return executed("02-the-formula")


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


def says(*numbers: str) -> bool:
    return all(number in PROSE for number in numbers)


@pytest.mark.parametrize(("base", "pair", "last"), [(10_000, 9, "47,117"), (100, 17, "544")])
def test_the_answers_about_the_explorer_are_right(base: int, pair: int, last: str) -> None:
    turns = [2 * math.pi * base ** (2 * i / 64) for i in range(32)]
    assert [turn > 64 for turn in turns] == [i >= pair for i in range(32)]
    assert f"{turns[-1]:,.0f}" == last
    assert says("it is pair 9, dimensions 18 and 19", "after 544 positions instead of 47,117")


def test_the_answers_at_the_end_are_right() -> None:
    for position in (3, 47):
        row = [naive(position, j, 2 * (j // 2) / 4) for j in range(4)]
        assert says("$[" + ", ".join(f"{v:.4f}" for v in row[:2])), position
        assert says(", ".join(f"{v:.4f}" for v in row[2:]) + "]$"), position
    back = abs(encode(47, 4) - encode(3, 4)) < 0.02
    assert back.tolist() == [True, True, False, False]
    assert says(f"seven turns are {14 * math.pi:.2f}", f"= {1e4 ** (-254 / 512):.4f}$ radians")
    assert divmod(255, 2) == (127, 1) and says("the cosine of pair 127")
    assert says(f"reaches {2 * 510 / 512:.3f} instead of {510 / 512:.3f}")
    half = wavelengths(512)[-1] / 2
    last = (encode(half, 512) - encode(0, 512))[-2:]
    assert last @ last == pytest.approx(4, abs=1e-9)


def test_what_adding_does_is_what_the_text_and_the_pictures_say(run: dict[str, Any]) -> None:
    np.testing.assert_allclose(run["added"], run["tied"], rtol=0, atol=1e-12)
    assert run["added"].shape == (3,)
    assert f"{run['kappa']:.2f}" == "0.74"
    before, after, kappa = run["before"], run["after"], run["kappa"]
    low, high = before < kappa - 0.1, before > kappa + 0.1
    assert low.sum() > 50 and high.sum() > 15
    assert (after[low] > before[low]).all() and (after[high] < before[high]).all()
    np.testing.assert_allclose(after, (512 * before + 256 * kappa) / 768, rtol=0, atol=0.1)
    one = run["one"]
    assert run["named"][one] == run["word"][one] and run["placed"][one] == 50


def test_a_step_is_short_beside_a_right_angle(run: dict[str, Any]) -> None:
    step = math.dist(encode(7, 512), encode(8, 512))
    across = math.dist([16, 0], [0, 16])  # two encodings have the length 16
    assert says(f"it is {step:.4f} long", f"at right angles would be {across:.4f} apart")
    before = run["before"]
    assert before.min() == pytest.approx(-0.2, abs=0.05) and 0.95 < before.max() < 1


def test_the_order_of_dimensions_is_the_only_difference(run: dict[str, Any]) -> None:
    mixed = [run["sines_first"][j // 2 + 4 * (j % 2)] for j in range(8)]
    np.testing.assert_array_equal(mixed, encode(5, 8))


def test_the_clocks_point_where_their_descriptions_say() -> None:
    shown = [f"{v:.2f}".replace("-", "−") for v in encode(5, 8)]
    assert says(", ".join(shown) + ". Below")
    assert says(", ".join(shown[0::2] + shown[1::2]) + ". Blue")
    assert f"{1e4 ** (-1 / 8):.3f}" == "0.316"
    step = np.linalg.norm((encode(6, 8) - encode(5, 8)).reshape(4, 2), axis=1)
    assert step[:2] == pytest.approx([1, 0.1], rel=0.05)
    (sines, cosines) = encode(710, 8).reshape(4, 2).T
    assert (sines[1:] > 0.5).all() and -0.5 < cosines[1] < 0 and (cosines[2:] > 0.5).all()


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
