"""Insert instructions for running a chapter's notebook in a cell below the notebook's title.

Pages of the site do not need the cell, and MyST-NB omits cells with the tag `remove-cell`.
"""

from pathlib import Path

from nbformat import NotebookNode

CELL_ID = "how-to-run"
INSTRUCTIONS = Path(__file__).with_suffix(".md")


def insert_instructions(notebook: NotebookNode) -> list[NotebookNode]:
    """Return the notebook's cells, with the current instructions below its title.

    Only chapters get the instructions. An exercise has its own, and a notebook that does not begin
    with a title is not a chapter.
    """
    others = [cell for cell in notebook.cells if cell.get("id") != CELL_ID]
    is_exercise = "order_matters" in notebook.metadata
    if is_exercise or not others or not _is_title(others[0]):
        return others
    instructions = NotebookNode(
        id=CELL_ID,
        cell_type="markdown",
        metadata={"tags": ["remove-cell"]},
        source=INSTRUCTIONS.read_text("utf-8").strip(),
    )
    return [others[0], instructions, *others[1:]]


def _is_title(cell: NotebookNode) -> bool:
    return cell.cell_type == "markdown" and str(cell.source).startswith("# ")
