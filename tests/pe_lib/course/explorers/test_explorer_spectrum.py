"""The spectrum explorer: JavaScript equals pe_lib, settings are checked, words are right."""

import json
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib import wavelengths
from pe_lib.course.explorers import SpectrumExplorer

WIDTHS = [2**n for n in range(1, 10)]
BASES = (2.0, 100.0, 10_000.0, 1e6)


def test_javascript_wavelengths_equal_pe_lib() -> None:
    asked = [(i, d, b) for d in WIDTHS for b in BASES for i in {0, d // 4, d // 2 - 1}]
    found = from_module("maths", f"{json.dumps(asked)}.map((c) => m.wavelength(...c))")
    np.testing.assert_allclose(found, [wavelengths(d, b)[i] for i, d, b in asked], rtol=1e-12)


def test_javascript_counts_the_longer_pairs_as_python_does() -> None:
    asked = [(n, d, b) for d in WIDTHS for b in BASES for n in (2, 6, 7, 63, 2048, 100_000)]
    found = from_module("spectrum", f"{json.dumps(asked)}.map((c) => m.longer(...c))")
    expected = [SpectrumExplorer(d_model=d, base=b, length=n, position=0).longer()
                for n, d, b in asked]  # fmt: skip
    assert found == expected
    plain = [sum(w > n for w in wavelengths(d, b)) for n, d, b in asked]
    assert expected == plain


@pytest.mark.parametrize("d_model", WIDTHS)
def test_clocks_are_the_same_pairs_in_both_languages(d_model: int) -> None:
    pairs = SpectrumExplorer(d_model=d_model).clocks().tolist()
    assert from_module("spectrum", f"m.chosen({d_model})") == pairs
    assert pairs[0] == 0 and pairs[-1] == d_model // 2 - 1
    assert len(set(pairs)) == len(pairs) == min(8, d_model // 2)


def test_clocks_of_a_wide_model_are_evenly_spread() -> None:
    assert SpectrumExplorer(d_model=512).clocks().tolist() == [0, 36, 73, 109, 146, 182, 219, 255]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"d_model": 6}, "d_model must be a power of two, got 6"),
        ({"d_model": 1024}, "d_model"),
        ({"base": 1.5}, "base"),
        ({"base": 2e6}, "base"),
        ({"length": 1}, "length"),
        ({"length": 100_001}, "length"),
        ({"length": 10, "position": 10}, "position must be below length = 10, got 10"),
        ({"position": -1}, "position"),
    ],
)
def test_settings_outside_are_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        SpectrumExplorer(**given)


def test_a_shorter_context_takes_the_position_with_it() -> None:
    explorer = SpectrumExplorer(length=2048, position=2000)
    explorer.length = 100
    assert explorer.position == 99


def test_the_caption_says_what_the_spectrum_shows() -> None:
    caption = SpectrumExplorer(d_model=512, base=10_000.0, length=2048, position=150).caption()
    for said in ("from 6.28 to 60,611.5", "Of 256 pairs, 95 are hollow", "2,048", "position 150"):
        assert said in caption


@pytest.mark.parametrize(
    ("d_model", "length", "said"),
    [
        (8, 10_000, "Of 4 pairs, 0 are hollow"),
        (8, 2048, "Of 4 pairs, 1 is hollow"),
        (8, 300, "Of 4 pairs, 2 are hollow"),
        (2, 2, "a wavelength of 6.28 positions. Of 1 pair, 1 is hollow"),
        (2, 2048, "a wavelength of 6.28 positions. Of 1 pair, 0 are hollow"),
    ],
)
def test_the_caption_is_right_for_one(d_model: int, length: int, said: str) -> None:
    caption = SpectrumExplorer(d_model=d_model, length=length, position=1).caption()
    assert said in caption
    assert ("The clock shows" if d_model == 2 else "The clocks show") in caption


def test_javascript_is_right_for_one_too() -> None:
    assert from_module("spectrum", "[0, 1, 2].map(m.areLonger)") == [
        "are longer", "is longer", "are longer"
    ]  # fmt: skip


def test_a_dragged_dot_gives_the_base_that_puts_it_there() -> None:
    asked = [
        (i, float(wavelengths(d, b)[i]), d)
        for d in WIDTHS[1:]
        for b in BASES
        for i in {1, d // 2 - 1}
    ]
    found = from_module("spectrum", f"{json.dumps(asked)}.map((c) => m.baseOf(...c))")
    for (i, wave, d), base in zip(asked, found, strict=True):
        assert wavelengths(d, base)[i] == pytest.approx(wave)


@pytest.mark.parametrize("width", [330, 660])
@pytest.mark.parametrize("d_model", [2, 8, 512])
def test_places_on_the_scale_and_back(width: int, d_model: int) -> None:
    value, pair, r, fits = from_module(
        "spectrum",
        f"((at) => [at.value(at.atX(2048)), at.pair(at.atY({d_model // 2 - 1})), at.r,"
        f" at.atY(0) - at.r > 0 && at.atY({d_model // 2 - 1}) + at.r < 320])"
        f"(m.layout({width}, 320, {d_model}))",
    )
    assert (value, pair) == (pytest.approx(2048), d_model // 2 - 1)
    assert r >= 12 and fits  # for a finger, with the room around


@pytest.mark.parametrize(
    ("name", "counts"), [("main", [1, 1, 1, 2, 0, 95]), ("context", [95, 75, 114])]
)
def test_what_the_stories_say_is_so(name: str, counts: list[int]) -> None:
    states = SpectrumExplorer.stories[name].states(SpectrumExplorer().state())
    assert [SpectrumExplorer(**state).longer() for _, state in states] == counts
    np.testing.assert_allclose(63 / wavelengths(8), [10, 1, 0.1, 0.01], rtol=0.01)


def test_the_picture_fills_the_dots_of_shorter_pairs_only() -> None:
    left, top = SpectrumExplorer(d_model=16, length=2048, position=5).picture().axes
    shorter, longer = top.lines[0], top.lines[1]
    assert longer.get_fillstyle() == "none" != shorter.get_fillstyle()
    assert max(shorter.get_xdata()) <= 2048 < min(longer.get_xdata())
    assert len(shorter.get_xdata()) + len(longer.get_xdata()) == 8
    for face, wave in zip(left.child_axes, wavelengths(16), strict=True):
        angle = 2 * np.pi * 5 / wave
        tip = [np.sin(angle), np.cos(angle)]
        np.testing.assert_allclose(face.lines[-1].get_xydata(), [[0, 0], tip], atol=1e-12)
