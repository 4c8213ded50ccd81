"""Define where the built site is, which pages it must have, and screen sizes for tests."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from bs4 import BeautifulSoup
from playwright.sync_api import Locator, Page

ROOT = Path(__file__).parents[2]
SITE = ROOT / "_build" / "site"


def chapters() -> list[str]:
    """Return the paths of all pages of the site that _toc.yml lists."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    pages: list[str] = [toc["root"]]

    def visit(node: dict[str, Any]) -> None:
        for part in node.get("parts", []):
            visit(part)
        for entry in node.get("chapters", []) + node.get("sections", []):
            if "file" in entry:
                pages.append(entry["file"])
            visit(entry)

    visit(toc)
    return [f"{name.removesuffix('.ipynb').removesuffix('.md')}.html" for name in pages]


@cache
def parse_page(path: Path) -> BeautifulSoup:
    """Return the parsed HTML of a built page. The object is shared, so no test may change it."""
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


@cache
def ids(path: Path) -> set[str]:
    """Return all ids on a page to which a link can point."""
    return set(re.findall(r'\sid="([^"]*)"', path.read_text("utf-8")))


CHAPTERS = chapters()
PAGES = [*CHAPTERS, "search.html", "notices.html", "changes.html"]
EXPLORED = "chapters/02-the-formula.html"  # this page contains figures as well as explorers

WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}
BETWEEN = {"width": 600, "height": 800}
Open = Callable[..., Page]  # the type of the fixture called `open_page`
Explored = Callable[..., Locator]  # the type of the fixture called `explored`
