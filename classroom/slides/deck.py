"""A chapter's page cut into slides: a section is a column, and what it shows are its slides.

A slide holds one thing to look at: a picture, an explorer, a prediction, a formula, a table, or a
short program with what it prints. What the chapter says in sentences are the speaker's notes. What
lies in cards, to be opened by who wants it, is no part of a lecture.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bs4 import BeautifulSoup, Tag

ENDS = ("exercises", "further-reading")  # of a page, and of no lecture
LONGEST = 18  # lines of a program, with what it prints, that can be read from the last row
SENTENCES = ("p", "ul", "ol", "details")


@dataclass
class Slide:
    """`title`, `body` and `choices` are HTML; `notes` are what to say, paragraph by paragraph."""

    title: str
    body: str
    kind: str
    notes: list[str] = field(default_factory=list)
    choices: list[str] = field(default_factory=list)
    section: str = ""  # where the title is a picture's message


@dataclass
class Deck:
    """A chapter's slides, column by column, and the scripts that its explorers want."""

    title: str
    columns: list[list[Slide]]
    scripts: list[str]


def deck(page: str) -> Deck:
    """The slides of a built chapter."""
    soup = BeautifulSoup(page, "html.parser")
    article = soup.select_one(".om-article > section")
    if article is None:
        raise ValueError("this is no page of a chapter")
    for link in article.select("a.headerlink, a.om-link, noscript, .om-elsewhere, .om-fold"):
        link.decompose()
    for link in article.select("a[href]"):
        link.name = "span"
        del link["href"]
    title = said(article.find("h1"))
    sections = [s for s in article.find_all("section", recursive=False) if s["id"] not in ENDS]
    before = [c for c in article.find_all(recursive=False) if c.name not in ("h1", "section")]
    goal = next((part for part in before if part.name == "p"), None)
    head = Slide(title, str(goal or ""), "title")
    columns = [[head, *shown([c for c in before if c is not goal], title, head.notes)]]
    columns += [column for section in sections if (column := cut(section))]
    wanted = soup.select("head script[src*=explorers], script[src$='loader.js']")
    return Deck(title, columns, [str(script["src"]) for script in wanted])


def cut(section: Tag) -> list[Slide]:
    """A section's slides; its heading and first sentence where it shows nothing."""
    title = said(section.find(["h2", "h3"]))
    notes: list[str] = []
    slides = list(shown(list(blocks(section)), title, notes))
    if not slides:
        return [Slide(title, str(section.find("p") or ""), "points", notes)] if notes else []
    slides[-1].notes += notes
    for one in slides:
        one.section = title if one.kind == "figure" else ""
    return slides


def blocks(section: Tag) -> Iterator[Tag]:
    """What a section holds, in order, with its own sections and what waits for a guess."""
    for child in section.find_all(recursive=False):
        if child.name == "section":
            yield from blocks(child)
        elif "om-veil" in child.get_attribute_list("class"):
            yield from blocks(child.find("div") or child)
        elif child.name != "h2":
            yield child


def shown(parts: list[Tag], title: str, notes: list[str]) -> Iterator[Slide]:
    """A slide for each part that can be looked at; sentences go into the notes of the next."""
    for part in parts:
        if part.name == "h3":
            title = said(part)
        elif found := slide(part, title):
            found.notes = [*notes]
            notes.clear()
            yield found
        elif part.name in SENTENCES and "om-run" not in part.get_attribute_list("class"):
            notes.append(str(part))


def slide(part: Tag, title: str) -> Slide | None:
    classes = part.get_attribute_list("class")
    if "om-predict" in classes:
        question, choices = part.find_previous_sibling("blockquote"), part.select("li")
        asked = question.decode_contents() if isinstance(question, Tag) else ""
        asked += "" if choices else f"<p>{part.get_text(' ', strip=True)}</p>"
        return Slide(title, asked, "predict", [], [one.decode_contents() for one in choices])
    if answer := part.select_one(".om-predicted") or ("om-predicted" in classes and part):
        return Slide(title, answer.get_text().strip(), "answer")
    if "om-equation" in classes or "om-table" in classes:
        return Slide(title, str(part), "show")
    if "cell" not in classes:
        return None
    if explorer := part.select_one(".om-explorer"):
        explorer["data-prevent-swipe"] = ""
        return Slide(title, str(explorer), "explorer")
    if figure := part.select_one("figure"):
        caption = figure.find("figcaption")
        if isinstance(caption, Tag):
            if number := caption.find(["a", "span"]):
                number.extract()
            title = caption.extract().decode_contents().strip() or title
        return Slide(title, str(figure), "figure")
    lines = sum(len(pre.get_text().splitlines()) for pre in part.select("pre"))
    if "tag_hide-input" in classes or lines > LONGEST:
        return None
    return Slide(title, str(part), "code")


def said(heading: object) -> str:
    return heading.decode_contents().strip() if isinstance(heading, Tag) else ""
