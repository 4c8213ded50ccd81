"""What a learner has done so far: one line a check, added to a file in their home folder.

Lines are only ever added, each by one write, so that two notebooks can be open at once, and a crash
costs at most the line that was being written. A line that can't be read is passed over.
"""

from __future__ import annotations

import html
import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Question, load, names

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
        handle = os.open(path(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)
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


@dataclass(frozen=True)
class Progress:
    """Points by sheet, and the known mistakes met, with what became of them."""

    best: dict[tuple[str, str], float]
    met: dict[tuple[str, str, str], int]

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
            if name not in names() or question not in load(name).questions:
                continue
            q = load(name).questions[question]
            for known in q.mistakes:
                if known.name == mistake:
                    done = self.best.get((name, question), 0) >= q.total
                    yield f"{known.title} ({q.title})", count, done

    def __repr__(self) -> str:
        rows = list(self.rows())
        width = max(len(title) for title, _, _ in rows)
        lines = [f"{title:{width}}  {_bar(s, t)}  {s:g}/{t:g}" for title, s, t in rows]
        met = [f"  {_overcome(_times(title, n), done)}" for title, n, done in self.mistakes()]
        lines += ["", "Mistakes that you met:", *met] if met else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        lines = []
        for title, score, total in self.rows():
            share = 100 * score / total
            lines.append(
                f'<tr><td style="text-align: left">{html.escape(title)}</td><td>'
                f'<svg width="150" height="12" role="img" aria-label="{share:.0f} %">'
                f'<rect width="150" height="12" rx="3" fill="currentColor" opacity=".15"/>'
                f'<rect width="{1.5 * share:.0f}" height="12" rx="3" fill="#1c6dd0"/></svg>'
                f"</td><td>{score:g} of {total:g}</td></tr>"
            )
        met = [
            f"<li>{_overcome(_times(html.escape(title), count), done)}</li>"
            for title, count, done in self.mistakes()
        ]
        heading = "<p>Mistakes that you met:</p>" if met else ""
        return f"<table>{''.join(lines)}</table>{heading}<ul>{''.join(met)}</ul>"


def progress() -> Progress:
    """What the file says now."""
    best: dict[tuple[str, str], float] = {}
    met: Counter[tuple[str, str, str]] = Counter()
    for entry in entries():
        key = str(entry.get("sheet")), str(entry.get("question"))
        best[key] = max(best.get(key, 0), entry["score"])
        if mistake := entry.get("mistake"):
            met[(*key, str(mistake))] += 1
    return Progress(best, dict(met))


def earlier(sheet: str, count: int = 3) -> list[Question]:
    """Questions of the sheets before this one that a line answers, to be asked again.

    First those whose last check was wrong; then one of each sheet, the last first, another one for
    each sheet that asks.
    """
    before = [load(name) for name in names() if name < sheet]
    open_, last = [], {(e.get("sheet"), e.get("question")): e.get("status") for e in entries()}
    spread = []
    for content in reversed(before):
        short = [q for q in content.questions.values() if q.kind != "code"]
        open_ += [q for q in short if last.get((q.sheet, q.name)) in ("wrong", "partly")]
        spread.append(short[len(before) % len(short)])
    return [*open_, *(q for q in spread if q not in open_)][:count]


def _times(mistake: str, count: int) -> str:
    return mistake if count == 1 else f"{mistake}, {count} times"


def _overcome(mistake: str, done: bool) -> str:
    if done:
        return f"✓ overcome: {mistake}"
    return f"not yet overcome: {mistake}"


def _bar(score: float, total: float) -> str:
    filled = int(20 * score / total)
    return "█" * filled + "░" * (20 - filled)
