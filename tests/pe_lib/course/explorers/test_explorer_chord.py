"""The chord explorer: JavaScript equals pe_lib, and what its story says is so."""

import json
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib import encode
from pe_lib.course.explorers import ChordExplorer


def test_the_chord_is_the_distance_of_two_rows_in_a_pair() -> None:
    settings = [(pair, k) for pair in range(8) for k in (0, 0.5, 1, 7, 20)]
    found = from_module("chord", f"{json.dumps(settings)}.map((s) => m.chord(...s))")
    for (pair, k), chord in zip(settings, found, strict=True):
        for position in (0, 12, 99.5):
            rows = encode([position, position + k], 16).reshape(2, 8, 2)[:, pair]
            distance = np.hypot(*(rows[1] - rows[0]))
            assert chord == pytest.approx(distance, abs=1e-9)
            explorer = ChordExplorer(pair=pair, position=position, offset=k)
            assert explorer.chord() == pytest.approx(distance, abs=1e-12)


def test_what_the_story_says_is_so() -> None:
    def chords(pair: int) -> list[float]:
        return [ChordExplorer(pair=pair, offset=k).chord() for k in range(21)]

    assert ChordExplorer(position=12).chord() == pytest.approx(ChordExplorer().chord())
    assert np.argmax(chords(1)) == 10 and max(chords(1)) > 1.999
    assert chords(1)[20] < 0.05
    assert (np.diff(chords(2)) > 0).all()
    fast = chords(0)
    assert [k for k in range(2, 21) if fast[k] < fast[1]] == [6, 7, 12, 13, 18, 19]


@pytest.mark.parametrize(
    ("given", "message"),
    [({"pair": 8}, "pair"), ({"position": 100.5}, "position"), ({"offset": -1}, "offset"),
     ({"offset": 21}, "offset")],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        ChordExplorer(**given)


def test_the_caption_and_the_picture_have_the_chord() -> None:
    explorer = ChordExplorer(position=12, offset=5)
    assert "positions 12 and 17 in pair 1" in explorer.caption()
    assert "1.4215 long" in explorer.caption()
    clock, curve = explorer.picture().axes
    chord = np.ptp(np.array(clock.lines[-1].get_data()), axis=1)
    assert np.hypot(*chord) == pytest.approx(explorer.chord())
    assert curve.lines[-1].get_ydata()[1] == pytest.approx(explorer.chord())
