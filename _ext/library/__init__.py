"""The library's reference: pages made of docstrings, and links between them and the course."""

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.library.entries import Reference, table
from _ext.library.uses import link


class Functions(SphinxDirective):
    """The table of all functions, a section for each module."""

    def run(self) -> list[nodes.Node]:
        box = nodes.container()
        source = StringList(list(table()), source=self.env.docname)
        self.state.nested_parse(source, self.content_offset, box, match_titles=True)
        for listed in box.findall(nodes.table):
            listed["classes"].append("om-listed")  # the search has the entries themselves
        return box.children


def setup(app: Sphinx) -> None:
    app.add_directive("library", Functions)
    app.add_directive("reference", Reference)
    app.connect("doctree-resolved", link)
