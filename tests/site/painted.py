"""Contrast where axe can't decide it: text in pictures, formulas, table bars and canvases."""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Page

# A line that crosses a word leaves it readable: so much of what is behind may be too close.
CROSSED = 0.2

# The text of an element against the next opaque background colour, by the WCAG formula
CONTRAST = """element => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  let back = element;
  while (back && rgba(getComputedStyle(back).backgroundColor)[3] < 255) back = back.parentElement;
  const [a, b] = [
    light(rgba(getComputedStyle(element).color)),
    light(back ? rgba(getComputedStyle(back).backgroundColor) : [255, 255, 255]),
  ];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}"""

# Nothing but the pictures, and the tables that have bars, on one short page. Returns their texts.
PICTURES = """() => {
  let sheet = document.querySelector("body > figure");
  if (!sheet) {
    sheet = document.createElement("figure");
    sheet.append(...document.querySelectorAll(":is(.om-figure, .om-fallback) > svg, .ex table"));
    for (const other of document.body.children) other.style.display = "none";
    document.body.append(sheet);
  }
  return [...sheet.querySelectorAll("text, tspan, td, th, caption")].flatMap((element) => {
    const { color, fill } = getComputedStyle(element);
    const colour = element.closest("svg") ? fill : color;
    return [...element.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE && n.data.trim())
      .map((node) => {
        const range = document.createRange();
        range.selectNode(node);
        const { x, y, width, height } = range.getBoundingClientRect();
        return { text: node.data.trim(), colour, box: [x + scrollX, y + scrollY, width, height] };
      });
  });
}"""

NO_TEXT = """* { color: transparent !important; transition: none !important; }
  svg :is(text, tspan) { fill: transparent !important; }"""

# Each text on a canvas: its colour, and the pixels that were there before it was written
WRITTEN = """() => {
window.written = [];
const write = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
  const { a, d, e, f } = this.getTransform(), size = this.measureText(text);
  const box = [
    a * (x - size.actualBoundingBoxLeft) + e, d * (y - size.actualBoundingBoxAscent) + f,
    a * (size.actualBoundingBoxLeft + size.actualBoundingBoxRight),
    d * (size.actualBoundingBoxAscent + size.actualBoundingBoxDescent),
  ].map(Math.round);
  if (box[2] > 0 && box[3] > 0) window.written.push({
    text: String(text), colour: this.fillStyle, behind: [...this.getImageData(...box).data],
    paper: getComputedStyle(document.body).backgroundColor,
  });
  return write.call(this, text, x, y, ...rest);
};
}"""


def luminance(colours: NDArray[np.float64]) -> NDArray[np.float64]:
    """WCAG's relative luminance of colours from 0 to 255."""
    c = colours / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def contrast(colour: str, behind: NDArray[np.float64]) -> float:
    """The contrast that all but CROSSED of the pixels behind a text have."""
    one, others = luminance(rgb(colour)), luminance(behind.reshape(-1, 3))
    ratios = (np.maximum(one, others) + 0.05) / (np.minimum(one, others) + 0.05)
    return float(np.quantile(ratios, CROSSED))


def rgb(colour: str) -> NDArray[np.float64]:
    """`#rrggbb` or `rgb(r, g, b)` as three numbers."""
    if colour.startswith("#"):
        return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], dtype=np.float64)
    numbers = colour[colour.index("(") + 1 : -1].split(",")[:3]
    return np.array([float(n) for n in numbers])


def styled(page: Page, style: str) -> None:
    """Add a style sheet, which the page's policy would forbid as a tag."""
    page.evaluate(
        """style => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(style);
          document.adoptedStyleSheets.push(sheet);
        }""",
        style,
    )


def faint_in_pictures(page: Page) -> list[str]:
    """The texts too close in colour to what is behind them; of the page only the pictures stay."""
    found, texts = [], page.evaluate(PICTURES)
    if not texts:
        return []
    styled(page, NO_TEXT)
    photograph = page.screenshot(full_page=True, animations="disabled")
    page.evaluate("document.adoptedStyleSheets.pop()")
    pixels = np.asarray(Image.open(io.BytesIO(photograph)).convert("RGB"))
    for text in texts:
        x, y, width, height = (int(length) for length in text["box"])
        behind = pixels[y : y + height + 1, x : x + width + 1].astype(np.float64)
        assert behind.size, f"{text['text']} is not on the photograph"
        if (ratio := contrast(text["colour"], behind)) < 4.5:
            found.append(f"{ratio:.2f}: {text['text']}")
    return found


def faint_on_canvases(page: Page) -> list[str]:
    """The same for what was written on canvases; since WRITTEN was evaluated."""
    found = []
    for text in page.evaluate("window.written.splice(0)"):
        painted = np.array(text["behind"], dtype=np.float64).reshape(-1, 4)
        opaque = painted[:, 3:] / 255
        behind = painted[:, :3] * opaque + rgb(text["paper"]) * (1 - opaque)
        if (ratio := contrast(text["colour"], behind)) < 4.5:
            found.append(f"{ratio:.2f}: {text['text']}")
    return found
