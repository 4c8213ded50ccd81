"""Make a deck of flash cards from the built site: python -m classroom.cards.

The deck is a text file that Anki imports. A card's id comes from its question or, for a picture,
from a number that the selection file gives it. So a learner who imports a newer deck keeps their
progress, even on cards whose answers were improved or whose pictures were renumbered. Only a
question that was reworded becomes a new card.
"""

import base64
import csv
import hashlib
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from bs4 import BeautifulSoup, Tag

from tools.book import TITLE, make_standalone_svg, page_names

SITE = Path(__file__).resolve().parents[2] / "_build" / "site"
OUT = SITE / "slides" / "order-matters-anki.txt"
SELECTION = yaml.safe_load(Path(__file__).with_name("formulas_and_pictures.yml").read_text("utf-8"))
HEAD = f"""\
#separator:tab
#html:true
#notetype:Basic
#deck:{TITLE}
#guid column:1
#tags column:4
"""


@dataclass(frozen=True)
class Card:
    """A flash card for the program Anki.

    The id of the card comes from `key`, which must never change. `source` names the place in the
    course from which the card was taken.
    """

    key: str
    front: str
    back: str
    source: str
    tag: str


def read_page(name: str) -> BeautifulSoup:
    """Return a page of the built site. Its formulas are in TeX, so that Anki can typeset them."""
    soup = BeautifulSoup((SITE / f"{name}.html").read_text("utf-8"), "html.parser")
    for link in soup.select("a.headerlink, a.om-link"):
        link.decompose()
    for formula in soup.select(".katex-display, .katex"):
        if formula.decomposed or not (tex := formula.find("annotation")):
            continue
        left, right = [r"\[", r"\]"] if "katex-display" in formula["class"] else (r"\(", r"\)")
        formula.replace_with(f"{left}{tex.get_text().strip()}{right}")
    for link in soup.select("a"):
        link.unwrap()
    return soup


def misconception_cards(soup: BeautifulSoup) -> Iterator[Card]:
    """Yield a card for each misconception and its correction, without references to claims."""
    for paragraph in soup.select("section section p"):
        claim = paragraph.find("strong")
        if isinstance(claim, Tag) and paragraph.contents[0] is claim:
            claim.extract()
            front = f"<p>{claim.decode_contents()}</p><p>What is wrong with it?</p>"
            back = re.sub(r"; claims? [^.]*\.$|; claims? [^.]*$", ".", paragraph.decode_contents())
            yield Card(claim.get_text(), front, back, "Misconceptions", "misconception")


def chapter_cards(soup: BeautifulSoup) -> Iterator[Card]:
    """Yield cards for the formulas, pictures and Check yourself questions of a chapter."""
    title = soup.select_one("h1").get_text(" ", strip=True)  # type: ignore[union-attr]
    yield from _formula_cards(soup, title)
    yield from _picture_cards(soup, title)
    yield from _question_cards(soup, title)


def _formula_cards(soup: BeautifulSoup, title: str) -> Iterator[Card]:
    """Yield a card for each formula in the chapter that the selection file lists."""
    for number, question in SELECTION["formulas"].items():
        if math := soup.select_one(f"#equation-{number.replace('.', '-')} .math"):
            back = html.escape(math.get_text().strip().replace(f"({number})", ""), quote=False)
            front = html.escape(question, quote=False)
            yield Card(question, front, back, f"{title}, ({number})", "formula")


def _picture_cards(soup: BeautifulSoup, title: str) -> Iterator[Card]:
    """Yield a card for each picture in the chapter that the selection file lists."""
    for number, key in SELECTION["pictures"].items():
        figure = f"#figure-{number.replace('.', '-').lower()}"
        picture, caption = soup.select_one(f"{figure} svg"), soup.select_one(f"{figure} figcaption")
        if picture and caption:
            alt = html.escape(str(picture["aria-label"]))
            data = base64.b64encode(make_standalone_svg(picture).encode()).decode()
            image = f'<img src="data:image/svg+xml;base64,{data}" alt="{alt}">'
            front = f"<p>{image}</p><p>Read it: what does it show?</p>"
            back = caption.decode_contents().split(number, 1)[1].strip()
            yield Card(f"picture {key}", front, back, f"{title}, figure {number}", "picture")


def _question_cards(soup: BeautifulSoup, title: str) -> Iterator[Card]:
    """Yield a card for each question in the chapter's Check yourself section."""
    for answer in soup.select("#check-yourself details"):
        question, summary = answer.find_previous_sibling(["ol", "p"]), answer.find("summary")
        if isinstance(question, Tag) and isinstance(summary, Tag):
            summary.extract()
            parts = question.find_all("li") or [question]
            front = " ".join(part.decode_contents() for part in parts)
            source = f"{title}, Check yourself"
            yield Card(question.get_text(), front, answer.decode_contents(), source, "question")


def all_cards() -> Iterator[Card]:
    """Yield the cards for all misconceptions and all chapters."""
    yield from misconception_cards(read_page("chapters/appendix-misconceptions"))
    for name in page_names():
        if not name.startswith("chapters/appendix") and name != "index":
            yield from chapter_cards(read_page(name))


def write(cards: list[Card], out: Path) -> None:
    """Write the deck as a text file for Anki, in which header lines precede the cards."""
    with out.open("w", encoding="utf-8", newline="") as file:
        file.write(HEAD)
        for card in cards:
            guid = hashlib.blake2b(card.key.encode(), digest_size=8).hexdigest()
            back = f"{card.back}<p><small>{TITLE}. {card.source}</small></p>"
            csv.writer(file, "excel-tab").writerow([guid, card.front, back, card.tag])


if __name__ == "__main__":
    OUT.parent.mkdir(exist_ok=True)
    deck = list(all_cards())
    write(deck, OUT)
    print(f"Written: {OUT}, {len(deck)} cards")
