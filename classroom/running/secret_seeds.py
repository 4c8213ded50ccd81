"""Choose the secret seeds on which functions are tried, and write them down."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from pathlib import Path

COUNT = 2  # as many seeds are drawn if the teacher gives none
FILE_NAME = "secret-seeds.txt"
EXPLANATION = (
    "Functions were also tried on the numbers of these secret seeds. The next run finds them here"
    " and uses them again."
)


def choose_seeds(teacher_seeds: Sequence[int] | None, folder: Path) -> tuple[int, ...]:
    """Return the seeds that were given, or else those of an earlier run, or else new ones.

    An earlier run has written its seeds into `folder`.
    """
    if teacher_seeds is not None:
        return tuple(teacher_seeds)
    path = folder / FILE_NAME
    if path.exists():
        lines = path.read_text("utf-8").splitlines()
        return tuple(int(line) for line in lines if re.fullmatch(r"\d+", line))
    return tuple(secrets.randbelow(2**31) for _ in range(COUNT))


def write_seeds(seeds: Sequence[int], folder: Path) -> str:
    """Write secret seeds into a file that only its owner may read, and return a line about it."""
    if not seeds:
        return (
            "Functions were tried on no secret seed: an answer may be a table of the numbers shown."
        )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    path.touch(mode=0o600)
    path.write_text("\n".join([EXPLANATION, *map(str, seeds), ""]), "utf-8")
    return f"Secret seeds, to be kept for grading again: {path}"
