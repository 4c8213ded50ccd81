"""What an answer gives when it is tried out: for each part of the question a value or a failure."""

import contextlib
import io
import linecache
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.grading.borrowed import free, unaided
from pe_lib.course.grading.limits import TooSlow, limit
from pe_lib.course.grading.numbers import typed
from pe_lib.course.grading.sheet import Given, Question, SheetError
from pe_lib.course.grading.untouched import untouched

MAX_ENTRIES = 1_000_000
ROOTS = ("Exception", "BaseException", "object")  # being one of these tells nothing


@dataclass(frozen=True)
class Failure:
    """No value: a kind and a sentence.

    The kind is an exception's name, 'slow', 'absent', 'missing', 'unreadable' and so on.
    The sentence is English until it is shown, so that one outcome can be held against another.
    `bases` names the exceptions of which it is a special case.
    """

    kind: str
    text: str
    bases: tuple[str, ...] = ()


Value = NDArray[np.float64] | str | Failure
Outcome = dict[str, tuple[Value, ...]]  # by part: a value for each draw


def attempt(
    question: Question,
    names: dict[str, Any],
    seed: int = 0,
    seconds: float = 5.0,
    as_found: bool | None = None,
) -> Outcome:
    """The outcome of the answer that `names` holds, even if it holds none.

    Whoever has a function of another process there says whether it is as the learner found it.
    """
    name, setup, start = question.answer, question.setup, question.starter
    answer, is_code = names.get(name), question.kind == "code"
    if name not in names:
        kind, text = "absent", f"`{name}` does not exist yet. Run the cell with your answer first."
    elif answer is ... or answer is None:
        kind, text = "missing", f"`{name}` is still empty. Put your answer in place of `...`"
    elif is_code != callable(answer):
        one, other = ("function", a(type(answer).__name__)) if is_code else ("value", "a function")
        kind, text = "of_another_kind", f"`{name}` should be a {one}; it is {other}."
    elif is_code and (untouched(setup, start, names) if as_found is None else as_found):
        kind, text = "untouched", "It is as you found it."
    else:
        held = unaided(answer, name, free(question)) if is_code else answer
        return outcome(question, held, seed, seconds)
    return dict.fromkeys(question.points, (Failure(kind, text),) * question.draws)


def outcome(question: Question, answer: Any, seed: int = 0, seconds: float = 5.0) -> Outcome:
    """What `answer` gives for each part on each draw of the question's numbers.

    Never raises for what the answer does, and prints nothing. Each part is tried on numbers made
    anew, so that an answer that changes its arguments, or that fails on one part, doesn't spoil the
    next.
    """
    values: dict[str, list[Value]] = {part: [] for part in question.points}
    value: Value = Failure("none", "")
    for draw in range(question.draws):
        for part in question.points:
            if not (isinstance(value, Failure) and value.kind == "slow"):  # the rest would be, too
                value = value_of(question, answer, part, seed, draw, seconds)
            values[part].append(value)
    return {part: tuple(found) for part, found in values.items()}


@lru_cache(maxsize=1_024)
def known(question: Question, seed: int) -> dict[str, Outcome]:
    """The outcome of the solution, of each known mistake by name, and of a starter that runs."""
    answers = {"solution": question.solution.code}
    answers |= {mistake.name: mistake.code for mistake in question.mistakes}
    if question.kind == "code":
        answers["starter"] = question.starter
    found = {
        name: outcome(question, question.defined(code, seed), seed)
        for name, code in answers.items()
    }
    for part, values in found["solution"].items():
        for value in values:
            if isinstance(value, Failure) and value.kind in ("none", "unreadable"):
                where = f"{question.sheet}: {question.name}, {part}"
                raise SheetError(f"{where}: the solution's value can't be judged")
    return found


def value_of(
    question: Question, answer: Any, part: str, seed: int, draw: int, seconds: float = 5.0
) -> Value:
    """What `answer` gives for one part on one draw."""
    return _tried(partial(_part, question, answer, part, seed, draw), seconds)


def _part(question: Question, answer: Any, part: str, seed: int, draw: int) -> Any:
    if not question.probe_code:
        return typed(question.kind, answer)
    given: Given = question.given(seed, draw)
    called, returned = [], []

    def watched(*arguments: Any, **named: Any) -> Any:
        called.append(arguments)
        returned.append(answer(*arguments, **named))
        return returned[-1]

    try:
        found = question.run(question.probe_code)["probe"](watched, given)[part]()
    except Exception as error:
        if returned and returned[-1] is None:  # the probe stumbled over it: a `return` is missing
            return None
        ended = returned and len(called) == len(returned)  # the answer itself has come to its end
        if ended and not hasattr(error, "told"):
            text = f"What it returned is not as the question asks: {type(error).__name__}: {error}"
            error.told = text  # type: ignore[attr-defined]
        raise
    none = any(one is None for one in returned) and isinstance(found, (float, np.ndarray))
    return None if none and np.isnan(found).any() else found


def _tried(compute: Callable[[], Any], seconds: float) -> Value:
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
        why = "Is there a loop that never ends, or a long one that numpy can do at once?"
        return Failure("slow", f"It ran for more than {seconds:g} seconds. {why}")
    except KeyboardInterrupt:
        return Failure("stopped", "It was stopped.")
    except BaseException as error:
        kind, *bases = (base.__name__ for base in type(error).__mro__)
        special = tuple(base for base in bases if base not in ROOTS)
        return Failure(kind, in_words(error), special)


def as_value(found: Any) -> Value:
    """Text stays text; everything that is a number, or full of them, becomes a float64 array.

    >>> as_value([1, 2]), as_value("b")
    (array([1., 2.]), 'b')
    >>> as_value(None).kind, as_value({1, "a"}).kind
    ('none', 'unreadable')
    """
    if found is None or (isinstance(found, (list, tuple)) and any(x is None for x in found)):
        return Failure("none", "It is `None`.")
    if isinstance(found, str):
        return found.strip()
    if isinstance(found, Iterator):
        found = list(islice(found, MAX_ENTRIES + 1))
    if hasattr(found, "detach"):  # a PyTorch tensor
        found = found.detach()
    what = a(type(found).__name__)
    try:
        if isinstance(found, (set, frozenset)):
            found = sorted(found)
        array = np.asarray(found)
        if array.dtype.kind == "O":  # fractions, decimals, integers of many digits
            array = np.array([_as_float(entry) for entry in array.flat]).reshape(array.shape)
        what = "complex numbers" if np.iscomplexobj(array) else what
        if array.dtype.kind == "c" and not np.any(np.imag(array)):
            array = np.real(array)
        if array.dtype.kind in "SU":
            what = f"{what} of texts"
        if array.dtype.kind not in "biuf":
            raise TypeError
        if array.size > MAX_ENTRIES:
            return Failure("unreadable", f"It has {array.size:,} entries, which is far too many.")
        return array.astype(np.float64)
    except OverflowError:
        return Failure("unreadable", "It has a number in it that is too large, above 10^308.")
    except (TypeError, ValueError) as error:
        if "inhomogeneous" in str(error):
            what = f"{what} of entries of different shapes"
        return Failure("unreadable", f"It is {what}; real numbers are wanted.")


def _as_float(entry: Any) -> float:
    """What says of itself that it is a real number; no text, which float() would read."""
    if isinstance(entry, (str, bytes)):
        raise TypeError
    return float(entry)


def a(noun: str) -> str:
    """
    >>> a("list"), a("int")
    ('a list', 'an int')
    """
    return f"an {noun}" if noun[:1] in tuple("aeiouAEIO") else f"a {noun}"


def in_words(error: BaseException) -> str:
    """The error and the line of the learner's own code where it arose."""
    if told := getattr(error, "told", ""):  # where it arose, perhaps in another process
        return str(told)
    text = " ".join(str(error).split())[:200]
    said: str = f"{type(error).__name__}: {text}" if text else type(error).__name__
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_own(frame)]
    if isinstance(error, RecursionError):
        said = f"{said}. Does your function call itself without an end?"
    if not own:
        return f"It stopped with {said}"
    line = own[-1].line or linecache.getline(own[-1].filename, own[-1].lineno or 0).strip()
    return f"It stopped with {said}, in line {own[-1].lineno}: `{line}`"


def _is_own(frame: traceback.FrameSummary) -> bool:
    """A notebook's cell: its code comes from no installed file, nor from a sheet."""
    name = frame.filename
    return "ipykernel" in name or name.startswith(("<ipython", "<cell"))
