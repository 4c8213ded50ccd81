"""The book in another language: Sphinx's own gettext, with the catalogues in `locale/`.

Sphinx takes headings, paragraphs, items and cells of tables from the catalogue of their page. Ids
stay the English ones, so that a link holds in every language. What Sphinx does not see stands in
outputs and in HTML: captions and descriptions of figures, the choices of a guess, the word that
opens an answer. It is taken from the same catalogue here, before the notebook becomes a page. What
code says has catalogues of its own, which Python reads by `texts`; a script is given those of its
sentences that are translated.
"""

import io
import json
import re
import zlib
from collections.abc import Callable, Iterable
from functools import cache
from gettext import GNUTranslations, NullTranslations, translation
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from docutils import nodes
from sphinx.addnodes import toctree
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.i18n import docname_to_domain

from _ext import outputs
from pe_lib.course import explorers, predictions, texts
from pe_lib.course.explorers._base import MIME as EXPLORER
from pe_lib.course.figures import CAPTION
from pe_lib.course.grading import sheet

Translate = Callable[[str], str]
_SUMMARY = re.compile(r"(?<=<summary>)[^<]+(?=</summary>)")
MACHINERY = (nodes.math_block, nodes.raw, nodes.literal_block)
_EXACT = re.compile(r"`[^`]*`|\$[^$]*\$")
_WORD = re.compile(r"[^\W\d_]{2}")


def rewrite(source: str, translate: Translate) -> str:
    """The notebook `source` with `translate(text)` for each text that Sphinx does not see.

    >>> cell = {"cell_type": "markdown", "source": "<details><summary>Answer</summary>"}
    >>> json.loads(rewrite(json.dumps({"cells": [cell]}), str.upper))["cells"][0]["source"]
    '<details><summary>ANSWER</summary>'
    """
    notebook = json.loads(source)
    for cell in notebook["cells"]:
        written = outputs.text(cell["source"])
        if outputs.is_description(cell):
            cell["source"] = translate(" ".join(written.split()))
        elif cell["cell_type"] == "markdown":
            cell["source"] = opened(written, translate)
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if CAPTION in data:
                data[CAPTION]["caption"] = translate(data[CAPTION]["caption"])
            if EXPLORER in data:
                shown = data[EXPLORER]
                shown["caption"] = explorers.of_kind(shown["kind"])(**shown["state"]).caption()
            if predictions.MIME in data:
                guess = data[predictions.MIME]
                # a browser keeps a guess by its English words, so that it holds in every language
                kept = {"choices": (), "unit": "", "said": ""} | guess
                guess["english"] = {name: kept[name] for name in ("choices", "unit", "said")}
                for name in {"unit", "said"} & guess.keys():
                    guess[name] = words(guess[name], translate)
                if "choices" in guess:
                    guess["choices"] = [words(choice, translate) for choice in guess["choices"]]
    return json.dumps(notebook)


def opened(source: str, translate: Translate) -> str:
    """Markdown with the lines that open an answer in the words of `translate`."""
    return _SUMMARY.sub(lambda found: translate(found[0]), source)


def words(text: str, translate: Translate) -> str:
    """A text with a word in it; numbers are the same in every language.

    >>> words("the same", str.upper), words("(3, 8)", str.upper)
    ('THE SAME', '(3, 8)')
    """
    return translate(text) if _WORD.search(text) else text


def has_words(text: str) -> bool:
    """Whether there is something to translate beside numbers, formulas and names in code.

    >>> has_words("$t$, $s$"), has_words("`d_model`"), has_words("2, 3"), has_words("base")
    (False, False, False, True)
    """
    return bool(_WORD.search(_EXACT.sub("", text)))


def catalogue(app: Sphinx, page: str) -> NullTranslations:
    """The texts of a page, as Sphinx has compiled them; without a catalogue they stay English."""
    config = app.config
    if config.language == "en":
        return NullTranslations()
    folders = [str(Path(app.srcdir, folder)) for folder in config.locale_dirs]
    domain = docname_to_domain(page, config.gettext_compact)
    found = NullTranslations()
    for folder in folders:
        found.add_fallback(translation(domain, folder, [config.language], fallback=True))
    return found


AROUND = "sphinx"  # the catalogue of what stands around the pages; Sphinx looks there first
CODE = ("explorers", "exercises")  # those of what `texts.say` says
SHEETS = "exercises"  # the folder of those of what sheets of exercises say


def speak(app: Sphinx) -> None:
    """Have Python say what it says in the language of the book."""
    english = app.config.language == "en"
    if english:
        texts.use(NullTranslations())
    else:
        texts.use(known(Path(app.srcdir), app.config.language), comma="")


@cache
def known(root: Path, language: str) -> NullTranslations:
    """What Python says, from the catalogues themselves: Sphinx compiles them later than this."""
    found = NullTranslations()
    sheets = (f"{folder}/{name}" for name in sheet.names() for folder in (SHEETS, "chapters"))
    for name in (*CODE, *sheets):  # a question's title is in the catalogue of its chapter
        compiled = io.BytesIO()
        write_mo(compiled, read(root, language, name))
        compiled.seek(0)
        found.add_fallback(GNUTranslations(compiled))
    return found


def table(app: Sphinx, name: str, modules: Iterable[str], within: bool = True) -> str:
    """What these modules say, by the catalogue of this name: lines before their script.

    Scripts that speak `within` the text of a page speak English in one that is in English.
    """
    if app.config.language == "en":
        return ""
    catalog, wanted = read(Path(app.srcdir), app.config.language, name), set(modules)
    said = {
        singular(message): message.string
        for message in catalog
        if message.id and is_said(message)
        and wanted & {Path(path).stem for path, _ in message.locations}
    }  # fmt: skip
    held = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
    where = 'if (!document.querySelector("article[lang]")) ' if within else ""
    return (
        f"{where}{{\nwindow.omTexts = Object.assign(window.omTexts ?? {{}}, {held});\n"
        f"window.omPlural = (n) => Number{catalog.plural_expr};\nwindow.omComma = '';\n}}\n"
    )


def singular(message: Message) -> str:
    """The key of a sentence: of one that a number decides, the first form."""
    return str(message.id if isinstance(message.id, str) else message.id[0])


def is_said(message: Message) -> bool:
    """Whether it is translated, in all its forms, and was looked at since it was changed."""
    forms = [message.string] if isinstance(message.string, str) else message.string
    return all(forms) and not message.fuzzy


@cache
def read(root: Path, language: str, name: str) -> Catalog:
    """A catalogue as it stands in `locale/`; an empty one if it is not there."""
    path = root / "locale" / language / "LC_MESSAGES" / f"{name}.po"
    if not path.exists():
        return Catalog(language)
    with path.open("rb") as file:
        return read_po(file)


def letters(root: Path, language: str) -> str:
    """What the catalogues of a language are written with, beside ASCII."""
    files = sorted(Path(root, "locale", language).rglob("*.po"))
    found = set("".join(file.read_text("utf-8") for file in files))
    return "".join(sorted(letter for letter in found if not letter.isascii()))


def on_source_read(app: Sphinx, page: str, source: list[str]) -> None:
    """Translate what Sphinx does not see; to extract it, note it for `complete`."""
    said: list[str] = []

    def note(text: str) -> str:
        said.append(text)
        return text

    if app.builder.name == "gettext":
        translate: Translate = note
        app.env.temp_data["om_said"] = said
    elif app.config.language != "en":
        known = catalogue(app, page)

        def translate(text: str) -> str:
            return known.gettext(text) if text else text
    else:
        return
    change = rewrite if app.env.doc2path(page).endswith(".ipynb") else opened
    source[0] = change(source[0], translate)


def complete(app: Sphinx, doctree: nodes.document) -> None:
    """To be extracted: what Sphinx does not see as paragraphs, and no formulas, which it does.

    On the site: the captions of the contents, which come from _toc.yml after Sphinx's translation.
    """
    if app.builder.name != "gettext":
        translate = catalogue(app, app.env.docname).gettext
        for contents in doctree.findall(toctree):
            if contents.get("caption"):
                contents["caption"] = translate(contents["caption"])
        return
    for node in list(doctree.findall(lambda node: isinstance(node, MACHINERY))):
        node.parent.remove(node)
    for text in dict.fromkeys(app.env.temp_data.pop("om_said", ())):
        paragraph = nodes.paragraph(text, text)
        paragraph.source, paragraph.line = doctree["source"], 0
        doctree += paragraph


class Slugs(SphinxTransform):
    """The names of headings, which MyST forgets when Sphinx has it parse a translated one."""

    default_priority = 21  # after Sphinx's translation

    def apply(self, **kwargs: Any) -> None:
        if slugs := getattr(self.document, "myst_slugs", None):
            self.env.metadata[self.env.docname]["myst_slugs"] = slugs


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", speak, priority=100)  # before a page is read or a script written
    app.connect("source-read", on_source_read, priority=400)  # before others make HTML of it
    app.connect("doctree-read", complete, priority=900)
    app.add_transform(Slugs)
    # Sphinx keeps parsed pages; they are stale when this code changes
    version = zlib.crc32(Path(__file__).read_bytes())
    return {"env_version": version, "parallel_read_safe": True, "parallel_write_safe": True}
