"""Keep links to a section alive after the section has moved to another page.

`moved.toml` lists, for each page, the ids that have moved, each with the page and the id where the
text is now. The build puts the old id on the first paragraph that links to the new place, so that a
reader without scripts arrives there. With scripts, moved.js goes on to the new place at once.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.transforms import SphinxTransform

from _ext.markup import render_node

TABLE = Path(__file__).with_name("moved.toml")


@cache
def load_moves(text: str) -> dict[str, dict[str, str]]:
    """For each page, return the ids of moved sections, each with its new place as "page#id".

    Raises ExtensionError if a page has no table or a new place is not written in that form.
    """
    moves: dict[str, dict[str, str]] = tomllib.loads(text)
    for page, places in moves.items():
        if not isinstance(places, dict):
            raise ExtensionError(f"moved.toml: {page} must be a table of old ids and new places")
        for old_id, place in places.items():
            if not isinstance(place, str) or place.count("#") != 1:
                raise ExtensionError(
                    f'moved.toml: the new place of {page}#{old_id} must be written as "page#id", '
                    f"got {place!r}"
                )
    return moves


class MarkMovedPlaces(SphinxTransform):
    """Add each id that has moved away from a page to the paragraph that links to its new place."""

    # NamePlaces in anchors.py must run first, because it collects the ids that are still on the
    # page. Smart quotes (750) must also run first. Otherwise, the inserted HTML would turn a quote
    # at the beginning of the paragraph into a closing one.
    default_priority = 760

    def apply(self, **kwargs: Any) -> None:
        page = self.env.docname
        slugs = self.env.metadata[page].setdefault("myst_slugs", {})
        for old_id, place in load_moves(TABLE.read_text("utf-8")).get(page, {}).items():
            if old_id in slugs:
                raise ExtensionError(f"moved.toml: {page} still has the id {old_id}")
            paragraph = self._find_paragraph(place)
            if paragraph is None:
                raise ExtensionError(
                    f"moved.toml: {page}#{old_id} has moved to {place}, but no paragraph of the "
                    "page links there"
                )
            to_page, new_id = place.split("#")
            up = "../" * page.count("/")
            address = f"{up}{to_page}.html#{new_id}"
            paragraph.insert(0, render_node("moved/moved.html", id=old_id, address=address))
            slugs[old_id] = (paragraph.line, old_id, old_id)

    def _find_paragraph(self, place: str) -> nodes.paragraph | None:
        """Return the first paragraph with a link to a place, or None if there is none."""
        for link in self.document.findall(addnodes.pending_xref):
            if f"{link['reftarget']}#{link.get('reftargetid')}" == place:
                parent = link.parent
                while parent is not None and not isinstance(parent, nodes.paragraph):
                    parent = parent.parent
                if parent is not None:
                    return parent
        return None


def setup(app: Sphinx) -> None:
    app.add_transform(MarkMovedPlaces)
