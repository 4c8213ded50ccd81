"""Read `keys.toml`, which says which configuration keys concern positions or have no effect."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pe_lib.checkpoints._records import read_record


@dataclass(frozen=True)
class Harmless:
    """A pattern for configuration keys without effect, with the harmless values and the reason."""

    keys: str  # a regular expression
    reason: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Limits:
    """The smallest and the largest plausible value for a size in a configuration."""

    least: int
    most: int


@dataclass(frozen=True)
class Keys:
    """The content of `keys.toml`, where comments explain each field."""

    positional: str
    rotating: str
    known_keys: tuple[str, ...]
    silent: tuple[str, ...]
    bases: tuple[str, ...]
    text_parts: tuple[str, ...]
    beside_scaling: tuple[str, ...]
    beside_sections: tuple[str, ...]
    harmless: tuple[Harmless, ...]
    sizes: Mapping[str, Limits]
    other_names: Mapping[str, tuple[str, ...]]
    neutral: Mapping[str, int]
    types: Mapping[str, str]
    renamed_types: Mapping[str, str]
    windows: Mapping[str, str]


FOLDER = Path(__file__).parent
KEYS = read_record(Keys, tomllib.loads((FOLDER / "keys.toml").read_text("utf-8")), "keys.toml")
