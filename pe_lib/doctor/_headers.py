"""Headers of .safetensors and .gguf files: arrays by name, mapped, so that no more is read of them.

Sources: https://huggingface.co/docs/safetensors, and docs/gguf.md in ggml-org/ggml (version 3).
"""

import json
import struct
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_HEADER = 100_000_000  # bytes of a safetensors header: its own limit
BFLOAT16 = np.dtype([("bfloat16", "<u2")])  # a float32 without its last two bytes
FORMS: dict[Any, Any] = {  # by the names of safetensors, and the numbers of GGUF
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": BFLOAT16, "I64": "<i8", "I32": "<i4",
    "I16": "<i2", "I8": "i1", "U8": "u1", "BOOL": "u1",
    0: "<f4", 1: "<f2", 28: "<f8", 30: BFLOAT16,
}  # fmt: skip
SIMPLE = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9


def _view_array(raw: NDArray[Any], kind: str | int, shape: list[int]) -> NDArray[Any]:
    """Bytes as an array of this kind; of quantised and other kinds they stay nameless bytes."""
    return raw.view(FORMS[kind]).reshape(shape) if kind in FORMS else raw.view("V1")


def read_safetensors(path: Path) -> dict[str, NDArray[Any]]:
    """Eight bytes of length, JSON with names, kinds, shapes and places, then the numbers."""
    raw: Any = np.memmap(path, np.uint8, "r")
    (length,) = struct.unpack_from("<Q", raw)
    if length > min(MAX_HEADER, len(raw) - 8):
        raise ValueError(f"claims a header of {length:,} bytes in a file of {len(raw):,}")
    found, data = {}, raw[8 + length :]
    for name, entry in json.loads(bytes(raw[8 : 8 + length])).items():
        if name != "__metadata__":
            start, stop = entry["data_offsets"]
            found[name] = _view_array(data[start:stop], entry["dtype"], entry["shape"])
    return found


def read_gguf(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays, and the header's facts, lists left out."""
    raw: Any = np.memmap(path, np.uint8, "r")
    at = 4

    def read(form: str) -> Any:
        nonlocal at
        try:
            (found,) = struct.unpack_from(f"<{form}", raw, at)
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

    if bytes(raw[:4]) != b"GGUF" or read("I") not in (2, 3):
        raise ValueError("is no GGUF file of version 2 or 3")
    tensors, keys = read("Q"), read("Q")
    facts = {text(): value(read("I")) for _ in range(keys)}
    heads = [(text(), [read("Q") for _ in range(read("I"))], read("I"), read("Q"))
             for _ in range(tensors)]  # fmt: skip
    step = int(facts.get("general.alignment") or 32)
    data = raw[-(-at // step) * step :]
    found = {}
    for name, axes, kind, start in heads:
        size = prod(axes) * np.dtype(FORMS.get(kind, "V1")).itemsize
        found[name] = _view_array(data[start : start + size], kind, axes[::-1])
    return found, facts
