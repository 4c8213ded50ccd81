"""Test that `python -m classroom` explains errors in messages that a teacher understands."""

import sys
import tomllib
from pathlib import Path

import pytest

from classroom import __main__ as module
from pe_lib.course.grading.sheet import load

SHEET = load("04")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([".", "--sheet", "04", "--out", "scores"], "must end in .csv, got scores"),
        ([".", "--sheet", "04", "--out", "mine.csv"], "is another table"),
        ([".", "--sheet", "04", "--key", "key"], "needs --roster as well"),
        ([".", "--sheet", "04", "--roster", "none.csv"], "none.csv: No such file or directory"),
    ],
)
def test_what_the_command_cannot_do_is_said_in_a_line(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("name,mark\nAda,1\n")
    (tmp_path / "key").write_text("a key that stays with the teacher")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["grading", "grade", *words])
    with pytest.raises(SystemExit) as end:
        module.main()
    assert message in str(end.value.code) and "\n" not in str(end.value.code)
    assert mine.read_text() == "name,mark\nAda,1\n", "another table is not written over"


def test_each_word_of_the_table_of_commands_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = module.COMMANDS_FILE.read_text("utf-8")
    commands = tomllib.loads(text)["commands"]
    assert commands.keys() == module.COMMANDS.keys()
    monkeypatch.setattr(module, "COMMANDS_FILE", tmp_path / "commands.toml")
    for word, other in (("float", "flaot"), ("--seed = {}", "--sead = {}")):
        (tmp_path / "commands.toml").write_text(text.replace(word, other), "utf-8")
        with pytest.raises(ValueError, match="is unknown; known are "):
            module.make_parser()
