"""Test that every notebook has been executed, is in normalised form, and contains no errors."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from nbformat import NotebookNode, validate
from nbformat.v4 import new_code_cell, new_notebook, new_output

from pe_lib.course import figures
from tools.notebooks import normalise, notebooks, read, serialise

# The longest line of code that fits on a phone, which is also the limit in chapters/ruff.toml.
PHONE = 56
CHAPTERS = [path for path in notebooks() if path.parent.name == "chapters"]
LETTERS = {"appendix-practice": "A", "appendix-audit": "B", "appendix-speed": "C",
           "appendix-extending": "D"}  # fmt: skip


@pytest.mark.parametrize("path", notebooks(), ids=lambda p: p.stem)
def test_is_in_the_form_that_make_notebooks_leaves(path: Path) -> None:
    """Check that all cells have been executed, because nbval ignores cells without outputs."""
    notebook = read(path)
    validate(notebook)
    assert path.read_text("utf-8") == serialise(normalise(notebook, path.stem)), (
        f"{path.name} is not in its committed form; run: make notebooks"
    )
    code = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if "outputs" in cell]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    bare = []
    for cell in notebook.cells:
        assert "NBVAL" not in cell.source, "no strict comparison is switched off"
        assert not any(tag.startswith("nbval") for tag in cell.metadata.get("tags", []))
        assert "TODO" not in cell.source, "what is left to write"
        for output in cell.get("outputs", []):
            text = output.get("text", "") + str(output.get("data", {}).get("text/plain", ""))
            assert output["output_type"] != "error" and output.get("name") != "stderr", cell.source
            assert " at 0x" not in text, f"an object's address: {cell.source}"
            lines = output.get("text", "").splitlines()
            assert max(map(len, lines), default=0) <= PHONE, cell.source
            bare += [line for line in lines if re.search(r"(^|[:\s])(True|False)\s*$", line)]
    assert path not in CHAPTERS or len(bare) <= 3, "a reader sees results and not verdicts"


def figures_of(path: Path) -> list[tuple[dict[str, str], NotebookNode, NotebookNode]]:
    """For each figure in a notebook, return its number, its caption, its cell and the next cell."""
    return [
        (output.data[figures.CAPTION], cell, after)
        for cell, after in pairwise(read(path).cells)
        for output in cell.get("outputs", [])
        if figures.CAPTION in output.get("data", {})
    ]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_figures_are_counted_from_one_and_said_in_words(path: Path) -> None:
    found = figures_of(path)
    chapter = str(int(path.stem[:2])) if path.stem[0].isdigit() else LETTERS[path.stem]
    deeper = "D" if path.stem.endswith("-deeper") else ""
    numbers = [below["number"] for below, _, _ in found]
    assert numbers == [f"{chapter}.{deeper}{n}" for n in range(1, len(numbers) + 1)]
    for below, cell, after in found:
        assert after.metadata.get("tags") == ["description"], below["number"]
        assert len(after.source) > 60 and below["caption"] not in after.source
        size = re.search(r"\[figure ([\d.]+) ×", cell.outputs[0].data["text/plain"])
        assert size and float(size[1]) <= figures.WIDTH, f"{below['number']} is cut on a phone"


def test_normalising_removes_what_differs_from_run_to_run(tmp_path: Path) -> None:
    outputs = [new_output("stream", text="one "), new_output("stream", text="two\n"),
               new_output("execute_result", {"text/plain": "2"}, execution_count=17)]  # fmt: skip
    cell = new_code_cell("\n1 + 1   \n", execution_count=17, outputs=outputs)
    cell.metadata = {"execution": {"iopub.execute_input": "2020"}, "tags": ["b", "a"]}
    language = {"widgets": {}, "language_info": {"name": "python", "version": "3.11.7"}}
    path = tmp_path / "messy.ipynb"
    path.write_text(json.dumps(new_notebook(cells=[cell], metadata=language)))
    clean = normalise(read(path), "messy")
    (made,) = clean.cells
    assert (made.source, made.execution_count) == ("1 + 1", 1)
    assert made.metadata == {"tags": ["a", "b"]}
    assert [made.outputs[0].text, made.outputs[1].execution_count] == ["one two\n", 1]
    assert "widgets" not in clean.metadata
    assert clean.metadata["language_info"] == {"name": "python"}
    assert normalise(clean, "messy") == clean
