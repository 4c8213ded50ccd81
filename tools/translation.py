"""Catalogues of a language, and the site in it.

python -m tools.translation texts de [PAGE ...]    locale/de/LC_MESSAGES/*.po
python -m tools.translation site de                _build/de/site

`texts` brings the catalogues that are there up to the English text and begins those of the pages
named. What a sentence was changed to is marked fuzzy, with the old translation to start from, and
stays English on the site until somebody has looked at it.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import yaml
from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po
from sphinx.application import Sphinx

from _ext import publish
from _ext.sources import bare
from _ext.translation import AROUND, SHEETS, has_words, is_said, singular
from pe_lib.course.grading import sheet
from tools.plain import ROOT, settings

FOLDER = ROOT / "locale"
CODE = {  # by catalogue: folders, and which of their files say something to a reader
    AROUND: {"_ext": ["*.py", "theme/*.html", "assets/*.js"], "pe_lib/course": ["predictions.mjs"]},
    "explorers": {"pe_lib/course/explorers": ["*.py", "*.mjs"]},
    "exercises": {
        "_ext": ["quiz.py", "reviews.py", "quizzing/*.mjs"],
        "pe_lib/course/grading": ["*.py"],
    },
}
METHODS = {".py": "python", ".html": "jinja2"}
SAYING = {"_": None, "gettext": None, "say": None, "many": (1, 2), "mark": None}
SAYING |= {"Step": None, "Task": None}
_CALL = re.compile(r'\b(say|many)\(\s*((?:"(?:[^"\\]|\\.)*"[\s+,]*)+)')
_LITERAL = re.compile(r'("(?:[^"\\]|\\.)*")\s*(,?)')


def script_texts(
    file: BinaryIO, keywords: object, tags: object, options: object
) -> Iterator[tuple[int, str, str | tuple[str, ...], list[str]]]:
    """What a script says: Babel's own reader passes over a call within a call."""
    source = bare(file.read().decode())
    for call in _CALL.finditer(source):
        texts = [""]
        for literal, comma in _LITERAL.findall(call[2]):
            texts[-1] += json.loads(literal)
            texts += [""] * bool(comma)
        line = source.count("\n", 0, call.start()) + 1
        yield line, call[1], tuple(filter(None, texts)), []


def files(name: str) -> set[Path]:
    """Where the strings of a catalogue stand in code."""
    folders = CODE[name].items()
    return {path for folder, some in folders for one in some for path in (ROOT / folder).glob(one)}


def of_code(name: str) -> Catalog:
    """The strings of a catalogue that stand in code: what it says through `_`, `say` and `many`."""
    catalog = Catalog()
    others = set().union(*map(files, CODE.keys() - {name})) if name == AROUND else set()
    for path in sorted(files(name) - others):
        method = METHODS.get(path.suffix, script_texts)
        found = extract_from_file(method, path, keywords=SAYING)
        for line, text, comments, _ in found:
            where = [(str(path.relative_to(ROOT)), line)]
            catalog.add(text, locations=where, auto_comments=comments)
    return catalog


def of_sheet(name: str) -> Catalog:
    """What a sheet says; prompts and titles of questions are in the catalogue of its chapter."""
    catalog = Catalog()
    where = [(str((sheet.SHEETS / f"{name}.md").relative_to(ROOT)), 1)]
    content = sheet.load(name)
    catalog.add(content.title, locations=where)
    for question in content.questions.values():
        said = [*question.choices.values(), *question.hints, question.solution.text]
        said += [text for known in question.mistakes for text in (known.title, known.text)]
        for text in filter(has_words, said):
            catalog.add(text, locations=where, auto_comments=[question.name])
    return catalog


def config() -> dict[str, object]:
    read: dict[str, object] = settings(yaml.safe_load((ROOT / "_config.yml").read_text("utf-8")))
    return read


def templates(built: Path) -> dict[str, Catalog]:
    """The texts of every page by the page's name, and those of the theme."""
    # a notebook's outputs have no place in a catalogue
    given = config() | {"suppress_warnings": ["mystnb.mime_priority"]}
    app = Sphinx(ROOT, None, built, built.parent / ".gettext", "gettext", given, status=None)
    app.build(force_all=True)
    found = {name: of_code(name) for name in CODE}
    found |= {f"{SHEETS}/{name}": of_sheet(name) for name in sheet.names()}
    for page in app.env.found_docs:
        with (built / f"{page}.pot").open("rb") as file:
            found[page] = read_po(file)
        for message in list(found[page]):
            if message.id and not has_words(singular(message)):
                found[page].delete(message.id)
    return found


def renew(template: Catalog, file: Path, language: str) -> Catalog:
    """The catalogue in `file` with the texts of `template`; begun if there is none."""
    locale = Locale.parse(language, sep="_")
    catalog = Catalog(
        locale, project="Order Matters", version="1", fuzzy=False,
        header_comment=f"# Order Matters in {locale.english_name}; see contributing/translation.md",
        msgid_bugs_address="CONTRIBUTING.md", last_translator="The Order Matters authors",
        language_team=f"{locale.english_name}",
    )  # fmt: skip
    if file.exists():
        with file.open("rb") as there:
            catalog = read_po(there, locale)
    for message in template:
        # a line number would change the file with every cell that is moved
        message.locations = sorted({(name, None) for name, _ in message.locations})
    catalog.update(template, update_creation_date=False)
    catalog.obsolete.clear()
    return catalog


def write(catalog: Catalog, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as there:
        write_po(there, catalog, width=100, omit_header=False, include_lineno=False)


def texts(language: str, pages: list[str]) -> None:
    folder = FOLDER / language / "LC_MESSAGES"
    found = templates(ROOT / "_build" / "gettext")
    if unknown := set(pages) - found.keys():
        raise SystemExit(f"no page has this name: {', '.join(sorted(unknown))}")
    for name, template in sorted(found.items()):
        file = folder / f"{name}.po"
        chapter = name.replace(f"{SHEETS}/", "chapters/")  # what a sheet says goes with its chapter
        begun = (folder / f"{chapter}.po").exists() or chapter in pages
        if begun or name in CODE:
            catalog = renew(template, file, language)
            write(catalog, file)
            open_ = sum(not is_said(message) for message in catalog if message.id)
            print(f"{file.relative_to(ROOT)}: {open_} of {len(catalog)} to translate")


def site(language: str) -> None:
    if address := publish.site_address():  # it lies in a folder of the English site
        os.environ["SITE_URL"] = f"{address}{language}/"
    built = ROOT / "_build" / language / "html"
    given = config() | {"language": language}
    app = Sphinx(ROOT, None, built, built.parent / ".doctrees", "html", given, warningiserror=True)
    app.build()
    if app.statuscode:
        raise SystemExit(app.statuscode)
    print(f"The site is in {built.parent / 'site'}.")


def main() -> None:
    match sys.argv[1:]:
        case ["texts", language, *pages]:
            texts(language, pages)
        case ["site", language]:
            site(language)
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
