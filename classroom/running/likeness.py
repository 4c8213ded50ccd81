"""Code that two notebooks share, names and comments aside.

Short functions come out alike by themselves, and so does a repaired program. Hence only functions
that were written from nothing are held against each other, and it is said only of notebooks that
share much.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations

from pe_lib.course.grading.sheet import Content, Question

Form = tuple[str, int]  # digest, and how many nodes the code has
SMALL, MUCH = 40, 150  # nodes of one function, and of all that two notebooks share
MOST = 3  # names that are told


def form(tree: ast.Module) -> Form:
    """The code's form: without imports and texts of documentation, names numbered as they come.

    >>> one, other = (ast.parse(s) for s in ("def f(x): return x + 1", "def g(y): return y + 1"))
    >>> form(one) == form(other), form(one) == form(ast.parse("def f(x): return x + 2"))
    (True, False)
    """
    tree = _Bare().visit(ast.parse(ast.unparse(tree)))
    names: dict[str, str] = {}
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.setdefault(node.name, f"v{len(names)}")
        elif isinstance(node, ast.arg):
            names.setdefault(node.arg, f"v{len(names)}")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.id, f"v{len(names)}")
    for node in nodes:
        for field in ("name", "arg", "id"):
            if getattr(node, field, None) in names:
                setattr(node, field, names[getattr(node, field)])
    return hashlib.blake2b(ast.dump(tree).encode(), digest_size=8).hexdigest(), len(nodes)


class _Bare(ast.NodeTransformer):
    """Without imports, annotations, and expressions that are only a text."""

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(node.arg)


def is_written(question: Question) -> bool:
    """Whether the question asks for a function from nothing, not for a repair."""
    return question.kind == "code" and "..." in question.starter


def published(content: Content) -> dict[str, set[str]]:
    """The forms of what the sheet itself holds as right, by question."""
    return {
        q.name: {form(ast.parse(v.code))[0] for v in (q.solution, *q.also_right)}
        for q in content.questions.values()
        if is_written(q)
    }


def alike(functions: Mapping[str, Mapping[str, Form]], content: Content) -> dict[str, list[str]]:
    """What to say of each notebook, by its path; `functions` are the forms of its functions."""
    asked = {q.answer: q.name for q in content.questions.values() if is_written(q)}
    known, said = published(content), defaultdict[str, list[str]](list)
    owners = defaultdict[tuple[str, Form], list[str]](list)  # of a question's answer in one form
    for path, found in functions.items():
        answers = {
            asked[name]: (digest, size) for name, (digest, size) in found.items() if name in asked
        }
        ours = [name for name, (digest, _) in answers.items() if digest in known[name]]
        if sum(answers[name][1] for name in ours) >= MUCH:
            said[path].append(f"the published solution, names aside: {', '.join(ours)}")
        for name, (digest, size) in answers.items():
            if size >= SMALL and name not in ours:
                owners[name, (digest, size)].append(path)
    shared = defaultdict[tuple[str, str], list[tuple[str, int]]](list)
    for (name, (_, size)), paths in owners.items():
        for pair in combinations(paths, 2):
            shared[pair].append((name, size))
    partners = defaultdict[str, list[str]](list)
    for (one, other), both in shared.items():
        if sum(size for _, size in both) >= MUCH:
            names = ", ".join(name for name, _ in both)
            partners[one].append(f"the same code as {other}: {names}")
            partners[other].append(f"the same code as {one}: {names}")
    for path, others in partners.items():
        said[path] += others[:MOST]
        if len(others) > MOST:
            said[path].append(f"and as {len(others) - MOST} more")
    return dict(said)


def forms(trees: Iterable[ast.Module]) -> dict[str, Form]:
    """For each function that a cell defines, the form of the cell."""
    found: dict[str, Form] = {}
    for tree in trees:
        with contextlib.suppress(RecursionError, ValueError):
            named = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
            found |= dict.fromkeys(sorted(named), form(tree) if named else ("", 0))
    return found
