"""Values and calls between two processes of which one does not trust the other.

What crosses is text: numbers, arrays, lists, and for a function a number by which the other side
may call it. Nothing that arrives is executed, and a caller's frames, seeds and other arguments
stay where they are.
"""

from __future__ import annotations

import base64
import builtins
import contextlib
import fractions
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from decimal import Decimal
from typing import Any

import numpy as np

from pe_lib.course.grading.limits import TooSlow
from pe_lib.course.grading.outcome import in_words

MOST = 2**25  # bytes of a message
DEEPEST = 50  # lists in lists
HASHED = 10_000  # entries of sets and dictionaries in one message: all may have the same hash
MADE: dict[str, Callable[[Any], Any]] = {
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "range": lambda ends: range(*ends),
    "complex": lambda parts: complex(*parts),
    "Fraction": lambda text: fractions.Fraction(*map(int, text.split("/"))),  # no 1e999999999
    "Decimal": Decimal,
    "ellipsis": lambda _: ...,
}


class LostError(Exception):
    """The other side is gone, or what it says can't be read."""


class Wire:
    """The line to the other process: `receive` returns its next message, `send` takes one.

    The other side calls what is in `functions`, each within the limit that `limited` makes.
    """

    def __init__(
        self,
        receive: Callable[[], dict[str, Any]],
        send: Callable[[dict[str, Any]], None],
        limited: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext,
    ) -> None:
        self.receive, self.send, self.limited = receive, send, limited
        self.functions: dict[int, Callable[..., Any]] = {}
        self.offered, self.made, self.serving = 0, 0, 0
        self.hashed = 0  # entries of sets and dictionaries in this message

    def offer(self, function: Callable[..., Any]) -> int:
        """The number by which the other side may call the function."""
        self.functions[self.offered] = function
        self.offered += 1
        return self.offered - 1

    def call(self, function: int, *arguments: Any, **named: Any) -> Any:
        """What the other side's function returns; an array that it changes is changed here, too.

        Raises what it raises, and LostError.
        """
        self.made += 1
        number, first = self.made, self.offered
        try:
            given = [self.packed(argument) for argument in arguments]
            self.send(
                {
                    "call": number,
                    "within": self.serving,
                    "function": function,
                    "given": given,
                    "named": {name: self.packed(value) for name, value in named.items()},
                }
            )
            while True:  # an answer to a call that was given up may come first
                message = self.receive()
                if "call" in message and message.get("within") == number:
                    self.serve(message)
                elif "call" in message:
                    self.send({"answer": message["call"], "raised": ["TooSlow"], "told": ""})
                elif message.get("answer") == number:
                    return self._returned(message, arguments)
        finally:
            for offered in range(first, self.offered):
                self.functions.pop(offered, None)

    def serve(self, message: dict[str, Any]) -> None:
        """Make a call for the other side, and send what came of it."""
        outer, self.serving, self.hashed = self.serving, message["call"], 0
        said: dict[str, Any] = {"answer": message["call"]}
        try:
            with self.limited():
                given = [self.unpacked(value) for value in message["given"]]
                named = {name: self.unpacked(value) for name, value in message["named"].items()}
                value = self.functions[message["function"]](*given, **named)
                said["value"] = self.packed(value)
                after = enumerate(map(self._content, given))
                said["changed"] = {
                    str(n): now
                    for n, now in after
                    if now is not None and now != message["given"][n]
                }
            self.send(said)
        except BaseException as error:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            self.send({"answer": message["call"], "raised": kinds, "told": in_words(error)})
            if isinstance(error, (TooSlow, LostError)):
                raise
        finally:
            self.serving = outer

    def _content(self, value: Any) -> Any:
        return self.packed(value) if isinstance(value, (np.ndarray, list, dict)) else None

    def _returned(self, message: dict[str, Any], arguments: tuple[Any, ...]) -> Any:
        self.hashed = 0
        try:
            if "raised" in message:
                raised = _error(message["raised"], str(message["told"])[:1_000])
            else:
                for number, now in message["changed"].items():
                    _changed(arguments[int(number)], self.unpacked(now))
                return self.unpacked(message["value"])
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise LostError(f"an answer can't be read: {error}") from None
        raise raised

    def packed(self, value: Any, depth: int = 0) -> Any:
        """A value as JSON can hold it; of what can't cross, the name of its type."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return value.item() if isinstance(value, np.generic) else value
        name = type(value).__name__
        if depth < DEEPEST:
            if isinstance(value, list):
                return [self.packed(one, depth + 1) for one in value]
            if isinstance(value, dict):
                pairs = [
                    [self.packed(key), self.packed(one, depth + 1)] for key, one in value.items()
                ]
                return {"dict": pairs}
            if isinstance(value, (tuple, set, frozenset)):
                kind = next(k for k in (tuple, set, frozenset) if isinstance(value, k))
                return {kind.__name__: [self.packed(one, depth + 1) for one in value]}
        if isinstance(value, range):
            return {"range": [value.start, value.stop, value.step]}
        if isinstance(value, complex):
            return {"complex": [value.real, value.imag]}
        if isinstance(value, (fractions.Fraction, Decimal)):
            return {name: str(value)}
        if value is ...:
            return {"ellipsis": 0}
        if callable(value):
            return {"function": self.offer(value), "name": name}
        with contextlib.suppress(Exception):
            return _array(value)
        return {"other": name}

    def unpacked(self, data: Any) -> Any:
        """The value that `packed` made a message of. Raises ValueError where it didn't."""
        if isinstance(data, list):
            return [self.unpacked(one) for one in data]
        if not isinstance(data, dict):
            return data
        first: tuple[str, Any] = next(iter(data.items()), ("", None))
        kind, content = first
        if kind in ("dict", "set", "frozenset"):
            self.hashed += len(content)
            if self.hashed > HASHED:
                raise ValueError(f"more than {HASHED:,} entries in sets and dictionaries")
        if kind == "dict":
            return {self.unpacked(key): self.unpacked(one) for key, one in content}
        if kind == "array":
            return _restored(**content)
        if kind == "scalar":
            return _restored(**content)[()]
        if kind == "function":
            return self._remote(int(content), str(data["name"]))
        if kind == "other":
            return type(str(content)[:80], (), {})()
        if kind in MADE:
            return MADE[kind](self.unpacked(content))
        raise ValueError(f"no value is called {kind!r}")

    def _remote(self, number: int, name: str) -> Callable[..., Any]:
        def function(*arguments: Any, **named: Any) -> Any:
            return self.call(number, *arguments, **named)

        remote: Callable[..., Any] = type(name[:80], (), {"__call__": staticmethod(function)})()
        return remote


def _array(value: Any) -> dict[str, Any]:
    """An array, a tensor, a table or a number of numpy's. Raises for what is none of these."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
    if not hasattr(value, "__array__"):
        raise TypeError
    array = np.asarray(value)
    if array.dtype.kind in "OSU":
        return {"array": {"kind": "O", "shape": array.shape, "data": array.ravel().tolist()}}
    if array.nbytes > MOST // 2:  # too many to be an answer: it arrives without its numbers
        return {"array": {"kind": "", "shape": array.shape, "data": ""}}
    text = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    what = "scalar" if isinstance(value, np.generic) else "array"
    return {what: {"kind": array.dtype.str, "shape": array.shape, "data": text}}


def _restored(kind: str, shape: list[int], data: Any) -> Any:
    if not kind:
        return np.broadcast_to(np.float64(0), shape)
    if kind == "O":
        array = np.array(data, dtype=object if any(x is None for x in data) else None)
        return array.reshape(shape)
    if np.dtype(kind).kind not in "biufc":
        raise ValueError(f"no numbers are called {kind!r}")
    return np.frombuffer(base64.b64decode(data), dtype=kind).reshape(shape).copy()


def _changed(there: Any, now: Any) -> None:
    """Do to an argument what the function did to its copy."""
    if isinstance(there, np.ndarray) and isinstance(now, np.ndarray):
        if there.shape == now.shape and there.flags.writeable:
            there[...] = now
    elif isinstance(there, list) and isinstance(now, list):
        there[:] = now
    elif isinstance(there, dict) and isinstance(now, dict):
        there.clear()
        there.update(now)


def _error(kinds: list[str], told: str) -> BaseException:
    """An error of the same name and, as far as Python has them, of the same kind."""
    if kinds[0] == "TooSlow":
        return TooSlow()
    known: list[Any] = [getattr(builtins, kind, None) for kind in kinds]
    base = next((k for k in known if isinstance(k, type) and issubclass(k, Exception)), Exception)
    words = {"__str__": lambda self: told, "told": told}
    kind: Any = type(str(kinds[0])[:80], (base,), words)
    error: BaseException = kind.__new__(kind)
    return error


def line(message: dict[str, Any]) -> bytes:
    """A message as it is sent."""
    return json.dumps(message).encode() + b"\n"


def read(text: bytes) -> dict[str, Any]:
    """A message as it was sent. Raises LostError for what is none."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise LostError("a message can't be read") from None
    if not text.endswith(b"\n") or not isinstance(message, dict):
        raise LostError("a message can't be read")
    return message
