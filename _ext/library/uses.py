"""Where the course names what the library offers: links there, and back to what explains it.

A name in a text or in code is the library's if the page imports it, or says where it is from.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.library.entries import MODULES, PAGE, Entry, entries, of

Names = dict[str, Entry]

_PYTHON = ("python", "ipython3", "ipython")


def spelled(entry: Entry) -> Iterator[str]:
    """How an entry is called wherever one is."""
    yield f"pe_lib.{entry.module}.{entry.name}"
    yield f"{entry.module}.{entry.name}"
    if entry.source == "pe_lib":
        yield f"pe_lib.{entry.name}"


def known(doctree: nodes.document, docname: str) -> Names:
    """The names by which this page calls what the library offers."""
    names = {f"pe_lib.{module}": Entry("", module, None) for module in MODULES}
    names |= {name: entry for entry in entries() for name in spelled(entry)}
    if docname.startswith(PAGE):
        names |= {entry.name: entry for entry in entries() if entry.source == "pe_lib"}
        names |= {entry.name: entry for entry in entries() if entry.page == docname}
    for block in doctree.findall(nodes.literal_block):
        if block.get("language") in _PYTHON:
            names |= imported(block.astext())
    return names


def imported(code: str) -> Names:
    """
    >>> sorted(imported("from pe_lib.rotary import rotate as turn"))
    ['turn']
    >>> sorted(imported("from pe_lib import encode, decoding as back"))
    ['back.position_from_encoding', 'encode']
    """
    try:
        tree = ast.parse(code)
    except SyntaxError:  # a part of a program, a magic
        return {}
    found: Names = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        for alias in node.names:
            called = alias.asname or alias.name
            for entry in entries():
                if node.module == "pe_lib" and alias.name == entry.module:
                    found[f"{called}.{entry.name}"] = entry
                elif node.module in (entry.source, f"pe_lib.{entry.module}"):
                    found |= {called: entry} if alias.name == entry.name else {}
    return found


def mentions(doctree: nodes.document, docname: str) -> Iterator[tuple[nodes.Element, str, Entry]]:
    """Each name in a text and in code, the first in its section."""
    names = known(doctree, docname)
    longest = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    alone = re.compile(rf"({longest})(\(.*\))?", re.DOTALL)
    called = re.compile(rf"(?<![\w.])({longest})(?=\()")
    seen: set[tuple[nodes.Node, type, Entry]] = set()
    for node in doctree.findall(lambda n: isinstance(n, nodes.literal | nodes.literal_block)):
        if isinstance(node, nodes.literal):
            whole = None if inside(node) else alone.fullmatch(node.astext())
            found = [whole] if whole else []
        elif node.get("language") in _PYTHON:
            found = list(called.finditer(node.astext()))
        else:
            continue
        section = around(node)
        for match in found:
            mention = (section, type(node), names[match[1]])
            if mention not in seen and not within(node, match[1], names[match[1]]):
                seen.add(mention)
                yield node, match[1], names[match[1]]


def inside(node: nodes.Node) -> bool:
    """Whether it stands in a link or a title, which are no place for another link."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, nodes.reference | nodes.title):
            return True
    return False


def within(node: nodes.Element, name: str, entry: Entry) -> bool:
    """Whether this is said in the entry itself, or of a parameter that is called so."""
    own = of(node)
    return own is not None and (own == entry or name in own.thing.__annotations__)


def around(node: nodes.Node) -> nodes.Node:
    while not isinstance(node, nodes.section | nodes.document):
        node = node.parent
    return node


def link(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node, name, entry in list(mentions(doctree, docname)):
        page = "" if entry.page == docname else app.builder.get_relative_uri(docname, entry.page)
        address = f"{page}#{entry.name}".rstrip("#")
        if not address:  # a module, on its own page
            continue
        if isinstance(node, nodes.literal):
            made = nodes.reference("", "", node.deepcopy(), internal=True, refuri=address)
            node.replace_self(made)
        else:
            node.setdefault("linked", {})[name] = address
    if docname.startswith(f"{PAGE}-"):
        for section in doctree.findall(nodes.section):
            if "om-entry" in section["classes"]:
                add_home(app, section, docname)


def add_home(app: Sphinx, section: nodes.section, docname: str) -> None:
    """A line with the section that explains it."""
    if home := explained().get(section["ids"][0]):
        page, place = home.split("#")
        title = f"{app.env.titles[page].astext()}: {titled(app, page, place)}"
        address = f"{app.builder.get_relative_uri(docname, page)}#{place}"
        there = nodes.reference("", title, internal=True, refuri=address)
        section += nodes.paragraph(
            "", "", nodes.Text("Explained in "), there, nodes.Text("."), classes=["om-uses"]
        )


@cache
def explained() -> dict[str, str]:
    """For each name the section of the course that explains it."""
    said = yaml.safe_load(Path(__file__).with_name("explained.yml").read_text("utf-8"))
    return {name: f"chapters/{place}" for place, all_ in said.items() for name in all_.split(", ")}


def titled(app: Sphinx, page: str, place: str) -> str:
    """The title of a section."""
    for link in app.env.tocs[page].findall(nodes.reference):
        if link["anchorname"] == f"#{place}":
            return link.astext()
    raise ExtensionError(f"explained.yml names {page}#{place}, which is not there")
