"""Test that a notebook finds its recordings, whichever folder its kernel was started in."""

from pathlib import Path

import pytest

from pe_lib.course.files import CHAPTERS, find_file


def test_a_file_beside_the_notebook_comes_first_and_else_that_of_the_course(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_file("data/longer.json") == CHAPTERS / "data/longer.json"
    (tmp_path / "data").mkdir()
    (tmp_path / "data/longer.json").touch()
    assert find_file("data/longer.json").samefile(tmp_path / "data/longer.json")
    with pytest.raises(FileNotFoundError, match=r"data/none\.json is neither in .* nor in "):
        find_file("data/none.json")
