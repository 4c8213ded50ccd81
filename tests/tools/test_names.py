"""Test that no function, parameter or variable has a name that contributing/names.md rejects.

Public names are exempt, because readers' code uses them. In a module of `pe_lib`, these are the
functions, parameters and fields that tests/site/contract.yml lists for it. A listed method is also
exempt in any class that may inherit from its class.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PRODUCT = ("pe_lib", "_ext", "classroom", "tools", "benchmarks")
GUIDE = (ROOT / "contributing/names.md").read_text("utf-8")
REFUSED = frozenset(re.findall(r"```text\n(.*?)```", GUIDE, re.DOTALL)[0].split())
LIBRARY = yaml.safe_load((ROOT / "tests/site/contract.yml").read_text("utf-8"))["library"]
CONSTRUCTOR = "made"  # the contract's key for the constructor of a class
# Match the places where JavaScript defines names. Names of properties are not checked.
BINDING = re.compile(
    r"\bfunction\*?\s*(?P<function>\w*)\((?P<parameters>[^)]*)\)"
    r"|\b(?:const|let|var|class)\s+(?P<name>\w+)"
    r"|\b(?:const|let|var)\s+[\[{](?P<pattern>[^=;]*?)[\]}]\s*(?:=|of\b)"
    r"|\((?P<arrow>[^()]*)\)\s*=>"
    r"|\b(?P<single>\w+)\s*=>"
)
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
# matches the key in `{ key: name }`, because this pattern defines only the name
KEY = re.compile(r"\w+\s*:\s*(?=[\w\[{])")
DEFAULT = re.compile(r"=[^,]*")

Binding = tuple[int, str, bool]  # a line number, a name, and whether this name may be public


def bindings_in_python(source: str) -> Iterator[Binding]:
    """Yield the place and name of each function, class, parameter, field and variable in Python."""
    yield from visit(ast.parse(source), frozenset(), True)


def visit(node: ast.AST, parameters: frozenset[str], is_field: bool) -> Iterator[Binding]:
    """Yield all names that a syntax node defines, but each parameter of a function only once."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.lineno, node.name, True
        is_field = isinstance(node, ast.ClassDef)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        arguments = [part for part in ast.walk(node.args) if isinstance(part, ast.arg)]
        yield from ((part.lineno, part.arg, True) for part in arguments)
        parameters = parameters | {part.arg for part in arguments}
        is_field = False
    match node:
        case ast.Name(id=name, ctx=ast.Store()) if name not in parameters:
            yield node.lineno, name, is_field
        case ast.Attribute(attr=name, ctx=ast.Store()):
            yield node.lineno, name, True
        case ast.alias(asname=str(name)):
            yield node.lineno, name, False
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield node.lineno, name, False
        case ast.MatchStar(name=str(name)):
            yield node.lineno, name, False
    for child in ast.iter_child_nodes(node):
        yield from visit(child, parameters, is_field)


def bindings_in_javascript(source: str) -> Iterator[Binding]:
    """Yield the place and name of each function, class, parameter and variable in JavaScript."""
    source = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    for match in BINDING.finditer(source):
        line = source.count("\n", 0, match.start()) + 1
        for bound in filter(None, match.groups()):
            for name in re.findall(r"\b[A-Za-z_]\w*", DEFAULT.sub("", KEY.sub("", bound))):
                yield line, name, False


READERS = {
    ".py": bindings_in_python,
    ".mjs": bindings_in_javascript,
    ".js": bindings_in_javascript,
}
FILES = sorted(
    path
    for room in PRODUCT
    for path in (ROOT / room).rglob("*")
    if path.suffix in READERS and "__pycache__" not in path.parts
)


# names of public methods, which classes in other modules may override
METHODS = frozenset(
    name
    for module in LIBRARY.values()
    for members in module.values()
    if isinstance(members, dict)
    for name in members
    if name != CONSTRUCTOR
)


def public_names(path: Path) -> frozenset[str]:
    """Return the public names in the contract for a file's module or for the packages around it."""
    module = path.relative_to(ROOT).with_suffix("").parts
    names: set[str] = set()
    for depth in range(1, len(module) + 1):
        for name, signature in LIBRARY.get(".".join(module[:depth]), {}).items():
            members = signature if isinstance(signature, dict) else {name: signature}
            names |= {name, *members} - {CONSTRUCTOR}
            for parameters in members.values():
                names |= set(re.findall(r"\w+", str(parameters)))
    return frozenset(names)


def overriding_methods(source: str) -> set[int]:
    """Return the lines of methods that may override a public method of a base class."""
    return {
        method.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef) and node.bases
        for method in node.body
        if isinstance(method, ast.FunctionDef) and method.name in METHODS
    }


def find_refused(source: str, suffix: str, public: frozenset[str]) -> list[tuple[int, str]]:
    """Return the line and the name of each definition with a rejected name that is not public."""
    overriding = overriding_methods(source) if suffix == ".py" else set()
    return sorted(
        {
            (line, name)
            for line, name, may_be_public in READERS[suffix](source)
            if name in REFUSED and not (may_be_public and name in public)
            if not (line in overriding and name in METHODS)
        }
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_refused_name_comes_back(path: Path) -> None:
    refused = find_refused(path.read_text("utf-8"), path.suffix, public_names(path))
    places = [f"{path.relative_to(ROOT).as_posix()}:{line}: {name}" for line, name in refused]
    assert not places, (
        "These names do not say what they hold or do. contributing/names.md says how to choose"
        " others:\n" + "\n".join(places)
    )


@pytest.mark.parametrize(
    ("suffix", "source", "expected"),
    [
        (".py", "def found(a, *, said=1, **known): pass",
         [(1, "found"), (1, "known"), (1, "said")]),
        (".py", "x = 1\nfor given in x:\n    self.made = given", [(2, "given"), (3, "made")]),
        (".py", "if (said := f()): pass\n[0 for told in x]", [(1, "said"), (2, "told")]),
        (".py", "match x:\n    case [held, *kept]: f(lambda drawn: drawn)",
         [(2, "drawn"), (2, "held")]),
        (".py", "known_keys = x.found(said=1)['given']  # said", []),
        # Functions, parameters and fields may have a public name, but variables may not.
        (".py", "def turned(seen):\n    seen = turned = seen", [(2, "turned")]),
        (".py", "class A:\n    seen: int\n    def f(self):\n        self.turned = 1", []),
        (".py", "class A(Scheme):\n    def turned(self): pass\n    def told(self): pass",
         [(3, "told")]),
        (".mjs", "const found = 1, b = 2; // given", [(1, "found")]),
        (".mjs", "const { key: said, made } = x;\nfor (const [given] of y) f();",
         [(1, "made"), (1, "said"), (2, "given")]),
        (".mjs", "function told(looked) {}\nf((a, held = known) => 1);\ng(seen => 2)",
         [(1, "looked"), (1, "told"), (2, "held"), (3, "seen")]),
        (".mjs", "x.found = known_keys; f({ said: 1 });", []),
    ],
)  # fmt: skip
def test_a_name_is_refused_where_it_is_bound(
    suffix: str, source: str, expected: list[tuple[int, str]]
) -> None:
    public = frozenset({"seen", "turned"}) if suffix == ".py" else frozenset()
    assert find_refused(source, suffix, public) == expected


def test_the_list_and_the_contract_are_read() -> None:
    assert len(REFUSED) > 50 and {"found", "said"} <= REFUSED
    assert "turned" in public_names(ROOT / "pe_lib/rotary.py")
    assert "seen" in public_names(ROOT / "pe_lib/doctor/_report.py")
    assert not REFUSED & public_names(ROOT / "tools/book.py")
