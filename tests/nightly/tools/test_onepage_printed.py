"""The printed sheet: its numbers, its paper, legible in black and white."""

import io
import itertools
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import matplotlib
import mpmath
import pypdfium2
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.textpath import TextPath, text_to_path
from matplotlib.transforms import Bbox
from pypdf import PdfReader

from tools.onepage import contents, files, paper
from tools.onepage.sheet import page

MILLIMETRES = {"a4": (210, 297), "letter": (215.9, 279.4)}
TAU = 2 * mpmath.pi


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return {f.name: f.read_bytes() for f in files.write(tmp_path_factory.mktemp("sheet"))}


@pytest.fixture(scope="module", params=MILLIMETRES)
def drawn(request: pytest.FixtureRequest) -> Iterator[Figure]:
    with matplotlib.rc_context(paper.SETTINGS):
        fig = page(request.param)
        fig.canvas.draw()
        yield fig


def bare(said: str) -> str:
    """Without the spaces, which a formula has at will, and the dollars of one."""
    return "".join(unicodedata.normalize("NFKC", said).split())


def strings(fig: Figure) -> list[tuple[Text, Bbox]]:
    """Each string, and where its ink is, in points from the upper left corner."""
    found = []
    for text in fig.axes[0].texts:
        said, font = text.get_text(), text.get_fontproperties()
        ink = TextPath((0, 0), said, prop=font).get_extents()
        x, y = text.get_position()
        wide, _, _ = text_to_path.get_text_width_height_descent(said, font, said[0] == "$")
        x -= {"left": 0, "center": wide / 2, "right": wide}[text.get_horizontalalignment()]
        found.append((text, Bbox([[x + ink.x0, y - ink.y1], [x + ink.x1, y - ink.y0]])))
    return found


def test_every_string_is_on_the_sheet_large_enough_and_stands_on_no_other(drawn: Figure) -> None:
    wide, tall = drawn.bbox.size
    for text, ink in strings(drawn):
        assert ink.x0 > 20 and ink.x1 < wide - 20, text.get_text()
        assert ink.y0 > 14 and ink.y1 < tall - 14, text.get_text()
        assert text.get_fontsize() >= 7, text.get_text()
    for (one, ink), (other, its) in itertools.combinations(strings(drawn), 2):
        across = min(ink.x1, its.x1) - max(ink.x0, its.x0)
        down = min(ink.y1, its.y1) - max(ink.y0, its.y0)
        assert across < 0.3 or down < 0.3, f"{one.get_text()!r} and {other.get_text()!r}"


def test_the_same_sources_give_the_same_bytes(made: dict[str, bytes], tmp_path: Path) -> None:
    assert {file.name: file.read_bytes() for file in files.write(tmp_path)} == made


@pytest.mark.parametrize("name", MILLIMETRES)
def test_pdf_and_svg_have_their_size_their_margins_and_the_same_numbers(
    made: dict[str, bytes], name: str
) -> None:
    data, svg = made[f"order-matters-{name}.pdf"], made[f"order-matters-{name}.svg"].decode()
    (sheet,) = PdfReader(io.BytesIO(data)).pages
    (box,) = re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    for size in (sheet.mediabox[2:], box):
        found = [float(points) / 72 * 25.4 for points in size]
        assert found == pytest.approx(MILLIMETRES[name], abs=0.01)
    fonts = {font.get_object()["/Subtype"] for font in sheet["/Resources"]["/Font"].values()}
    assert fonts and fonts <= {"/Type0", "/TrueType"}
    grey = pypdfium2.PdfDocument(data)[0].render(scale=1, grayscale=True).to_numpy().squeeze()
    edge = 14  # points: five millimetres, which printers leave white
    for side in (grey[:edge], grey[-edge:], grey[:, :edge], grey[:, -edge:]):
        assert side.min() == 255
    addresses = re.findall(r'(?:href="|url\()([^")]{9})', svg)
    assert addresses and all(a.startswith(("data:", "#")) for a in addresses)
    # every number with all its digits: only those of drawn lines may be shortened
    letters = "".join(re.findall(r">([^<>]+)</(?:text|tspan)>", svg))
    found, wanted = (
        sorted(re.findall(r"\d+(?:[.,]\d+)+", bare(said)))
        for said in (letters, sheet.extract_text())
    )
    assert len(wanted) > 30 and found == wanted


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
    yield "".join(commas(v, 3) + n for v, n in zip(row, ["sin", "cos"] * 4, strict=True))
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
    for block in contents.blocks():
        yield f"{block.title}→"


@pytest.mark.parametrize("name", MILLIMETRES)
def test_the_sheet_says_what_is_right(made: dict[str, bytes], name: str) -> None:
    (sheet,) = PdfReader(io.BytesIO(made[f"order-matters-{name}.pdf"])).pages
    text = bare(sheet.extract_text())
    assert [said for said in sayings() if bare(said) not in text] == []
