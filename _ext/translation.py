"""The book in another language: Sphinx's own gettext, with the catalogues in `locale/`.

Sphinx takes headings, paragraphs, items and cells of tables from the catalogue of their page. Ids
stay the English ones, so that a link holds in every language. What Sphinx does not see stands in
outputs and in HTML: captions and descriptions of figures, the choices of a guess, the word that
opens an answer. It is taken from the same catalogue here, before the notebook becomes a page.
"""

import json
import re
from collections.abc import Callable
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Any

from babel import Locale
from docutils import nodes
from sphinx.addnodes import toctree
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.i18n import docname_to_domain

from _ext import outputs
from pe_lib.course import predictions
from pe_lib.course.figures import CAPTION

Say = Callable[[str], str]
_SUMMARY = re.compile(r"(?<=<summary>)[^<]+(?=</summary>)")
_MACHINERY = (nodes.math_block, nodes.raw, nodes.literal_block)


def rewrite(source: str, say: Say) -> str:
    """The notebook `source` with `say(text)` for each text that Sphinx does not see.

    >>> cell = {"cell_type": "markdown", "source": "<details><summary>Answer</summary>"}
    >>> json.loads(rewrite(json.dumps({"cells": [cell]}), str.upper))["cells"][0]["source"]
    '<details><summary>ANSWER</summary>'
    """
    notebook = json.loads(source)
    for cell in notebook["cells"]:
        written = outputs.text(cell["source"])
        if outputs.is_description(cell):
            cell["source"] = say(" ".join(written.split()))
        elif cell["cell_type"] == "markdown":
            cell["source"] = opened(written, say)
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if CAPTION in data:
                data[CAPTION]["caption"] = say(data[CAPTION]["caption"])
            if predictions.MIME in data:
                guess = data[predictions.MIME]
                for name in {"unit", "said"} & guess.keys():
                    guess[name] = words(guess[name], say)
                if "choices" in guess:
                    guess["choices"] = [words(choice, say) for choice in guess["choices"]]
    return json.dumps(notebook)


def opened(source: str, say: Say) -> str:
    """Markdown with the lines that open an answer said by `say`."""
    return _SUMMARY.sub(lambda found: say(found[0]), source)


def words(text: str, say: Say) -> str:
    """A text with a word in it; numbers are the same in every language.

    >>> words("the same", str.upper), words("(3, 8)", str.upper)
    ('THE SAME', '(3, 8)')
    """
    return say(text) if re.search(r"[^\W\d_]{2}", text) else text


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
        say: Say = note
        app.env.temp_data["om_said"] = said
    elif app.config.language != "en":
        known = catalogue(app, page)

        def say(text: str) -> str:
            return known.gettext(text) if text else text
    else:
        return
    change = rewrite if app.env.doc2path(page).endswith(".ipynb") else opened
    source[0] = change(source[0], say)


def complete(app: Sphinx, doctree: nodes.document) -> None:
    """To be extracted: what Sphinx does not see as paragraphs, and no formulas, which it does.

    On the site: the captions of the contents, which come from _toc.yml after Sphinx's translation.
    """
    if app.builder.name != "gettext":
        say = catalogue(app, app.env.docname).gettext
        for contents in doctree.findall(toctree):
            if contents.get("caption"):
                contents["caption"] = say(contents["caption"])
        return
    for node in list(doctree.findall(lambda node: isinstance(node, _MACHINERY))):
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


def direction(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    context["rtl"] = Locale.parse(app.config.language, sep="_").text_direction == "rtl"


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", on_source_read, priority=400)  # before others make HTML of it
    app.connect("doctree-read", complete, priority=900)
    app.add_transform(Slugs)
    app.connect("html-page-context", direction)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
