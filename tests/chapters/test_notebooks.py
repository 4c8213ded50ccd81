"""Every notebook is committed as `make notebooks` leaves it: executed, normalised, untroubled."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from nbformat import NotebookNode, validate

from pe_lib.course import figures
from tools.notebooks import ROOT, normalised, notebooks, read, written

PHONE = 56  # characters of code that one shows: chapters/ruff.toml
CHAPTERS = [path for path in notebooks() if path.parent.name == "chapters"]
LETTERS = {"appendix-practice": "A", "appendix-audit": "B", "appendix-speed": "C",
           "appendix-extending": "D"}  # fmt: skip

every_notebook = pytest.mark.parametrize("path", notebooks(), ids=lambda p: p.stem)


def printed(path: Path) -> list[str]:
    outputs = [o for cell in read(path).cells for o in cell.get("outputs", [])]
    return [line for output in outputs for line in output.get("text", "").splitlines()]


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
def test_what_is_printed_fits_a_phone(path: Path) -> None:
    long = [line for line in printed(path) if len(line) > PHONE]
    assert not long


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_a_reader_sees_results_and_not_verdicts(path: Path) -> None:
    """A number, two columns side by side or a picture; that they agree is for the tests to say."""
    bare = [line for line in printed(path) if re.search(r"(^|[:\s])(True|False)\s*$", line)]
    assert len(bare) <= 3


def figures_of(path: Path) -> list[tuple[dict[str, str], NotebookNode, NotebookNode]]:
    """Each figure's number and caption, its cell, and the cell after it."""
    cells = read(path).cells
    return [
        (output.data[figures.CAPTION], cell, after)
        for cell, after in pairwise(cells)
        for output in cell.get("outputs", [])
        if figures.CAPTION in output.get("data", {})
    ]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_figures_are_counted_from_one_and_said_in_words(path: Path) -> None:
    found = figures_of(path)
    chapter = str(int(path.stem[:2])) if path.stem[0].isdigit() else LETTERS[path.stem]
    numbers = [below["number"] for below, _, _ in found]
    assert numbers == [f"{chapter}.{n}" for n in range(1, len(numbers) + 1)]
    for below, cell, after in found:
        assert after.metadata.get("tags") == ["description"], below["number"]
        assert len(after.source) > 60 and below["caption"] not in after.source
        size = re.search(r"\[figure ([\d.]+) ×", cell.outputs[0].data["text/plain"])
        assert size and float(size[1]) <= figures.WIDTH, f"{below['number']} is cut on a phone"


@every_notebook
def test_a_figure_that_is_named_is_there(path: Path) -> None:
    known = {below["number"] for chapter in CHAPTERS for below, _, _ in figures_of(chapter)}
    text = "\n".join(c.source for c in read(path).cells if c.cell_type == "markdown")
    assert set(re.findall(r"\b[Ff]igure (\d+\.\d+)", text)) <= known


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
