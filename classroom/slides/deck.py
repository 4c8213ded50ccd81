"""Cut a chapter's page into slides, with one column of slides for each section.

A slide shows one picture, explorer, prediction, formula or table, or a short program with its
output. The chapter's sentences become the speaker's notes. Folded cards are left out, because they
are not part of a lecture.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bs4 import BeautifulSoup, Tag

LEFT_OUT_SECTIONS = ("exercises", "further-reading")
# a program or output with more lines would be too small to read in the last row
MOST_LINES = 18
TEXT_ELEMENTS = ("p", "ul", "ol", "details")


@dataclass
class Slide:
    """A slide in a lecture.

    `title`, `body` and `choices` are HTML, and `notes` are the paragraphs that the speaker says. If
    the title is the caption of a picture, `section` is the heading of the section.
    """

    title: str
    body: str
    kind: str
    notes: list[str] = field(default_factory=list)
    choices: list[str] = field(default_factory=list)
    section: str = ""


@dataclass
class Deck:
    """A chapter's slides, in columns, and the scripts that the explorers on them need."""

    title: str
    columns: list[list[Slide]]
    scripts: list[str]


def make_deck(page: str) -> Deck:
    """Return the slides for a chapter's built page, or raise ValueError for any other page."""
    soup = BeautifulSoup(page, "html.parser")
    article = soup.select_one(".om-article > section")
    if article is None:
        raise ValueError("the page has no `.om-article > section`, so it is not a chapter's page")
    for link in article.select("a.headerlink, a.om-link, noscript, .om-elsewhere, .om-fold"):
        link.decompose()
    for link in article.select("a[href]"):
        link.name = "span"
        del link["href"]
    title = heading_html(article.find("h1"))
    sections = [
        section
        for section in article.find_all("section", recursive=False)
        if section["id"] not in LEFT_OUT_SECTIONS
    ]
    before = [c for c in article.find_all(recursive=False) if c.name not in ("h1", "section")]
    goal = next((part for part in before if part.name == "p"), None)
    first = Slide(title, str(goal or ""), "title")
    columns = [make_opening(first, [part for part in before if part is not goal])]
    columns += [column for section in sections if (column := cut_section(section))]
    scripts = soup.select("script[src$='explorers/shared.js'], script[src$='loader.js']")
    return Deck(title, columns, [str(script["src"]) for script in scripts])


def make_opening(first: Slide, parts: list[Tag]) -> list[Slide]:
    """Return the slides before a page's first section. The first of them shows the title.

    The page opens with its explorer, so the sentences about the explorer follow it. They become
    notes of the explorer's slide. What a reader needs to know before becomes a note of the title.
    """
    for part in parts:
        if "om-before" in part.get_attribute_list("class") and (needs := part.find("p")):
            first.notes.append(str(needs))
    parts = [part for part in parts if "om-before" not in part.get_attribute_list("class")]
    notes: list[str] = []
    slides = [first, *make_slides(parts, first.title, notes)]
    slides[-1].notes += notes
    return slides


def cut_section(section: Tag) -> list[Slide]:
    """Return the slides for one section of a page.

    A section that has nothing to show gets one slide with its heading and its first paragraph.
    """
    title = heading_html(section.find(["h2", "h3"]))
    notes: list[str] = []
    slides = list(make_slides(list(blocks(section)), title, notes))
    if not slides:
        return [Slide(title, str(section.find("p") or ""), "points", notes)] if notes else []
    slides[-1].notes += notes
    for slide in slides:
        slide.section = title if slide.kind == "figure" else ""
    return slides


def blocks(section: Tag) -> Iterator[Tag]:
    """Yield all HTML elements of a section, with those inside subsections and predictions."""
    for child in section.find_all(recursive=False):
        if child.name == "section":
            yield from blocks(child)
        elif "om-veil" in child.get_attribute_list("class"):
            yield from blocks(child.find("div") or child)
        elif child.name != "h2":
            yield child


def make_slides(parts: list[Tag], title: str, notes: list[str]) -> Iterator[Slide]:
    """Divide HTML elements into parts that fit on a slide, and yield a slide for each part.

    Sentences go into the notes of the next slide. Sentences after the last slide stay in `notes`.
    """
    for part in parts:
        if part.name == "h3":
            title = heading_html(part)
        elif slide := make_slide(part, title):
            slide.notes = [*notes]
            notes.clear()
            yield slide
        elif part.name in TEXT_ELEMENTS and "om-run" not in part.get_attribute_list("class"):
            notes.append(str(part))


def make_slide(part: Tag, title: str) -> Slide | None:
    """Return a slide that shows an HTML element, or None if slides do not show such elements."""
    classes = part.get_attribute_list("class")
    if "om-predict" in classes:
        return _prediction_slide(part, title)
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
        return _figure_slide(figure, title)
    lines = sum(len(pre.get_text().splitlines()) for pre in part.select("pre"))
    if "tag_hide-input" in classes or lines > MOST_LINES:
        return None
    return Slide(title, str(part), "code")


def _prediction_slide(part: Tag, title: str) -> Slide:
    """Return the slide for a prediction, with its question and the possible answers."""
    question, choices = part.find_previous_sibling("blockquote"), part.select("li")
    body = question.decode_contents() if isinstance(question, Tag) else ""
    body += "" if choices else f"<p>{part.get_text(' ', strip=True)}</p>"
    return Slide(title, body, "predict", [], [choice.decode_contents() for choice in choices])


def _figure_slide(figure: Tag, title: str) -> Slide:
    """Return the slide for a figure, whose title is the figure's caption without its number."""
    caption = figure.find("figcaption")
    if isinstance(caption, Tag):
        if number := caption.find(["a", "span"]):
            number.extract()
        title = caption.extract().decode_contents().strip() or title
    return Slide(title, str(figure), "figure")


def heading_html(heading: object) -> str:
    """Return the HTML inside a heading, or '' if the page has no such heading."""
    return heading.decode_contents().strip() if isinstance(heading, Tag) else ""
