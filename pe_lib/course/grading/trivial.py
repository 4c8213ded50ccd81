"""What earns nothing: the parts that one function gets right that does nothing."""

import builtins
import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

from pe_lib.course.grading.agreement import agree
from pe_lib.course.grading.outcome import Failure, known, outcome
from pe_lib.course.grading.sheet import Question

CONSTANTS: tuple[Any, ...] = (0, 1, None, [], "", (0, 0))


@lru_cache(maxsize=1_024)
def trivial(question: Question, seed: int) -> dict[str, frozenset[str]]:
    """Each program that does nothing and gets some parts right, in words, and these parts."""
    if question.kind != "code":
        return {}
    right = known(question, seed)["solution"]
    found = {"the program as you found it": known(question, seed)["starter"]}
    found |= {words: outcome(question, idle, seed) for words, idle in _idle(question, seed)}
    agreed = {
        words: frozenset(
            part for part in question.points if agree(question, got[part], right[part])
        )
        for words, got in found.items()
    }
    return {words: parts for words, parts in agreed.items() if parts}


def _idle(question: Question, seed: int) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Functions that return a constant or an argument, or raise an error that is asked for."""
    for constant in CONSTANTS:
        yield f"`return {constant!r}`", lambda *_, constant=constant, **__: constant
    values = (v for part in known(question, seed)["solution"].values() for v in part)
    for kind in dict.fromkeys(one.kind for one in values if isinstance(one, Failure)):
        error = getattr(builtins, kind, None)
        if isinstance(error, type) and issubclass(error, Exception):
            yield f"`raise {kind}`", partial(_raised, error)
    signature = inspect.signature(question.defined(question.solution.code, seed))
    for name in signature.parameters:
        yield (
            f"`return {name}`",
            lambda *some, name=name, **named: signature.bind(*some, **named).arguments[name],
        )


def _raised(error: type[Exception], *_: Any, **__: Any) -> Any:
    raise error
