"""Check the two time limits, one of which uses signals and the other tracing."""

import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress

import pytest

from pe_lib.course.grading import limits
from pe_lib.course.grading.limits import TooSlow, limit


@pytest.fixture(params=["by signal", "by tracing"])
def limiter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "by tracing":
        monkeypatch.delattr(limits.signal, "setitimer")


def loop_forever() -> None:
    while True:
        pass


def catch_everything() -> None:
    for _ in range(20):
        with suppress(Exception):
            loop_forever()


def wait_forever() -> None:
    while True:
        time.sleep(0.05)


@pytest.mark.usefixtures("limiter")
@pytest.mark.parametrize("loop", [loop_forever, catch_everything, wait_forever])
def test_an_endless_loop_ends(loop: Callable[[], None]) -> None:
    with pytest.raises(TooSlow), limit(0.2):
        loop()


@pytest.mark.usefixtures("limiter")
def test_what_the_processor_does_for_others_is_not_counted() -> None:
    with limit(0.2):
        time.sleep(0.4)


def test_where_nothing_that_is_raised_gets_out_it_is_told_again() -> None:
    """Check that TooSlow is raised again if Python drops it in a callback of a weak reference."""
    end = time.perf_counter() + 0.3

    def busy(_: object) -> None:
        while time.perf_counter() < end:
            pass

    def drop_and_loop() -> None:
        # the object is deleted immediately, so Python calls `busy`
        _ref = weakref.ref(type("Thing", (), {})(), busy)
        loop_forever()

    with pytest.raises(TooSlow), limit(0.1):
        drop_and_loop()


@pytest.mark.usefixtures("limiter")
def test_what_is_quick_is_left_alone_and_nothing_comes_after() -> None:
    with limit(0.1):
        value = sum(range(10))
    end = time.perf_counter() + 0.3
    while time.perf_counter() < end:
        value += 1
    assert value > 45
    with pytest.raises(ZeroDivisionError), limit(1):
        _ = 1 / 0


def test_in_a_thread_there_is_a_way_too() -> None:
    ended = []

    def run() -> None:
        try:
            with limit(0.2):
                loop_forever()
        except TooSlow:
            ended.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    assert ended == [True]
