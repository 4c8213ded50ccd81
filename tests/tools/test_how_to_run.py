"""Test the cell in each chapter's notebook that tells readers how to run the notebook."""

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.how_to_run import CELL_ID, INSTRUCTIONS
from tools.notebooks import normalise


def cell_ids(notebook: NotebookNode) -> list[str]:
    return [cell.id for cell in normalise(notebook, "x").cells]


def test_a_chapter_says_once_below_its_title_how_to_run_it() -> None:
    title, code = new_markdown_cell("# 1. Title", id="a"), new_code_cell("1", id="b")
    outdated = new_markdown_cell("Run it.", id=CELL_ID)
    for cells in ([title, code], [title, code, outdated], [outdated, title, code]):
        chapter = normalise(new_notebook(cells=cells), "x")
        assert [cell.id for cell in chapter.cells] == ["a", CELL_ID, "b"]
        assert chapter.cells[1].source == INSTRUCTIONS.read_text("utf-8").strip()
        assert chapter.cells[1].metadata == {"tags": ["remove-cell"]}  # pages omit the cell


def test_what_is_no_chapter_has_no_such_cell() -> None:
    title, code = new_markdown_cell("# 1. Title", id="a"), new_code_cell("1", id="b")
    exercise = new_notebook(cells=[title, code], metadata={"order_matters": {"generated": "0"}})
    assert cell_ids(exercise) == ["a", "b"]
    assert cell_ids(new_notebook(cells=[code])) == ["b"]
    assert cell_ids(new_notebook(cells=[new_markdown_cell("Text", id="a"), code])) == ["a", "b"]
    assert cell_ids(new_notebook()) == []
