"""Make a page with feedback for each student, and a page about the whole class.

Each page is a single file that opens from disk without a network. The page about the class names
no students, so that it can be projected in the classroom.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from classroom.marks.table import Mark, count_mistakes
from pe_lib.course.grading import feedback, notebooks
from pe_lib.course.grading.sheet import Content, Question

SECTIONS: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("sections.toml").read_text("utf-8")
)
# maps each question to the chapter and the section that teach what the question asks
SECTION_OF = {
    question: (chapter, title)
    for chapter, headings in SECTIONS.items()
    for title, questions in headings.items()
    for question in questions
}
GENERATOR = '<meta name="generator" content="Order Matters">'
MOST_MISTAKES = 8  # the page about the class lists at most this many mistakes
# a mistake that fewer students made is not listed, because it might identify a student
FEWEST_STUDENTS = 2
MOST_BARS = 12  # the chart of scores has about this many bars at most


def student_page(mark: Mark, content: Content, site: str) -> str:
    """Return the page for a student, with feedback on each question and with sections to read."""
    title = f"{mark.student.name}: {content.title}"
    return _render("student.html", title=title, site=site, content=content, mark=mark)


def class_page(content: Content, marks: list[Mark], site: str) -> str:
    """Return the page about a class, with frequent mistakes and the results for each question."""
    grades = [mark.grade for mark in marks if mark.grade and mark.counts]
    mistakes = count_mistakes(marks)
    frequent = [entry for entry in mistakes if entry[2] >= FEWEST_STUDENTS]
    scores = [grade.score for grade in grades]
    bar_width = max(1, -(-int(content.total) // MOST_BARS))
    bars = Counter(int(score // bar_width) * bar_width for score in scores)
    counts = {
        name: Counter(r.status if (r := grade.results.get(name)) else "not run" for grade in grades)
        for name in content.questions
    }
    points = {
        name: sum(grade.results[name].score for grade in grades if name in grade.results)
        for name in content.questions
    }
    # A reason may end with a colon and details of one notebook. So only the text before the colon
    # is counted.
    reasons = Counter(grade.reason.partition(":")[0] for grade in grades if grade.reasons)
    return _render(
        "class.html",
        title=f"{content.title}: the class",
        site=site,
        content=content,
        absent=sum(mark.grade is None for mark in marks),
        scores=scores,
        median=median(scores or [0]),
        bars=sorted(bars.items()),
        bar_width=bar_width,
        mistakes=frequent[:MOST_MISTAKES],
        mistake_count=len(mistakes),
        status_counts=counts,
        points_of=points,
        reasons=reasons.most_common(),
    )


def find_section(question: Question, site: str = "") -> dict[str, str]:
    """Return which section to read before a question, as a link if the site's address is known.

    >>> from pe_lib.course.grading.sheet import load
    >>> find_section(load("02").questions["which_pair"], "https://example.org/")["address"]
    'https://example.org/chapters/02-the-formula.html#from-a-dimension-to-its-pair-and-back'
    """
    name, title = SECTION_OF.get(question.name, (question.sheet, ""))
    return {
        "name": name,
        "chapter": f"Chapter {int(name[:2])}" if name[:2].isdigit() else "The chapter",
        "heading": title.strip('"'),
        "title": title,
        "address": site and f"{site.rstrip('/')}/chapters/{name}.html#{anchor(title)}".rstrip("#"),
    }


def anchor(title: str) -> str:
    """Return the HTML id of a heading on the site, which joins its words by hyphens.

    >>> anchor("What we want: a checklist")
    'what-we-want-a-checklist'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-").lstrip("0123456789-")


def _render(template: str, **values: Any) -> str:
    """Render an HTML template. Bytes that are not valid UTF-8 are shown as escapes like \udc80."""
    page = PAGES.get_template(template).render(values)
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


# Jinja escapes all values, so that the browser never runs HTML that a student wrote
PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
PAGES.filters["markup"] = lambda text: Markup(feedback.render_markup(text))
PAGES.globals |= {
    "STATUS": feedback.STATUS,
    "compared": feedback.draw_comparison,
    "level": notebooks.level_name,
    "find_section": find_section,
    "points": feedback.format_points,
    "points_in_words": notebooks.format_points,
}
