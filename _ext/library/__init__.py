"""The library's reference: pages made of docstrings, and links between them and the course."""

import inspect

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.library.entries import Sections, as_text, entries, table
from _ext.library.uses import link, remember, stale


class Functions(SphinxDirective):
    """The table of all functions, a section for each module."""

    def run(self) -> list[nodes.Node]:
        box = nodes.container()
        for entry in entries():
            self.env.note_dependency(inspect.getsourcefile(entry.thing) or "")
        source = StringList(list(table()), source=self.env.docname)
        self.state.nested_parse(source, self.content_offset, box, match_titles=True)
        return box.children


def setup(app: Sphinx) -> None:
    app.setup_extension("sphinx.ext.autodoc")
    app.config.autodoc_default_options = {"members": True, "member-order": "bysource"}
    app.config.autodoc_typehints = "none"  # entries.head writes them
    app.add_directive("library", Functions)
    app.add_transform(Sections)
    app.connect("autodoc-process-docstring", as_text)
    app.connect("doctree-read", remember)
    app.connect("env-updated", stale)
    app.connect("doctree-resolved", link)
