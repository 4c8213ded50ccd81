"""What the texts refer to: sources, terms and formulas, read from the Markdown itself."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from cells import CHAPTERS
from pybtex.database import parse_file

from tools.notebooks import ROOT, read

ENTRIES = dict(parse_file(ROOT / "references.bib", "bibtex").entries)
BIBLIOGRAPHY, NOTATION = "appendix-bibliography.md", "appendix-notation.md"
TEXTS = [ROOT / "index.md", *sorted(CHAPTERS.glob("*.ipynb")), *sorted(CHAPTERS.glob("*.md"))]
every_text = pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)

CITATION = re.compile(rf"\[([^\]]+)\]\((?:chapters/)?{BIBLIOGRAPHY}#([\w-]+)\)")
NAMED = re.compile(r"[A-Z][\w-]+(?: et al\.| and [A-Z][\w-]+),? \(?(?:19|20)\d\d")
TERM = re.compile(r'- <a id="term-([\w-]+)"></a>(.+?): (.+)')
TAG = re.compile(r"\\tag\{([\d.]+)\}")


def text(path: Path) -> str:
    """The prose: without code, and without pictures' alternatives and other output."""
    if path.suffix == ".ipynb":
        cells = [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]
        return "\n\n".join(cells)
    return path.read_text("utf-8")


@every_text
def test_citations_are_those_of_the_bibliography(path: Path) -> None:
    for said, key in CITATION.findall(text(path)):
        assert key in ENTRIES, f"{said}: references.bib has no {key}"
        entry = ENTRIES[key]
        surname = " ".join(entry.persons["author"][0].last_names).strip("{}")  # of a team
        assert surname in re.split(r" et al\.| and |, | \(| \d", said)[0], said
        years = re.findall(r"\d{4}", said)
        assert years in ([], [entry.fields["year"]]), said


@every_text
def test_nobody_is_cited_without_a_link(path: Path) -> None:
    if path.name != BIBLIOGRAPHY:
        plain = re.sub(r"\[[^\]]*\]\([^)]*\)", "", text(path))
        assert not NAMED.findall(plain)


@every_text
def test_linked_papers_are_in_the_bibliography(path: Path) -> None:
    numbers = {entry.fields.get("eprint") for entry in ENTRIES.values()}
    assert set(re.findall(r"arxiv\.org/\w+/([\d.]+\d)", text(path))) <= numbers


def test_every_source_is_cited() -> None:
    """By a citation, or in the table of models, whose rows link to papers."""
    cited = {key for path in TEXTS for _, key in CITATION.findall(text(path))}
    stored = (CHAPTERS / "data" / "checkpoints").glob("*.json")
    models = "".join(path.read_text("utf-8") for path in stored)
    rest = set(ENTRIES) - cited
    assert not {key for key in rest if f"abs/{ENTRIES[key].fields.get('eprint')}" not in models}


def test_a_citation_without_a_link_is_seen() -> None:
    assert NAMED.findall("as Su et al. (2021) say; Wang and Chen 2020; Yan et al., 2019")[2:]
    assert not NAMED.findall("and Llama 2 in 2023, BERT (2018)")


def glossary() -> dict[str, tuple[list[str], str]]:
    """Forms and definition of each term."""
    found = TERM.findall((CHAPTERS / NOTATION).read_text("utf-8"))
    return {name: (re.findall(r"\*+([^*]+)\*+", said), rest) for name, said, rest in found}


def test_glossary_is_in_order_and_has_no_form_twice() -> None:
    terms = [forms for forms, _ in glossary().values()]
    assert len(terms) > 30
    every = [form.lower() for forms in terms for form in forms]
    assert sorted(set(every)) == sorted(every)
    names = [name for name, _ in glossary().items()]
    assert all(a < b for a, b in pairwise(names)), "sorted by id"


@pytest.mark.parametrize("name", glossary())
def test_a_term_is_defined_in_short_and_used_where_it_says(name: str) -> None:
    forms, definition = glossary()[name]
    said, *chapters = re.split(r"\[[Cc]hapter \d+\]", definition)
    assert 20 < len(said) < 330 and said.count(". ") <= 3
    (first, *_) = re.findall(r"\((\d\d[\w-]+\.ipynb)\)", definition)
    assert any(form.lower() in text(CHAPTERS / first).lower() for form in forms), chapters


@every_text
def test_formulas_that_are_named_exist_and_have_the_number_of_their_chapter(path: Path) -> None:
    numbers = {number for other in TEXTS for number in TAG.findall(text(other))}
    chapters = {number.split(".")[0] for number in numbers}
    own = TAG.findall(text(path))
    assert len(set(own)) == len(own)
    assert all(path.name.startswith(f"{int(number.split('.')[0]):02}-") for number in own)
    prose = re.sub(r"\$\$.*?\$\$|\$[^$]*\$|`[^`]*`", "", text(path), flags=re.DOTALL)
    named = set(re.findall(r"\((\d{1,2}\.[1-9]\d?)\)", prose))
    assert {number for number in named if number.split(".")[0] in chapters} <= numbers


PROMISE = re.compile(
    r"\b(?:are|is) (?:still )?being (?:written|made|built)\b(?! its|,| and)"
    r"|\bwill be (?:added|written|covered|explained|published)\b|\b(?:coming|out) soon\b"
    r"|\b(?:not|still) (?:yet )?(?:to be )?written\b|\bunder construction\b"
    r"|\b(?:a|the) (?:later|future|next) (?:version|edition|release) of (?:this|the) course\b"
    r"|\b(?:we|I) (?:will|shall|plan to) (?:add|write|publish)\b",
    re.IGNORECASE,
)


@every_text
def test_nothing_is_promised_that_may_be_there_by_now(path: Path) -> None:
    """A text that speaks of what is being written is out of date as soon as it is."""
    assert not [found[0] for found in PROMISE.finditer(text(path))]


def test_a_promise_is_seen() -> None:
    stale = "Those chapters are being written. Coming soon. More will be added; it is not written."
    assert len(PROMISE.findall(stale)) == 4
    assert not PROMISE.findall("while a text is being written its factor changes, and is written")
