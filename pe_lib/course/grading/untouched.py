"""Whether a function is still the one that the learner found."""

import ast
import types
from typing import Any


def untouched(setup: str, starter: str, names: dict[str, Any]) -> bool:
    """Whether every function of the start stands in `names` with the code that it had.

    What it does can't tell: a repair of one fault in two may change no result.
    """
    start: dict[str, Any] = {}
    exec(setup, start)
    exec(starter, start)
    functions = [node.name for node in ast.parse(starter).body if isinstance(node, ast.FunctionDef)]
    return all(_written(start[one]) == _written(names[one]) for one in functions if one in names)


def _written(it: Any) -> Any:
    """What a function, its code or a constant is, wherever it stands."""
    if isinstance(it, types.FunctionType):
        return _written(it.__code__), repr(it.__defaults__), repr(it.__kwdefaults__)
    if isinstance(it, types.CodeType):
        return it.co_code, it.co_names, it.co_varnames, *map(_written, it.co_consts)
    return type(it), repr(it)
