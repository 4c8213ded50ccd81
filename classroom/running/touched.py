"""What a notebook's code reaches for that no exercise asks for: a reason to read it, no proof."""

from __future__ import annotations

import ast

SHEET = "pe_lib.course.grading"
PLAIN = f"from {SHEET} import Sheet"
REACHES = {  # a module's first name, or that of an attribute or a call, and what it reaches for
    "Python's insides": (
        "importlib inspect gc ctypes marshal runpy pkgutil linecache dis exec eval compile"
        " __import__ _getframe modules f_globals f_locals f_back tb_frame gi_frame __globals__"
        " __closure__ __subclasses__ __builtins__ __code__"
    ),
    "other programs": "subprocess socket multiprocessing urllib requests http",
    "files": "open read_text read_bytes glob rglob listdir scandir walk",
    "the solution": "solution",
}
WHAT = {name: what for what, names in REACHES.items() for name in names.split()}
CALLED = {"exec", "eval", "compile", "solution", "open", "walk", "glob"}  # words like others else
MOST, LONGEST = 5, 80


def touched(trees: list[ast.Module]) -> list[str]:
    """What stands out, each as a sentence's beginning and the code: at most five.

    >>> touched([ast.parse("from pe_lib.course.grading.sheet import load")])
    ["the grading's insides: from pe_lib.course.grading.sheet import load"]
    """
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    libraries = {a.asname or a.name.split(".")[0] for node in imports for a in node.names}
    found: dict[str, None] = {}
    for node in nodes:
        if what := _what(node, libraries):
            found[f"{what}: {_code(node)}"[:LONGEST]] = None
    return list(found)[:MOST]


def _what(node: ast.AST, libraries: set[str]) -> str:
    match node:
        case ast.Import() | ast.ImportFrom():
            start = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            names = [f"{start}{alias.name}." for alias in node.names]
            if any(n.startswith((SHEET, "classroom.")) for n in names) and _code(node) != PLAIN:
                return "the grading's insides"
            return next((WHAT[n] for name in names if (n := name.split(".")[0]) in WHAT), "")
        case ast.Constant(value=str() as text) if SHEET in text:
            return "the grading's insides"
        case ast.Attribute(value=ast.Name(id="sheet"), attr=name) if name.startswith("_"):
            return "the grading's insides"
        case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()) if name in libraries:
            return "changes a library"
        case ast.Attribute(attr=name) if name not in CALLED:
            return WHAT.get(name, "")
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            alone = isinstance(node.func, ast.Name) or name not in ("exec", "eval", "compile")
            return WHAT.get(name, "") if alone else ""
    return ""


def _code(node: ast.AST) -> str:
    try:
        return " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):
        return "(very deep)"
