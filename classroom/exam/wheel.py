"""The library for students' machines in an exam, as a wheel that pip installs without a network.

Of pe_lib it holds the modules that the sheet's questions rest on, without the public functions that
nothing there calls; of the course the grading with the sheet sealed, which says whether an answer
is there.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pe_lib
from classroom import packages
from pe_lib.course.grading.borrowed import GRADING, allowed_names
from pe_lib.course.grading.sealed import seal
from pe_lib.course.grading.sheet import Content

NAME = "order_matters_exam"
NEEDS = ("numpy>=2.0", "threadpoolctl>=3.5")
ROOT = Path(pe_lib.__file__).parents[1]
DATA = (".toml", ".json")
START = '"""What an exam needs of the library."""\n'


def wheel(content: Content) -> tuple[str, bytes]:
    """The wheel for an exam on this sheet: its name, and it."""
    return packages.wheel(NAME, "pe_lib for an exam of Order Matters", NEEDS, files(content))


def files(content: Content) -> dict[str, bytes]:
    """What it installs, by path; `pe_lib` itself has the functions that are free."""
    code = [question for question in content.questions.values() if question.kind == "code"]
    setup = [n for n in ast.walk(ast.parse(content.setup)) if isinstance(n, ast.ImportFrom)]
    asked = {alias.name for node in setup if node.module == "pe_lib" for alias in node.names}
    asked = asked.union(*map(allowed_names, code)).intersection(pe_lib.__all__)
    start = "".join(
        f"from {getattr(pe_lib, name).__module__} import {name} as {name}\n"
        for name in sorted(asked)
    )
    ways = [way.code for question in code for way in (question.solution, *question.also_right)]
    whole = ast.parse("\n".join([start, content.setup, *ways]))
    trees: dict[str, ast.Module] = {}
    _follow(whole, trees)
    nodes = [node for tree in (whole, *trees.values()) for node in ast.walk(tree)]
    called = asked.union(getattr(node, "id", getattr(node, "attr", "")) for node in nodes)
    idle = {*pe_lib.__all__} - called
    for tree in trees.values():
        tree.body = [node for node in tree.body if getattr(node, "name", "") not in idle]
    texts = {path: ast.unparse(tree) + "\n" for path, tree in trees.items()}
    folders = {Path(path).parent for path in texts}
    texts = {f"{folder.as_posix()}/__init__.py": START for folder in folders} | texts
    texts["pe_lib/__init__.py"] = f'{START}\n__version__ = "{pe_lib.__version__}"\n{start}'
    texts["pe_lib/course/__init__.py"] = START
    grading = Path(GRADING).relative_to(ROOT).as_posix()
    texts[f"{grading}/sheets/{content.name}.md"] = seal(content)
    data = [one for folder in folders for one in (ROOT / folder).iterdir() if one.suffix in DATA]
    data += [*(ROOT / grading).glob("*.py"), *(ROOT / grading).glob("*.toml")]
    found = {path: text.encode() for path, text in texts.items()}
    return found | {one.relative_to(ROOT).as_posix(): one.read_bytes() for one in data}


def _follow(tree: ast.AST, found: dict[str, ast.Module]) -> None:
    """Put into `found` the modules of pe_lib that are imported, and those that they import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and f"{node.module}".split(".")[0] == "pe_lib":
            for name in (f"{node.module}", *(f"{node.module}.{a.name}" for a in node.names)):
                for path in (f"{name.replace('.', '/')}{end}" for end in (".py", "/__init__.py")):
                    if path not in ("pe_lib/__init__.py", *found) and (ROOT / path).exists():
                        found[path] = ast.parse((ROOT / path).read_text("utf-8"))
                        _follow(found[path], found)
