"""Record a learner's progress in a file in the home folder, with one line for each check.

Lines are only ever added, and each line is written at once. So two notebooks can be open at the
same time, and a crash costs at most one line. A line that cannot be read is skipped.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import load, names

# Results of checks that could not be written to the file, for the rest of the session
_unsaved: list[dict[str, Any]] = []


def path() -> Path:
    """Return the path of progress.jsonl, in ORDER_MATTERS_HOME or, if not set, ~/.order-matters."""
    home = os.environ.get("ORDER_MATTERS_HOME")
    return (Path(home) if home else Path.home() / ".order-matters") / "progress.jsonl"


def record(result: Result, seed: int) -> str:
    """Record the result of a check. Return '', or a message if the result could not be saved."""
    entry = {
        "time": int(time.time()),
        "sheet": result.question.sheet,
        "question": result.question.name,
        "seed": seed,
        "status": result.status,
        "score": result.score,
        "mistake": result.mistake,
    }
    # The last line of the file may be incomplete. So each record begins with a newline, which
    # separates it from that line.
    line = "\n" + json.dumps(entry)
    try:
        path().parent.mkdir(parents=True, exist_ok=True)
        with path().open("ab", buffering=0) as file:
            file.write(line.encode())
    except (OSError, RuntimeError) as error:
        _unsaved.append(entry)
        why = getattr(error, "strerror", None) or error
        folder = path().parent
        return f"Your progress can't be saved in {folder} ({why}); it lasts for this session."
    return ""


def read_entries() -> Iterator[dict[str, Any]]:
    """Yield every recorded check that can be read, oldest first."""
    try:
        lines = path().read_bytes().splitlines()
    except (OSError, RuntimeError):
        lines = []
    for line in lines:
        try:
            entry = json.loads(line)
            if isinstance(entry, dict) and isinstance(entry["score"], (int, float)):
                yield entry
        except (ValueError, KeyError, UnicodeDecodeError):
            continue
    yield from _unsaved


class Progress:
    """A learner's points on each sheet, and the known mistakes in the learner's answers."""

    def __init__(self) -> None:
        # the learner's best score for each question, by the names of the sheet and the question
        self.best: dict[tuple[str, str], float] = {}
        self.mistake_counts = Counter[tuple[str, str, str]]()
        for entry in read_entries():
            key = str(entry.get("sheet")), str(entry.get("question"))
            self.best[key] = max(self.best.get(key, 0), entry["score"])
            if mistake := entry.get("mistake"):
                self.mistake_counts[(*key, str(mistake))] += 1

    def rows(self) -> Iterator[tuple[str, float, float]]:
        """For each sheet in the course, yield its title, the learner's points and the maximum."""
        for name in names():
            sheet = load(name)
            score = sum(
                min(self.best.get((name, q.name), 0), q.total) for q in sheet.questions.values()
            )
            yield f"{name.split('-')[0]} {sheet.title}", score, sheet.total

    def mistakes(self) -> Iterator[tuple[str, int, bool]]:
        """Yield each mistake's title and count, and whether its question is solved now."""
        for (name, question_name, mistake), count in self.mistake_counts.items():
            question = load(name).questions.get(question_name) if name in names() else None
            titles = (
                {variant.name: variant.title for variant in question.mistakes} if question else {}
            )
            if question and mistake in titles:
                is_solved = self.best.get((name, question_name), 0) >= question.total
                yield f"{titles[mistake]} ({question.title})", count, is_solved

    def __repr__(self) -> str:
        rows = list(self.rows())
        width = max(len(title) for title, _, _ in rows)
        lines = [
            f"{title:{width}}  {'█' * int(20 * s / t):░<20}  {s:g}/{t:g}" for title, s, t in rows
        ]
        mistakes = [
            f"  {'✓' if is_solved else 'not yet'} overcome: {title}{f', {n} times' * (n > 1)}"
            for title, n, is_solved in self.mistakes()
        ]
        heading = ["", "Mistakes that you met:"] if mistakes else []
        return "\n".join([*lines, *heading, *mistakes])
