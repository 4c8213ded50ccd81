"""Choose the secret seeds, from which the numbers that test students' functions are drawn."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from pathlib import Path

COUNT = 2  # the number of secret seeds, unless the teacher gives some
FILE_NAME = "secret-seeds.txt"
EXPLANATION = (
    "Functions were also tried on the numbers of these secret seeds. The next run finds them here"
    " and uses them again."
)


def choose_seeds(teacher_seeds: Sequence[int] | None, folder: Path) -> tuple[int, ...]:
    """Return the secret seeds: those given by the teacher, or those of an earlier run, or new ones.

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
    """Write the secret seeds into a file that only its owner may read, and say so in a line."""
    if not seeds:
        return (
            "Functions were tried on no secret seed: an answer may be a table of the numbers shown."
        )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    path.touch(mode=0o600)
    path.write_text("\n".join([EXPLANATION, *map(str, seeds), ""]), "utf-8")
    return f"Secret seeds, to be kept for grading again: {path}"
