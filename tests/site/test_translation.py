"""A book in another language: what is taken out, what comes back, and what must stay as it was."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from gettext import NullTranslations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po
from little import SETTINGS, build
from sphinx.application import Sphinx

from _ext import translation
from pe_lib.course import texts
from pe_lib.course.figures import CAPTION
from pe_lib.course.grading import feedback
from pe_lib.course.grading.sheet import load, names
from pe_lib.course.predictions import MIME
from pe_lib.course.texts import say
from tools.translation import CODE, FOLDER, SHEETS, has_words, of_code, of_sheet, renew

FILES = sorted(FOLDER.rglob("*.po"))
PAGE = """# Title

## Some order

One *word*, $x^2$ and `code`, as [there](#some-order).

$$y = 3$$

```python
print("machinery")
```

| name | value |
| --- | --- |
| width | 0.5 |

<form data-asked="machinery"><button>Check</button></form>

<details><summary>Answer</summary>

No.

</details>
"""
GERMAN = {
    "Title": "Titel",
    "Some order": "Eine Ordnung",
    "One *word*, $x^2$ and `code`, as [there](#some-order).": (
        "Ein *Wort*, $x^2$ und `code`, wie [dort](#some-order)."
    ),
    "name": "Name",
    "width": "Breite",
    "Answer": "Antwort",
    "No.": "Nein.",
}


@pytest.fixture(autouse=True)
def no_language_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sphinx.locale.translators", {})  # Sphinx keeps them for ever


def cell(kind: str, source: str, *tags: str, **data: object) -> dict[str, Any]:
    made: dict[str, Any] = {"cell_type": kind, "source": source, "metadata": {"tags": [*tags]}}
    if kind == "code":
        output = {"output_type": "display_data", "data": data["data"], "metadata": {}}
        made |= {"outputs": [output], "execution_count": 1}
    return made


def notebook() -> str:
    guess = {"number": "1.1", "choices": ["the same", "(3, 8)"], "unit": "positions"}
    told = {"number": "1.1", "said": "the same", "unit": "", "values": []}
    cells = [
        cell("markdown", "# A notebook\n\n<details><summary>Answers</summary>"),
        cell("code", "draw()", data={CAPTION: {"number": "1.1", "caption": "A line."}}),
        cell("markdown", "A line\nthat rises.", "description"),
        cell("code", "ask()", data={MIME: guess}),
        cell("code", "tell()", data={MIME: told}),
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def taken_out(folder: Path, name: str) -> set[str]:
    with (folder / "built" / f"{name}.pot").open("rb") as file:
        return {str(message.id) for message in read_po(file) if message.id}


def test_what_is_taken_out_is_text_and_no_machinery(tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text(PAGE, "utf-8")
    (tmp_path / "book.ipynb").write_text(notebook(), "utf-8")
    given = SETTINGS | {
        "extensions": ["myst_nb", "_ext.translation"],
        "gettext_compact": False,
        "nb_execution_mode": "off",
        "suppress_warnings": ["mystnb", "toc"],
    }
    built = tmp_path / "built"
    app = Sphinx(tmp_path, None, built, built / ".doctrees", "gettext", given, None, None, True)
    app.build()
    found = {text for text in taken_out(tmp_path, "index") if has_words(text)}
    assert found == {*GERMAN, "value"}
    own = {"A line.", "A line that rises.", "the same", "positions", "Answers"}
    assert own <= taken_out(tmp_path, "book")
    assert "(3, 8)" not in taken_out(tmp_path, "book")


def test_a_page_in_a_second_language_keeps_ids_code_and_formulas(tmp_path: Path) -> None:
    catalog = Catalog(locale="de")
    for text, said in GERMAN.items():
        catalog.add(text, said)
    file = tmp_path / "locale" / "de" / "LC_MESSAGES" / "index.po"
    file.parent.mkdir(parents=True)
    with file.open("wb") as there:
        write_po(there, catalog)
    in_german = {"language": "de", "locale_dirs": ["locale"], "gettext_compact": False}
    plain = {"html_math_renderer": "mathjax", "myst_heading_anchors": 3}
    page = build(tmp_path, {"index": PAGE}, "_ext.translation", **in_german, **plain)["index"]
    text = page.get_text()
    for said in ("Titel", "Eine Ordnung", "Ein Wort", "Breite", "Antwort", "Nein."):
        assert said in text, said
    assert not [said for said in ("Some order", "Answer", "No.") if said in text]
    section = page.select_one("section section")
    assert section is not None and section["id"] == "some-order"
    link = page.find("a", string="dort")
    assert link is not None and link["href"] == "#some-order"
    assert "code" in text and "x^2" in text and 'print("machinery")' in text and "y = 3" in text


def test_what_sphinx_does_not_see_is_said_in_the_notebook_itself() -> None:
    cells = json.loads(translation.rewrite(notebook(), str.upper))["cells"]
    data = [output["data"] for one in cells for output in one.get("outputs", ())]
    assert cells[0]["source"].endswith("<summary>ANSWERS</summary>")
    assert cells[2]["source"] == "A LINE THAT RISES."
    assert data[0][CAPTION] == {"number": "1.1", "caption": "A LINE."}
    assert data[1][MIME]["choices"] == ["THE SAME", "(3, 8)"], "numbers are no text"
    assert data[1][MIME]["unit"] == "POSITIONS" and data[2][MIME]["unit"] == ""
    assert data[2][MIME]["said"] in data[1][MIME]["choices"], "or the guess is never right"
    assert data[1][MIME]["english"] == {
        "choices": ["the same", "(3, 8)"],
        "unit": "positions",
        "said": "",
    }
    assert data[2][MIME]["english"]["said"] == "the same", "or it holds in one language only"


def test_a_changed_sentence_waits_for_a_look_and_an_unchanged_one_stays(tmp_path: Path) -> None:
    file = tmp_path / "page.po"
    first, second = Catalog(), Catalog()
    for catalog, number in ((first, "two"), (second, "three")):
        catalog.add("A row of numbers.")
        catalog.add(f"Every word has {number} numbers here.")
    begun = renew(first, file, "de")
    begun["A row of numbers."].string = "Eine Zeile von Zahlen."
    begun["Every word has two numbers here."].string = "Jedes Wort hat hier zwei Zahlen."
    with file.open("wb") as there:
        write_po(there, begun)
    renewed = renew(second, file, "de")
    assert renewed["A row of numbers."].string == "Eine Zeile von Zahlen."
    assert not renewed["A row of numbers."].fuzzy
    assert renewed["Every word has three numbers here."].fuzzy
    assert renewed.get("Every word has two numbers here.") is None


def exact(text: str) -> dict[str, Counter[Any]]:
    """What must be the same in every language, and how often it stands there."""
    # a script fills in other numbers in the order in which they stand
    found = {"given": Counter(enumerate(re.findall(r'om-given">([^<]*)<', text)))}
    rules = {
        "targets of downloads": r"\{download\}`[^`<]*<([^>`]+)>`",
        "code": r"`([^`]+)`",
        "formulas": r"\$([^$]+)\$",
        "links": r"\]\(([^)]+)\)",
        "HTML": r"(</?\w[^>]*>)",
        "placeholders": r"(%(?:\(\w+\))?s|\{\w+\})",
        "emphasis": r"(\*\*)",
    }
    for name, rule in rules.items():
        found[name] = Counter(re.findall(rule, text))
        text = re.sub(rule, " ", text)
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)  # 10,000
    found["numbers"] = Counter(re.findall(r"−?\d+(?:\.\d+)?", text))
    return found


def messages(file: Path) -> list[Message]:
    with file.open("rb") as there:
        return [message for message in read_po(there) if message.id]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER)))
def test_a_translation_has_the_numbers_formulas_code_and_links_of_the_text(file: Path) -> None:
    for message in messages(file):
        if message.fuzzy or not any(message.string):
            continue
        # where a number decides, a form has what one of the text's has: "one more", "{n} more"
        texts, forms = (
            [one] if isinstance(one, str) else one for one in (message.id, message.string)
        )
        for said in forms:
            assert exact(said) in [exact(text) for text in texts], message.id


@pytest.mark.parametrize("name", ["index", "chapters/00-start-here", "sphinx"])
def test_what_is_in_german_is_so_from_beginning_to_end(name: str) -> None:
    found = messages(FOLDER / "de" / "LC_MESSAGES" / f"{name}.po")
    assert len(found) > 20
    assert not [message.id for message in found if message.fuzzy or not all(message.string or [""])]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER)))
def test_a_catalogue_holds_no_machinery(file: Path) -> None:
    for message in messages(file):
        text = translation.singular(message)
        assert has_words(text), text
        rest = re.sub(r'<span class="om-given">|</span>|<a href="%s">|</a>', "", text)
        rule = r"</?[a-z]|data-" + r"|^\s*\$\$|\\begin" * (file.parent.name != SHEETS)
        assert not re.search(rule, rest), message.id


def test_the_faces_have_the_letters_of_the_language() -> None:
    assert set("äöüßÄÜ„“") <= set(translation.letters(FOLDER.parent, "de"))
    assert translation.letters(FOLDER.parent, "en") == ""


def keys(catalog: Iterable[Message]) -> set[str]:
    return {translation.singular(one) for one in catalog if has_words(translation.singular(one))}


@pytest.mark.parametrize("name", CODE)
def test_a_catalogue_of_what_code_says_is_up_to_it(name: str) -> None:
    have = messages(FOLDER / "de" / "LC_MESSAGES" / f"{name}.po")
    assert keys(of_code(name)) == keys(have), "run: make translation LANGUAGE=de"


def test_what_a_question_says_is_in_its_catalogue() -> None:
    said = keys(of_sheet("00-start-here"))
    question = next(iter(load("00").questions.values()))
    assert {*question.hints, question.solution.text, question.mistakes[0].text} <= said
    assert question.title not in said and question.prompt not in said, "in the chapter's catalogue"


CHAPTERS = [file for file in FILES if file.parent.name == "chapters" and file.stem in names()]


@pytest.mark.parametrize("file", CHAPTERS, ids=lambda file: str(file.relative_to(FOLDER)))
def test_with_a_chapter_comes_the_catalogue_of_its_exercises(file: Path) -> None:
    have = messages(file.parent.parent / SHEETS / file.name)
    assert keys(of_sheet(file.stem)) == keys(have), "run: make translation LANGUAGE=de"


def test_python_says_what_the_catalogues_of_a_language_have(tmp_path: Path) -> None:
    """Of the code, of a sheet, and of its chapter, where the titles of the questions are."""
    question = next(iter(load("00").questions.values()))
    given = {
        "exercises": {"Right": "Richtig", "Not yet": ""},
        "exercises/00-start-here": {question.hints[0]: "Ein Hinweis."},
        "chapters/00-start-here": {question.title: "Ein Titel"},
    }
    for name, translated in given.items():
        catalog = Catalog("de")
        for text, said in translated.items():
            catalog.add(text, said)
        file = tmp_path / "locale" / "de" / "LC_MESSAGES" / f"{name}.po"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as there:
            write_po(there, catalog)
    config = SimpleNamespace(language="de")
    translation.speak(SimpleNamespace(srcdir=tmp_path, config=config))  # type: ignore[arg-type]
    try:
        assert [say("Right"), say("Not yet")] == ["Richtig", "Not yet"]
        assert [say(question.hints[0]), say(question.title)] == ["Ein Hinweis.", "Ein Titel"]
        assert "Richtig" in feedback.framed("right", "", "")
    finally:
        texts.use(NullTranslations())
