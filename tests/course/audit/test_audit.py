"""Test that each claim has a verdict, and that the claim's check comes to the same verdict."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pe_lib import encode
from pe_lib.course.audit import VERDICTS, Claim, claims, finding, overview

CHAPTERS = Path(__file__).parents[3] / "chapters"
COUNTS = {"S0": 31, "S1": 51, "S2": 36, "S3": 118, "S4": 21}
BY_ID = {claim.id: claim for claim in claims()}
PRINTED = [(c, name) for c in claims() for name, text in c.values.items() if isinstance(text, str)]


def test_every_claim_is_there_once() -> None:
    wanted = [f"{source}-{n:02}" for source, count in COUNTS.items() for n in range(1, count + 1)]
    assert [claim.id for claim in claims()] == wanted


@pytest.mark.parametrize("claim", claims(), ids=lambda claim: claim.id)
def test_the_check_comes_to_the_verdict(claim: Claim) -> None:
    assert claim.verdict in VERDICTS and claim.says
    assert bool(claim.right) == (claim.verdict in ("wrong", "imprecise")), claim.right
    assert list(CHAPTERS.glob(f"{claim.chapter}.*")), claim.chapter
    # The stored verdict is removed before the check, unless the claim rests on a quotation.
    found = finding(claim if claim.record else replace(claim, verdict=""))
    assert found.verdict == claim.verdict, found.evidence
    assert len(found.evidence) > 15


def test_what_can_be_computed_is_and_what_is_quoted_names_its_source() -> None:
    quoted = [claim for claim in claims() if claim.record]
    assert sum(bool(claim.right_if) and not claim.record for claim in claims()) == 229
    assert all(re.search(r"\b\d{4}\b|Llama 4", claim.record) for claim in quoted)
    assert [c.id for c in quoted if c.verdict != "right"] == ["S3-95"]


def change_last_digit(text: str) -> str:
    """Return a number whose last digit differs by 5 from the last digit in `text`."""
    return text[:-1] + str((int(text[-1]) + 5) % 10)


@pytest.mark.parametrize(("claim", "name"), PRINTED, ids=[f"{c.id}-{name}" for c, name in PRINTED])
def test_a_number_in_the_data_is_the_pages_and_another_is_found_out(
    claim: Claim, name: str
) -> None:
    text = claim.values[name]
    assert f"{float(text):.0f}" in claim.says if "e" in text else text in claim.says
    planted = replace(claim, values=claim.values | {name: change_last_digit(text)})
    assert finding(planted).verdict != "right"


def test_rows_of_the_heatmap_are_quoted_as_printed_and_corrected_as_computed() -> None:
    for t, row in enumerate(overview.TABLE):
        claim = BY_ID[f"S0-{15 + t}"]
        assert f"position {t} reads {', '.join(row)}." in claim.says
        assert ", ".join(f"{x:.3f}" for x in encode(t, 8)) in claim.right


def test_numbers_in_what_is_right_are_computed() -> None:
    more = {"S1-26": f"{encode(2, 16, 100.0)[3]:.2f}", "S3-25": f"{encode(1, 8)[2]:.4f}"}
    more |= {"S3-27": f"{encode(3, 8)[2]:.4f}", "S3-42": f"{encode(50, 8)[4]:.2f}"}
    for claim in claims():
        told = f"{finding(claim).evidence} {claim.says} {more.get(claim.id)}"
        # Claims that have a value `t` are rows of the heatmap, which the previous test checks.
        if "t" not in claim.values:
            for number in re.findall(r"\d+\.\d{2,}", claim.right):
                assert number in told, (claim.id, number)


def test_a_slip_in_a_check_tells_where() -> None:
    with pytest.raises(NameError) as error:
        finding(replace(BY_ID["S0-01"], right_if="mots < 1e-12"))
    assert error.value.__notes__ == ["in the check of S0-01"]
