"""Read the headers of .safetensors and .gguf files, and open their arrays without copying them.

Only those parts of an array are read from the disk whose values are used.

Sources: https://huggingface.co/docs/safetensors, and docs/gguf.md in ggml-org/ggml (version 3).
"""

import json
import struct
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The largest header of a safetensors file, in bytes. The format itself sets this limit.
MAX_HEADER = 100_000_000
BFLOAT16 = np.dtype([("bfloat16", "<u2")])  # a bfloat16 consists of the upper half of a float32
# NumPy types by their names in safetensors files, and by their numeric codes in GGUF files.
FORMATS: dict[Any, Any] = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": BFLOAT16, "I64": "<i8", "I32": "<i4",
    "I16": "<i2", "I8": "i1", "U8": "u1", "BOOL": "u1",
    0: "<f4", 1: "<f2", 24: "i1", 25: "<i2", 26: "<i4", 27: "<i8", 28: "<f8", 30: BFLOAT16,
}  # fmt: skip
# The letter that `struct` uses for each simple type of value in a GGUF header. Text and lists are
# not simple types.
SIMPLE = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9
# Lists of up to this many numbers are read, because they may have an entry for each layer.
MAX_LIST = 4096


def _view_array(raw: NDArray[Any], kind: str | int, shape: list[int]) -> NDArray[Any]:
    """View bytes as numbers of type `kind`, or as bytes if the type is quantised or unknown."""
    return raw.view(FORMATS[kind]).reshape(shape) if kind in FORMATS else raw.view("V1")


def read_safetensors(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays in a safetensors file, in a dictionary by name.

    The file begins with eight bytes that hold the length of the header. The header is JSON with
    names, types, shapes and offsets, and the numbers follow the header.
    """
    raw: Any = np.memmap(path, np.uint8, "r")
    (length,) = struct.unpack_from("<Q", raw)
    if length > min(MAX_HEADER, len(raw) - 8):
        raise ValueError(f"the file claims a header of {length:,} bytes, but it has {len(raw):,}")
    arrays, data = {}, raw[8 + length :]
    for name, entry in json.loads(bytes(raw[8 : 8 + length])).items():
        if name != "__metadata__":
            start, stop = entry["data_offsets"]
            arrays[name] = _view_array(data[start:stop], entry["dtype"], entry["shape"])
    return arrays


class _GgufReader:
    """A reader that returns the values in the header of a GGUF file one after the other."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.at = 4  # the position of the first byte after the letters GGUF

    def read(self, form: str) -> Any:
        """Read one value in a `struct` format, or raise ValueError if the file ends before it."""
        try:
            (value,) = struct.unpack_from(f"<{form}", self.raw, self.at)
        except struct.error:
            raise ValueError("the file is cut short within its header") from None
        self.at += struct.calcsize(f"<{form}")
        return value

    def read_text(self) -> str:
        return str(self.read(f"{self.read('Q')}s"), "utf-8", "replace")

    def read_value(self, kind: int) -> Any:
        """Read a value of the given type. Return None for a list, unless it is short and simple."""
        if kind in SIMPLE:
            return self.read(SIMPLE[kind])
        if kind == TEXT:
            return self.read_text()
        if kind != LIST:
            raise ValueError(f"its header has a value of unknown kind {kind}")
        inner, count = self.read("I"), self.read("Q")
        if inner in SIMPLE and count <= MAX_LIST:
            return [self.read(SIMPLE[inner]) for _ in range(count)]
        if inner in SIMPLE:
            self.read(f"{count * struct.calcsize(SIMPLE[inner])}s")
        else:
            for _ in range(count):
                self.read_value(inner)
        return None

    def read_tensor(self) -> tuple[str, list[int], int, int]:
        """Read a tensor's name, its shape in reverse order, its number type, and its offset."""
        name = self.read_text()
        axes = [self.read("Q") for _ in range(self.read("I"))]
        return name, axes, self.read("I"), self.read("Q")


def read_gguf(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays in a GGUF file by name, and the values in its header except long lists."""
    raw: Any = np.memmap(path, np.uint8, "r")
    reader = _GgufReader(raw)
    if bytes(raw[:4]) != b"GGUF" or reader.read("I") not in (2, 3):
        raise ValueError("the file is no GGUF file of version 2 or 3")
    tensors, keys = reader.read("Q"), reader.read("Q")
    facts = {reader.read_text(): reader.read_value(reader.read("I")) for _ in range(keys)}
    heads = [reader.read_tensor() for _ in range(tensors)]
    step = int(facts.get("general.alignment") or 32)
    data = raw[-(-reader.at // step) * step :]
    arrays = {}
    for name, axes, kind, start in heads:
        size = prod(axes) * np.dtype(FORMATS.get(kind, "V1")).itemsize
        arrays[name] = _view_array(data[start : start + size], kind, axes[::-1])
    return arrays, facts
