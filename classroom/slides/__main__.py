"""Write the slides of every chapter into _build/site/slides: python -m classroom.slides"""

import html
import shutil
from pathlib import Path

from bs4 import BeautifulSoup

from classroom.slides.deck import Deck, Slide, deck

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "site"
REVEAL = ROOT / "node_modules" / "reveal.js"
SHIPPED = ("dist/reveal.js", "dist/reveal.css", "dist/plugin/notes.js", "LICENSE")
HEAD = """\
<!DOCTYPE html>
<html lang="en" data-theme="light" data-content_root="../">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="../_static/favicon.svg">
{styles}
</head>
"""
DECK = (
    HEAD
    + """\
<body>
<div class="reveal"><div class="slides">
{columns}
</div></div>
<script src="reveal/reveal.js"></script>
<script src="reveal/notes.js"></script>
{scripts}
<script src="slides.js"></script>
</body>
</html>
"""
)

LIST = (
    HEAD
    + """\
<body class="om-list">
<h1>Slides</h1>
<p>A section is a column: <kbd>→</kbd> goes to the next section, the space bar to the next slide,
<kbd>Esc</kbd> shows all. <kbd>S</kbd> opens the speaker's notes, which hold what the chapter says
in sentences; <kbd>D</kbd> changes between light and dark. To print, or for a PDF, open a deck with
<code>?print-pdf</code> behind its address, and print it.</p>
<ul>
{decks}
</ul>
<p><a href="votes.html">Predictions to vote on</a>, with the answers at the end, to print.</p>
<p>Text and figures: CC BY 4.0. Code: MIT licence. The slides run with reveal.js, copyright Hakim El
Hattab and its contributors, <a href="reveal/LICENSE">MIT licence</a>.</p>
</body>
</html>
"""
)
VOTES = (
    HEAD
    + """\
<body class="om-list">
<h1>Predictions to vote on</h1>
<p>Read one out, give half a minute, count hands for each letter, or collect numbers; then let
neighbours convince each other, and count again. What comes out stands on the last pages.</p>
{asked}
<h1 class="om-answers">What comes out</h1>
{answers}
</body>
</html>
"""
)


def written(one: Deck, style: str) -> str:
    columns = "\n".join(
        f"<section>{''.join(map(slide, column))}</section>" for column in one.columns
    )
    scripts = "\n".join(f'<script src="{source}"></script>' for source in one.scripts)
    styles = linked("reveal/reveal.css", style, "slides.css")
    title = plain(one.title) + ": slides"
    return DECK.format(title=title, styles=styles, columns=columns, scripts=scripts)


def linked(*styles: str) -> str:
    return "\n".join(f'<link rel="stylesheet" href="{style}">' for style in styles)


def plain(title: str) -> str:
    return BeautifulSoup(title, "html.parser").get_text()


def listed(decks: dict[str, Deck], style: str) -> str:
    lines = (f'<li><a href="{name}">{one.title}</a></li>' for name, one in decks.items())
    return LIST.format(title="Slides", styles=linked(style, "slides.css"), decks="\n".join(lines))


def votes(decks: list[Deck], style: str) -> str:
    """All predictions on paper, and what comes out of each on pages of its own."""
    asked = "\n".join(
        f"<h2>{one.title}</h2>"
        + "".join(f'<div class="om-vote"><b>{v.number}</b>{v.asked}</div>' for v in one.votes)
        for one in decks
        if one.votes
    )
    answers = "\n".join(
        f"<h2>{one.title}</h2><dl>"
        + "".join(f"<dt>{v.number}</dt><dd>{html.escape(v.answer)}</dd>" for v in one.votes)
        + "</dl>"
        for one in decks
        if one.votes
    )
    styles = linked(style, "slides.css")
    return VOTES.format(title="Predictions to vote on", styles=styles, asked=asked, answers=answers)


def slide(one: Slide) -> str:
    level = 1 if one.kind == "title" else 2
    notes = f'<aside class="notes">{"".join(one.notes)}</aside>' if one.notes else ""
    return (
        f'<section class="om-slide om-{one.kind}-slide"><h{level}>{one.title}</h{level}>'
        f'<div class="om-body">{one.body}</div>{notes}</section>\n'
    )


def write(site: Path) -> None:
    """Put the slides of all chapters beside them, with what they run with."""
    out = site / "slides"
    (out / "reveal").mkdir(parents=True, exist_ok=True)
    for name in SHIPPED:
        shutil.copyfile(REVEAL / name, out / "reveal" / Path(name).name)
    for name in ("slides.css", "slides.js"):
        shutil.copyfile(Path(__file__).with_name(name), out / name)
    style = "../_static/" + next((site / "_static").glob("site.*.css")).name
    pages = sorted((site / "chapters").glob("[0-9]*.html"))
    decks = {page.name: deck(page.read_text("utf-8")) for page in pages}
    for name, made in decks.items():
        (out / name).write_text(written(made, style), "utf-8")
        print(f"{name}: {sum(map(len, made.columns))} slides in {len(made.columns)} columns")
    (out / "index.html").write_text(listed(decks, style), "utf-8")
    (out / "votes.html").write_text(votes(list(decks.values()), style), "utf-8")
    print(f"Written: {out / 'index.html'}; with `make serve` at http://localhost:8000/slides/")


if __name__ == "__main__":
    write(SITE)
