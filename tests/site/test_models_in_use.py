"""Test that readers can sort, filter and share the table of models, and can read it on a phone."""

import re

from bs4 import BeautifulSoup
from built import PHONE, ROOT, Open
from playwright.sync_api import Locator, Page, expect

from _ext import models
from _ext.models import columns
from pe_lib.checkpoints import layers

PAGE = "chapters/appendix-models.html"
STORED = models.load(ROOT)
ALL = len(STORED)
NAMES = [f"{model['model']} ({model['by']})" for model in STORED]


def column(page: Page, nth: int = 0) -> list[str]:
    """Return the texts in one column of all visible rows. Column 0 contains the models' names."""
    rows = page.locator(".om-models tbody tr")
    return rows.evaluate_all(
        """(rows, nth) => rows.filter((row) => row.checkVisibility())
          .map((row) => row.cells[nth].textContent.trim())""",
        nth,
    )


def bases(page: Page) -> list[float]:
    """Return the RoPE bases in all visible rows, and check that models without a base come last."""
    texts = column(page, 5)
    given = [text for text in texts if text]
    assert texts[: len(given)] == given
    return [float(re.match(r"[\d,]+", text)[0].replace(",", "")) for text in given]  # type: ignore[index]


def heading(page: Page, name: str) -> Locator:
    return page.locator(".om-models").get_by_role("button", name=name, exact=True)


def test_every_stored_model_has_its_row_and_a_heading_sorts_it(open_page: Open) -> None:
    page = open_page(PAGE)
    assert column(page) == NAMES
    for said, base, model in zip(column(page, 3), column(page, 5), STORED, strict=True):
        made = layers(model["config"])
        assert said.startswith(columns.positions(made)) and base == columns.bases(made)
    head = page.locator(".om-models th", has_text="Base")
    for order in ("ascending", "descending"):
        heading(page, "Base").click()
        expect(head).to_have_attribute("aria-sort", order)
        assert bases(page) == sorted(bases(page), reverse=order == "descending")
    heading(page, "Model").click()
    assert head.get_attribute("aria-sort") is None
    assert column(page) == page.evaluate(
        "(all) => all.sort((a, b) => a.localeCompare(b, 'en'))", NAMES
    )


def test_words_a_kind_and_a_scheme_leave_the_rows_that_have_all(open_page: Open) -> None:
    page = open_page(PAGE)
    status = page.locator(".om-models-filter").get_by_role("status")
    page.get_by_role("searchbox").fill("yarn deepseek")
    some = column(page)
    assert "DeepSeek-V3 (DeepSeek)" in some and len(some) < 9
    expect(status).to_have_text(f"{len(some)} of {ALL} models")
    page.get_by_role("searchbox").fill("")
    page.get_by_role("combobox", name="Kind").select_option("video")
    assert column(page) == [
        name for name, model in zip(NAMES, STORED, strict=True) if model["kind"] == "video"
    ]
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("combobox", name="Positions").select_option("layers with none")
    assert column(page) == [
        name
        for name, model in zip(NAMES, STORED, strict=True)
        if any(layer.scheme == "none" and layer.width for layer in layers(model["config"]))
    ]
    # The address of the page stores how the table is filtered and sorted.
    heading(page, "Year").click()
    heading(page, "Year").click()
    some = column(page)
    assert page.evaluate("location.search") == "?scheme=none&sort=-year"
    page.reload()
    assert column(page) == some
    page.get_by_role("button", name="Show all").click()
    assert page.evaluate("location.search") == "" and column(page) == NAMES
    expect(page.get_by_role("button", name="Show all")).to_be_hidden()
    expect(status).to_have_text(f"{ALL} models")


def test_by_finger_on_a_phone(open_page: Open) -> None:
    page = open_page(PAGE, viewport=PHONE, has_touch=True)
    for name in models.COLUMNS:
        box = heading(page, name).bounding_box()
        assert box and box["height"] >= 44, name
    heading(page, "Base").tap()
    assert bases(page) == sorted(bases(page))
    label = "(cell) => getComputedStyle(cell, '::before').content"
    assert page.locator(".om-models tbody td:nth-child(6)").first.evaluate(label) == '"Base"'


def test_on_paper_each_source_is_said_once(open_page: Open) -> None:
    page = open_page(PAGE)
    page.emulate_media(media="print")
    sources = page.locator(".om-models tbody td:last-child")
    texts = [text.strip().replace("’", "'") for text in sources.all_inner_texts()]
    assert texts == [BeautifulSoup(model["source"], "html.parser").text for model in STORED]


def test_words_for_layers() -> None:
    """Check how columns.py describes made-up patterns of layers, and the layers of two models."""
    assert columns.pattern(["a"] * 3) == "a"
    assert columns.pattern(["a", "b"] * 4) == "a; every other layer b"
    assert columns.pattern(["b", "a", "a", "a"] * 2) == "a; b in 2 of 8"
    by_name = {model["model"]: layers(model["config"]) for model in STORED}
    scout, gemma = by_name["Llama 4 Scout"], by_name["Gemma 4 26B A4B"]
    assert columns.positions(scout) == "rotary; every 4th layer none"
    assert columns.windows(scout) == "chunks of 8,192 in 36 of 48"
    assert columns.scalings(scout) == "by parts, 16"
    assert columns.rotated_entries(gemma) == "128 of 512; with a window 256 of 256"
    assert columns.bases(gemma) == "1,000,000; with a window 10,000"
