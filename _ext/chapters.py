"""Distinguish chapters, and the Deeper pages that belong to chapters, from all other pages.

A Deeper page holds what a chapter's main idea does not need, such as a long proof. Its name is the
name of the chapter with "-deeper" at the end, and _toc.yml lists it in a section below the chapter.
"""

import re
from collections.abc import Iterable

_NUMBERED = re.compile(r"chapters/\d\d-")
_SUFFIX = "-deeper"


def is_deeper(page: str) -> bool:
    """Return whether a page is the Deeper page of a chapter.

    >>> [is_deeper(f"chapters/{name}") for name in ("03-frequencies", "03-frequencies-deeper")]
    [False, True]
    """
    return belongs_to_chapter(page) and page.endswith(_SUFFIX)


def is_chapter(page: str) -> bool:
    """Return whether a page is a chapter. Deeper pages and appendices are not.

    >>> [is_chapter(f"chapters/{name}") for name in ("03-frequencies", "03-frequencies-deeper")]
    [True, False]
    """
    return belongs_to_chapter(page) and not is_deeper(page)


def belongs_to_chapter(page: str) -> bool:
    """Return whether a page is a chapter or the Deeper page of a chapter."""
    return bool(_NUMBERED.match(page))


def find_chapter(page: str) -> str:
    """Return the chapter to which a Deeper page belongs. A chapter belongs to itself.

    >>> find_chapter("chapters/03-frequencies-deeper")
    'chapters/03-frequencies'
    """
    return page.removesuffix(_SUFFIX)


def list_chapters(pages: Iterable[str]) -> list[str]:
    """Return the chapters among `pages`, in the order of their numbers."""
    return sorted(filter(is_chapter, pages))
