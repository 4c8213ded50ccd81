"""Where the built site is, which pages it must have, and how readers look at them."""

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
    """Every page of _toc.yml, as a path in the site."""
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
def parsed(path: Path) -> BeautifulSoup:
    """A page as it was built; nobody changes it."""
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


@cache
def ids(path: Path) -> set[str]:
    """What one may link to in a page."""
    return set(re.findall(r'\sid="([^"]*)"', path.read_text("utf-8")))


CHAPTERS = chapters()
PAGES = [*CHAPTERS, "search.html", "notices.html", "changes.html"]
EXPLORED = "chapters/02-the-formula.html"  # holds figures and explorers

WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}
BETWEEN = {"width": 600, "height": 800}
Open = Callable[..., Page]  # what the fixture `open_page` gives,
Explored = Callable[..., Locator]  # and `explored`
