"""Fold some sections of a page into cards, whose content appears when readers open them.

The folded sections are those whose title begins with "Aside: ", two sections at the end of each
chapter, and all exercises except the first. They are open on paper, in notebooks and without
JavaScript.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx

from _ext.chapters import is_chapter
from _ext.plaintext import read_plain_text
from _ext.reading.minutes import count_open, format_minutes

ASIDE = "Aside: "
FOLDED = {"What people get wrong", "In practice"}
EXERCISES = "Exercises"

_LEVEL = re.compile(r'<p class="om-level">(.*?)</p>')


def is_folded(section: nodes.section) -> bool:
    """Return whether a section is folded into a card."""
    title, parent = _title(section), section.parent
    if title.startswith(ASIDE) or title in FOLDED:
        return True
    is_exercise = _title(parent) == EXERCISES
    return is_exercise and parent.first_child_matching_class(nodes.section) != parent.index(section)


def _title(node: nodes.Node) -> str:
    """Return the title of a section, or "" if the node is not a section."""
    return read_plain_text(node[0]) if isinstance(node, nodes.section) and len(node) else ""


def fold_sections(app: Sphinx, document: nodes.document) -> None:
    """Fold some sections into cards, and store the note that stands next to each card's title."""
    sections = list(document.findall(nodes.section))
    has_asides = any(_title(section).startswith(ASIDE) for section in sections)
    if not is_chapter(app.env.docname) and not has_asides:
        return
    # Inner sections come first, because the minutes of a card do not include the cards inside it.
    for section in reversed(sections):
        if is_folded(section):
            section["fold"] = _take_note(section)
            section["classes"].append("om-folding")


def _take_note(section: nodes.section) -> str:
    """Find the note for a card's title: the level of an exercise, or the minutes of a section.

    The line with the level is removed from the exercise.
    """
    for raw in section.findall(nodes.raw):
        if match := _LEVEL.fullmatch(raw.astext().strip()):
            raw.parent.remove(raw)
            return match[1]
    return format_minutes(count_open(section))


def setup(app: Sphinx) -> None:
    # Run after all extensions that change pages, because cards show their reading times.
    app.connect("doctree-read", fold_sections, priority=800)
