"""The audit and the page of misconceptions: numbers in the text, and where its links lead."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pe_lib import encode, positions_from_value
from pe_lib.course.audit import PAGES, Listing, claims, finding
from pe_lib.course.audit.readings import printed
from tools.notebooks import read

CHAPTERS = Path(__file__).parents[2] / "chapters"
MISCONCEPTIONS = (CHAPTERS / "appendix-misconceptions.md").read_text("utf-8")
PATH = CHAPTERS / "appendix-audit.ipynb"
AUDIT = PATH.read_text("utf-8")
WIDTH, DIM, VALUE = 5120, 1088, 0.488814


def test_every_misconception_names_a_chapter() -> None:
    entries = [part for part in MISCONCEPTIONS.split("\n\n") if part.startswith("**")]
    assert len(entries) >= 20
    for entry in entries:
        assert re.search(r"\[[Cc]hapter \d+\]\(\d\d-[\w-]+\.ipynb\)", entry), entry


def test_every_claim_that_it_links_to_is_there_and_not_simply_right() -> None:
    linked = re.findall(r'#(s\d-\d+)">(S\d-\d+)<', MISCONCEPTIONS)
    verdicts = {claim.id: claim.verdict for claim in claims()}
    assert len(linked) >= 20
    for anchor, name in linked:
        assert anchor == name.lower()
        assert verdicts[name] != "right", name


def test_the_practice_question_has_one_answer_below_a_million_and_not_7() -> None:
    """Against the sine written out, for rounded and for cut digits."""
    angles = np.arange(10**6) * 10_000.0 ** (-DIM / WIDTH)
    sines = np.sin(angles)
    fits = np.flatnonzero((sines >= VALUE - 5e-7) & (sines < VALUE + 1e-6))
    assert fits.tolist() == [929_505]
    assert f"{sines[7]:.6f}" == "0.835354"
    found = positions_from_value(0.835354, DIM, WIDTH, max_position=10**6, atol=5e-7)
    assert found.tolist() == [7, 733_338]
    assert printed("0.488814", np.sin(7 * 100.0 ** (-DIM / WIDTH))) == "cut"


def test_the_table_of_the_course_section_has_one_wrong_number() -> None:
    rows = {
        0: "0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1",
        1: "0.84 0.54 0.53 0.85 0.31 0.95 0.18 0.98 0.10 1.00 0.06 1.00 0.03 1.00 0.02 1.00",
        2: "0.91 -0.42 0.90 0.41 0.59 0.81 0.35 0.94 0.20 0.98 0.11 0.99 0.06 1.00 0.04 1.00",
    }
    wrong = [
        (k, j)
        for k, row in rows.items()
        for j, text in enumerate(row.split())
        if printed(text, encode(k, 16, base=100.0)[j]) != "rounded"
    ]
    assert wrong == [(2, 3)]


@pytest.mark.parametrize(
    ("name", "found", "text"),
    [
        ("S0-25", "at most 23 ", "brings 23 of the 80 numbers"),
        ("S1-25", "off by 0.72 ", "off by 0.72 in some entry"),
        ("S2-04", "512 rows has 262,144 numbers, 0.4%", "512 rows adds 0.4 % to"),
        ("S2-25", "of 196,344 readings 0 fit", "together nearly 200,000"),
        ("S2-28", "0.0: 2%", "2 % of the pairs with raw cosine 0,"),
        ("S2-28", "0.4: 6%, 0.6: 31%, 0.8: 77%", "6 % at 0.4, 31 % at 0.6, 77 % at 0.8"),
        ("S2-28", "0.95: 99%", "99 % at 0.95"),
        ("S2-29", "0.92 instead of 1", "falls from 1 to about 0.9"),
        ("S2-30", "9.8 times at 5,000", "nearly ten times as much at 5,000"),
        ("S2-31", "0.7 to 0.95 at 24", "between 0.7 and 0.95"),
        ("S2-31", "0.2 to 0.6 at 48 with positions", "below 0.6 at 48"),
        ("S3-13", "each is 0.65 or more", "each is 0.65 or more"),
        ("S3-50", "for 4 of 64 rows", "four rows at most"),
        ("S3-74", "6.0 degrees", "moves by 6 degrees"),
        ("S3-74", "12.2 degrees", "by 12 degrees over 2,048"),
        ("S3-75", "6% worse", "6% in a linear reading"),
        ("S3-111", "99% of fresh reviews; one that sees it, in 81%", "99% of fresh reviews"),
        ("S3-111", "51% against 94%", "51% and 94%"),
        ("S4-14", "at none of the positions 1 to 50", "each of the positions 1 to 50"),
    ],
)
def test_a_number_in_the_text_is_what_the_check_finds(name: str, found: str, text: str) -> None:
    claim = next(claim for claim in claims() if claim.id == name)
    assert found in finding(claim).evidence
    assert text in AUDIT


def words(figure: str) -> str:
    """What is said of a figure for those who do not see it."""
    (text,) = [c.source for c in read(PATH).cells if c.id == f"appendix-audit-{figure}-words"]
    return text


def test_the_summary_is_said_in_words_as_it_is_drawn() -> None:
    counted = Counter(claim.verdict for claim in claims())
    text = words("verdicts")
    assert f"{counted['right']} are right, {counted['imprecise']} imprecise" in text
    assert f"{counted['wrong']} wrong, and {counted['cannot be checked']} cannot" in text
    assert round(10 * counted["right"] / len(claims())) == 6  # "six of ten"
    numbers = re.findall(r"\d+|none", text.split("By kind")[0])
    drawn = [
        str(n or "none") for s in PAGES for n in (len(claims(s)), *Listing(s).counts().values())
    ]
    assert numbers == drawn
    kinds = Counter(claim.kind for claim in claims())
    wrong = Counter(claim.kind for claim in claims() if claim.verdict == "wrong")
    said = re.findall(r"(\d+) of (?:the )?(\d+)", text.split("By kind")[1])
    assert [(int(k), int(n)) for k, n in said] == [(wrong[kind], kinds[kind]) for kind in kinds]
    assert 2 * wrong["table"] > counted["wrong"]  # "more than half of what is wrong"
