"""Let plain Markdown links point to named places, as in `[Su et al. (2021)](appendix.md#su2021)`.

The author marks the place with `<a id="su2021"></a>`, which also works in JupyterLab.
This extension turns the mark into the id of the list item or paragraph around it, and registers
the id with MyST. So a link to a place that does not exist fails the build.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

_MARK = re.compile(r'<a id="([\w-]+)">')
_NUMBERED = re.compile(r"id\d+")


class NamePlaces(SphinxTransform):
    """Turn `<a id>` tags into ids, and give each section an id that survives edits of the page."""

    # runs after docutils has assigned ids, and before Sphinx collects the ids
    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        slugs = self.env.metadata[self.env.docname].setdefault("myst_slugs", {})
        for raw in list(self.document.findall(nodes.raw)):
            if mark := _MARK.fullmatch(raw.astext()):
                self._move_mark(raw, mark[1], slugs)
        for slug, (line, old_id, title) in list(slugs.items()):
            if _NUMBERED.fullmatch(old_id):
                # If a section has the same title as its page, -2 is appended to its id, as in MyST.
                new_id = f"{slug}-2" if slug in self.document.ids else slug
                self._rename_section(old_id, new_id)
                slugs[slug] = (line, new_id, title)
        for section in self.document.findall(nodes.section):
            # The id that the author has given to an exercise comes first, because it remains the
            # same if the title changes.
            section["ids"].sort(key=lambda section_id: not section_id.startswith("exercise-"))
            # MyST registers only headings, so other ids are added here
            for section_id in section["ids"]:
                slugs.setdefault(section_id, (section.line, section_id, section_id))

    def _move_mark(self, raw: nodes.raw, name: str, slugs: dict[str, Any]) -> None:
        """Move the id of an empty `<a id>` tag to the list item or paragraph around it."""
        paragraph = raw.parent
        is_in_list = isinstance(paragraph.parent, nodes.list_item)
        (paragraph.parent if is_in_list else paragraph)["ids"].append(name)
        slugs[name] = (raw.line, name, name)
        end_tag = paragraph[paragraph.index(raw) + 1]
        if end_tag.astext() == "</a>":
            paragraph.remove(end_tag)
        paragraph.remove(raw)

    def _rename_section(self, old_id: str, new_id: str) -> None:
        """Replace an id such as "id3", which docutils gives to a section with a repeated title.

        The number in such an id counts these sections, so it would change when the page is edited.
        """
        section = self.document.ids[new_id] = self.document.ids.pop(old_id)
        section["ids"] = [new_id if name == old_id else name for name in section["ids"]]


def setup(app: Sphinx) -> None:
    app.add_transform(NamePlaces)
