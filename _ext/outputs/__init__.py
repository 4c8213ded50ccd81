"""What a notebook's cells published, turned into what a page shows.

The rewriting happens in Sphinx's public `source-read` event, on the notebook's JSON, before MyST-NB
parses it. A MyST-NB renderer plug-in would do as well, but it has to be an entry point of an
installed distribution, and it sees one output at a time: no ids that are unique in the page.
"""

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.markup import filled
from _ext.outputs import svg
from _ext.sources import change_notebooks
from pe_lib.course import explorers
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
    names: list[str] = []
    lines = {
        "figure": "Show the code of this figure",
        "explorer": "Show the code of this explorer",
    }
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            after = cells[number + 1] if number + 1 < len(cells) else {}
            shown = publish(cell["outputs"], f"f{number}-", after, names)
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
    captions = iter([o["data"][CAPTION] for o in outputs if CAPTION in o.get("data", ())])
    outputs[:] = [output for output in outputs if CAPTION not in output.get("data", ())]
    kind = ""
    for number, output in enumerate(outputs):
        data = output.get("data", {})
        if FIGURE in data:
            draw = partial(svg.inline, text(data[FIGURE]), f"{prefix}{number}-", PALETTE)
            if EXPLORER in data:
                kind, shown = "explorer", explorer(data[EXPLORER], draw, names)
            else:
                kind, shown = "figure", figure(next(captions, None), draw, after)
            output["data"] = {"text/html": shown}
        elif EXPLORER in data:
            raise ExtensionError("an explorer's output holds no static picture")
    return kind


def explorer(shown: dict[str, Any], draw: Callable[[str], str], names: list[str]) -> str:
    """An explorer under the name of its kind, of which a page may have several."""
    kind, story = shown["kind"], shown["state"]["story"]
    if kind not in explorers.kinds():
        raise ExtensionError(f"there is no explorer {kind!r}: execute the notebook again")
    names.append(f"explorer-{story if FORMER.get(kind) == story else kind}")
    count = names.count(names[-1])
    name = names[-1] if count == 1 else f"{names[-1]}-{count}"
    picture = draw(shown["caption"])
    return filled("outputs/explorer.html", name=name, shown=shown, picture=picture)


def figure(
    caption: dict[str, str] | None, draw: Callable[[str], str], after: dict[str, Any]
) -> str:
    """A numbered figure with its caption; its text alternative is the cell after it."""
    if caption is None:
        raise ExtensionError("a figure has no caption: publish it with figures.show")
    number, said = caption["number"], feedback.render_markup(caption["caption"])
    if not is_description(after):
        raise ExtensionError(f"after figure {number} a cell with the tag `{WORDS}` is missing")
    name = f"figure-{number.replace('.', '-').lower()}"
    picture = draw(" ".join(text(after["source"]).split()))
    return filled("outputs/figure.html", name=name, picture=picture, number=number, said=said)


def setup(app: Sphinx) -> None:
    change_notebooks(app, lambda notebook, name: rewrite(notebook))
