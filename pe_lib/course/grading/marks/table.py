"""A class's grades as a table, one row a submission."""

from __future__ import annotations

import csv
import os
import tempfile
from collections import Counter
from pathlib import Path

from pe_lib.course.grading.running.grader import Grade, Terms

Row = dict[str, str]


def columns(terms: Terms) -> list[str]:
    return ["submission", "points", "of", "reason", "mistakes", *terms.content.questions]


def row(name: str, grade: Grade, terms: Terms) -> Row:
    mistakes = [f"{q}: {r.mistake}" for q, r in grade.results.items() if r.mistake]
    scores = {
        q: f"{grade.results[q].score:g}" if q in grade.results else "0"
        for q in terms.content.questions
    }
    return {
        "submission": safe(name),
        "points": f"{grade.score:g}",
        "of": f"{terms.content.total:g}",
        "reason": grade.reason,
        "mistakes": "; ".join(mistakes),
    } | scores


def safe(name: str) -> str:
    """A file's name that no spreadsheet takes for a formula.

    >>> safe("=1+1.ipynb")
    "'=1+1.ipynb"
    """
    return f"'{name}" if name[:1] in "=+-@" else name


def refuse_another(out: Path, terms: Terms) -> None:
    """Raise ValueError if there is a table that this module did not make."""
    if out.exists():
        with out.open(newline="", encoding="utf-8") as file:
            if next(csv.reader(file), None) != columns(terms):
                raise ValueError(f"{out} is another table; name one that isn't there yet")


def write(out: Path, grades: dict[str, Grade], terms: Terms) -> list[Row]:
    """Write the table, in one step, so that nobody reads half of one."""
    rows = [row(name, grade, terms) for name, grade in grades.items()]
    handle, temporary = tempfile.mkstemp(dir=out.parent, suffix=".part")
    with os.fdopen(handle, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns(terms))
        writer.writeheader()
        writer.writerows(rows)
    Path(temporary).chmod(0o644)
    Path(temporary).replace(out)
    return rows


def summary(rows: list[Row]) -> str:
    """How the class did, and which mistakes it makes, the most frequent first."""
    if not rows:
        return "There is no notebook in that folder."
    scores = sorted(float(r["points"]) for r in rows)
    lines = [
        f"{len(rows)} submissions, of {rows[0]['of']} points: lowest {scores[0]:g}, median"
        f" {scores[len(scores) // 2]:g}, highest {scores[-1]:g}"
    ]
    if failed := [r for r in rows if r["reason"]]:
        lines.append(f"{len(failed)} need a look; the table says why.")
    counts = Counter(m for r in rows for m in r["mistakes"].split("; ") if m)
    lines += [f"{count:5} × {mistake}" for mistake, count in counts.most_common(10)]
    return "\n".join(lines)
