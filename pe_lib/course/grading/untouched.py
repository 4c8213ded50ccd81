"""Whether a function is still the one that the learner found."""

import ast
import types
from typing import Any

from pe_lib.course.grading.sheet import Question

PLAIN = (int, float, bool, str, type(None))


def untouched(setup: str, starter: str, names: dict[str, Any]) -> bool:
    """Whether every function of the start stands in `names` with the code that it had.

    What it does can't tell: a repair of one fault in two may change no result.
    """
    start: dict[str, Any] = {}
    exec(setup, start)
    exec(starter, start)
    return all(_alike(start[name], names[name]) for name in _functions(starter) if name in names)


def empty(question: Question) -> bool:
    """Whether the function that the learner is to write has no body in the start."""
    body = _functions(question.starter)[question.answer].body
    return all(isinstance(statement, ast.Expr) for statement in body)


def _functions(starter: str) -> dict[str, ast.FunctionDef]:
    body = ast.parse(starter).body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def _alike(one: Any, other: Any) -> bool:
    if not isinstance(one, types.FunctionType) or not isinstance(other, types.FunctionType):
        return False
    return _written(one.__code__) == _written(other.__code__) and _defaults(one) == _defaults(other)


def _defaults(function: types.FunctionType) -> list[Any]:
    """What arguments are where they aren't given; an object is the same as no other."""
    values = [*enumerate(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).items()]
    return [(name, repr(value) if type(value) in PLAIN else object()) for name, value in values]


def _written(code: Any) -> Any:
    """What makes code, or a constant in it, what it is, wherever it stands."""
    if not isinstance(code, types.CodeType):
        return type(code), repr(code)
    return code.co_code, code.co_names, code.co_varnames, *map(_written, code.co_consts)
