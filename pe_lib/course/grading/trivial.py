"""What earns nothing: the parts that one function gets right that does nothing."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from pe_lib.course.grading.agreement import agree
from pe_lib.course.grading.outcome import Failure, Outcome, known, outcome
from pe_lib.course.grading.sheet import Question

CONSTANTS: tuple[Any, ...] = (0, 1, None, [], "", (0, 0))


@lru_cache(maxsize=1_024)
def trivial(question: Question, seed: int) -> dict[str, frozenset[str]]:
    """Each program that does nothing and gets some parts right, in words, and these parts."""
    if question.kind != "code":
        return {}
    right = known(question, seed)["solution"]
    return {
        words: frozenset(parts)
        for words, got in _outcomes(question, seed)
        if (parts := [part for part in question.points if agree(question, got[part], right[part])])
    }


def _outcomes(question: Question, seed: int) -> Iterator[tuple[str, Outcome]]:
    yield "the program as you found it", known(question, seed)["starter"]
    for constant in CONSTANTS:
        yield f"`return {constant!r}`", outcome(question, _returning(constant), seed)
    failures = (v for part in known(question, seed)["solution"].values() for v in part)
    for kind in dict.fromkeys(one.kind for one in failures if isinstance(one, Failure)):
        error = getattr(builtins, kind, None)
        if isinstance(error, type) and issubclass(error, Exception):
            yield f"`raise {kind}`", outcome(question, _raising(error), seed)
    signature = inspect.signature(question.defined(question.solution.code, seed))
    for name in signature.parameters:
        yield f"`return {name}`", outcome(question, _argument(name, signature), seed)


def _returning(value: Any) -> Callable[..., Any]:
    return lambda *arguments, **named: value


def _raising(error: type[Exception]) -> Callable[..., Any]:
    def always(*_: Any, **__: Any) -> Any:
        raise error

    return always


def _argument(name: str, signature: inspect.Signature) -> Callable[..., Any]:
    return lambda *arguments, **named: signature.bind(*arguments, **named).arguments[name]
