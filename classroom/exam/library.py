"""Of pe_lib what the questions of an exam may call, and what that needs in turn: nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import pe_lib
from pe_lib.course.grading.borrowed import free
from pe_lib.course.grading.sheet import Content

ROOT = Path(pe_lib.__file__).parents[1]
DEFINES = (ast.FunctionDef, ast.ClassDef)
START = '"""What an exam needs of the library."""\n'


def files(content: Content) -> dict[str, bytes]:
    """The modules and their data, by path; functions neither free nor needed are left out."""
    code = [question for question in content.questions.values() if question.kind == "code"]
    asked = {name for question in code for name in free(question)}
    public = [name for name in sorted(asked) if name in pe_lib.__all__]
    start = "".join(
        f"from {getattr(pe_lib, name).__module__} import {name} as {name}\n" for name in public
    )
    trees: dict[str, ast.Module] = {}
    ways = [way.code for q in code for way in (q.solution, *q.also_right)]
    imports = [
        node
        for text in (start, content.setup, *ways)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
    ]
    _follow(imports, trees)
    needed = _needed({alias.name for node in imports for alias in node.names}, trees)
    gone = {node.name for tree in trees.values() for node in tree.body if isinstance(node, DEFINES)}
    gone -= needed
    made = {path: ast.unparse(_without(gone, tree)) + "\n" for path, tree in trees.items()}
    folders = {Path(path).parent for path in made}
    data = [
        one for f in folders for kind in ("toml", "json") for one in (ROOT / f).glob(f"*.{kind}")
    ]
    packages = {str(folder / "__init__.py"): START for folder in folders}
    version = f'{START}\n__version__ = "{pe_lib.__version__}"\n{start}'
    texts = packages | made | {"pe_lib/__init__.py": version}
    return {path: text.encode() for path, text in texts.items()} | {
        one.relative_to(ROOT).as_posix(): one.read_bytes() for one in data
    }


def _follow(nodes: Iterable[ast.AST], found: dict[str, ast.Module]) -> None:
    """Put into `found` the modules that are imported, and those that they import."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "pe_lib":
            for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names)):
                folder = f"{name}".replace(".", "/")
                for path in {f"{folder}.py", f"{folder}/__init__.py"} - {
                    "pe_lib/__init__.py",
                    *found,
                }:
                    if (ROOT / path).exists():
                        found[path] = ast.parse((ROOT / path).read_text("utf-8"))
                        _follow(ast.walk(found[path]), found)


def _needed(names: set[str], trees: dict[str, ast.Module]) -> set[str]:
    """These names, and whatever is named in the functions that they stand for."""
    body = [node for tree in trees.values() for node in tree.body]
    left = [node for node in body if isinstance(node, DEFINES)]
    names = names | _names(node for node in body if not isinstance(node, DEFINES))
    while more := [node for node in left if node.name in names]:
        names |= _names(more)
        left = [node for node in left if node not in more]
    return names


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    inner = [one for node in nodes for one in ast.walk(node)]
    return {getattr(node, "id", getattr(node, "attr", "")) for node in inner}


def _without(gone: set[str], tree: ast.Module) -> ast.Module:
    """The module without these functions, and without their imports."""
    tree.body = [n for n in tree.body if not (isinstance(n, DEFINES) and n.name in gone)]
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and f"{node.module}".startswith("pe_lib"):
            node.names = [alias for alias in node.names if alias.name not in gone]
    tree.body = [n for n in tree.body if not (isinstance(n, ast.ImportFrom) and not n.names)]
    return tree
