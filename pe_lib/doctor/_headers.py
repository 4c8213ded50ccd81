"""Headers of .safetensors and .gguf files: where each tensor lies. No more of a file is read.

Sources: https://huggingface.co/docs/safetensors, and docs/gguf.md in ggml-org/ggml (version 3).
"""

import json
import struct
from mmap import mmap
from typing import Any, Literal, NamedTuple

LONGEST = 100_000_000  # bytes of a safetensors header: its own limit
UNKNOWN = "V1"
SAFETENSORS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "bfloat16", "I64": "<i8",
               "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1", "BOOL": "u1"}  # fmt: skip
GGUF = {0: "<f4", 1: "<f2", 28: "<f8", 30: "bfloat16"}  # all others are quantised
SIMPLE = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9


class Place(NamedTuple):
    """An array in a file: its format, its shape, its first byte, and its order in memory."""

    form: Any
    shape: tuple[int, ...]
    start: int
    size: int | None = None  # in bytes, where the header says it, too
    order: Literal["C", "F"] = "C"


def safetensors(data: mmap | bytes) -> dict[str, Place]:
    """Eight bytes of length, JSON with names, kinds, shapes and places, then the numbers."""
    (length,) = struct.unpack_from("<Q", data)
    if length > min(LONGEST, len(data) - 8):
        raise ValueError(f"claims a header of {length:,} bytes in a file of {len(data):,}")
    found = {}
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if name != "__metadata__":
            start, stop = entry["data_offsets"]
            form = SAFETENSORS.get(entry["dtype"], UNKNOWN)
            found[name] = Place(form, tuple(entry["shape"]), 8 + length + start, stop - start)
    return found


def gguf(data: mmap) -> tuple[dict[str, Place], dict[str, Any]]:
    """Places of tensors, and the header's facts, lists left out."""
    at = 4

    def read(form: str) -> Any:
        nonlocal at
        try:
            (found,) = struct.unpack_from(f"<{form}", data, at)
        except struct.error:
            raise ValueError("cut short within its header") from None
        at += struct.calcsize(f"<{form}")
        return found

    def text() -> str:
        return str(read(f"{read('Q')}s"), "utf-8", "replace")

    def value(kind: int) -> Any:
        if kind in SIMPLE:
            return read(SIMPLE[kind])
        if kind == TEXT:
            return text()
        if kind != LIST:
            raise ValueError(f"a value of unknown kind {kind} in its header")
        inner, count = read("I"), read("Q")
        if inner in SIMPLE:
            read(f"{count * struct.calcsize(SIMPLE[inner])}s")
        else:
            for _ in range(count):
                value(inner)
        return None

    if data[:4] != b"GGUF":
        raise ValueError("is no GGUF file")
    if (version := read("I")) not in (2, 3):
        raise ValueError(f"has version {version} of GGUF, 2 and 3 are known")
    tensors, keys = read("Q"), read("Q")
    facts = {}
    for _ in range(keys):
        name = text()
        facts[name] = value(read("I"))
    places = {}
    for _ in range(tensors):
        name, axes = text(), read("I")
        shape = tuple(read("Q") for _ in range(axes))[::-1]
        places[name] = Place(GGUF.get(read("I"), UNKNOWN), shape, read("Q"))
    step = int(facts.get("general.alignment") or 32)
    begin = -(-at // step) * step
    return {name: x._replace(start=begin + x.start) for name, x in places.items()}, facts
