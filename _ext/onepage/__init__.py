"""The course on one page: a page like others on the screen, one sheet of paper from the printer.

`chapters/appendix-one-page.md` is a Jinja template: {{ wavelengths(512)[-1] | number(1) }} is
computed by the library as the page is read, and the directive `drawn` draws one of drawings.py.
The look on paper is in onepage.css; `python -m tools.sheet` prints the files to download.
"""

import shutil
from math import ceil, pi
from pathlib import Path

import numpy as np
from docutils import nodes
from jinja2 import Environment, StrictUndefined
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.onepage import drawings
from _ext.onepage.drawings import number
from _ext.outputs import svg
from _ext.sources import own_file
from pe_lib import biases, context, encode, kernel, rotary, wavelengths
from pe_lib.course import figures

PAGE = "chapters/appendix-one-page"
SHEETS = Path("chapters", "data", "one-page")  # PDF, printed by tools/sheet.py
FOLDER = "_static/one-page"  # of the site
SHOWN = nodes.raw, nodes.math_block, nodes.table  # open on the screen; the words below can wait


def last_bucket(*, bidirectional: bool) -> int:
    """The first distance to an earlier word that T5 puts into its last bucket.

    >>> last_bucket(bidirectional=True), last_bucket(bidirectional=False)
    (91, 113)
    """
    buckets = biases.t5_buckets(-np.arange(500), bidirectional=bidirectional)
    return int(np.argmax(buckets == buckets[-1]))


def first_rise(d_model: int) -> int:
    """The offset after which the kernel rises for the first time.

    >>> first_rise(512)
    43
    """
    return int(np.argmax(np.diff(kernel(range(200), d_model)) > 0))


def filled(template: str) -> str:
    """The template with its numbers; a name that it does not know is an error.

    >>> filled("{{ (2 * pi * 10000) | number(1) }}, {{ encode(4, 2)[0] | number(3) }}")
    '62,831.9, −0.757'
    """
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    environment.filters["number"] = number
    known = (encode, kernel, wavelengths, ceil, last_bucket, first_rise)
    names = {function.__name__: function for function in known}
    return environment.from_string(template).render(
        names, pi=pi, np=np, biases=biases, context=context, rotary=rotary
    )


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    if docname == PAGE:
        source[0] = filled(source[0])


class Drawn(SphinxDirective):
    """A drawing by its name; what stands in the directive says what is seen."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        picture = svg.inline(
            drawings.drawn(name, " ".join(self.content)), f"{name}-", figures.PALETTE
        )
        figure = f'<figure class="om-figure" id="drawn-{name}">{picture}</figure>'
        return [nodes.raw("", figure, format="html")]


def fold(app: Sphinx, document: nodes.document) -> None:
    """Behind a line on the screen: what a block says below its last drawing, formula or table."""
    if app.env.docname != PAGE:
        return
    for block in list(document.findall(nodes.section))[1:]:
        shown = [isinstance(child, SHOWN) for child in block]
        if True in shown[:-1] and not shown[-1]:
            after = len(shown) - shown[::-1].index(True)
            opening = '<details class="om-words"><summary>In words</summary>'
            block.insert(after, nodes.raw("", opening, format="html"))
            block += nodes.raw("", "</details>", format="html")


def copy(app: Sphinx) -> None:
    if app.builder.format == "html":
        shutil.copytree(Path(app.srcdir, SHEETS), Path(app.outdir, FOLDER), dirs_exist_ok=True)


def setup(app: Sphinx) -> None:
    app.add_directive("drawn", Drawn)
    app.connect("source-read", fill)
    app.connect("doctree-read", fold)
    app.connect("builder-inited", copy)
    own_file(app, 'class="om-print"', "onepage/onepage.js")
