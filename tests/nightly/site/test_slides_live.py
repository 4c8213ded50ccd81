"""Test in a browser that no slide is cut off, and that explorers, notes and printing work."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from built import Open
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from classroom.slides.__main__ import write
from tools.serve import serve_folder

CHAPTERS = ("02-the-formula", "08-rotary")
CUT = """() => {
  const slide = Reveal.getCurrentSlide(), body = slide.querySelector(".om-body");
  const room = document.querySelector(".slides").getBoundingClientRect();
  const box = body.getBoundingClientRect();
  return slide.scrollHeight > 705 || box.right > room.right + 1;
}"""


@pytest.fixture(scope="module")
def slides(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Write the slides next to the built site, and yield a server's address for both."""
    folder = tmp_path_factory.mktemp("slides")
    for name in ("_static", "chapters"):
        (folder / name).symlink_to(site / name, target_is_directory=True)
    write(folder)
    with serve_folder(folder) as address:
        yield address


def deck(open_page: Open, slides: str, name: str, more: str = "") -> Page:
    size = {"width": 1200, "height": 700}
    page = open_page(f"slides/{name}.html{more}", base=slides, viewport=size)
    page.wait_for_function("Reveal.isReady()")
    return page


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_slide_fits(open_page: Open, slides: str, name: str) -> None:
    page = deck(open_page, slides, name)
    seen, cut = 0, []
    while True:
        seen += 1
        if page.locator("section.present section.present .om-explorer").count():
            page.locator("section.present section.present .om-explorer[data-live]").wait_for()
            page.wait_for_timeout(200)  # wait until the explorer has been scaled to fit the slide
        if page.evaluate(CUT):
            cut.append(page.evaluate("location.hash"))
        if page.evaluate("Reveal.isLastSlide()"):
            break
        page.keyboard.press("Space")
    assert seen == page.evaluate("Reveal.getTotalSlides()") > 30
    assert not cut


def test_an_explorer_is_moved_by_its_own_keys_and_the_notes_follow(
    open_page: Open, slides: str
) -> None:
    page = deck(open_page, slides, CHAPTERS[0], "#/0/1")
    slider = page.locator("section.present input[type=range]").first
    before = slider.input_value()
    slider.press("ArrowRight")
    assert slider.input_value() != before
    assert page.evaluate("location.hash") == "#/0/1", "the slide stays"
    slider.blur()
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    notes = opened.value.locator(".speaker-controls-notes .value")
    expect(notes).not_to_be_empty()
    said = notes.inner_text()
    page.keyboard.press("ArrowRight")
    expect(notes).not_to_have_text(said)


def test_on_paper_each_slide_has_a_page_with_its_picture(open_page: Open, slides: str) -> None:
    page = deck(open_page, slides, CHAPTERS[0], "?print-pdf")
    count = page.locator("section.om-slide").count()
    explorers = page.locator(".pdf-page .om-live")
    explorers.first.wait_for()
    printed = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True, print_background=True)))
    assert len(printed.pages) == count > 30
