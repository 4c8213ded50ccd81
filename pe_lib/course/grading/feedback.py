"""Show learners a result as a framed message, and draw their values next to the expected values."""

import html
import re

import numpy as np
from numpy.typing import NDArray

# Each status has a colour, a sign and words, because some readers do not see colours.
# Each of the colours is easy to see on a white and on a black background.
STATUS = {
    "right": ("✓", "Right", "#2f9e44"),
    "partly": ("◐", "Partly right", "#c77700"),
    "wrong": ("✗", "Not yet", "#e03131"),
    "open": ("○", "Not answered yet", "#868e96"),
    "not run": ("–", "Not run", "#868e96"),
    "note": ("→", "", "#4c8bd6"),
}
_MOST_DRAWN = 24  # each grid in the picture has at most this many rows and columns


class Note(str):
    """A framed message in which `code` and *emphasis* are formatted as in Markdown."""

    __repr__ = str.__str__

    def _repr_html_(self) -> str:
        return frame_message("note", "", self)


class Prose(str):
    """A Markdown text with formulas, such as a solution or a question."""

    __repr__ = _repr_markdown_ = str.__str__


def format_points(score: float, total: float) -> str:
    """Format a score and the maximum score, as in '2 of 3 points'.

    >>> format_points(1, 1), format_points(0.5, 3)
    ('1 of 1 point', '0.5 of 3 points')
    """
    return f"{score:g} of {total:g} {'point' if total == 1 else 'points'}"


def frame_message(status: str, score: str, message: str, picture: str = "") -> str:
    """Return a message as HTML, in a frame whose colour shows the status."""
    sign, words, colour = STATUS[status]
    head = f"<strong>{sign} {words}</strong>" if words else ""
    lines = [" · ".join(filter(None, [head, score])), render_markup(message)]
    return (
        f'<div role="status" style="border-left: 4px solid {colour}; padding: .2em .8em">'
        f"{'<br>'.join(filter(None, lines))}{picture}</div>"
    )


def frame_afterwards(lines: list[str], onward: str) -> str:
    """Return the texts that follow a right answer as HTML. The last text is folded away."""
    *paragraphs, question, answer = map(render_markup, lines)
    folded = f"<details><summary>{question}</summary>{answer}</details>"
    parts = [*(f"<div>{text}</div>" for text in paragraphs), folded]
    return "".join([*parts, f"<div>{render_markup(onward)}</div>" if onward else ""])


def render_markup(text: str) -> str:
    """Return plain text as HTML, with `code` and *stress* formatted.

    >>> render_markup("use `a < b`, *not* 2 * a * b")
    'use <code>a &lt; b</code>, <em>not</em> 2 * a * b'
    """
    parts = re.split(r"`([^`]+)`", html.escape(text, quote=False))
    parts[1::2] = [f"<code>{code}</code>" for code in parts[1::2]]
    stress = re.compile(r"\*(?=\S)([^*]+?)(?<=\S)\*(?!\w)")
    parts[::2] = [stress.sub(r"<em>\1</em>", prose) for prose in parts[::2]]
    return "".join(parts)


def draw_comparison(name: str, yours: NDArray[np.float64], right: NDArray[np.float64]) -> str:
    """Draw the learner's values and the correct values side by side, as grids of shaded cells.

    Return '' for arrays of more than two axes.
    """
    if yours.ndim > 2:
        return ""
    yours, right = (np.atleast_2d(values)[:_MOST_DRAWN, :_MOST_DRAWN] for values in (yours, right))
    largest = max(np.abs(yours).max(), np.abs(right).max()) or 1.0
    side = 150 / max(yours.shape)
    bottom = len(yours) * side + 16
    body = ""
    for left, words, values in ((10, "yours", yours), (190, "expected", right)):
        body += (
            f'<text x="{left}" y="{bottom:.0f}" font-size="13" fill="currentColor">{words}</text>'
        )
        for (row, column), value in np.ndenumerate(values):
            colour = "#e8710a" if value < 0 else "#1c6dd0"
            body += (
                f'<rect x="{left + column * side:.1f}" y="{row * side:.1f}" width="{side:.1f}"'
                f' height="{side:.1f}" fill="{colour}" fill-opacity="{abs(value) / largest:.2f}"/>'
            )
    row, column = np.unravel_index(np.abs(yours - right).argmax(), yours.shape)
    alt = f"{name} as two tables of shades; yours differs most at row {row}, column {column}."
    return (
        f'<svg viewBox="0 0 360 {bottom + 5:.0f}" width="360" role="img"'
        f' aria-label="{html.escape(alt)}"'
        f' style="display: block; max-width: 100%; margin-top: .5em">{body}</svg>'
    )
