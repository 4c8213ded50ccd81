"""A sheet as a package for a class, for the system that it works in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[3]


def put(path: Path, data: bytes) -> None:
    """Write a file, and the folders that it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def library() -> Iterator[tuple[str, bytes]]:
    """All files of pe_lib, by the path from which they are imported."""
    for path in sorted(LIBRARY.rglob("*")):
        if path.is_file() and not {"__pycache__", "order_matters.egg-info"} & set(path.parts):
            yield f"pe_lib/{path.relative_to(LIBRARY).as_posix()}", path.read_bytes()
