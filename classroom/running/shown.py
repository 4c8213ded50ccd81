"""What a notebook shows of itself, read from its code before any of it runs."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from classroom.running.touched import touched
from pe_lib.course.grading.sheet import Content, Question, load, names

WAYS = 20  # in which a name is defined, that are kept
MOST = 1_000  # names that are kept of a notebook
GIVEN = re.compile(  # names that a cell with an error in its syntax would define
    r"^[ \t]*(?:(?:async +)?(?:def|class)[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]*)?=(?!=))", re.MULTILINE
)


@dataclass(frozen=True)
class Shown:
    """The sheet that a notebook is of, the seed of its numbers and, in an exam, whose they are.

    None where it doesn't say. `defined` holds, for each name that the code gives a value, the ways
    in which it does; `again` the questions that were asked with other numbers; `touched` what
    stands out. `cells` holds the numbers of the cells that define a name, or would but for an error
    in their syntax.
    """

    sheet: str | None = None
    seed: int | None = None
    student: str | None = None
    defined: Mapping[str, Sequence[str]] = field(default_factory=dict)
    again: Sequence[str] = ()
    touched: Sequence[str] = ()
    cells: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def missing(self, content: Content) -> list[Question]:
        """The questions of the sheet whose answer no cell defines."""
        return [q for q in content.questions.values() if q.answer not in self.defined]

    def is_blank(self, content: Content) -> bool:
        """Whether no answer was touched; one that was deleted counts as touched."""
        return all(
            set(self.defined.get(q.answer, ("",))) <= set(definitions([q.starter])[q.answer])
            for q in content.questions.values()
        )

    def other_sheet(self, content: Content) -> Content | None:
        """The sheet that it is of, if most of that one's answers are there and few of `content`."""

        def share(one: Content) -> float:
            return 1 - len(self.missing(one)) / len(one.questions)

        best = max((load(name) for name in names()), key=share)
        return best if share(best) > max(0.5, 2 * share(content)) else None


def look(sources: Iterable[str]) -> dict[str, Any]:
    """What `Shown` holds, from cells of plain Python; a cell that is none is passed over."""
    sources = list(sources)
    trees = [_tree(source) for source in sources]
    ways, cells = definitions(trees), dict[str, list[int]]()
    for number, (source, tree) in enumerate(zip(sources, trees, strict=True), start=1):
        broken = {} if tree.body else {n: "" for pair in GIVEN.findall(source) for n in pair if n}
        for name in definitions([tree]) or broken:
            cells.setdefault(name, []).append(number)
            ways.setdefault(name, ["broken"])
    nodes = [node for tree in trees for node in ast.walk(tree)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    sheet, seed = None, None
    for call in calls:
        if _called(call) == "Sheet":
            sheet, seed = _constant(call, 0, "name"), _constant(call, 1, "seed")
            seed = 0 if seed is None else seed
    students = [_value(node) for node in nodes if "student" in _defined(node)]
    again = {_constant(call, 0, "question") for call in calls if _called(call) == "again"}
    return {
        "sheet": sheet if isinstance(sheet, str) else None,
        "seed": seed if isinstance(seed, int) and 0 <= seed < 2**63 else None,
        "student": next((who for who in reversed(students) if isinstance(who, str)), None),
        "defined": {name: found[:WAYS] for name, found in islice(ways.items(), MOST)},
        "again": sorted(name for name in again if isinstance(name, str))[:MOST],
        "touched": touched(trees),
        "cells": {name: numbers[:WAYS] for name, numbers in islice(cells.items(), MOST)},
    }


def definitions(code: Iterable[str | ast.Module]) -> dict[str, list[str]]:
    """The names that stand for something outside of functions, and in which ways, as digests."""
    found: dict[str, list[str]] = {}
    for one in code:
        for node in _outside(_tree(one) if isinstance(one, str) else one):
            for name in _defined(node):
                digest = hashlib.blake2b(_dump(node).encode(), digest_size=8).hexdigest()
                found.setdefault(name, []).append(digest)
    return {name: list(dict.fromkeys(ways)) for name, ways in found.items()}


def _tree(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _outside(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that stand in no function or class."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            todo += ast.iter_child_nodes(node)


def _dump(node: ast.AST) -> str:
    try:
        return ast.dump(node)
    except RecursionError:
        return "very deep"


def _called(call: ast.Call) -> str:
    """The last name of what is called: `again` of `sheet.again(…)`."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _constant(call: ast.Call, place: int, keyword: str) -> Any:
    """An argument that is written as a constant, else None."""
    nodes = [*call.args[place : place + 1], *(k.value for k in call.keywords if k.arg == keyword)]
    return _value(nodes[0]) if nodes else None


def _value(node: ast.AST) -> Any:
    """The constant that an expression, or what is assigned, is; else None."""
    node = getattr(node, "value", node) if isinstance(node, (ast.Assign, ast.AnnAssign)) else node
    return node.value if isinstance(node, ast.Constant) else None


def _defined(node: ast.AST) -> list[str]:
    """The names that a statement gives a value."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.split(".")[0] for alias in node.names]
    if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.NamedExpr,
                             ast.With)):  # fmt: skip
        return []
    inner = [node.target] if hasattr(node, "target") else getattr(node, "targets", [])
    if isinstance(node, ast.With):
        inner = [item.optional_vars for item in node.items if item.optional_vars]
    return [name.id for target in inner for name in ast.walk(target)
            if isinstance(name, ast.Name)]  # fmt: skip
