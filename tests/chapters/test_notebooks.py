"""Every notebook is committed as `make notebooks` leaves it: executed, normalised, untroubled."""

import json
import re
from pathlib import Path

import pytest
from nbformat import validate

from tools.notebooks import ROOT, normalised, notebooks, read, written

every_notebook = pytest.mark.parametrize("path", notebooks(), ids=lambda p: p.stem)


@every_notebook
def test_is_in_the_form_that_make_notebooks_leaves(path: Path) -> None:
    notebook = read(path)
    validate(notebook)
    assert path.read_text("utf-8") == written(normalised(notebook, path.stem)), (
        f"{path.name} is not in its committed form; run: make notebooks"
    )


@every_notebook
def test_every_code_cell_was_executed(path: Path) -> None:
    """nbval passes a cell that has no count and no output without running the comparison."""
    counts = [c["execution_count"] for c in json.loads(path.read_text("utf-8"))["cells"]
              if c["cell_type"] == "code"]  # fmt: skip
    assert counts == list(range(1, len(counts) + 1))


@every_notebook
def test_no_output_is_an_error_a_warning_or_a_bare_object(path: Path) -> None:
    for cell in read(path).cells:
        for output in cell.get("outputs", []):
            text = output.get("text", "") + str(output.get("data", {}).get("text/plain", ""))
            assert output["output_type"] != "error", cell.source
            assert output.get("name") != "stderr", cell.source
            assert " at 0x" not in text, f"an object's address: {cell.source}"


@every_notebook
def test_what_is_printed_fits_the_page(path: Path) -> None:
    for cell in read(path).cells:
        for output in cell.get("outputs", []):
            long = [line for line in output.get("text", "").splitlines() if len(line) > 80]
            assert not long


@every_notebook
def test_no_strict_comparison_is_switched_off(path: Path) -> None:
    for cell in read(path).cells:
        assert "NBVAL" not in cell.source
        assert not any(tag.startswith("nbval") for tag in cell.metadata.get("tags", []))


@every_notebook
def test_nothing_is_left_to_write(path: Path) -> None:
    """`make new-chapter` marks with this word what an author has to fill in."""
    left = [cell.source for cell in read(path).cells if "TODO" in cell.source]
    assert not left


NAMED = re.compile(r"\bchapter \d+|\bchapters \d+(?:(?:,| to| and| or) \d+)*", re.IGNORECASE)


def chapters_named(text: str) -> set[int]:
    return {int(n) for found in NAMED.finditer(text) for n in re.findall(r"\d+", found[0])}


def test_chapters_are_found_by_number() -> None:
    text = "Chapter 3. In chapters 4, 5 and 17; (chapter 2, 60,611). Chapters 6 or 7. A chapter."
    assert chapters_named(text) == {2, 3, 4, 5, 6, 7, 17}


@pytest.mark.parametrize("path", [ROOT / "index.md", *notebooks()], ids=lambda p: p.stem)
def test_points_to_no_chapter_that_does_not_exist(path: Path) -> None:
    toc = (ROOT / "_toc.yml").read_text("utf-8")
    listed = {int(n) for n in re.findall(r"file: chapters/(\d+)-", toc)}
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        text = "\n".join(cell.source for cell in read(path).cells)
    assert chapters_named(text) <= listed
    for link in re.findall(r"\]\(([^():#]+\.(?:ipynb|md))", text):
        assert (path.parent / link).is_file(), link


def test_normalising_removes_what_differs_from_run_to_run(tmp_path: Path) -> None:
    messy = {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": 17,
                "metadata": {"execution": {"iopub.execute_input": "2020"}, "tags": ["b", "a"]},
                "source": "\n1 + 1   \n",
                "outputs": [
                    {"output_type": "stream", "name": "stdout", "text": "one "},
                    {"output_type": "stream", "name": "stdout", "text": "two\n"},
                    {
                        "output_type": "execute_result",
                        "execution_count": 17,
                        "metadata": {"isolated": True},
                        "data": {
                            "text/plain": "2",
                            "application/vnd.jupyter.widget-view+json": {"model_id": "random"},
                        },
                    },
                ],
            }
        ],
        "metadata": {"widgets": {}, "language_info": {"name": "python", "version": "3.11.7"}},
        "nbformat": 4,
        "nbformat_minor": 4,
    }
    path = tmp_path / "messy.ipynb"
    path.write_text(json.dumps(messy))
    clean = normalised(read(path), "messy")
    (cell,) = clean.cells
    assert cell == {
        "id": "messy-001",
        "cell_type": "code",
        "metadata": {"tags": ["a", "b"]},
        "source": "1 + 1",
        "execution_count": 1,
        "outputs": [
            {"output_type": "stream", "name": "stdout", "text": "one two\n"},
            {
                "output_type": "execute_result",
                "execution_count": 1,
                "metadata": {},
                "data": {"text/plain": "2"},
            },
        ],
    }
    assert clean.metadata["language_info"] == {"name": "python"}
    assert normalised(clean, "messy") == clean
