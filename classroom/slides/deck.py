"""A chapter's page cut into slides: a section is a column, and what it shows are its slides.

A slide holds one thing to look at: a picture, an explorer, a prediction, a formula, a table, or a
short program with what it prints. What the chapter says in sentences are the speaker's notes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from bs4 import BeautifulSoup, Tag

ENDS = ("exercises", "further-reading")  # of a page, and of no lecture
LONGEST = 18  # lines of a program, with what it prints, that can be read from the last row
LETTERS = "ABCDEFGH"
SENTENCES = ("p", "ul", "ol", "details")


@dataclass
class Slide:
    """`title` and `body` are HTML; `notes` are what to say, paragraph by paragraph."""

    title: str
    body: str
    kind: str
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Vote:
    """A prediction to vote on: the question with its choices, and what comes out, as HTML."""

    number: str
    asked: str
    answer: str


@dataclass
class Deck:
    """A chapter's slides, column by column, its votes, and the scripts that its explorers want."""

    title: str
    columns: list[list[Slide]]
    votes: list[Vote]
    scripts: list[str]


def deck(page: str) -> Deck:
    """The slides of a built chapter."""
    soup = BeautifulSoup(page, "html.parser")
    article = soup.select_one(".om-article > section")
    if article is None:
        raise ValueError("this is no page of a chapter")
    for link in article.select("a.headerlink, a.om-link, noscript, .om-elsewhere"):
        link.decompose()
    for link in article.select("a[href]"):
        link.name = "span"
        del link["href"]
    title = said(article.find("h1"))
    sections = [s for s in article.find_all("section", recursive=False) if s["id"] not in ENDS]
    columns = [opening(article, title)]
    columns += [column for section in sections if (column := cut(section))]
    wanted = soup.select("head script[src*=explorers], script[src$='loader.js']")
    return Deck(title, columns, votes(article), [str(script["src"]) for script in wanted])


def opening(article: Tag, title: str) -> list[Slide]:
    """The title, with what one can do after the chapter, and what comes before its sections."""
    first = article.find("p", recursive=False)
    goal = f"<p>{first.decode_contents()}</p>" if isinstance(first, Tag) else ""
    head = Slide(title, goal, "title")
    before = [c for c in article.find_all(recursive=False) if c.name not in ("h1", "section")]
    return [head, *shown([c for c in before if c is not first], title, head.notes)]


def cut(section: Tag) -> list[Slide]:
    """A section's slides; its heading alone where the section shows nothing."""
    title = said(section.find(["h2", "h3"]))
    notes: list[str] = []
    slides = list(shown(list(blocks(section)), title, notes))
    if not slides:
        return [Slide(title, points(section), "points", notes)]
    slides[-1].notes += notes
    for one in slides:
        if one.kind == "figure":  # whose title is the picture's message
            one.title = f"<small>{title}</small> {one.title}"
    return slides


def blocks(section: Tag) -> Iterator[Tag]:
    """What a section holds, in order, that of its own sections after it."""
    for child in section.find_all(recursive=False):
        if child.name == "section":
            yield from blocks(child)
        elif child.name != "h2":
            yield child


def shown(parts: list[Tag], title: str, notes: list[str]) -> Iterator[Slide]:
    """A slide for each part that can be looked at; sentences go into the notes of the next."""
    question = ""
    for part in parts:
        if part.name == "h3":
            title = said(part)
            continue
        if part.name == "blockquote" and part.find("strong", string="Predict."):
            question = part.decode_contents()
            continue
        found = slide(part, title, question)
        if found is None:
            if part.name in (
                "p",
                "ul",
                "ol",
                "details",
            ) and "om-run" not in part.get_attribute_list("class"):
                notes.append(str(part))
            continue
        found.notes, question = [*notes, *found.notes], ""
        notes.clear()
        yield found


def slide(part: Tag, title: str, question: str) -> Slide | None:
    classes = part.get_attribute_list("class")
    if "om-predict" in classes:
        return Slide(title, question + ballot(part), "predict")
    if "om-predicted" in classes:
        return Slide(title, f'<p class="om-answer">{part.get_text().strip()}</p>', "answer")
    if "om-equation" in classes or "om-table" in classes:
        return Slide(title, str(part), "show")
    if "cell" not in classes:
        return None
    if explorer := part.select_one(".om-explorer"):
        explorer["data-prevent-swipe"] = ""
        return Slide(title, str(explorer), "explorer")
    if figure := part.select_one("figure"):
        caption = figure.find("figcaption")
        message = ""
        if isinstance(caption, Tag):
            if number := caption.find(["a", "span"]):
                number.extract()
            message = caption.decode_contents().strip()
            caption.extract()
        return Slide(message or title, str(figure), "figure")
    if "tag_hide-input" in classes:
        return None
    if sum(len(pre.get_text().splitlines()) for pre in part.select("pre")) > LONGEST:
        return None
    return Slide(title, str(part), "code")


def votes(article: Tag) -> list[Vote]:
    answers = {
        json.loads(str(said["data-prediction"]))["number"]: said.get_text().strip()
        for said in article.select(".om-predicted")
    }
    found = []
    for part in article.select(".om-predict"):
        number = json.loads(str(part["data-prediction"]))["number"]
        question = part.find_previous_sibling("blockquote")
        if isinstance(question, Tag):
            asked = question.decode_contents() + ballot(part)
            found.append(Vote(number, asked, answers[number].split("It is:")[1].strip()))
    return found


def ballot(part: Tag) -> str:
    """The choices with letters to vote for, or a line for a number."""
    choices = [choice.decode_contents() for choice in part.select("li")]
    if not choices:
        return f"<p>{part.get_text(' ', strip=True)}</p>"
    rows = zip(LETTERS, choices, strict=False)
    return "".join(f'<p class="om-ballot"><b>{letter}</b> {said}</p>' for letter, said in rows)


def points(section: Tag) -> str:
    """For a section of sentences alone: what its paragraphs begin with in bold, or the first."""
    paragraphs = section.find_all("p")
    bold = [p.contents[0] for p in paragraphs if p.contents]
    items = [str(b) for b in bold if isinstance(b, Tag) and b.name == "strong"]
    if len(items) > 1:
        return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
    return str(paragraphs[0]) if paragraphs else ""


def said(heading: object) -> str:
    return heading.decode_contents().strip() if isinstance(heading, Tag) else ""
