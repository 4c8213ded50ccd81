"""Distinguish chapters, and the Deeper pages that belong to them, from all other pages.

A Deeper page holds what a chapter's main idea does not need, such as a long proof. Its name is the
name of the chapter with "-deeper" at the end, and _toc.yml lists it in a section below the chapter.
"""

import re
from collections.abc import Iterable

_NUMBERED = re.compile(r"chapters/\d\d-")
_SUFFIX = "-deeper"


def is_deeper(page: str) -> bool:
    """Return whether a page is a Deeper page, which belongs to a chapter.

    >>> [is_deeper(f"chapters/{name}") for name in ("03-frequencies", "03-frequencies-deeper")]
    [False, True]
    """
    return belongs_to_chapter(page) and page.endswith(_SUFFIX)


def is_chapter(page: str) -> bool:
    """Return whether a page is a chapter. Deeper pages and appendices are not chapters.

    >>> [is_chapter(f"chapters/{name}") for name in ("03-frequencies", "03-frequencies-deeper")]
    [True, False]
    """
    return belongs_to_chapter(page) and not is_deeper(page)


def belongs_to_chapter(page: str) -> bool:
    """Return whether a page is either a chapter or a chapter's Deeper page."""
    return bool(_NUMBERED.match(page))


def find_chapter(page: str) -> str:
    """Return the chapter to which a page belongs, which is the page itself if it is a chapter.

    >>> find_chapter("chapters/03-frequencies-deeper")
    'chapters/03-frequencies'
    """
    return page.removesuffix(_SUFFIX)


def list_chapters(pages: Iterable[str]) -> list[str]:
    """Return those of `pages` that are chapters, ordered by number."""
    return sorted(filter(is_chapter, pages))
