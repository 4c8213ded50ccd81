"""Test that notebooks from all editors can be read, even if they contain IPython commands."""

import codecs
import json
from pathlib import Path

import pytest
import yaml

from classroom.running.reading import code_cells, plain_python
from classroom.running.submission import Silent
from pe_lib.course.grading import notebooks
from pe_lib.course.grading.sheet import load

TABLES = yaml.safe_load(Path(__file__).with_name("tables.yml").read_text("utf-8"))
NOTEBOOK = notebooks.make_solved(load("05"))
TEXT = notebooks.format_notebook(NOTEBOOK).replace("position", "Pösition €")
CODE = [c["source"] for c in json.loads(TEXT)["cells"] if c["cell_type"] == "code"]
ENCODED = {
    "UTF-8": TEXT.encode(),
    "UTF-8 with a mark": codecs.BOM_UTF8 + TEXT.encode(),
    "UTF-16": TEXT.encode("utf-16"),
    "UTF-16, big end first": codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    "UTF-16 without a mark": TEXT.encode("utf-16-le"),
    "UTF-32": TEXT.encode("utf-32"),
    "Windows line ends": TEXT.replace("\n", "\r\n").encode(),
}


@pytest.mark.parametrize("data", ENCODED.values(), ids=ENCODED)
def test_the_encoding_does_not_matter(data: bytes) -> None:
    assert code_cells(data) == CODE


def test_a_cell_in_another_language_is_no_python() -> None:
    """Check that a cell is skipped if Visual Studio Code's metadata names another language."""
    shell = {"cell_type": "code", "source": "ls", "metadata": {"vscode": {"languageId": "shell"}}}
    python = {"cell_type": "code", "source": ["x = 1\n", "y = 2"], "metadata": {"tags": ["shell"]}}
    assert code_cells(json.dumps({"cells": [shell, python]}).encode()) == ["x = 1\ny = 2"]


@pytest.mark.parametrize(("source", "names"), TABLES["cells"].items())
def test_of_ipythons_language_python_remains(source: str, names: dict[str, object]) -> None:
    scope: dict[str, object] = {"get_ipython": Silent()}
    exec(plain_python(source), scope)
    assert {n: scope[n] for n in scope if n not in ("__builtins__", "get_ipython")} == names


def test_python_stays_as_it_is_and_an_error_an_error() -> None:
    assert [plain_python(source) for source in CODE] == CODE
    with pytest.raises(SyntaxError):
        exec(plain_python("def f(:\n%time x"))
