"""Link terms to the glossary, and give each linked term or citation a card that shows its entry.

The script `cards.js` shows the cards to sighted readers. Screen readers can read them without it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.lookups.text import iterate_prose, make_reference, replace_matches
from _ext.publish import page_stem

BIBLIOGRAPHY, GLOSSARY = "chapters/appendix-bibliography", "chapters/appendix-notation"
TERM = "term-"  # in the glossary, every id begins with this prefix


@dataclass
class Entry:
    """An entry in the glossary or in the bibliography."""

    page: str
    card: list[nodes.Node]
    forms: list[str]  # all forms of a term; an entry of the bibliography has none


def load_entries(app: Sphinx, page: str) -> dict[str, Entry]:
    """Return the entries on a page, which is the glossary or the bibliography, by their ids."""
    if page not in app.env.found_docs:
        raise ExtensionError(f"{page} is missing: chapters link to it")
    entries: dict[str, dict[str, Entry]] = app.env.temp_data.setdefault("om_entries", {})
    if page not in entries:
        items = [item for item in app.env.get_doctree(page).findall(nodes.list_item) if item["ids"]]
        entries[page] = {item["ids"][0]: _read_entry(page, item) for item in items}
    return entries[page]


def _read_entry(page: str, item: nodes.list_item) -> Entry:
    """Read the glossary or bibliography entry in a list item.

    The forms of a term are the bold and italic words before the colon.
    """
    text = next(item.findall(nodes.paragraph)).deepcopy()
    for link in list(text.findall(lambda n: isinstance(n, nodes.reference | pending_xref))):
        link.replace_self(link.children)
    forms: list[str] = []
    if item["ids"][0].startswith(TERM):
        for child in list(text.children):
            if isinstance(child, nodes.Text) and ":" in child.astext():
                break
            if isinstance(child, nodes.strong | nodes.emphasis):
                forms.append(child.astext())
            if len(forms) > 1 or isinstance(child, nodes.Text):
                text.remove(child)  # the card shows the term only in its first form
        if not forms:
            raise ExtensionError(f"the glossary's entry {item['ids'][0]} begins with no term")
    return Entry(page, text.children, forms)


def link_terms(
    app: Sphinx, doctree: nodes.document, page_name: str, entries: dict[str, Entry]
) -> None:
    """Link the first use of each term on a page, unless the author has linked this term.

    The text may use any form of the term in the glossary, with or without a final s.
    """
    terms = {name: entry for name, entry in entries.items() if name.startswith(TERM)}
    names = {form.lower(): name for name, entry in terms.items() for form in entry.forms}
    linked_by_hand = {uri.split("#")[-1] for _, uri in _iterate_links(doctree)}
    unlinked = set(terms) - linked_by_hand
    # Try the longer forms first, so that "causal mask" is found before "mask".
    longest_first = sorted(names, key=len, reverse=True)
    forms = "|".join(map(re.escape, longest_first))
    pattern = re.compile(rf"(?<![\w-])({forms})s?(?![\w-])", re.IGNORECASE)

    def make_link(match: re.Match[str]) -> nodes.Node | None:
        name = names[match[1].lower()]
        if name not in unlinked:
            return None
        unlinked.remove(name)
        return make_reference(app, page_name, terms[name].page, name, match[0])

    for text in iterate_prose(doctree):
        replace_matches(text, pattern, make_link)


def _iterate_links(doctree: nodes.document) -> Iterator[tuple[nodes.reference, str]]:
    """Yield each link on a page that leads to a named place, with the address of this place."""
    for link in doctree.findall(nodes.reference):
        uri = link.get("refuri") or f"#{link.get('refid', '')}"
        if "#" in uri:
            yield link, uri


def add_cards(
    app: Sphinx, doctree: nodes.document, page_name: str, entries: dict[str, Entry]
) -> None:
    """Add a card for each linked term or source to a page, and connect the links to the cards.

    Cards are popovers, because browsers draw popovers above everything without cutting them off.
    """
    cards: dict[str, list[nodes.Node]] = {}
    for link, uri in _iterate_links(doctree):
        page, name = uri.rsplit("#", 1)
        target = page_stem(page.removesuffix(".html") or page_name)
        has_card = target == page_stem(BIBLIOGRAPHY) or (
            target == page_stem(GLOSSARY) and name.startswith(TERM)
        )
        if "://" in uri or not has_card:
            continue
        if name not in entries:
            raise ExtensionError(f"{page_name} links to {uri}, which does not exist")
        link["classes"] = ["om-term" if name.startswith(TERM) else "om-cite"]
        link["card"] = f"card-{name}"
        opening = f'<div id="card-{name}" class="om-card" role="tooltip" popover="manual">'
        cards[name] = [
            nodes.raw("", opening, format="html"),
            *(child.deepcopy() for child in entries[name].card),
            nodes.raw("", "</div>", format="html"),
        ]
    for card in cards.values():
        doctree += card
