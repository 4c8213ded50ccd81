"""Pages that open from disk, without a network: one for each student, one on the class.

Each holds all that it shows. The page on the class names nobody, so that it can be projected.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from classroom.marks import sections
from classroom.marks.statistics import Class
from classroom.marks.table import Mark
from pe_lib.course.grading import feedback, notebooks
from pe_lib.course.grading.sheet import Content, Question

OURS = '<meta name="generator" content="Order Matters">'
SHOWN = 8  # mistakes in the class's list
TWO = 2  # students at least, since a mistake of one points at a person
OTHERS = "it shows other numbers than those that are graded"
BINS = 12  # at most, in the picture of its points
WORDS = {
    "right": ("✓", "right"),
    "partly": ("◐", "partly right"),
    "wrong": ("✗", "wrong"),
    "open": ("○", "blank"),
    "not run": ("–", "not run"),
}


def student(mark: Mark, content: Content, site: str) -> str:
    """What one student got, question by question, with what to read again."""
    assert mark.grade
    grade, reason = mark.grade, mark.grade.said()
    if reason:
        reason = reason[:1].upper() + reason[1:] + ("" if reason.endswith((".", "?")) else ".")
    return _page(
        "student.html",
        title=f"{mark.student.name}: {content.title}",
        site=site,
        content=content,
        mark=mark,
        grade=grade,
        reason=reason,
        graded=not reason or grade.score or (grade.results and not grade.foreign),
    )


def of_class(content: Content, marks: list[Mark], seen: Class, site: str) -> str:
    """What the class did not understand, and how each question went."""
    grades = [mark.grade for mark in marks if mark.grade]
    scores = sorted(grade.score for grade in grades)
    listed = [mistake for mistake in seen.known if mistake.count >= TWO][:SHOWN]
    reasons = Counter(grade.said(OTHERS).partition(":")[0] for grade in grades if grade.reasons)
    return _page(
        "class.html",
        title=f"{content.title}: the class",
        site=site,
        content=content,
        seen=seen,
        absent=len(marks) - len(grades),
        scores=scores,
        middle=median(scores or [0]),
        listed=listed,
        more=len(seen.known) - len(listed),
        reasons=reasons.most_common(),
        two=TWO,
        **_histogram(scores, content.total),
    )


def _histogram(scores: list[float], total: float) -> dict[str, Any]:
    """Students by points: bars of `side` units, each with its first number of points."""
    wide = next(w for w in (1, 2, 5, 10, 20, 50, 100, 1_000) if total / w < BINS)
    counts = Counter(int(score // wide) for score in scores)
    side, tall = 480 / (int(total // wide) + 1), max(counts.values(), default=1)
    bars = [
        {
            "first": n * wide,
            "count": counts[n],
            "x": (n + 0.5) * side,
            "height": 100 * counts[n] / tall,
        }
        for n in range(int(total // wide) + 1)
    ]
    unit = f"points, {wide} to a bar" if wide > 1 else "points"
    return {"side": side, "bars": bars, "unit": unit}


def _place(question: Question, site: str) -> dict[str, str]:
    """The section that prepares the question, and its address where the site's is known."""
    name, title = sections.place(question)
    chapter = f"Chapter {int(name[:2])}" if name[:2].isdigit() else "The chapter"
    address = sections.address(question, site)
    return {"chapter": chapter, "heading": title.strip('"'), "address": address}


def _page(template: str, **told: Any) -> str:
    """The page; a name's bytes that are no UTF-8 stand in it as \\udc80 and the like."""
    page = PAGES.get_template(template).render(told)
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


# what is put into a template is escaped, so that nothing that a student writes becomes part of it
PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
PAGES.filters["marked"] = lambda text: Markup(feedback.marked(text))
PAGES.globals |= {
    "STATUS": feedback.STATUS,
    "WORDS": WORDS,
    "compared": feedback.compared,
    "level": notebooks.level,
    "place": _place,
    "points": feedback.points,
    "points_in_words": notebooks.points_in_words,
}
