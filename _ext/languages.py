"""Which language a page speaks in the site of another language, and which one parts of it speak.

A page without a catalogue is English. It says so: to its reader, to screen readers, to search
engines, whose address for it is the one in the English site, and to the extensions and scripts,
which say in English what they say within its text.
"""

import re
import zlib
from collections.abc import Iterable
from gettext import NullTranslations
from pathlib import Path
from typing import Any

from babel import Locale
from docutils import nodes
from sphinx import locale
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms import SphinxTransform

from _ext import changes, elsewhere, explorers, made, translation
from _ext.translation import AROUND, CODE, MACHINERY, has_words
from pe_lib.course import texts

GUIDE = "contributing/translation.md"
_THEME = ("general", "sphinx")  # where Sphinx keeps the translation of what `_` says
_LINK = re.compile(r'<a [^>]*href="([^"]*)"')
_QUIZ = '<form class="om-quiz"'
IN_ENGLISH = ' lang="en" dir="ltr"'


def said(app: Sphinx, name: str, modules: Iterable[str] = ()) -> dict[str, bool]:
    """For each text of a catalogue whether it is translated; of those of these modules, if any."""
    wanted, catalog = set(modules), translation.read(Path(app.srcdir), app.config.language, name)
    return {
        translation.singular(one): translation.is_said(one)
        for one in catalog
        if one.id and (not wanted or wanted & {Path(path).stem for path, _ in one.locations})
    }


def is_english(app: Sphinx, page: str) -> bool:
    """Whether the page is read in English although the site speaks another language.

    That is so until its catalogue has more than half of it.
    """
    if app.config.language == "en" or page not in app.env.found_docs:
        return False
    known = said(app, page).values()
    return 2 * sum(known) <= len(known)


def english(app: Sphinx) -> set[str]:
    """The pages of this site that are read in English."""
    return {page for page in app.env.found_docs if is_english(app, page)}


def is_whole(app: Sphinx, name: str, modules: Iterable[str] = ()) -> bool:
    """Whether nothing of a catalogue, or of what these modules say by it, is left in English."""
    known = said(app, name, modules).values()
    return bool(known) and all(known)


def parts(app: Sphinx, page: str, body: str) -> str:
    """The explorers and questions of a page with their language, if some of it is English."""

    def told(host: re.Match[str]) -> str:
        return host[0] + IN_ENGLISH * (not is_whole(app, "explorers", explorers.modules(host[1])))

    sheet = f"{translation.SHEETS}/{page.split('/')[-1]}"
    if not (is_whole(app, "exercises") and is_whole(app, sheet)):
        body = body.replace(_QUIZ, _QUIZ + IN_ENGLISH)
    return explorers.HOST.sub(told, body)


class Marks(SphinxTransform):
    """Tell docutils, which sets quotation marks, the language of a page, and of what is in another.

    It takes such a class for the language of a text, and writes it as `lang`.
    """

    default_priority = 22  # after Sphinx's translation

    def apply(self, **kwargs: Any) -> None:
        app, page, language = self.app, self.env.docname, self.config.language
        if app.builder.name == "gettext" or language == "en":
            return
        around, known = "en" if is_english(app, page) else language, said(app, page)
        self.document.settings.language_code = around
        for node in self.document.findall(nodes.TextElement):
            text = " ".join(node.rawsource.split())
            if "translated" not in node or isinstance(node, MACHINERY) or not has_words(text):
                continue
            # to Sphinx, a translation that is the same word for word is none
            own = language if node["translated"] or known.get(text) else "en"
            if own != around:
                node["classes"].append(f"language-{tag(own)}")


def tag(language: str) -> str:
    """The language as HTML names it: "pt-BR" for "pt_BR"."""
    return language.replace("_", "-")


def is_rtl(language: str) -> bool:
    """Whether a language runs from right to left.

    >>> is_rtl("de"), is_rtl("pt_BR"), is_rtl("ar")
    (False, False, True)
    """
    return Locale.parse(language, sep="_").text_direction == "rtl"


def speak(app: Sphinx, page: str) -> None:
    """Let the extensions say what they say within a page in the page's language."""
    if is_english(app, page):
        locale.translators[_THEME] = NullTranslations()
        texts.use(NullTranslations())
    else:
        back(app)


def back(app: Sphinx) -> None:
    locale.translators[_THEME] = app.translator
    translation.speak(app)


def around(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """What the templates need: the site's language, and what is in English on this page."""
    back(app)
    language, left = app.config.language, english(app)
    addresses = {app.builder.get_relative_uri(page, other) or "#" for other in left}
    repository, menu = elsewhere.public().repository, context.get("toctree")
    context |= {
        "language": tag(language),
        "rtl": is_rtl(language),
        "english": language != "en" and (page in left or "english" in context),
        "english_links": addresses,
        "guide": repository and f"{repository}/blob/{changes.BRANCH}/{GUIDE}",
    }
    if language != "en" and "body" in context and not context["english"]:
        context["body"] = parts(app, page, context["body"])
    if left and menu:
        context["toctree"] = lambda **asked: marked(menu(**asked), addresses)


def marked(menu: str, addresses: set[str]) -> str:
    """The menu with the language of the links to these addresses.

    >>> marked('<a href="a.html">A</a> <a href="b.html">B</a>', {"b.html"})
    '<a href="a.html">A</a> <a href="b.html" lang="en">B</a>'
    """
    return _LINK.sub(lambda found: found[0] + ' lang="en"' * (found[1] in addresses), menu)


def tell(app: Sphinx, config: Config) -> None:
    """What is said within a page is read with it: of other catalogues, every page is read anew."""
    names = (AROUND, *CODE, f"{translation.SHEETS}/*")
    files = (f"locale/{config.language}/LC_MESSAGES/{name}.po" for name in names)
    config.om_said = made.digest(Path(app.srcdir), files)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("om_said", "", "env")
    app.connect("config-inited", tell)
    # what is said within a page is said while its text is read, and while it is written
    app.connect("source-read", lambda app, page, source: speak(app, page), priority=0)
    app.connect("doctree-resolved", lambda app, doctree, page: speak(app, page), priority=0)
    app.add_transform(Marks)
    app.connect("html-page-context", around)
    # Sphinx keeps parsed pages; they are stale when this code changes
    version = zlib.crc32(Path(__file__).read_bytes())
    return {"env_version": version, "parallel_read_safe": True}
