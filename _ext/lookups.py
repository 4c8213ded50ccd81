"""What a reader may look up, beside the place where it is needed.

A formula with a number gets an id, and its number beside it as a link. In the text "(5.1)" and
"figure 4.2" become links; the first use of a term in a chapter, a link to the glossary. A citation
is a link already. Terms and citations get a card each with what stands at the end of the link;
assets/cards.js shows it, and without it a screen reader reads it.
"""

import hashlib
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

from _ext.publish import stem

BIBLIOGRAPHY, GLOSSARY = "chapters/appendix-bibliography", "chapters/appendix-notation"
TERM = "term-"  # how the ids of the glossary begin
PUNCTUATION = re.compile(r"[.,;:!?)”]+")

_TAG = re.compile(r"\s*\\tag\{(\d+\.\d+)\}")
_UNSEEN = re.compile(r"\\(begin|end)\{\w+\}|\\[a-zA-Z]+|[{}&\\^_\s]")  # of a formula's source
_FIGURE = re.compile(r'<figure class="om-figure" id="figure-([\w-]+)"')
# of a formula or of a figure
_NUMBER = re.compile(r"\(([1-9]\d?\.[1-9]\d?)\)|\b(?i:figure) ((?:\d+|[A-Z])\.\d+)")
_CHAPTER = re.compile(r"chapters/\d\d-")  # elsewhere a kernel may be Jupyter's
_NO_PROSE = (
    nodes.reference, nodes.literal, nodes.title, nodes.FixedTextElement, nodes.math,
    nodes.math_block, nodes.raw, nodes.thead,
)  # fmt: skip

_New = Callable[[re.Match[str]], nodes.Node | None]


@dataclass
class Entry:
    """What can be looked up: its page, what its card says, how a text may call it."""

    page: str
    card: list[nodes.Node]
    forms: list[str]


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
    known = numbers(env)
    if number in known:
        raise ExtensionError(f"two have the number {number}: {known[number][0]} and {page}")
    known[number] = page, name


def numbers(env: BuildEnvironment) -> dict[str, tuple[str, str]]:
    """Page and id of each formula ("5.1") and each figure ("figure 5.1")."""
    if not hasattr(env, "om_numbers"):
        env.om_numbers = {}  # type: ignore[attr-defined]
    return env.om_numbers  # type: ignore[attr-defined,no-any-return]


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    for number in [n for n, (page, name) in numbers(env).items() if page == docname]:
        del numbers(env)[number]


def everything(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """All pages, if what they look up in others is not what it was: numbers, entries, sections."""
    shown = [str(sorted(numbers(env).items()))]
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


def prose(doctree: nodes.document) -> Iterator[nodes.Text]:
    """The pieces of running text."""

    def is_prose(node: nodes.Node) -> bool:
        machinery = isinstance(node, nodes.container) and "cell" in node["classes"]
        return not (isinstance(node, _NO_PROSE) or machinery)

    def walk(node: nodes.Node) -> Iterator[nodes.Text]:
        if isinstance(node, nodes.Text):
            yield node
        elif is_prose(node):
            for child in list(node.children):
                yield from walk(child)

    return walk(doctree)


def replace(text: nodes.Text, pattern: re.Pattern[str], new: _New) -> None:
    """Put in place of each match what `new` makes of it, unless that is None."""
    pieces: list[nodes.Node] = []
    said, end = text.astext(), 0
    for match in pattern.finditer(said):
        if (node := new(match)) is not None:
            pieces += [nodes.Text(said[end : match.start()]), node]
            end = match.end()
    if pieces:
        pieces.append(nodes.Text(said[end:]))
        text.parent.replace(text, [piece for piece in pieces if piece.astext()])


def reference(app: Sphinx, here: str, page: str, name: str, text: str) -> nodes.reference:
    address = "" if page == here else app.builder.get_relative_uri(here, page)
    return nodes.reference("", text, internal=True, refuri=f"{address}#{name}")


def link_numbers(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    known = numbers(app.env)
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


def link_terms(app: Sphinx, doctree: nodes.document, here: str, entries: dict[str, Entry]) -> None:
    """Link the first use of each term, unless the author has done it."""
    terms = {name: e for name, e in entries.items() if name.startswith(TERM)}
    forms = {form.lower(): name for name, e in terms.items() for form in e.forms}
    written = {uri.split("#")[-1] for _, uri in links(doctree)}
    left = set(terms) - written
    longest = sorted(forms, key=len, reverse=True)  # "causal mask" before "mask"
    words = "|".join(map(re.escape, longest))
    pattern = re.compile(rf"(?<![\w-])({words})(?:s|es)?(?![\w-])", re.IGNORECASE)

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


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", take_down)
    app.connect("env-purge-doc", forget)
    app.connect("env-updated", everything)
    app.connect("doctree-resolved", link)
    # Sphinx keeps parsed pages; they are stale when this code changes
    version = zlib.crc32(Path(__file__).read_bytes())
    return {"env_version": version, "parallel_read_safe": False, "parallel_write_safe": True}
