"""Write chapters/appendix-bibliography.md from references.bib.

python -m tools.bibliography

The page is committed, so that a citation leads somewhere in JupyterLab and on a forge too.
"""

from pathlib import Path

from pybtex.database import Entry, Person, parse_file

ROOT = Path(__file__).resolve().parent.parent
SOURCE, PAGE = ROOT / "references.bib", ROOT / "chapters" / "appendix-bibliography.md"
VENUE = ("booktitle", "journal", "institution", "publisher", "howpublished")

HEAD = """# Bibliography

After this page you know where the statements of the course come from, and where to read on.

*To look things up in. In the chapters a citation links to its entry here.*

"""

MANY = 5  # of more authors the first three are named, as where they are cited


def page(entries: dict[str, Entry]) -> str:
    """The page's Markdown: entries by first author and year."""
    order = sorted(entries, key=lambda key: (authors(entries[key])[0].last_names, key[-4:]))
    return HEAD + "".join(f'- <a id="{key}"></a>{reference(entries[key])}\n' for key in order)


def authors(entry: Entry) -> list[Person]:
    return list(entry.persons["author"])


def reference(entry: Entry) -> str:
    """Who (when). *What*. Where, with a link."""
    fields = entry.fields
    title = fields["title"].translate({ord(brace): None for brace in "{}"})
    title += "" if title[-1] in ".?" else "."
    venue = next(fields[name] for name in VENUE if name in fields)
    where = [] if venue == "arXiv" else [f"{venue}."]  # the link says arXiv
    said = [f"{people(authors(entry))} ({fields['year']}).", f"*{title}*", *where, *links(entry)]
    return " ".join(said)


def people(persons: list[Person]) -> str:
    names = [  # an organisation stands in braces
        " ".join(p.first_names + p.middle_names + p.prelast_names + p.last_names).strip("{}")
        for p in persons
    ]
    if names[-1] == "others" or len(names) > MANY:
        return ", ".join(name for name in names[:3] if name != "others") + " and others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def links(entry: Entry) -> list[str]:
    fields, found = entry.fields, []
    if "eprint" in fields:
        found.append(f"[arXiv:{fields['eprint']}](https://arxiv.org/abs/{fields['eprint']})")
    if "doi" in fields:
        found.append(f"[doi:{fields['doi']}](https://doi.org/{fields['doi']})")
    if "url" in fields:
        found.append(f"[{fields['url'].split('/')[2]}]({fields['url']})")
    return found


def main() -> None:
    PAGE.write_text(page(dict(parse_file(SOURCE, "bibtex").entries)), "utf-8")
    print(f"{PAGE.relative_to(ROOT)} is up to date with {SOURCE.name}.")


if __name__ == "__main__":
    main()
