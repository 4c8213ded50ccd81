"""The cell below the title of each chapter's notebook that says how to run it.

A page of the site has no need of it: MyST-NB leaves out what is tagged `remove-cell`.
"""

from pathlib import Path

from nbformat import NotebookNode

CELL_ID = "how-to-run"
INSTRUCTIONS = Path(__file__).with_suffix(".md")


def insert_instructions(notebook: NotebookNode) -> list[NotebookNode]:
    """Return the notebook's cells with the instructions, as they read now, below its title.

    What is no chapter gets none: an exercise, which says the same in words of its own, and a
    notebook that does not begin with a title.
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
