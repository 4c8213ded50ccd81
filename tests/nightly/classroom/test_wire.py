"""Test that a grader and a submission can exchange some types of values, and no others."""

import json
import socket
import threading
import time
from array import array as array_of
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from classroom.running.wire import LostError, Wire

VALUES = [
    None, True, 7, -1.5, float("inf"), "word", 2**100, 1 + 2j, [1, [2, "x"]], (1, (2, None)),
    {1, 2}, {"a": 1, 2: [3]}, range(1, 9, 2), ...,
    np.arange(6.0).reshape(2, 3), np.array(2.5), np.float64(0.5), np.int8(3), np.bool_(True),
    np.array([True, False]), np.array([1 + 1j]), np.zeros((0, 4)), np.array(["a", "b"]),
    np.array([1, None], dtype=object), np.arange(12).reshape(3, 4)[:, ::2],
]  # fmt: skip


@pytest.fixture
def wires() -> Iterator[tuple[Wire, Wire]]:
    """Yield two connected wires. Until the test ends, a thread answers calls at the second wire."""
    ours, theirs = socket.socketpair()
    grader, submission = Wire(ours, time.monotonic() + 9), Wire(theirs)
    thread = threading.Thread(target=submission.serve)
    thread.start()
    yield grader, submission
    ours.shutdown(socket.SHUT_RDWR)
    thread.join()
    grader.close()
    submission.close()


def offer_function(wire: Wire, function: Callable[..., Any]) -> int:
    return int(wire.pack(function)["function"])


def test_values_come_back_as_they_went(wires: tuple[Wire, Wire]) -> None:
    grader, submission = wires
    there_and_back = offer_function(submission, lambda x: x)
    for value in VALUES:
        value_back = grader.call(there_and_back, value)
        assert type(value_back) is type(value) or isinstance(value, (np.generic, np.ndarray)), value
        if isinstance(value, np.ndarray):
            value_back = np.asarray(value_back)
            assert value_back.shape == value.shape
            assert np.array_equal(value_back, value), value
            assert np.asarray(value_back).dtype.kind in (value.dtype.kind, "O", "U")
        else:
            assert value_back == value
    assert grader.call(there_and_back, [Fraction(1, 4), Decimal("0.5"), frozenset({3})]) == [
        0.25,
        0.5,
        {3},
    ]
    for iterated in (map(int, "12"), {1: 0, 2: 0}.keys(), deque([1, 2]), array_of("b", [1, 2])):
        assert list(grader.call(there_and_back, iterated)) == [1, 2], "as a notebook reads it"
    with pytest.raises(ValueError, match="1,001 entries of a set are far too many"):
        grader.call(offer_function(submission, lambda: set(MANY)))
    assert not grader.lost
    odd = type("Odd", (), {})
    assert type(grader.call(offer_function(submission, odd))).__name__ == "Odd", "what is no value"


def test_functions_are_called_where_they_are(wires: tuple[Wire, Wire]) -> None:
    grader, submission = wires
    here = []
    apply = offer_function(submission, lambda function, x: function(x) + 1)
    assert grader.call(apply, lambda x: here.append(x) or 10 * x, 4) == 41
    assert here == [4]
    assert grader.call(offer_function(submission, lambda n: lambda x: x + n), 2)(5) == 7


def test_errors_keep_their_name_their_kind_and_their_words(wires: tuple[Wire, Wire]) -> None:
    class TooWideError(ValueError):
        pass

    def fail(error: str) -> None:
        if error == "own":
            raise TooWideError("9 wide")
        raise KeyboardInterrupt

    grader, submission = wires
    number = offer_function(submission, fail)
    with pytest.raises(ValueError, match="TooWideError: 9 wide") as caught:
        grader.call(number, "own")
    assert type(caught.value).__name__ == "TooWideError"
    with pytest.raises(Exception, match="KeyboardInterrupt") as caught_too:
        grader.call(number, "stop")
    assert not isinstance(caught_too.value, KeyboardInterrupt)


def call_answered_by(*messages: bytes) -> Any:
    """Make a call that is answered by these messages, and return the value of the call."""
    ours, theirs = socket.socketpair()
    with theirs, closing(Wire(ours, time.monotonic() + 9)) as wire:
        theirs.sendall(b"".join(messages))
        theirs.shutdown(socket.SHUT_WR)
        return wire.call(0, 1)


@pytest.mark.parametrize(
    "text",
    [b"", b"{}", b"[]\n", b"\xff\n", b"[" * 100_000 + b"\n", b"3\n", b'{"value": 1'],
    ids=range(7),
)
def test_what_is_no_message_is_refused(text: bytes) -> None:
    with pytest.raises(LostError):
        call_answered_by(text)


def test_a_submission_that_does_not_answer_is_given_up() -> None:
    ours, theirs = socket.socketpair()
    with theirs, closing(Wire(ours, time.monotonic() + 0.3)) as wire:
        with pytest.raises(LostError):
            # the array exceeds the socket's buffer, and nobody reads it, so the call must time out
            wire.call(0, np.zeros(10**6))
        assert wire.lost


@pytest.mark.parametrize("message", [b" ", b'{"call": 7, "arguments": [], "keywords": {}}\n'])
def test_who_always_says_something_is_given_up_in_time(message: bytes) -> None:
    ours, theirs = socket.socketpair()

    def drip() -> None:
        with suppress(OSError):
            for _ in range(60):
                theirs.sendall(message)
                time.sleep(0.05)

    thread, start = threading.Thread(target=drip), time.monotonic()
    thread.start()
    with theirs, closing(Wire(ours, start + 0.5)) as wire, pytest.raises(LostError):
        wire.call(0, 1)
    assert time.monotonic() - start < 2
    thread.join()


def array_answer(
    kind: Any = "<f8", shape: Any = (1,), data: Any = "AAAAAAAAAAA="
) -> dict[str, Any]:
    """Return a message with an array. Keyword arguments replace its fields by invalid values."""
    return {"value": {"array": [kind, shape, data]}}


def test_an_array_is_made_of_its_bytes() -> None:
    assert call_answered_by(json.dumps(array_answer()).encode() + b"\n") == [0.0]


MANY = list(range(1_001))  # rejected, because all items could have equal hashes


@pytest.mark.parametrize(
    "answer",
    [
        {}, {"value": {"bomb": 1}}, {"value": {}}, array_answer(kind="O8"), array_answer(shape=[9]),
        array_answer(shape=[10**15]), array_answer(data="AAAA"), {"value": {"array": 3}},
        {"value": {"set": [[]]}},
        {"error": [], "message": ""}, {"error": 7, "message": ""}, {"error": [{}], "message": ""},
        {"value": {"Fraction": "1e999999999"}}, {"value": {"function": "x", "name": ""}},
        {"value": {"set": MANY}}, {"value": {"dict": [[k, 0] for k in MANY]}},
    ],
    ids=range(16),
)  # fmt: skip
def test_answers_that_are_forged_are_refused(answer: dict[str, Any]) -> None:
    with pytest.raises(LostError):
        call_answered_by(json.dumps(answer).encode() + b"\n")
