"""What the library offers, and an entry for each: its head, what it says, examples that run.

An entry is a section of the page, so that contents, search and links know it like any other.
"""

import ast
import inspect
import textwrap
from dataclasses import dataclass
from doctest import DocTestParser
from functools import cache
from importlib import import_module
from itertools import groupby
from types import ModuleType
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

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
        return summary(self.thing)


def summary(thing: Any) -> str:
    """The first paragraph of what it says of itself, in a line."""
    return (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")


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


class Reference(SphinxDirective):
    """What a module says of itself, and a section for each thing that it offers."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        own = import_module(f"pe_lib.{self.arguments[0]}")
        self.state.document.settings.smart_quotes = False  # code is copied from sentences
        place = nodes.target("", "", ids=[f"module-{own.__name__}"])  # of links to the whole module
        found = [place, *self.said(own, own)]
        own_entries = [entry for entry in entries() if entry.page == self.env.docname]
        return found + [self.section(entry.name, entry.thing) for entry in own_entries]

    def section(self, title: str, thing: Any) -> nodes.section:
        """Of a class each method and property that says what it is has one, too."""
        section = nodes.section("", nodes.title("", title), ids=[title], classes=["om-entry"])
        section += [
            block(head(thing), "python"),
            *self.said(thing, import_module(thing.__module__)),
        ]
        for name, member in vars(thing).items() if isinstance(thing, type) else ():
            member = member.fget if isinstance(member, property) else inspect.unwrap(member)
            if inspect.isfunction(member) and name[0] != "_" and inspect.getdoc(member):
                section += self.section(f"{title}.{name}", member)
        return section

    def said(self, thing: Any, own: ModuleType) -> list[nodes.Node]:
        """A docstring: it is Markdown but for its examples, which get what they import."""
        box, bound = nodes.container(), set[str]()
        blocks = (inspect.getdoc(thing) or "").split("\n\n")
        for are_examples, some in groupby(blocks, lambda one: one.startswith(">>>")):
            if are_examples:
                for text in some:
                    lines = [f">>> {line}" for line in imports(text, own, bound)]
                    box += block("\n".join([*lines, text]), "pycon")
            else:
                source = StringList("\n\n".join(some).split("\n"), source=self.env.docname)
                self.state.nested_parse(source, self.content_offset, box)
        return box.children


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
