"""The heatmap of S0: its rows as quoted, and checks that would find a right one right."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pe_lib.course.audit import overview
from pe_lib.sinusoidal import encode

CLAIMS = json.loads((Path(overview.__file__).parent / "claims" / "S0.json").read_text("utf-8"))
ROWS = [claim for claim in CLAIMS if "row_of_position" in claim["check"]]


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.\d+", text)][:8]


def test_rows_are_quoted_as_printed_and_corrected_as_computed() -> None:
    assert len(ROWS) == 10
    for t, claim in enumerate(ROWS):
        assert f"position {t} reads" in claim["says"]
        assert numbers(claim["says"]) == overview.VALUES[t].tolist()
        np.testing.assert_allclose(numbers(claim["right"]), encode(t, 8), rtol=0, atol=0.0005)


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    def instead(values: np.ndarray) -> None:
        table = [[f"{value:.3f}" for value in row] for row in values]
        monkeypatch.setattr(overview, "TABLE", table)
        monkeypatch.setattr(overview, "VALUES", np.array(table, float))
        overview._hits.cache_clear()

    yield instead
    overview._hits.cache_clear()


def verdicts() -> set[str]:
    names = (claim["check"].split(".")[1] for claim in ROWS)
    return {getattr(overview, name)().verdict for name in names}


def test_a_right_table_is_found_right(printed) -> None:
    printed(encode(range(10), 8))
    assert verdicts() == {"right"}
    assert overview.first_eight_dimensions().verdict == "right"
    assert overview.frequencies_in_the_picture().verdict == "right"


@pytest.mark.parametrize(
    "values",
    [
        encode(range(10), 8).reshape(10, 4, 2)[:, :, ::-1].reshape(10, 8),  # the cosine first
        encode(range(10), 512)[:, :8],
        encode(range(10), 8, base=100.0),
        encode(range(1, 11), 8),
    ],
    ids=["cosine first", "d_model 512", "base 100", "from 1"],
)
def test_a_table_by_another_reading_is_imprecise(printed, values: np.ndarray) -> None:
    printed(values)
    assert verdicts() <= {"imprecise", "right"}
    assert overview.first_eight_dimensions().verdict == "imprecise"
