"""What the extensions do to a page, each on the smallest page that shows it."""

import json
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from built import CHAPTERS, EXPLORED, ROOT, Open
from hands import settle
from sphinx.application import Sphinx
from sphinxcontrib import katex

from _ext import formulas, quiz
from _ext.page import Page
from pe_lib.course.grading.sheet import names


def test_names_of_columns_say_so_and_an_empty_corner_is_no_name(tmp_path: Path) -> None:
    soup = edited(
        tmp_path,
        """<table><thead><tr><th></th><th>sine</th><th>cosine</th></tr></thead>
        <tbody><tr><th scope="row">position 0</th><td>0</td><td>1</td></tr></tbody></table>""",
    )
    heads = {head.get_text(): head["scope"] for head in soup.select("th")}
    assert heads == {"sine": "col", "cosine": "col", "position 0": "row"}
    assert soup.select_one("thead td").get_text() == ""


def test_a_picture_waits_until_it_is_near_but_keeps_its_room(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"/>')
    soup = edited(
        tmp_path,
        """<div id="pst-primary-sidebar"><img src="a.svg" alt=""></div>
        <article><img src="a.svg" alt="A clock."></article>""",
    )
    logo, picture = soup.select("img")
    assert (picture["width"], picture["height"]) == ("40", "30")
    assert (picture["loading"], picture["decoding"]) == ("lazy", "async")
    assert not logo.has_attr("loading"), "it is at the top of every page"


def edited(folder: Path, text: str) -> BeautifulSoup:
    """The article `text` after the edits that ask nothing of the theme."""
    path = folder / "page.html"
    path.write_text(text)
    page = Page(path, folder)
    page._tables()
    page._images()
    return page.soup


def test_a_far_section_waits_with_its_layout(open_page: Open) -> None:
    page = open_page(EXPLORED)
    settle(page)
    texts = page.locator(".om-article > section > section > :is(p, ul)")
    laid_out = "(e) => e.checkVisibility({ contentVisibilityAuto: true })"
    assert texts.first.evaluate(laid_out) and not texts.last.evaluate(laid_out)


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
    source, built = tmp_path / "source", tmp_path / "built"
    source.mkdir()
    (source / "index.md").write_text(f"# Title\n\n{formula}\n")
    settings = {
        "extensions": ["myst_parser", "sphinxcontrib.katex", "_ext.formulas"],
        "myst_enable_extensions": ["dollarmath"],
        "html_math_renderer": "katex",
        "katex_prerender": True,
    }
    app = Sphinx(source, None, built, built, "html", settings, status=None, warning=None)
    with pytest.raises(katex.KaTeXError, match="KaTeX parse error"):
        app.build()
