"""A sheet of paper to write on: boxes of text and drawings, stacked into columns. Units are points.

Matplotlib sets one string at a time. Here a paragraph is broken into lines, with formulas between
dollars, **bold** words and `code` in it, each line as few strings as possible, so that a reader of
the PDF can select it.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D

from pe_lib.course.figures import PALETTE

SIZES = {"a4": (210 / 25.4 * 72, 297 / 25.4 * 72), "letter": (612.0, 792.0)}
BODY, SMALL, LEADING = 7.8, 7.1, 9.4
MATHS = 1.14  # STIX has smaller letters than DejaVu Sans
SETTINGS = {
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "stix",
    "savefig.bbox": None,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "order matters",
    "path.simplify": False,
}
Word = list[tuple[str, "Style"]]
_PIECE = re.compile(r"(\*\*.+?\*\*|\$[^$]+\$|`[^`]+`)")


@dataclass(frozen=True)
class Style:
    """How a piece of text looks."""

    size: float = BODY
    colour: str = PALETTE["ink"]
    weight: str = "normal"
    family: str = "DejaVu Sans"

    def properties(self, maths: bool = False) -> FontProperties:
        size = self.size * MATHS if maths else self.size
        return FontProperties(family=self.family, weight=self.weight, size=size)


INK = Style()
NOTE = Style(SMALL, PALETTE["muted"])
STRONG = Style(weight="bold")


@cache
def width_of(text: str, style: Style = INK) -> float:
    maths = text.startswith("$")
    return float(
        text_to_path.get_text_width_height_descent(text, style.properties(maths), maths)[0]
    )


def pieces(source: str, style: Style) -> Iterator[Word]:
    """Words of a paragraph, each a list of strings of one style that stand without a space."""
    word: Word = []
    bold = Style(style.size, style.colour, "bold")
    code = Style(max(SMALL, 0.93 * style.size), style.colour, family="DejaVu Sans Mono")
    for part in _PIECE.split(source):
        if part.startswith("$"):
            word.append((part, style))
            continue
        mark = part[:1] if part.startswith(("**", "`")) else ""
        chosen = {"*": bold, "`": code}.get(mark, style)
        for n, text in enumerate(part.strip(mark).split(" ")):
            if n:
                if word:
                    yield word
                word = []
            if text:
                word.append((text, chosen))
    if word:
        yield word


@cache
def lift(formula: str, style: Style) -> float:
    """How far Matplotlib sets a formula above its line: it rounds the height up."""
    parsed = text_to_path.mathtext_parser.parse(formula, 72, style.properties(maths=True))
    size = style.size * MATHS
    heights = Counter(glyph[-1] for glyph in parsed.glyphs if abs(glyph[1] - size) < 0.01)
    return heights.most_common(1)[0][0]


@dataclass
class Box:
    """Something of a width and a growing height; x and y count from its upper left corner."""

    width: float
    height: float = 0.0
    things: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = field(default_factory=list)

    def text(
        self, x: float, y: float, text: str, style: Style = INK, *, align: str = "left"
    ) -> None:
        """One string with its baseline at y."""
        self.things.append(("text", (x, y, text), {"style": style, "align": align}))

    def line(self, xs: Any, ys: Any, **look: Any) -> None:
        self.things.append(("line", (xs, ys), look))

    def patch(self, patch: Patch) -> None:
        self.things.append(("patch", (patch,), {}))

    def image(self, values: Any, x: float, y: float, w: float, h: float, **look: Any) -> None:
        self.things.append(("image", (values, x, y, w, h), look))

    def put(self, other: "Box", x: float, y: float) -> None:
        self.things.append(("box", (other, x, y), {}))

    def skip(self, points: float) -> None:
        self.height += points

    def write(
        self,
        source: str,
        style: Style = INK,
        *,
        x: float = 0.0,
        width: float | None = None,
        leading: float = 0.0,
    ) -> None:
        """A paragraph below what is there."""
        leading = leading or LEADING * style.size / BODY
        limit = width if width is not None else self.width - x
        for line in lines(source, style, limit):
            self.height += leading
            for at, text, look in runs(line, style):
                self.text(x + at, self.height - 0.27 * leading, text, look)

    def draw(self, ax: Axes, x: float, y: float) -> None:
        """Draw everything with the corner of this box at (x, y) of the sheet."""
        for kind, given, look in self.things:
            if kind == "text":
                style, maths = look["style"], given[2].startswith("$")
                ax.text(
                    x + given[0],
                    y + given[1] + (lift(given[2], style) if maths else 0.0),
                    given[2],
                    color=style.colour,
                    ha=look["align"],
                    va="baseline",
                    fontproperties=style.properties(maths),
                    parse_math=maths,
                )
            elif kind == "line":
                xs, ys = (
                    [origin + v for v in vs] for origin, vs in zip((x, y), given, strict=True)
                )
                ax.add_line(Line2D(xs, ys, clip_on=False, **look))
            elif kind == "patch":
                given[0].set(transform=Affine2D().translate(x, y) + ax.transData, clip_on=False)
                ax.add_patch(given[0])
            elif kind == "image":
                values, left, top, w, h = given
                extent = (x + left, x + left + w, y + top + h, y + top)
                ax.imshow(values, extent=extent, aspect="auto", clip_on=False, **look)
            else:
                given[0].draw(ax, x + given[1], y + given[2])


def between(before: Word, after: Word, style: Style) -> float:
    """The space between two words: in the style of both if they have one, else the paragraph's."""
    (text, last), (start, first) = before[-1], after[0]
    same = last == first and not (text.startswith("$") or start.startswith("$"))
    return width_of("a b", last if same else style) - width_of("ab", last if same else style)


def lines(source: str, style: Style, limit: float) -> Iterator[list[Word]]:
    """The words of a paragraph in lines that are no wider than `limit`."""
    line: list[Word] = []
    used = 0.0
    for word in pieces(source, style):
        wide = sum(width_of(*piece) for piece in word)
        space = between(line[-1], word, style) if line else 0.0
        if line and used + space + wide > limit:
            yield line
            line, used, space = [], 0.0, 0.0
        used += space + wide
        line.append(word)
    if line:
        yield line


def runs(line: list[Word], style: Style) -> Iterator[tuple[float, str, Style]]:
    """What a line consists of: where each string begins, the string, its style."""
    at, run, look, begin = 0.0, "", style, 0.0
    for n, word in enumerate(line):
        for m, (text, chosen) in enumerate(word):
            gap = between(line[n - 1], word, style) if n and not m else 0.0
            if run and chosen == look and not (text.startswith("$") or run.startswith("$")):
                run += " " * bool(gap) + text
                continue
            if run:
                yield begin, run, look
                at = begin + width_of(run, look)
            begin, run, look = at + gap, text, chosen
    if run:
        yield begin, run, look


def sheet(paper: str) -> tuple[Figure, Axes]:
    """An empty page of this size, in points from its upper left corner."""
    w, h = SIZES[paper]
    fig = Figure(figsize=(w / 72, h / 72), dpi=72)
    ax = fig.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, w), ylim=(h, 0), autoscale_on=False)
    ax.axis("off")
    return fig, ax


def stack(ax: Axes, boxes: list[Box], x: float, top: float, bottom: float) -> float:
    """Boxes below one another from top to bottom; returns the space between two of them."""
    gap = (bottom - top - sum(box.height for box in boxes)) / max(1, len(boxes) - 1)
    for box in boxes:
        box.draw(ax, x, top)
        top += box.height + gap
    return gap
