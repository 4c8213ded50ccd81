"""Test chapter 11's claims about grids and models by plain loops and complex numbers."""

import json
import re

import numpy as np
import pytest
from cells import CHAPTERS, read_text

from pe_lib.checkpoints import layers
from pe_lib.grid import encode_grid, rotate_grid
from tests.recorded import read_recording
from tools.experiments.grids import read_narrower_grid

NAME = "11-choosing"
GRIDS = read_recording("grids")


@pytest.mark.peers
def test_the_code_to_paste():
    """Test that the copy-and-paste code for two axes gives the same result as the library."""
    torch = pytest.importorskip("torch", reason="torch is not installed: run: make peers")
    turning = {}
    exec(
        re.findall(r"```python\n(.+?)```", read_text(NAME, "def axial_angles"), re.DOTALL)[0],
        turning,
    )
    x = np.random.default_rng(5).standard_normal((2, 3, 35, 16))
    turned = turning["turn"](torch.tensor(x), turning["axial_angles"](5, 7, 16))
    expected = rotate_grid(x, *np.divmod(np.arange(35), 7), base=100)
    assert turned.dtype == torch.float64
    # The copied code computes in single precision, so the tolerance is 1e-5.
    np.testing.assert_allclose(turned, expected, atol=1e-5)


def test_whoever_learned_numbers_is_lost_on_a_narrower_grid():
    again = read_narrower_grid("numbered", 2)
    assert again == pytest.approx(GRIDS["numbered"][2], abs=0.03)
    for kind, back in (("numbered", 6), ("axial", 4)):
        on_six, on_four, named = np.transpose(GRIDS[kind])
        assert len(on_six) == 5 and on_six.min() > 0.98 and (named == back).all()
        assert on_four.max() < 0.17 if kind == "numbered" else on_four.min() > 0.98


def test_the_bases_of_the_table():
    bases = set()
    for path in (CHAPTERS / "data" / "checkpoints").glob("*.json"):
        config = json.loads(path.read_text("utf-8"))["config"]
        bases |= {x.base for x in layers(config) if x.turned and x.base}
    assert (min(bases), max(bases)) == (100, 100_000_000)


def test_no_axial_score_prefers_a_diagonal():
    """Test equation (11.3) at the corners of random rectangles of offsets, with random vectors."""
    rng = np.random.default_rng(6)
    gaps = [[], []]
    for _ in range(50):
        q, k = rng.standard_normal((2, 16))
        (r, r2), (c, c2) = rng.integers(-20, 20, (2, 2))
        for found, a in zip(gaps, (0.0, np.pi / 2 * (np.arange(4) * 0.618 % 1)), strict=True):
            s = [q @ rotate_grid(k, *p, 100, a) for p in [(r, c), (r2, c2), (r, c2), (r2, c)]]
            found.append(abs(s[0] + s[1] - s[2] - s[3]))
    assert max(gaps[0]) < 1e-10 < np.median(gaps[1])


def test_a_stripe_along_a_diagonal_is_lost_to_an_axial_head(chapter):
    """Test the table of R² and its control, with numpy's own least squares as the oracle."""
    down, right = chapter["down"], chapter["right"]
    column, diagonal = chapter["column"], chapter["diagonal"]
    for angle, lost, seen in [(0.0, diagonal, column), (np.pi / 4, column, diagonal)]:
        x = encode_grid(down, right, 64, 100, angle)
        shares = []
        for wanted in (lost, seen):
            best = x @ np.linalg.lstsq(x, wanted, rcond=1e-9)[0]
            shares.append(1 - ((wanted - best) ** 2).mean() / wanted.var())
        assert shares[0] < 0.15 and shares[1] > 0.85
    for penalty in (10, 0.1, 1e-5):
        assert chapter["explained"](diagonal, 0.0, penalty) < 0.01
        assert chapter["explained"](column, 0.0, penalty) > 0.85


def test_further_seeds_of_the_narrower_grid():
    """Test what the chapter says about four seeds that are not in the recording."""
    numbered = np.array([read_narrower_grid("numbered", seed)[1] for seed in (11, 12, 13, 14)])
    axial = np.array([read_narrower_grid("axial", seed)[1] for seed in (11, 12, 13, 14)])
    assert numbered.max() < 0.17 and axial.min() == pytest.approx(0.95, abs=0.03)


def test_inkling_is_refused():
    with pytest.raises(ValueError, match="content and on the distance"):
        layers({"model_type": "inkling_text"})
