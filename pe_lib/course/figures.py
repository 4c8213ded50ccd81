"""Style the course's figures, and display each figure with its number and its caption.

Importing this module sets Matplotlib's defaults for the whole process. A figure is published as an
SVG whose text is real text, so it stays sharp on every screen and can take the page's colours in
light and dark mode. Strict nbval cannot compare pictures. Therefore the text output carries a
fingerprint of the plotted *data*: the test fails when a curve changes, but not when a font does.
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

# The site replaces these colours by CSS custom properties, such as --om-paper and --om-ink.
PALETTE = {
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "muted": "#57606a",
    "grid": "#d0d7de",
    "blue": "#0b5cad",
    "orange": "#b04f07",
    "green": "#1a7535",
    "purple": "#7c4ad6",
    "teal": "#0f766e",  # for negative numbers, except in encodings
    "rose": "#b3206b",  # for positive numbers, except in encodings
    "danger": "#b3261e",  # for wrong answers, which only the website shows
}

# Widths are in inches.
# On a phone 390 pixels wide, letters of 9 points are then still 10 pixels high.
WIDTH = 4.4
CAPTION = "application/vnd.order-matters.caption+json"

_NUMBER = re.compile(r"(?:[1-9]?\d|[A-Z])\.D?[1-9]\d?")

# The colours for values from -1 to 1. The larger the absolute value, the deeper the colour.
# Encodings have other colours, which the function `encoding_colours` defines.
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
    """Return a new figure of `width` by `height` inches and its axes, like `pyplot.subplots`.

    The figure is not registered with pyplot, so a notebook displays it only once, when `show` is
    called. A figure no wider than `WIDTH` can be read on a phone.

    >>> fig, ax = subplots(4, 2)
    >>> ax.plot([0, 1], [0, 1])  # doctest: +ELLIPSIS
    [<matplotlib.lines.Line2D object at ...>]
    """
    fig = Figure(figsize=(width, height), layout="constrained")
    return fig, fig.subplots(rows, columns, **kwargs)


def encoding_colours(table: ArrayLike, most: float = 1.0) -> NDArray[np.float64]:
    """Return the colours for a table of encodings: sines are blue, and cosines are orange.

    `table` has shape (positions, dimensions), in the interleaved layout. The result has shape
    (positions, dimensions, 3) and can be passed to `imshow`. A value of -1 becomes the colour of
    paper and a value of 1 the full colour. With `most` below 1 even the deepest colour stays so
    light that black text can be read on it.

    >>> encoding_colours([[1.0, -1.0]]).round(2)
    array([[[0.04, 0.36, 0.68],
            [1.  , 1.  , 1.  ]]])
    """
    depth = most * (1 + np.asarray(table, dtype=float)[..., None]) / 2
    paper, *hues = (np.array(to_rgb(PALETTE[name])) for name in ("paper", "blue", "orange"))
    colours: NDArray[np.float64] = paper + depth * (np.resize(hues, (depth.shape[1], 3)) - paper)
    return colours


def ink_on(value: float) -> str:
    """Return black or white, whichever is easier to read on the colour for `value` in TIDE.

    `value` is clipped to [-1, 1]. The result is a literal colour that no other mark has, because
    the site inverts heat maps in dark mode and swaps these two colours with them.

    >>> ink_on(1.0), ink_on(0.5), ink_on(-1.0)
    ('#fefefe', '#010101', '#fefefe')
    """
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in TIDE((min(max(value, -1), 1) + 1) / 2)[:3]
    )
    return "#fefefe" if 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179 else "#010101"


def draw_clock(ax: Axes, angle: float) -> None:
    """Draw a clock on `ax`, with its hand at `angle` radians clockwise from straight up.

    The tip of the hand is sin(angle) to the right and cos(angle) up, as in the explorers.
    """
    rim = np.linspace(0, 2 * np.pi, 61)
    ax.plot(np.sin(rim), np.cos(rim), color=PALETTE["muted"], linewidth=1)
    ax.plot([0, np.sin(angle)], [0, np.cos(angle)], color=PALETTE["ink"], linewidth=2.2)
    ax.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def show(figure: Figure, number: str, caption: str) -> None:
    """Publish `figure` as the cell's output, with "Figure `number`" and `caption` below it.

    `number` is the chapter's number and a count, such as "4.2". The caption says the one message of
    the figure in a sentence. A Markdown cell with the tag `description` after this one describes
    the picture for readers who cannot see it. On the site both become one figure with a link.

    Raises ValueError if the number has another form or the caption does not end with a full stop.
    """
    from IPython.display import display

    for output in outputs(figure, number, caption):
        display(output, raw=True)  # type: ignore[no-untyped-call]


def outputs(figure: Figure, number: str, caption: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the MIME bundle of the picture and the MIME bundle of the caption, for `show`.

    The picture is an SVG, with the fingerprint of its data as the text version. The caption is
    Markdown, with data from which the site makes a `<figcaption>`. Raises ValueError as `show`
    does.
    """
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
    """Return a figure as an SVG element with `alt` as its accessible name."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    # Matplotlib writes a style for `*` into the figure, which would apply to the whole web page.
    text, styles = re.subn(r"\s*<style[^>]*>\*\{([^}]*)\}</style>", "", text)
    assert styles == 1, "Matplotlib's SVG has changed: its style element was not found"
    style = "stroke-linejoin:round;stroke-linecap:butt"
    opening = f'<svg role="img" aria-label="{escape(alt)}" style="{style}"'
    return opening + text[text.index("<svg") + len("<svg") :]


def fingerprint(figure: Figure) -> str:
    """Return twelve hexadecimal digits that change if the plotted data change.

    The fingerprint depends on lines, images, markers, patches, texts, scales and limits. It does
    not depend on fonts, sizes and pixels. Numbers are compared to about six decimals.
    """
    digest = hashlib.blake2b(digest_size=6)
    for part in _plotted_data(figure):
        if isinstance(part, str):
            digest.update(part.encode())
        else:
            numbers: NDArray[np.float64] = np.ma.filled(np.ma.asarray(part, dtype=float), np.nan)
            digest.update(repr(numbers.shape).encode())
            # Without this shift, round numbers such as 0.5 would be at the edge of a `floor` step.
            # Then two results that differ only in the last bit would have different fingerprints.
            digest.update(np.floor(numbers * 1e6 + 0.3183).tobytes())
    return digest.hexdigest()


def _plotted_data(figure: Figure) -> Iterator[Any]:
    """Yield the texts and numbers in a figure from which its fingerprint is computed."""
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
