"""What the extensions do to a page, each on the smallest page that shows it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import Tag
from built import CHAPTERS, EXPLORED, ROOT, Open
from hands import settle
from little import build
from sphinxcontrib import katex

from _ext import formulas, quiz
from pe_lib.course.grading.sheet import names

MARKDOWN = ["_ext.formulas", "_ext.writer"]


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Tag]:
    monkeypatch.setattr(formulas, "copy", lambda app: None)  # of fonts, which are not needed here
    return lambda text: build(tmp_path, {"index": f"# Title\n\n{text}\n"}, *MARKDOWN)["index"]


def test_names_of_columns_say_so_and_an_empty_corner_is_no_name(page: Callable[[str], Tag]) -> None:
    soup = page("|  | sine | cosine |\n| --- | ---: | --- |\n| position 0 | 0 | 1 |")
    assert {head.get_text(): head["scope"] for head in soup.select("th")} == {
        "sine": "col",
        "cosine": "col",
        "position 0": "row",
    }
    assert soup.select_one("thead td").get_text() == ""
    assert soup.select_one("div.om-table > table")


def test_a_wide_table_of_words_becomes_cards_on_a_phone(page: Callable[[str], Tag]) -> None:
    head = "| model | positions | trained on | source |\n| --- | --- | --- | --- |\n"
    long = "a description of many words, more than a phone shows in one row of it"
    wide = page(f"{head}| BERT | learned | 512 | {long} |").select_one(".om-rows")
    cells = wide.select("tbody td")
    assert [cell.get("data-label") for cell in cells] == [None, "positions", "trained on", "source"]
    assert not page(f"{head}| BERT | learned | 512 | short |").select(".om-rows")


def test_a_heading_has_a_link_that_says_where_it_leads(page: Callable[[str], Tag]) -> None:
    link = page("## Why *both*").select_one("h2 > a.headerlink")
    assert (link["href"], link["aria-label"]) == ("#why-both", "Link to: Why both")


def test_code_has_colours_and_no_element_without_one(page: Callable[[str], Tag]) -> None:
    source = 'for i in range(3):  # three\n    print(f"{i} < {1.5}", "&")'
    box = page(f"```python\n{source}\n```").select_one("div.highlight > pre")
    assert box.get_text().strip() == source
    found = [(span["class"][0], span.get_text()) for span in box.select("span")]
    assert ("k", "for") in found and ("c", "# three") in found and ("m", "3") in found
    assert {name for name, _ in found} <= {"k", "s", "c", "m"}


def test_a_far_section_waits_with_its_layout(open_page: Open) -> None:
    page = open_page(EXPLORED)
    settle(page)
    laid_out = "(e) => e.checkVisibility({ contentVisibilityAuto: true })"
    assert page.locator(".om-explorer").first.evaluate(laid_out)
    assert not page.locator(".om-article > section > section > :is(p, ul)").last.evaluate(laid_out)


@pytest.mark.parametrize("name", [name for name in names() if f"chapters/{name}.html" in CHAPTERS])
def test_questions_come_right_before_further_reading(name: str) -> None:
    source = (ROOT / "chapters" / f"{name}.ipynb").read_text("utf-8")
    texts = ["".join(cell["source"]) for cell in json.loads(quiz.rewrite(source, name))["cells"]]
    sections = [text.split("\n")[0] for text in texts if text.startswith("## ")]
    assert sections[-2:] == ["## Exercises", "## Further reading"]


@pytest.mark.parametrize("formula", [r"$\sin(\omega t$ is $\frac{1}$", "$$\\begin{matrix} 1 $$"])
def test_a_formula_with_a_mistake_ends_the_build(
    formula: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(katex.KATEX_DEFAULT_OPTIONS, "throwOnError", False)  # as it comes
    monkeypatch.setattr(formulas, "copy", lambda app: None)  # of fonts, which are not needed here
    with pytest.raises(katex.KaTeXError, match="KaTeX parse error"):
        build(tmp_path, {"index": f"# Title\n\n{formula}\n"}, "_ext.formulas")
