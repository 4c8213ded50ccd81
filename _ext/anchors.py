"""Let a plain Markdown link name a place, as in `[Su et al. (2021)](appendix.md#su2021)`.

In Markdown the place is marked with `<a id="su2021"></a>`, which works in JupyterLab and on forges.
Here the mark becomes the id of the list item or paragraph around it, and MyST learns that links may
name it. So a link to a place that does not exist fails the build.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

_MARK = re.compile(r'<a id="([\w-]+)">')
_NUMBERED = re.compile(r"id\d+")


class NamePlaces(SphinxTransform):
    """Turn marks into ids, and give sections ids that outlast a change of the page."""

    default_priority = 500  # after docutils has given ids and before Sphinx collects them

    def apply(self, **kwargs: Any) -> None:
        slugs = self.env.metadata[self.env.docname].setdefault("myst_slugs", {})
        for raw in list(self.document.findall(nodes.raw)):
            if mark := _MARK.fullmatch(raw.astext()):
                self._move_mark(raw, mark[1], slugs)
        for slug, (line, old_id, title) in list(slugs.items()):
            if _NUMBERED.fullmatch(old_id):
                # MyST counts a section with the title of its page as the second one
                new_id = f"{slug}-2" if slug in self.document.ids else slug
                self._rename_section(old_id, new_id)
                slugs[slug] = (line, new_id, title)
        for section in self.document.findall(nodes.section):
            # the first id is the address that readers see, and a question's name outlasts its title
            section["ids"].sort(key=lambda section_id: not section_id.startswith("exercise-"))
            for section_id in section["ids"]:  # MyST knows only those that come from headings
                slugs.setdefault(section_id, (section.line, section_id, section_id))

    def _move_mark(self, raw: nodes.raw, name: str, slugs: dict[str, Any]) -> None:
        """Make a mark the id of what it stands in, and remove its tags."""
        paragraph = raw.parent
        is_in_list = isinstance(paragraph.parent, nodes.list_item)
        (paragraph.parent if is_in_list else paragraph)["ids"].append(name)
        slugs[name] = (raw.line, name, name)
        end_tag = paragraph[paragraph.index(raw) + 1]
        if end_tag.astext() == "</a>":
            paragraph.remove(end_tag)
        paragraph.remove(raw)

    def _rename_section(self, old_id: str, new_id: str) -> None:
        """Replace an id such as "id3", which docutils gives to the second section of a title.

        Its number counts all such sections of a page, so it would change with the page.
        """
        section = self.document.ids[new_id] = self.document.ids.pop(old_id)
        section["ids"] = [new_id if name == old_id else name for name in section["ids"]]


def setup(app: Sphinx) -> None:
    app.add_transform(NamePlaces)
