"""Fold sections into cards of one line that open in place.

A section whose title begins with "Aside: ", two that close a chapter, and all exercises but the
first become cards. On paper, in notebooks and without JavaScript they are open.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx

from _ext.plaintext import plain
from _ext.reading.minutes import CHAPTER, count_open, format_minutes

ASIDE = "Aside: "
FOLDED = {"What people get wrong", "In practice"}
EXERCISES = "Exercises"

_LEVEL = re.compile(r'<p class="om-level">(.*?)</p>')


def is_folded(section: nodes.section) -> bool:
    """Return whether a section waits behind its title."""
    title, parent = _title(section), section.parent
    if title.startswith(ASIDE) or title in FOLDED:
        return True
    is_exercise = _title(parent) == EXERCISES
    return is_exercise and parent.first_child_matching_class(nodes.section) != parent.index(section)


def _title(node: nodes.Node) -> str:
    """Return a section's title, and nothing for any other node."""
    return plain(node[0]) if isinstance(node, nodes.section) and len(node) else ""


def fold_sections(app: Sphinx, document: nodes.document) -> None:
    """Mark the sections of a page that become cards, with the note beside each title."""
    sections = list(document.findall(nodes.section))
    has_asides = any(_title(section).startswith(ASIDE) for section in sections)
    if not CHAPTER.match(app.env.docname) and not has_asides:
        return
    for section in reversed(sections):  # inner ones first: a card's minutes leave out cards in it
        if is_folded(section):
            section["fold"] = _take_note(section)
            section["classes"].append("om-folding")


def _take_note(section: nodes.section) -> str:
    """Return how hard an exercise is, and remove that line; for others, how long they take."""
    for raw in section.findall(nodes.raw):
        if match := _LEVEL.fullmatch(raw.astext().strip()):
            raw.parent.remove(raw)
            return match[1]
    return format_minutes(count_open(section))


def setup(app: Sphinx) -> None:
    # after the extensions that change a page as it is read
    app.connect("doctree-read", fold_sections, priority=800)
