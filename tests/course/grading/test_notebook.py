"""Check that sheets work in notebooks, and that no failure loses a learner's progress."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pe_lib.course.grading import Sheet, progress
from pe_lib.course.grading.sheet import SheetError, load

SLOW = load("04").questions["slow_sine"]
RIGHT = SLOW.run_answer(SLOW.solution.code)
WRONG = SLOW.run_answer(SLOW.mistakes[0].code)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ORDER_MATTERS_HOME", str(tmp_path))
    monkeypatch.setattr(progress, "_unsaved", [])
    return tmp_path


@pytest.fixture
def sheet() -> Sheet:
    return Sheet("04")


def points_of_sheet() -> float:
    rows = {title: score for title, score, _ in progress.Progress().rows()}
    return rows["04 Sine and cosine"]


def test_hints_come_one_by_one_and_then_the_solution_with_its_reasons(sheet: Sheet) -> None:
    for number, hint in enumerate(SLOW.hints, start=1):
        assert repr(sheet.hint("slow_sine")) == f"Hint {number} of {len(SLOW.hints)}. {hint}"
    assert 'sheet.solution("slow_sine")' in repr(sheet.hint("slow_sine"))
    assert "```python\nslow_k = " in repr(sheet.solution("slow_sine"))


def test_again_asks_with_other_numbers_and_checks_with_them(sheet: Sheet) -> None:
    prompts = {repr(sheet.again("slow_sine")) for _ in range(3)}
    assert len(prompts) == 3
    scope = SLOW.run(SLOW.solution.code, given=sheet.given("slow_sine"))
    assert sheet.check("slow_sine", scope).status == "right"
    assert sheet.check("slow_sine", {"slow_k": RIGHT}).status == "wrong"


def test_an_unknown_question_is_met_with_those_that_there_are(sheet: Sheet) -> None:
    for method in (sheet.check, sheet.hint, sheet.given, sheet.solution, sheet.again):
        with pytest.raises(SheetError, match=r"no question 'slow'.*slow_sine, "):
            method("slow")


def test_importing_it_brings_no_matplotlib() -> None:
    code = "import sys, pe_lib.course.grading; raise SystemExit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- The record of progress ---


def test_the_best_score_counts_and_mistakes_are_overcome(sheet: Sheet) -> None:
    for answer, score, count, overcome in ((WRONG, 0, 1, False), (RIGHT, SLOW.total, 1, True),
                                          (WRONG, SLOW.total, 2, True)):  # fmt: skip
        sheet.check("slow_sine", {"slow_k": answer})
        title = f"{SLOW.mistakes[0].title} ({SLOW.title})"
        assert list(progress.Progress().mistakes()) == [(title, count, overcome)]
        assert points_of_sheet() == score
    lines = repr(progress.Progress()).splitlines()
    assert lines[-2:] == ["Mistakes that you met:", f"  ✓ overcome: {title}, 2 times"]


@pytest.mark.parametrize("method", ["check", "hint", "solution", "again", "given"])
def test_who_names_no_question_is_told_which_there_are(sheet: Sheet, method: str) -> None:
    with pytest.raises(SheetError, match="no question is named; there are: slow_sine, "):
        getattr(sheet, method)()


def test_nothing_is_kept_of_a_check_for_practice(home: Path) -> None:
    Sheet("04", keep=False).check("slow_sine", {"slow_k": 3})
    assert not list(home.iterdir())


def test_a_damaged_file_loses_only_what_is_damaged(sheet: Sheet) -> None:
    removed = {"sheet": "04-sine-and-cosine", "question": "gone", "score": 9, "mistake": "gone"}
    excessive = {"sheet": SLOW.sheet, "question": SLOW.name, "score": 99}
    progress.path().write_text(
        "\n".join(json.dumps(entry) for entry in (removed, removed | {"sheet": "x"}))
    )
    assert points_of_sheet() == 0
    sheet.check("slow_sine", {"slow_k": RIGHT})
    with progress.path().open("ab") as file:
        file.write(
            b'\n{"sheet": "04-sine-and-cosine", "question": "all_cand\xff\xfe'
        )  # a line whose writing was interrupted
    sheet.check("slow_sine", {"slow_k": WRONG})
    with progress.path().open("ab") as file:
        file.write(b"\nnull\n[]\n{}\n\x00\x00" + b'\n{"score": "much"}')
    assert points_of_sheet() == SLOW.total
    assert len(list(progress.Progress().mistakes())) == 1, "questions that are gone are not shown"
    assert '"gone"' in progress.path().read_text("utf-8", "replace"), "but they are kept"
    progress.path().write_text(json.dumps(excessive))
    assert points_of_sheet() == SLOW.total, "more points than there are now do not count"


def test_two_notebooks_at_once_lose_nothing() -> None:
    code = (
        "from pe_lib.course.grading import Sheet\n"
        "for n in range(100): Sheet('04').check('slow_sine', {'slow_k': n})\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0]
    assert len(list(progress.read_entries())) == 200


def test_without_a_place_to_write_it_lasts_for_the_session(
    sheet: Sheet, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocked = home / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("ORDER_MATTERS_HOME", str(blocked))
    sheet.check("slow_sine", {"slow_k": RIGHT})
    output = capsys.readouterr()
    assert output.err == ""
    assert "can't be saved" in output.out
    assert points_of_sheet() == SLOW.total
