"""House style for figures; `show` gives one its number, its caption and a fingerprint.

Importing this module sets Matplotlib's defaults for the process. A figure is published as SVG with
real text in it, so that one picture is sharp on every screen and takes the page's colours, light or
dark. Strict nbval cannot compare pictures, so the text output carries a fingerprint of the plotted
*data*: a changed curve fails the test, a changed font does not.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# The course's colours: the site makes its custom properties of them (--om-paper, --om-ink, ...)
PALETTE = {
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "muted": "#57606a",
    "grid": "#d0d7de",
    "blue": "#0b5cad",
    "orange": "#b04f07",
    "green": "#1a7535",
    "purple": "#7c4ad6",
    "teal": "#0f766e",  # signed numbers that are no encoding: below zero
    "rose": "#b3206b",  # and above
}

WIDTH = 4.4  # inches: on a phone of 390 pixels letters of 9 points are still 10 pixels high
CAPTION = "application/vnd.order-matters.caption+json"

_NUMBER = re.compile(r"(?:[1-9]?\d|[A-Z])\.[1-9]\d?")

# Signed values, evenly spaced on [-1, 1]: depth tells the size. Encodings have colours of their
# own: `encoding_colours`.
DIVERGING = (PALETTE["teal"], PALETTE["paper"], PALETTE["rose"])
TIDE = LinearSegmentedColormap.from_list("tide", DIVERGING, N=256)

matplotlib.style.use(Path(__file__).with_suffix(".mplstyle"))
matplotlib.rcParams.update(
    {
        **dict.fromkeys(("figure.facecolor", "axes.facecolor"), PALETTE["paper"]),
        **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), PALETTE["muted"]),
        **dict.fromkeys(("axes.labelcolor", "axes.titlecolor", "text.color"), PALETTE["ink"]),
        **dict.fromkeys(("xtick.labelcolor", "ytick.labelcolor"), PALETTE["ink"]),
        "axes.prop_cycle": cycler(
            color=[PALETTE[c] for c in ("blue", "orange", "green", "purple")]
        ),
        "grid.color": PALETTE["grid"],
    }
)


def subplots(width: float, height: float, rows: int = 1, columns: int = 1, **kwargs: Any) -> Any:
    """A figure of `width` by `height` inches and its axes, as `matplotlib.pyplot.subplots` gives.

    Nothing is registered with pyplot: a notebook shows the figure once, when `show` is called. What
    is no wider than `WIDTH` can be read on a phone.

    >>> fig, ax = subplots(4, 2)
    >>> ax.plot([0, 1], [0, 1])  # doctest: +ELLIPSIS
    [<matplotlib.lines.Line2D object at ...>]
    """
    fig = Figure(figsize=(width, height), layout="constrained")
    return fig, fig.subplots(rows, columns, **kwargs)


def encoding_colours(table: ArrayLike, most: float = 1.0) -> NDArray[np.float64]:
    """The colours of encodings, (positions, dimensions): sines blue, cosines orange.

    Depth is the value. The result, (positions, dimensions, 3), is what `imshow` takes: paper at -1,
    and at 1 `most` of the colour, less than 1 where something is written on it. Dimensions are
    interleaved.

    >>> encoding_colours([[1.0, -1.0]]).round(2)
    array([[[0.04, 0.36, 0.68],
            [1.  , 1.  , 1.  ]]])
    """
    depth = most * (1 + np.asarray(table, dtype=float)[..., None]) / 2
    paper, *hues = (np.array(to_rgb(PALETTE[name])) for name in ("paper", "blue", "orange"))
    colours: NDArray[np.float64] = paper + depth * (np.resize(hues, (depth.shape[1], 3)) - paper)
    return colours


def ink_on(value: float) -> str:
    """Black or white, whichever is read better on the TIDE's colour of a value in [-1, 1].

    Literal colours: cells keep theirs in dark mode, so must what is written on them.

    >>> ink_on(1.0), ink_on(0.5), ink_on(-1.0)
    ('#fefefe', '#010101', '#fefefe')
    """
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in TIDE((min(max(value, -1), 1) + 1) / 2)[:3]
    )
    return "#fefefe" if 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179 else "#010101"


def draw_clock(ax: Axes, angle: float) -> None:
    """Draw on `ax` a clock whose hand stands at `angle` radians: 0 is straight up, clockwise later.

    The tip is sin(angle) to the right and cos(angle) up, as in the explorers.
    """
    rim = np.linspace(0, 2 * np.pi, 61)
    ax.plot(np.sin(rim), np.cos(rim), color=PALETTE["muted"], linewidth=1)
    ax.plot([0, np.sin(angle)], [0, np.cos(angle)], color=PALETTE["ink"], linewidth=2.2)
    ax.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def show(figure: Figure, number: str, caption: str) -> None:
    """Publish `figure` as the cell's output, and below it "Figure `number`" and `caption`.

    The number is the chapter's and a count, as a formula's: "4.2". The caption says the one message
    of the figure in a sentence; a Markdown cell with the tag `description` after this one says what
    is seen, for those who can't see it. On the site the two become one figure with a link.
    Raises ValueError if the number is not of that form or the caption is no sentence.
    """
    from IPython.display import display

    for output in outputs(figure, number, caption):
        display(output, raw=True)  # type: ignore[no-untyped-call]


def outputs(figure: Figure, number: str, caption: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What `show` publishes: SVG, and text with a fingerprint; the caption as Markdown and data."""
    if not _NUMBER.fullmatch(number):
        raise ValueError(f'number must be the chapter and a count, as in "4.2", got {number!r}')
    caption = " ".join(caption.split())
    if not caption.endswith("."):
        raise ValueError(f"caption must be a sentence that ends with a full stop, got {caption!r}")
    width, height = figure.get_size_inches()
    label = f"Figure {number}. {caption}"
    data = f"[figure {width:g} × {height:g} in, data {fingerprint(figure)}]"
    return (
        {"image/svg+xml": svg(figure, label), "text/plain": f"{data}\n{label}"},
        {
            CAPTION: {"number": number, "caption": caption},
            "text/markdown": f"**Figure {number}.** {caption}",
            "text/plain": label,
        },
    )


def svg(figure: Figure, alt: str) -> str:
    """The figure as an SVG element with `alt` as its accessible name."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    # Matplotlib's style element is `* {…}`: inside a web page it would reach everything on it
    text, styles = re.subn(r"\s*<style[^>]*>\*\{([^}]*)\}</style>", "", text)
    assert styles == 1, "Matplotlib's SVG has changed: its style element was not found"
    style = "stroke-linejoin:round;stroke-linecap:butt"
    opening = f'<svg role="img" aria-label="{escape(alt)}" style="{style}"'
    return opening + text[text.index("<svg") + len("<svg") :]


def fingerprint(figure: Figure) -> str:
    """Twelve hexadecimal digits that change when what is plotted changes.

    Lines, images, markers, patches, texts, scales and limits count; fonts, sizes and pixels do not.
    Numbers are cut to about six decimals.
    """
    digest = hashlib.blake2b(digest_size=6)
    for part in _plotted(figure):
        if isinstance(part, str):
            digest.update(part.encode())
        else:
            numbers: NDArray[np.float64] = np.ma.filled(np.ma.asarray(part, dtype=float), np.nan)
            digest.update(repr(numbers.shape).encode())
            # cut off-centre: round numbers, the ones that occur, never sit on a cutting edge
            digest.update(np.floor(numbers * 1e6 + 0.3183).tobytes())
    return digest.hexdigest()


def _plotted(figure: Figure) -> Iterator[Any]:
    for ax in figure.axes:
        yield repr((ax.get_title("left"), ax.get_title(), ax.get_xlabel(), ax.get_ylabel()))
        yield repr((ax.get_xscale(), ax.get_yscale()))
        yield [*ax.get_xlim(), *ax.get_ylim()]
        for line in ax.lines:
            yield line.get_xydata()
            yield to_rgba(line.get_color())
        for image in ax.images:
            yield image.get_array()
            yield image.get_clim()
        for collection in ax.collections:
            yield collection.get_offsets()
            for path in collection.get_paths():
                yield path.vertices
            if (array := collection.get_array()) is not None:
                yield array
        for patch in ax.patches:
            yield patch.get_path().vertices
            yield patch.get_patch_transform().get_matrix()
        for text in ax.texts:
            yield text.get_text()
            yield text.get_position()
