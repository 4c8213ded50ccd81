"""A sheet as a package for a class, for the system that it works in."""

from __future__ import annotations

from pathlib import Path


def put(path: Path, data: bytes) -> None:
    """Write a file, and the folders that it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
