"""Run a learner's answer on random numbers, and record the values or the failures of its parts."""

import contextlib
import io
import linecache
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading.borrowed import allowed_names, forbid_library
from pe_lib.course.grading.limits import TooSlow, limit
from pe_lib.course.grading.numbers import find_choice, parse_answer
from pe_lib.course.grading.sheet import Given, Question, SheetError
from pe_lib.course.grading.untouched import is_untouched

MAX_ENTRIES = 1_000_000
# All exceptions derive from these classes. So the names of these classes do not tell one kind of
# error from another.
ROOTS = ("Exception", "BaseException", "object")


@dataclass(frozen=True)
class Failure:
    """The reason why an answer has no value, as a keyword and as a sentence for the learner.

    The keyword `kind` is an exception's name or one of 'slow', 'stopped', 'absent', 'missing',
    'untouched', 'of_another_kind', 'none' and 'unreadable'. `bases` names the base classes of an
    exception.
    """

    kind: str
    text: str
    bases: tuple[str, ...] = ()


Value = NDArray[np.float64] | str | Failure
# maps each part of the question to its values, one for each set of random numbers
Outcome = dict[str, tuple[Value, ...]]


def attempt(
    question: Question,
    names: dict[str, Any],
    seed: int = 0,
    seconds: float = 5.0,
    as_found: bool | None = None,
) -> Outcome:
    """Find the learner's answer among the names that the learner has defined, and run it.

    If there is no answer, the outcome is a failure. `as_found` says whether a function is still the
    starter. By default their code is compared, which is impossible if the function lives in another
    process.
    """
    name, is_code = question.answer, question.kind == "code"
    answer = names.get(name)
    if name not in names:
        kind, text = "absent", f"`{name}` does not exist yet. Run the cell with your answer first."
    elif answer is ... or answer is None:
        kind, text = "missing", f"`{name}` is still empty. Put your answer in place of `...`"
    elif is_code != callable(answer):
        actual = with_article(type(answer).__name__) if is_code else "a function"
        expected = "a function" if is_code else "a value"
        kind, text = "of_another_kind", f"`{name}` should be {expected}, but it is {actual}."
    elif is_code and (
        is_untouched(question.setup, question.starter, names) if as_found is None else as_found
    ):
        kind, text = "untouched", "It is still as you found it."
    else:
        if is_code:
            answer = forbid_library(answer, name, allowed_names(question))
        return compute_outcome(question, answer, seed, seconds)
    return dict.fromkeys(question.points, (Failure(kind, text),) * question.draws)


def compute_outcome(
    question: Question, answer: Any, seed: int = 0, seconds: float = 5.0
) -> Outcome:
    """Return the values that `answer` gives for each part and each set of random numbers.

    An error in the answer becomes a failure, and nothing is printed. Each part gets fresh copies of
    the numbers, so that an answer that changes its arguments, or fails on one part, does not spoil
    the next part.
    """
    values: dict[tuple[str, int], Value] = {}
    value: Value = Failure("none", "")
    for part, draw in _order_calls(question, seed):
        # if one value takes too long to compute, grading does not wait for the remaining values
        if not (isinstance(value, Failure) and value.kind == "slow"):
            value = compute_value(question, answer, part, seed, draw, seconds)
        values[part, draw] = value
    return {
        part: tuple(values[part, draw] for draw in range(question.draws))
        for part in question.points
    }


def _order_calls(question: Question, seed: int) -> list[tuple[str, int]]:
    """Return the order in which parts of the question are tried on sets of random numbers.

    The order depends on the seed. So a function that counts its calls cannot know which call comes
    next.

    So a function that counts its calls does not know which one comes next.
    """
    calls = [(part, draw) for draw in range(question.draws) for part in question.points]
    order = np.random.default_rng([zlib.crc32(question.name.encode()), seed]).permutation(
        len(calls)
    )
    return [calls[n] for n in order]


@lru_cache(maxsize=1_024)
def reference_outcomes(question: Question, seed: int) -> dict[str, Outcome]:
    """Run the solution, each known mistake and the starter code, and return their outcomes by name.

    There is an outcome of the starter only if the answer is a function.
    """
    codes = {"solution": question.solution.code}
    codes |= {mistake.name: mistake.code for mistake in question.mistakes}
    if question.kind == "code":
        codes["starter"] = question.starter
    outcomes = {
        name: compute_outcome(question, question.run_answer(code, seed), seed)
        for name, code in codes.items()
    }
    for part, values in outcomes["solution"].items():
        for value in values:
            if isinstance(value, Failure) and value.kind in ("none", "unreadable"):
                where = f"{question.sheet}: {question.name}, {part}"
                raise SheetError(f"{where}: the solution's value can't be judged")
    return outcomes


def compute_value(
    question: Question, answer: Any, part: str, seed: int, draw: int, seconds: float = 5.0
) -> Value:
    """Return the value that `answer` gives for one part and one set of random numbers."""
    return _run_limited(partial(_probe, question, answer, part, seed, draw), seconds)


def _probe(question: Question, answer: Any, part: str, seed: int, draw: int) -> Any:
    """Run the question's own test code, which calls the answer, and return the value for one part.

    If the question has no probe, return the answer itself.
    """
    if not question.probe_code:
        value = parse_answer(question.kind, answer)
        return find_choice(value, question.choices) if isinstance(value, str) else value
    numbers: Given = question.given_numbers(seed, draw)
    calls, returned = [], []

    def call_answer(*arguments: Any, **keywords: Any) -> Any:
        calls.append(arguments)
        returned.append(answer(*arguments, **keywords))
        return returned[-1]

    try:
        value = question.run(question.probe_code)["probe"](call_answer, numbers)[part]()
    except Exception as error:
        # the test code failed because the answer returned None
        if returned and returned[-1] is None:
            return None
        # if every call of the learner's function has returned, the test code itself raised the
        # error
        has_ended = returned and len(calls) == len(returned)
        if has_ended and not hasattr(error, "explanation"):
            text = f"The result does not have the form that the question asks for: {error}"
            error.explanation = text  # type: ignore[attr-defined]
        raise
    # If a function lacks a `return`, it returns None, which the test code may convert to NaN. The
    # learner should hear about None.
    has_none = any(result is None for result in returned)
    if has_none and isinstance(value, (float, np.ndarray)) and np.isnan(value).any():
        return None
    return value


def _run_limited(compute: Callable[[], Any], seconds: float) -> Value:
    """Run `compute` within a time limit and without output, and return its value or a failure."""
    quiet = io.StringIO()
    try:
        with (
            contextlib.redirect_stdout(quiet),
            contextlib.redirect_stderr(quiet),
            warnings.catch_warnings(action="ignore"),
            np.errstate(all="ignore"),
            limit(seconds),
        ):
            return as_value(compute())
    except TooSlow:
        why = "Is there a loop that never ends, or a long loop that numpy can replace?"
        return Failure("slow", f"It ran for more than {seconds:g} seconds. {why}")
    except KeyboardInterrupt:
        return Failure("stopped", "It was stopped.")
    except BaseException as error:
        kind, *bases = (base.__name__ for base in type(error).__mro__)
        special = tuple(base for base in bases if base not in ROOTS)
        return Failure(kind, describe_error(error), special)


def as_value(result: Any) -> Value:
    """Convert numbers and containers of numbers to a float64 array, but return text unchanged.

    Return a failure for anything else.

    >>> as_value([1, 2]), as_value("b")
    (array([1., 2.]), 'b')
    >>> as_value(None).kind, as_value({1, "a"}).kind
    ('none', 'unreadable')
    """
    if result is None or (isinstance(result, (list, tuple)) and any(x is None for x in result)):
        return Failure("none", "The result is `None`.")
    if isinstance(result, str):
        return result.strip()
    if isinstance(result, Iterator):
        result = list(islice(result, MAX_ENTRIES + 1))
    if hasattr(result, "detach"):  # detach a PyTorch tensor from its gradient
        result = result.detach()
    what = with_article(type(result).__name__)
    try:
        array = _as_array(result)
    except OverflowError:
        return Failure("unreadable", "It contains a number that is too large, above 10^308.")
    except (TypeError, ValueError) as error:
        if "inhomogeneous" in str(error):
            what = f"{what} of entries of different shapes"
        return Failure("unreadable", f"The result is {what}, but should be real numbers.")
    if array.dtype.kind == "c":
        return Failure(
            "unreadable", "The result has complex numbers, but should have real numbers."
        )
    if array.dtype.kind in "SU":
        what = f"{what} of texts"
    if array.dtype.kind not in "biuf":
        return Failure("unreadable", f"The result is {what}, but should be real numbers.")
    if array.size > MAX_ENTRIES:
        return Failure("unreadable", f"It has {array.size:,} entries, which is far too many.")
    return array.astype(np.float64)


def _as_array(result: Any) -> NDArray[Any]:
    """Convert a result to an array. Complex numbers without imaginary parts become real numbers."""
    if isinstance(result, (set, frozenset)):
        result = sorted(result)
    array = np.asarray(result)
    if array.dtype.kind == "O":  # the entries are fractions, decimals or very large integers
        array = np.array([_as_float(entry) for entry in array.flat]).reshape(array.shape)
    if array.dtype.kind == "c" and not np.any(np.imag(array)):
        array = np.real(array)
    return array


def _as_float(entry: Any) -> float:
    """Convert a number to a float, and raise TypeError for text, which float() would accept."""
    if isinstance(entry, (str, bytes)):
        raise TypeError
    return float(entry)


def with_article(noun: str) -> str:
    """Put "a" or "an" before a noun.

    >>> with_article("list"), with_article("int")
    ('a list', 'an int')
    """
    return f"an {noun}" if noun[:1] in tuple("aeiouAEIO") else f"a {noun}"


def describe_error(error: BaseException) -> str:
    """Describe an error, and the line of the learner's code in which it occurred."""
    if explanation := getattr(error, "explanation", ""):
        # an error from the test code or from another process carries a text that explains it
        return str(explanation)
    text = " ".join(str(error).split())[:200]
    name = type(error).__name__
    description = f"{name}: {text}" if text else name
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_own(frame)]
    if isinstance(error, RecursionError):
        description = f"{description}. Does your function call itself again and again?"
    if not own:
        return f"It stopped with {description}"
    line = own[-1].line or linecache.getline(own[-1].filename, own[-1].lineno or 0).strip()
    return f"It stopped with {description}, in line {own[-1].lineno}: `{line}`"


def _is_own(frame: traceback.FrameSummary) -> bool:
    """Return whether a stack frame runs code from a notebook, not from a library or sheet."""
    name = frame.filename
    return "ipykernel" in name or name.startswith(("<ipython", "<cell"))
