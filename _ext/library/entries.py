"""What the library offers, and an entry for each: its head, what it says, examples that run.

sphinx.ext.autodoc reads the docstrings. What it makes of a function becomes a section of the page,
so that contents, search and links know it like any other.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from doctest import DocTestParser
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

import pe_lib

MODULES = (
    "sinusoidal", "relative", "candidates", "decoding", "rotary", "biases", "context", "grid",
    "checkpoints", "doctor",
)  # fmt: skip
PAGE = "chapters/library"


@dataclass(frozen=True)
class Entry:
    """A function or a class that the library offers, and where it is imported from."""

    name: str
    module: str  # as in pe_lib.rotary
    thing: Any

    @property
    def page(self) -> str:
        return f"{PAGE}-{self.module}"

    @property
    def source(self) -> str:
        return "pe_lib" if self.name in pe_lib.__all__ else f"pe_lib.{self.module}"

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.thing) or "").partition("\n\n")[0].replace("\n", " ")


@cache
def entries() -> tuple[Entry, ...]:
    """All that can be called, by module, each in the order in which its module has it."""
    found = []
    for module in MODULES:
        own = import_module(f"pe_lib.{module}")
        kept = {name: value for name, value in vars(own).items() if name in own.__all__}
        found += [Entry(name, module, kept[name]) for name in kept if callable(kept[name])]
    return tuple(found)


def head(thing: Any) -> str:
    """A function's parameters, one a line, or a class's fields with their comments.

    >>> from pe_lib.rotary import to_halves
    >>> print(head(to_halves))
    to_halves(
        d_head: int,
        turned: int | None = None,
    ) -> NDArray[np.intp]
    """
    source = textwrap.dedent(inspect.getsource(thing))
    node = ast.parse(source).body[0]
    if isinstance(node, ast.ClassDef):
        fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
        if not fields:
            return f"class {node.name}({', '.join(map(ast.unparse, node.bases))})"
        lines = source.splitlines()[fields[0].lineno - 1 : fields[-1].end_lineno]
        return "\n".join([f"class {node.name}:", *lines])
    assert isinstance(node, ast.FunctionDef)
    given = node.args
    plain, named = [*given.posonlyargs, *given.args], given.kwonlyargs
    defaults = [None] * (len(plain) - len(given.defaults)) + given.defaults + given.kw_defaults
    lines = []
    for argument, default in zip([*plain, *named], defaults, strict=True):
        if named and argument is named[0]:
            lines.append(f"*{given.vararg.arg if given.vararg else ''}")
        value = "" if default is None else f" = {ast.get_source_segment(source, default)}"
        lines.append(ast.unparse(argument) + value)
    inside = "".join(f"    {line},\n" for line in lines if line != "self")
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}(\n{inside}){result}" if inside else f"{node.name}(){result}"


def imports(text: str, own: ModuleType, bound: set[str]) -> list[str]:
    """What an example needs of its module, as lines to run before it; `bound` grows with it.

    >>> import pe_lib.relative
    >>> imports(">>> np.cos(shift(encode(4, 8), 3))", pe_lib.relative, set())
    ['import numpy as np', 'from pe_lib import encode, shift']
    """
    used: set[str] = set()
    for example in DocTestParser().get_examples(text):
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.alias):
                bound.add((node.asname or node.name).partition(".")[0])
            elif isinstance(node, ast.Name):
                (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
    used = (used & vars(own).keys()) - bound
    bound |= used
    public = {entry.name: entry for entry in entries() if entry.name in used}
    modules, names = [], {}
    for name in sorted(used):
        value = getattr(own, name)
        if isinstance(value, ModuleType):
            whole = value.__name__
            modules.append(f"import {whole}" + f" as {name}" * (name != whole))
        else:
            source = public[name].source if name in public else value.__module__
            names.setdefault(source, []).append(name)
    return modules + [f"from {source} import {', '.join(found)}" for source, found in names.items()]


def as_text(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """What stands apart in a docstring is code, and a bar is a bar: reST takes both otherwise."""
    blocks = "\n".join(lines).split("\n\n")
    for i, block in enumerate(blocks):
        if block.startswith("    "):
            blocks[i] = f"::\n\n{block}"
        elif not block.startswith(">>>"):
            blocks[i] = block.replace("|", "\\|")
    lines[:] = "\n\n".join(blocks).split("\n")


class Sections(SphinxTransform):
    """A section for each function, with its head, in place of what autodoc made."""

    default_priority = 400  # before _ext.anchors

    def apply(self, **kwargs: Any) -> None:
        if self.env.docname == PAGE:
            for listed in self.document.findall(nodes.table):
                listed["classes"].append("om-listed")  # the search has the entries themselves
        if not self.env.docname.startswith(f"{PAGE}-"):
            return
        self.document.settings.smart_quotes = False  # code is copied from a docstring's sentences
        for made in list(self.document.findall(addnodes.index)):
            made.parent.remove(made)
        for description in list(self.document.findall(addnodes.desc)):
            description.replace_self(self._section(description))
        order = [entry.name for entry in entries()]  # autodoc's is that of __all__
        found = [n for n in self.document[0] if "om-entry" in n.get("classes", ())]
        self.document[0][-len(found) :] = sorted(found, key=lambda n: order.index(n["ids"][0]))
        for name in list(self.document.findall(nodes.title_reference)):
            name.replace_self(nodes.literal("", name.astext()))

    def _section(self, description: addnodes.desc) -> nodes.section:
        signature, content = description[0], description[-1]
        own = import_module(signature["module"])
        thing: Any = own
        for name in signature["fullname"].split("."):
            thing = getattr(thing, name)
        thing = thing.fget if isinstance(thing, property) else inspect.unwrap(thing)
        title = signature["fullname"]
        section = nodes.section("", nodes.title("", title), ids=[title], classes=["om-entry"])
        slugs = self.env.metadata[self.env.docname].setdefault("myst_slugs", {})
        slugs[title] = (description.line, title, title)  # links in Markdown may name it
        section += [block(head(thing), "python"), *content.children]
        self._examples(section, import_module(thing.__module__))
        return section

    def _examples(self, section: nodes.section, own: ModuleType) -> None:
        bound: dict[nodes.Element, set[str]] = {}  # a method's examples stand for themselves, too
        for example in list(section.findall(nodes.doctest_block)):
            text, names = example.astext(), bound.setdefault(example.parent, set())
            lines = [f">>> {line}" for line in imports(text, own, names)]
            example.replace_self(block("\n".join([*lines, text]), "pycon"))


def block(text: str, language: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language)


def of(section: nodes.Node | None) -> Entry | None:
    """The entry to which a node of the page belongs."""
    while section is not None:
        if "om-entry" in getattr(section, "attributes", {}).get("classes", ()):
            (name,) = section["ids"]
            return next((e for e in entries() if e.name == name.partition(".")[0]), None)
        section = section.parent
    return None


def table() -> Iterator[str]:
    """All functions, a line each, as Markdown."""
    for module in MODULES:
        said = inspect.getdoc(import_module(f"pe_lib.{module}")) or ""
        summary = said.partition("\n\n")[0].replace("\n", " ")
        yield from (f"## pe_lib.{module}", "", f"{summary} [All of it](library-{module}.md)", "")
        yield from ("| Name | What it is |", "| --- | --- |")
        for entry in entries():
            if entry.module == module:
                told = entry.summary.replace("|", "\\|")
                yield f"| [{entry.name}](library-{module}.md#{entry.name}) | {told} |"
        yield ""
