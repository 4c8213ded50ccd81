"""The grid explorer: JavaScript equals pe_lib, and its task has the answers given."""

import json
import math
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import node

from pe_lib.course.explorers import GridExplorer
from pe_lib.course.explorers._bundle import HERE
from pe_lib.course.explorers.grid import GOLDEN, SCHEMES, SIDE, WIDTH
from pe_lib.grid import grid_kernel

SETTINGS = [(scheme, base) for scheme in SCHEMES for base in (2.0, 100.0, 1e6)]
OFFSETS = [(0, 0), (1, 0), (-3, 4), (13, -13), (0, -7)]


def javascript(expression: str) -> Any:
    return node(
        f"import * as m from {(HERE / 'grid.mjs').as_uri()!r};"
        f"console.log(JSON.stringify({json.dumps(SETTINGS)}.map(([scheme, base]) =>"
        f" {{ const table = m.vectors(scheme, base); return {expression}; }})))"
    )


def test_javascript_vectors_equal_pe_libs() -> None:
    found = javascript("[Array.from(table.queries), Array.from(table.keys)]")
    for (scheme, base), tables in zip(SETTINGS, found, strict=True):
        expected = GridExplorer(scheme=scheme, base=base).vectors()
        if scheme == "rotary":  # a rotary key is [cos, sin] of the angles that others have as sines
            expected = tuple(v.reshape(-1, 2)[:, ::-1].reshape(v.shape) for v in expected)
        for table, vectors in zip(tables, expected, strict=True):
            np.testing.assert_allclose(table, np.ravel(vectors), rtol=0, atol=1e-9)


def test_javascript_scores_equal_pe_libs() -> None:
    patches = [0, 90, 139, 195]
    found = javascript(
        f"{patches}.map((a) => Array.from({{ length: 196 }}, (_, b) => m.score(table, a, b)))"
    )
    for (scheme, base), scores in zip(SETTINGS, found, strict=True):
        expected = GridExplorer(scheme=scheme, base=base).scores().reshape(196, 196)[patches]
        np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-9)


def test_javascript_finds_the_lowest_and_highest_at_an_offset() -> None:
    found = javascript(f"{json.dumps(OFFSETS)}.map(([d, r]) => m.extent(table, d, r))")
    for (scheme, base), extents in zip(SETTINGS, found, strict=True):
        scores = GridExplorer(scheme=scheme, base=base).scores()
        for (down, right), extent in zip(OFFSETS, extents, strict=True):
            pairs = [
                scores[r, c, r + down, c + right]
                for r in range(max(0, -down), SIDE - max(0, down))
                for c in range(max(0, -right), SIDE - max(0, right))
            ]
            np.testing.assert_allclose(extent, [min(pairs), max(pairs)], rtol=0, atol=1e-9)


def test_scores_are_sums_of_cosines() -> None:
    """Each scheme's score, term by term, without a vector."""
    n, base = WIDTH // 4, 100.0
    lengths = [base ** (-i / n) for i in range(n)]
    turns = [math.pi / 2 * (i * GOLDEN % 1) for i in range(n)]
    for r, c in [(0, 1), (1, 0), (-3, 5), (7, 7)]:
        here, there = (6, 6), (6 + r, 6 + c)
        expected = {
            "numbered": [math.cos((14 * r + c) * base ** (-i / 2 / n)) for i in range(2 * n)],
            "axial": [math.cos(w * k) for w in lengths for k in (r, c)],
            "rotary": [math.cos(w * k) for w in lengths for k in (r + 2, c + 3)],
            "mixed": [
                term
                for w, a in zip(lengths, turns, strict=True)
                for term in (math.cos(w * (r * math.cos(a) + c * math.sin(a))),
                             math.cos(w * (c * math.cos(a) - r * math.sin(a))))
            ],
        }  # fmt: skip
        for scheme, terms in expected.items():
            score = GridExplorer(scheme=scheme).scores()[(*here, *there)]
            assert score == pytest.approx(math.fsum(terms) / len(terms), abs=1e-12)
        numbers = (6 * (6 + r) + 6 * (6 + c)) / 13**2 / 2
        score = GridExplorer(scheme="coordinates").scores()[(*here, *there)]
        assert score == pytest.approx(numbers)


def highest(scores: Any, patch: tuple[int, int]) -> list[tuple[int, int]]:
    """The patches besides itself that score highest with a patch."""
    mine = scores[patch].copy()
    mine[patch] = -2
    return [(int(r), int(c)) for r, c in np.argwhere(mine > mine.max() - 1e-9)]


def test_the_answers_to_the_task_are_right() -> None:
    scores = {scheme: GridExplorer(scheme=scheme).scores() for scheme in SCHEMES}
    numbered = scores["numbered"]
    assert highest(numbered, (6, 6)) == [(6, 5), (6, 7)]
    assert numbered[6, 6, 7, 6] == pytest.approx(0.2988, abs=5e-5)  # below
    assert numbered[6, 6, 6, 7] == pytest.approx(0.9404, abs=5e-5)  # beside
    assert highest(numbered, (6, 13)) == [(6, 12), (7, 0)]
    for patch in [(3, 1), (5, 5), (13, 12)]:
        assert highest(scores["coordinates"], patch) == [(13, 13)]
    for scheme in ("axial", "mixed"):
        assert highest(scores[scheme], (6, 6)) == [(5, 6), (6, 5), (6, 7), (7, 6)]
    axial, mixed = scores["axial"][6, 6], scores["mixed"][6, 6]
    assert [round(axial[6, 11], 2), round(axial[9, 10], 2)] == [0.73, 0.55]
    assert [round(mixed[6, 11], 2), round(mixed[9, 10], 2)] == [0.66, 0.61]
    for patch in [(6, 6), (2, 3), (13, 13)]:
        mine = scores["rotary"][patch]
        assert np.unravel_index(mine.argmax(), mine.shape) == (patch[0] - 2, patch[1] - 3)
    np.testing.assert_allclose(
        axial * WIDTH / 2, grid_kernel(np.arange(-6, 8)[:, None], range(-6, 8), WIDTH, 100)
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scheme": "magic"}, "scheme"),
        ({"base": 1.0}, "base must be above 1"),
        ({"row": 14}, "row"),
        ({"column": -1}, "column"),
        ({"down": 14}, "down"),
        ({"right": -14}, "right"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        GridExplorer(**given)


def test_the_caption_says_whether_the_offset_decides() -> None:
    assert "patches score the same" in GridExplorer(scheme="axial").caption()
    assert "patches score from 0.00 to 0.96" in GridExplorer(scheme="coordinates").caption()
    assert "row −7, column 6 is outside the grid" in GridExplorer(down=-13).caption()
    assert "row 7, column 6 is 0.2988" in GridExplorer().caption()
    image = GridExplorer(scheme="axial").picture().axes[0].images[0].get_array()
    np.testing.assert_allclose(image, GridExplorer(scheme="axial").scores()[6, 6])
