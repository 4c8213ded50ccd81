"""What a learner has done so far: one line a check, added to a file in their home folder.

Lines are only ever added, each by one write, so that two notebooks can be open at once, and a crash
costs at most the line that was being written. A line that can't be read is passed over.
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

_unsaved: list[dict[str, Any]] = []  # where the file can't be written


def path() -> Path:
    """`.order-matters/progress.jsonl` in the home folder, or in ORDER_MATTERS_HOME."""
    home = os.environ.get("ORDER_MATTERS_HOME")
    return (Path(home) if home else Path.home() / ".order-matters") / "progress.jsonl"


def record(result: Result, seed: int) -> str:
    """Add one check. Returns a sentence where it couldn't be kept, else ''."""
    entry = {
        "time": int(time.time()),
        "sheet": result.question.sheet,
        "question": result.question.name,
        "seed": seed,
        "status": result.status,
        "score": result.score,
        "mistake": result.mistake,
    }
    line = "\n" + json.dumps(entry)  # the newline first: a torn line before it stays alone
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


def entries() -> Iterator[dict[str, Any]]:
    """Every check that can be read, the oldest first."""
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
    """Points by sheet, and the known mistakes met, with what became of them, as the file has it."""

    def __init__(self) -> None:
        self.best: dict[tuple[str, str], float] = {}
        self.met = Counter[tuple[str, str, str]]()
        for entry in entries():
            key = str(entry.get("sheet")), str(entry.get("question"))
            self.best[key] = max(self.best.get(key, 0), entry["score"])
            if mistake := entry.get("mistake"):
                self.met[(*key, str(mistake))] += 1

    def rows(self) -> Iterator[tuple[str, float, float]]:
        """Title, points and all points of each sheet that there is now."""
        for name in names():
            sheet = load(name)
            score = sum(
                min(self.best.get((name, q.name), 0), q.total) for q in sheet.questions.values()
            )
            yield f"{name.split('-')[0]} {sheet.title}", score, sheet.total

    def mistakes(self) -> Iterator[tuple[str, int, bool]]:
        """Title, how often, and whether the question was answered since, of each mistake met."""
        for (name, question, mistake), count in self.met.items():
            asked = load(name).questions.get(question) if name in names() else None
            known = {one.name: one.title for one in asked.mistakes} if asked else {}
            if asked and mistake in known:
                done = self.best.get((name, question), 0) >= asked.total
                yield f"{known[mistake]} ({asked.title})", count, done

    def __repr__(self) -> str:
        rows = list(self.rows())
        width = max(len(title) for title, _, _ in rows)
        lines = [
            f"{title:{width}}  {'█' * int(20 * s / t):░<20}  {s:g}/{t:g}" for title, s, t in rows
        ]
        met = [
            f"  {'✓' if done else 'not yet'} overcome: {title}{f', {n} times' * (n > 1)}"
            for title, n, done in self.mistakes()
        ]
        return "\n".join([*lines, *(["", "Mistakes that you met:"] if met else []), *met])
