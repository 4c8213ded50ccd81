"""Find which parts of a question a trivial function gets right, such as one that returns 0."""

import builtins
import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

from pe_lib.course.grading.agreement import is_same_part
from pe_lib.course.grading.outcome import Failure, compute_outcome, reference_outcomes
from pe_lib.course.grading.sheet import Question

CONSTANTS: tuple[Any, ...] = (0, 1, None, [], "", (0, 0))


@lru_cache(maxsize=1_024)
def idle_answers(question: Question, seed: int) -> dict[str, frozenset[str]]:
    """Return which parts of a question each trivial function gets right, by its description.

    Functions that get no part right are left out.
    """
    if question.kind != "code":
        return {}
    references = reference_outcomes(question, seed)
    outcomes = {"the program as you found it": references["starter"]}
    outcomes |= {
        description: compute_outcome(question, function, seed)
        for description, function in _idle_functions(question, seed)
    }
    solution = references["solution"]
    right_parts = {
        description: frozenset(
            part
            for part in question.points
            if is_same_part(question, outcome[part], solution[part])
        )
        for description, outcome in outcomes.items()
    }
    return {description: parts for description, parts in right_parts.items() if parts}


def _idle_functions(question: Question, seed: int) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield trivial functions, each with a description of what it returns.

    Such a function returns a constant or an argument, or raises an error that the solution also
    raises.
    """
    for constant in CONSTANTS:
        yield f"`return {constant!r}`", lambda *_, constant=constant, **__: constant
    solution = reference_outcomes(question, seed)["solution"]
    values = (value for part in solution.values() for value in part)
    for kind in dict.fromkeys(value.kind for value in values if isinstance(value, Failure)):
        error = getattr(builtins, kind, None)
        if isinstance(error, type) and issubclass(error, Exception):
            yield f"`raise {kind}`", partial(_raise_error, error)
    signature = inspect.signature(question.run_answer(question.solution.code, seed))
    for name in signature.parameters:
        yield (
            f"`return {name}`",
            lambda *positional, name=name, **keywords: signature.bind(
                *positional, **keywords
            ).arguments[name],
        )


def _raise_error(error: type[Exception], *_: Any, **__: Any) -> Any:
    raise error
