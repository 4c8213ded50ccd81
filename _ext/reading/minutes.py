"""Estimate how many minutes readers need for each page, from its words, formulas and figures.

Only open content counts. Answers, code that draws figures, and folded cards are left out; a card
shows its own minutes beside its title. The predictions in folded cards do count, because a reader
who opens such a card stops at them. No minutes are typed by hand.
"""

import re
from collections import Counter

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxRole

from _ext.chapters import is_chapter
from _ext.plaintext import read_plain_text

PLACE = "{minutes}"  # opening.py writes this text, and the reading time replaces it

# How many minutes a careful reader spends on an item of each type.
# For most chapters, their sum is within a few minutes of the time that careful readers needed.
MINUTES = {
    "words": 1 / 120,
    "formulas": 1.0,
    "lines of code": 0.06,
    "figures": 0.7,
    "explorers": 3.0,
    "predictions": 1.9,  # 1.5 minutes for the guess, and 0.4 to read the guess and the result later
}
_CLASSES = {"om-figure": "figures", "om-explorer": "explorers", "om-predict": "predictions"}


def count_open(node: nodes.Element) -> Counter[str]:
    """Count the words, formulas, figures and other items that are visible before any click."""
    counts: Counter[str] = Counter()
    # the number of <details> elements around a child node, which hide the node until a click
    depth = 0
    for child in node.children:
        if isinstance(child, nodes.raw):
            html = child.astext()
            depth += html.count("<details") - html.count("</details>")
            for class_name, name in _CLASSES.items():
                counts[name] += len(re.findall(rf'class="{class_name}[ "]', html))
        elif depth or isinstance(child, nodes.comment):
            continue
        elif child.get("hide_mode"):  # the code of this cell is folded, so it does not count
            for part in child.children:
                if part["nb_element"] != "cell_code_source":
                    counts += count_open(part)
        elif isinstance(child, nodes.literal_block):
            counts["lines of code"] += child.astext().strip().count("\n") + 1
        elif isinstance(child, nodes.math_block):
            counts["formulas"] += 1
        elif isinstance(child, nodes.TextElement):
            counts["words"] += len(read_plain_text(child).split())
        elif isinstance(child, nodes.Element):
            inside = count_open(child)
            folded = Counter(predictions=inside["predictions"])
            counts += folded if "fold" in child else inside
    return counts


def estimate_minutes(counts: Counter[str]) -> float:
    """Return how many minutes a careful reader needs, given the counts of all items."""
    return sum(count * MINUTES[name] for name, count in counts.items())


def format_minutes(counts: Counter[str]) -> str:
    """Return a reading time as text, rounded to whole minutes.

    >>> [format_minutes(Counter(words=120 * time)) for time in (0, 7, 38)]
    ['1 minute', '7 minutes', '38 minutes']
    """
    rounded = max(1, round(estimate_minutes(counts)))
    return f"{rounded} minute{'s' * (rounded > 1)}"


def store_counts(app: Sphinx, document: nodes.document) -> None:
    """Store the counts of what is visible on a page in the page's metadata."""
    app.env.metadata[app.env.docname]["om_open"] = count_open(document)


class Minutes(SphinxRole):
    """A Sphinx role that inserts a reading time, as {minutes}`chapters/02-the-formula` does."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        return [nodes.inline("", "", minutes=self.text)], []


def format_hours(env: BuildEnvironment) -> str:
    """Return the total reading time of all chapters as text, rounded to half an hour."""
    counts = [page["om_open"] for name, page in env.metadata.items() if is_chapter(name)]
    half_hours = round(sum(map(estimate_minutes, counts)) / 30)
    return f"{half_hours // 2}{' and a half' * (half_hours % 2)} hours"


def write_minutes(app: Sphinx, document: nodes.document, name: str) -> None:
    """Insert the reading times into a page after Sphinx has read all pages."""
    pages = app.env.metadata
    for place in document.findall(nodes.inline):
        if page := place.get("minutes"):
            is_all = page == "all"
            time = format_hours(app.env) if is_all else format_minutes(pages[page]["om_open"])
            place += nodes.Text(time)
    for raw in document.findall(nodes.raw):
        if PLACE in raw.astext():
            time = format_minutes(pages[name]["om_open"])
            raw.children = [nodes.Text(raw.astext().replace(PLACE, time))]
            break


def list_pages_to_renew(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the name of the front page, so that Sphinx always updates its total reading time."""
    return [app.config.root_doc]


def setup(app: Sphinx) -> None:
    app.add_role("minutes", Minutes())
    app.connect("doctree-read", store_counts, priority=850)  # after _ext.folds
    app.connect("env-updated", list_pages_to_renew)
    app.connect("doctree-resolved", write_minutes)
