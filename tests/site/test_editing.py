"""Test the changes that Sphinx extensions make to a page, each on a minimal page."""

from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import Tag
from little import build
from sphinx.errors import ExtensionError

from _ext import formulas

MARKDOWN = ["_ext.formulas", "_ext.writer"]


@pytest.fixture
def page(tmp_path: Path) -> Callable[[str], Tag]:
    return lambda text: build(tmp_path, {"index": f"# Title\n\n{text}\n"}, *MARKDOWN)["index"]


def test_names_of_columns_say_so_and_an_empty_corner_is_no_name(page: Callable[[str], Tag]) -> None:
    soup = page("|  | sine | cosine |\n| --- | ---: | --- |\n| position 0 | 0 | 1 |")
    named = {head.get_text(): head["scope"] for head in soup.select("div.om-table > table th")}
    assert named == {"sine": "col", "cosine": "col", "position 0": "row"}
    assert soup.select_one("thead td").get_text() == ""


def test_a_wide_table_of_words_becomes_cards_on_a_phone(page: Callable[[str], Tag]) -> None:
    head = "| model | positions | trained on | source |\n| --- | --- | --- | --- |\n"
    long = "a description of many words, more than a phone shows in one row of it"
    wide = page(f"{head}| BERT | learned | 512 | {long} |").select_one(".om-rows")
    cells = wide.select("tbody td")
    assert [cell.get("data-label") for cell in cells] == [None, "positions", "trained on", "source"]
    assert not page(f"{head}| BERT | learned | 512 | short |").select(".om-rows")


@pytest.mark.parametrize("formula", [r"$\sin(\omega t$ is $\frac{1}$", "$$\\begin{matrix} 1 $$"])
def test_a_formula_with_a_mistake_ends_the_build(formula: str, tmp_path: Path) -> None:
    with pytest.raises(ExtensionError, match="KaTeX parse error"):
        build(tmp_path, {"index": f"# Title\n\n{formula}\n"}, "_ext.formulas")


def test_the_package_whose_style_is_shipped_sets_the_formulas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "another version"
    package.mkdir()
    renders = "exports.renderToString = (formula) => `<i>${formula}</i>`"
    (package / "katex.min.js").write_text(renders, "utf-8")
    (package / "katex.min.css").write_text('src:url(a) format("woff2"),url(b) format("woff")')
    monkeypatch.setattr(formulas, "KATEX", package)
    page = build(tmp_path / "book", {"index": "# Title\n\n$x$\n"}, "_ext.formulas")["index"]
    assert page.select_one(".math i").get_text() == "x"
    assert "format" in (tmp_path / "book/built/_static/katex/katex.min.css").read_text("utf-8")
