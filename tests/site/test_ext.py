"""The extensions' own rules, without a build."""

import base64
import io
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

sys.path.append(str(Path(__file__).parents[2]))

from sphinx.errors import ExtensionError

from _ext import explorers, outputs, purge, svg
from _ext.page import Page

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


def notebook(*data: dict[str, object]) -> str:
    outputs = [{"output_type": "display_data", "metadata": {}, "data": d} for d in data]
    return json.dumps({"cells": [{"cell_type": "code", "outputs": outputs}]})


def test_outputs_become_html_and_others_stay() -> None:
    published = {"kind": "dial", "state": {"text": "a \"b\" <c> & 'd'"}, "caption": "x < y"}
    source = notebook(
        {"image/svg+xml": PICTURE.splitlines(keepends=True), "text/plain": "figure"},
        {"image/svg+xml": PICTURE, outputs.EXPLORER: published, "text/plain": "explorer"},
        {"text/plain": "42"},
    )
    figure, explorer, number = outputs.bundles(json.loads(outputs.rewrite(source)))
    assert figure["text/html"].startswith('<figure class="om-figure"><svg')
    assert number == {"text/plain": "42"}
    assert "f1-m1" in figure["text/html"] and "f2-m1" in explorer["text/html"]
    from bs4 import BeautifulSoup

    host = BeautifulSoup(explorer["text/html"], "html.parser").select_one(".om-explorer")
    assert host["data-kind"] == "dial" and json.loads(host["data-state"]) == published["state"]
    assert host.select_one(".om-caption").get_text() == "x < y"
    assert host.select_one(".om-fallback svg")


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


def test_purge_keeps_what_can_match() -> None:
    css = """
    a, .used, .gone, .used.gone, #here:not(.gone) > b { color: red }
    .gone { color: blue }
    @media (min-width: 9px) { .used:is(.x, .y) { top: 0 } .gone { top: 1px } }
    @media print { .gone { top: 2px } }
    """
    kept = purge.purge(css, {"used", "here"})
    assert kept == (
        "a,.used,#here:not(.gone) > b{color: red}@media (min-width: 9px){.used:is(.x, .y){top: 0}}"
    )


def test_style_from_another_host_is_refused(tmp_path: Path) -> None:
    sheet = tmp_path / "a.css"
    sheet.write_text("a { background: url(https://example.org/a.png) }")
    with pytest.raises(ExtensionError, match="self-hosted"):
        purge.gather([sheet], tmp_path)


def test_a_changed_theme_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<html><head></head><body></body></html>")
    with pytest.raises(ExtensionError, match="theme changed"):
        Page(path, tmp_path).edit()


def test_a_page_that_loads_from_another_host_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text('<script src="https://example.org/a.js"></script>')
    with pytest.raises(ExtensionError, match="another host"):
        Page(path, tmp_path).resources()


def test_custom_properties_that_nothing_reads_are_dropped() -> None:
    css = (
        ':root{--a:1px;--b:url("data:x;y}");--c:var(--d);--d:2px;--ex-ink:1}'
        "p{margin:var(--a)}q{--e:3px}@media print{b{--f:1}}i{--g:1;color:red}"
    )
    kept = purge.drop_unused_properties(css, "getPropertyValue('--e')")
    assert kept == ":root{--a:1px;--ex-ink:1}p{margin:var(--a)}q{--e:3px}@media print{}i{color:red}"
