"""Exchange values and function calls between two processes, one of which does not trust the other.

A message is a line of JSON. It can contain numbers, arrays and lists. A function is sent as a
number, by which the other side may call the function. Nothing that arrives is executed, and the
caller's frames, seeds and other arguments are never sent. Only one side calls at a time, and the
other side may call back before it answers.
"""

from __future__ import annotations

import base64
import builtins
import contextlib
import json
import signal
import socket
import time
from collections.abc import Callable, Iterator, KeysView, ValuesView
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import count, islice
from types import EllipsisType
from typing import Any, NamedTuple

import numpy as np

from pe_lib.course.grading.limits import TooSlow, limit
from pe_lib.course.grading.outcome import describe_error

LARGEST_MESSAGE = 2**25  # in bytes
READ_SIZE = 2**18  # in bytes
# an iterator may never end, so at most this many of its items are sent
MOST_ITEMS = 1_000_001
# If many entries have the same hash, sets and dictionaries become very slow. So larger ones are
# rejected.
MOST_HASHED = 1_000
ENDED, UNREADABLE = "its process ended before its time", "its results can't be read"


class Kind(NamedTuple):
    """How to send values of a type that JSON does not know, such as tuples.

    A value becomes a list, and is sent as a dictionary from the type's name to this list.
    """

    types: Any  # the type or the types, for isinstance
    to_list: Callable[[Any], Any]
    from_list: Callable[[Any], Any]


def _generator_state(generator: np.random.Generator) -> list[int]:
    """Return the two numbers that hold the state of numpy's random number generator PCG64."""
    state: Any = generator.bit_generator.state["state"]
    return [state["state"], state["inc"]]


def _generator_from(numbers: list[int]) -> np.random.Generator:
    generator = np.random.PCG64()
    state, increment = map(int, numbers)
    generator.state = generator.state | {"state": {"state": state, "inc": increment}}
    return np.random.Generator(generator)


KINDS = {
    "tuple": Kind(tuple, list, tuple),
    "set": Kind((set, frozenset), list, set),
    "dict": Kind(dict, lambda entries: [list(entry) for entry in entries.items()], dict),
    "iterator": Kind((Iterator, KeysView, ValuesView), lambda i: list(islice(i, MOST_ITEMS)), iter),
    "range": Kind(range, lambda r: [r.start, r.stop, r.step], lambda ends: range(*ends)),
    "complex": Kind(complex, lambda z: [z.real, z.imag], lambda parts: complex(*parts)),
    "ellipsis": Kind(EllipsisType, lambda _: 0, lambda _: ...),
    "random": Kind(np.random.Generator, _generator_state, _generator_from),
}


class LostError(Exception):
    """Raised if the other process has ended, or if its messages make no sense."""


class Wire:
    """One end of a connection between two processes, which can make and answer calls.

    The other side may call the functions in `functions`, each call for at most `seconds`. All calls
    end when the clock reaches `end`. `lost` is the error to raise after the other side was lost.
    """

    seconds = 0.0  # 0 means no limit

    def __init__(self, line: socket.socket, end: float | None = None) -> None:
        self._line, self._end = line, end
        self._buffer, self._numbers = bytearray(), count()
        self.functions: dict[str | int, Callable[..., Any]] = {}
        self.lost: LostError | None = None

    def call(self, function: str | int, /, *arguments: Any, **keywords: Any) -> Any:
        """Call a function in the other process, and return the function's value.

        Raise the function's error, or LostError if the other side is gone.
        """
        functions_before = self.functions.copy()
        request = {
            "call": function,
            "arguments": self.pack(arguments),
            "keywords": self.pack(keywords),
        }
        with _stopped_alarm():
            self._send(json.dumps(request))
            while "call" in (message := self._receive()):
                self._answer(message)
        self.functions = functions_before
        try:
            if "error" not in message:
                return self.unpack(message["value"])
            error = _rebuild_error(message["error"], str(message["message"])[:1_000])
        except Exception as reason:
            raise self._lose(f"an answer can't be read: {reason}") from None
        raise error

    def close(self) -> None:
        """Close this end of the connection."""
        self._line.close()

    def serve(self) -> None:
        """Answer calls from the other process until the connection is lost."""
        with contextlib.suppress(LostError):
            while True:
                # if a call has timed out, its answer may still arrive later, and is then ignored
                if "call" in (message := self._receive()):
                    self._answer(message)

    def _answer(self, request: dict[str, Any]) -> None:
        """Call the function that the other process requests, and send its value or error."""
        try:
            with limit(self.seconds) if self.seconds else contextlib.nullcontext():
                arguments = self.unpack(request["arguments"])
                keywords = self.unpack(request["keywords"])
                value = self.functions[request["call"]](*arguments, **keywords)
                answer = json.dumps({"value": self.pack(value)})
        except BaseException as error:
            if self.lost:
                raise
            names = [base.__name__ for base in type(error).__mro__]
            answer = json.dumps({"error": names, "message": describe_error(error)})
        self._send(answer)

    def _send(self, text: str) -> None:
        try:
            self._set_timeout()
            self._line.sendall(text.encode() + b"\n")
        except OSError:
            raise self._lose(ENDED) from None

    def _receive(self) -> dict[str, Any]:
        """Return the next message, or raise LostError if no readable message arrives."""
        text = self._receive_line()
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise self._lose(UNREADABLE)
        return message

    def _receive_line(self) -> bytes:
        """Return the next line that arrives, or b'' if the line is too long.

        Raise LostError if no line arrives.
        """
        buffer = self._buffer
        try:
            while (end := buffer.find(b"\n", max(0, len(buffer) - READ_SIZE))) < 0:
                if len(buffer) > LARGEST_MESSAGE:
                    break
                self._set_timeout()
                if not (received := self._line.recv(READ_SIZE)):
                    raise self._lose(ENDED)
                buffer += received
            # the remaining time is checked for each message, so that many messages cannot exceed
            # the limit
            self._set_timeout()
        except OSError:
            raise self._lose(ENDED) from None
        line = bytes(buffer[: end + 1])
        del buffer[: end + 1]
        return line

    def _set_timeout(self) -> None:
        """Set the socket's timeout to the remaining time. Raise TimeoutError if no time is left."""
        left = None if self._end is None else self._end - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        self._line.settimeout(left)

    def _lose(self, reason: str) -> LostError:
        """Record that the other process is lost, and return an error for the caller to raise."""
        self.lost = LostError(reason)
        return self.lost

    def pack(self, value: Any) -> Any:
        """Convert a value to JSON data. A value that cannot be sent becomes its type's name."""
        if isinstance(value, np.generic):
            value = np.asarray(value)
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (Fraction, Decimal)):
            return float(value)
        if isinstance(value, list):
            return [self.pack(item) for item in value]
        for name, kind in KINDS.items():
            if isinstance(value, kind.types):
                if name in ("set", "dict") and len(value) > MOST_HASHED:
                    raise ValueError(f"{len(value):,} entries of a {name} are far too many")
                return {name: self.pack(kind.to_list(value))}
        if callable(value):
            self.functions[number := next(self._numbers)] = value
            return {"function": number}
        if hasattr(value, "detach"):  # a PyTorch tensor must be detached from its gradient first
            value = value.detach().cpu()
        array = np.asarray(value)
        if array.dtype.kind not in "biufc":
            return self.pack(array.tolist()) if array.ndim else {"other": type(value).__name__}
        if array.nbytes > LARGEST_MESSAGE // 2:
            raise ValueError(f"{array.size:,} entries are far too many")
        text = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        return {"array": [array.dtype.str, array.shape, text]}

    def unpack(self, data: Any) -> Any:
        """Convert JSON data from `pack` to the original value, or raise an error."""
        if isinstance(data, list):
            return [self.unpack(item) for item in data]
        if not isinstance(data, dict):
            return data
        name, content = next(iter(data.items()))
        if name == "array":
            dtype, shape, text = content
            return np.frombuffer(base64.b64decode(text), dtype).reshape(shape).copy()[()]
        if name == "function":
            return partial(self.call, int(content))
        if name == "other":
            return type(str(content)[:80], (), {})()
        if name in ("set", "dict") and len(content) > MOST_HASHED:
            raise ValueError(f"more than {MOST_HASHED:,} entries in a {name}")
        return KINDS[name].from_list(self.unpack(content))


@contextlib.contextmanager
def _stopped_alarm() -> Iterator[None]:
    """Stop the clock of the time limit, so that no message is interrupted halfway.

    Afterwards the alarm is set again, less the time that has passed in the meantime.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return
    start, (left, interval) = time.monotonic(), signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        if left:
            rest = max(left - (time.monotonic() - start), 1e-3)
            signal.setitimer(signal.ITIMER_REAL, rest, interval)


def _rebuild_error(names: list[str], message: str) -> BaseException:
    """Rebuild an error that the other process has sent as the names of its type and its base types.

    Its base class is the first built-in exception among the names.
    """
    if names[0] == "TooSlow":
        return TooSlow()
    kinds: list[Any] = [getattr(builtins, name, None) for name in names]
    base = next((k for k in kinds if isinstance(k, type) and issubclass(k, Exception)), Exception)
    attributes = {"__str__": lambda self: message, "explanation": message}
    kind: Any = type(str(names[0])[:80], (base,), attributes)
    error: BaseException = kind.__new__(kind)
    return error
