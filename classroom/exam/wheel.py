"""Build the library for an exam as a wheel, which pip can install without a network.

The wheel contains those modules of pe_lib that the sheet's questions need, without the public
functions that nobody may call. It also contains the course's grading code, and the sheet
without its solutions, so that a check only says whether there is an answer.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pe_lib
from classroom import packages
from pe_lib.course.grading.borrowed import GRADING, allowed_names
from pe_lib.course.grading.sealed import seal
from pe_lib.course.grading.sheet import Content, Question

NAME = "order_matters_exam"
REQUIREMENTS = ("numpy>=2.0", "threadpoolctl>=3.5")
ROOT = Path(pe_lib.__file__).parents[1]
DATA_SUFFIXES = (".toml", ".json")
DOCSTRING = '"""What an exam needs of the library."""\n'


def make_wheel(content: Content) -> tuple[str, bytes]:
    """Return the file name and the content of the wheel for an exam with this sheet."""
    summary = "pe_lib for an exam of Order Matters"
    return packages.make_wheel(NAME, summary, REQUIREMENTS, wheel_files(content))


def wheel_files(content: Content) -> dict[str, bytes]:
    """Return the files in the wheel, as a dictionary from paths to contents.

    In the wheel, `pe_lib` exports only the functions that answers may call.
    """
    questions = [question for question in content.questions.values() if question.kind == "code"]
    public_names = _allowed_names(content, questions)
    imports = "".join(
        f"from {getattr(pe_lib, name).__module__} import {name} as {name}\n"
        for name in sorted(public_names)
    )
    solutions = [way.code for q in questions for way in (q.solution, *q.also_right)]
    code = ast.parse("\n".join([imports, content.setup, *solutions]))
    modules: dict[str, ast.Module] = {}
    _add_imported_modules(code, modules)
    _remove_unused_functions(code, modules, public_names)
    texts = {path: ast.unparse(tree) + "\n" for path, tree in modules.items()}
    folders = {Path(path).parent for path in texts}
    texts = {f"{folder.as_posix()}/__init__.py": DOCSTRING for folder in folders} | texts
    texts["pe_lib/__init__.py"] = f'{DOCSTRING}\n__version__ = "{pe_lib.__version__}"\n{imports}'
    texts["pe_lib/course/__init__.py"] = DOCSTRING
    grading = Path(GRADING).relative_to(ROOT).as_posix()
    texts[f"{grading}/sheets/{content.name}.md"] = seal(content)
    paths = [path for folder in folders for path in (ROOT / folder).iterdir()]
    paths = [path for path in paths if path.suffix in DATA_SUFFIXES]
    paths += [*(ROOT / grading).glob("*.py"), *(ROOT / grading).glob("*.toml")]
    files = {path: text.encode() for path, text in texts.items()}
    return files | {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths}


def _allowed_names(content: Content, questions: list[Question]) -> set[str]:
    """Return the public names of pe_lib that the sheet's setup imports or that answers may call."""
    imports = [n for n in ast.walk(ast.parse(content.setup)) if isinstance(n, ast.ImportFrom)]
    names = {alias.name for node in imports if node.module == "pe_lib" for alias in node.names}
    return names.union(*map(allowed_names, questions)).intersection(pe_lib.__all__)


def _add_imported_modules(tree: ast.AST, modules: dict[str, ast.Module]) -> None:
    """Add to `modules` all modules of pe_lib that a program needs, even if only indirectly."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or f"{node.module}".split(".")[0] != "pe_lib":
            continue
        for name in (f"{node.module}", *(f"{node.module}.{alias.name}" for alias in node.names)):
            for path in (f"{name.replace('.', '/')}{end}" for end in (".py", "/__init__.py")):
                if path not in ("pe_lib/__init__.py", *modules) and (ROOT / path).exists():
                    modules[path] = ast.parse((ROOT / path).read_text("utf-8"))
                    _add_imported_modules(modules[path], modules)


def _remove_unused_functions(
    code: ast.Module, modules: dict[str, ast.Module], public_names: set[str]
) -> None:
    """Remove public functions that no module calls and that answers are not allowed to call."""
    nodes = [node for tree in (code, *modules.values()) for node in ast.walk(tree)]
    called = public_names.union(getattr(node, "id", getattr(node, "attr", "")) for node in nodes)
    unused = {*pe_lib.__all__} - called
    for tree in modules.values():
        tree.body = [node for node in tree.body if getattr(node, "name", "") not in unused]
