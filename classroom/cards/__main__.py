"""Make the deck from the built site, beside its slides: python -m classroom.cards

It is the text that Anki imports. A card's id comes from what it asks, so that a deck imported anew
keeps what was learned, whatever was improved in the answers; who asks otherwise asks a new card. A
picture's is its sentence's.
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

from tools.book import TITLE, page_names, standalone

SITE = Path(__file__).resolve().parents[2] / "_build" / "site"
OUT = SITE / "slides" / "order-matters-anki.txt"
ASKED = yaml.safe_load(Path(__file__).with_name("asked.yml").read_text("utf-8"))
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
    key: str  # what it is known by, for ever
    front: str
    back: str
    source: str  # where in the book
    tag: str


def page(name: str) -> BeautifulSoup:
    """A built page in which formulas are TeX again, as Anki typesets them."""
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


def misconceptions(soup: BeautifulSoup) -> Iterator[Card]:
    """Claim and correction, without the numbers of the audit, which say nothing on a card."""
    for paragraph in soup.select("section section p"):
        claim = paragraph.find("strong")
        if isinstance(claim, Tag) and paragraph.contents[0] is claim:
            claim.extract()
            front = f"<p>{claim.decode_contents()}</p><p>What is wrong with it?</p>"
            back = re.sub(r"; claims? [^.]*\.$|; claims? [^.]*$", ".", paragraph.decode_contents())
            yield Card(claim.get_text(), front, back, "Misconceptions", "misconception")


def of_chapter(soup: BeautifulSoup) -> Iterator[Card]:
    """Its formulas and pictures, and what is asked under Check yourself."""
    title = soup.select_one("h1").get_text(" ", strip=True)  # type: ignore[union-attr]
    for number, question in ASKED["formulas"].items():
        if math := soup.select_one(f"#equation-{number.replace('.', '-')} .math"):
            back = html.escape(math.get_text().strip().replace(f"({number})", ""), quote=False)
            front = html.escape(question, quote=False)
            yield Card(question, front, back, f"{title}, ({number})", "formula")
    for number in ASKED["pictures"]:
        figure = f"#figure-{number.replace('.', '-')}"
        picture, caption = soup.select_one(f"{figure} svg"), soup.select_one(f"{figure} figcaption")
        if picture and caption:
            alt = html.escape(str(picture["aria-label"]))
            data = base64.b64encode(standalone(picture).encode()).decode()
            shown = f'<img src="data:image/svg+xml;base64,{data}" alt="{alt}">'
            front = f"<p>{shown}</p><p>Read it: what does it show?</p>"
            said = caption.decode_contents().split(number, 1)[1].strip()
            yield Card(f"picture {number}", front, said, f"{title}, figure {number}", "picture")
    for answer in soup.select("#check-yourself details"):
        question, summary = answer.find_previous_sibling(["ol", "p"]), answer.find("summary")
        if isinstance(question, Tag) and isinstance(summary, Tag):
            summary.extract()
            parts = question.find_all("li") or [question]
            front, back = " ".join(p.decode_contents() for p in parts), answer.decode_contents()
            yield Card(question.get_text(), front, back, f"{title}, Check yourself", "question")


def cards() -> Iterator[Card]:
    yield from misconceptions(page("chapters/appendix-misconceptions"))
    for name in page_names():
        if not name.startswith("chapters/appendix") and name != "index":
            yield from of_chapter(page(name))


def write(made: list[Card], out: Path) -> None:
    with out.open("w", encoding="utf-8", newline="") as file:
        file.write(HEAD)
        for card in made:
            guid = hashlib.blake2b(card.key.encode(), digest_size=8).hexdigest()
            back = f"{card.back}<p><small>{TITLE}. {card.source}</small></p>"
            csv.writer(file, "excel-tab").writerow([guid, card.front, back, card.tag])


if __name__ == "__main__":
    OUT.parent.mkdir(exist_ok=True)
    write(made := list(cards()), OUT)
    print(f"Written: {OUT}, {len(made)} cards")
