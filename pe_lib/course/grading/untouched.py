"""Find out whether a learner has left the functions in a question's starter code unchanged."""

import ast
import types
from typing import Any


def is_untouched(setup: str, starter: str, names: dict[str, Any]) -> bool:
    """Return whether every function in the starter code is still unchanged.

    The code is compared, because a learner who repairs one of two errors may not change any result.
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
    """Describe a function, a code object or a constant, but not the file and line of its source."""
    if isinstance(item, types.FunctionType):
        return _describe_code(item.__code__), repr(item.__defaults__), repr(item.__kwdefaults__)
    if isinstance(item, types.CodeType):
        return item.co_code, item.co_names, item.co_varnames, *map(_describe_code, item.co_consts)
    return type(item), repr(item)
