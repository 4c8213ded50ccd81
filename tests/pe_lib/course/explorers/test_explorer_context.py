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


LENGTHS = (0, 1000, 2048, 2300, 5000)


def test_both_count_the_pairs_that_reach_new_angles() -> None:
    call = f"{json.dumps(SETTINGS)}.map((c) => m.hands(...c).filter((h) => h.fresh).length)"
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


def test_hands_turn_as_far_as_the_text_is_long() -> None:
    asked = [(method, 4.0, length) for method in METHODS for length in LENGTHS]
    found = from_module("context", f"{json.dumps(asked)}.map((c) => m.hands(...c))")
    for (method, factor, length), hands in zip(asked, found, strict=True):
        now = max(1.0, length / 2048) if method == "dynamic" else factor
        for i, (hand, w) in enumerate(zip(hands, by_hand(method, now), strict=True)):
            assert hand["angle"] == pytest.approx(length * w, rel=1e-12)
            assert hand["seen"] == pytest.approx(min(math.tau, 2048 * math.pow(10_000, -i / 64)))
        count = sum(hand["fresh"] for hand in hands)
        assert count == explorer(method, factor).new(length)
        assert count == 0 or length > 2048


def test_a_text_grows_no_further_than_the_factor() -> None:
    assert explorer("none", 1.25, length=32768).reached() == 2560
    assert explorer("none", 1.25, length=2100).reached() == 2100


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
        ({"length": -1}, "length"),
        ({"length": 32769}, "length"),
        ({"pair": 64}, "pair"),
        ({"pair": -1}, "pair"),
        ({"score": [1.0] * 127}, "score"),
    ],
)
def test_settings_outside_are_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        ContextExplorer(**{"score": SCORE, **given})


def test_the_caption_says_what_is_seen() -> None:
    found = explorer("ntk", 4.0, length=8192)
    inside, beyond = found.largest()
    assert beyond is not None
    for said in ("read 8,192 of 8,192, NTK-aware: 22 pairs", f"{inside:,.2f} in size",
                 f"to {beyond:,.2f} from"):  # fmt: skip
        assert said in found.caption()
    assert "2,048 of 8,192, NTK-aware: 0 pairs" in explorer("ntk", 4.0).caption()
    assert "from there on" not in explorer("none", 1.0, length=8192).caption()


def test_the_picture_shows_clocks_and_score() -> None:
    found = explorer("none", 8.0, length=4096)
    left, right = found.picture().axes
    arcs = [np.array(line.get_data()).reshape(2, 64, 25) for line in left.lines]
    rims, seen, new = (arc[..., :24] for arc in arcs)
    middles = np.stack([np.arange(64) % 8, np.arange(64) // 8])
    for part in (rims, seen, new):
        radii = np.linalg.norm(part - middles[..., None], axis=0)
        np.testing.assert_allclose(radii, 0.36, atol=1e-3)
    ends = seen[:, :, -1] - middles
    arc = np.minimum(2048 * frequencies(128), math.tau)
    np.testing.assert_allclose(ends, 0.36 * np.stack([np.sin(arc), -np.cos(arc)]), atol=1e-3)
    last = new[:, :, -1] - middles
    arc = np.clip(4096 * frequencies(128), arc, math.tau)
    np.testing.assert_allclose(last, 0.36 * np.stack([np.sin(arc), -np.cos(arc)]), atol=1e-3)
    shown = found.offsets() <= 4096
    np.testing.assert_allclose(right.lines[0].get_ydata(), found.scores()[shown], atol=1e-3)
