"""Show the changelog as a page, and add links to each page for editing it and reporting mistakes.

The footer of every page names the version and links to the changelog.
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
BRANCH = "main"  # links for editing a page open the page's source on this branch


def render_changelog(changelog: str) -> str:
    """Return the changelog page as HTML, with a section for each version."""
    versions = "".join(
        f'<section id="version-{version.replace(".", "-")}"><h2>{version}{f" ({day})" * bool(day)}'
        f"</h2>{MarkdownIt().render(text)}</section>\n"
        for version, day, text in sections(changelog)
    )
    return f'<section id="changes"><h1>Changes</h1>\n{versions}</section>'


def edit_links(repository: str, source: str, address: str) -> dict[str, str]:
    """Return links to edit the file `source`, and to report a mistake on the page at `address`.

    The result is empty if the page has no source, or if the repository is not known.
    """
    if not repository or not source:
        return {}
    query = urlencode({"template": "mistake.yml", "page": address})
    return {
        "Edit this page": f"{repository}/edit/{BRANCH}/{quote(source)}",
        "Report a mistake": f"{repository}/issues/new?{query}",
    }


def foot_of_page(app: Sphinx, page_name: str) -> dict[str, Any]:
    """Return the values that the footer of a page shows: the version and the edit links."""
    source = ""
    if page_name in app.env.found_docs:
        source = Path(app.env.doc2path(page_name)).relative_to(app.srcdir).as_posix()
    address = publish.site_address() + publish.page_path(page_name)
    return {
        "version": __version__,
        "edit_links": edit_links(public().repository, source, address),
    }


def list_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the changelog page for Sphinx, as its name, its context and its template."""
    changelog = Path(app.srcdir, "CHANGELOG.md").read_text("utf-8")
    yield PAGE, {"title": "Changes", "body": render_changelog(changelog)}, "page.html"


def setup(app: Sphinx) -> None:
    app.connect("html-collect-pages", list_pages)
