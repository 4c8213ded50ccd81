"""Write small GGUF files for the tests of the doctor."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def text(s: str) -> bytes:
    return struct.pack("<Q", len(s.encode())) + s.encode()


def value(x: Any) -> bytes:
    """Encode a value of a header, with the number of its type before it."""
    if isinstance(x, bool):
        return struct.pack("<I?", 7, x)
    if isinstance(x, int):
        return struct.pack("<II", 4, x)
    if isinstance(x, float):
        return struct.pack("<If", 6, x)
    if isinstance(x, str):
        return struct.pack("<I", 8) + text(x)
    items = [value(entry) for entry in x]
    return (
        struct.pack("<I", 9)
        + items[0][:4]
        + struct.pack("<Q", len(x))
        + b"".join(item[4:] for item in items)
    )


def gguf(path: Path, facts: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> None:
    """Write a GGUF file of version 3 with the given header values and float32 tensors."""
    facts = {"tokenizer.ggml.tokens": ["a", "b"], **facts}
    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(facts))
    for name, x in facts.items():
        out += text(name) + value(x)
    data = b""
    for name, x in tensors.items():
        out += text(name) + struct.pack("<I", x.ndim)
        out += b"".join(struct.pack("<Q", n) for n in x.shape[::-1])
        out += struct.pack("<IQ", 0, len(data))
        data += x.astype("<f4").tobytes() + b"\0" * (-x.nbytes % 32)
    path.write_bytes(out + b"\0" * (-len(out) % 32) + data)


def header(kind: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return header values under the name of their architecture."""
    return {"general.architecture": kind, **{f"{kind}.{key}": x for key, x in facts.items()}}


WORDS = {"token_embd.weight": np.ones((4, 8))}
