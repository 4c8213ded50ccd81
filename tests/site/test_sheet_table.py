"""Test that the table of exercise sheets says how many questions and points each sheet has."""

import re
from pathlib import Path

import pytest
from built import ROOT, parse_page

SHEETS = sorted((ROOT / "pe_lib/course/grading/sheets").glob("*.md"))


def count(sheet: Path) -> tuple[int, float]:
    """Return how many questions and points a sheet has, counted in its text."""
    points = re.findall(r"^id: .*\| points: ([^|\n]+)", sheet.read_text("utf-8"), re.MULTILINE)
    parts = [part for text in points for part in text.split(",")]
    return len(points), sum(float(part.split()[-1]) for part in parts)


@pytest.mark.parametrize("name", ["appendix-exercises", "appendix-teaching"])
def test_the_table_of_sheets_counts_questions_and_points(site: Path, name: str) -> None:
    page = parse_page(site / "chapters" / f"{name}.html")
    rows = [[td.get_text() for td in tr.select("td")] for tr in page.select("tr")]
    numbers = {row[0][:2]: row for row in rows if row and re.match(r"\d\d ", row[0])}
    assert set(numbers) == {sheet.name[:2] for sheet in SHEETS}
    for sheet in SHEETS:
        _, questions, points, minutes, *_ = numbers[sheet.name[:2]]
        assert (int(questions), float(points)) == count(sheet)
        assert 4 * int(questions) - 5 <= int(minutes) <= 15 * int(questions) + 5


def test_the_exercises_page_offers_each_sheet_with_its_solutions(site: Path) -> None:
    page = parse_page(site / "chapters" / "appendix-exercises.html")
    offered = {a["href"] for a in page.select("td a[href$='.ipynb']")}
    for sheet in SHEETS:
        assert f"../notebooks/exercises/{sheet.stem}.ipynb" in offered
        assert f"../notebooks/exercises/solutions/{sheet.stem}.ipynb" in offered
