"""What a reader may look up, beside the place where it is needed.

A formula's number in the text becomes a link to the formula; the first use of a term on a page, a
link to the glossary. A citation is a link already. Terms and citations get a card each, with what
stands at the end of the link; assets/cards.js shows it, and without it a screen reader reads it.
"""

import os
import re
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass

from bs4 import NavigableString, PageElement, Tag
from sphinx.errors import ExtensionError

from _ext.anchors import formula, identity
from _ext.page import Page

BIBLIOGRAPHY, GLOSSARY = "appendix-bibliography.html", "appendix-notation.html"
TERM = "term-"  # how the ids of the glossary begin

_NUMBER = re.compile(r"\(([1-9]\d?\.[1-9]\d?)\)")
_CHAPTER = re.compile(r"\d\d-")  # elsewhere a kernel may be Jupyter's and a score a class's
_NO_PROSE = "a, code, h1, h2, h3, h4, h5, h6, pre, summary, svg, th, .cell, .math, .om-quiz"

_New = Callable[[re.Match[str]], Tag | None]


@dataclass
class Entry:
    """What can be looked up: where it stands, what its card says, how a text may call it."""

    page: Page
    card: str
    forms: list[str]


def link(pages: list[Page]) -> None:
    formulas = numbered(pages)
    entries = {**looked_up(pages, BIBLIOGRAPHY), **looked_up(pages, GLOSSARY)}
    for page in pages:
        if page.is_search:
            continue
        link_formulas(page, formulas)
        if _CHAPTER.match(page.source.name):
            link_terms(page, {name: e for name, e in entries.items() if name.startswith(TERM)})
        add_cards(page, entries)


def numbered(pages: list[Page]) -> dict[str, Page]:
    """The page of each numbered formula."""
    found: dict[str, Page] = {}
    for page in pages:
        for box in page.soup.select("article div.math"):
            if number := formula(box):
                if number in found:
                    raise ExtensionError(f"two formulas have the number ({number})")
                found[number] = page
    return found


def looked_up(pages: list[Page], name: str) -> dict[str, Entry]:
    """The entries of the bibliography or of the glossary, by id."""
    page = next((page for page in pages if page.source.name == name), None)
    if page is None:
        raise ExtensionError(f"{name} is missing: chapters link to it")
    return {str(item["id"]): entry(page, item) for item in page.soup.select("article li[id]")}


def entry(page: Page, item: Tag) -> Entry:
    """In the glossary the forms of a term stand in bold and in italics before the colon."""
    text = copy(item.select_one("p") or item)
    for tag in text.select("a"):
        tag.unwrap()
    forms: list[str] = []
    if str(item["id"]).startswith(TERM):
        for child in list(text.children):
            if ":" in child.get_text():
                break
            if isinstance(child, Tag) and child.name in ("strong", "em"):
                forms.append(child.get_text())
            if len(forms) > 1 or not isinstance(child, Tag):
                child.extract()  # the card says the first form only
        if not forms:
            raise ExtensionError(f"the glossary's entry {item['id']} does not begin with its term")
    return Entry(page, text.decode_contents().strip(), forms)


def prose(article: Tag) -> Iterator[NavigableString]:
    """The pieces of running text in `article`."""
    other = {id(tag) for tag in article.select(_NO_PROSE)}
    tags: list[PageElement] = [article]
    while tags:
        tag = tags.pop()
        if isinstance(tag, Tag) and id(tag) not in other:
            tags += reversed(list(tag.children))
        elif type(tag) is NavigableString:
            yield tag


def replace(text: NavigableString, pattern: re.Pattern[str], new: _New) -> None:
    """Put in place of each match what `new` makes of it, unless that is None."""
    pieces: list[str | Tag] = []
    end = 0
    for match in pattern.finditer(text):
        if (tag := new(match)) is not None:
            pieces += [str(text)[end : match.start()], tag]
            end = match.end()
    if pieces:
        text.replace_with(*[piece for piece in [*pieces, str(text)[end:]] if piece])


def address(page: Page, target: Page, name: str) -> str:
    if page is target:
        return f"#{name}"
    return f"{os.path.relpath(target.source, page.source.parent)}#{name}".replace(os.sep, "/")


def link_formulas(page: Page, formulas: dict[str, Page]) -> None:
    chapters = {number.split(".")[0] for number in formulas}

    def new(match: re.Match[str]) -> Tag | None:
        number = match[1]
        if number not in formulas:
            if number.split(".")[0] in chapters:
                raise ExtensionError(f"{page.source.name}: no formula has the number ({number})")
            return None
        place = address(page, formulas[number], identity(number))
        return page.new("a", href=place, string=match[0], **{"class": "om-formula"})

    for text in prose(page.one("article")):
        replace(text, _NUMBER, new)


def link_terms(page: Page, terms: dict[str, Entry]) -> None:
    """Link the first use of each term, unless the author has done it."""
    article = page.one("article")
    written = {str(a["href"]).split("#")[-1] for a in article.select("a[href*='#']")}
    forms = {form.lower(): name for name, e in terms.items() for form in e.forms}
    left = set(terms) - written
    longest = sorted(forms, key=len, reverse=True)  # "causal mask" before "mask"
    words = "|".join(map(re.escape, longest))
    pattern = re.compile(rf"(?<![\w-])({words})(?:s|es)?(?![\w-])", re.IGNORECASE)

    def new(match: re.Match[str]) -> Tag | None:
        name = forms[match[1].lower()]
        if name not in left:
            return None
        left.remove(name)
        return page.new("a", href=address(page, terms[name].page, name), string=match[0])

    for text in prose(article):
        replace(text, pattern, new)


def add_cards(page: Page, entries: dict[str, Entry]) -> None:
    """Tie each link to its card. Popovers are drawn above all, so that nothing cuts them off."""
    article = page.one("article")
    added: set[str] = set()
    for a in article.select(f"a[href*='{BIBLIOGRAPHY}#'], a[href*='{GLOSSARY}#{TERM}']"):
        name = str(a["href"]).split("#")[-1]
        if name not in entries:
            raise ExtensionError(f"{page.source.name} links to {a['href']}, which is not there")
        a["class"] = "om-term" if name.startswith(TERM) else "om-cite"
        a["aria-describedby"] = f"card-{name}"
        if name not in added:
            added.add(name)
            card = page.new("div", id=f"card-{name}", role="tooltip", popover="manual")
            card["class"] = "om-card"
            card.append(page.parsed(entries[name].card))
            article.append(card)
