"""The changelog as a page; links to mend a page.

The version stands at the foot of every page and leads here.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from markdown_it import MarkdownIt
from sphinx.application import Sphinx

from _ext import publish
from _ext.changelog import sections
from _ext.downloads.links import public
from pe_lib import __version__

PAGE = "changes"
BRANCH = "main"  # where changes are proposed to


def body(changelog: str) -> str:
    """The page: each version with its day, or "unreleased"."""
    shown = "".join(
        f'<section id="version-{name.replace(".", "-")}"><h2>{name}{f" ({day})" * bool(day)}</h2>'
        f"{MarkdownIt().render(text)}</section>\n"
        for name, day, text in sections(changelog)
    )
    return f'<section id="changes"><h1>Changes</h1>\n{shown}</section>'


def mending(repository: str, source: str, page: str) -> dict[str, str]:
    """Where a page is edited, and where a mistake in it is reported; `page` is its address."""
    if not repository or not source:
        return {}
    asked = urlencode({"template": "mistake.yml", "page": page})
    return {
        "Edit this page": f"{repository}/edit/{BRANCH}/{quote(source)}",
        "Report a mistake": f"{repository}/issues/new?{asked}",
    }


def foot(app: Sphinx, pagename: str) -> dict[str, Any]:
    """What the foot of a page says of its version and where it is mended."""
    source = ""
    if pagename in app.env.found_docs:
        source = Path(app.env.doc2path(pagename)).relative_to(app.srcdir).as_posix()
    address = publish.site_address() + publish.path_of(pagename)
    links = mending(public().repository, source, address)
    return {"version": __version__, "mending": links}


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    changelog = Path(app.srcdir, "CHANGELOG.md").read_text("utf-8")
    yield PAGE, {"title": "Changes", "body": body(changelog)}, "page.html"


def setup(app: Sphinx) -> None:
    app.connect("html-collect-pages", pages)
