"""The table of models in use: sorted, filtered, passed on, on a phone and without a script."""

import re

from built import PHONE, ROOT, Open
from playwright.sync_api import Locator, Page, expect

from _ext import described, models
from pe_lib.checkpoints import layers

PAGE = "chapters/appendix-models.html"
STORED = models.load(ROOT)
ALL = len(STORED)
NAMES = [f"{model['model']} ({model['by']})" for model in STORED]


def shown(page: Page) -> list[str]:
    """The models on the page, from above."""
    return page.evaluate("""() => [...document.querySelectorAll(".om-models tbody tr")]
      .filter((row) => row.checkVisibility()).map((row) => row.cells[0].textContent.trim())""")


def column(page: Page, nth: int) -> list[str]:
    return page.evaluate(
        """(nth) => [...document.querySelectorAll(".om-models tbody tr")]
          .filter((row) => row.checkVisibility())
          .map((row) => row.cells[nth].textContent.trim())""",
        nth,
    )


def heading(page: Page, name: str) -> Locator:
    return page.locator(".om-models").get_by_role("button", name=name, exact=True)


def status(page: Page) -> Locator:
    return page.locator(".om-models-filter").get_by_role("status")


def number(text: str) -> float:
    return float(re.match(r"[\d,]+", text)[0].replace(",", ""))  # type: ignore[index]


def test_every_stored_model_has_its_row_from_its_layers(open_page: Open) -> None:
    page = open_page(PAGE)
    assert shown(page) == NAMES
    for said, base, model in zip(column(page, 3), column(page, 5), STORED, strict=True):
        made = layers(model["config"])
        assert said.startswith(described.positions(made))
        assert base == described.bases(made)
    links = page.locator(".om-models tbody td:first-child a")
    found = links.evaluate_all("(all) => all.map((a) => a.getAttribute('href'))")
    assert found == [model["link"] for model in STORED]


def test_a_heading_sorts_by_numbers_and_again_the_other_way(open_page: Open) -> None:
    page = open_page(PAGE)
    heading(page, "Base").click()
    rising = [number(text) for text in column(page, 5) if text]
    assert rising == sorted(rising) and len(shown(page)) == ALL
    assert not any(column(page, 5)[len(rising) :])  # what has no base comes last
    head = page.locator(".om-models th", has_text="Base")
    expect(head).to_have_attribute("aria-sort", "ascending")
    heading(page, "Base").click()
    falling = [number(text) for text in column(page, 5) if text]
    assert falling == rising[::-1] and not any(column(page, 5)[len(rising) :])
    expect(head).to_have_attribute("aria-sort", "descending")
    heading(page, "Model").click()
    assert head.get_attribute("aria-sort") is None
    names = page.evaluate("(all) => all.sort((a, b) => a.localeCompare(b, 'en'))", NAMES)
    assert shown(page) == names


def test_words_a_kind_and_a_scheme_leave_the_rows_that_have_all(open_page: Open) -> None:
    page = open_page(PAGE)
    expect(status(page)).to_have_text(f"{ALL} models")
    page.get_by_role("searchbox").fill("yarn deepseek")
    some = shown(page)
    assert "DeepSeek-V3 (DeepSeek)" in some and 0 < len(some) < 9
    expect(status(page)).to_have_text(f"{len(some)} of {ALL} models")
    page.get_by_role("searchbox").fill("")
    page.get_by_role("combobox", name="Kind").select_option("video")
    kind = [m["model"] for m in STORED if m["kind"] == "video"]
    assert [name.rsplit(" (", 1)[0] for name in shown(page)] == kind
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("combobox", name="Positions").select_option("layers with none")
    for model in STORED:
        made = layers(model["config"])
        bare = any(x.scheme == "none" and x.width for x in made)
        assert (f"{model['model']} ({model['by']})" in shown(page)) == bare, model["model"]
    page.get_by_role("button", name="Show all").click()
    assert shown(page) == NAMES
    expect(page.get_by_role("button", name="Show all")).to_be_hidden()


def test_filter_and_order_are_kept_in_the_address(open_page: Open) -> None:
    page = open_page(PAGE)
    page.get_by_role("combobox", name="Positions").select_option("rotary")
    heading(page, "Year").click()
    heading(page, "Year").click()
    some = shown(page)
    assert page.evaluate("location.search") == "?scheme=rotary&sort=-year"
    page.reload()
    assert shown(page) == some
    page.get_by_role("button", name="Show all").click()
    assert page.evaluate("location.search") == "" and shown(page) == NAMES


def test_by_finger_on_a_phone(open_page: Open) -> None:
    page = open_page(PAGE, viewport=PHONE, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    for name in models.COLUMNS:
        box = heading(page, name).bounding_box()
        assert box and box["height"] >= 44, name
    heading(page, "Base").tap()
    rising = [number(text) for text in column(page, 5) if text]
    assert rising == sorted(rising)
    label = "(cell) => getComputedStyle(cell, '::before').content"
    assert page.locator(".om-models tbody td:nth-child(6)").first.evaluate(label) == '"Base"'


def test_words_for_layers() -> None:
    """Patterns by hand; Llama 4 Scout and Whisper from what is stored of them."""
    assert described.pattern(["a"] * 3) == "a"
    assert described.pattern(["a", "b"] * 4) == "a; every other layer b"
    assert described.pattern(["b", "a", "a", "a"] * 2) == "a; b in 2 of 8"
    by_name = {model["model"]: layers(model["config"]) for model in STORED}
    scout = by_name["Llama 4 Scout"]
    assert described.positions(scout) == "rotary; every 4th layer none"
    assert described.windows(scout) == "chunks of 8,192 in 36 of 48"
    assert described.scalings(scout) == "by parts, 16"
    whisper = by_name["Whisper tiny"]
    assert described.positions(whisper).startswith("encoder: sinusoidal; decoder: learned table")
    gemma = by_name["Gemma 4 26B A4B"]
    assert described.turned(gemma) == "128 of 512; with a window 256 of 256"
    assert described.bases(gemma) == "1,000,000; with a window 10,000"
    assert described.windows(by_name["Phi-3.5-mini"], 131_072) == ""
