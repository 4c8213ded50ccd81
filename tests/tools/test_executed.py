"""Test on a small course which notebooks `make notebooks` executes after each kind of change."""

import json
import subprocess
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
    before = [notebooks.digest_sources(path) for path in paths]
    (tmp_path / changed).write_text((tmp_path / changed).read_text("utf-8") + " \n", "utf-8")
    after = [notebooks.digest_sources(path) for path in paths]
    assert [n for n in (0, 1) if before[n] != after[n]] == again


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=Reader", "-c", "user.email=reader@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True)


def test_in_a_fresh_clone_git_says_what_was_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (*FILES, *CODE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(json.dumps({"cells": [{"source": CODE.get(name, "")}]}))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "Begin")
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    first, second = (tmp_path / name for name in CODE)

    assert notebooks.find_outdated_notebooks({}) == []
    first.write_text(first.read_text() + " ")
    assert notebooks.find_outdated_notebooks({}) == [first]
    git(tmp_path, "checkout", "-q", ".")

    (tmp_path / "pe_lib/course/explorers/hands/scene.mjs").unlink()
    assert notebooks.find_outdated_notebooks({}) == [first]
    git(tmp_path, "checkout", "-q", ".")
    (tmp_path / "pe_lib/new.py").touch()
    assert notebooks.find_outdated_notebooks({}) == [first, second]
    (tmp_path / "pe_lib/new.py").unlink()

    record: dict[str, str] = {}
    assert notebooks.find_outdated_notebooks(record) == []
    (tmp_path / "pe_lib/waves.py").write_text("changed")
    git(tmp_path, "commit", "-q", "-a", "-m", "Change the library")
    assert notebooks.find_outdated_notebooks(record) == [first, second]


def test_without_git_all_are_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "chapters").mkdir()
    path = tmp_path / "chapters/01-a.ipynb"
    path.write_text("{}")
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert notebooks.find_outdated_notebooks({}) == [path]
