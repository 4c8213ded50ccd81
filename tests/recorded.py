"""What some explorers cannot do without: what was recorded for them."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).resolve().parent.parent / "chapters" / "data"


def given(kind: str) -> dict[str, Any]:
    """The arguments that an explorer of this kind needs, besides its defaults."""

    def read(name: str) -> Any:
        return json.loads((DATA / f"{name}.json").read_text("utf-8"))

    match kind:
        case "circuit":
            return {"text": read("skipping")["sentence"]}
        case "context":
            return {"score": read("longer")["score"]}
        case "schemes":
            return {"recording": read("lengths")}
        case "training":
            return {"recording": read("training")}
    return {}


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
