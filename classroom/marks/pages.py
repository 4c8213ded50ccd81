"""Pages that open from disk, without a network: one for each student, one on the class.

Each holds all that it shows. The page on the class names nobody, so that it can be projected.
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

from classroom.marks.table import Mark, mistakes
from pe_lib.course.grading import feedback, notebooks
from pe_lib.course.grading.sheet import Content, Question

SECTIONS = tomllib.loads(Path(__file__).with_name("sections.toml").read_text("utf-8"))
PLACES = {
    name: (chapter, title)
    for chapter, listed in SECTIONS.items()
    for title, names in listed.items()
    for name in names.split()
}
OURS = '<meta name="generator" content="Order Matters">'
SHOWN = 8  # mistakes in the class's list
TWO = 2  # students at least, since a mistake of one points at a person
BARS = 12  # at most, in the picture of its points


def student(mark: Mark, content: Content, site: str) -> str:
    """What one student got, question by question, with what to read again."""
    title = f"{mark.student.name}: {content.title}"
    return _page("student.html", title=title, site=site, content=content, mark=mark)


def of_class(content: Content, marks: list[Mark], site: str) -> str:
    """What the class did not understand, and how each question went."""
    grades, known = [mark.grade for mark in marks if mark.grade], mistakes(marks)
    scores = [grade.score for grade in grades]
    wide = max(1, -(-int(content.total) // BARS))
    counts = {
        name: Counter(r.status if (r := grade.results.get(name)) else "not run" for grade in grades)
        for name in content.questions
    }
    return _page(
        "class.html",
        title=f"{content.title}: the class",
        site=site,
        content=content,
        absent=len(marks) - len(grades),
        scores=scores,
        middle=median(scores or [0]),
        bars=sorted(Counter(int(score // wide) * wide for score in scores).items()),
        wide=wide,
        listed=[one for one in known if one[2] >= TWO][:SHOWN],
        known=len(known),
        counts=counts,
        points_of={n: sum(g.results[n].score for g in grades if n in g.results) for n in counts},
        reasons=Counter(g.reason.partition(":")[0] for g in grades if g.reasons).most_common(),
    )


def place(question: Question, site: str = "") -> dict[str, str]:
    """The section that prepares the question, and its address where the site's is known.

    >>> from pe_lib.course.grading.sheet import load
    >>> place(load("02").questions["which_pair"], "https://example.org/")["address"]
    'https://example.org/chapters/02-the-formula.html#from-a-dimension-to-its-pair-and-back'
    """
    name, title = PLACES.get(question.name, (question.sheet, ""))
    return {
        "name": name,
        "chapter": f"Chapter {int(name[:2])}" if name[:2].isdigit() else "The chapter",
        "heading": title.strip('"'),
        "title": title,
        "address": site and f"{site.rstrip('/')}/chapters/{name}.html#{anchor(title)}".rstrip("#"),
    }


def anchor(title: str) -> str:
    """The id that the site gives a heading: letters and digits, the rest dashes.

    >>> anchor("What we want: a checklist")
    'what-we-want-a-checklist'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-").lstrip("0123456789-")


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
PAGES.filters["marked"] = lambda text: Markup(feedback.render_markup(text))
PAGES.globals |= {
    "STATUS": feedback.STATUS,
    "compared": feedback.draw_comparison,
    "level": notebooks.level_name,
    "place": place,
    "points": feedback.format_points,
    "points_in_words": notebooks.format_points,
}
