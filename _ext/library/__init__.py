"""The library's reference: pages made of docstrings, and links between them and the course."""

from importlib import import_module

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.library.entries import MODULES, Reference, entries, summary
from _ext.library.uses import link
from _ext.markup import render_template


class Functions(SphinxDirective):
    """The table of all functions, a section for each module."""

    def run(self) -> list[nodes.Node]:
        box = nodes.container()
        modules = [
            (
                name,
                summary(import_module(f"pe_lib.{name}")),
                [e for e in entries() if e.module == name],
            )
            for name in MODULES
        ]
        table = render_template("library/table.md", modules=modules)
        source = StringList(table.splitlines(), source=self.env.docname)
        self.state.nested_parse(source, self.content_offset, box, match_titles=True)
        for listed in box.findall(nodes.table):
            listed["classes"].append("om-listed")  # the search has the entries themselves
        return box.children


def setup(app: Sphinx) -> None:
    app.add_directive("library", Functions)
    app.add_directive("reference", Reference)
    app.connect("doctree-resolved", link)
