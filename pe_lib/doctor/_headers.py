"""Headers of .safetensors and .gguf files: where each tensor lies. No more of a file is read.

Sources: https://huggingface.co/docs/safetensors, and docs/gguf.md in ggml-org/ggml (version 3).
"""

import json
import struct
from dataclasses import dataclass
from typing import IO, Any, Literal

LONGEST = 100_000_000  # bytes of a safetensors header: its own limit
SAFETENSORS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "bfloat16", "I64": "<i8",
               "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1", "BOOL": "u1"}  # fmt: skip
GGUF = {0: "<f4", 1: "<f2", 28: "<f8", 30: "bfloat16"}  # all others are quantised
SIMPLE = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q",
          11: "<q", 12: "<d"}  # fmt: skip
TEXT, LIST = 8, 9


@dataclass
class Place:
    """A tensor in a file: its format ("V1" if it cannot be read), its shape, its first byte."""

    form: Any
    shape: tuple[int, ...]
    start: int
    size: int | None = None  # in bytes, where the header says it, too
    order: Literal["C", "F"] = "C"


def safetensors(file: IO[bytes], size: int) -> dict[str, Place]:
    """Eight bytes of length, JSON with names, kinds, shapes and places, then the numbers."""
    (length,) = struct.unpack("<Q", file.read(8))
    if length > min(LONGEST, size - 8):
        raise ValueError(f"claims a header of {length:,} bytes in a file of {size:,}")
    header = json.loads(file.read(length))
    return {
        name: Place(
            SAFETENSORS.get(entry["dtype"], "V1"),
            tuple(entry["shape"]),
            8 + length + entry["data_offsets"][0],
            entry["data_offsets"][1] - entry["data_offsets"][0],
        )
        for name, entry in header.items()
        if name != "__metadata__"
    }


def gguf(file: IO[bytes], size: int) -> tuple[dict[str, Place], dict[str, Any]]:
    """Places of tensors, and the header's facts, lists left out."""

    def take(count: int) -> bytes:
        data = file.read(count) if count <= size else b""
        if len(data) < count:
            raise ValueError("cut short within its header")
        return data

    def number(form: str) -> Any:
        return struct.unpack(form, take(struct.calcsize(form)))[0]

    def text() -> str:
        return take(number("<Q")).decode("utf-8", "replace")

    def value(kind: int) -> Any:
        if kind in SIMPLE:
            return number(SIMPLE[kind])
        if kind == TEXT:
            return text()
        if kind != LIST:
            raise ValueError(f"a value of unknown kind {kind} in its header")
        inner, count = number("<I"), number("<Q")
        if inner in SIMPLE:
            take(count * struct.calcsize(SIMPLE[inner]))
        else:
            for _ in range(count):
                value(inner)
        return None

    if take(4) != b"GGUF":
        raise ValueError("is no GGUF file")
    if (version := number("<I")) not in (2, 3):
        raise ValueError(f"has version {version} of GGUF, 2 and 3 are known")
    tensors, keys = number("<Q"), number("<Q")
    facts = {}
    for _ in range(keys):
        name = text()
        facts[name] = value(number("<I"))
    found = {}
    for _ in range(tensors):
        name, axes = text(), number("<I")
        shape = tuple(number("<Q") for _ in range(axes))[::-1]
        found[name] = Place(GGUF.get(number("<I"), "V1"), shape, number("<Q"))
    step = int(facts.get("general.alignment") or 32)
    begin = -(-file.tell() // step) * step
    for place in found.values():
        place.start += begin
    return found, facts
