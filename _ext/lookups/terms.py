"""Terms and citations: links to glossary and bibliography, each with a card of what is there.

`cards.js` shows the card; without it a screen reader reads it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.lookups.text import prose, reference, replace
from _ext.publish import stem

BIBLIOGRAPHY, GLOSSARY = "chapters/appendix-bibliography", "chapters/appendix-notation"
TERM = "term-"  # how the ids of the glossary begin


@dataclass
class Entry:
    """What can be looked up: its page, what its card says, how a text may call it."""

    page: str
    card: list[nodes.Node]
    forms: list[str]


def looked_up(app: Sphinx, page: str) -> dict[str, Entry]:
    """The entries of the bibliography or of the glossary, by id."""
    if page not in app.env.found_docs:
        raise ExtensionError(f"{page} is missing: chapters link to it")
    kept: dict[str, dict[str, Entry]] = app.env.temp_data.setdefault("om_entries", {})
    if page not in kept:
        items = [item for item in app.env.get_doctree(page).findall(nodes.list_item) if item["ids"]]
        kept[page] = {item["ids"][0]: entry(page, item) for item in items}
    return kept[page]


def entry(page: str, item: nodes.list_item) -> Entry:
    """In the glossary the forms of a term stand in bold and in italics before the colon."""
    text = next(item.findall(nodes.paragraph)).deepcopy()
    for tag in list(text.findall(lambda n: isinstance(n, nodes.reference | pending_xref))):
        tag.replace_self(tag.children)
    forms: list[str] = []
    if item["ids"][0].startswith(TERM):
        for child in list(text.children):
            if isinstance(child, nodes.Text) and ":" in child.astext():
                break
            if isinstance(child, nodes.strong | nodes.emphasis):
                forms.append(child.astext())
            if len(forms) > 1 or isinstance(child, nodes.Text):
                text.remove(child)  # the card says the first form only
        if not forms:
            raise ExtensionError(f"the glossary's entry {item['ids'][0]} begins with no term")
    return Entry(page, text.children, forms)


def link_terms(app: Sphinx, doctree: nodes.document, here: str, entries: dict[str, Entry]) -> None:
    """Link the first use of each term, unless the author has done it.

    The glossary lists the forms that a term takes; an s at the end is any form's.
    """
    terms = {name: e for name, e in entries.items() if name.startswith(TERM)}
    forms = {form.lower(): name for name, e in terms.items() for form in e.forms}
    written = {uri.split("#")[-1] for _, uri in links(doctree)}
    left = set(terms) - written
    longest = sorted(forms, key=len, reverse=True)  # "causal mask" before "mask"
    words = "|".join(map(re.escape, longest))
    pattern = re.compile(rf"(?<![\w-])({words})s?(?![\w-])", re.IGNORECASE)

    def new(match: re.Match[str]) -> nodes.Node | None:
        name = forms[match[1].lower()]
        if name not in left:
            return None
        left.remove(name)
        return reference(app, here, terms[name].page, name, match[0])

    for text in prose(doctree):
        replace(text, pattern, new)


def links(doctree: nodes.document) -> Iterator[tuple[nodes.reference, str]]:
    for node in doctree.findall(nodes.reference):
        uri = node.get("refuri") or f"#{node.get('refid', '')}"
        if "#" in uri:
            yield node, uri


def add_cards(
    app: Sphinx, doctree: nodes.document, docname: str, entries: dict[str, Entry]
) -> None:
    """Tie each link to its card. Popovers are drawn above all, so that nothing cuts them off."""
    cards: dict[str, list[nodes.Node]] = {}
    for node, uri in links(doctree):
        page, name = uri.rsplit("#", 1)
        target = stem(page.removesuffix(".html") or docname)
        looked_up = target == stem(BIBLIOGRAPHY) or (
            target == stem(GLOSSARY) and name.startswith(TERM)
        )
        if "://" in uri or not looked_up:
            continue
        if name not in entries:
            raise ExtensionError(f"{docname} links to {uri}, which is not there")
        node["classes"] = ["om-term" if name.startswith(TERM) else "om-cite"]
        node["card"] = f"card-{name}"
        opening = f'<div id="card-{name}" class="om-card" role="tooltip" popover="manual">'
        cards[name] = [
            nodes.raw("", opening, format="html"),
            *(child.deepcopy() for child in entries[name].card),
            nodes.raw("", "</div>", format="html"),
        ]
    for card in cards.values():
        doctree += card
