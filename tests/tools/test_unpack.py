"""What the container does at each start: a newer course, and nothing of a learner's lost."""

from pathlib import Path

import pytest

from tools.unpack import unpack


def write(folder: Path, **texts: str) -> None:
    (folder / "chapters").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / "chapters" / f"{name}.ipynb").write_text(text, "utf-8")


def read(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in (folder / "chapters").iterdir()}


def test_a_volume_gets_the_newer_course_and_keeps_what_was_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image, volume = tmp_path / "image", tmp_path / "volume"
    write(image, a="a1", b="b1", c="c1")
    unpack(image, volume)
    write(volume, b="mine", mine="too")
    unpack(image, volume)
    assert read(volume) == {"a": "a1", "b": "mine", "c": "c1", "mine": "too"}
    assert capsys.readouterr().out == ""
    write(image, a="a2", b="b2", d="d2")
    for times in (1, 0):  # said once
        unpack(image, volume)
        assert capsys.readouterr().out.count("b.new.ipynb") == times
        seen = {"a": "a2", "b": "mine", "b.new": "b2", "c": "c1", "d": "d2", "mine": "too"}
        assert read(volume) == seen
    write(volume, **{"b.new": "mine, too"})
    write(image, b="b3")
    unpack(image, volume)
    assert read(volume) == seen | {"b.new": "mine, too", "b.new.new": "b3"}


def test_a_volume_without_a_record_loses_nothing_and_hides_nothing(tmp_path: Path) -> None:
    image, volume = tmp_path / "image", tmp_path / "volume"
    write(image, a="new", b="same")
    write(volume, a="old or changed", b="same")
    unpack(image, volume)
    assert read(volume) == {"a": "old or changed", "a.new": "new", "b": "same"}
