"""Blocks on paper."""

import numpy as np
from matplotlib.figure import Figure

from pe_lib import encode
from pe_lib.course.figures import PALETTE, TIDE
from tools.onepage import contents, drawings
from tools.onepage.contents import Beside, Block, Drawing, Formula, Item, Matrix, Table, Words
from tools.onepage.paper import (
    INK,
    NOTE,
    SIZES,
    SMALL,
    Box,
    Style,
    sheet,
    stack,
    width_of,
)

TITLE = "Order Matters on one page"
SUBTITLE = "Positional encoding in Transformers"
AUTHOR = "The Order Matters authors"
MARGIN, GUTTER = 23.0, 14.0
HEADING = Style(9.4, PALETTE["ink"], "bold")
DISPLAY, LISTED = Style(9.6), Style(SMALL)


BAND = (contents.formula, contents.clocks, contents.heatmap)
LEFT = (contents.spectrum, contents.relative, contents.choosing)
INNER = ((contents.rope, contents.grid), (contents.conventions, contents.bias))
LOWER = (contents.longer, contents.mistakes)


def heading(box: Box, block: Block) -> None:
    """A rule, the title, and at the right where it is taught."""
    box.line([0, box.width], [0.5, 0.5], color=PALETTE["ink"], linewidth=1.0)
    box.text(0, 12.5, block.title, HEADING)
    plural = "s" if len(block.chapters) > 1 else ""
    told = f"→ chapter{plural} {', '.join(map(str, block.chapters))}"
    if block.practice:
        told += ", in practice"
    if width_of(told, NOTE) + width_of(block.title, HEADING) > box.width - 4:
        told = f"→ {', '.join(map(str, block.chapters))}"
    box.text(box.width, 12.5, told, NOTE, align="right")
    box.skip(17)


def add(box: Box, item: Item) -> None:
    """One item of a block, below what is there."""
    if isinstance(item, Words):
        box.write(item.source, LISTED if item.small else INK)
        box.skip(2.2)
    elif isinstance(item, Formula):
        box.skip(15)
        box.text(box.width / 2, box.height - 4.5, item.source, DISPLAY, align="center")
        box.skip(1)
    elif isinstance(item, Matrix):
        matrix(box, item)
    elif isinstance(item, Drawing):
        drawn = drawings.ALL[item.name](box.width)
        box.skip(3)
        box.put(drawn, 0, box.height)
        box.skip(drawn.height + 2)
    elif isinstance(item, Beside):
        half = Box((box.width - GUTTER) / 2)
        for words in item.words:
            add(half, words)
        drawn = drawings.ALL[item.drawing.name](half.width)
        box.skip(4)
        box.put(half, 0, box.height)
        box.put(drawn, half.width + GUTTER, box.height)
        box.skip(max(half.height, drawn.height))
    else:
        table(box, item)


def matrix(box: Box, item: Matrix) -> None:
    """Two rows between brackets, and the words beside them on the line in the middle."""
    wide = [max(width_of(row[n], DISPLAY) for row in item.entries) for n in (0, 1)]
    whole = sum(wide) + 16
    x = box.width - whole if item.before else 6.0
    top = box.height + 1
    for n, row in enumerate(item.entries):
        for m, entry in enumerate(row):
            at = x + 4 + wide[0] / 2 if m == 0 else x + 12 + wide[0] + wide[1] / 2
            box.text(at, top + 11 + 13 * n, entry, DISPLAY, align="center")
    for end, inward in ((x, 2.5), (x + whole, -2.5)):
        box.line(
            [end + inward, end, end, end + inward], [top, top, top + 28, top + 28],
            color=PALETTE["ink"], linewidth=0.8,
        )  # fmt: skip
    words = Box(x - 6 if item.before else box.width - x - whole - 8)
    words.write(item.before or item.after)
    box.put(words, 0 if item.before else x + whole + 8, top + 14 - words.height / 2)
    box.skip(31)


def table(box: Box, item: Table) -> None:
    """Rows of cells, with a hair line between them."""
    gap = 5.0
    lefts = [sum(item.shares[:n]) * box.width for n in range(len(item.shares))]
    wides = [share * box.width - gap for share in item.shares]
    wides[-1] += gap
    rows = [item.head, *item.rows] if any(item.head) else item.rows
    for row in rows:
        cells = []
        for n, (source, wide) in enumerate(zip(row, wides, strict=True)):
            cell = Box(wide)
            if row is item.head:
                style = NOTE
            else:
                style = Style(SMALL, weight="bold") if n == 0 else Style(SMALL)
            cell.write(source, style)
            cells.append(cell)
        box.skip(0.8)
        for left, cell in zip(lefts, cells, strict=True):
            box.put(cell, left, box.height)
        box.skip(max(cell.height for cell in cells) + 1.6)
        if row is not rows[-1]:
            box.line([0, box.width], [box.height] * 2, color=PALETTE["grid"], linewidth=0.5)
        box.skip(1.0)


def boxed(block: Block, width: float) -> Box:
    box = Box(width)
    heading(box, block)
    for item in block.items:
        add(box, item)
    return box


def page(paper: str) -> Figure:
    """The whole sheet: a band of three blocks, a column, and beside it four blocks and two wide."""
    fig, ax = sheet(paper)
    wide, tall = SIZES[paper]
    whole, bottom = wide - 2 * MARGIN, tall - MARGIN + 5
    third = (whole - 2 * GUTTER) / 3
    title(whole).draw(ax, MARGIN, MARGIN - 7)

    top, x, tallest = MARGIN + 24, MARGIN, 0.0
    for make, width in zip(BAND, (third, third + 36, third - 36), strict=True):
        box = boxed(make(), width)
        box.draw(ax, x, top)
        x += width + GUTTER
        tallest = max(tallest, box.height)
    top += tallest + GUTTER

    stack(ax, [boxed(make(), third) for make in LEFT], MARGIN, top, bottom)
    columns = [[boxed(make(), third) for make in column] for column in INNER]
    lower = [boxed(make(), 2 * third + GUTTER) for make in LOWER]
    high = max(sum(box.height for box in column) for column in columns)
    gap = (bottom - top - high - sum(box.height for box in lower)) / (1 + len(lower))
    for n, column in enumerate(columns, start=1):
        stack(ax, column, MARGIN + n * (third + GUTTER), top, top + high + gap)
    stack(ax, lower, MARGIN + third + GUTTER, top + high + 2 * gap, bottom)
    return fig


def title(width: float) -> Box:
    """The title above a strip in the course's colours, which is the row of a position."""
    box = Box(width)
    box.text(0, 15, TITLE, Style(19, weight="bold"))
    box.text(width, 6, SUBTITLE, align="right")
    box.text(width, 15, f"CC BY 4.0 · {AUTHOR}", NOTE, align="right")
    strip = np.repeat(encode(1000, 256)[None], 2, axis=1)
    box.image(strip, 0, 22, width, 4.5, cmap=TIDE, vmin=-1, vmax=1, interpolation="none")
    return box
