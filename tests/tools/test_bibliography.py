"""Pages that a command writes are up to date, and references.bib is complete."""

import re

import pytest
from pybtex.database import parse_file

from tools import bibliography
from tools.onepage import words

ENTRIES = dict(parse_file(bibliography.SOURCE, "bibtex").entries)
every_entry = pytest.mark.parametrize("key", ENTRIES)


def test_page_is_up_to_date() -> None:
    assert bibliography.PAGE.read_text("utf-8") == bibliography.page(ENTRIES), (
        "references.bib has changed; run: python -m tools.bibliography"
    )


def test_the_page_of_the_one_page_sheet_says_what_the_sheet_says() -> None:
    assert words.PAGE.read_text("utf-8") == words.page(), "run: python -m tools.onepage --page"


@every_entry
def test_entry_says_who_what_where_and_when(key: str) -> None:
    entry = ENTRIES[key]
    assert entry.persons["author"] and entry.fields["title"] and entry.fields["year"]
    assert any(name in entry.fields for name in bibliography.VENUE)
    assert entry.type == "book" or {"eprint", "doi", "url"} & set(entry.fields)


@every_entry
def test_key_is_the_first_surname_and_the_year(key: str) -> None:
    """An organisation's first word; an initial before the name, if two have name and year."""
    entry = ENTRIES[key]
    first = entry.persons["author"][0]
    surname = "".join(first.last_names).lower()
    if not first.first_names:
        surname = re.split(r"[ -]", surname.strip("{}"))[0]
    usual = surname + entry.fields["year"]
    initial = "".join(name[0] for name in first.first_names).lower()
    assert key == usual or (usual in ENTRIES and key == initial[0] + usual)


@every_entry
def test_arxiv_number_fits_the_year(key: str) -> None:
    """A paper is on arXiv in the year of its venue or shortly before."""
    fields = ENTRIES[key].fields
    if "eprint" in fields:
        assert re.fullmatch(r"\d{4}\.\d{5}", fields["eprint"])
        assert 0 <= int(fields["year"]) - (2000 + int(fields["eprint"][:2])) <= 1


def test_no_paper_is_listed_twice() -> None:
    for field in ("title", "eprint", "doi", "url"):
        values = [e.fields[field].lower() for e in ENTRIES.values() if field in e.fields]
        assert sorted(set(values)) == sorted(values)


def test_people_are_joined_as_in_a_sentence() -> None:
    def names(*people: str) -> str:
        return bibliography.people([bibliography.Person(name) for name in people])

    assert names("Ivan Niven") == "Ivan Niven"
    assert names("Ila R. Fiete", "Yoram Burak", "Ted Brookings") == (
        "Ila R. Fiete, Yoram Burak and Ted Brookings"
    )
    assert names("Aaron Grattafiori", "others") == "Aaron Grattafiori and others"
