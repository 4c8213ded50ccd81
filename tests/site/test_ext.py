"""The extensions' own rules, without a build."""

import base64
import io
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from bs4 import BeautifulSoup
from PIL import Image

sys.path.append(str(Path(__file__).parents[2]))

from sphinx.errors import ExtensionError

from _ext import explorers, outputs, svg
from pe_lib.course.figures import CAPTION

PICTURE = """<?xml version="1.0"?><!DOCTYPE svg>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img"
 aria-label="A line that rises." width="72pt" height="36pt" viewBox="0 0 72 36">
 <defs><style type="text/css">*{stroke-linejoin: round}</style><path id="m1" d="M 0 0
L 1 1"/></defs>
 <g id="axes_1" clip-path="url(#p1)"><use xlink:href="#m1" style="fill: #0B5CAD"/></g>
 <clipPath id="p1"><rect width="1" height="1" fill="#123456"/></clipPath>
</svg>"""


def test_figure_fits_into_a_page() -> None:
    text = svg.inline(PICTURE, "f1-", {"blue": "#0b5cad"})
    assert text.startswith("<svg") and "DOCTYPE" not in text
    assert 'width="96"' in text and 'height="48"' in text
    assert "fill:var(--om-blue,#0b5cad)" in text and "#123456" in text
    assert 'href="#f1-m1"' in text and 'id="f1-m1"' in text and "url(#f1-p1)" in text
    assert "axes_1" not in text, "an id that nothing refers to is only weight"
    assert "<style" not in text and 'style="stroke-linejoin:round"' in text


def png(pixels: np.ndarray) -> str:
    packed = io.BytesIO()
    Image.fromarray(pixels).save(packed, "PNG")
    return base64.b64encode(packed.getvalue()).decode()


def embedded(picture: str) -> np.ndarray:
    code = re.search('data:image/png;base64,([^"]+)', svg.inline(picture, "f1-", {}))[1]
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(code))).convert("RGBA"))


@pytest.mark.parametrize(("colours", "alpha"), [(200, 255), (60_000, 255), (200, 128)])
def test_an_embedded_picture_keeps_every_pixel(colours: int, alpha: int) -> None:
    rng = np.random.default_rng(1)
    palette = rng.integers(256, size=(colours, 4), dtype=np.uint8)
    palette[:, 3] = alpha
    pixels = palette[rng.integers(colours, size=(40, 30))]
    image = f'<image xlink:href="data:image/png;base64,{png(pixels)}"/></svg>'
    assert np.array_equal(embedded(PICTURE.replace("</svg>", image)), pixels)


def test_an_embedded_picture_of_few_colours_gets_small() -> None:
    pixels = np.zeros((60, 60, 4), dtype=np.uint8)
    pixels[..., 0] = np.random.default_rng(1).integers(200, size=(60, 60))
    pixels[..., 1], pixels[..., 3] = pixels[..., 0] * 7, 255
    given = png(pixels)
    image = f'<image xlink:href="data:image/png;base64,{given}"/></svg>'
    assert len(svg.inline(PICTURE.replace("</svg>", image), "f1-", {})) < 0.7 * len(given)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('aria-label="A line that rises."', ""),
        ("*{", "path{"),
        ('viewBox="0 0 72 36"', ""),
    ],
    ids=["no alternative", "a rule for the whole page", "no ratio"],
)
def test_figure_that_does_not_fit_is_refused(old: str, new: str) -> None:
    assert old in PICTURE
    with pytest.raises(ExtensionError):
        svg.inline(PICTURE.replace(old, new), "f1-", {})


def notebook(*cells: dict[str, object] | str) -> str:
    """A code cell for each list of data bundles, a description for each text."""

    def cell(given: dict[str, object] | str) -> dict[str, object]:
        if isinstance(given, str):
            tags = {"tags": [outputs.WORDS]}
            return {"cell_type": "markdown", "metadata": tags, "source": given}
        shown = [{"output_type": "display_data", "data": given}]
        if below := given.pop(CAPTION, None):
            shown.append({"output_type": "display_data", "data": {CAPTION: below}})
        return {"cell_type": "code", "metadata": {}, "source": "1 + 1", "outputs": shown}

    return json.dumps({"cells": [cell(given) for given in cells]})


def rewritten(source: str) -> tuple[list[dict[str, object]], list[list[BeautifulSoup]]]:
    """The cells, and what each shows."""
    cells = json.loads(outputs.rewrite(source))["cells"]
    shown = [[o["data"].get("text/html", "") for o in cell["outputs"]] for cell in cells]
    return cells, [[BeautifulSoup(html, "html.parser") for html in cell] for cell in shown]


BELOW = {"number": "2.3", "caption": "A `line` that rises."}


def test_a_figure_has_number_caption_and_words() -> None:
    picture = {"image/svg+xml": PICTURE.splitlines(keepends=True), CAPTION: BELOW}
    cells, [[soup]] = rewritten(notebook(picture, 'From left to right, a "line" & more.'))
    figure = soup.select_one("figure.om-figure")
    assert figure["id"] == "figure-2-3"
    assert figure.svg["aria-label"] == 'From left to right, a "line" & more.'
    assert figure.select_one("figcaption > a")["href"] == "#figure-2-3"
    assert figure.figcaption.get_text() == "Figure 2.3 A line that rises."
    assert figure.select_one("figcaption code").get_text() == "line"
    assert cells[0]["metadata"]["tags"] == ["hide-input"], "the code that draws is folded"


@pytest.mark.parametrize("missing", ["caption", "words"])
def test_a_figure_that_says_too_little_is_refused(missing: str) -> None:
    picture = {"image/svg+xml": PICTURE} | ({CAPTION: BELOW} if missing == "words" else {})
    with pytest.raises(ExtensionError, match="caption" if missing == "caption" else "description"):
        outputs.rewrite(notebook(picture, *["Words."] * (missing == "caption")))


def test_an_explorer_becomes_html_and_numbers_stay() -> None:
    published = {"kind": "dial", "state": {"text": "a \"b\" <c> & 'd'"}, "caption": "x < y"}
    data = {"image/svg+xml": PICTURE, outputs.EXPLORER: published, "text/plain": "explorer"}
    cells, [[soup], [again], [_]] = rewritten(notebook(data, dict(data), {"text/plain": "42"}))
    assert cells[2]["outputs"][0]["data"] == {"text/plain": "42"}
    host = soup.select_one(".om-explorer")
    assert host["data-kind"] == "dial" and json.loads(host["data-state"]) == published["state"]
    assert host.select_one(".om-caption").get_text() == "x < y"
    assert host.select_one(".om-fallback svg")
    assert [s.select_one(".om-explorer")["id"] for s in (soup, again)] == [
        "explorer-dial", "explorer-dial-2",
    ]  # fmt: skip
    pictures = [s.select_one("svg path")["id"] for s in (soup, again)]
    assert len(set(pictures)) == 2


def test_what_only_imports_is_folded_and_code_that_teaches_is_not() -> None:
    source = json.loads(notebook({"text/plain": "1"}, {"text/plain": "2"}))
    source["cells"][0]["source"] = ["import numpy as np\n", "np.set_printoptions(precision=4)"]
    cells, _ = rewritten(json.dumps(source))
    assert [cell["metadata"].get("tags") for cell in cells] == [["hide-input"], None]


def test_explorer_without_a_picture_is_refused() -> None:
    with pytest.raises(ExtensionError, match="static picture"):
        outputs.rewrite(notebook({outputs.EXPLORER: {"kind": "dial"}}))


def test_module_becomes_a_classic_script() -> None:
    text = explorers.classic("dot", "const a = 1;\nexport default { render };\n")
    assert '(window.omExplorers ??= {})["dot"] = { render };' in text
    assert "export" not in text


@pytest.mark.parametrize(
    "module",
    [
        "const a = 1;",
        'import { a } from "./a.mjs";\nexport default a;',
        "export const a = 1;\nexport default a;",
        "export default a;\nexport default b;",
        'const a = import("./a.mjs");\nexport default a;',
    ],
)
def test_module_that_needs_more_is_refused(module: str) -> None:
    with pytest.raises(ExtensionError, match="explorer dot"):
        explorers.classic("dot", module)
