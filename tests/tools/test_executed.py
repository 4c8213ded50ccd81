"""Which notebooks `make notebooks` runs again: on a small course, after each kind of change."""

import json
from pathlib import Path

import pytest

from tools import notebooks

FILES = (
    "constraints.txt", "pe_lib/waves.py", "pe_lib/doctor/rule.toml", "pe_lib/course/figures.py",
    "pe_lib/course/model/tasks.py", "pe_lib/course/grading/sheet.py",
    "pe_lib/course/grading/sheets/01-a.md", "pe_lib/course/explorers/maths.mjs",
    "pe_lib/course/explorers/scene/axes.mjs", "pe_lib/course/explorers/hands/scene.mjs",
    "chapters/data/runs.json",
)  # fmt: skip
CODE = {
    "chapters/01-a.ipynb": 'HandsExplorer()\nopen("data/runs.json")',
    "chapters/02-b.ipynb": "GridExplorer()",
}


@pytest.mark.parametrize(
    ("changed", "again"),
    [*((name, [0, 1]) for name in FILES[:6]), (FILES[6], [0]), (FILES[7], [0, 1]),
     (FILES[8], [0, 1]), (FILES[9], [0]), (FILES[10], [0]), ("chapters/02-b.ipynb", [1])],
)  # fmt: skip
def test_runs_again_what_is_made_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str, again: list[int]
) -> None:
    books = {name: json.dumps({"cells": [{"source": code}]}) for name, code in CODE.items()}
    for name, text in (dict.fromkeys(FILES, "") | books).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    paths = [tmp_path / name for name in CODE]
    before = [notebooks.made_of(path) for path in paths]
    (tmp_path / changed).write_text((tmp_path / changed).read_text("utf-8") + " \n", "utf-8")
    after = [notebooks.made_of(path) for path in paths]
    assert [n for n in (0, 1) if before[n] != after[n]] == again
