"""What the test files of a sheet for otter-grader call, in a student's notebook and in a grader."""

from __future__ import annotations

from typing import Any

from pe_lib.course.grading.check import grade
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Question, load

FOUND = "order_matters_found"  # the name under which a grader hands the tests what it found
OTHERS = "Right on the numbers of the sheet, and not on others."


def expect(sheet: str, name: str, seeds: list[int], env: dict[str, Any], part: str) -> None:
    """Raise AssertionError unless the part is right on all seeds; with the hint for the first.

    A hint may hold numbers of the question, and those of a secret seed are nobody's business.
    """
    question = load(sheet).questions[name]
    first, *secrets = seeds
    if hint := _hints(env, question, first)[part]:
        raise AssertionError(hint)
    if any(_hints(env, question, secret)[part] for secret in secrets):
        raise AssertionError(OTHERS)


def _hints(env: dict[str, Any], question: Question, seed: int) -> dict[str, str]:
    """For each part what to tell the student, '' if it is right."""
    if FOUND in env:
        hints: dict[str, str] = env[FOUND][question.name][seed]
        return hints
    return told(grade(question, env, seed))


def told(result: Result, reason: str = "") -> dict[str, str]:
    """For each part '' if it is right; the first that isn't has the hint.

    `reason` is what stopped the notebook, which may be why there is no answer.
    """
    wrong = [part for part in result.question.points if part not in result.good]
    hints = dict.fromkeys(result.question.points, "")
    if wrong:
        hints |= dict.fromkeys(wrong, f"See `{wrong[0]}`.")
        missing = reason and result.status == "open"
        hints[wrong[0]] = result.hint + (f" While the notebook ran, {reason}." if missing else "")
    return hints
