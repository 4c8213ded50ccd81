"""What is installed only by those who use it."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def needed(module: str, package: str) -> Any:
    """The module, which only this command needs. Raises ValueError, which says what to install."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ValueError(f"This needs {package} ({error}): pip install {package}") from None
