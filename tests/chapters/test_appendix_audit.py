"""The audit and the page of misconceptions: numbers in the text, and where its links lead."""

import re
from pathlib import Path

import numpy as np

from pe_lib import positions_from_value
from pe_lib.course.audit import claims
from pe_lib.course.audit.readings import printed

CHAPTERS = Path(__file__).parents[2] / "chapters"
MISCONCEPTIONS = (CHAPTERS / "appendix-misconceptions.md").read_text("utf-8")
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
