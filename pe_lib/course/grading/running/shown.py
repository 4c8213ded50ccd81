"""What a notebook shows of itself, read from its code before any of it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pe_lib.course.grading.running.likeness import Form, forms
from pe_lib.course.grading.running.touched import touched
from pe_lib.course.grading.sheet import Content, Question, load, names

LISTS = ("names", "untouched", "again", "touched")
MOST = 1_000  # names and findings that are kept of a notebook


@dataclass(frozen=True)
class Shown:
    """The sheet that a notebook is of, the seed of its numbers and, in an exam, whose they are.

    None where it doesn't say. `names` are all that its code defines, `untouched` the questions
    whose answer is still as it was handed out, `again` those that were asked with other numbers.
    `touched` is what stands out in the code, and `forms` what the code of an answer looks like.
    """

    sheet: str | None = None
    seed: int | None = None
    names: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    student: str | None = None
    touched: tuple[str, ...] = ()
    forms: Mapping[str, Form] = field(default_factory=dict)

    @classmethod
    def read(cls, said: dict[str, Any]) -> Shown:
        """From what `look` said, through JSON. Raises ValueError, TypeError or KeyError."""
        sheet, seed, who = said["sheet"], said["seed"], said["student"]
        return cls(
            sheet=None if sheet is None else str(sheet),
            seed=None if seed is None else int(seed),
            student=None if who is None else str(who),
            forms={str(q): (str(form), int(size)) for q, (form, size) in said["forms"].items()},
            **{key: tuple(map(str, said[key][:MOST])) for key in LISTS},
        )

    def missing(self, content: Content) -> list[Question]:
        """The questions of the sheet whose answer no cell defines."""
        return [q for q in content.questions.values() if q.answer not in self.names]

    def is_blank(self, content: Content) -> bool:
        """Whether no answer was touched; one that was deleted counts as touched."""
        return set(content.questions) <= set(self.untouched)

    def other_sheet(self, content: Content) -> Content | None:
        """The sheet that it is of, if most of that one's answers are there and few of `content`."""

        def share(one: Content) -> float:
            return 1 - len(self.missing(one)) / len(one.questions)

        best = max((load(name) for name in names()), key=share)
        return best if share(best) > max(0.5, 2 * share(content)) else None


def look(sources: Iterable[str], questions: list[Question]) -> dict[str, Any]:
    """What `Shown.read` reads, from cells of plain Python; a cell that is none is passed over."""
    trees = [_tree(source) for source in sources]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    sheet, seed = None, None
    for call in calls:
        if _called(call) == "Sheet":
            sheet, seed = _constant(call, 0, "name"), _constant(call, 1, "seed")
            seed = 0 if seed is None else seed
    definitions: dict[str, list[str]] = {}
    for node in (node for tree in trees for node in _outside(tree)):
        for name in _defined(node):
            definitions.setdefault(name, []).append(_dump(node))
    untouched = [q.name for q in questions if _is_starter(definitions.get(q.answer, []), q)]
    students = [_value(node) for node in nodes if "student" in _defined(node)]
    again = {_constant(call, 0, "question") for call in calls if _called(call) == "again"}
    return {
        "sheet": sheet if isinstance(sheet, str) else None,
        "seed": seed if isinstance(seed, int) else None,
        "names": list(definitions)[:MOST],
        "untouched": untouched,
        "touched": touched(trees),
        "forms": forms(trees, questions),
        "again": sorted(name for name in again if isinstance(name, str)),
        "student": next((who for who in reversed(students) if isinstance(who, str)), None),
    }


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


def _is_starter(dumps: list[str], question: Question) -> bool:
    """Whether a name is defined as the sheet hands it out, and in no other way."""
    own = [node for node in _outside(_tree(question.starter)) if question.answer in _defined(node)]
    return bool(dumps) and set(dumps) <= {_dump(node) for node in own}
