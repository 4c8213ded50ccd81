"""Tell `make serve` whether another command is executing notebooks at the moment.

Meanwhile `make serve` waits, and it builds the site only once, at the end.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MARK = Path(__file__).resolve().parent.parent / "_build" / "executing"
# after this many seconds the file is ignored, because its command was probably killed
FORGOTTEN = 600


@contextmanager
def mark() -> Iterator[None]:
    """Keep a file while the body of a `with` statement executes notebooks, as a sign for others.

    Call `renew` after each notebook, since an old mark is ignored.
    """
    renew()
    try:
        yield
    finally:
        MARK.unlink(missing_ok=True)


def renew() -> None:
    """Renew the time of the sign, so that it does not look like a leftover."""
    MARK.parent.mkdir(exist_ok=True)
    MARK.touch()


def is_going_on() -> bool:
    """Return whether some command is executing notebooks."""
    try:
        return time.time() - MARK.stat().st_mtime < FORGOTTEN
    except FileNotFoundError:
        return False
