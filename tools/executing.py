"""Let `make serve` know that notebooks are being executed, so that it builds once, at the end."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MARK = Path(__file__).resolve().parent.parent / "_build" / "executing"
FORGOTTEN = 600  # seconds after which nobody waits any more for a command that was killed


@contextmanager
def mark() -> Iterator[None]:
    """Mark that notebooks are being executed; call `renew` after each of them."""
    renew()
    try:
        yield
    finally:
        MARK.unlink(missing_ok=True)


def renew() -> None:
    """Say that notebooks are still being executed."""
    MARK.parent.mkdir(exist_ok=True)
    MARK.touch()


def is_going_on() -> bool:
    """Return whether a command is executing notebooks."""
    try:
        return time.time() - MARK.stat().st_mtime < FORGOTTEN
    except FileNotFoundError:
        return False
