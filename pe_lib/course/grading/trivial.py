"""What earns nothing by itself: the parts that a function gets right that does nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from pe_lib.course.grading.agreement import agree
from pe_lib.course.grading.outcome import Outcome, known, outcome
from pe_lib.course.grading.sheet import Question

CONSTANTS: tuple[Any, ...] = (0, 1, None, [], "")


@lru_cache(maxsize=1_024)
def trivial(question: Question, seed: int) -> dict[str, str]:
    """Those parts, each with the program that gets it right, in words."""
    if question.kind != "code":
        return {}
    right = known(question, seed)["solution"]
    found: dict[str, str] = {}
    for words, got in _outcomes(question, seed):
        parts = (part for part in question.points if agree(question, got[part], right[part]))
        found = dict.fromkeys(parts, words) | found
    return found


def _outcomes(question: Question, seed: int) -> Iterator[tuple[str, Outcome]]:
    yield "the program as you found it", known(question, seed)["starter"]
    for constant in CONSTANTS:
        yield f"`return {constant!r}`", outcome(question, _returning(constant), seed)
    signature = inspect.signature(question.defined(question.solution.code, seed))
    for name in signature.parameters:
        yield f"`return {name}`", outcome(question, _argument(name, signature), seed)


def _returning(value: Any) -> Callable[..., Any]:
    return lambda *arguments, **named: value


def _argument(name: str, signature: inspect.Signature) -> Callable[..., Any]:
    return lambda *arguments, **named: signature.bind(*arguments, **named).arguments[name]
