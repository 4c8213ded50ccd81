"""Move a chapter's first picture to the top, and fold the instructions that precede the text.

A notebook begins with a title, a line that says what the reader needs, the imports, and an
explorer. On the page, the explorer comes first. The other parts are folded below it into one line,
which also says how long the chapter takes. Nothing changes in the notebook itself.
"""

import re
from typing import Any

from sphinx.application import Sphinx

from _ext.chapters import belongs_to_chapter
from _ext.markup import render_template
from _ext.outputs import IMPORTS, is_explorer, join_lines
from _ext.sources import rewrite_notebooks

NEEDS = "You need "  # the line that says what a chapter requires begins like this
_LINE = re.compile(rf"^\*{NEEDS}.*?\*$", re.MULTILINE | re.DOTALL)


def fold_opening(notebook: dict[str, Any], name: str) -> None:
    """Move a chapter's first explorer to the top, and fold what readers should know before."""
    if not belongs_to_chapter(f"chapters/{name}"):
        return
    cells = notebook["cells"]
    title = cells[0]
    text = join_lines(title["source"])
    needs = _LINE.search(text)
    if not needs:
        return
    imports = next((cell for cell in cells if _has_prompt(cell, IMPORTS)), None)
    explorer = _find_opening_explorer(cells)
    title["source"] = text.replace(needs[0], "").rstrip()
    code = ""
    if explorer is not None:
        code = join_lines(explorer["source"])
        explorer["metadata"]["tags"] = ["remove-input"]
    folded = [_make_text("om-before", render_template("reading/before.txt", needs=needs[0]))]
    if imports is not None:
        imports["metadata"]["tags"] = []  # the imports are visible once a reader opens this fold
        folded.append(imports)
    folded.append(_make_text("om-before-end", render_template("reading/before-end.txt", code=code)))
    moved = [cell for cell in (imports, explorer) if cell is not None]
    rest = [cell for cell in cells[1:] if all(cell is not other for other in moved)]
    first = [] if explorer is None else [explorer]
    notebook["cells"] = [title, *first, *folded, *rest]


def _has_prompt(cell: dict[str, Any], prompt: str) -> bool:
    """Return whether a cell's code is folded, with `prompt` as the visible line."""
    return bool(cell["metadata"].get("mystnb", {}).get("code_prompt_show") == prompt)


def _find_opening_explorer(cells: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return a chapter's first cell after the title and imports, if it shows an explorer."""
    for cell in cells[1:]:
        is_hidden = "remove-cell" in cell["metadata"].get("tags", ())
        if not is_hidden and not _has_prompt(cell, IMPORTS):
            return cell if is_explorer(cell) else None
    return None


def _make_text(name: str, source: str) -> dict[str, Any]:
    """Return a Markdown cell that contains this text."""
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source}


def setup(app: Sphinx) -> None:
    rewrite_notebooks(app, fold_opening)
