"""Build an entry in the library's reference for each public function and class.

An entry has the signature, the text of the docstring, and examples that run as they are printed.
Each entry is a section of its page, so that the table of contents, the search and links treat it
like any other section.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator
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
    """A public function or class of the library, with the name of its module."""

    name: str
    module: str  # the module's name without the package, such as "rotary"
    value: Any  # the function or class that the entry describes

    @property
    def page(self) -> str:
        """Return the name by which Sphinx knows the page of the entry."""
        return f"{PAGE}-{self.module}"

    @property
    def source(self) -> str:
        """Return the module's full name, from which readers import the function or class."""
        return "pe_lib" if self.name in pe_lib.__all__ else f"pe_lib.{self.module}"

    @property
    def summary(self) -> str:
        """Return the first paragraph of the entry's docstring."""
        return summary(self.value)


def summary(documented: Any) -> str:
    """Return the first paragraph of an object's docstring, as a single line."""
    return (inspect.getdoc(documented) or "").partition("\n\n")[0].replace("\n", " ")


@cache
def entries() -> tuple[Entry, ...]:
    """Return an entry for each public function and class, in the order of their definition."""
    result = []
    for module in MODULES:
        own = import_module(f"pe_lib.{module}")
        public = {name: value for name, value in vars(own).items() if name in own.__all__}
        result += [Entry(name, module, value) for name, value in public.items() if callable(value)]
    return tuple(result)


def signature(value: Any) -> str:
    """Return a function's signature with one parameter a line, or a class's fields with comments.

    >>> from pe_lib.rotary import to_halves
    >>> print(signature(to_halves))
    to_halves(
        d_head: int,
        turned: int | None = None,
    ) -> NDArray[np.intp]
    """
    source = textwrap.dedent(inspect.getsource(value))
    node = ast.parse(source).body[0]
    if isinstance(node, ast.ClassDef):
        fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
        if not fields:
            return f"class {node.name}({', '.join(map(ast.unparse, node.bases))})"
        lines = source.splitlines()[fields[0].lineno - 1 : fields[-1].end_lineno]
        return "\n".join([f"class {node.name}:", *lines])
    assert isinstance(node, ast.FunctionDef)
    parameters = "".join(f"    {line},\n" for line in _parameters(node.args, source))
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}(\n{parameters}){result}" if parameters else f"{node.name}(){result}"


def _parameters(arguments: ast.arguments, source: str) -> Iterator[str]:
    """Yield each parameter with its type and default value, as written in the source."""
    positional, keywords = [*arguments.posonlyargs, *arguments.args], arguments.kwonlyargs
    without_default = [None] * (len(positional) - len(arguments.defaults))
    defaults = without_default + arguments.defaults + arguments.kw_defaults
    for argument, default in zip([*positional, *keywords], defaults, strict=True):
        if keywords and argument is keywords[0]:
            yield f"*{arguments.vararg.arg if arguments.vararg else ''}"
        if argument.arg != "self":
            value = "" if default is None else f" = {ast.get_source_segment(source, default)}"
            yield ast.unparse(argument) + value


def imports(text: str, own: ModuleType, bound: set[str]) -> list[str]:
    """Return the import lines that an example needs when a reader runs it elsewhere.

    `bound` holds the names that earlier examples have imported, and this function adds the new
    names.

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
    modules: list[str] = []
    names: dict[str, list[str]] = {}
    for name in sorted(used):
        value = getattr(own, name)
        if isinstance(value, ModuleType):
            alias = "" if name == value.__name__ else f" as {name}"
            modules.append(f"import {value.__name__}{alias}")
        else:
            source = public[name].source if name in public else value.__module__
            names.setdefault(source, []).append(name)
    lines = [f"from {source} import {', '.join(listed)}" for source, listed in names.items()]
    return modules + lines


class Reference(SphinxDirective):
    """A Sphinx directive that documents a module, with a section for each function or class."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the docutils nodes for a module's page in the reference."""
        own = import_module(f"pe_lib.{self.arguments[0]}")
        # readers copy code from this page, so its quotes must remain straight
        self.state.document.settings.smart_quotes = False
        # Links to the whole module lead to this anchor.
        target = nodes.target("", "", ids=[f"module-{own.__name__}"])
        page = [target, *self.documentation(own, own)]
        own_entries = [entry for entry in entries() if entry.page == self.env.docname]
        return page + [self.section(entry.name, entry.value) for entry in own_entries]

    def section(self, title: str, value: Any) -> nodes.section:
        """Return the section about a function or class, with a subsection for each method."""
        section = nodes.section("", nodes.title("", title), ids=[title], classes=["om-entry"])
        section += [
            code_block(signature(value), "python"),
            *self.documentation(value, import_module(value.__module__)),
        ]
        for name, member in vars(value).items() if isinstance(value, type) else ():
            method = member.fget if isinstance(member, property) else inspect.unwrap(member)
            if inspect.isfunction(method) and name[0] != "_" and inspect.getdoc(method):
                section += self.section(f"{title}.{name}", method)
        return section

    def documentation(self, documented: Any, own: ModuleType) -> list[nodes.Node]:
        """Return an object's docstring as docutils nodes, with the imports that examples need."""
        box, bound = nodes.container(), set[str]()
        paragraphs = (inspect.getdoc(documented) or "").split("\n\n")
        for are_examples, group in groupby(paragraphs, lambda text: text.startswith(">>>")):
            if are_examples:
                for text in group:
                    lines = [f">>> {line}" for line in imports(text, own, bound)]
                    box += code_block("\n".join([*lines, text]), "pycon")
            else:
                source = StringList("\n\n".join(group).split("\n"), source=self.env.docname)
                self.state.nested_parse(source, self.content_offset, box)
        return list(box.children)


def code_block(text: str, language: str) -> nodes.literal_block:
    """Return a code block, with syntax highlighting for the given language."""
    return nodes.literal_block(text, text, language=language)


def entry_around(node: nodes.Node | None) -> Entry | None:
    """Return the entry in whose section a node stands, or None if the node stands elsewhere."""
    while node is not None:
        if "om-entry" in getattr(node, "attributes", {}).get("classes", ()):
            (name,) = node["ids"]
            return next((e for e in entries() if e.name == name.partition(".")[0]), None)
        node = node.parent
    return None
