"""What some explorers cannot do without: what was recorded for them. And explorers in a state."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from pe_lib.course import explorers

DATA = Path(__file__).resolve().parent.parent / "chapters" / "data"
TABLES = yaml.safe_load((DATA.parents[1] / "tests/explorers/states.yml").read_text("utf-8"))


def recorded(name: str) -> Any:
    """What is kept in chapters/data."""
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


def given(kind: str) -> dict[str, Any]:
    """The arguments that an explorer of this kind needs, besides its defaults."""
    match kind:
        case "circuit":
            return {"text": recorded("skipping")["sentence"]}
        case "context":
            return {"score": recorded("longer")["score"]}
        case "training":
            return {"recording": recorded("training")}
    return {}


def rows(table: str) -> list[list[str]]:
    """A table of states.yml."""
    return [line.split(" | ") for line in TABLES[table].splitlines()]


def values(text: str) -> dict[str, Any]:
    """Traits and their values, as a table has them."""
    return eval(f"dict({text})", {"TEXT": given("circuit")["text"]})


def made(kind: str, text: str = "") -> explorers.Explorer:
    """An explorer of this kind, with these values."""
    return explorers.of_kind(kind)(**given(kind) | values(text))


def packed(text: str) -> Any:
    """Numbers that a recording holds as bytes, 0 to 1."""
    return np.frombuffer(base64.b64decode(text), np.uint8) / 255


def run(recording: dict[str, Any], scheme: str) -> dict[str, Any]:
    """The recorded training of a table."""
    return next(one for one in recording["runs"] if one["scheme"] == scheme)


def maps(recording: dict[str, Any], scheme: str, name: str) -> Any:
    """Of each look the map "similarity", -1 to 1, or "attention", 0 to 1."""
    length = recording["length"]
    shares = packed(run(recording, scheme)[name]).reshape(-1, length, length)
    return 2 * shares - 1 if name == "similarity" else shares


def places(recording: dict[str, Any], scheme: str) -> Any:
    """Where the 48 rows are at each look, in the plane in which they move most: (looks, 48, 2)."""
    one = run(recording, scheme)
    return one["reach"] * (2 * packed(one["plane"]).reshape(-1, 48, 2) - 1)
