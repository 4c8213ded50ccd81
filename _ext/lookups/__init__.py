"""What a reader may look up, beside the place where it is needed.

A formula with a number gets an id, and its number beside it as a link. In the text "(5.1)" and
"figure 4.2" become links; the first use of a term in a chapter, a link to the glossary. A citation
is a link already. Terms and citations get a card each with what stands at the end of the link.
"""

import hashlib
import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from _ext.lookups.numbers import link_numbers, numbered, take_down
from _ext.lookups.terms import BIBLIOGRAPHY, GLOSSARY, add_cards, link_terms, looked_up

_CHAPTER = re.compile(r"chapters/\d\d-")  # elsewhere a kernel may be Jupyter's


def everything(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """All pages, if what they look up in others is not what it was: numbers, entries, sections."""
    shown = [str(sorted(numbered(env).items()))]
    shown += [env.tocs[page].pformat() for page in sorted(env.tocs)]
    for page in (BIBLIOGRAPHY, GLOSSARY):
        for name, found in looked_up(app, page).items():
            shown += [name, *found.forms, *(node.pformat() for node in found.card)]
    now = hashlib.blake2b("\n".join(shown).encode()).hexdigest()
    before, env.om_shown = getattr(env, "om_shown", ""), now  # type: ignore[attr-defined]
    return [] if now == before else sorted(env.found_docs)


def link(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    link_numbers(app, doctree, docname)
    entries = {**looked_up(app, BIBLIOGRAPHY), **looked_up(app, GLOSSARY)}
    if _CHAPTER.match(docname):
        link_terms(app, doctree, docname, entries)
    add_cards(app, doctree, docname, entries)


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", take_down)
    app.connect("env-updated", everything)
    app.connect("doctree-resolved", link)
