"""Running text, and links put into it."""

import re
from collections.abc import Callable, Iterator

from docutils import nodes
from sphinx.application import Sphinx

_NO_PROSE = (
    nodes.reference, nodes.literal, nodes.title, nodes.FixedTextElement, nodes.math,
    nodes.math_block, nodes.raw, nodes.thead,
)  # fmt: skip

_New = Callable[[re.Match[str]], nodes.Node | None]


def prose(doctree: nodes.document) -> Iterator[nodes.Text]:
    """The pieces of running text."""

    def is_prose(node: nodes.Node) -> bool:
        machinery = isinstance(node, nodes.container) and "cell" in node["classes"]
        return not (isinstance(node, _NO_PROSE) or machinery)

    def walk(node: nodes.Node) -> Iterator[nodes.Text]:
        if isinstance(node, nodes.Text):
            yield node
        elif is_prose(node):
            for child in list(node.children):
                yield from walk(child)

    return walk(doctree)


def replace(text: nodes.Text, pattern: re.Pattern[str], new: _New) -> None:
    """Put in place of each match what `new` makes of it, unless that is None."""
    pieces: list[nodes.Node] = []
    said, end = text.astext(), 0
    for match in pattern.finditer(said):
        if (node := new(match)) is not None:
            pieces += [nodes.Text(said[end : match.start()]), node]
            end = match.end()
    if pieces:
        pieces.append(nodes.Text(said[end:]))
        text.parent.replace(text, [piece for piece in pieces if piece.astext()])


def reference(app: Sphinx, here: str, page: str, name: str, text: str) -> nodes.reference:
    address = "" if page == here else app.builder.get_relative_uri(here, page)
    return nodes.reference("", text, internal=True, refuri=f"{address}#{name}")
