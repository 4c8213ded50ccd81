"""Write the slides of every chapter into _build/site/slides: python -m classroom.slides."""

import shutil
from pathlib import Path

from jinja2 import FileSystemLoader

from classroom.marks import pages
from classroom.slides.deck import make_deck

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SITE = ROOT / "_build" / "site"
REVEAL = ROOT / "node_modules" / "reveal.js"
REVEAL_FILES = ("dist/reveal.js", "dist/reveal.css", "dist/plugin/notes.js", "LICENSE")
PAGES = pages.PAGES.overlay(loader=FileSystemLoader(HERE), autoescape=False)


def write(site: Path) -> None:
    """Write the slides of all chapters, and the scripts that they need, into a built site."""
    out = site / "slides"
    (out / "reveal").mkdir(parents=True, exist_ok=True)
    for name in REVEAL_FILES:
        shutil.copyfile(REVEAL / name, out / "reveal" / Path(name).name)
    for name in ("slides.css", "slides.js"):
        shutil.copyfile(HERE / name, out / name)
    style = "../_static/" + next((site / "_static").glob("site.*.css")).name
    pages = sorted((site / "chapters").glob("[0-9]*.html"))
    chapters = [page for page in pages if not page.stem.endswith("-deeper")]
    decks = {chapter.name: make_deck(chapter.read_text("utf-8")) for chapter in chapters}
    for name, deck in decks.items():
        text = PAGES.get_template("deck.html").render(style=style, deck=deck)
        (out / name).write_text(text, "utf-8")
    text = PAGES.get_template("index.html").render(style=style, decks=decks)
    (out / "index.html").write_text(text, "utf-8")
    print(f"Written: {out / 'index.html'}; `make serve` shows it under /slides/")


if __name__ == "__main__":
    write(SITE)
