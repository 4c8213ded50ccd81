"""Tell whether a function still is the one that the learner was handed."""

import ast
import types
from typing import Any


def is_untouched(setup: str, starter: str, names: dict[str, Any]) -> bool:
    """Return whether every function of the starter stands in `names` with the code it had.

    Its results cannot tell: whoever repairs one of two faults may change no result.
    """
    start: dict[str, Any] = {}
    exec(setup, start)
    exec(starter, start)
    functions = [node.name for node in ast.parse(starter).body if isinstance(node, ast.FunctionDef)]
    return all(
        _describe_code(start[name]) == _describe_code(names[name])
        for name in functions
        if name in names
    )


def _describe_code(item: Any) -> Any:
    """Return what a function, its code or one of its constants is, wherever it was defined."""
    if isinstance(item, types.FunctionType):
        return _describe_code(item.__code__), repr(item.__defaults__), repr(item.__kwdefaults__)
    if isinstance(item, types.CodeType):
        return item.co_code, item.co_names, item.co_varnames, *map(_describe_code, item.co_consts)
    return type(item), repr(item)
