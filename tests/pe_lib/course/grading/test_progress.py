"""What a learner has done is kept, whatever happens."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pe_lib.course.grading import Sheet, progress
from pe_lib.course.grading.check import grade
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import load

SLOW = load("04").questions["slow_sine"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ORDER_MATTERS_HOME", str(tmp_path))
    monkeypatch.setattr(progress, "_unsaved", [])
    return tmp_path


def answered(right: bool) -> Result:
    code = SLOW.solution.code if right else SLOW.mistakes[0].code
    return grade(SLOW, {"slow_k": SLOW.defined(code)})


def points() -> float:
    rows = {title: score for title, score, _ in progress.progress().rows()}
    return rows["04 Sine and cosine"]


def test_the_best_score_counts_and_mistakes_are_overcome() -> None:
    progress.record(answered(right=False), 0)
    title = f"{SLOW.mistakes[0].title} ({SLOW.title})"
    assert list(progress.progress().mistakes()) == [(title, 1, False)]
    progress.record(answered(right=True), 0)
    progress.record(answered(right=False), 0)
    assert points() == SLOW.total
    assert list(progress.progress().mistakes()) == [(title, 2, True)]
    assert f"✓ {title}, 2 times" in repr(progress.progress())
    assert "overcome" in progress.progress()._repr_html_()


def test_a_check_in_a_notebook_counts() -> None:
    slow_k = SLOW.defined(SLOW.solution.code)
    Sheet("04").check("slow_sine", {"slow_k": slow_k})
    assert points() == SLOW.total


def test_a_check_that_is_not_to_be_kept_is_not(home: Path) -> None:
    Sheet("04", keep=False).check("slow_sine", {"slow_k": 3})
    assert not list(home.iterdir())


def test_a_damaged_file_loses_only_what_is_damaged() -> None:
    progress.record(answered(right=True), 0)
    with progress.path().open("ab") as file:
        file.write(b'\n{"sheet": "04-sine-and-cosine", "question": "all_cand\xff\xfe')  # torn
    progress.record(answered(right=False), 0)
    with progress.path().open("ab") as file:
        file.write(b"\nnull\n[]\n{}\n\x00\x00" + b'\n{"score": "much"}')
    assert points() == SLOW.total
    assert len(list(progress.progress().mistakes())) == 1


def test_questions_that_are_gone_are_kept_but_not_shown(home: Path) -> None:
    line = {"sheet": "04-sine-and-cosine", "question": "gone", "score": 9, "mistake": "gone"}
    (home / "progress.jsonl").write_text(
        json.dumps(line) + "\n" + json.dumps(line | {"sheet": "x"})
    )
    assert points() == 0
    assert not list(progress.progress().mistakes())
    progress.record(answered(right=True), 0)
    assert '"gone"' in progress.path().read_text("utf-8")


def test_more_points_than_there_are_now_do_not_count(home: Path) -> None:
    line = {"sheet": SLOW.sheet, "question": SLOW.name, "score": 99}
    (home / "progress.jsonl").write_text(json.dumps(line))
    assert points() == SLOW.total


def test_two_notebooks_at_once_lose_nothing(home: Path) -> None:
    code = (
        "from pe_lib.course.grading import Sheet\n"
        "for n in range(100): Sheet('04').check('slow_sine', {'slow_k': n})\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0]
    assert len(list(progress.entries())) == 200


def test_without_a_place_to_write_it_lasts_for_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("ORDER_MATTERS_HOME", str(blocked))
    Sheet("04").check("slow_sine", {"slow_k": SLOW.defined(SLOW.solution.code)})
    said = capsys.readouterr()
    assert said.err == ""
    assert "can't be saved" in said.out
    assert points() == SLOW.total


def test_progress_is_shown_as_text_and_as_a_picture_with_its_text() -> None:
    progress.record(answered(right=True), 0)
    shown = progress.progress()
    assert "█" in repr(shown)
    assert shown._repr_html_().count('role="img"') == len(list(shown.rows()))
