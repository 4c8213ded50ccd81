"""Which notebooks have to run again: on a small course, after each kind of change."""

import json
from pathlib import Path

import pytest

from tools import unchanged

FILES = {
    "constraints.txt": "numpy==2\n",
    "pe_lib/__init__.py": "from pe_lib.waves import encode\n",
    "pe_lib/waves.py": "from pe_lib._checks import real\n",
    "pe_lib/_checks.py": "",
    "pe_lib/biases.py": "",
    "pe_lib/course/__init__.py": "",
    "pe_lib/course/grading/__init__.py": "from pe_lib.course.grading.sheet import Sheet\n",
    "pe_lib/course/grading/sheet.py": "",
    "pe_lib/course/grading/sheets/01-a.md": "",
    "pe_lib/course/grading/sheets/02-b.md": "",
    "chapters/data/runs.json": "[]",
    "chapters/data/more.json": "[]",
}
CODE = {
    "chapters/01-a.ipynb": '%time\nfrom pe_lib import encode\nopen("data/runs.json")',
    "chapters/02-b.ipynb": "def later():\n    import pe_lib.biases",
    "chapters/03-c.ipynb": 'name = "x"\nopen(f"data/{name}.json")',
    "exercises/01-a.ipynb": 'from pe_lib.course.grading import Sheet\nsheet = Sheet("01-a")',
}


@pytest.mark.parametrize(
    ("changed", "run"),
    [
        ("constraints.txt", [0, 1, 2, 3]),
        ("pe_lib/_checks.py", [0]),
        ("pe_lib/__init__.py", []),
        ("pe_lib/biases.py", [1]),
        ("pe_lib/course/grading/sheet.py", [3]),
        ("pe_lib/course/grading/sheets/01-a.md", [3]),
        ("pe_lib/course/grading/sheets/02-b.md", []),
        ("chapters/data/runs.json", [0, 2]),
        ("chapters/02-b.ipynb", [1]),
    ],
)
def test_runs_again_what_imports_or_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str, run: list[int]
) -> None:
    cells = {k: [{"cell_type": "code", "source": [v]}] for k, v in CODE.items()}
    books = {name: json.dumps({"cells": some}) for name, some in cells.items()}
    for name, text in (FILES | books).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.setattr(unchanged, "ROOT", tmp_path)
    monkeypatch.setattr(unchanged, "KEPT", tmp_path / ".venv" / "executed.json")
    monkeypatch.setattr(unchanged, "behind", unchanged.behind.__wrapped__)  # of another folder
    paths = [tmp_path / name for name in CODE]
    assert unchanged.split(paths)[0] == paths
    for path in paths:
        unchanged.ran(path)
    assert unchanged.split(paths)[0] == []
    (tmp_path / changed).write_text((tmp_path / changed).read_text("utf-8") + " \n", "utf-8")
    assert unchanged.split(paths)[0] == [paths[n] for n in run]
