"""Test that each chapter states how long the content of its built page takes to read."""

import re
from copy import copy
from pathlib import Path

import pytest
from bs4 import Tag
from built import CHAPTERS, parse_page

from _ext.chapters import belongs_to_chapter

TIMED = [page for page in CHAPTERS if belongs_to_chapter(page.removesuffix(".html"))]
NO_PROSE = ["pre", "figure", "form", "nav"]
NO_PROSE_CLASSES = ["om-explorer", "om-quiz"]


def is_closed(element: Tag) -> bool:
    """Return whether an element is hidden in a closed <details> element and not in its summary."""
    for details in element.find_parents("details"):
        summary = details.find("summary", recursive=False)
        is_in_summary = summary is not None and (element is summary or summary in element.parents)
        if not details.has_attr("open") and not is_in_summary:
            return True
    return False


def count_words(article: Tag) -> int:
    """Count the words in all visible paragraphs, list items, headings and table cells."""
    words = 0
    for element in article.find_all(["p", "li", "h2", "h3", "td"]):
        classes = {name for parent in element.parents for name in parent.get("class", [])}
        is_folded = "om-folding" in classes and element.name not in ("h2", "h3")
        if element.find_parent(NO_PROSE) or classes & set(NO_PROSE_CLASSES) or is_folded:
            continue
        if is_closed(element) or element.find(["p", "li"]):
            continue
        visible = copy(element)
        for hidden in visible.select(".katex-html, annotation, script, style"):
            hidden.decompose()
        words += len(visible.get_text().split())
    return words


def measure_minutes(path: Path) -> float:
    """Return how many minutes a careful reader needs for a built page, by counting in its HTML."""
    article = parse_page(path).article
    assert article is not None
    open_code = [
        pre
        for pre in article.select("div.highlight pre")
        if not is_closed(pre) and not pre.find_parent(class_="om-folding")
    ]

    def count(selector: str) -> int:
        found = article.select(selector)
        return sum(not is_closed(e) and not e.find_parent(class_="om-folding") for e in found)

    return (
        count_words(article) / 120
        + count(".katex-display")
        + 0.7 * count("figure")
        + 3 * count(".om-explorer")
        + 1.9 * len(article.select(".om-predict"))
        + 0.06 * sum(len(pre.get_text().strip().split("\n")) for pre in open_code)
    )


@pytest.mark.parametrize("page", TIMED)
def test_a_chapter_states_the_minutes_that_its_page_takes(site: Path, page: str) -> None:
    text = parse_page(site / page).get_text()
    stated = re.search(r"About (\d+) minutes", text)
    assert stated, "the page states no time"
    assert abs(int(stated[1]) - measure_minutes(site / page)) <= 2
