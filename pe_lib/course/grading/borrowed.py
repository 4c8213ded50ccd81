"""Notice whether an answer calls the library for what it is asked to build.

What counts is what runs, not the text of the answer. It may call by name whatever the question's
starter, solution, other right ways, known mistakes and probe call, and the library may call itself.
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
GRADING = f"{Path(__file__).parent}{os.sep}"  # lies below the library's folder and is none of it


class BorrowedError(Exception):
    """An answer called the library for what it is asked to build; `explanation` says so."""

    explanation = property(Exception.__str__)


@cache
def allowed_names(question: Question) -> frozenset[str]:
    """Return the names of the library that an answer may call."""
    ways = (question.solution, *question.also_right, *question.mistakes)
    codes = (question.starter, question.probe_code, *(way.code for way in ways))
    return frozenset().union(*map(_used_names, codes))


def _used_names(code: str) -> set[str]:
    """Return the names that a program uses and does not define itself."""
    nodes = list(ast.walk(ast.parse(code)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    own |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return attributes | {node.id for node in names} - own


def forbid_library(
    answer: Callable[..., Any], name: str, allowed: frozenset[str]
) -> Callable[..., Any]:
    """Return the function `answer`, called `name`, which raises BorrowedError for other calls.

    >>> forbid_library(pe_lib.rotation, "shift_matrix", frozenset())(1, 4)
    Traceback (most recent call last):
    pe_lib.course.grading.borrowed.BorrowedError: `shift_matrix` calls `rotation` of `pe_lib`. \
Here you are asked to do without it: write it yourself, then compare the two.
    """

    def watched(*arguments: Any, **keywords: Any) -> Any:
        calls: dict[str, None] = {}
        try:
            with _record_calls(calls):
                return answer(*arguments, **keywords)
        except TooSlow:  # ends everything, and is more important to know
            calls.clear()
            raise
        finally:
            if forbidden := next((call for call in calls if call not in allowed), ""):
                raise BorrowedError(
                    f"`{name}` calls `{forbidden}` of `pe_lib`. Here you are asked to do without"
                    " it: write it yourself, then compare the two."
                )

    with contextlib.suppress(Exception):  # an object may raise whenever it is asked for anything
        functools.update_wrapper(watched, answer)
    return watched


@contextlib.contextmanager
def _record_calls(calls: dict[str, None]) -> Iterator[None]:
    """Put the names of the library's functions that the body calls into `calls`, in order."""

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not _is_library(frame.f_code.co_filename):
            return
        caller, name = frame.f_back, frame.f_code.co_qualname.split(".")[0]
        if not (caller and _is_library(caller.f_code.co_filename)) and name[0] not in "<_":
            calls[name] = None

    profile_before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(profile_before)


@cache
def _is_library(path: str) -> bool:
    return path.startswith(LIBRARY) and not path.startswith(GRADING)
