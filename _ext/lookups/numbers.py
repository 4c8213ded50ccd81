"""Number formulas and figures, and turn "(5.1)" and "figure 4.2" in texts into links."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

from _ext.lookups.text import iterate_prose, make_reference, replace_matches

PUNCTUATION = re.compile(r"[.,;:!?)”]+")

_TAG = re.compile(r"\s*\\tag\{(\d+\.D?\d+)\}")
# Matches the parts of a formula's TeX that readers do not see, so that they do not count as its
# length.
_INVISIBLE = re.compile(r"\\(begin|end)\{\w+\}|\\[a-zA-Z]+|[{}&\\^_\s]")
_FIGURE = re.compile(r'<figure class="om-figure" id="figure-([\w-]+)"')
_NUMBER = re.compile(r"\(([1-9]\d?\.D?[1-9]\d?)\)|\b(?i:figure) ((?:\d+|[A-Z])\.D?\d+)")


def store_numbers(app: Sphinx, doctree: nodes.document) -> None:
    """Record where each numbered formula and figure is, and show the numbers of formulas."""
    page = app.env.docname
    for formula in list(doctree.findall(nodes.math_block)):
        if tag := _TAG.search(formula.astext()):
            text = _TAG.sub("", formula.astext())
            formula.children = [nodes.Text(text)]
            formula.rawsource = text
            _store_number(app.env, tag[1], page, _equation_id(tag[1]))
            _box_with_number(formula, tag[1])
    for raw in doctree.findall(nodes.raw):
        for name in _FIGURE.findall(raw.astext()):
            number = f"figure {name.replace('-', '.').upper()}"
            _store_number(app.env, number, page, f"figure-{name}")
    for formula in list(doctree.findall(nodes.math)):
        _keep_with_punctuation(formula)


def _equation_id(number: str) -> str:
    return f"equation-{number.replace('.', '-')}"


def _box_with_number(formula: nodes.math_block, number: str) -> None:
    """Put a formula next to its number, so that only the formula scrolls if it is too wide."""
    name = _equation_id(number)
    box = nodes.container(ids=[name], classes=["om-equation"])
    formula.replace_self(box)
    label = f"Link to formula ({number})"
    link = f'<a href="#{name}" aria-label="{label}">({number})</a>'
    box += [formula, nodes.raw("", link, format="html")]


def _keep_with_punctuation(formula: nodes.math) -> None:
    """Prevent a line break between a short formula and the punctuation after it."""
    after = formula.next_node(descend=False, siblings=True)
    mark = PUNCTUATION.match(after.astext()) if isinstance(after, nodes.Text) else None
    if mark and len(_INVISIBLE.sub("", formula.astext())) < 12:
        box = nodes.inline(classes=["om-nobr"])
        after.parent.replace(after, nodes.Text(after.astext()[mark.end() :]))
        formula.replace_self(box)
        box += [formula, nodes.Text(mark[0])]


def _store_number(env: BuildEnvironment, number: str, page: str, name: str) -> None:
    pages = collect_numbers(env)
    if number in pages:
        raise ExtensionError(f"two have the number {number}: {pages[number][0]} and {page}")
    env.metadata[page].setdefault("om_numbers", {})[number] = name


def collect_numbers(env: BuildEnvironment) -> dict[str, tuple[str, str]]:
    """Return where each number, such as "5.1" or "figure 5.1", leads: to a page and an id."""
    return {
        number: (page, name)
        for page, metadata in env.metadata.items()
        for number, name in metadata.get("om_numbers", {}).items()
    }


def link_numbers(app: Sphinx, doctree: nodes.document, page_name: str) -> None:
    """Link the numbers of formulas and figures, and raise an ExtensionError for unknown numbers."""
    places = collect_numbers(app.env)
    chapters = {number.split(".")[0] for number in places}

    def make_link(match: re.Match[str]) -> nodes.Node | None:
        number = match[1] or f"figure {match[2]}"
        if number not in places:
            if number.split(".")[0] in chapters:
                raise ExtensionError(f"{page_name}: nothing has the number {match[0]}")
            return None
        link = make_reference(app, page_name, *places[number], match[0])
        if match[1]:
            link["classes"] = ["om-formula"]
        return link

    for text in iterate_prose(doctree):
        replace_matches(text, _NUMBER, make_link)
