"""The course on one page: what it says is right, and on paper it is one sheet with nothing cut."""

import io
import math
import re
from collections.abc import Iterator

import mpmath
import pypdfium2
import pytest
from built import Open
from playwright.sync_api import Browser, Page
from pypdf import PdfReader

from _ext.onepage import PAGE, SHEETS
from tools import book
from tools.sheet import printed

MILLIMETRES = {"a4": (210, 297), "letter": (215.9, 279.4)}
TAU = 2 * mpmath.pi
TEXT = """() => {
  const sheet = document.getElementById("one-page").cloneNode(true);
  for (const unseen of sheet.querySelectorAll(".katex-mathml")) unseen.remove();
  return sheet.textContent;
}"""
TOO_WIDE = """() => [...document.querySelectorAll("#one-page section, #one-page section *")]
  .filter((box) => !box.closest(".katex, svg") && box.scrollWidth > box.clientWidth + 1)
  .filter((box) => getComputedStyle(box).display !== "inline")
  .map((box) => box.outerHTML.slice(0, 80))"""


def bare(said: str) -> str:
    """Without the spaces, which a formula has at will."""
    return re.sub(r"[\s\u200b]", "", said)


LETTER = pytest.param("letter", marks=pytest.mark.nightly)


@pytest.fixture(scope="module", params=["a4", LETTER])
def sheet(request: pytest.FixtureRequest, browser: Browser, server: str) -> tuple[str, bytes]:
    return request.param, printed(browser, f"{server}{PAGE}.html", request.param)


def sizes(pdf: bytes) -> Iterator[tuple[float, str]]:
    """Each string of the first page and how many points its letters have on paper."""
    found = []

    def visit(text: str, matrix: list[float], own: list[float], font: object, size: float) -> None:
        scale = math.prod(m[0] * m[3] - m[1] * m[2] for m in (matrix, own))
        found.append((size * math.sqrt(abs(scale)), text))

    PdfReader(io.BytesIO(pdf)).pages[0].extract_text(visitor_text=visit)
    return (pair for pair in found if pair[1].strip())


def test_the_page_prints_as_one_sheet_that_can_be_read(sheet: tuple[str, bytes]) -> None:
    paper, pdf = sheet
    pages = pypdfium2.PdfDocument(pdf)
    assert len(pages) == 1
    found = [points / 72 * 25.4 for points in pages[0].get_size()]
    assert found == pytest.approx(MILLIMETRES[paper], abs=0.5)
    grey = pages[0].render(scale=1, grayscale=True).to_numpy().squeeze()
    edge = 14  # points: five millimetres, which printers leave white
    for side in (grey[:edge], grey[-edge:], grey[:, :edge], grey[:, -edge:]):
        assert side.min() == 255
    assert [(size, text) for size, text in sizes(pdf) if size < 6.5] == []


@pytest.mark.parametrize("name", ["a4", LETTER])
def test_nothing_is_wider_than_its_column(open_page: Open, name: str) -> None:
    page = open_page(f"{PAGE}.html")
    page.emulate_media(media="print")
    wide, tall = (round((side - 13) / 25.4 * 96) for side in MILLIMETRES[name])
    page.set_viewport_size({"width": wide, "height": tall})
    assert page.evaluate(TOO_WIDE) == []


def test_the_files_to_download_say_what_the_page_says(sheet: tuple[str, bytes]) -> None:
    paper, pdf = sheet
    kept = (book.SITE / "_static" / "one-page" / f"order-matters-{paper}.pdf").read_bytes()
    assert kept == (book.ROOT / SHEETS / f"order-matters-{paper}.pdf").read_bytes()
    (old,), (new,) = (PdfReader(io.BytesIO(file)).pages for file in (kept, pdf))
    assert bare(old.extract_text()) == bare(new.extract_text()), "run: python -m tools.sheet"


def test_a_button_prints_the_page(open_page: Open) -> None:
    page = open_page(f"{PAGE}.html")
    page.evaluate("() => { window.print = () => { document.title = 'printed'; }; }")
    page.get_by_role("button", name="Print this page").click()
    page.wait_for_function("document.title === 'printed'")


def wave(i: int, d: int, base: int = 10_000) -> mpmath.mpf:
    return TAU * mpmath.mpf(base) ** (mpmath.mpf(2 * i) / d)


def commas(value: mpmath.mpf, digits: int = 0) -> str:
    return f"{float(value):,.{digits}f}".replace("-", "−")


def score(k: int, d: int = 512) -> mpmath.mpf:
    return mpmath.fsum(mpmath.cos(k * TAU / wave(i, d)) for i in range(d // 2))


def first_of_last_bucket(exact: int, last: int) -> int:
    """By whole numbers: 8 ln(n/8)/ln 16 ≥ 7 is (n/8)^8 ≥ 16^7."""
    wide = last + 1 - exact
    return next(n for n in range(exact, 999) if n**wide >= exact * 128 ** (wide - 1))


def sayings() -> Iterator[str]:
    """What the sheet has to say, each number by mpmath or by whole numbers."""
    row = [f(mpmath.mpf(5) / 10**i) for i in range(4) for f in (mpmath.sin, mpmath.cos)]
    yield "".join(commas(value, 3) for value in row)
    yield "at 4 and 18 it is " + " and ".join(commas(mpmath.sin(t), 3) for t in (4, 18))
    for d, base, digits in [(8, 10_000, 1), (64, 10_000, 1), (512, 10_000, 1), (128, 500_000, 0)]:
        yield f"{d // 2} pairs to {commas(wave(d // 2 - 1, d, base), digits)}"
    yield f"base = {commas(TAU * 10_000, 1)}"
    long = sum(wave(i, 512) > 2048 for i in range(256))
    yield f"{long} of 256 pairs do not come round in 2,048"
    enough = mpmath.ceil((4 * 32_768 / TAU) ** (mpmath.mpf(128) / 126))
    yield f"{commas(enough)} for d = 128, L = 32,768"
    right, doubled, halved = (
        commas(TAU * mpmath.mpf(10_000) ** (mpmath.mpf(n * 255) / 512), 1) for n in (2, 4, 1)
    )
    yield f"right {right}, doubled (4i/d) {doubled}, halved (i/d) {halved}"
    yield f"which does end at {commas(TAU * 10_000, 1)}"
    rise = next(k for k in range(59) if score(k + 1) > score(k))
    yield f"it rises from {rise} to {rise + 1}"
    yield "1/2 to 1/256 for 8 heads"
    last = first_of_last_bucket(8, 15), first_of_last_bucket(16, 31)
    yield f"begins at {last[0]}, in decoders at {last[1]}"
    yield "in the order 0 2 4 6 1 3 5 7"
    arcs = sum(wave(i, 128) > 2048 for i in range(64))
    yield f"{arcs} of 64 for d = 128, L = 2,048"
    base = 10_000 * mpmath.mpf(4) ** (mpmath.mpf(128) / 126)
    sharper = commas((1 + mpmath.log(4) / 10) ** 2, 3)
    yield f"the base becomes {commas(base)}, YaRN’s scores times {sharper}"
    yield "no odd number above 256, float16 none above 2,048"  # 8 and 11 bits of mantissa


def alternatives() -> Iterator[str]:
    """The same of what the drawings say to those who do not see them."""
    row = [f(mpmath.mpf(5) / 10**i) for i in range(4) for f in (mpmath.sin, mpmath.cos)]
    yield ", ".join(commas(value, 3) for value in row)
    for d, base in [(8, 10_000), (64, 10_000), (512, 10_000), (128, 500_000)]:
        yield f"{d // 2} pairs to {commas(wave(d // 2 - 1, d, base), 1)}"
    near, far = (commas(score(k) / 256, 3) for k in (10, 100))
    yield f"1 at 0, {near} at ±10, {far} at ±100"
    yield f"reaches 4 at pair {sum(wave(i, 128) <= 2048 for i in range(64))},"


def test_the_sheet_says_what_is_right(open_page: Open) -> None:
    page: Page = open_page(f"{PAGE}.html")
    text = bare(page.evaluate(TEXT))
    assert [said for said in sayings() if bare(said) not in text] == []
    pictures = page.locator("#one-page .om-figure svg")
    told = [picture.get_attribute("aria-label") or "" for picture in pictures.all()]
    assert len(told) == 6 and min(map(len, told)) > 60
    assert [said for said in alternatives() if said not in " ".join(told)] == []
