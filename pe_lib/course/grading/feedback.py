"""What a learner is shown: a framed note, its words, and a picture of *yours* beside *expected*."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# sign, words and colour: none says it alone; the colours are seen on white and on black
STATUS = {
    "right": ("✓", "Right", "#2f9e44"),
    "partly": ("◐", "Partly right", "#c77700"),
    "wrong": ("✗", "Not yet", "#e03131"),
    "open": ("○", "Not answered yet", "#868e96"),
    "not run": ("–", "Not run", "#868e96"),
    "note": ("→", "", "#4c8bd6"),
}
_YOURS = "#e8710a"
_SHOWN = 24  # rows and columns of a picture


@dataclass(frozen=True)
class Note:
    """A message in a frame; Markdown's `code` is all that it may hold."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return framed("note", "", self.text)


@dataclass(frozen=True)
class Prose:
    """Markdown, formulas included, for a question put anew or a solution."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text


def points(score: float, total: float) -> str:
    """
    >>> points(1, 1), points(0.5, 3)
    ('1 of 1 point', '0.5 of 3 points')
    """
    return f"{score:g} of {total:g} {'point' if total == 1 else 'points'}"


def framed(status: str, score: str, said: str, picture: str = "") -> str:
    sign, words, colour = STATUS[status]
    head = f"<strong>{sign} {words}</strong>" if words else ""
    lines = [" · ".join(filter(None, [head, score])), marked(said)]
    return (
        f'<div role="status" style="border-left: 4px solid {colour}; padding: .2em .8em">'
        f"{'<br>'.join(filter(None, lines))}{picture}</div>"
    )


def marked(plain: str) -> str:
    """Plain text with `code` and *stress* as HTML.

    >>> marked("use `a < b`, *not* 2 * a * b")
    'use <code>a &lt; b</code>, <em>not</em> 2 * a * b'
    """
    parts = re.split(r"`([^`]+)`", html.escape(plain, quote=False))
    parts[1::2] = [f"<code>{code}</code>" for code in parts[1::2]]
    stressed = re.compile(r"\*(?=\S)([^*]+?)(?<=\S)\*(?!\w)")
    parts[::2] = [stressed.sub(r"<em>\1</em>", prose) for prose in parts[::2]]
    return "".join(parts)


def compared(name: str, yours: NDArray[np.float64], right: NDArray[np.float64]) -> str:
    """Yours beside what is expected: two curves, or two tables of shades. '' for other shapes."""
    if yours.ndim == 1:
        return _curves(name, yours[: 8 * _SHOWN], right[: 8 * _SHOWN])
    if yours.ndim == 2:
        return _tables(name, yours[:_SHOWN, :_SHOWN], right[:_SHOWN, :_SHOWN])
    return ""


def _curves(name: str, yours: NDArray[np.float64], right: NDArray[np.float64]) -> str:
    low, high = min(yours.min(), right.min()), max(yours.max(), right.max())
    x = np.linspace(10, 350, len(yours))

    def line(values: NDArray[np.float64], style: str) -> str:
        y = 100 - 90 * (values - low) / (high - low or 1)
        at = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        return f'<polyline points="{at}" fill="none" stroke-width="2" {style}/>'

    off = int(np.abs(yours - right).argmax())
    alt = f"{name} as two curves; yours is furthest from what is expected at index {off}."
    body = line(right, 'stroke="currentColor" stroke-dasharray="4 3"')
    body += line(yours, f'stroke="{_YOURS}"')
    body += _label(10, 120, "dashed: expected")
    body += _label(140, 120, "line: yours", _YOURS)
    return _svg(360, 125, alt, body)


def _tables(name: str, yours: NDArray[np.float64], right: NDArray[np.float64]) -> str:
    most = max(np.abs(yours).max(), np.abs(right).max()) or 1.0
    rows, columns = yours.shape
    side = 150 / max(rows, columns)

    def table(values: NDArray[np.float64], left: float) -> str:
        cells = []
        for (row, column), value in np.ndenumerate(values):
            colour = "#e8710a" if value < 0 else "#1c6dd0"
            cells.append(
                f'<rect x="{left + column * side:.1f}" y="{row * side:.1f}" width="{side:.1f}"'
                f' height="{side:.1f}" fill="{colour}" fill-opacity="{abs(value) / most:.2f}"/>'
            )
        return "".join(cells)

    bottom = rows * side + 16
    off = np.unravel_index(np.abs(yours - right).argmax(), yours.shape)
    alt = f"{name} as two tables of shades; yours differs most at row {off[0]}, column {off[1]}."
    body = table(yours, 10) + table(right, 190)
    body += _label(10, bottom, "yours") + _label(190, bottom, "expected")
    return _svg(360, bottom + 5, alt, body)


def _label(x: float, y: float, words: str, colour: str = "currentColor") -> str:
    return f'<text x="{x}" y="{y:.0f}" font-size="13" fill="{colour}">{words}</text>'


def _svg(width: float, height: float, alt: str, body: str) -> str:
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img"'
        f' aria-label="{html.escape(alt)}"'
        f' style="display: block; max-width: 100%; margin-top: .5em">{body}</svg>'
    )
