"""Every claim has a verdict, and the check behind it comes to that verdict."""

import re
from pathlib import Path

import numpy as np
import pytest

from pe_lib import encode
from pe_lib.course.audit import Claim, claims, finding, overview
from pe_lib.course.audit.finding import VERDICTS
from pe_lib.course.audit.readings import printed, readings

CHAPTERS = Path(__file__).parents[3] / "chapters"
COUNTS = {"S0": 31, "S1": 51, "S2": 36, "S3": 118, "S4": 21}


def test_every_claim_is_there_once() -> None:
    wanted = [f"{source}-{n:02}" for source, count in COUNTS.items() for n in range(1, count + 1)]
    assert [claim.id for claim in claims()] == wanted
    assert len({claim.check for claim in claims()}) == len(wanted)


@pytest.mark.parametrize("claim", claims(), ids=lambda claim: claim.id)
def test_the_check_comes_to_the_verdict(claim: Claim) -> None:
    assert claim.verdict in VERDICTS
    assert claim.says
    assert bool(claim.right) == (claim.verdict in ("wrong", "imprecise")), claim.right
    assert list(CHAPTERS.glob(f"{claim.chapter}.*")), claim.chapter
    found = finding(claim)
    assert found.verdict == claim.verdict, found.evidence
    assert len(found.evidence) > 15


@pytest.mark.parametrize(
    ("text", "value", "how"),
    [("0.48", 0.4794, "rounded"), ("0.47", 0.4794, "cut"), ("-.033", -0.0331, "rounded"),
     ("1.000", 0.99999, "rounded"), ("−0.95", -0.9589, "cut"), ("0.5", 0.4794, "rounded"),
     ("0.49", 0.4794, ""), ("-0.96", 0.9589, "")],
)  # fmt: skip
def test_how_a_value_was_printed(text: str, value: float, how: str) -> None:
    assert printed(text, value) == how


def test_kind_readings_are_found() -> None:
    assert readings("0.4794", 5, 2, 8) == ["as it stands"]
    assert readings("0.47", 5, 2, 8) == ["as it stands, digits cut off"]
    assert "the exponent doubled" in readings("0.05", 5, 2, 8)
    assert "sine and cosine swapped" in readings("0.878", 5, 2, 8)
    assert "base 100" in readings("0.9999", 5, 2, 8)  # sin(5/100^(1/4)) = sin 1.5811
    assert readings("-0.33", 5, 2, 8) == []


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.\d+", text)][:8]


def test_rows_of_the_heatmap_are_quoted_as_printed_and_corrected_as_computed() -> None:
    rows = [claim for claim in claims() if claim.check.startswith("overview.row_of")]
    assert len(rows) == 10
    for t, claim in enumerate(rows):
        assert f"position {t} reads" in claim.says
        assert numbers(claim.says) == overview.VALUES[t].tolist()
        np.testing.assert_allclose(numbers(claim.right), encode(t, 8), rtol=0, atol=0.0005)
