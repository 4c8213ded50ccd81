"""Test the fingerprints, the alternative texts and the colours of figures."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from pe_lib.course import figures

# Functions that draw a number y. If y changes, the fingerprint must change.
DRAWN = {
    "line": lambda ax, y: ax.plot([0, 1], [0, y]),
    "title": lambda ax, y: ax.set_title(str(y)),
    "colour": lambda ax, y: ax.plot([0, 1], color=(y, 0, 0)),
    "image": lambda ax, y: ax.imshow(np.array([[0.0, y]]), vmin=0, vmax=1),
    "scatter": lambda ax, y: ax.scatter([0, 1], [0, y]),
    "fill": lambda ax, y: ax.fill_between([0, 1], [0, 0], [1, y]),
    "bar": lambda ax, y: ax.bar([0, 1], [1, y]),
    "text": lambda ax, y: ax.text(0, 0, str(y)),
    "limits": lambda ax, y: ax.set_xlim(0, y),
}


def draw_figure(kind: str = "line", y: float = 0.5, title: str = "") -> Figure:
    fig, ax = figures.subplots(3, 2)
    ax.set_ylim(-1, 2)
    ax.set_title(title)
    DRAWN[kind](ax, y)
    return fig


@pytest.mark.parametrize("kind", DRAWN)
def test_fingerprint_sees_what_is_drawn_and_no_rounding(kind: str) -> None:
    found = figures.fingerprint(draw_figure(kind))
    assert found == figures.fingerprint(draw_figure(kind))
    assert found != figures.fingerprint(draw_figure(kind, 0.501))
    if kind not in ("title", "text"):
        assert found == figures.fingerprint(draw_figure(kind, 0.5 - 1e-12))


def test_svg_is_well_formed_has_its_alt_text_and_keeps_text_as_text() -> None:
    text = figures.svg(draw_figure(title="a title"), 'curve & "quotes" < 1')
    root = ET.fromstring(text)
    assert root.get("role") == "img" and root.get("aria-label") == 'curve & "quotes" < 1'
    assert "a title" in "".join(root.itertext())
    assert root.find(".//{http://www.w3.org/2000/svg}style") is None
    assert text == figures.svg(draw_figure(title="a title"), 'curve & "quotes" < 1')


def test_a_figure_without_number_or_sentence_is_refused() -> None:
    for number, caption in (("2", "It rises."), ("2.03", "It rises."), ("2.3", "It rises")):
        with pytest.raises(ValueError, match="must be"):
            figures.outputs(draw_figure(), number, caption)


def test_the_outputs_have_size_fingerprint_number_and_caption() -> None:
    shown, below = figures.outputs(draw_figure(), "A.12", "Two\n points.")
    said = r"\[figure 3 × 2 in, data [0-9a-f]{12}\]\nFigure A\.12\. Two points\."
    assert re.fullmatch(said, shown["text/plain"])
    assert set(shown) == {"image/svg+xml", "text/plain"}
    assert 'aria-label="Figure A.12. Two points."' in shown["image/svg+xml"]
    assert below[figures.CAPTION] == {"number": "A.12", "caption": "Two points."}
    assert below["text/markdown"] == "**Figure A.12.** Two points."


def compute_luminance(colour: object) -> np.ndarray:
    """Return the relative luminance, from 0 to 1, of sRGB colours (IEC 61966-2-1)."""
    if isinstance(colour, str):
        colour = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    rgb = np.asarray(colour)[..., :3]
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def contrast(one: object, other: object) -> float:
    dark, bright = sorted([compute_luminance(one), compute_luminance(other)])
    return (bright + 0.05) / (dark + 0.05)


def test_digits_are_read_on_every_colour_and_lines_on_paper() -> None:
    for value in np.linspace(-1, 1, 401):
        assert contrast(figures.TIDE((value + 1) / 2), figures.ink_on(value)) > 4.4
        for cell in figures.encoding_colours([[value, value]], 0.45)[0]:
            assert contrast(cell, "#010101") > 4.4
    for name in ("ink", "muted", "blue", "orange", "green", "purple"):
        # the contrast that criterion 1.4.3 of WCAG 2.2 requires
        assert contrast(figures.PALETTE["paper"], figures.PALETTE[name]) >= 4.5


def test_what_styles_fall_back_to_are_the_colours_of_figures() -> None:
    """Test that the style sheets' fallback colours are the colours of the figures."""
    course = Path(figures.__file__).parent
    fallbacks = r"var\(--om-(\w+),[^;]*(#[0-9a-f]{6})\)"
    for file in ("explorers/scene/scene.css", "predictions.css"):
        found = re.findall(fallbacks, (course / file).read_text("utf-8"))
        assert len(found) > 3 and set(found) <= set(figures.PALETTE.items()), file
    icon = course.parents[1] / "_ext" / "theme" / "favicon.svg"
    assert figures.PALETTE["blue"] in icon.read_text("utf-8")


def test_a_clocks_hand_starts_straight_up_and_turns_clockwise() -> None:
    for angle, tip in ((0.0, (0, 1)), (np.pi / 2, (1, 0)), (5.0, (-0.9589, 0.2837))):
        _, ax = figures.subplots(1, 1)
        figures.draw_clock(ax, angle)
        rim, hand = (line.get_xydata() for line in ax.lines)
        np.testing.assert_allclose(np.hypot(*rim.T), 1, rtol=1e-12)
        np.testing.assert_allclose(hand, [(0, 0), tip], atol=5e-5)
