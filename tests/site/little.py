"""Build a small book, so that a test can check the effect of a single extension."""

from pathlib import Path

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

SETTINGS = {
    "myst_enable_extensions": ["dollarmath"],
    "html_math_renderer": "katex",
    "html_theme": "basic",
    "html_copy_source": False,
    "exclude_patterns": ["built"],
}


def build(
    folder: Path, pages: dict[str, str], *extensions: str, fresh: bool = True, **more: object
) -> dict[str, Tag]:
    """Build a book from Markdown texts, and return the parsed body of each page by page name.

    One of the pages must be `index`. If `fresh` is false, `pages` holds only the pages that changed
    since the last build. `more` are Sphinx settings.
    """
    for name, text in pages.items():
        file = folder / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")
    settings = SETTINGS | {"extensions": ["myst_nb", "_ext.formulas", *extensions]}
    settings |= more
    built = folder / "built"
    app = Sphinx(folder, None, built, built / ".doctrees", "html", settings, None, None, fresh)
    app.build()
    return {
        name: body
        for name in pages
        for body in BeautifulSoup(
            (built / f"{name}.html").read_text("utf-8"), "html.parser"
        ).select("div.body", limit=1)
    }
