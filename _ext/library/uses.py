"""Link names on the course's pages to the reference, and the reference to the course's pages.

A name in the text or in code is linked if the page imports that name, or if the name includes its
module. Each entry links back to the section of the course that explains it.
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

from _ext.library.entries import MODULES, PAGE, Entry, entries, entry_around

Names = dict[str, Entry]

_PYTHON = ("python", "ipython3", "ipython")


def qualified_names(entry: Entry) -> Iterator[str]:
    """Yield the names that mean an entry wherever they stand, such as "pe_lib.rotary.rotate"."""
    yield f"pe_lib.{entry.module}.{entry.name}"
    yield f"{entry.module}.{entry.name}"
    if entry.source == "pe_lib":
        yield f"pe_lib.{entry.name}"


def names_on_page(doctree: nodes.document, docname: str) -> Names:
    """Return the names that mean entries of the reference on this page, each with its entry."""
    names = {f"pe_lib.{module}": Entry("", module, None) for module in MODULES}
    names |= {name: entry for entry in entries() for name in qualified_names(entry)}
    if docname.startswith(PAGE):
        names |= {entry.name: entry for entry in entries() if entry.source == "pe_lib"}
        names |= {entry.name: entry for entry in entries() if entry.page == docname}
    for block in doctree.findall(nodes.literal_block):
        if block.get("language") in _PYTHON:
            names |= imported_names(block.astext())
    return names


def imported_names(code: str) -> Names:
    """Return the names that code imports from the library, each with its entry in the reference.

    >>> sorted(imported_names("from pe_lib.rotary import rotate as turn"))
    ['turn']
    >>> sorted(imported_names("from pe_lib import encode, decoding as back"))
    ['back.position_from_encoding', 'encode']
    """
    try:
        tree = ast.parse(code)
    # Python cannot parse this block, which is part of a program or contains an IPython command
    except SyntaxError:
        return {}
    names: Names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                names |= _names_of_alias(str(node.module), alias)
    return names


def _names_of_alias(module: str, alias: ast.alias) -> Names:
    """Return the library's names that one part of an import statement makes available."""
    local_name = alias.asname or alias.name
    names: Names = {}
    for entry in entries():
        if module == "pe_lib" and alias.name == entry.module:
            names[f"{local_name}.{entry.name}"] = entry
        elif module in (entry.source, f"pe_lib.{entry.module}") and alias.name == entry.name:
            names[local_name] = entry
    return names


def mentions(doctree: nodes.document, docname: str) -> Iterator[tuple[nodes.Element, str, Entry]]:
    """Yield the first mention of each entry in each section of a page."""
    names = names_on_page(doctree, docname)
    # Try the longest names first, so that no short name matches the beginning of a longer name.
    any_name = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    whole_literal = re.compile(rf"({any_name})(\(.*\))?", re.DOTALL)
    call = re.compile(rf"(?<![\w.])({any_name})(?=\()")
    seen_mentions: set[tuple[nodes.Node, type, Entry]] = set()
    for node in doctree.findall(lambda n: isinstance(n, nodes.literal | nodes.literal_block)):
        if isinstance(node, nodes.literal):
            match = None if is_in_link_or_title(node) else whole_literal.fullmatch(node.astext())
            matches = [match] if match else []
        elif node.get("language") in _PYTHON:
            matches = list(call.finditer(node.astext()))
        else:
            continue
        section = section_around(node)
        for match in matches:
            name, entry = match[1], names[match[1]]
            mention = (section, type(node), entry)
            if mention not in seen_mentions and not is_in_own_entry(node, name, entry):
                seen_mentions.add(mention)
                yield node, name, entry


def is_in_link_or_title(node: nodes.Node) -> bool:
    """Return whether a node is inside a link or a title, where no link may be added."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, nodes.reference | nodes.title):
            return True
    return False


def is_in_own_entry(node: nodes.Element, name: str, entry: Entry) -> bool:
    """Return whether a name in an entry means the entry itself, or one of its parameters."""
    around = entry_around(node)
    return around is not None and (around == entry or name in around.value.__annotations__)


def section_around(node: nodes.Node) -> nodes.Node:
    """Return the section that contains a node, or the whole page if no section does."""
    while not isinstance(node, nodes.section | nodes.document):
        node = node.parent
    return node


def link(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Turn mentions of entries into links, and link each entry to the sections that mention it."""
    for node, name, entry in list(mentions(doctree, docname)):
        page = "" if entry.page == docname else app.builder.get_relative_uri(docname, entry.page)
        address = f"{page}#{entry.name}".rstrip("#")
        if not address:  # a module's page does not link to itself
            continue
        if isinstance(node, nodes.literal):
            reference = nodes.reference("", "", node.deepcopy(), internal=True, refuri=address)
            node.replace_self(reference)
        else:
            node.setdefault("linked", {})[name] = address
    if docname.startswith(f"{PAGE}-"):
        for section in doctree.findall(nodes.section):
            if "om-entry" in section["classes"]:
                add_explanation(app, section, docname)


def add_explanation(app: Sphinx, section: nodes.section, docname: str) -> None:
    """Add a line to an entry that tells readers where the course explains the function."""
    if place := explanations().get(section["ids"][0]):
        page, anchor = place.split("#")
        title = f"{app.env.titles[page].astext()}: {section_title(app, page, anchor)}"
        address = f"{app.builder.get_relative_uri(docname, page)}#{anchor}"
        reference = nodes.reference("", title, internal=True, refuri=address)
        section += nodes.paragraph(
            "", "", nodes.Text("Explained in "), reference, nodes.Text("."), classes=["om-uses"]
        )


@cache
def explanations() -> dict[str, str]:
    """Return a dictionary from each name to the section that explains it, as "page#anchor"."""
    places = yaml.safe_load(Path(__file__).with_name("explained.yml").read_text("utf-8"))
    explained = {
        name: f"chapters/{place}" for place, names in places.items() for name in names.split(", ")
    }
    if unknown := explained.keys() - {entry.name for entry in entries()}:
        raise ExtensionError(f"explained.yml names {sorted(unknown)}, which pe_lib does not offer")
    return explained


def section_title(app: Sphinx, page: str, anchor: str) -> str:
    """Return the title of the section at an anchor, or raise ExtensionError if there is none."""
    for reference in app.env.tocs[page].findall(nodes.reference):
        if reference["anchorname"] == f"#{anchor}":
            return str(reference.astext())
    raise ExtensionError(f"explained.yml names {page}#{anchor}, but that page has no such section")
