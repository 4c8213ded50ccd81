"""Measure the contrast of all texts on a page, including those in pictures and tables."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Page

# Lines may cross a word, so this fraction of the pixels behind it may have low contrast.
CROSSED = 0.2

# Define a JavaScript function that returns the contrast of an element's text as WCAG defines it.
# Transparent colours are blended with the background. Pictures are measured in a screenshot.
CONTRAST = """(() => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colours = new Map(), papers = new Map(), opacities = new Map();
  const once = (known, key, make) => {
    if (!known.has(key)) known.set(key, make(key));
    return known.get(key);
  };
  const rgba = (colour) => once(colours, colour, () => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  });
  const over = ([r, g, b, a], paper, opacity = 1) =>
    [r, g, b].map((v, n) => v * (a / 255) * opacity + paper[n] * (1 - (a / 255) * opacity));
  const paper = (element) => element ? once(papers, element, () =>
    over(rgba(getComputedStyle(element).backgroundColor), paper(element.parentElement)))
    : [255, 255, 255];
  const opacity = (element) => element ? once(opacities, element, () =>
    getComputedStyle(element).opacity * opacity(element.parentElement)) : 1;
  const light = (rgb) => rgb.map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  return (element) => {
    const behind = paper(element);
    const ink = over(rgba(getComputedStyle(element).color), behind, opacity(element));
    const [a, b] = [light(ink), light(behind)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
})()"""

# Return each visible text of low contrast, except in disabled controls (WCAG 1.4.3).
FAINT = f"""() => {{
  const contrast = {CONTRAST}, found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (texts.nextNode()) {{
    const element = texts.currentNode.parentElement;
    if (seen.has(element) || !texts.currentNode.data.trim()) continue;
    seen.add(element);
    if (element.closest("svg, script, style, option, :disabled, :has(> :disabled)")) continue;
    if (!element.checkVisibility({{ visibilityProperty: true, opacityProperty: true }})) continue;
    const ratio = contrast(element);
    if (ratio < 4.5) found.push(`${{ratio.toFixed(2)}}: ${{element.outerHTML.slice(0, 160)}}`);
  }}
  return found;
}}"""

# Remove all but pictures and bar tables, and return each text in them with its colour and its box.
# The sheet has the class of figures, because dark mode inverts the heat maps in figures.
PICTURES = """() => {
  let sheet = document.querySelector("body > figure");
  if (!sheet) {
    sheet = document.createElement("figure");
    sheet.className = "om-figure";
    sheet.style.padding = "1rem"; // a label may be wider than its picture
    for (const picture of document.querySelectorAll(
      ":is(.om-figure, .om-fallback) > svg, .om-pictures > .ex, .ex table")) {
      const isFigure = picture.matches(".om-figure > svg");
      const frame = isFigure ? sheet : document.createElement("div"); // a figure has its own width
      frame.append(picture);
      if (!isFigure) sheet.append(frame);
    }
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


def luminance(colours: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the WCAG relative luminance of colours with channels from 0 to 255."""
    c = colours / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def contrast(colour: str, behind: NDArray[np.float64]) -> float:
    """Return a text's contrast with the pixels behind it, ignoring the lowest fraction CROSSED."""
    # extract the red, green and blue channels from a text like rgb(r, g, b)
    ink = np.array([float(n) for n in re.findall(r"[\d.]+", colour)[:3]])
    one, others = luminance(ink), luminance(behind.reshape(-1, 3))
    ratios = (np.maximum(one, others) + 0.05) / (np.minimum(one, others) + 0.05)
    return float(np.quantile(ratios, CROSSED))


@contextmanager
def apply_style(page: Page, style: str) -> Iterator[None]:
    """Apply a style sheet for a while, by script because the security policy forbids style tags."""
    page.evaluate(
        """style => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(style);
          document.adoptedStyleSheets.push(sheet);
        }""",
        style,
    )
    yield
    page.evaluate("document.adoptedStyleSheets.pop()")


def faint_texts(page: Page) -> list[str]:
    """Return the texts on a page whose contrast with the background is too low."""
    found: list[str] = page.evaluate(FAINT)
    return found


def faint_in_pictures(page: Page) -> list[str]:
    """Return the texts in pictures whose contrast is too low.

    Everything but the pictures is hidden on the page.
    """
    found, texts = [], page.evaluate(PICTURES)
    if not texts:
        return []
    with apply_style(page, NO_TEXT):
        photograph = page.screenshot(full_page=True, animations="disabled")
    pixels = np.asarray(Image.open(io.BytesIO(photograph)).convert("RGB"))
    for text in texts:
        x, y, width, height = (int(length) for length in text["box"])
        behind = pixels[y : y + height + 1, x : x + width + 1].astype(np.float64)
        assert behind.size, f"{text['text']} is not on the photograph"
        if (ratio := contrast(text["colour"], behind)) < 4.5:
            found.append(f"{ratio:.2f}: {text['text']}")
    return found
