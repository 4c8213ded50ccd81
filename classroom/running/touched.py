"""What a notebook's code reaches for that no exercise asks for: a reason to read it, no proof."""

from __future__ import annotations

import ast
from collections.abc import Iterator

SHEET = "pe_lib.course.grading"
OURS = (SHEET, "classroom.")
INSIDE = ("importlib", "inspect", "gc", "ctypes", "marshal", "runpy", "pkgutil", "linecache", "dis")
OUTSIDE = ("subprocess", "socket", "multiprocessing", "urllib", "requests", "http")
BUILT_IN = ("exec", "eval", "compile", "__import__")
READS = ("open", "read_text", "read_bytes", "glob", "rglob", "listdir", "scandir", "walk")
FRAMES = ("_getframe", "modules", "f_globals", "f_locals", "f_back", "tb_frame", "gi_frame",
          "__globals__", "__closure__", "__subclasses__", "__builtins__", "__code__")  # fmt: skip
MOST, LONGEST = 5, 80


def touched(trees: list[ast.Module]) -> list[str]:
    """What stands out, each as a sentence's beginning and the code: at most five.

    >>> touched([ast.parse("from pe_lib.course.grading.sheet import load")])
    ["the grading's insides: from pe_lib.course.grading.sheet import load"]
    """
    libraries = {name for tree in trees for node in ast.walk(tree) for name in _imported(node)}
    found: dict[str, None] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if what := _what(node, libraries):
                found[f"{what}: {_code(node)}"[:LONGEST]] = None
    return list(found)[:MOST]


def _what(node: ast.AST, libraries: set[str]) -> str:
    modules = list(_modules(node))
    if any(f"{module}.".startswith(OURS) for module in modules) and not _is_plain_import(node):
        return "the grading's insides"
    if any(module.split(".")[0] in INSIDE for module in modules):
        return "Python's insides"
    if any(module.split(".")[0] in OUTSIDE for module in modules):
        return "other programs"
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and SHEET in node.value:
        return "the grading's insides"
    if isinstance(node, ast.Attribute):
        if node.attr in FRAMES:
            return "Python's insides"
        if isinstance(node.value, ast.Name) and node.value.id == "sheet" and node.attr[0] == "_":
            return "the grading's insides"
        if isinstance(node.ctx, ast.Store) and getattr(node.value, "id", "") in libraries:
            return "changes a library"
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in BUILT_IN and isinstance(node.func, ast.Name):
            return "Python's insides"
        if name in READS:
            return "files"
        if name == "solution":
            return "the solution"
    return ""


def _modules(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _is_plain_import(node: ast.AST) -> bool:
    return list(_modules(node)) == [f"{SHEET}.Sheet"]


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)


def _code(node: ast.AST) -> str:
    try:
        return " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):
        return "(very deep)"
