"""Test the functions of the Sphinx extensions directly, without building a site."""

import copy
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[2]))

from sphinx.errors import ExtensionError

from _ext import outputs
from _ext.outputs import svg
from _ext.sources import bundle_script
from pe_lib.course.figures import CAPTION
from tools.notebooks import ROOT

PICTURE = """<?xml version="1.0"?><!DOCTYPE svg>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img"
 aria-label="A line that rises." width="72pt" height="36pt" viewBox="0 0 72 36">
 <defs><path id="m1" d="M 0 0
L 1 1"/></defs>
 <g id="axes_1" clip-path="url(#p1)"><use xlink:href="#m1" style="fill: #0B5CAD"/></g>
 <clipPath id="p1"><rect width="1" height="1" fill="#123456"/></clipPath>
</svg>"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('aria-label="A line that rises."', ""),
        ('viewBox="0 0 72 36"', ""),
        ("<defs>", "<defs><style>*{stroke-linejoin: round}</style>"),
    ],
)
def test_figure_without_alternative_or_ratio_or_with_a_style_is_refused(old: str, new: str) -> None:
    assert svg.inline(PICTURE, "f1-", {}) and old in PICTURE
    with pytest.raises(ExtensionError):
        svg.inline(PICTURE.replace(old, new), "f1-", {})


def cell(*bundles: dict[str, object]) -> dict[str, object]:
    shown = [{"output_type": "display_data", "data": data} for data in bundles]
    return {"cell_type": "code", "metadata": {}, "source": "1 + 1", "outputs": shown}


FIGURE = {"image/svg+xml": PICTURE}
BELOW = {CAPTION: {"number": "2.3", "caption": "A `line` that rises."}}
SAID = {"cell_type": "markdown", "metadata": {"tags": [outputs.DESCRIPTION]}, "source": "Words."}


@pytest.mark.parametrize(
    ("cells", "missing"),
    [
        ([cell(FIGURE), SAID], "caption"),
        ([cell(FIGURE, BELOW)], "description"),
        ([cell({outputs.EXPLORER: {"kind": "dial"}})], "static picture"),
        (
            [
                cell(
                    {outputs.EXPLORER: {"kind": "dial", "state": {"story": ""}}, outputs.FIGURE: ""}
                )
            ],
            "no explorer 'dial'",
        ),
    ],
    ids=["caption", "description", "picture", "kind"],
)
def test_a_figure_that_says_too_little_is_refused(
    cells: list[dict[str, object]], missing: str
) -> None:
    with pytest.raises(ExtensionError, match=missing):
        outputs.rewrite({"cells": cells})


def explorer_cells(*tags: list[str]) -> list[dict[str, Any]]:
    """Return cells that show one explorer of chapter 4, each with its own tags."""
    notebook = json.loads((ROOT / "chapters/04-sine-and-cosine-deeper.ipynb").read_text("utf-8"))
    (shown,) = (c for c in notebook["cells"] if "explorer-phase" in c["metadata"].get("tags", []))
    return [copy.deepcopy(shown) | {"metadata": {"tags": some}} for some in tags]


@pytest.mark.parametrize(
    ("image", "colour"), [("", "#010101"), ("<image/>", "var(--om-on-light,#010101)")]
)
def test_text_on_a_heat_map_changes_its_colour_in_dark_mode(image: str, colour: str) -> None:
    text = f'{image}<text style="fill: #010101">0.84</text></svg>'
    picture = svg.inline(PICTURE.replace("</svg>", text), "f1-", {})
    assert f'style="fill:{colour}"' in picture


def test_an_explorer_is_called_by_its_kind_or_by_a_tag_of_its_cell() -> None:
    cells = explorer_cells([], ["explorer-phase-7"], [])
    outputs.rewrite({"cells": cells})
    pages = ["".join(c["outputs"][0]["data"]["text/html"]) for c in cells]
    names = [re.search(r'id="(explorer-[\w-]+)"', page)[1] for page in pages]
    assert names == ["explorer-phase", "explorer-phase-7", "explorer-phase-3"]
    with pytest.raises(ExtensionError, match="two explorers of a page have the id explorer-phase"):
        outputs.rewrite({"cells": explorer_cells([], ["explorer-phase"])})


def test_a_script_that_imports_what_is_missing_stops_the_build() -> None:
    with pytest.raises(ExtensionError, match=r'Could not resolve "\./missing\.mjs"'):
        bundle_script('import { a } from "./missing.mjs"; window.a = a;')
