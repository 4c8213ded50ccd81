"""Read the recordings in chapters/data, and make explorers that show the recordings."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

from pe_lib.course import explorers

DATA = Path(__file__).resolve().parent.parent / "chapters" / "data"


def read_recording(name: str) -> Any:
    """Return the content of the recording with this name in chapters/data."""
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


def required_arguments(kind: str) -> dict[str, Any]:
    """Return the arguments that explorers of this kind require."""
    match kind:
        case "circuit":
            return {"text": read_recording("skipping")["sentence"]}
        case "context":
            return {"score": read_recording("longer")["score"]}
        case "training":
            return {"recording": read_recording("training")}
    return {}


def make_explorer(kind: str, **values: Any) -> explorers.Explorer:
    """Return an explorer of this kind with the given values of its traits."""
    return explorers.of_kind(kind)(**required_arguments(kind) | values)


def unpack_numbers(text: str) -> Any:
    """Return the numbers from 0 to 1 that a recording stores as bytes."""
    return np.frombuffer(base64.b64decode(text), np.uint8) / 255


def run(recording: dict[str, Any], scheme: str) -> dict[str, Any]:
    """Return the recorded training run whose position table has this scheme."""
    return next(run for run in recording["runs"] if run["scheme"] == scheme)


def maps(recording: dict[str, Any], scheme: str, name: str) -> Any:
    """For each snapshot, return the map "similarity" (-1 to 1) or "attention" (0 to 1)."""
    length = recording["length"]
    shares = unpack_numbers(run(recording, scheme)[name]).reshape(-1, length, length)
    return 2 * shares - 1 if name == "similarity" else shares


def places(recording: dict[str, Any], scheme: str) -> Any:
    """For each snapshot, return the coordinates of 48 rows, in the plane where they move most.

    The result has shape (looks, 48, 2).
    """
    training = run(recording, scheme)
    return training["reach"] * (2 * unpack_numbers(training["plane"]).reshape(-1, 48, 2) - 1)
