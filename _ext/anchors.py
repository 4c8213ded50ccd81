"""Places that a plain Markdown link can name, as in `[Su et al. (2021)](appendix.md#su2021)`.

In Markdown a place is `<a id="su2021"></a>`, which works in JupyterLab and on forges. Here it
becomes the id of the list item or paragraph that it stands in, and MyST may resolve links to it: a
link to a place that is not there fails the build.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

_PLACE = re.compile(r'<a id="([\w-]+)">')
_NUMBERED = re.compile(r"id\d+")


class Places(SphinxTransform):
    default_priority = 500  # after ids are given and before Sphinx takes them down

    def apply(self, **kwargs: Any) -> None:
        slugs = self.env.metadata[self.env.docname].setdefault("myst_slugs", {})
        for raw in list(self.document.findall(nodes.raw)):
            if found := _PLACE.fullmatch(raw.astext()):
                self._place(raw, found[1], slugs)
        for slug, (line, old, title) in list(slugs.items()):
            if _NUMBERED.fullmatch(old):
                # the title of the page may have the same words; MyST counts its number as one
                new = f"{slug}-2" if slug in self.document.ids else slug
                self._rename(old, new)
                slugs[slug] = (line, new, title)
        for section in self.document.findall(nodes.section):
            # a question's own name lasts longer than its title
            section["ids"].sort(key=lambda name: not name.startswith("exercise-"))
            for name in section["ids"]:  # those that no Markdown heading has, too
                slugs.setdefault(name, (section.line, name, name))

    def _place(self, raw: nodes.raw, name: str, slugs: dict[str, Any]) -> None:
        paragraph = raw.parent
        inside = isinstance(paragraph.parent, nodes.list_item)
        (paragraph.parent if inside else paragraph)["ids"].append(name)
        slugs[name] = (raw.line, name, name)
        end = paragraph[paragraph.index(raw) + 1]
        if end.astext() == "</a>":
            paragraph.remove(end)
        paragraph.remove(raw)

    def _rename(self, old: str, new: str) -> None:
        """docutils numbers a second heading of the same name; the number changes with the page."""
        section = self.document.ids[new] = self.document.ids.pop(old)
        section["ids"] = [new if name == old else name for name in section["ids"]]


def setup(app: Sphinx) -> None:
    app.add_transform(Places)
