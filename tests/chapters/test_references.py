"""Test that Markdown texts refer only to sources in the bibliography and terms in the glossary."""

import re
from functools import cache
from itertools import pairwise

import pytest
from cells import CHAPTERS
from pybtex.database import parse_file

from tools.notebooks import ROOT, read

ENTRIES = dict(parse_file(ROOT / "references.bib", "bibtex").entries)
BIBLIOGRAPHY, NOTATION = "appendix-bibliography.md", "appendix-notation.md"
CITATION = re.compile(rf"\[([^\]]+)\]\((?:chapters/)?{BIBLIOGRAPHY}#([\w-]+)\)")
NAMED = re.compile(r"[A-Z][\w-]+(?: et al\.| and [A-Z][\w-]+),? \(?(?:19|20)\d\d")
TERM = re.compile(r'- <a id="term-([\w-]+)"></a>(.+?): (.+)')


@cache
def prose(name: str) -> str:
    """Return the Markdown text in a file, without code cells and outputs."""
    path = PATHS[name]
    if path.suffix == ".ipynb":
        return "\n\n".join(c.source for c in read(path).cells if c.cell_type == "markdown")
    return path.read_text("utf-8")


FILES = [ROOT / "index.md", *sorted(CHAPTERS.glob("*.ipynb")), *sorted(CHAPTERS.glob("*.md"))]
PATHS = {path.name: path for path in FILES}
every_text = pytest.mark.parametrize("name", PATHS, ids=lambda name: name.partition(".")[0])


@every_text
def test_citations_are_those_of_the_bibliography(name: str) -> None:
    text = prose(name)
    for said, key in CITATION.findall(text):
        assert key in ENTRIES, f"{said}: references.bib has no {key}"
        entry = ENTRIES[key]
        # If the author is a team, its name is written in braces and is all last name.
        surname = " ".join(entry.persons["author"][0].last_names).strip("{}")
        assert surname in re.split(r" et al\.| and |, | \(| \d", said)[0], said
        assert re.findall(r"\d{4}", said) in ([], [entry.fields["year"]]), said
    numbers = {entry.fields.get("eprint") for entry in ENTRIES.values()}
    assert set(re.findall(r"arxiv\.org/\w+/([\d.]+\d)", text)) <= numbers
    if name != BIBLIOGRAPHY:
        assert not NAMED.findall(re.sub(r"\[[^\]]*\]\([^)]*\)", "", text)), "cited without a link"


def test_every_source_is_cited() -> None:
    """Test that each source is cited in a text or linked in the table of models."""
    cited = {key for name in PATHS for _, key in CITATION.findall(prose(name))}
    stored = (CHAPTERS / "data" / "checkpoints").glob("*.json")
    models = "".join(path.read_text("utf-8") for path in stored)
    rest = set(ENTRIES) - cited
    assert not {key for key in rest if f"abs/{ENTRIES[key].fields.get('eprint')}" not in models}


def glossary() -> dict[str, tuple[list[str], str]]:
    """Return the terms in the glossary, each with its spellings and its definition."""
    found = TERM.findall(prose(NOTATION))
    return {name: (re.findall(r"\*+([^*]+)\*+", said), rest) for name, said, rest in found}


def test_each_term_is_defined_in_short_and_used_where_it_says() -> None:
    every = [form.lower() for forms, _ in glossary().values() for form in forms]
    assert len(glossary()) > 30 and sorted(set(every)) == sorted(every)
    assert all(a < b for a, b in pairwise(glossary())), "sorted by id"
    for name, (forms, definition) in glossary().items():
        said, *_ = re.split(r"\[[^\]]+\]\((?!appendix-bibliography)", definition)
        assert 20 < len(said) < 330 and said.count(". ") <= 3, name
        (first, *_) = re.findall(r"\]\(((?:\d\d|appendix)-[\w-]+\.(?:ipynb|md))[#)]", definition)
        assert any(form.lower() in prose(first).lower() for form in forms), name
