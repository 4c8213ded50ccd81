"""Everything on a page that a reader may want to point at has an id that lasts, and a link to it.

Figures take their name from the section they stand in, so that one more figure elsewhere changes
no link; explorers from their kind; formulas from their number; a question from its name.
"""

import re

from bs4 import Tag
from sphinx.errors import ExtensionError

from _ext.page import Page

_TAG = re.compile(r"\\tag\{(\d+\.\d+)\}")


def add(page: Page) -> None:
    for link in page.soup.select("article a.headerlink"):
        heading = link.parent.get_text(" ", strip=True).removesuffix("#").strip()
        link["aria-label"] = f"Link to: {heading}"
    for explorer in page.soup.select("article .om-explorer"):
        _anchor(page, explorer, f"explorer-{explorer['data-kind']}", "the explorer")
    for box in page.soup.select("article div.math"):
        if number := formula(box):
            _anchor(page, box, identity(number), f"formula ({number})", "")


def identity(number: str) -> str:
    """The id of a formula.

    >>> identity("5.1")
    'equation-5-1'
    """
    return f"equation-{number.replace('.', '-')}"


def formula(box: Tag) -> str | None:
    """The number of a displayed formula, from the TeX that KaTeX leaves in the page."""
    source = box.select_one("annotation")
    found = _TAG.search(source.get_text()) if source else None
    return found[1] if found else None


def section(tag: Tag) -> tuple[str, str]:
    """Title and id of the section around `tag`."""
    around = tag.find_parent("section")
    if around is None:
        raise ExtensionError(f"<{tag.name} {tag.get('class')}> stands outside of every section")
    link = around.select_one("a.headerlink")
    return str(link["aria-label"]).removeprefix("Link to: "), str(link["href"])[1:]


def _anchor(page: Page, tag: Tag, name: str, label: str, more: str = "-{}") -> None:
    """Give `tag` the id `name`, or the next one that is free, and put a link to it beside it."""
    taken, count = name, 1
    while page.soup.find(id=taken):
        if not more:
            raise ExtensionError(f"{page.source.name} has two of {label}")
        count += 1
        taken = name + more.format(count)
    tag["id"] = taken
    numbered = f"{label}, number {count}" if count > 1 else label
    link = page.new("a", href=f"#{taken}", string="#", **{"aria-label": f"Link to {numbered}"})
    link["class"] = ["headerlink", "om-link"]
    tag.wrap(page.new("div", **{"class": "om-place"})).append(link)
