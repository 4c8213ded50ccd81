"""Build the summary page of the course, which can be printed on one sheet of paper.

`chapters/appendix-one-page.md` is a Jinja template. Expressions such as
{{ wavelengths(512)[-1] | number(1) }} are computed with the library while the page is read. The
directive `drawn` inserts a drawing from drawings.py. The style sheet for paper is onepage.css, and
`python -m tools.sheet` prints the PDF files that readers download.
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
from _ext.onepage.drawings import format_number
from _ext.outputs import svg
from _ext.sources import add_script_file
from pe_lib import biases, context, encode, kernel, rotary, wavelengths
from pe_lib.course import figures

PAGE = "chapters/appendix-one-page"
SHEETS = Path("chapters", "data", "one-page")  # the folder that contains the printed PDF files
FOLDER = "_static/one-page"  # the folder on the site for the PDF files
# the words in a section are folded away, but only below the last node of one of these types
ALWAYS_OPEN = nodes.raw, nodes.math_block, nodes.table


def last_bucket(*, bidirectional: bool) -> int:
    """Return the smallest distance to an earlier word that belongs to T5's last bucket.

    >>> last_bucket(bidirectional=True), last_bucket(bidirectional=False)
    (91, 113)
    """
    buckets = np.asarray(biases.t5_buckets(-np.arange(500), bidirectional=bidirectional))
    return int(np.argmax(buckets == buckets[-1]))


def first_rise(d_model: int) -> int:
    """Return the smallest offset after which the kernel rises.

    >>> first_rise(512)
    43
    """
    return int(np.argmax(np.diff(kernel(range(200), d_model)) > 0))


def fill_numbers(template: str) -> str:
    """Return the page's source with the values of all Jinja expressions filled in.

    An unknown name in an expression is an error.

    >>> fill_numbers("{{ (2 * pi * 10000) | number(1) }}, {{ encode(4, 2)[0] | number(3) }}")
    '62,831.9, −0.757'
    """
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    environment.filters["number"] = format_number
    functions = (encode, kernel, wavelengths, ceil, last_bucket, first_rise)
    names = {function.__name__: function for function in functions}
    return environment.from_string(template).render(
        names, pi=pi, np=np, biases=biases, context=context, rotary=rotary
    )


def fill_page(app: Sphinx, page_name: str, source: list[str]) -> None:
    """Fill in the computed numbers when Sphinx reads the summary page."""
    if page_name == PAGE:
        source[0] = fill_numbers(source[0])


class DrawingDirective(SphinxDirective):
    """A Sphinx directive that inserts a drawing by name. Its content is the alternative text."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        picture = svg.inline(
            drawings.render_drawing(name, " ".join(self.content)), f"{name}-", figures.PALETTE
        )
        figure = f'<figure class="om-figure" id="drawn-{name}">{picture}</figure>'
        return [nodes.raw("", figure, format="html")]


def fold_words(app: Sphinx, document: nodes.document) -> None:
    """In each section, fold away the text below the last drawing, formula or table."""
    if app.env.docname != PAGE:
        return
    for section in list(document.findall(nodes.section))[1:]:
        is_open = [isinstance(child, ALWAYS_OPEN) for child in section]
        if True in is_open[:-1] and not is_open[-1]:
            first_folded = len(is_open) - is_open[::-1].index(True)
            opening = '<details class="om-words"><summary>In words</summary>'
            section.insert(first_folded, nodes.raw("", opening, format="html"))
            section += nodes.raw("", "</details>", format="html")


def copy_sheets(app: Sphinx) -> None:
    """Copy the printed sheets, which are PDF files, into the site."""
    if app.builder.format == "html":
        shutil.copytree(Path(app.srcdir, SHEETS), Path(app.outdir, FOLDER), dirs_exist_ok=True)


def setup(app: Sphinx) -> None:
    app.add_directive("drawn", DrawingDirective)
    app.connect("source-read", fill_page)
    app.connect("doctree-read", fold_words)
    app.connect("builder-inited", copy_sheets)
    add_script_file(app, 'class="om-print"', "onepage/onepage.js")
