"""The library for students' machines in an exam, as a wheel that pip installs without a network.

Of pe_lib it holds what the sheet's questions may call, and what that needs in turn; of the course
the grading with the sheet sealed, which says whether an answer is there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import pe_lib
from classroom import packages
from pe_lib.course.grading.borrowed import OURS, free
from pe_lib.course.grading.sealed import seal
from pe_lib.course.grading.sheet import Content

NAME = "order_matters_exam"
NEEDS = ("numpy>=2.0", "threadpoolctl>=3.5")
ROOT = Path(pe_lib.__file__).parents[1]
DEFINES = (ast.FunctionDef, ast.ClassDef)
START = '"""What an exam needs of the library."""\n'


def file_name() -> str:
    return packages.wheel_name(NAME)


def wheel(content: Content) -> bytes:
    """The wheel for an exam on this sheet."""
    return packages.wheel(NAME, "pe_lib for an exam of Order Matters", NEEDS, files(content))


def files(content: Content) -> dict[str, bytes]:
    """What it installs, by path; of pe_lib's functions those that are free, or needed by one."""
    code = [question for question in content.questions.values() if question.kind == "code"]
    asked = {name for question in code for name in free(question)}
    setup = [n for n in ast.walk(ast.parse(content.setup)) if isinstance(n, ast.ImportFrom)]
    asked |= {alias.name for node in setup if node.module == "pe_lib" for alias in node.names}
    public = [name for name in sorted(asked) if name in pe_lib.__all__]
    start = "".join(
        f"from {getattr(pe_lib, name).__module__} import {name} as {name}\n" for name in public
    )
    ways = [way.code for q in code for way in (q.solution, *q.also_right)]
    nodes = [n for text in (start, content.setup, *ways) for n in ast.walk(ast.parse(text))]
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    trees: dict[str, ast.Module] = {}
    _follow(imports, trees)
    needed = _needed({alias.name for node in imports for alias in node.names}, trees)
    gone = {n.name for tree in trees.values() for n in tree.body if isinstance(n, DEFINES)} - needed
    texts = {path: ast.unparse(_without(gone, tree)) + "\n" for path, tree in trees.items()}
    folders = {Path(path).parent for path in texts}
    texts = {f"{folder.as_posix()}/__init__.py": START for folder in folders} | texts
    texts["pe_lib/__init__.py"] = f'{START}\n__version__ = "{pe_lib.__version__}"\n{start}'
    texts["pe_lib/course/__init__.py"] = START
    grading = Path(OURS).relative_to(ROOT).as_posix()
    texts[f"{grading}/sheets/{content.name}.md"] = seal(content)
    data = [one for folder in folders for one in (ROOT / folder).glob("*.[tj][os][mo][ln]")]
    data += [*(ROOT / grading).glob("*.py"), *(ROOT / grading).glob("*.toml")]
    found = {path: text.encode() for path, text in texts.items()}
    return found | {one.relative_to(ROOT).as_posix(): one.read_bytes() for one in data}


def _follow(nodes: Iterable[ast.AST], found: dict[str, ast.Module]) -> None:
    """Put into `found` the modules that are imported, and those that they import."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and f"{node.module}".split(".")[0] == "pe_lib":
            for name in (f"{node.module}", *(f"{node.module}.{a.name}" for a in node.names)):
                for path in (f"{name.replace('.', '/')}{end}" for end in (".py", "/__init__.py")):
                    if path not in ("pe_lib/__init__.py", *found) and (ROOT / path).exists():
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
