"""Detect answers that call the very library function that the learner should write.

Calls are detected while the answer runs, so its text does not matter. An answer may call the
functions that appear in the question's starter, solutions, known mistakes or probe. The library may
call its own functions.
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
# the code for grading lies in the library's folder, but answers may make the library call it
GRADING = f"{Path(__file__).parent}{os.sep}"
# A class is graded with copies of the library. In these copies, this module replaces the functions
# that answers must not call.
PLACEHOLDER = "_placeholder.py"


class BorrowedError(Exception):
    """Raised when an answer calls the library function that the learner should write."""

    explanation = property(Exception.__str__)


@cache
def allowed_names(question: Question) -> frozenset[str]:
    """Return the names of the library functions that the answer to a question may call."""
    ways = (question.solution, *question.also_right, *question.mistakes)
    codes = (question.starter, question.probe_code, *(way.code for way in ways))
    return frozenset().union(*map(_used_names, codes))


def _used_names(code: str) -> set[str]:
    """Return all names that a program uses but does not define itself."""
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
    """Wrap a function so that it raises BorrowedError when it calls a forbidden library function.

    The function `answer` may call only the library functions named in `allowed`. The error message
    calls the function `name`.

    >>> forbid_library(pe_lib.rotation, "shift_matrix", frozenset())(1, 4)
    Traceback (most recent call last):
    pe_lib.course.grading.borrowed.BorrowedError: `shift_matrix` calls `rotation` of `pe_lib`. \
Here you should not use it. Write it yourself, and then compare the two.
    """

    def call_answer(*arguments: Any, **keywords: Any) -> Any:
        calls: dict[str, None] = {}
        try:
            with _record_calls(calls):
                return answer(*arguments, **keywords)
        # A placeholder in a copy of the library raises this error. The placeholder does not know
        # the name of the learner's function, so the name is added here.
        except BorrowedError as error:
            raise BorrowedError(str(error).replace("It calls", f"`{name}` calls", 1)) from None
        # if an answer is too slow, the learner is told about the time limit before forbidden calls
        except TooSlow:
            calls.clear()
            raise
        finally:
            if forbidden := next((call for call in calls if call not in allowed), ""):
                raise BorrowedError(
                    f"`{name}` calls `{forbidden}` of `pe_lib`. Here you should not use it."
                    " Write it yourself, and then compare the two."
                )

    # reading an attribute of a learner's object may raise any exception, which does not matter here
    with contextlib.suppress(Exception):
        functools.update_wrapper(call_answer, answer)
    return call_answer


@contextlib.contextmanager
def _record_calls(calls: dict[str, None]) -> Iterator[None]:
    """Record in `calls` which library functions the body of a `with` statement calls."""

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
    is_special = path.startswith(GRADING) or path.endswith(PLACEHOLDER)
    return path.startswith(LIBRARY) and not is_special
