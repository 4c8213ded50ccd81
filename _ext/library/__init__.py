"""Build the reference of the library from docstrings, with links from and to the course's pages."""

from importlib import import_module

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.library.entries import MODULES, Reference, entries, summary
from _ext.library.uses import link
from _ext.markup import render_template


class Functions(SphinxDirective):
    """A Sphinx directive that lists all functions of the library, in a table for each module."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each module, with a table of the functions in it."""
        box = nodes.container()
        modules = [
            (
                name,
                summary(import_module(f"pe_lib.{name}")),
                [entry for entry in entries() if entry.module == name],
            )
            for name in MODULES
        ]
        table = render_template("library/table.md", modules=modules)
        source = StringList(table.splitlines(), source=self.env.docname)
        self.state.nested_parse(source, self.content_offset, box, match_titles=True)
        for listing in box.findall(nodes.table):
            # The search leaves this table out, because each function in it also has an entry of its
            # own.
            listing["classes"].append("om-listed")
        return list(box.children)


def setup(app: Sphinx) -> None:
    """Register two directives, and the function that adds the links."""
    app.add_directive("library", Functions)
    app.add_directive("reference", Reference)
    app.connect("doctree-resolved", link)
