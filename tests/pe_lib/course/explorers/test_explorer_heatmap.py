"""The heatmap explorer: its parts have their places, its words and pictures are pe_lib's."""

import numpy as np
import pytest
from test_explorers import from_module

from pe_lib import encode, wavelengths
from pe_lib.course.explorers import HeatmapExplorer


@pytest.mark.parametrize(("width", "height"), [(300, 344), (664, 432)])
@pytest.mark.parametrize("d_model", [2, 16, 64, 512])
def test_nothing_lies_over_anything(width: int, height: int, d_model: int) -> None:
    at = from_module("heatmap", f"m.layout({width}, {height}, {d_model}, 64)")
    table, row, column, dial = at["table"], at["row"], at["column"], at["dial"]
    assert row["y"] + row["h"] < at["dials"] - at["small"]
    assert at["dials"] + at["small"] < table["y"] and table["y"] + table["h"] < height - 16
    assert table["x"] + table["w"] < column["x"] and column["x"] + column["w"] < width
    assert (column["x"] + column["w"] / 2, row["y"] + row["h"] / 2) == (dial["x"], dial["y"])
    assert 2 * at["every"] * at["cell"]["w"] >= 2 * at["small"]  # clocks beside each other
    assert table["h"] > 100 and at["cell"]["h"] == pytest.approx(table["h"] / 64)


def test_the_first_hand_stands_upright_again_in_one_row_only() -> None:
    found = from_module(
        "heatmap", "Array.from({ length: 64 }, (_, position) => m.done.main({ position }))"
    )
    assert [t for t, said in enumerate(found) if said] == [44]
    upright = np.flatnonzero(encode(range(64), 2)[:, 1] > 0.999)
    assert upright.tolist() == [0, 44]
    assert "43.98" in found[44] and round(7 * 2 * np.pi, 2) == 43.98


def test_what_the_story_of_bands_says_is_so() -> None:
    wave = wavelengths(16)
    assert wave[[0, 1]].round().tolist() == [6, 20] and wave[2] / 2 == pytest.approx(31.4, abs=0.05)
    table = encode(range(32), 16)
    assert np.ptp(table[:, 12]) < 0.04 and np.ptp(table[:, 13]) < 0.04
    assert (table[:, 13] - table[:, 12]).min() > 0.9


def test_between_two_rows_the_nearest_is_told() -> None:
    explorer = HeatmapExplorer(position=7.6, dim=3)
    assert "position 8 and dimension 3, is a cosine" in explorer.caption()
    assert f"{encode(8, 16)[3]:.4f}".replace("-", "−") in explorer.caption()


def test_the_picture_shows_row_clock_table_and_column() -> None:
    row, clock, heat, column = HeatmapExplorer(position=9, dim=3).picture().axes
    table = encode(range(64), 16)
    sines, cosines, _ = row.lines
    np.testing.assert_array_equal(sines.get_ydata(), table[9, ::2])
    np.testing.assert_array_equal(cosines.get_ydata(), table[9, 1::2])
    np.testing.assert_allclose(clock.lines[-1].get_xydata()[1], table[9, 2:4])
    np.testing.assert_array_equal(heat.images[0].get_array(), table)
    np.testing.assert_allclose(column.lines[-1].get_xydata(), [[table[9, 3], 9]])
