"""The printed sheet: its numbers, its paper, legible in black and white."""

import io
import itertools
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import matplotlib
import mpmath
import pypdfium2
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.textpath import TextPath, text_to_path
from matplotlib.transforms import Bbox
from pypdf import PdfReader

from pe_lib.course.figures import PALETTE
from tools.onepage import contents, files, paper
from tools.onepage.sheet import page

ROOT = Path(__file__).parents[3]
PAPERS = ("a4", "letter")
MILLIMETRES = {"a4": (210, 297), "letter": (215.9, 279.4)}
TAU = 2 * mpmath.pi


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("sheet")
    command = [sys.executable, "-m", "tools.onepage", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture(scope="module", params=PAPERS)
def text(request: pytest.FixtureRequest, made: dict[str, bytes]) -> str:
    """What a reader of the PDF can select, without the spaces, which a formula has at will."""
    (sheet,) = PdfReader(io.BytesIO(made[f"order-matters-{request.param}.pdf"])).pages
    return bare(sheet.extract_text())


def bare(said: str) -> str:
    return "".join(unicodedata.normalize("NFKC", said).split())


@pytest.fixture(scope="module", params=PAPERS)
def drawn(request: pytest.FixtureRequest) -> Iterator[Figure]:
    with matplotlib.rc_context(paper.SETTINGS):
        fig = page(request.param)
        fig.canvas.draw()
        yield fig


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


def luminance(colour: object) -> float:
    """Of a colour as WCAG has it: what is left of it in black and white."""
    rgb = matplotlib.colors.to_rgb(colour)
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: object, other: object) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_every_string_is_on_the_sheet_and_large_enough(drawn: Figure) -> None:
    wide, tall = drawn.bbox.size
    for text, ink in strings(drawn):
        assert ink.x0 > 20 and ink.x1 < wide - 20, text.get_text()
        assert ink.y0 > 14 and ink.y1 < tall - 14, text.get_text()
        assert text.get_fontsize() >= 7, text.get_text()


def test_no_string_stands_on_another(drawn: Figure) -> None:
    for (one, ink), (other, its) in itertools.combinations(strings(drawn), 2):
        across = min(ink.x1, its.x1) - max(ink.x0, its.x0)
        down = min(ink.y1, its.y1) - max(ink.y0, its.y0)
        assert across < 0.3 or down < 0.3, f"{one.get_text()!r} and {other.get_text()!r}"


def test_it_can_be_read_in_black_and_white(drawn: Figure) -> None:
    ax = drawn.axes[0]
    cells = [p for p in ax.patches if isinstance(p, Rectangle) and p.get_height() == 13]
    assert len(cells) == 8
    tall, on_cells = drawn.bbox.height, 0
    for text, ink in strings(drawn):
        middle = (ink.x0 + ink.x1) / 2, tall - (ink.y0 + ink.y1) / 2
        behind = [c for c in cells if c.get_window_extent().contains(*middle)]
        colour = behind[0].get_facecolor() if behind else PALETTE["paper"]
        on_cells += bool(behind)
        assert contrast(text.get_color(), colour) >= 4.5, text.get_text()
    assert on_cells == 8
    for line in ax.lines:
        if line.get_color() != PALETTE["grid"]:
            assert contrast(line.get_color(), PALETTE["paper"]) >= 3
    # curves that cross differ by more than their colour
    looks = [
        line.get_linestyle() + str(line._dash_pattern)
        for line in ax.lines
        if line.get_linewidth() == 1.4
    ]
    assert len(looks) == len(set(looks)) == 3


def test_the_print_is_black_on_white_with_margins(made: dict[str, bytes]) -> None:
    for name in PAPERS:
        document = pypdfium2.PdfDocument(made[f"order-matters-{name}.pdf"])
        grey = document[0].render(scale=1, grayscale=True).to_numpy().squeeze()
        edge = 14  # points: five millimetres, which printers leave white
        for side in (grey[:edge], grey[-edge:], grey[:, :edge], grey[:, -edge:]):
            assert side.min() == 255
        assert grey.mean() > 215, "white space"


def test_the_same_sources_give_the_same_bytes(made: dict[str, bytes], tmp_path: Path) -> None:
    for file in files.write(tmp_path):
        assert file.read_bytes() == made[file.name], file.name


def test_an_svg_says_what_the_pdf_says(made: dict[str, bytes]) -> None:
    """Every number with all its digits: only those of drawn lines may be shortened."""
    for name in PAPERS:
        (sheet,) = PdfReader(io.BytesIO(made[f"order-matters-{name}.pdf"])).pages
        svg = made[f"order-matters-{name}.svg"].decode()
        letters = "".join(re.findall(r">([^<>]+)</(?:text|tspan)>", svg))
        number = r"\d+(?:[.,]\d+)+"
        found, wanted = (re.findall(number, bare(said)) for said in (letters, sheet.extract_text()))
        assert len(wanted) > 30 and sorted(found) == sorted(wanted)


def test_a_pdf_is_one_page_of_its_size_that_says_what_it_is(made: dict[str, bytes]) -> None:
    for name, size in MILLIMETRES.items():
        pdf = PdfReader(io.BytesIO(made[f"order-matters-{name}.pdf"]))
        (sheet,) = pdf.pages
        found = [float(points) / 72 * 25.4 for points in sheet.mediabox[2:]]
        assert found == pytest.approx(size, abs=0.01)
        assert pdf.metadata.title == "Order Matters on one page"
        assert pdf.metadata.author == "The Order Matters authors"
        assert "CC BY 4.0" in pdf.metadata.subject and pdf.metadata.creation_date is None
        fonts = sheet["/Resources"]["/Font"].values()
        assert fonts and {font.get_object()["/Subtype"] for font in fonts} <= {
            "/Type0",
            "/TrueType",
        }


def test_an_svg_has_its_size_its_fonts_and_no_other_file(made: dict[str, bytes]) -> None:
    for name, (wide, tall) in MILLIMETRES.items():
        text = made[f"order-matters-{name}.svg"].decode()
        (box,) = re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
        assert [float(n) / 72 * 25.4 for n in box] == pytest.approx((wide, tall), abs=0.01)
        addresses = re.findall(r'(?:href="|url\()([^")]{9})', text)
        assert addresses and all(a.startswith(("data:", "#")) for a in addresses)
        assert text.count("@font-face") >= 5 and "<script" not in text


def test_all_blocks_are_there_and_name_their_chapter(text: str) -> None:
    for block in contents.blocks():
        assert bare(block.title + "→") in text, block.title
        numbers = ", ".join(map(str, block.chapters))
        pattern = re.escape(bare(block.title)) + r"→(chapters?)?" + re.escape(bare(numbers))
        assert re.search(pattern, text), block.title
    assert bare("CC BY 4.0") in text and "http" not in text


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


def test_what_the_clocks_write(text: str) -> None:
    row = [f(mpmath.mpf(5) / 10**i) for i in range(4) for f in (mpmath.sin, mpmath.cos)]
    cells = [commas(value, 3) + name for value, name in zip(row, ["sin", "cos"] * 4, strict=True)]
    assert "".join(cells) in text
    assert bare("pair 0: 5 pair 1: 0.5 pair 2: 0.05 pair 3: 0.005") in text
    sines = " and ".join(commas(mpmath.sin(t), 3) for t in (4, 18))
    assert bare(f"at 4 and 18 it is {sines}") in text


def test_the_wavelengths(text: str) -> None:
    for d, base, digits in [(8, 10_000, 1), (64, 10_000, 1), (512, 10_000, 1), (128, 500_000, 0)]:
        last = commas(wave(d // 2 - 1, d, base), digits)
        assert bare(f"{d // 2} pairs to {last}") in text
    assert bare(f"base = {commas(TAU * 10_000, 1)}") in text
    long = sum(wave(i, 512) > 2048 for i in range(256))
    assert bare(f"{long} of 256 pairs do not come round in 2,048") in text
    enough = mpmath.ceil((4 * 32_768 / TAU) ** (mpmath.mpf(128) / 126))
    assert bare(f"{commas(enough)} for d = 128, L = 32,768") in text
    # the least whole base with which the slowest sine rises all the way, and one less
    assert wave(63, 128, int(enough)) >= 4 * 32_768 > wave(63, 128, int(enough) - 1)


def test_the_exponents(text: str) -> None:
    right, doubled, halved = (
        commas(TAU * mpmath.mpf(10_000) ** (mpmath.mpf(n * 255) / 512), 1) for n in (2, 4, 1)
    )
    assert bare(f"right {right}, doubled (4i/d) {doubled}, halved (i/d) {halved}") in text


def test_the_kernel(text: str) -> None:
    values = [score(k) for k in range(60)]
    rise = next(k for k in range(59) if values[k + 1] > values[k])
    assert bare(f"it rises from {rise} to {rise + 1}") in text
    drawing = contents.relative().items[2]
    assert isinstance(drawing, contents.Drawing)
    for k in (10, 100):
        assert f"{commas(score(k) / 256, 3)} at ±{k}" in drawing.said


def test_biases(text: str) -> None:
    slopes = [1 / mpmath.mpf(2) ** (-8 * mpmath.mpf(h) / 8) for h in (1, 8)]
    assert bare(f"1/{int(slopes[0])} to 1/{int(slopes[1])} for 8 heads") in text
    last = first_of_last_bucket(8, 15), first_of_last_bucket(16, 31)
    assert bare(f"begins at {last[0]}, in decoders at {last[1]}") in text


def test_the_two_layouts(text: str) -> None:
    order = [i for i in range(8) if i % 2 == 0] + [i for i in range(8) if i % 2]
    assert bare(f"in the order {' '.join(map(str, order))}") in text


def test_longer_contexts(text: str) -> None:
    arcs = sum(wave(i, 128) > 2048 for i in range(64))
    assert bare(f"{arcs} of 64 for d = 128, L = 2,048") in text
    base = 10_000 * mpmath.mpf(4) ** (mpmath.mpf(128) / 126)
    sharper = (1 + mpmath.log(4) / 10) ** 2
    assert (
        bare(f"the base becomes {commas(base)}, YaRN’s scores times {commas(sharper, 3)}") in text
    )
    # that base slows the last pair by exactly 4, and pair i by 4^(i/63)
    for i in (0, 20, 63):
        slowed = base ** (mpmath.mpf(2 * i) / 128) / mpmath.mpf(10_000) ** (mpmath.mpf(2 * i) / 128)
        assert mpmath.almosteq(slowed, mpmath.mpf(4) ** (mpmath.mpf(i) / 63), 1e-12)


def test_numbers_that_half_precision_lacks(text: str) -> None:
    import numpy as np

    half = next(n for n in range(1, 9999, 2) if int(np.float16(n)) != n) - 1
    brain = next(n for n in range(1, 9999, 2) if n.bit_length() > 8) - 1
    assert bare(f"no odd number above {brain}, float16 none above {commas(half)}") in text
