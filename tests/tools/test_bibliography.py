"""Check that the bibliography page is up to date, and that references.bib is complete."""

import re

import pytest
from pybtex.database import parse_file

from tools import bibliography

ENTRIES = dict(parse_file(bibliography.SOURCE, "bibtex").entries)


def test_page_is_up_to_date() -> None:
    assert bibliography.PAGE.read_text("utf-8") == bibliography.render_page(ENTRIES), (
        "references.bib has changed; run: python -m tools.bibliography"
    )


@pytest.mark.parametrize("key", ENTRIES)
def test_entry_says_who_what_where_and_when(key: str) -> None:
    """Check an entry's fields, and that its citation key consists of the first author and the year.

    The key begins with the surname, or with the first word of a team's name. If that key is taken,
    an initial is put in front.
    """
    entry, fields = ENTRIES[key], ENTRIES[key].fields
    assert fields["title"] and any(name in fields for name in bibliography.VENUE)
    assert entry.type == "book" or {"eprint", "doi", "url"} & set(fields)
    first = entry.persons["author"][0]
    surname = "".join(first.last_names).lower()
    if not first.first_names:
        surname = re.split(r"[ -]", surname.strip("{}"))[0]
    usual = surname + fields["year"]
    initial = "".join(name[0] for name in first.first_names).lower()
    assert key == usual or (usual in ENTRIES and key == initial[0] + usual)
    # papers reach arXiv in the year of their publication or in the year before
    if "eprint" in fields:
        assert re.fullmatch(r"\d{4}\.\d{5}", fields["eprint"])
        assert 0 <= int(fields["year"]) - (2000 + int(fields["eprint"][:2])) <= 1


@pytest.mark.parametrize("field", ["title", "eprint", "doi", "url"])
def test_no_paper_is_listed_twice(field: str) -> None:
    values = [e.fields[field].lower() for e in ENTRIES.values() if field in e.fields]
    assert len(set(values)) == len(values)
