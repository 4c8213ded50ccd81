"""A time limit, in each of the ways that one system or another needs."""

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress

import pytest

from pe_lib.course.grading import limits
from pe_lib.course.grading.limits import TooSlow, limit

WAYS = [limits._by_signal, limits._by_thread, limits._by_line]
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
Way = Callable[[float], AbstractContextManager[None]]


def forever() -> None:
    while True:
        pass


@every_way
def test_an_endless_loop_ends(way: Way) -> None:
    start = time.perf_counter()
    with pytest.raises(TooSlow), way(0.2):
        forever()
    assert 0.15 < time.perf_counter() - start < 2


@every_way
def test_a_loop_that_catches_exceptions_ends(way: Way) -> None:
    def stubborn() -> None:
        while True:
            with suppress(Exception):
                forever()

    with pytest.raises(TooSlow), way(0.2):
        stubborn()


@pytest.mark.skipif(not hasattr(limits.signal, "setitimer"), reason="no signals on this system")
def test_a_signal_ends_even_a_loop_that_catches_everything() -> None:
    def stubborn() -> None:
        while True:
            with suppress(BaseException):
                sum(range(1_000))

    with pytest.raises(TooSlow), limits._by_signal(0.2):
        stubborn()
    assert limits.sys.gettrace() is None or "coverage" in limits.sys.modules


@every_way
def test_what_is_quick_is_left_alone_and_nothing_comes_after(way: Way) -> None:
    with way(0.1):
        value = sum(range(10))
    end = time.perf_counter() + 0.3
    while time.perf_counter() < end:
        value += 1
    assert value > 45


@every_way
def test_an_error_in_the_body_gets_out(way: Way) -> None:
    with pytest.raises(ZeroDivisionError), way(1):
        _ = 1 / 0


def test_in_a_thread_there_is_a_way_too() -> None:
    ended = []

    def run() -> None:
        try:
            with limit(0.2):
                forever()
        except TooSlow:
            ended.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(5)
    assert ended == [True]
