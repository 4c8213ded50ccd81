"""Write chapters/appendix-bibliography.md from references.bib.

python -m tools.bibliography

The page is committed, so that citations also have a target in JupyterLab and on GitHub.
"""

from pathlib import Path

from jinja2 import Environment
from pybtex.database import Entry, parse_file

ROOT = Path(__file__).resolve().parent.parent
SOURCE, PAGE = ROOT / "references.bib", ROOT / "chapters" / "appendix-bibliography.md"
VENUE = ("booktitle", "journal", "institution", "publisher", "howpublished")
MANY = 5  # longer lists of authors are shortened to three authors, as in the text


def render_page(entries: dict[str, Entry]) -> str:
    """Return the bibliography page in Markdown, sorted by first author and year."""

    def sort_key(item: tuple[str, Entry]) -> tuple[list[str], str]:
        return item[1].persons["author"][0].last_names, item[0][-4:]

    markdown = Path(__file__).with_suffix(".md").read_text("utf-8")
    template = Environment(trim_blocks=True).from_string(markdown)
    ordered = sorted(entries.items(), key=sort_key)
    return template.render(entries=ordered, list_authors=list_authors, VENUE=VENUE)


def list_authors(entry: Entry) -> str:
    """Return an entry's authors as a citation names them.

    If there are too many authors, only the first three are named, followed by "and others".
    """
    names = [  # in BibTeX, braces keep the name of an organisation together
        " ".join(p.first_names + p.middle_names + p.prelast_names + p.last_names).strip("{}")
        for p in entry.persons["author"]
    ]
    if names[-1] == "others" or len(names) > MANY:
        return ", ".join(name for name in names[:3] if name != "others") + " and others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def main() -> None:
    PAGE.write_text(render_page(dict(parse_file(SOURCE, "bibtex").entries)), "utf-8")
    print(f"{PAGE.relative_to(ROOT)} is up to date with {SOURCE.name}.")


if __name__ == "__main__":
    main()
