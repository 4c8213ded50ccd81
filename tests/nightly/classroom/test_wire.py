"""What crosses between grader and submission, and what comes of what can't."""

import queue
import threading
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from classroom.running.wire import LostError, Wire, line, read

VALUES = [
    None, True, 7, -1.5, float("inf"), "word", 2**100, 1 + 2j, [1, [2, "x"]], (1, (2, None)),
    {1, 2}, frozenset({3}), {"a": 1, 2: [3]}, range(1, 9, 2), Fraction(1, 3), Decimal("0.1"), ...,
    np.arange(6.0).reshape(2, 3), np.array(2.5), np.float64(0.5), np.int8(3), np.bool_(True),
    np.array([True, False]), np.array([1 + 1j]), np.zeros((0, 4)), np.array(["a", "b"]),
    np.array([1, None], dtype=object), np.arange(12).reshape(3, 4)[:, ::2],
]  # fmt: skip


@pytest.fixture
def wires() -> Iterator[tuple[Wire, Wire]]:
    """Two ends; the second one answers in a thread of its own, until the test is over."""
    there: queue.Queue[bytes] = queue.Queue()
    back: queue.Queue[bytes] = queue.Queue()
    one = Wire(lambda: read(back.get(timeout=9)), lambda message: there.put(line(message)))
    two = Wire(lambda: read(there.get(timeout=9)), lambda message: back.put(line(message)))

    def answer() -> None:
        with suppress(LostError):
            while True:
                two.serve(two.receive())

    thread = threading.Thread(target=answer)
    thread.start()
    yield one, two
    there.put(b"end")
    thread.join()


def test_values_come_back_as_they_went(wires: tuple[Wire, Wire]) -> None:
    one, two = wires
    there_and_back = two.offer(lambda x: x)
    for value in VALUES:
        got = one.call(there_and_back, value)
        assert type(got) is type(value) or isinstance(value, (np.generic, np.ndarray)), value
        if isinstance(value, np.ndarray):
            assert got.shape == value.shape
            assert np.array_equal(got, value), value
            assert np.asarray(got).dtype.kind in (value.dtype.kind, "O", "U")
        else:
            assert got == value
    odd = type("Odd", (), {})
    assert type(one.call(two.offer(odd))).__name__ == "Odd", "what is no value"


def test_functions_are_called_where_they_are(wires: tuple[Wire, Wire]) -> None:
    one, two = wires
    here = []
    apply = two.offer(lambda function, x: function(x) + 1)
    assert one.call(apply, lambda x: here.append(x) or 10 * x, 4) == 41
    assert here == [4]
    assert one.call(two.offer(lambda n: lambda x: x + n), 2)(5) == 7


def test_what_an_argument_becomes_is_seen(wires: tuple[Wire, Wire]) -> None:
    one, two = wires
    array, many, names = np.zeros(3), [1, 2], {"a": np.zeros(2)}

    def change(x: Any, y: Any, z: Any) -> None:
        x[1] = 5
        y.append(3)
        z["a"] += 1

    one.call(two.offer(change), array, many, names)
    assert array.tolist() == [0, 5, 0]
    assert (many, names["a"].tolist()) == ([1, 2, 3], [1, 1])


def test_errors_keep_their_name_their_kind_and_their_words(wires: tuple[Wire, Wire]) -> None:
    class TooWideError(ValueError):
        pass

    def fail(error: str) -> None:
        if error == "own":
            raise TooWideError("9 wide")
        raise KeyboardInterrupt

    one, two = wires
    number = two.offer(fail)
    with pytest.raises(ValueError, match="TooWideError: 9 wide") as caught:
        one.call(number, "own")
    assert type(caught.value).__name__ == "TooWideError"
    with pytest.raises(Exception, match="KeyboardInterrupt") as caught_too:
        one.call(number, "stop")
    assert not isinstance(caught_too.value, KeyboardInterrupt)


@pytest.mark.parametrize(
    "text",
    [b"", b"{}", b"[]\n", b"\xff\n", b"[" * 100_000 + b"\n", b"3\n", b'{"answer": 1'],
    ids=range(7),
)
def test_what_is_no_message_is_refused(text: bytes) -> None:
    with pytest.raises(LostError):
        read(text)


def array(**fields: Any) -> dict[str, Any]:
    """An answer with an array in it that is right but for these fields."""
    whole = {"kind": "<f8", "shape": [1], "data": "AAAAAAAAAAA="}
    return {"value": {"array": whole | fields}, "changed": {}}


COLLIDING = [k * (2**61 - 1) for k in range(20_000)]  # all of one hash


@pytest.mark.parametrize(
    "answer",
    [
        {}, {"value": 1}, {"value": {"bomb": 1}, "changed": {}}, array(kind="O8"), array(shape=[9]),
        array(kind="<M8[s]"), array(more=1), array(data="AAAA"),
        {"value": {"array": 3}, "changed": {}}, {"value": {}, "changed": {}},
        {"value": 1, "changed": {"7": 1}}, {"value": 1, "changed": [1]},
        {"raised": [], "told": ""}, {"raised": 7, "told": ""}, {"raised": [{}], "told": ""},
        {"value": {"Fraction": "1e999999999"}, "changed": {}},
        {"value": {"set": COLLIDING}, "changed": {}},
        {"value": {"dict": [[k, 0] for k in COLLIDING]}, "changed": {}},
    ],
    ids=range(18),
)  # fmt: skip
def test_answers_that_are_forged_are_refused(answer: dict[str, Any]) -> None:
    forged = line({"answer": 1} | answer)
    with pytest.raises(LostError):
        Wire(lambda: read(forged), lambda message: None).call(0, 1)


def test_an_answer_to_a_call_that_was_given_up_is_passed_over() -> None:
    answers = iter([{"answer": 1, "value": "late"}, {"answer": 2, "value": "now", "changed": {}}])
    wire = Wire(lambda: next(answers), lambda message: None)
    wire.made = 1
    assert wire.call(0) == "now"
