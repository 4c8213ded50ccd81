"""The offset explorer: JavaScript equals pe_lib, and its task has the answers given."""

import json
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import from_module, node

from pe_lib import encode, kernel, rotation
from pe_lib.course.explorers import OffsetExplorer
from pe_lib.course.explorers._bundle import HERE
from pe_lib.course.explorers.offset import PLACES, scrambled, scrambler

SETTINGS = [
    (d_model, base, position, between)
    for d_model, base in [(2, 10_000.0), (8, 100.0), (64, 1e6), (512, 10_000.0)]
    for position in (100, 237.25, 400)
    for between in ("nothing", "rotation", "random")
]


def test_scores_are_the_products_of_the_formula() -> None:
    for d_model, base, position, between in SETTINGS:
        explorer = OffsetExplorer(d_model=d_model, base=base, between=between)
        matrix = {"nothing": np.eye(d_model), "rotation": rotation(20, d_model, base),
                  "random": scrambler(d_model)}[between]  # fmt: skip
        here = encode(position, d_model, base)
        expected = [here @ matrix @ encode(position + k, d_model, base) for k in range(-100, 101)]
        np.testing.assert_allclose(
            explorer.scores(position), 2 * np.array(expected) / d_model, atol=1e-10
        )


def test_javascript_scores_equal_pe_libs() -> None:
    modules = {name: (HERE / f"{name}.mjs").as_uri() for name in ("offset", "maths")}
    found = node(
        f"import {{ scores }} from {modules['offset']!r};"
        f"import {{ scrambled }} from {modules['maths']!r};"
        f"console.log(JSON.stringify({json.dumps(SETTINGS)}.map(([d, base, position, between]) =>"
        " Array.from(scores(position, between, scrambled(d * d), d, base)))))"
    )
    for (d_model, base, position, between), scores in zip(SETTINGS, found, strict=True):
        explorer = OffsetExplorer(d_model=d_model, base=base, between=between)
        np.testing.assert_allclose(scores, explorer.scores(position), rtol=0, atol=1e-9)


def test_javascript_draws_the_same_random_numbers() -> None:
    for start in (0, 1, 99):
        numbers = from_module("maths", f"Array.from(m.scrambled(200, {start}))")
        assert numbers == scrambled(200, start).tolist()
    assert abs(scrambled(10_000).mean()) < 0.05
    np.testing.assert_array_equal(scrambler(3).ravel(), scrambled(9))


def test_the_answers_to_the_task_are_right() -> None:
    plain, turned, scrambled = (
        OffsetExplorer(between=between) for between in ("nothing", "rotation", "random")
    )
    offsets = np.arange(-100, 101)
    for place in PLACES:
        np.testing.assert_allclose(plain.scores(place), kernel(offsets, 64) / 32, atol=1e-12)
        assert offsets[turned.scores(place).argmax()] == -20
        np.testing.assert_allclose(turned.scores(place), turned.scores(100), atol=1e-12)
    assert np.ptp([scrambled.scores(place) for place in PLACES], axis=0).min() > 0.1
    for d_model, rise in [(512, 43), (8, 3)]:
        after = OffsetExplorer(d_model=d_model).scores(150)[100:]
        assert np.argmax(np.diff(after) > 0) == rise


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"d_model": 12}, "d_model.*not the int 12"),
        ({"d_model": 1024}, "d_model"),
        ({"base": 1.0}, "base must be above 1"),
        ({"position": 99}, "position"),
        ({"offset": 101}, "offset"),
        ({"between": "magic"}, "between"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        OffsetExplorer(**given)


def test_the_caption_says_whether_the_offset_decides() -> None:
    assert "other positions score the same" in OffsetExplorer().caption()
    assert "anything within a range of" in OffsetExplorer(between="random").caption()
    explorer = OffsetExplorer(offset=-7.5)
    here, there = encode([150, 142.5], 64)
    assert explorer.score(150) == pytest.approx(here @ there / 32)
    assert "Positions 150 and 142.5" in explorer.caption()
    assert "rotation by 20 between" in OffsetExplorer(between="rotation").caption()
    curve = OffsetExplorer(position=200).picture().axes[0].lines[len(PLACES)]
    np.testing.assert_allclose(curve.get_ydata(), kernel(np.arange(-100, 101), 64) / 32)
