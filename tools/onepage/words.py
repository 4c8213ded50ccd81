"""The sheet as a page of the book: the picture, the files, and all that it says, in words."""

from pathlib import Path

from tools.onepage import FOLDER, NAMES, contents
from tools.onepage.contents import (
    CHAPTERS,
    PRACTICE,
    Beside,
    Block,
    Drawing,
    Formula,
    Item,
    Matrix,
    Table,
)

PAGE = Path(__file__).resolve().parents[2] / "chapters" / "appendix-one-page.md"

# ruff: noqa: E501
HEAD = """# One page

After this page you have the whole course on one sheet of paper: print it, and keep it beside the keyboard.

*One sheet, A4 or Letter. Every number on it is computed by the library; each block names the chapter that derives it.*

<p>To print: {files}. CC BY 4.0.</p>

<p><img src="../{folder}/order-matters-a4.svg" width="595" height="842" alt="The sheet Order Matters on one page. All that it says follows below in words."></p>

## In words
"""


def page() -> str:
    """Its Markdown."""
    files = " · ".join(
        f'<a href="../{FOLDER}/{name}">{paper}, {kind.upper()}</a>'
        for name in NAMES
        for paper, kind in [_said(name)]
    )
    blocks = "\n".join(map(section, contents.blocks()))
    return HEAD.format(folder=FOLDER, files=files) + "\n" + blocks


def _said(name: str) -> tuple[str, str]:
    stem, kind = name.split(".")
    return {"a4": "A4", "letter": "Letter"}[stem.rsplit("-", 1)[1]], kind


def section(block: Block) -> str:
    links = ", ".join(f"[chapter {n}]({CHAPTERS[n]}.ipynb)" for n in block.chapters)
    if block.practice:
        links += f", [in practice]({PRACTICE}.ipynb)"
    body = "\n".join(map(markdown, block.items))
    return f"### {block.title}\n\n*→ {links}*\n\n{body}"


def markdown(item: Item) -> str:
    match item:
        case Formula(source):
            return f"$${source.strip('$')}$$\n"
        case Matrix(before, entries, after):
            rows = r" \\ ".join(" & ".join(entry.strip("$") for entry in row) for row in entries)
            matrix = rf"$\begin{{bmatrix}} {rows} \end{{bmatrix}}$"
            return " ".join(filter(None, (before, matrix, after))) + ".\n"
        case Drawing(_, said):
            return f"*Drawn:* {said}\n"
        case Beside(words, drawing):
            return "\n".join(map(markdown, (*words, drawing)))
        case Table(head, rows, _):
            lines = [head, ("---",) * len(head), *rows]
            return "".join(f"| {' | '.join(line)} |\n" for line in lines)
        case _:
            return f"{item.source}\n"
