"""Write copies of the library that contain only the functions that an answer may call.

A submission's process gets such a copy in place of the library. So a forbidden function is neither
on its disk nor in its memory, and no trick can call it. In the copy, every other name of the
library is a placeholder, which can be imported and raises BorrowedError when it is called.
"""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pe_lib
from pe_lib.course.grading.borrowed import allowed_names
from pe_lib.course.grading.sheet import Question

# The functions in these folders cannot help anybody with an exercise. So the copies lack them.
LEFT_OUT = ("course/explorers", "course/audit")
FOR_PAGES = ("grading", "figures", "predictions", "wishes", "readers")
DATA_SUFFIXES = (".toml", ".json")
# a definition is described by the name of its module and the name that it defines
Definition = tuple[str, str]

PLACEHOLDER = '''"""Placeholders for the library's functions that an answer may not call."""


class Placeholder:
    """A name of the library that may be imported, but not used."""

    def __init__(self, name):
        self._name = name

    def __call__(self, *arguments, **keywords):
        from pe_lib.course.grading.borrowed import BorrowedError

        raise BorrowedError(
            f"It calls `{self._name}` of `pe_lib`. Here you should not use it. Write it"
            " yourself, and then compare the two."
        )

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Placeholder(name)


def find(module, name):
    """Return a submodule, or a placeholder if a module has no submodule of this name."""
    import importlib

    if name.startswith("__"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    try:
        return importlib.import_module(f"{module}.{name}")
    except ModuleNotFoundError:
        return Placeholder(name)
'''
GET_PLACEHOLDER = """

def __getattr__(name):
    from pe_lib._placeholder import find

    return find(__name__, name)
"""


@dataclass(frozen=True)
class Module:
    """A module of the library: its syntax tree, what it defines and what it imports.

    `imports` maps a name to a module and the name there, which is '' for the module itself.
    """

    name: str
    path: str  # relative to the folder that contains the library
    tree: ast.Module
    definitions: dict[str, list[ast.stmt]]
    imports: dict[str, Definition]


def group_questions(questions: Iterable[Question]) -> dict[frozenset[str], list[Question]]:
    """Group code questions, so that the questions in a group allow the same library functions."""
    groups: dict[frozenset[str], list[Question]] = {}
    for question in questions:
        if question.kind == "code":
            allowed = allowed_names(question) & _public_functions()
            groups.setdefault(frozenset(allowed), []).append(question)
    return groups


@cache
def write_copy(allowed: frozenset[str]) -> Path:
    """Write a copy of the library in which only the functions named in `allowed` can be called.

    Return the folder that contains the copy. It is deleted when the process ends.
    """
    folder = Path(_temporary_folder(allowed).name)
    folder.chmod(0o755)
    for path, text in copy_files(allowed).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
    return folder


@cache
def _temporary_folder(allowed: frozenset[str]) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="order-matters-", ignore_cleanup_errors=True)


def copy_files(allowed: frozenset[str]) -> dict[str, bytes]:
    """Return the files in a reduced copy of the library, as a dictionary from paths to contents."""
    modules = _modules()
    kept = _find_needed(allowed)
    texts = {"pe_lib/_placeholder.py": PLACEHOLDER}
    for module in modules.values():
        if _is_grading(module) or module.name in ("pe_lib", "pe_lib.course"):
            texts[module.path] = ast.unparse(module.tree) + "\n"
        else:
            names = {name for owner, name in kept if owner == module.name}
            texts[module.path] = _reduce_module(module, names)
    folders = {Path(modules[owner].path).parent for owner, _ in kept}
    folders |= {Path(module.path).parent for module in modules.values() if _is_grading(module)}
    files = {path: text.encode() for path, text in texts.items()}
    for root in _roots():
        for path in (entry for folder in folders for entry in (root / folder).glob("*")):
            if path.suffix in DATA_SUFFIXES:
                files[path.relative_to(root).as_posix()] = path.read_bytes()
    return files


def _reduce_module(module: Module, names: set[str]) -> str:
    """Return a module's code with the definitions of `names` only, and placeholders for others."""
    if not names:
        return GET_PLACEHOLDER.lstrip()
    defined = {id(node) for nodes in module.definitions.values() for node in nodes}
    kept = {id(node) for name in names for node in module.definitions[name]}
    body = [node for node in module.tree.body if id(node) not in defined or id(node) in kept]
    text = ast.unparse(ast.Module(body, [])) + "\n"
    return text if "__getattr__" in names else text + GET_PLACEHOLDER


def _find_needed(allowed: frozenset[str]) -> set[Definition]:
    """Find the definitions of the allowed functions, and of all that these functions need."""
    modules = _modules()
    waiting = [
        (module.name, name)
        for module in modules.values()
        for name in (module.definitions if _is_grading(module) else _offered_names(module))
        if _is_grading(module) or name in allowed
    ]
    definitions: set[Definition] = set()
    reached: set[str] = set()
    while waiting:
        definition = _resolve(*waiting.pop())
        if definition is None or definition in definitions:
            continue
        definitions.add(definition)
        module = modules[definition[0]]
        nodes = list(module.definitions[definition[1]])
        if module.name not in reached:
            reached.add(module.name)
            nodes += _loose_statements(module)
        waiting += [ref for node in nodes for ref in _references(module, node)]
    return definitions


def _loose_statements(module: Module) -> list[ast.stmt]:
    """Return the statements that run when a module is loaded, but define and import nothing."""
    defined = {id(node) for nodes in module.definitions.values() for node in nodes}
    imports = (ast.Import, ast.ImportFrom)
    return [n for n in module.tree.body if id(n) not in defined and not isinstance(n, imports)]


def _references(module: Module, node: ast.AST) -> Iterator[Definition]:
    """Yield the definitions in the library to which the names in a piece of code refer."""
    imports = module.imports | _imported_names(module.name, module.path, ast.walk(node))
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            if part.id in imports:
                yield imports[part.id]
            elif part.id in module.definitions:
                yield module.name, part.id
        elif isinstance(part, ast.Attribute):
            owner = ast.unparse(part.value)
            if owner in imports and not imports[owner][1]:
                yield imports[owner][0], part.attr
            elif owner in imports and f"{'.'.join(imports[owner])}" in _modules():
                yield ".".join(imports[owner]), part.attr


def _resolve(owner: str, name: str) -> Definition | None:
    """Find the definition of a name, which a module may have imported from another module.

    Return None for a name from outside the library.
    """
    modules = _modules()
    while owner in modules:
        module = modules[owner]
        if name in module.definitions:
            return owner, name
        if name not in module.imports:
            return None
        owner, name = module.imports[name]
    return None


@cache
def _modules() -> dict[str, Module]:
    """Return all modules of the library by name, except those in the folders LEFT_OUT."""
    modules = {}
    for root in _roots():
        for path in sorted((root / "pe_lib").rglob("*.py")):
            inside = path.relative_to(root).as_posix()
            if not inside.removeprefix("pe_lib/").startswith(LEFT_OUT):
                module = _read_module(path, inside)
                modules[module.name] = module
    return modules


def _roots() -> list[Path]:
    """Return the folders in which the parts of the library are installed.

    The course may be installed in a different folder from the rest of the library.
    """
    return [Path(path).parent for path in pe_lib.__path__]


def _read_module(path: Path, inside: str) -> Module:
    name = inside.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    tree = ast.parse(path.read_text("utf-8"))
    definitions: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        for defined in _defined_names(node):
            definitions.setdefault(defined, []).append(node)
    nodes = [node for node in tree.body if not isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    imports = _imported_names(name, inside, (part for node in nodes for part in ast.walk(node)))
    return Module(name, inside, tree, definitions, imports)


def _defined_names(node: ast.stmt) -> list[str]:
    """Return the names that a statement defines by a definition or an assignment."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]
    return []


def _imported_names(module: str, path: str, nodes: Iterable[ast.AST]) -> dict[str, Definition]:
    """Return the names that import statements take from the library, each with its definition."""
    names: dict[str, Definition] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            ours = [alias for alias in node.names if alias.name.split(".")[0] == "pe_lib"]
            names |= {alias.asname or alias.name: (alias.name, "") for alias in ours}
        elif isinstance(node, ast.ImportFrom):
            owner = node.module or ""
            if node.level:
                package = module.split(".")[: None if path.endswith("__init__.py") else -1]
                package = package[: len(package) - node.level + 1]
                owner = ".".join([*package, *filter(None, [node.module])])
            if owner.split(".")[0] == "pe_lib":
                names |= {alias.asname or alias.name: (owner, alias.name) for alias in node.names}
    return names


@cache
def _public_functions() -> frozenset[str]:
    """Return the names of all functions and classes that the library offers to answers."""
    return frozenset(name for module in _modules().values() for name in _offered_names(module))


def _offered_names(module: Module) -> list[str]:
    """Return the names of the functions and classes that a module offers to answers.

    A package offers what it imports from its modules.
    """
    parent, _, name = module.name.rpartition(".")
    if parent not in ("pe_lib", "pe_lib.course") or name.startswith("_") or name in FOR_PAGES:
        return []
    is_package = module.path.endswith("__init__.py")
    kinds = (ast.FunctionDef, ast.ClassDef)
    own = [name for name, nodes in module.definitions.items() if isinstance(nodes[0], kinds)]
    offered = [*own, *module.imports] if is_package else own
    return [name for name in offered if not name.startswith("_")]


def _is_grading(module: Module) -> bool:
    return module.name.startswith("pe_lib.course.grading")
