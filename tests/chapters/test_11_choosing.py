"""Test chapter 11's claims about grids and models by plain loops and complex numbers."""

import json
import re

import numpy as np
import pytest
from cells import CHAPTERS, said

from pe_lib.checkpoints import layers
from pe_lib.grid import encode_grid, resized, rotate_grid
from tests.recorded import recorded
from tools.experiments.grids import narrower

NAME = "11-choosing"
GRIDS = recorded("grids")


def test_a_step_has_one_score_from_every_place(chapter):
    r, c = np.random.default_rng(9).integers(0, 1000, (2, 200))
    for angle in (0.0, chapter["ANGLES"]):
        here, there = (encode_grid(r + a, c + b, 64, 100, angle) for a, b in [(0, 0), (3, -5)])
        assert np.ptp((here * there).sum(axis=1)) < 1e-9
    # Check with complex numbers that equation (11.4) gives relative scores on three axes.
    rng, scores = np.random.default_rng(11), []
    f, (q, k) = rng.normal(size=(8, 3)), rng.normal(size=(2, 16)).view(complex)
    for start in ([0, 0, 0], [7, 5, -4], [300, 2, 90]):
        places = np.array(start), np.add(start, [2, -1, 3])
        query, key = (x * np.exp(1j * f @ p) for x, p in zip((q, k), places, strict=True))
        scores.append((query * key.conj()).real.sum())
    assert np.ptp(scores) < 1e-10


@pytest.mark.peers
def test_the_code_to_paste():
    """Test that the copy-and-paste code for two axes gives the same result as the library."""
    torch = pytest.importorskip("torch", reason="torch is not installed: run: make peers")
    turning = {}
    exec(re.findall(r"```python\n(.+?)```", said(NAME, "def axial_angles"), re.DOTALL)[0], turning)
    x = np.random.default_rng(5).standard_normal((2, 3, 35, 16))
    turned = turning["turn"](torch.tensor(x), turning["axial_angles"](5, 7, 16))
    expected = rotate_grid(x, *np.divmod(np.arange(35), 7), base=100)
    assert turned.dtype == torch.float64
    # The copied code computes in single precision, so the tolerance is 1e-5.
    np.testing.assert_allclose(turned, expected, atol=1e-5)


def test_whoever_learned_numbers_is_lost_on_a_narrower_grid():
    again = narrower("numbered", 2)
    assert again == pytest.approx(GRIDS["numbered"][2], abs=0.03)
    for kind, back in (("numbered", 6), ("axial", 4)):
        on_six, on_four, named = np.transpose(GRIDS[kind])
        assert len(on_six) == 5 and on_six.min() > 0.98 and (named == back).all()
        assert on_four.max() < 0.17 if kind == "numbered" else on_four.min() > 0.98


def test_the_bases_of_the_table_and_how_far_slowest_pairs_turn():
    bases, most = set(), []
    for path in (CHAPTERS / "data" / "checkpoints").glob("*.json"):
        model = json.loads(path.read_text("utf-8"))
        turning = {(x.turned, x.base) for x in layers(model["config"]) if x.turned and x.base}
        bases |= {base for _, base in turning}
        if turning and model.get("trained"):
            turns = [model["trained"] / (2 * np.pi * b ** (1 - 2 / d)) for d, b in turning]
            most.append(max(turns))
    assert (min(bases), max(bases)) == (100, 100_000_000)
    assert max(most) < 1 and np.mean(np.array(most) < 1 / 6) > 0.75


def test_no_axial_score_prefers_a_diagonal():
    """Test equation (11.5) at the corners of random rectangles of offsets, with random vectors."""
    rng = np.random.default_rng(6)
    gaps = [[], []]
    for _ in range(50):
        q, k = rng.standard_normal((2, 16))
        (r, r2), (c, c2) = rng.integers(-20, 20, (2, 2))
        for found, a in zip(gaps, (0.0, np.pi / 2 * (np.arange(4) * 0.618 % 1)), strict=True):
            s = [q @ rotate_grid(k, *p, 100, a) for p in [(r, c), (r2, c2), (r, c2), (r2, c)]]
            found.append(abs(s[0] + s[1] - s[2] - s[3]))
    assert max(gaps[0]) < 1e-10 < np.median(gaps[1])


def test_a_table_is_resized_in_two_dimensions(chapter):
    """Test that the chapter resizes a table as the library does, which has its own tests."""
    table = np.random.default_rng(8).standard_normal((4, 3, 5))
    new = chapter["resized"](table, chapter["centres"](4, 7), chapter["centres"](3, 8))
    library = resized(table.reshape(12, 5), (4, 3), (7, 8), "bilinear")
    np.testing.assert_allclose(library.reshape(7, 8, 5), new, atol=1e-12)
