"""Convert the outputs of notebook cells to the HTML that pages show.

The notebook's JSON is rewritten in Sphinx's public event `source-read`, before MyST-NB parses it. A
MyST-NB renderer would have to be an entry point of an installed distribution. It also sees only one
output at a time, so it could not create ids that are unique on the page.
"""

import ast
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.markup import render_template
from _ext.outputs import svg
from _ext.sources import rewrite_notebooks
from pe_lib.course import explorers
from pe_lib.course.explorers import MIME as EXPLORER
from pe_lib.course.figures import CAPTION, PALETTE
from pe_lib.course.grading import feedback

FIGURE = "image/svg+xml"
# Each of these stories once was an explorer of its own. So links to it contain the story's name.
FORMER_KINDS = {"offset": "chord", "spectrum": "hands"}
IMPORTS = "Show what is imported"
DESCRIPTION = "description"  # the tag of a cell that contains a figure's alternative text


def join_lines(value: str | list[str]) -> str:
    """Return a text from a notebook as one string, even if it is stored as a list of lines."""
    return value if isinstance(value, str) else "".join(value)


def rewrite(notebook: dict[str, Any]) -> None:
    """Replace a notebook's figures and explorers with HTML, and fold the code that draws them."""
    cells = notebook["cells"]
    names: list[str] = []  # the ids of the explorers that were converted so far
    summaries = {
        "figure": "Show the code of this figure",
        "explorer": "Show the code of this explorer",
    }
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            next_cell = cells[number + 1] if number + 1 < len(cells) else {}
            kind = convert_outputs(cell, f"f{number}-", next_cell, names)
            if kind:
                fold(cell, summaries[kind])
            elif is_machinery(join_lines(cell["source"])):
                fold(cell, IMPORTS)
            elif "hide-input" in cell["metadata"].get("tags", ()):
                fold(cell, "Show the code")
    notebook["cells"] = [cell for cell in cells if not is_description(cell)]


def fold(cell: dict[str, Any], summary: str) -> None:
    """Fold a cell's code below the line `summary`, which readers click to see the code."""
    metadata = cell["metadata"]
    metadata["tags"] = sorted({*metadata.get("tags", ()), "hide-input"})
    metadata["mystnb"] = {"code_prompt_show": summary}


def is_explorer(cell: dict[str, Any]) -> bool:
    """Return whether a cell, after a call of `rewrite`, shows an explorer."""
    return any(
        'class="om-explorer"' in join_lines(output.get("data", {}).get("text/html", ""))
        for output in cell.get("outputs", [])
    )


def is_description(cell: dict[str, Any]) -> bool:
    """Return whether a cell contains the alternative text for the figure above it."""
    return DESCRIPTION in cell.get("metadata", {}).get("tags", ())


def is_machinery(code: str) -> bool:
    """Return whether code does nothing but import modules and set NumPy's print options.

    >>> is_machinery("import numpy as np\\n\\nnp.set_printoptions(precision=4)")
    True
    >>> is_machinery("import math\\n\\nmath.sin(5)")
    False
    """
    return all(
        isinstance(statement, ast.Import | ast.ImportFrom)
        or "set_printoptions" in ast.unparse(statement)
        for statement in ast.parse(code).body
    )


def convert_outputs(
    cell: dict[str, Any], prefix: str, next_cell: dict[str, Any], names: list[str]
) -> str:
    """Replace a picture in a cell's outputs with HTML, and return "figure", "explorer" or "".

    A figure takes its description from the next cell. An explorer adds its id to `names`.
    """
    outputs, own_id = cell["outputs"], find_own_id(cell)
    captions = iter([o["data"][CAPTION] for o in outputs if CAPTION in o.get("data", ())])
    outputs[:] = [output for output in outputs if CAPTION not in output.get("data", ())]
    kind = ""
    for number, output in enumerate(outputs):
        data = output.get("data", {})
        if FIGURE in data:
            source = join_lines(data[FIGURE])
            draw = partial(svg.inline, source, f"{prefix}{number}-", PALETTE)
            if EXPLORER in data:
                kind, html = "explorer", render_explorer(data[EXPLORER], draw, names, own_id)
            else:
                kind, html = "figure", render_figure(next(captions, None), draw, next_cell)
            output["data"] = {"text/html": html}
        elif EXPLORER in data:
            raise ExtensionError("an explorer's output holds no static picture")
    return kind


def find_own_id(cell: dict[str, Any]) -> str:
    """Return the id that a tag of the cell gives to its explorer, or "" if there is no such tag.

    Links that readers have shared name the id of an explorer. So an explorer that moves, or that
    loses a neighbour of its kind, keeps its id by such a tag.

    >>> find_own_id({"metadata": {"tags": ["explorer-phase-3"]}})
    'explorer-phase-3'
    """
    tags = cell["metadata"].get("tags", ())
    return next((tag for tag in tags if tag.startswith("explorer-")), "")


def render_explorer(
    published: dict[str, Any], draw: Callable[[str], str], names: list[str], own_id: str = ""
) -> str:
    """Return the HTML of an explorer, with an id that no other explorer on the page has.

    Without `own_id`, the id names the kind of explorer, and has a number from the second explorer
    of a kind on. Raises ExtensionError if another explorer on the page has the same id.
    """
    kind, story = published["kind"], published["state"]["story"]
    if kind not in explorers.kinds():
        raise ExtensionError(f"there is no explorer {kind!r}: execute the notebook again")
    name = own_id
    if not name:
        stem = f"explorer-{story if FORMER_KINDS.get(kind) == story else kind}"
        count = 1 + sum(re.fullmatch(rf"{stem}(-\d+)?", other) is not None for other in names)
        name = stem if count == 1 else f"{stem}-{count}"
    if name in names:
        raise ExtensionError(f"two explorers of a page have the id {name}")
    names.append(name)
    picture = draw(published["caption"])
    return render_template("outputs/explorer.html", name=name, shown=published, picture=picture)


def render_figure(
    caption: dict[str, str] | None, draw: Callable[[str], str], next_cell: dict[str, Any]
) -> str:
    """Return the HTML of a figure, with the text of the next cell as its alternative text."""
    if caption is None:
        raise ExtensionError("a figure has no caption: publish it with figures.show")
    number, words = caption["number"], feedback.render_markup(caption["caption"])
    if not is_description(next_cell):
        raise ExtensionError(
            f"after figure {number} a cell with the tag `{DESCRIPTION}` is missing"
        )
    name = f"figure-{number.replace('.', '-').lower()}"
    picture = draw(" ".join(join_lines(next_cell["source"]).split()))
    return render_template(
        "outputs/figure.html", name=name, picture=picture, number=number, caption=words
    )


def setup(app: Sphinx) -> None:
    rewrite_notebooks(app, lambda notebook, name: rewrite(notebook))
