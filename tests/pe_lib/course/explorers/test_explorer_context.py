"""The context explorer: JavaScript equals pe_lib, settings are checked, words are right."""

import json
import math
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib import frequencies
from pe_lib.course.explorers import ContextExplorer
from pe_lib.course.explorers.context import METHODS
from pe_lib.course.explorers.offset import scrambled

SCORE = scrambled(128).tolist()
SETTINGS = [(method, factor) for method in METHODS for factor in (1.0, 1.25, 4.0, 16.0)]


def explorer(method: str, factor: float = 4.0, **more: Any) -> ContextExplorer:
    return ContextExplorer(**{"method": method, "factor": factor, "score": SCORE, **more})


def by_hand(method: str, s: float) -> list[float]:
    """The scaled frequencies from the papers, pair by pair."""
    found = []
    for i in range(64):
        w = math.pow(10_000, -i / 64)
        kept = min(1.0, max(0.0, (2048 * w / math.tau - 1) / 31))
        found.append({
            "none": w, "interpolation": w / s,
            "ntk": math.pow(10_000 * math.pow(s, 128 / 126), -i / 64),
            "dynamic": math.pow(10_000 * math.pow(s, 128 / 126), -i / 64),
            "yarn": kept * w + (1 - kept) * w / s,
        }[method])  # fmt: skip
    return found


def test_frequencies_are_those_of_the_papers_in_both_languages() -> None:
    asked = json.dumps(SETTINGS)
    found = from_module("context", f"{asked}.map((c) => m.scaled(...c))")
    for (method, factor), frequency in zip(SETTINGS, found, strict=True):
        expected = by_hand(method, factor)
        np.testing.assert_allclose(frequency, expected, rtol=1e-12)
        np.testing.assert_allclose(explorer(method, factor).scaled(), expected, rtol=1e-12)


def test_scores_are_sums_of_waves_in_both_languages() -> None:
    call = f"{json.dumps(SETTINGS)}.map((c) => m.scores({json.dumps(SCORE)}, ...c))"
    for (method, factor), scores in zip(SETTINGS, from_module("context", call), strict=True):
        found = explorer(method, factor)
        np.testing.assert_allclose(scores, found.scores(), rtol=0, atol=1e-9)
        for n in (0, 1, 100, 256):
            x = n * factor * 2048 / 256
            w = by_hand(method, max(1.0, x / 2048) if method == "dynamic" else factor)
            expected = sum(
                SCORE[i] * math.cos(x * w[i]) + SCORE[64 + i] * math.sin(x * w[i])
                for i in range(64)
            )
            sharper = (0.1 * math.log(factor) + 1) ** 2 if method == "yarn" else 1
            assert scores[n] == pytest.approx(sharper * expected, abs=1e-9)


def test_both_count_the_pairs_that_reach_new_angles() -> None:
    call = f"{json.dumps(SETTINGS)}.map((c) => m.reachNew(...c).filter(Boolean).length)"
    found = from_module("context", call)
    assert found == [explorer(*setting).new() for setting in SETTINGS]
    arcs = [2048 * math.pow(10_000, -i / 64) for i in range(64)]
    for (method, factor), count in zip(SETTINGS, found, strict=True):
        further = [
            factor * 2048 * w > arc + 1e-9
            for w, arc in zip(by_hand(method, factor), arcs, strict=True)
            if arc < math.tau
        ]
        assert len(further) == 23 and sum(further) == count


def test_offsets_are_the_same_in_both_languages() -> None:
    for factor in (1.0, 3.75, 16.0):
        found = from_module("context", f"m.offsets({factor})")
        np.testing.assert_array_equal(found, explorer("none", factor).offsets())
        assert found[-1] == factor * 2048 and all(x == int(x) for x in found)


def test_the_largest_scores_inside_and_beyond() -> None:
    found = explorer("none", 4.0)
    size = np.abs(found.scores())
    assert found.largest() == (size[:64].max(), size[64:].max())
    assert explorer("none", 1.0).largest()[1] is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "magic"}, "method"),
        ({"factor": 0.75}, "factor"),
        ({"factor": 16.25}, "factor"),
        ({"factor": 1.3}, "factor must be a multiple of 0.25, got 1.3"),
        ({"pair": 64}, "pair"),
        ({"pair": -1}, "pair"),
        ({"score": [1.0] * 127}, "score"),
    ],
)
def test_settings_outside_are_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        ContextExplorer(**{"score": SCORE, **given})


def test_the_caption_says_what_is_seen() -> None:
    caption = explorer("ntk", 4.0).caption()
    inside, beyond = explorer("ntk", 4.0).largest()
    assert beyond is not None
    for said in ("reads 8,192, NTK-aware: 22 pairs", f"{inside:,.2f} in size", f"to {beyond:,.2f}"):
        assert said in caption
    assert "from there on" not in explorer("none", 1.0).caption()


def test_the_picture_shows_both_charts() -> None:
    found = explorer("yarn", 8.0)
    left, right = found.picture().axes
    np.testing.assert_allclose(left.lines[0].get_ydata(), math.tau / frequencies(128))
    np.testing.assert_allclose(left.lines[1].get_ydata(), math.tau / found.scaled())
    np.testing.assert_allclose(right.lines[0].get_ydata(), found.scores(), atol=1e-3)
