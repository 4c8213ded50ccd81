"""What a notebook's cells published, turned into what a page shows.

The rewriting happens in Sphinx's public `source-read` event, on the notebook's JSON, before MyST-NB
parses it. A MyST-NB renderer plug-in would do as well, but it has to be an entry point of an
installed distribution, and it sees one output at a time: no ids that are unique in the page.
"""

import ast
import re
from html import escape
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.markup import filled
from _ext.outputs import svg
from _ext.sources import change_notebooks
from pe_lib.course.explorers import MIME as EXPLORER
from pe_lib.course.figures import CAPTION, PALETTE
from pe_lib.course.grading import feedback

FIGURE = "image/svg+xml"
FORMER = {"offset": "chord", "spectrum": "hands"}  # a story that was an explorer keeps its address
WORDS = "description"  # the tag of a cell that says what a figure shows


def text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)


def rewrite(notebook: dict[str, Any]) -> None:
    """Show the notebook's figures and explorers as HTML, and fold its machinery."""
    cells = notebook["cells"]
    explorers: list[str] = []
    lines = {
        "figure": "Show the code of this figure",
        "explorer": "Show the code of this explorer",
    }
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            after = cells[number + 1] if number + 1 < len(cells) else {}
            shown = publish(cell["outputs"], f"f{number}-", after, explorers)
            if shown:
                fold(cell, lines[shown])
            elif is_machinery(text(cell["source"])):
                fold(cell, "Show what is imported")
            elif "hide-input" in cell["metadata"].get("tags", ()):
                fold(cell, "Show the code")
    notebook["cells"] = [cell for cell in cells if not is_description(cell)]


def fold(cell: dict[str, Any], line: str) -> None:
    """Show one line instead of the cell's code, until it is opened."""
    metadata = cell["metadata"]
    metadata["tags"] = sorted({*metadata.get("tags", ()), "hide-input"})
    metadata["mystnb"] = {"code_prompt_show": line}


def is_description(cell: dict[str, Any]) -> bool:
    return WORDS in cell.get("metadata", {}).get("tags", ())


def is_machinery(code: str) -> bool:
    """Whether a cell only imports and sets how numbers are printed.

    >>> is_machinery("import numpy as np\\n\\nnp.set_printoptions(precision=4)")
    True
    >>> is_machinery("import math\\n\\nmath.sin(5)")
    False
    """

    def prepares(line: ast.stmt) -> bool:
        return isinstance(line, ast.Import | ast.ImportFrom) or "set_printoptions" in ast.unparse(
            line
        )

    return all(map(prepares, ast.parse(code).body))


def publish(
    outputs: list[dict[str, Any]], prefix: str, after: dict[str, Any], names: list[str]
) -> str:
    """Turn the picture among the outputs of a cell into HTML; says what it is.

    `after` is the next cell, which describes it if it is a figure; the page's explorers so far have
    the `names`.
    """
    kind, captions = "", []
    for number, output in enumerate(outputs):
        data = output.get("data", {})
        if CAPTION in data:
            captions.append(output)
        elif FIGURE in data:
            picture = svg.inline(text(data[FIGURE]), f"{prefix}{number}-", PALETTE)
            published = data.get(EXPLORER)
            kind = "explorer" if published else "figure"
            below = next(
                (o["data"][CAPTION] for o in outputs[number:] if CAPTION in o["data"]), None
            )
            if published:
                state, caption = published["state"], published["caption"]
                own, story = published["kind"], state["story"]
                names.append(f"explorer-{story if FORMER.get(own) == story else own}")
                count = names.count(names[-1])
                name = names[-1] if count == 1 else f"{names[-1]}-{count}"
                shown = filled(
                    "outputs/explorer.html",
                    name=name,
                    kind=own,
                    state=state,
                    picture=labelled(picture, caption),
                    caption=caption,
                )
                output["data"] = {"text/html": shown}
            else:
                output["data"] = {"text/html": figure(picture, below, after)}
        elif EXPLORER in data:
            raise ExtensionError("an explorer's output holds no static picture")
    for caption in captions:
        outputs.remove(caption)
    return kind


def figure(picture: str, below: dict[str, str] | None, after: dict[str, Any]) -> str:
    """A numbered figure with its caption; its text alternative is the cell after it."""
    if below is None:
        raise ExtensionError("a figure has no caption: publish it with figures.show")
    number, caption = below["number"], below["caption"]
    if not is_description(after):
        raise ExtensionError(f"after figure {number} a cell with the tag `{WORDS}` is missing")
    name = f"figure-{number.replace('.', '-').lower()}"
    picture = labelled(picture, " ".join(text(after["source"]).split()))
    said = feedback.marked(caption)
    return filled("outputs/figure.html", name=name, picture=picture, number=number, caption=said)


def labelled(picture: str, said: str) -> str:
    """With another text alternative."""
    label = f'aria-label="{escape(said)}"'
    return re.sub(r'aria-label="[^"]*"', lambda _: label, picture, count=1)


def setup(app: Sphinx) -> None:
    change_notebooks(app, lambda notebook, name: rewrite(notebook))
