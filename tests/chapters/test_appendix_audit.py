"""Test the numbers and links in the audit and on the page about misconceptions."""

import re
from pathlib import Path

from pe_lib.course.audit import PAGES, VERDICTS, claims, finding
from tools.notebooks import read

CHAPTERS = Path(__file__).parents[2] / "chapters"
MISCONCEPTIONS = (CHAPTERS / "appendix-misconceptions.md").read_text("utf-8")
AUDIT = {c.id: c.source for c in read(CHAPTERS / "appendix-audit.ipynb").cells}


def test_every_misconception_names_a_chapter() -> None:
    entries = [part for part in MISCONCEPTIONS.split("\n\n") if part.startswith("**")]
    assert len(entries) >= 20
    for entry in entries:
        assert re.search(r"\[[Cc]hapter \d+(, deeper)?\]\(\d\d-[\w-]+\.ipynb[#)]", entry), entry


def test_every_claim_that_it_links_to_is_there_and_not_simply_right() -> None:
    linked = re.findall(r'#(s\d-\d+)">(S\d-\d+)<', MISCONCEPTIONS)
    verdicts = {claim.id: claim.verdict for claim in claims()}
    assert len(linked) >= 20
    for anchor, name in linked:
        assert anchor == name.lower()
        assert verdicts[name] != "right", name


def rows(cell: str) -> list[list[str]]:
    """Return the rows of the table in a Markdown cell, except for the header."""
    lines = [line for line in AUDIT[cell].splitlines() if line.startswith("|")][2:]
    return [[part.strip() for part in line.strip("|").split(" | ")] for line in lines]


def ids(text: str) -> list[str]:
    """Return the ids of all claims in a text, including those within a range of ids."""
    found = []
    for first, last in re.findall(r"\b(S\d-\d+)\b(?:</a> to (S\d-\d+))?", text):
        page, start = first.split("-")
        end = (last or first).split("-")[1]
        found += [f"{page}-{n:02}" for n in range(int(start), int(end) + 1)]
    return list(dict.fromkeys(found))


def test_each_wrong_claim_belongs_to_one_of_fifteen_mistakes() -> None:
    mistakes = [ids(claim) for claim, *_ in rows("appendix-audit-mistakes")]
    assert len(mistakes) == 15
    wrong = [claim.id for claim in claims() if claim.verdict == "wrong"]
    assert [name for named in mistakes for name in named] == wrong


def test_what_a_mistake_is_told_by_stands_in_its_claims() -> None:
    by_id = {claim.id: claim for claim in claims()}
    for named, *told in rows("appendix-audit-mistakes"):
        known = " ".join(
            f"{by_id[name].says} {by_id[name].right} {finding(by_id[name]).evidence}"
            for name in ids(named)
        )
        for number in re.findall(r"\d+\.\d+", " ".join(told)):
            assert number in known, (named, number)


def test_the_pages_have_as_many_claims_and_mistakes_as_it_says() -> None:
    mistakes = [ids(claim)[0] for claim, *_ in rows("appendix-audit-mistakes")]
    table = rows("appendix-audit-pages")
    for source, (name, _, *counts) in zip(PAGES, table, strict=True):
        assert name == f"{PAGES[source]} ({source})"
        found = [claim.verdict for claim in claims(source)]
        made = [mistake for mistake in mistakes if mistake.startswith(source)]
        wanted = [len(found), *map(found.count, VERDICTS), len(made)]
        assert list(map(int, counts)) == wanted


def test_what_is_called_loose_is_imprecise() -> None:
    verdicts = {claim.id: claim.verdict for claim in claims()}
    named = ids(AUDIT["appendix-audit-032"])
    assert len(named) > 10 and {verdicts[name] for name in named} == {"imprecise"}
