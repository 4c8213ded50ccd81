"""The heatmap of S0: its rows as quoted, and checks that would find a right one right."""

import json
import re
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


@pytest.mark.parametrize(
    ("printed", "verdict"),
    [
        (encode(range(10), 8), "right"),
        (encode(range(10), 8).reshape(10, 4, 2)[:, :, ::-1].reshape(10, 8), "imprecise"),
        (encode(range(10), 512)[:, :8], "imprecise"),
        (encode(range(10), 8, base=100.0), "imprecise"),
        (encode(range(1, 11), 8), "imprecise"),
    ],
    ids=["right", "cosine first", "d_model 512", "base 100", "from 1"],
)
def test_another_table_would_have_another_verdict(
    monkeypatch: pytest.MonkeyPatch, printed: np.ndarray, verdict: str
) -> None:
    table = [[f"{value:.3f}" for value in row] for row in printed]
    monkeypatch.setattr(overview, "TABLE", table)
    monkeypatch.setattr(overview, "VALUES", np.array(table, float))
    overview._hits.cache_clear()
    names = {claim["check"].split(".")[1] for claim in ROWS}
    verdicts = {getattr(overview, name)().verdict for name in names}
    assert verdicts <= {verdict, "right"}
    assert overview.first_eight_dimensions().verdict == verdict
    assert verdict != "right" or overview.frequencies_in_the_picture().verdict == "right"
    overview._hits.cache_clear()
