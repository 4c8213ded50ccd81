"""Whether an answer calls the library for what it is asked to build: by what runs, not by its text.

What a question's start, solution, other right ways, known mistakes and probe call by name is free,
and so is whatever the library calls itself.
"""

import ast
import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pe_lib
from pe_lib.course.grading.limits import TooSlow
from pe_lib.course.grading.sheet import Question

LIBRARY = tuple(f"{path}{os.sep}" for path in pe_lib.__path__)
OURS = f"{Path(__file__).parent}{os.sep}"  # the grading itself, which is no library


class BorrowedError(Exception):
    """An answer called the library for what it is asked to build; `told` says so."""

    told = property(Exception.__str__)


@cache
def free(question: Question) -> frozenset[str]:
    """The names of the library that an answer may call."""
    ways = (question.solution, *question.also_right, *question.mistakes)
    codes = (question.starter, question.probe_code, *(way.code for way in ways))
    return frozenset().union(*map(_called, codes))


def _called(code: str) -> set[str]:
    """The names that a program uses and doesn't itself define."""
    nodes = list(ast.walk(ast.parse(code)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    own |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return used | {node.id for node in names} - own


def unaided(answer: Callable[..., Any], name: str, free: frozenset[str]) -> Callable[..., Any]:
    """The function `answer`, called `name`; it raises BorrowedError where it calls what isn't free.

    >>> unaided(pe_lib.rotation, "shift_matrix", frozenset())(1, 4)
    Traceback (most recent call last):
    pe_lib.course.grading.borrowed.BorrowedError: `shift_matrix` calls `rotation` of `pe_lib`. \
Here you are asked to do without it: write it yourself, then compare the two.
    """

    def watched(*arguments: Any, **named: Any) -> Any:
        called: dict[str, None] = {}
        try:
            with _noticed(called):
                return answer(*arguments, **named)
        except TooSlow:  # which is said first, and ends all
            called.clear()
            raise
        finally:
            if taken := next((one for one in called if one not in free), ""):
                raise BorrowedError(
                    f"`{name}` calls `{taken}` of `pe_lib`. Here you are asked to do without it:"
                    " write it yourself, then compare the two."
                )

    with contextlib.suppress(Exception):  # an object may forbid to be asked
        functools.update_wrapper(watched, answer)
    return watched


@contextlib.contextmanager
def _noticed(called: dict[str, None]) -> Iterator[None]:
    """Put into `called` what the body calls of the library, in order."""

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not _is_library(frame.f_code.co_filename):
            return
        caller, name = frame.f_back, frame.f_code.co_qualname.split(".")[0]
        if not (caller and _is_library(caller.f_code.co_filename)) and name[0] not in "<_":
            called[name] = None

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)


@cache
def _is_library(path: str) -> bool:
    return path.startswith(LIBRARY) and not path.startswith(OURS)
