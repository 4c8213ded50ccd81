"""Find the running text on a page, and turn parts of it into links."""

import re
from collections.abc import Callable, Iterator

from docutils import nodes
from sphinx.application import Sphinx

_NO_PROSE = (
    nodes.reference, nodes.literal, nodes.title, nodes.FixedTextElement, nodes.math,
    nodes.math_block, nodes.raw, nodes.thead,
)  # fmt: skip

_MakeNode = Callable[[re.Match[str]], nodes.Node | None]


def iterate_prose(doctree: nodes.document) -> Iterator[nodes.Text]:
    """Yield each piece of running text on a page, leaving out code, formulas, titles and links."""

    def is_prose(node: nodes.Node) -> bool:
        is_cell = isinstance(node, nodes.container) and "cell" in node["classes"]
        return not (isinstance(node, _NO_PROSE) or is_cell)

    def walk(node: nodes.Node) -> Iterator[nodes.Text]:
        if isinstance(node, nodes.Text):
            yield node
        elif is_prose(node):
            for child in list(node.children):
                yield from walk(child)

    return walk(doctree)


def replace_matches(text: nodes.Text, pattern: re.Pattern[str], make_node: _MakeNode) -> None:
    """Replace each match of `pattern` by what `make_node` returns for it, unless that is None."""
    pieces: list[nodes.Node] = []
    source, end = text.astext(), 0
    for match in pattern.finditer(source):
        if (node := make_node(match)) is not None:
            pieces += [nodes.Text(source[end : match.start()]), node]
            end = match.end()
    if pieces:
        pieces.append(nodes.Text(source[end:]))
        text.parent.replace(text, [piece for piece in pieces if piece.astext()])


def make_reference(
    app: Sphinx, from_page: str, to_page: str, name: str, text: str
) -> nodes.reference:
    """Return a link from the page `from_page` to the place with id `name` on `to_page`."""
    address = "" if to_page == from_page else app.builder.get_relative_uri(from_page, to_page)
    return nodes.reference("", text, internal=True, refuri=f"{address}#{name}")
