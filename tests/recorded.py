"""Read recordings, and make explorers in a state, with the recording that some of them need."""

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
    """Return a recording of chapters/data."""
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


def given(kind: str) -> dict[str, Any]:
    """Return the arguments that an explorer of this kind cannot do without."""
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
    """Return an explorer of this kind with these values."""
    return explorers.of_kind(kind)(**given(kind) | values(text))


def packed(text: str) -> Any:
    """Return numbers from 0 to 1 that a recording holds as bytes."""
    return np.frombuffer(base64.b64decode(text), np.uint8) / 255


def run(recording: dict[str, Any], scheme: str) -> dict[str, Any]:
    """Return the recorded training of a table."""
    return next(one for one in recording["runs"] if one["scheme"] == scheme)


def maps(recording: dict[str, Any], scheme: str, name: str) -> Any:
    """Return for each look the map "similarity", -1 to 1, or "attention", 0 to 1."""
    length = recording["length"]
    shares = packed(run(recording, scheme)[name]).reshape(-1, length, length)
    return 2 * shares - 1 if name == "similarity" else shares


def places(recording: dict[str, Any], scheme: str) -> Any:
    """Return where the 48 rows are at each look, in their plane: (looks, 48, 2)."""
    one = run(recording, scheme)
    return one["reach"] * (2 * packed(one["plane"]).reshape(-1, 48, 2) - 1)
