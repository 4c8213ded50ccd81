"""Draw the figures for the printed summary sheet, in the style of drawings.mplstyle."""

from collections.abc import Callable
from pathlib import Path

import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pe_lib import context, encode, frequencies, kernel, wavelengths
from pe_lib.course.figures import PALETTE, draw_clock, encoding_colours, subplots, svg

WIDTH = 2.5  # in inches, the width of a column on the printed sheet
LOOK = Path(__file__).with_suffix(".mplstyle")
BLUE, ORANGE, MUTED, GRID = (PALETTE[name] for name in ("blue", "orange", "muted", "grid"))
ENCODINGS = [(8, 10_000.0), (64, 10_000.0), (512, 10_000.0), (128, 500_000.0)]
HEAD, TRAINED, FACTOR = 128, 2_048, 4.0  # the example in chapter 10 has the same values


def format_number(value: float, digits: int = 0) -> str:
    """Return a number with commas between thousands, a true minus sign and `digits` decimals.

    >>> format_number(-1234.56, 1)
    '−1,234.6'
    """
    return f"{value:,.{digits}f}".replace("-", "−")


def render_drawing(name: str, alt: str) -> str:
    """Return the drawing with this name as an SVG element whose accessible name is `alt`."""
    with matplotlib.style.context(LOOK):
        return str(svg(DRAWINGS[name](), alt))


def _subplots(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure of this size in inches, and its only plot."""
    fig, ax = subplots(width, height)
    assert isinstance(fig, Figure)
    return fig, ax


def draw_clocks() -> Figure:
    """Draw four clocks at position 5, and below each clock the two entries that it gives."""
    fig = Figure(figsize=(WIDTH, 1.17))
    for i, angle in enumerate(5 * frequencies(8)):
        ax = fig.add_axes((i / 4, 0.29, 1 / 4, 0.48))
        draw_clock(ax, angle)
        right, up = np.sin(angle), np.cos(angle)
        ax.plot([0, right], [up, up], color=BLUE)
        ax.plot([0, 0], [0, up], color=ORANGE)
        ax.set_title(f"pair {i}\n{angle:g}", loc="center", color=MUTED)
    row = fig.add_axes((0, 0.12, 1, 0.145))
    row.imshow(encoding_colours(encode([5], 8), 0.45), aspect="auto")
    for j, value in enumerate(encode(5, 8)):
        row.text(j, 0, format_number(value, 3), ha="center", va="center", size=6.8, color="#010101")
    row.set(xticks=range(8), xticklabels=["sin", "cos"] * 4, yticks=[])
    row.tick_params(length=0)
    row.spines[:].set_visible(False)
    return fig


def draw_heatmap() -> Figure:
    """Draw the encodings of the first 64 positions as a heatmap."""
    fig, ax = _subplots(WIDTH, 0.95)
    ax.imshow(encoding_colours(encode(range(64), 32)), aspect="auto")
    ax.set(xticks=(0, 8, 16, 24, 31), yticks=(0, 16, 32, 48, 63))
    ax.set(xlabel="dimension", ylabel="position")
    ax.spines[:].set_visible(False)
    return fig


def draw_spectrum() -> Figure:
    """Draw the wavelengths of four encodings as ticks on one logarithmic axis."""
    fig, ax = _subplots(WIDTH, 1.15)
    for row, (d, base) in enumerate(ENCODINGS):
        waves = wavelengths(d, base)
        ax.vlines(waves, row - 0.16, row + 0.16, color=BLUE, linewidth=min(0.9, max(60 / d, 0.3)))
        ax.hlines(row, waves[0], waves[-1], color=BLUE, linewidth=0.5)
        name = f"d = {d}" if base == 10_000 else f"head {d}, base {format_number(base)}"
        ax.text(6, row - 0.24, name)
        end = f"{d // 2} pairs to {format_number(waves[-1], 1 if waves[-1] < 1e6 else 0)}"
        ax.text(5e6, row - 0.24, end, color=MUTED, ha="right")
    ax.set(xscale="log", xlim=(6, 5e6), ylim=(3.35, -0.75), yticks=[])
    ax.set_xticks(10.0 ** np.arange(1, 7), ["10", "100", "1,000", "10,000", "100,000", "million"])
    ax.minorticks_off()
    ax.spines["left"].set_visible(False)
    return fig


def draw_kernel() -> Figure:
    """Draw the dot product of two encodings as a function of the offset between their positions."""
    fig, ax = _subplots(WIDTH, 0.85)
    offsets = np.arange(-100, 101)
    ax.plot(offsets, kernel(offsets, 512) / 256, color=BLUE)
    ax.axvline(0, color=GRID, linewidth=0.6, zorder=0)
    ax.text(-98, 0.72, "κ(k) / 256")
    ax.text(98, 0.72, "d = 512", ha="right")
    ax.set(yticks=(0, 0.5, 1), ylim=(0, 1.05), xlim=(-100, 100), xlabel="offset k (positions)")
    ax.grid(axis="y")
    return fig


def draw_scaling() -> Figure:
    """Draw how much each method for longer contexts lowers the frequency of each pair."""
    fig, ax = _subplots(WIDTH, 1.05)
    pairs, plain = np.arange(HEAD // 2), frequencies(HEAD)
    for name, scaled_frequencies, line_style, label_place, side in (
        ("interpolation", context.interpolated(HEAD, FACTOR), "solid", (1, 3.6), "left"),
        ("NTK-aware", context.ntk_aware(HEAD, FACTOR), (0, (5, 1.5)), (39, 1.1), "right"),
        ("by parts", context.by_parts(HEAD, FACTOR, TRAINED), (0, (1.2, 1)), (25, 2.4), "right"),
    ):
        colour = {"interpolation": ORANGE, "NTK-aware": PALETTE["green"]}.get(name)
        ratio = plain / scaled_frequencies
        ax.plot(pairs, ratio, color=colour or PALETTE["purple"], linestyle=line_style)
        ax.text(*label_place, name, ha=side)
    first_incomplete = np.count_nonzero(context.turns(HEAD, TRAINED) >= 1) - 0.5
    ax.axvline(first_incomplete, color=MUTED, linewidth=0.6, linestyle=(0, (1, 1.5)))
    ax.text(first_incomplete + 1, 1.1, "an arc only", color=MUTED)
    ax.set(xticks=(0, 20, 40, 63), yticks=(1, 2, 3, 4), xlim=(0, 63))
    ax.set_xlabel("pair · upwards: slowed by")
    ax.grid(axis="y")
    return fig


DRAWINGS: dict[str, Callable[[], Figure]] = {
    "clocks": draw_clocks,
    "heatmap": draw_heatmap,
    "spectrum": draw_spectrum,
    "kernel": draw_kernel,
    "slowed": draw_scaling,
}
