"""Sections that wait behind their title, and the minutes that a page takes.

A section whose title begins with "Aside: ", two that close a chapter, and all exercises but the
first are cards of one line that open in place. On paper, in notebooks and without JavaScript they
are open. The minutes are those of what stands open, from what there is to read, to look at and to
do; nobody types them.
"""

import re
from collections import Counter

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxRole

from _ext.plaintext import plain

ASIDE = "Aside: "
FOLDED = {"What people get wrong", "In practice"}
EXERCISES = "Exercises"
NEEDS = "You need "  # begins what a page says of itself, below its first paragraph
CHAPTER = re.compile(r"chapters/\d\d-")

# What each takes a careful reader, in minutes: least squares over the twelve chapters of the second
# edition, drawn a little towards first guesses, and rounded. The chapters: tests/site/test_folds.py
MINUTES = {
    "words": 1 / 150,
    "formulas": 0.3,
    "lines of code": 1 / 30,
    "figures": 0.2,
    "explorers": 0.5,
    "predictions": 2.5,
    "exercises": 1.5,
}
_LEVEL = re.compile(r'<p class="om-level">(.*?)</p>')
_MARKS = {"om-figure": "figures", "om-explorer": "explorers", "om-predict": "predictions"}


def is_folded(section: nodes.section) -> bool:
    """Whether it waits behind its title."""
    title, above = _title(section), section.parent
    return (
        title.startswith(ASIDE)
        or title in FOLDED
        or (
            _title(above) == EXERCISES
            and above.first_child_matching_class(nodes.section) != above.index(section)
        )
    )


def _title(node: nodes.Node) -> str:
    return plain(node[0]) if isinstance(node, nodes.section) and len(node) else ""


def counts(node: nodes.Element) -> Counter[str]:
    """How much of each stands open in a node: no answers, no code that draws, no folded section."""
    found: Counter[str] = Counter()
    shut = 0  # how many answers, <details> in the text, are open around it
    for child in node.children:
        if isinstance(child, nodes.raw):
            text = child.astext()
            shut += text.count("<details") - text.count("</details>")
            for mark, name in _MARKS.items():
                found[name] += len(re.findall(rf'class="{mark}[ "]', text))
            found["exercises"] += text.count('class="om-quiz"')
        elif shut or isinstance(child, nodes.comment):
            continue
        elif child.get("hide_mode"):  # a cell whose code waits behind a line
            for part in child.children:
                if part["nb_element"] != "cell_code_source":
                    found += counts(part)
        elif isinstance(child, nodes.literal_block):
            found["lines of code"] += child.astext().count("\n") + 1
        elif isinstance(child, nodes.math_block):
            found["formulas"] += 1
        elif isinstance(child, nodes.TextElement):
            found["words"] += len(plain(child).split())
        elif isinstance(child, nodes.Element) and "fold" not in child:
            found += counts(child)
    return found


def minutes(held: Counter[str]) -> float:
    """How long a careful reader needs for what a page or a section holds."""
    return sum(many * MINUTES[name] for name, many in held.items())


def in_words(held: Counter[str]) -> str:
    """As it is said: single minutes up to ten, then steps of five.

    >>> [in_words(Counter(words=150 * time)) for time in (0.4, 7.6, 11, 38)]
    ['1 minute', '8 minutes', '10 minutes', '40 minutes']
    """
    time = minutes(held)
    time = max(1, round(time)) if time < 10 else 5 * round(time / 5)
    return f"{time} minute{'s' * (time > 1)}"


def read(app: Sphinx, document: nodes.document) -> None:
    """Fold the page's sections and keep how long the rest takes."""
    name = app.env.docname
    sections = list(document.findall(nodes.section))
    if CHAPTER.match(name) or any(_title(s).startswith(ASIDE) for s in sections):
        for section in reversed(sections):  # inner ones first: their time is not the outer one's
            if is_folded(section):
                section["fold"] = _note(section)
                section["classes"].append("om-folding")
    app.env.metadata[name]["om_open"] = counts(document)


def _note(section: nodes.section) -> str:
    """What is said beside the title: how long it takes, or how hard a question is."""
    for raw in section.findall(nodes.raw):
        if found := _LEVEL.fullmatch(raw.astext().strip()):
            raw.parent.remove(raw)
            return found[1]
    return in_words(counts(section))


# --- What is said of it ---


class Minutes(SphinxRole):
    """{minutes}`chapters/02-the-formula`: how long a page takes; {minutes}`all`: all chapters."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        return [nodes.inline("", "", minutes=self.text)], []


def hours(env: BuildEnvironment) -> str:
    """All chapters one after the other, to half an hour."""
    chapters = [about["om_open"] for name, about in env.metadata.items() if CHAPTER.match(name)]
    halves = round(sum(map(minutes, chapters)) / 30)
    return f"{halves // 2}{' and a half' * (halves % 2)} hours"


def say(app: Sphinx, document: nodes.document, name: str) -> None:
    """Put the numbers in, now that all pages were read."""
    about = app.env.metadata
    for place in document.findall(nodes.inline):
        if page := place.get("minutes"):
            time = hours(app.env) if page == "all" else in_words(about[page]["om_open"])
            place += nodes.Text(time)
    for line in document.findall(nodes.emphasis):
        if line.astext().startswith(NEEDS):
            line.insert(0, nodes.Text(f"About {in_words(about[name]['om_open'])}. "))
            break


def said_on(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """The front page names every chapter's minutes."""
    return [app.config.root_doc]


def setup(app: Sphinx) -> None:
    app.add_role("minutes", Minutes())
    app.connect("doctree-read", read, priority=800)  # after what changes a page as it is read
    app.connect("env-updated", said_on)
    app.connect("doctree-resolved", say)
