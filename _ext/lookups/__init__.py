"""Link each number of a formula or figure, each term and each source to its explanation.

A numbered formula gets an id, and its number becomes a link to the formula. In the text, "(5.1)"
and "figure 4.2" become links, and so does the first use of a term in a chapter. Citations are links
already. Each term and citation gets a card that shows the content of the linked place.
"""

import hashlib

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from _ext.chapters import belongs_to_chapter
from _ext.lookups.numbers import collect_numbers, link_numbers, store_numbers
from _ext.lookups.terms import BIBLIOGRAPHY, GLOSSARY, add_cards, link_terms, load_entries


def list_outdated_pages(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return all pages if a number, heading or entry has changed, as any page may link to it."""
    texts = [str(sorted(collect_numbers(env).items()))]
    texts += [env.tocs[page].pformat() for page in sorted(env.tocs)]
    for page in (BIBLIOGRAPHY, GLOSSARY):
        for name, entry in load_entries(app, page).items():
            texts += [name, *entry.forms, *(node.pformat() for node in entry.card)]
    digest = hashlib.blake2b("\n".join(texts).encode()).hexdigest()
    last_digest = getattr(env, "om_shown", "")
    env.om_shown = digest  # type: ignore[attr-defined]  # Sphinx keeps it between builds
    return [] if digest == last_digest else sorted(env.found_docs)


def link_page(app: Sphinx, doctree: nodes.document, page_name: str) -> None:
    """Link a page's formula numbers, figure numbers and terms, and add the cards for the page."""
    link_numbers(app, doctree, page_name)
    entries = {**load_entries(app, BIBLIOGRAPHY), **load_entries(app, GLOSSARY)}
    # Terms are linked in chapters only, since a word like "kernel" may mean something else
    # elsewhere.
    if belongs_to_chapter(page_name):
        link_terms(app, doctree, page_name, entries)
    add_cards(app, doctree, page_name, entries)


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", store_numbers)
    app.connect("env-updated", list_outdated_pages)
    app.connect("doctree-resolved", link_page)
