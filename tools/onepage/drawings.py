"""The drawings of the sheet, each in a box of a given width."""

import numpy as np
from matplotlib.patches import Circle, PathPatch, Rectangle
from matplotlib.path import Path

from pe_lib import context, encode, frequencies, kernel, wavelengths
from pe_lib.course.figures import PALETTE, TIDE, ink_on
from tools.onepage.contents import (
    BASE,
    FACTOR,
    HEAD,
    POSITION,
    SPECTRA,
    TRAINED,
    D,
    number,
)
from tools.onepage.paper import NOTE, SMALL, Box, Style

BLUE, ORANGE, MUTED, GRID = (PALETTE[name] for name in ("blue", "orange", "muted", "grid"))
LABEL = Style(SMALL)
THIN = {"color": MUTED, "linewidth": 0.6}


def clocks(width: float) -> Box:
    """Four clocks at a position, and under each the two cells that it writes."""
    box, w = Box(width), frequencies(8)
    cell, radius = width / 8, 0.108 * width
    middle = radius + 10
    for i, angle in enumerate(w * POSITION):
        x = (2 * i + 1) * cell
        right, up = x + radius * np.sin(angle), middle - radius * np.cos(angle)
        box.text(x, 6.5, f"pair {i}: {angle:g}", NOTE, align="center")
        box.patch(Circle((x, middle + 2), radius, fill=False, edgecolor=MUTED, linewidth=0.8))
        look = {"linewidth": 0.8, "dashes": (2, 1.5)}
        box.line([x, right], [up + 2, up + 2], color=MUTED, **look)
        box.line([x, x], [middle + 2, up + 2], color=MUTED, **look)
        box.line([x, right], [middle + 2, up + 2], color=BLUE, linewidth=2, solid_capstyle="round")
        box.patch(Circle((right, up + 2), 1.9, color=BLUE))
    top, tall = middle + radius + 9, 13.0
    for j, value in enumerate(encode(POSITION, 8)):
        shade = TIDE((value + 1) / 2)
        box.patch(Rectangle((j * cell, top), cell, tall, facecolor=shade, edgecolor="#ffffff"))
        text, ink = number(value, 3), ink_on(value)
        small = Style(7, ink)  # with a minus just as wide as the cell
        box.text((j + 0.5) * cell, top + 9, text, small, align="center")
        name = "sin" if j % 2 == 0 else "cos"
        box.text((j + 0.5) * cell, top + tall + 8, name, NOTE, align="center")
    box.height = top + tall + 11
    return box


def heatmap(width: float) -> Box:
    box, left, tall = Box(width), 15.0, 84.0
    table = np.repeat(np.repeat(encode(range(64), 32), 4, axis=0), 8, axis=1)  # no viewer blurs it
    look = {"cmap": TIDE, "vmin": -1, "vmax": 1, "interpolation": "none"}
    wide = width - left - 24
    box.image(table, left, 9, wide, tall, **look)
    for position in (0, 16, 32, 48, 63):
        y = 9 + (position + 0.5) / 64 * tall
        box.text(left - 2.5, y + 2.5, str(position), NOTE, align="right")
    box.text(left, 6, "0", NOTE)
    box.text(left + wide / 2, 6, "dimension", NOTE, align="center")
    box.text(left + wide, 6, "31", NOTE, align="right")
    bar = np.repeat(np.linspace(1, -1, 32)[:, None], 4, axis=1)
    box.image(bar, width - 20, 9, 6, tall, **look)
    for value, y in ((1, 15), (0, 9 + tall / 2 + 2.5), (-1, 9 + tall)):
        box.text(width - 12.5, y, number(value), NOTE)
    box.height = tall + 11
    return box


def spectrum(width: float) -> Box:
    """Ticks for the pairs of each encoding on one logarithmic axis."""
    box, row = Box(width), 17.5
    longest = 5e6

    def at(positions: float) -> float:
        return float(np.log(positions / 6) / np.log(longest / 6)) * width

    bottom = 2 + row * len(SPECTRA)
    for n, (d, base) in enumerate(SPECTRA):
        y = n * row + 16
        waves = wavelengths(d, base)
        name = f"d = {d}" if base == BASE else f"head {d}, base {number(base)}"
        box.text(0, y - 5.5, name, LABEL)
        end = f"{d // 2} pairs to {number(waves[-1], 1 if waves[-1] < 1e6 else 0)}"
        box.text(width, y - 5.5, end, NOTE, align="right")
        box.line([at(waves[0]), at(waves[-1])], [y, y], color=BLUE, linewidth=0.5)
        xs = [value for wave in waves for value in (at(wave), at(wave), np.nan)]
        box.line(
            xs,
            [y - 2.5, y + 2.5, np.nan] * len(waves),
            color=BLUE,
            linewidth=0.9 if d < 128 else 60 / d,
        )
    for power in range(1, 7):
        box.line([at(10**power)] * 2, [bottom + 2, bottom + 5], **THIN)
        box.text(at(10**power), bottom + 12.5, tick(power), NOTE, align="center")
    box.line([0, width], [bottom + 2, bottom + 2], **THIN)
    box.height = bottom + 15
    return box


def tick(power: int) -> str:
    return {3: "1,000", 6: "million"}.get(power, number(10**power)) if power != 5 else "100,000"


def kernel_curve(width: float) -> Box:
    box, tall, left = Box(width), 40.0, 14.0
    k = np.arange(-100, 101)
    values = kernel(k, D) / (D / 2)

    def x(offset: float) -> float:
        return left + (offset + 100) / 200 * (width - left - 4)

    def y(value: float) -> float:
        return 5 + (1 - value) * tall

    for value in (0, 0.5, 1):
        box.line([left, width], [y(value)] * 2, color=GRID, linewidth=0.6)
        box.text(left - 2, y(value) + 2.5, f"{value:g}", NOTE, align="right")
    box.line([x(0)] * 2, [y(0), y(1)], color=GRID, linewidth=0.6)
    box.line([x(o) for o in k], [y(v) for v in values], color=BLUE, linewidth=1.2)
    for offset in (-100, -50, 0, 50, 100):
        box.text(x(offset), y(0) + 9, number(offset), NOTE, align="center")
    box.text(x(-98), y(0.7), f"κ(k) / {D // 2}", LABEL)
    box.text(x(60), y(0.7), f"d = {D}", LABEL)
    box.text(x(0), y(0) + 17.5, "offset k (positions)", NOTE, align="center")
    box.height = tall + 26
    return box


def layouts(width: float) -> Box:
    """Which of eight entries turn together."""
    box, half = Box(width), (width - 14) / 2
    for n, (name, who, pairs) in enumerate(
        [
            ("interleaved", "paper, Meta’s Llama", [(0, 1), (2, 3), (4, 5), (6, 7)]),
            ("halves", "NeoX, transformers", [(0, 4), (1, 5), (2, 6), (3, 7)]),
        ]
    ):
        left, cell, top = n * (half + 14), half / 8, 24.0
        box.text(left + half / 2, 6.5, name, Style(SMALL, weight="bold"), align="center")
        for m, (a, b) in enumerate(pairs):
            x1, x2 = left + (a + 0.5) * cell, left + (b + 0.5) * cell
            rise = 5.0 if n == 0 else 13.0
            path = Path([(x1, top), (x1, top - rise), (x2, top - rise), (x2, top)], [1, 4, 4, 4])
            colour = BLUE if m % 2 == 0 else ORANGE
            style = "solid" if m % 2 == 0 else (0, (3, 1.2))
            box.patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=1, linestyle=style))
        for j in range(8):
            box.patch(
                Rectangle(
                    (left + j * cell, top),
                    cell,
                    11,
                    facecolor="#ffffff",
                    edgecolor=MUTED,
                    linewidth=0.6,
                )
            )
            box.text(left + (j + 0.5) * cell, top + 8, str(j), LABEL, align="center")
        box.text(left + half / 2, top + 20, who, NOTE, align="center")
    box.height = 47
    return box


def slowed(width: float) -> Box:
    """By how much each remedy slows each pair."""
    box, tall, left = Box(width), 50.0, 14.0
    plain, pairs = frequencies(HEAD), np.arange(HEAD // 2)
    curves = [
        ("interpolation", context.interpolated(HEAD, FACTOR), ORANGE, "solid"),
        ("NTK-aware", context.ntk_aware(HEAD, FACTOR), PALETTE["green"], (0, (5, 1.5))),
        ("by parts", context.by_parts(HEAD, FACTOR, TRAINED), PALETTE["purple"], (0, (1.2, 1))),
    ]

    def x(pair: float) -> float:
        return left + pair / 63 * (width - left - 3)

    def y(times: float) -> float:
        return 6 + (FACTOR - times) / (FACTOR - 1) * tall

    for times in range(1, int(FACTOR) + 1):
        box.line([left, width], [y(times)] * 2, color=GRID, linewidth=0.6)
        box.text(left - 3, y(times) + 2.5, str(times), NOTE, align="right")
    never = int((context.turns(HEAD, TRAINED) >= 1).sum()) - 0.5
    box.line([x(never)] * 2, [y(1), y(FACTOR)], **THIN, dashes=(1, 1.5))
    for _, scaled, colour, style in curves:
        box.line(
            [x(p) for p in pairs], [y(v) for v in plain / scaled],
            color=colour, linewidth=1.4, linestyle=style,
        )  # fmt: skip
    box.text(x(2), y(3.5), "interpolation", LABEL)
    box.text(x(24), y(1.14), "NTK-aware", LABEL)
    box.text(x(24.5), y(2.35), "by parts", LABEL, align="right")
    for pair in (0, 20, 40, 63):
        box.text(x(pair), y(1) + 9, str(pair), NOTE, align="center")
    box.text(x(31), y(1) + 17.5, "pair · upwards: slowed by", NOTE, align="center")
    box.text(x(42), y(1.14), "an arc only", NOTE)
    box.height = tall + 26
    return box


ALL = {
    "clocks": clocks,
    "heatmap": heatmap,
    "spectrum": spectrum,
    "kernel": kernel_curve,
    "layouts": layouts,
    "slowed": slowed,
}
