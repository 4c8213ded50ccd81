"""Values and calls between two processes of which one does not trust the other.

What crosses is a line of JSON: numbers, arrays, lists, and for a function a number by which the
other side may call it. Nothing that arrives is executed, and a caller's frames, seeds and other
arguments stay where they are. One side calls at a time; the other may call back before it answers.
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
from typing import Any

import numpy as np

from pe_lib.course.grading.limits import TooSlow, limit
from pe_lib.course.grading.outcome import describe_error

MOST = 2**25  # bytes of a message
AT_ONCE = 2**18  # bytes that are read at once
LONGEST = 1_000_001  # entries of what may have no end: more than are compared
HASHED = 1_000  # entries of a set or a dictionary, lest all have one hash
ENDED, UNREADABLE = "its process ended before its time", "its results can't be read"
# What else than a list crosses, by name: the type, what is sent of it, and how it is made again
KINDS: dict[str, tuple[Any, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "tuple": (tuple, list, tuple),
    "set": ((set, frozenset), list, set),
    "dict": (dict, lambda d: [list(pair) for pair in d.items()], dict),
    "iterator": ((Iterator, KeysView, ValuesView), lambda i: list(islice(i, LONGEST)), iter),
    "range": (range, lambda r: [r.start, r.stop, r.step], lambda ends: range(*ends)),
    "complex": (complex, lambda z: [z.real, z.imag], lambda parts: complex(*parts)),
    "ellipsis": (EllipsisType, lambda _: 0, lambda _: ...),
}


class LostError(Exception):
    """The other side is gone, or what it says can't be read."""


class Wire:
    """The line to another process, which may call what is in `functions`, each for `seconds`.

    All ends when the clock says `end`.
    """

    seconds = 0.0  # no limit

    def __init__(self, line: socket.socket, end: float | None = None) -> None:
        self._line, self._end = line, end
        self._read, self._numbers = bytearray(), count()
        self.functions: dict[str | int, Callable[..., Any]] = {}
        self.lost: LostError | None = None

    def call(self, function: str | int, /, *arguments: Any, **named: Any) -> Any:
        """What the other side's function returns. Raises what it raises, and LostError."""
        before = self.functions.copy()
        asked = {"call": function, "given": self.packed(arguments), "named": self.packed(named)}
        with _clock_stopped():
            self._send(json.dumps(asked))
            while "call" in (message := self._receive()):
                self._answer(message)
        self.functions = before
        try:
            if "raised" not in message:
                return self.unpacked(message["value"])
            raised = _error(message["raised"], str(message["told"])[:1_000])
        except Exception as error:
            raise self._gone(f"an answer can't be read: {error}") from None
        raise raised

    def close(self) -> None:
        self._line.close()

    def serve(self) -> None:
        """Make calls for the other side until it is gone."""
        with contextlib.suppress(LostError):
            while True:
                if "call" in (message := self._receive()):  # else an answer that came too late
                    self._answer(message)

    def _answer(self, message: dict[str, Any]) -> None:
        try:
            with limit(self.seconds) if self.seconds else contextlib.nullcontext():
                given, named = self.unpacked(message["given"]), self.unpacked(message["named"])
                value = self.functions[message["call"]](*given, **named)
                said = json.dumps({"value": self.packed(value)})
        except BaseException as error:
            if self.lost:
                raise
            kinds = [kind.__name__ for kind in type(error).__mro__]
            said = json.dumps({"raised": kinds, "told": describe_error(error)})
        self._send(said)

    def _send(self, text: str) -> None:
        try:
            self._wait_no_longer()
            self._line.sendall(text.encode() + b"\n")
        except OSError:
            raise self._gone(ENDED) from None

    def _receive(self) -> dict[str, Any]:
        """The next message. Raises LostError where there is none, or none that can be read."""
        read = self._read
        try:
            while (end := read.find(b"\n", max(0, len(read) - AT_ONCE))) < 0 and len(read) <= MOST:
                self._wait_no_longer()
                if not (more := self._line.recv(AT_ONCE)):
                    raise self._gone(ENDED)
                read += more
            self._wait_no_longer()  # nor for one who has always one more to say
        except OSError:
            raise self._gone(ENDED) from None
        text = bytes(read[: end + 1])  # of too long a line nothing, which can't be read
        del read[: end + 1]
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise self._gone(UNREADABLE)
        return message

    def _wait_no_longer(self) -> None:
        left = None if self._end is None else self._end - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        self._line.settimeout(left)

    def _gone(self, why: str) -> LostError:
        self.lost = LostError(why)
        return self.lost

    def packed(self, value: Any) -> Any:
        """A value as JSON can hold it; of what can't cross, the name of its type."""
        if isinstance(value, np.generic):
            value = np.asarray(value)
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (Fraction, Decimal)):
            return float(value)
        if isinstance(value, list):
            return [self.packed(one) for one in value]
        for kind, (held, sent, _) in KINDS.items():
            if isinstance(value, held):
                if kind in ("set", "dict") and len(value) > HASHED:
                    raise ValueError(f"{len(value):,} entries of a {kind} are far too many")
                return {kind: self.packed(sent(value))}
        if callable(value):
            self.functions[number := next(self._numbers)] = value
            return {"function": number}
        if hasattr(value, "detach"):  # a tensor
            value = value.detach().cpu()
        array = np.asarray(value)
        if array.dtype.kind not in "biufc":
            return self.packed(array.tolist()) if array.ndim else {"other": type(value).__name__}
        if array.nbytes > MOST // 2:
            raise ValueError(f"{array.size:,} entries are far too many")
        text = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        return {"array": [array.dtype.str, array.shape, text]}

    def unpacked(self, data: Any) -> Any:
        """The value that `packed` made a message of. Raises an Exception where it didn't."""
        if isinstance(data, list):
            return [self.unpacked(one) for one in data]
        if not isinstance(data, dict):
            return data
        kind, content = next(iter(data.items()))
        if kind == "array":
            dtype, shape, text = content
            return np.frombuffer(base64.b64decode(text), dtype).reshape(shape).copy()[()]
        if kind == "function":
            return partial(self.call, int(content))
        if kind == "other":
            return type(str(content)[:80], (), {})()
        if kind in ("set", "dict") and len(content) > HASHED:
            raise ValueError(f"more than {HASHED:,} entries in a {kind}")
        return KINDS[kind][2](self.unpacked(content))


@contextlib.contextmanager
def _clock_stopped() -> Iterator[None]:
    """No alarm here, lest half a message be sent or read; the time counts all the same."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    start, (left, again) = time.monotonic(), signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        if left:
            rest = max(left - (time.monotonic() - start), 1e-3)
            signal.setitimer(signal.ITIMER_REAL, rest, again)


def _error(kinds: list[str], told: str) -> BaseException:
    """An error of the same name and, as far as Python has them, of the same kind."""
    if kinds[0] == "TooSlow":
        return TooSlow()
    known: list[Any] = [getattr(builtins, kind, None) for kind in kinds]
    base = next((k for k in known if isinstance(k, type) and issubclass(k, Exception)), Exception)
    words = {"__str__": lambda self: told, "explanation": told}
    kind: Any = type(str(kinds[0])[:80], (base,), words)
    error: BaseException = kind.__new__(kind)
    return error
