"""Whether a function is still the one that the learner found."""

from __future__ import annotations

import ast
import types
from typing import Any

from pe_lib.course.grading.sheet import Question


def untouched(question: Question, names: dict[str, Any]) -> bool:
    """Whether every function of the start stands in `names` with the code that it had.

    What it does can't tell: a repair of one fault in two may change no result.
    """
    start = question.run(question.starter)
    functions = [n.name for n in ast.parse(question.starter).body if isinstance(n, ast.FunctionDef)]
    return all(_alike(start[name], names[name]) for name in functions if name in names)


def empty(question: Question) -> bool:
    """Whether the function that the learner is to write has no body in the start."""
    functions = [n for n in ast.parse(question.starter).body if isinstance(n, ast.FunctionDef)]
    body = next(f.body for f in functions if f.name == question.answer)
    return all(isinstance(statement, ast.Expr) for statement in body)


def _alike(one: Any, other: Any) -> bool:
    """Whether two functions have the same code, wherever it stands."""
    one, other = (getattr(f, "__code__", f) for f in (one, other))
    if not isinstance(one, types.CodeType) or not isinstance(other, types.CodeType):
        return type(one) is type(other) and bool(one == other)
    mine, theirs = ((c.co_code, c.co_names, c.co_varnames) for c in (one, other))
    return (
        mine == theirs
        and len(one.co_consts) == len(other.co_consts)
        and all(map(_alike, one.co_consts, other.co_consts))
    )
