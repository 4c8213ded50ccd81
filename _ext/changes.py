"""The changelog as a page, and, where the site's address is known, as a feed; links to mend a page.

The version stands at the foot of every page and leads here.
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from docutils import nodes
from markdown_it import MarkdownIt
from sphinx.application import Sphinx

from _ext import elsewhere, publish
from _ext.changelog import sections
from pe_lib import __version__

PAGE, FEED = "changes", "changes.xml"
BRANCH = "main"  # where changes are proposed to
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def versions(changelog: str) -> list[tuple[str, str, str]]:
    """Each version with its day, or "unreleased", and its text as HTML.

    >>> versions("# Changelog\\n\\n## 1.0.0 (2027-01-31)\\n\\n- New.\\n")
    [('1.0.0', '2027-01-31', '<ul>\\n<li>New.</li>\\n</ul>\\n')]
    """
    return [(name, day, MarkdownIt().render(text)) for name, day, text in sections(changelog)]


def anchor(version: str) -> str:
    return f"version-{version.replace('.', '-')}"


def body(changelog: str, followed: bool) -> str:
    """The page; `followed` if there is a feed."""
    follow = f'<p><a href="{FEED}">Follow the changes in a feed reader</a></p>' * followed
    shown = "".join(
        f'<section id="{anchor(name)}"><h2>{name}{f" ({day})" * bool(day)}</h2>{text}</section>\n'
        for name, day, text in versions(changelog)
    )
    return f'<section id="changes"><h1>Changes</h1>{follow}\n{shown}</section>'


def feed(changelog: str, address: str) -> str:
    """The released versions as an Atom feed (RFC 4287)."""
    released = [entry for entry in versions(changelog) if _DAY.fullmatch(entry[1])]
    newest = max((day for _, day, _ in released), default="1970-01-01")
    entries = "".join(
        f"<entry><id>{address}{PAGE}.html#{anchor(name)}</id>"
        f"<title>Order Matters {name}</title><updated>{day}T00:00:00Z</updated>"
        f'<link href="{address}{PAGE}.html#{anchor(name)}"/>'
        f'<content type="html">{html.escape(text)}</content></entry>\n'
        for name, day, text in released
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<id>{address}</id><title>Order Matters</title><updated>{newest}T00:00:00Z</updated>"
        f'<author><name>The Order Matters authors</name></author><link href="{address}"/>'
        f'<link rel="self" href="{address}{FEED}"/>\n{entries}</feed>\n'
    )


def mending(repository: str, source: str, page: str) -> dict[str, str]:
    """Where a page is edited, and where a mistake in it is reported; `page` is its address."""
    if not repository or not source:
        return {}
    asked = urlencode({"template": "mistake.yml", "page": page})
    return {
        "Edit this page": f"{repository}/edit/{BRANCH}/{quote(source)}",
        "Report a mistake": f"{repository}/issues/new?{asked}",
    }


def complete(
    app: Sphinx,
    pagename: str,
    template: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    source = ""
    if pagename in app.env.found_docs:
        source = Path(app.env.doc2path(pagename)).relative_to(app.srcdir).as_posix()
    address = publish.site_address() + publish.path_of(pagename)
    context["version"] = __version__
    context["mending"] = mending(elsewhere.public().repository, source, address)
    context["feed"] = FEED if publish.site_address() else ""


def read(app: Sphinx) -> str:
    return Path(app.srcdir, "CHANGELOG.md").read_text("utf-8")


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    text = body(read(app), bool(publish.site_address()))
    yield PAGE, {"title": "Changes", "body": text}, "page.html"


def write(app: Sphinx, exception: Exception | None) -> None:
    file = Path(app.outdir, FEED)
    file.unlink(missing_ok=True)
    if not exception and (address := publish.site_address()):
        file.write_text(feed(read(app), address), "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", complete)
    app.connect("html-collect-pages", pages)
    app.connect("build-finished", write, priority=850)  # before _ext.face copies what is there
    return {"parallel_read_safe": True, "parallel_write_safe": True}
