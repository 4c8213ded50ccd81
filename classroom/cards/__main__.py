"""Make the deck from the built site, beside its slides: python -m classroom.cards

A card's id comes from what it asks, so that a deck imported anew keeps what was learned, whatever
was improved in the answers; who asks otherwise asks a new card. A picture's is its sentence's.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import genanki
import yaml
from bs4 import BeautifulSoup, Tag

from tools.book import TITLE, edition, names, standalone

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "site"
OUT = SITE / "slides" / "order-matters.apkg"
ASKED = yaml.safe_load(Path(__file__).with_name("asked.yml").read_text("utf-8"))
DECK, MODEL = 1_713_260_101, 1_713_260_102  # for ever: Anki knows deck and kind of card by them
CSS = """
.card { max-width: 40em; margin: 1em auto; font: 20px/1.5 serif; text-align: left; }
.card img { max-width: 100%; background: #fffdfa; }
.from { color: #5c616b; font-size: 14px; }
.nightMode .from { color: #a3a8b2; }
"""


@dataclass(frozen=True)
class Card:
    key: str  # its id, for ever
    front: str
    back: str
    source: str  # where in the book
    tag: str
    pictures: dict[str, str] = field(default_factory=dict)  # SVG by file name


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
            key = claim.get_text()
            back = re.sub(r"; claims? [^.]*\.$|; claims? [^.]*$", ".", paragraph.decode_contents())
            yield Card(key, front, back, "Misconceptions", "misconception")


def inline(text: str) -> str:
    r"""Formulas between dollars, as Anki wants them.

    >>> inline("at $t$?")
    'at \\(t\\)?'
    """
    parts = html.escape(text, quote=False).split("$")
    return "".join(rf"\({part}\)" if n % 2 else part for n, part in enumerate(parts))


def of_chapter(soup: BeautifulSoup) -> Iterator[Card]:
    """Its formulas and pictures, and what is asked under Check yourself."""
    title = soup.select_one("h1").get_text(" ", strip=True)  # type: ignore[union-attr]
    for number, question in ASKED["formulas"].items():
        if math := soup.select_one(f"#equation-{number.replace('.', '-')} .math"):
            back = html.escape(math.get_text().strip().replace(f"({number})", ""), quote=False)
            yield Card(question, inline(question), back, f"{title}, ({number})", "formula")
    for number in ASKED["pictures"]:
        figure = f"#figure-{number.replace('.', '-')}"
        picture, caption = soup.select_one(f"{figure} svg"), soup.select_one(f"{figure} figcaption")
        if picture and caption:
            name, alt = f"order-matters-{number}.svg", html.escape(str(picture["aria-label"]))
            front = f'<p><img src="{name}" alt="{alt}"></p><p>Read it: what does it show?</p>'
            said, drawn = caption.decode_contents().split(number, 1)[1], {name: standalone(picture)}
            source = f"{title}, figure {number}"
            yield Card(f"picture {number}", front, said.strip(), source, "picture", drawn)
    for answer in soup.select("#check-yourself details"):
        question, summary = answer.find_previous_sibling(["ol", "p"]), answer.find("summary")
        if isinstance(question, Tag) and isinstance(summary, Tag):
            summary.extract()
            parts = question.find_all("li") or [question]
            front, back = " ".join(p.decode_contents() for p in parts), answer.decode_contents()
            yield Card(question.get_text(), front, back, f"{title}, Check yourself", "question")


def cards() -> Iterator[Card]:
    yield from misconceptions(page("chapters/appendix-misconceptions"))
    for name in names():
        if not name.startswith("chapters/appendix") and name != "index":
            yield from of_chapter(page(name))


def write(made: list[Card], folder: Path, out: Path) -> None:
    """The deck as Anki imports it; pictures go by way of the folder."""
    model = genanki.Model(
        MODEL,
        TITLE,
        fields=[{"name": "Front"}, {"name": "Back"}, {"name": "Source"}],
        templates=[{
            "name": "Card",
            "qfmt": "{{Front}}",
            "afmt": '{{FrontSide}}<hr id="answer">{{Back}}<p class="from">{{Source}}</p>',
        }],
        css=CSS,
    )  # fmt: skip
    deck = genanki.Deck(DECK, f"{TITLE}: positional encoding")
    media = []
    for card in made:
        fields = [card.front, card.back, f"{TITLE}. {card.source}"]
        guid = genanki.guid_for(TITLE, card.key)
        deck.add_note(genanki.Note(model, fields, guid=guid, tags=[card.tag]))
        for name, drawn in card.pictures.items():
            (folder / name).write_text(drawn, "utf-8")
            media.append(str(folder / name))
    genanki.Package(deck, media_files=media).write_to_file(out, timestamp=edition()[1].timestamp())


def main() -> None:
    folder = ROOT / "_build" / "cards"
    folder.mkdir(exist_ok=True)
    OUT.parent.mkdir(exist_ok=True)
    made = list(cards())
    write(made, folder, OUT)
    for tag in dict.fromkeys(card.tag for card in made):
        print(f"{sum(card.tag == tag for card in made):4} × {tag}")
    print(f"Written: {OUT}")


if __name__ == "__main__":
    main()
