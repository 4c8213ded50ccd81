"""Test that exercise notebooks are up to date, run without errors, and are never overwritten."""

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from pe_lib.course.grading import Sheet, notebooks
from pe_lib.course.grading.sheet import load, names
from tools.exercises import EXERCISES, write_solution, write_student

every_sheet = pytest.mark.parametrize("name", names())


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDER_MATTERS_HOME", str(tmp_path / "home"))


@every_sheet
def test_what_is_committed_is_what_the_sheet_says(name: str) -> None:
    text = (EXERCISES / f"{name}.ipynb").read_text("utf-8")
    student, wanted = notebooks.make_student(load(name)), notebooks.make_solved(load(name))
    assert text == notebooks.format_notebook(student), "run: make exercises"
    solved = nbformat.read(EXERCISES / "solutions" / f"{name}.ipynb", as_version=4)
    assert [(c.id, c.source) for c in solved.cells] == [
        (c["id"], c["source"]) for c in wanted["cells"]
    ], "run: make exercises"
    for notebook in (student, wanted):
        nbformat.validate(nbformat.from_dict(notebook))
    for folder in (EXERCISES, EXERCISES / "solutions"):
        assert sorted(path.stem for path in folder.glob("*.ipynb")) == names()


@every_sheet
def test_a_solved_notebook_has_all_points(name: str) -> None:
    cells = nbformat.read(EXERCISES / "solutions" / f"{name}.ipynb", as_version=4).cells
    checks = [cell for cell in cells if "check" in cell.metadata.get("tags", [])]
    assert len(checks) == len(load(name).questions)
    for cell in checks:
        assert cell.outputs[0].data["text/plain"].startswith("✓ Right:"), cell.source


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[NotebookNode]]:
    """Run all student notebooks unchanged in one kernel, and return the cells of each notebook.

    All variables are deleted before each notebook runs.
    """
    folder = tmp_path_factory.mktemp("untouched")
    cells = {name: nbformat.from_dict(notebooks.make_student(load(name))).cells for name in names()}
    one = new_notebook(
        cells=[cell for some in cells.values() for cell in (new_code_cell("%reset -f"), *some)]
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ORDER_MATTERS_HOME", str(folder))
        resources = {"metadata": {"path": folder}}
        client = NotebookClient(one, timeout=60, resources=resources, allow_errors=True)
        client.execute(cleanup_kc=True)
    return cells


@every_sheet
def test_an_untouched_notebook_runs_in_a_kernel(
    name: str, untouched: dict[str, list[NotebookNode]]
) -> None:
    """Check that no cell fails or writes to stderr, and that all questions count as unanswered."""
    assert sum("check" in cell.metadata.get("tags", []) for cell in untouched[name]) >= 5
    for cell in untouched[name]:
        assert cell.cell_type != "code" or cell.execution_count
        for output in cell.get("outputs", []):
            assert output.output_type != "error", (cell.source, output)
            assert output.get("name") != "stderr", cell.source
            if "check" in cell.metadata.get("tags", []):
                assert output.data["text/plain"].startswith("○ Not answered yet: 0 of")


def read_notebook(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "04-sine-and-cosine.ipynb").read_text("utf-8"))
    return found


def put(folder: Path, notebook: dict[str, Any]) -> str:
    text = json.dumps(notebook)
    (folder / "04-sine-and-cosine.ipynb").write_text(text, "utf-8")
    return text


def test_one_that_was_only_run_is_brought_up_to_date(tmp_path: Path) -> None:
    assert write_student("04-sine-and-cosine", tmp_path) == "new"
    assert write_student("04-sine-and-cosine", tmp_path) == "unchanged"
    notebook = read_notebook(tmp_path)
    notebook["cells"][1]["execution_count"] = 7
    put(tmp_path, notebook)
    assert write_student("04-sine-and-cosine", tmp_path) == "up to date"


@pytest.mark.parametrize("outdated", [False, True])
def test_one_that_was_worked_in_is_never_touched(tmp_path: Path, outdated: bool) -> None:
    write_student("04-sine-and-cosine", tmp_path)
    notebook = read_notebook(tmp_path)
    notebook["cells"][3]["source"] = "slow_k = 42"
    if outdated:
        notebook["metadata"]["order_matters"]["generated"] = "an older version"
    text = put(tmp_path, notebook)
    said = write_student("04-sine-and-cosine", tmp_path)
    assert said.startswith("somebody works in it")
    assert (tmp_path / "04-sine-and-cosine.ipynb").read_text("utf-8") == text
    new = tmp_path / "04-sine-and-cosine.new.ipynb"
    assert new.exists() == outdated
    if outdated:  # an edited .new.ipynb file is not overwritten either
        new.write_text(text, "utf-8")
        write_student("04-sine-and-cosine", tmp_path)
        assert new.read_text("utf-8") == text
        assert (tmp_path / "04-sine-and-cosine.new.new.ipynb").exists()


def test_a_solution_with_notes_is_never_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.exercises.execute", lambda path: 0.0)
    said = [write_solution("04-sine-and-cosine", tmp_path) for _ in range(2)]
    notebook = read_notebook(tmp_path)
    notebook["cells"][0]["source"] += "\n\nMy note."
    text = put(tmp_path, notebook)
    said += [write_solution("04-sine-and-cosine", tmp_path) for _ in range(2)]
    made, kept = "04-sine-and-cosine.ipynb executed in 0.0 s", "unchanged"
    assert said == [made, kept, made.replace(".ipynb", ".new.ipynb"), kept]
    assert (tmp_path / "04-sine-and-cosine.ipynb").read_text("utf-8") == text


@pytest.mark.parametrize("text", ["", "not json", "[]", '{"cells": 3}', '{"metadata": {}}'])
def test_what_is_no_notebook_is_never_touched(tmp_path: Path, text: str) -> None:
    path = tmp_path / "04-sine-and-cosine.ipynb"
    path.write_text(text)
    assert "somebody works in it" in write_student("04-sine-and-cosine", tmp_path)
    assert path.read_text() == text
