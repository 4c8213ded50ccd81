"""Formulas and figures: a number beside each, and "(5.1)" or "figure 4.2" in the text a link."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

from _ext.lookups.text import prose, reference, replace

PUNCTUATION = re.compile(r"[.,;:!?)”]+")

_TAG = re.compile(r"\s*\\tag\{(\d+\.\d+)\}")
_UNSEEN = re.compile(r"\\(begin|end)\{\w+\}|\\[a-zA-Z]+|[{}&\\^_\s]")  # of a formula's source
_FIGURE = re.compile(r'<figure class="om-figure" id="figure-([\w-]+)"')
# of a formula or of a figure
_NUMBER = re.compile(r"\(([1-9]\d?\.[1-9]\d?)\)|\b(?i:figure) ((?:\d+|[A-Z])\.\d+)")


def take_down(app: Sphinx, doctree: nodes.document) -> None:
    """Where each numbered formula and figure stands; a formula's number leaves the formula."""
    page = app.env.docname
    for formula in list(doctree.findall(nodes.math_block)):
        if found := _TAG.search(formula.astext()):
            text = _TAG.sub("", formula.astext())
            formula.children = [nodes.Text(text)]
            formula.rawsource = text
            note(app.env, found[1], page, f"equation-{found[1].replace('.', '-')}")
            set_apart(formula, found[1])
    for raw in doctree.findall(nodes.raw):
        for name in _FIGURE.findall(raw.astext()):
            note(app.env, f"figure {name.replace('-', '.').upper()}", page, f"figure-{name}")
    for formula in list(doctree.findall(nodes.math)):
        keep_together(formula)


def set_apart(formula: nodes.math_block, number: str) -> None:
    """Formula and number side by side: the formula may scroll, the number stays."""
    name = f"equation-{number.replace('.', '-')}"
    box = nodes.container(ids=[name], classes=["om-equation"])
    formula.replace_self(box)
    said = "Link to formula"
    link = f'<a href="#{name}" aria-label="{said} ({number})">({number})</a>'
    box += [formula, nodes.raw("", link, format="html")]


def keep_together(formula: nodes.math) -> None:
    """No line begins with the full stop after a short formula."""
    after = formula.next_node(descend=False, siblings=True)
    found = PUNCTUATION.match(after.astext()) if isinstance(after, nodes.Text) else None
    if found and len(_UNSEEN.sub("", formula.astext())) < 12:
        box = nodes.inline(classes=["om-nobr"])
        after.parent.replace(after, nodes.Text(after.astext()[found.end() :]))
        formula.replace_self(box)
        box += [formula, nodes.Text(found[0])]


def note(env: BuildEnvironment, number: str, page: str, name: str) -> None:
    known = numbered(env)
    if number in known:
        raise ExtensionError(f"two have the number {number}: {known[number][0]} and {page}")
    env.metadata[page].setdefault("om_numbers", {})[number] = name


def numbered(env: BuildEnvironment) -> dict[str, tuple[str, str]]:
    """Page and id of each formula ("5.1") and each figure ("figure 5.1")."""
    return {
        number: (page, name)
        for page, about in env.metadata.items()
        for number, name in about.get("om_numbers", {}).items()
    }


def link_numbers(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    known = numbered(app.env)
    chapters = {number.split(".")[0] for number in known}

    def new(match: re.Match[str]) -> nodes.Node | None:
        number = match[1] or f"figure {match[2]}"
        if number not in known:
            if number.split(".")[0] in chapters:
                raise ExtensionError(f"{docname}: nothing has the number {match[0]}")
            return None
        made = reference(app, docname, *known[number], match[0])
        if match[1]:
            made["classes"] = ["om-formula"]
        return made

    for text in prose(doctree):
        replace(text, _NUMBER, new)
