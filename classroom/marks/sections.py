"""Where in its chapter a question is answered: what to read again, or to take up in class."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from pathlib import Path

from pe_lib.course.grading.sheet import Question

SECTIONS = tomllib.loads(Path(__file__).with_name("sections.toml").read_text("utf-8"))


def place(question: Question) -> tuple[str, str]:
    """Chapter and heading of the section; no heading for a question that is not in the list."""
    for title, names in SECTIONS.get(question.sheet, {}).items():
        if question.name in names.split():
            other = re.match(r"(\d\d-[\w-]+): ", title)
            return (other[1], title[other.end() :]) if other else (question.sheet, title)
    return question.sheet, ""


def address(question: Question, site: str = "") -> str:
    """Where that section is on the site at the address `site`; '' without one.

    >>> from pe_lib.course.grading.sheet import load
    >>> address(load("02").questions["which_pair"], "https://example.org/")
    'https://example.org/chapters/02-the-formula.html#from-a-dimension-to-its-pair-and-back'
    """
    if not site:
        return ""
    chapter, title = place(question)
    page = f"{site.rstrip('/')}/chapters/{chapter}.html"
    return f"{page}#{anchor(title)}" if title else page


def anchor(title: str) -> str:
    """The id that the site gives a heading: letters and digits, the rest dashes.

    >>> anchor("What we want: a checklist")
    'what-we-want-a-checklist'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-").lstrip("0123456789-")
