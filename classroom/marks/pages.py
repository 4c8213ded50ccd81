"""Make pages that open from disk, without a network: one for each student, one about the class.

Each page holds all that it shows. The page about the class names nobody, so that it can be
projected.
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
# The chapter and the heading that prepare each question
SECTION_OF = {
    question: (chapter, title)
    for chapter, headings in SECTIONS.items()
    for title, questions in headings.items()
    for question in questions
}
GENERATOR = '<meta name="generator" content="Order Matters">'
MOST_MISTAKES = 8  # in the class's list
FEWEST_STUDENTS = 2  # who made such a mistake, since a single student could be recognised
MOST_BARS = 12  # in the picture of the class's points


def student_page(mark: Mark, content: Content, site: str) -> str:
    """Return the page about one student's notebook, question by question, with what to read."""
    title = f"{mark.student.name}: {content.title}"
    return _render("student.html", title=title, site=site, content=content, mark=mark)


def class_page(content: Content, marks: list[Mark], site: str) -> str:
    """Return the page about what the class did not understand, and how each question went."""
    grades, mistakes = [mark.grade for mark in marks if mark.grade], count_mistakes(marks)
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
    # what follows the colon of a reason is different for each notebook
    reasons = Counter(grade.reason.partition(":")[0] for grade in grades if grade.reasons)
    return _render(
        "class.html",
        title=f"{content.title}: the class",
        site=site,
        content=content,
        absent=len(marks) - len(grades),
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
    """Return the section that prepares the question, with its address if the site's is known.

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
    """Return the id that the site gives a heading: letters and digits, and dashes for the rest.

    >>> anchor("What we want: a checklist")
    'what-we-want-a-checklist'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-").lstrip("0123456789-")


def _render(template: str, **values: Any) -> str:
    """Render a template. A file name's bytes that are no UTF-8 become \\udc80 and the like."""
    page = PAGES.get_template(template).render(values)
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


# The values are escaped, so that nothing that a student writes becomes a part of a page
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
