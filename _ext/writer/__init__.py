"""Write the HTML of pages with few elements, and with labels for screen readers."""

import html
import re
from itertools import groupby
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from pygments.formatters import HtmlFormatter
from pygments.token import Comment, Keyword, Number, String
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge
from sphinx.writers.html5 import HTML5Translator

from _ext.plaintext import read_plain_text

# The types of code tokens that are coloured. All other tokens get no HTML element.
COLOURS = {Keyword: "k", String: "s", Comment: "c", Number: "m"}


def token_class(token_type: Any) -> str:
    """Return the CSS class of a code token, or "" if the token has no colour."""
    return next((name for group, name in COLOURS.items() if token_type in group), "")


class CodeFormatter(HtmlFormatter):  # type: ignore[misc,unused-ignore]
    """Formats code with HTML elements only for the tokens that have a colour."""

    def format_unencoded(self, tokensource: Any, outfile: Any) -> None:
        outfile.write('<div class="highlight"><pre>')
        for name, tokens in groupby(tokensource, lambda token: token_class(token[0])):
            text = html.escape("".join(value for _, value in tokens), quote=False)
            outfile.write(f'<span class="{name}">{text}</span>' if name else text)
        outfile.write("</pre></div>\n")


class Writer(HTML5Translator):
    """Writes the HTML of a page from its document tree."""

    def add_permalink_ref(self, node: nodes.Element, title: str) -> None:
        if node["ids"]:
            heading = " ".join(node[0].astext().split()) if len(node) else title
            label = html.escape(f"Link to: {heading}")
            self.body.append(
                f'<a class="headerlink" href="#{node["ids"][0]}" aria-label="{label}">#</a>'
            )

    def depart_section(self, node: nodes.Element) -> None:
        if "fold" in node:
            self.body.append("</details>\n")
        super().depart_section(node)

    def depart_title(self, node: nodes.Element) -> None:
        super().depart_title(node)
        if "fold" in node.parent:
            title, note = (
                html.escape(text) for text in (read_plain_text(node), node.parent["fold"])
            )
            self.body.append(
                f'<details class="om-fold"><summary><span class="om-hidden">{title}, </span>{note}'
                "</summary>"
            )

    def visit_reference(self, node: nodes.Element) -> None:
        super().visit_reference(node)
        if "card" in node:
            link = self.body[-1].replace("<a ", f'<a aria-describedby="{node["card"]}" ', 1)
            self.body[-1] = link

    def visit_literal_block(self, node: nodes.Element) -> None:
        """Write a block of code, with a link from the first use of each function in `linked`."""
        try:
            super().visit_literal_block(node)
        finally:  # Sphinx's own method ends by raising SkipNode, and this code runs afterwards
            for name, address in node.get("linked", {}).items():
                link = rf'<a href="{html.escape(address)}">{name}</a>'
                use = rf"(?<![\w.]){re.escape(name)}(?=\()"
                self.body[-1] = re.sub(use, link, self.body[-1], count=1)

    def visit_literal(self, node: nodes.Element) -> None:
        """Write short code without line breaks. Long code may break after `_`, dots and slashes."""
        if node["classes"]:
            super().visit_literal(node)
            return
        text = html.escape(node.astext(), quote=False)
        if len(text) < 28:
            self.body.append(f'<code translate="no" class="om-nobr">{text}</code>')
        else:
            text = re.sub(r"(?<=[_./])(?=\w)", "<wbr>", text)
            self.body.append(f'<code translate="no">{text}</code>')
        raise nodes.SkipNode

    def visit_table(self, node: nodes.Element) -> None:
        """Add a class to wide tables, so that a phone shows each of their rows as a card."""
        rows = [[read_plain_text(cell) for cell in row] for row in node.findall(nodes.row)]
        self.names_rows = bool(rows) and not rows[0][0]
        width = sum(max(map(len, column)) for column in zip(*rows, strict=True))
        self.cards = rows[0] if len(rows[0]) > 2 and width > 90 else []
        self.body.append(f'<div class="om-table{" om-rows" * bool(self.cards)}">')
        super().visit_table(node)

    def depart_table(self, node: nodes.Element) -> None:
        super().depart_table(node)
        self.body.append("</div>")

    def visit_entry(self, node: nodes.Element) -> None:
        start, column = len(self.body), node.parent.index(node)
        super().visit_entry(node)
        body = isinstance(node.parent.parent, nodes.tbody)
        # If the first cell of a row contains words, it is the title of the card and has no label.
        labelled = column or node.astext().isdigit()
        if self.cards and body and labelled and node.astext():
            label = html.escape(self.cards[column])
            self.body[start] = self.body[start].replace("<td", f'<td data-label="{label}"', 1)
        if body and not column and self.names_rows:
            self.body[start] = self.body[start].replace("<td", '<th scope="row"', 1)
            self.context[-1] = self.context[-1].replace("</td>", "</th>")
        if isinstance(node.parent.parent, nodes.thead):
            if heading := html.escape(read_plain_text(node)):
                label = f' aria-label="{heading}"' * any(node.findall(nodes.math))
                self.body[start] = self.body[start].replace("<th ", f'<th scope="col"{label} ', 1)
            else:  # an empty cell in the corner of a table is no heading
                self.body[start] = self.body[start].replace("<th ", "<td ", 1)
                self.context[-1] = self.context[-1].replace("</th>", "</td>")


def visit_folded(self: Writer, node: nodes.Element) -> None:
    self.body.append(f'<details class="hide"><summary>{html.escape(node["prompt_show"])}</summary>')


def depart_folded(self: Writer, node: nodes.Element) -> None:
    self.body.append("</details>\n")


def setup(app: Sphinx) -> None:
    app.setup_extension("myst_nb")
    app.add_node(HideCodeCellNode, override=True, html=(visit_folded, depart_folded))
    PygmentsBridge.html_formatter = CodeFormatter
    app.set_translator("html", Writer)
