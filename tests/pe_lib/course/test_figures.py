"""Figures: what the fingerprint sees, the alt text, the colours."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure

from pe_lib.course import figures


def drawn(y: tuple[float, ...] = (0.0, 1.0), title: str = "t", **line: object) -> Figure:
    fig, ax = figures.subplots(3, 2)
    ax.plot([0, 1], y, **line)
    ax.set_title(title)
    return fig


def test_fingerprint_is_the_same_for_the_same_data() -> None:
    assert figures.fingerprint(drawn()) == figures.fingerprint(drawn())


@pytest.mark.parametrize(
    "changed",
    [drawn(y=(0.0, 1.001)), drawn(title="u"), drawn(color="red")],
    ids=["data", "title", "colour"],
)
def test_fingerprint_sees_a_changed_figure(changed: Figure) -> None:
    assert figures.fingerprint(changed) != figures.fingerprint(drawn())


def artists(offset: float) -> dict[str, Figure]:
    made = {}
    for kind in ("image", "scatter", "fill", "bar", "text", "limits"):
        fig, ax = figures.subplots(3, 2)
        if kind == "image":
            ax.imshow(np.array([[0.0, offset]]), vmin=0, vmax=1)
        elif kind == "scatter":
            ax.scatter([0, 1], [0, offset])
        elif kind == "fill":
            ax.fill_between([0, 1], [0, 0], [1, offset])
        elif kind == "bar":
            ax.bar([0, 1], [1, offset])
        elif kind == "text":
            ax.text(0, 0, str(offset))
        else:
            ax.set_xlim(0, offset)
        ax.set_ylim(-1, 2)
        made[kind] = fig
    return made


@pytest.mark.parametrize("kind", ["image", "scatter", "fill", "bar", "text", "limits"])
def test_fingerprint_sees_every_kind_of_artist(kind: str) -> None:
    one, other = artists(0.5)[kind], artists(0.75)[kind]
    assert figures.fingerprint(one) != figures.fingerprint(other)
    assert figures.fingerprint(one) == figures.fingerprint(artists(0.5)[kind])


def test_fingerprint_does_not_see_rounding_noise() -> None:
    noisy = drawn(y=(1e-12, 1.0 - 1e-12))
    assert figures.fingerprint(noisy) == figures.fingerprint(drawn())


def test_svg_is_well_formed_has_its_alt_text_and_keeps_text_as_text() -> None:
    text = figures.svg(drawn(title="a title"), 'curve & "quotes" < 1')
    root = ET.fromstring(text)
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'curve & "quotes" < 1'
    assert "a title" in "".join(root.itertext())
    assert root.find(".//{http://www.w3.org/2000/svg}style") is None


def test_svg_is_the_same_in_every_run() -> None:
    assert figures.svg(drawn(), "x") == figures.svg(drawn(), "x")


@pytest.mark.parametrize(
    ("number", "caption", "message"),
    [
        ("2", "A line that rises.", "number must be the chapter and a count"),
        ("2.03", "A line that rises.", "number must be"),
        ("2.3", "A line that rises", "caption must be a sentence"),
        ("2.3", "  ", "caption must be a sentence"),
    ],
)
def test_a_figure_without_number_or_sentence_is_refused(
    number: str, caption: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        figures.Picture(drawn(), number, caption)


def test_the_outputs_have_size_fingerprint_number_and_caption() -> None:
    picture = figures.Picture(drawn(), "A.12", "Two\n points.")
    said = r"\[figure 3 × 2 in, data [0-9a-f]{12}\]\nFigure A\.12\. Two points\."
    assert re.fullmatch(said, repr(picture))
    shown = picture._repr_mimebundle_()
    assert set(shown) == {"image/svg+xml", "text/plain"}
    assert 'aria-label="Figure A.12. Two points."' in shown["image/svg+xml"]
    below = figures.Caption(picture)._repr_mimebundle_()
    assert below[figures.CAPTION] == {"number": "A.12", "caption": "Two points."}
    assert below["text/markdown"] == "**Figure A.12.** Two points."


def contrast(rgb: tuple[float, ...], other: float) -> float:
    one = np.array(rgb)
    linear = np.where(one <= 0.04045, one / 12.92, ((one + 0.055) / 1.055) ** 2.4)
    y = float(linear @ [0.2126, 0.7152, 0.0722])
    return (max(y, other) + 0.05) / (min(y, other) + 0.05)


def test_digits_are_read_on_every_colour() -> None:
    for value in np.linspace(-1, 1, 401):
        ink = {"#fefefe": 0.991, "#010101": 0.0003}[figures.ink_on(value)]
        assert contrast(figures.TIDE((value + 1) / 2)[:3], ink) > 4.4


def luminance(rgb: np.ndarray) -> np.ndarray:
    """CIE L* of sRGB colours (IEC 61966-2-1), 0 to 100."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    y = linear @ [0.2126, 0.7152, 0.0722]
    return np.where(y > 216 / 24389, 116 * np.cbrt(y) - 16, y * 24389 / 27)


def test_the_signed_colour_map_is_balanced_and_gets_darker_with_size() -> None:
    size = np.linspace(0, 1, 50)
    positive = luminance(figures.TIDE(0.5 + size / 2)[:, :3])
    negative = luminance(figures.TIDE(0.5 - size / 2)[:, :3])
    assert (np.diff(positive) < 0).all()
    assert (np.diff(negative) < 0).all()
    assert (
        np.abs(positive - negative).max() < 6
    )  # equal sizes look equally dark, without colour too
    assert positive[0] - positive[-1] > 60


@pytest.mark.parametrize("name", ["ink", "muted", "blue", "orange", "green", "purple"])
def test_palette_is_readable_on_paper(name: str) -> None:
    def y(colour: str) -> float:
        rgb = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    paper, ink = y(figures.PALETTE["paper"]), y(figures.PALETTE[name])
    assert (paper + 0.05) / (ink + 0.05) >= 4.5  # WCAG 2.2, 1.4.3


def test_the_core_does_not_load_matplotlib_or_widgets() -> None:
    code = (
        "import pe_lib, sys; "
        "print([m for m in ('matplotlib', 'anywidget', 'IPython') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("angle", "tip"), [(0, (0, 1)), (np.pi / 2, (1, 0)), (np.pi, (0, -1)), (5, (-0.9589, 0.2837))]
)
def test_a_clocks_hand_starts_straight_up_and_turns_clockwise(
    angle: float, tip: tuple[float, float]
) -> None:
    _, ax = figures.subplots(1, 1)
    figures.draw_clock(ax, angle)
    rim, hand = (line.get_xydata() for line in ax.lines)
    np.testing.assert_allclose(np.hypot(*rim.T), 1, rtol=1e-12)
    np.testing.assert_allclose(hand, [(0, 0), tip], atol=5e-5)
