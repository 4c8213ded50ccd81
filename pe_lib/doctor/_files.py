"""Arrays out of files, by name, and no more of them than is looked at.

Nothing is unpickled and no code is run. A file is believed as far as its bytes go: lengths that it
claims are compared with its size before anything is allocated.
"""

import json
import mmap
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import IO, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _given

HEADER = 100_000_000  # bytes of a safetensors header: its own limit
TEXT = 1 << 26  # bytes of a .json or .csv: 64 MB

# tensors that hold positions, as published models name them
KNOWN = re.compile(
    r"(^|[._/])(inv_freq|(original_)?inv_freq|freqs?|rope_freqs|cos|sin|cos_cached|sin_cached|"
    r"cos_sin_cache|cos_cache|sin_cache|freqs_cos|freqs_sin|pos_embed|pos_embedding|position_embed\w*|"
    r"positional_embedding|pos_emb|wpe|embed_positions|position_ids_embed|pe|positional_encoding|"
    r"relative_attention_bias|relative_position_bias_table|alibi(_bias)?|slopes|pos_table|"
    r"position_embd|position_embeddings)([._/]?(weight|weights))?$"
)


class UnreadableError(ValueError):
    """A file that cannot be read, in one line."""


@dataclass
class Tensor:
    """One array of a file: its name, and its numbers where they were asked for."""

    name: str
    values: NDArray[Any]
    shape: tuple[int, ...]


def tensors(path: Path, wanted: str | None) -> list[Tensor]:
    """The arrays of a file that are positions by their names, or whose name is `wanted`.

    Raises UnreadableError.
    """
    reader = {
        ".npy": _npy,
        ".npz": _npz,
        ".csv": _csv,
        ".txt": _csv,
        ".safetensors": _safetensors,
        ".gguf": _gguf,
    }.get(path.suffix.lower())
    if path.suffix.lower() in (".pt", ".pth", ".bin", ".pkl", ".ckpt"):
        raise UnreadableError(
            "pickled files can run code and are not opened: save it as .safetensors or .npy"
        )
    if reader is None:
        raise UnreadableError(
            "unknown kind of file: .npy, .npz, .csv, .json, .safetensors and .gguf are known"
        )
    try:
        return reader(path, wanted)
    except UnreadableError:
        raise
    except FileNotFoundError:
        raise UnreadableError("no such file") from None
    except IsADirectoryError:
        raise UnreadableError("a folder, not a file") from None
    except MemoryError:
        raise UnreadableError("too large for the memory there is") from None
    except (
        OSError,
        ValueError,
        EOFError,
        KeyError,
        TypeError,
        OverflowError,
        RecursionError,
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        SyntaxError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        line = " ".join(str(error).split())[:200]
        raise UnreadableError(line or type(error).__name__) from None


def pick(names: list[str], wanted: str | None) -> list[str]:
    """Which of these names to read: the wanted one, or the known ones, or the only one."""
    if wanted is not None:
        exact = [n for n in names if n == wanted] or [n for n in names if wanted in n]
        if not exact:
            raise UnreadableError(f"no tensor {wanted[:80]!r}; there are {_some(names)}")
        return exact[:64]
    known = [n for n in names if KNOWN.search(n)]
    if known:
        return known
    if len(names) == 1:
        return names
    if 0 < len(names) <= 2:
        return names
    raise UnreadableError(f"no tensor with a known name: choose with --tensor among {_some(names)}")


def _some(names: list[str]) -> str:
    shown = ", ".join(name[:60] for name in sorted(names)[:8])
    return shown + (f" and {len(names) - 8} more" if len(names) > 8 else "") if names else "none"


def text(path: Path) -> str:
    """The text of a file of at most 64 MB."""
    try:
        with path.open("rb") as file:
            data = file.read(TEXT + 1)
    except FileNotFoundError:
        raise UnreadableError("no such file") from None
    except OSError as error:
        raise UnreadableError(str(error.strerror)) from None
    if len(data) > TEXT:
        raise UnreadableError("text of more than 64 MB: save it as .npy")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableError("not text in UTF-8") from None


def parsed(path: Path) -> Any:
    """The JSON of a file."""
    said = text(path)
    try:
        return json.loads(said)
    except (ValueError, RecursionError) as error:
        line = " ".join(str(error).split())[:120]
        raise UnreadableError(f"not JSON: {line}") from None


def _npy(path: Path, wanted: str | None) -> list[Tensor]:
    with path.open("rb") as file:
        found = _stream(file, path.stem)
    return [found]


def _npz(path: Path, wanted: str | None) -> list[Tensor]:
    with zipfile.ZipFile(path) as archive:
        names = [i.filename[:-4] for i in archive.infolist() if i.filename.endswith(".npy")]
        if len(names) > 10_000:
            raise UnreadableError(f"{len(names)} arrays in one file")
        out = []
        for name in pick(names, wanted)[:64]:
            with archive.open(name + ".npy") as file:  # unpacked as it is read, no further
                out.append(_stream(file, name))
    return out


def _stream(file: IO[bytes], name: str) -> Tensor:
    """The first rows of an array in numpy's own format."""
    form = np.lib.format
    version = form.read_magic(file)
    if version == (1, 0):
        header = form.read_array_header_1_0(file, max_header_size=10_000)
    elif version == (2, 0):
        header = form.read_array_header_2_0(file, max_header_size=10_000)
    else:
        raise UnreadableError(f"numpy format {version} is not known")
    shape, fortran, dtype = header
    if dtype.hasobject:
        raise UnreadableError("holds pickled objects, which are not opened")
    if dtype.kind not in "iufcbSU" or dtype.itemsize > 64:
        raise UnreadableError(f"holds {str(dtype)[:60]}, not numbers")
    rows, total = _rows(shape, fortran)
    size = prod(rows) * dtype.itemsize
    data = file.read(size)
    if len(data) < size:
        raise UnreadableError(f"cut short: {len(data)} bytes of {total * dtype.itemsize}")
    values = np.frombuffer(data, dtype).reshape(rows, order="F" if fortran else "C")
    return Tensor(name, values, shape)


def _rows(shape: tuple[int, ...], fortran: bool) -> tuple[tuple[int, ...], int]:
    """The shape of the first rows that are read, and how many numbers the whole has."""
    if len(shape) > 8 or any(n < 0 or n >= 2**48 for n in shape):
        raise UnreadableError(f"impossible shape {shape[:8]}")
    total = prod(shape)
    if total <= _given.ENTRIES:
        return shape, total
    if fortran and len(shape) > 1:
        raise UnreadableError(f"too large in Fortran's order: {total} numbers")
    big = next(i for i, n in enumerate(shape) if n > 1)
    rest = prod(shape[big + 1 :])
    if rest > _given.ENTRIES // 2:
        raise UnreadableError(f"too large for a table: shape {shape}")
    return (*shape[:big], max(2, _given.ENTRIES // rest), *shape[big + 1 :]), total


def _csv(path: Path, wanted: str | None) -> list[Tensor]:
    rows: list[list[float]] = []
    for number, line in enumerate(text(path).splitlines(), 1):
        line = line.partition("#")[0].strip().rstrip(",;")
        if not line:
            continue
        cells = re.split(r"\s*[,;\t]\s*|\s+", line)
        try:
            rows.append([float(cell) for cell in cells])
        except ValueError:
            if rows or number > 1:
                raise UnreadableError(f"line {number} holds what is no number") from None
            continue  # names of columns
        if len(rows[-1]) != len(rows[0]):
            raise UnreadableError(
                f"line {number} has {len(rows[-1])} numbers, the first {len(rows[0])}"
            )
        if len(rows) * len(rows[0]) > _given.ENTRIES:
            break
    if not rows:
        raise UnreadableError("no numbers in it")
    values: NDArray[np.float64] = np.asarray(rows)
    if values.shape[1] == 1 or values.shape[0] == 1:
        values = values.reshape(-1)
    return [Tensor(path.stem, values, values.shape)]


KINDS = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U8": "u1",
}


def _widened(data: NDArray[Any], kind: str) -> NDArray[Any]:
    """bfloat16, which numpy has not, as the float32 that begins with its bits."""
    if kind != "BF16":
        return data
    return (data.astype(np.uint32) << 16).view(np.float32)


def _safetensors(path: Path, wanted: str | None) -> list[Tensor]:
    """Eight bytes of length, JSON with names, kinds, shapes and places, then the numbers."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if size < 8:
            raise UnreadableError("cut short: no header")
        (length,) = struct.unpack("<Q", file.read(8))
        if length > min(HEADER, size - 8):
            raise UnreadableError(f"claims a header of {length} bytes in a file of {size}")
        header = json.loads(file.read(length))
    if not isinstance(header, dict):
        raise UnreadableError("its header is no dictionary")
    entries = {str(k): v for k, v in header.items() if k != "__metadata__"}
    out = []
    for name in pick(list(entries), wanted)[:64]:
        entry = entries[name]
        kind, shape, (start, stop) = entry["dtype"], entry["shape"], entry["data_offsets"]
        if kind not in KINDS:
            raise UnreadableError(f"{name[:60]} holds {str(kind)[:20]}, which is not read")
        if not all(type(n) is int for n in (*shape, start, stop)):
            raise UnreadableError(f"{name[:60]} has an impossible shape")
        dtype = np.dtype(KINDS[kind])
        rows, total = _rows(tuple(shape), False)
        if total * dtype.itemsize != stop - start or not 0 <= start <= stop <= size - 8 - length:
            raise UnreadableError(f"{name[:60]} does not lie within the file")
        out.append(Tensor(name, _at(path, dtype, 8 + length + start, rows, kind), tuple(shape)))
    return out


def _at(path: Path, dtype: np.dtype[Any], offset: int, shape: Any, kind: str) -> NDArray[Any]:
    """Numbers at one place of a file: no more of it is read."""
    with path.open("rb") as file:
        file.seek(offset)
        count = prod(shape)
        data = np.frombuffer(file.read(count * dtype.itemsize), dtype)
    if data.size < count:
        raise UnreadableError("cut short")
    return _widened(data, kind).reshape(shape)


def _gguf(path: Path, wanted: str | None) -> list[Tensor]:
    """llama.cpp's files: numbers of the header, then tensors; `rope_freqs` divides frequencies."""
    size = path.stat().st_size
    if size < 24:
        raise UnreadableError("cut short: no header")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        reader = _Reader(data, size)
        if reader.take(4) != b"GGUF":
            raise UnreadableError("not a GGUF file")
        version = reader.number("<I")
        if version not in (2, 3):
            raise UnreadableError(f"GGUF version {version} is not known")
        count, keys = reader.number("<Q"), reader.number("<Q")
        if count > 100_000 or keys > 100_000:
            raise UnreadableError("claims more tensors than a file has")
        facts = {}
        for _ in range(keys):
            name = reader.string()
            value = reader.value(reader.number("<I"), 0)
            if isinstance(value, (int, float)):
                facts[name] = value
        entries: dict[str, tuple[tuple[int, ...], int, int]] = {}
        for _ in range(count):
            name, axes = reader.string(), reader.number("<I")
            if axes > 8:
                raise UnreadableError("a tensor of more than 8 axes")
            shape = tuple(reader.number("<Q") for _ in range(axes))[::-1]
            entries[name] = (shape, reader.number("<I"), reader.number("<Q"))
        step = int(facts.get("general.alignment", 32)) or 32
        begin = (reader.at + step - 1) // step * step
    rope = {k.partition(".rope.")[2]: v for k, v in facts.items() if ".rope." in k}
    if not any(KNOWN.search(name) for name in entries) and wanted is None and "freq_base" in rope:
        return [_from_facts(rope, facts)]
    out = []
    for name in pick(list(entries), wanted)[:64]:
        shape, kind, place = entries[name]
        forms = {0: ("<f4", "F32"), 1: ("<f2", "F16"), 30: ("<u2", "BF16"), 28: ("<f8", "F64")}
        if kind not in forms:
            raise UnreadableError(f"{name[:60]} is quantised, which is not read")
        rows, total = _rows(shape, False)
        dtype = np.dtype(forms[kind][0])
        if begin + place + total * dtype.itemsize > size:
            raise UnreadableError(f"{name[:60]} does not lie within the file")
        values = _at(path, dtype, begin + place, rows, forms[kind][1])
        if name.startswith("rope_freqs") and values.ndim == 1 and (values > 0).all():
            base, n = float(rope.get("freq_base", 1e4)), values.size
            if not 1 < base < 1e300:
                raise UnreadableError(f"impossible base {base}")
            values = (base ** (-np.arange(n) / n) / values).astype(np.float32)
        out.append(Tensor(name, values, shape))
    return out


def _from_facts(rope: dict[str, float], facts: dict[str, float]) -> Tensor:
    """The frequencies that a GGUF header asks for where no tensor holds them."""
    width = int(rope.get("dimension_count", 0))
    base, scale = float(rope["freq_base"]), float(rope.get("scaling.factor", 1.0)) or 1.0
    if not 2 <= width <= 2**16 or not 1 < base < 1e300:
        raise UnreadableError("its header has no usable rope.dimension_count and rope.freq_base")
    n = width // 2
    return Tensor("rope.freq_base", base ** (-np.arange(n) / n) / scale, (n,))


class _Reader:
    """A GGUF header, read forward, never beyond the file's end."""

    SIMPLE: ClassVar = {
        0: "<B",
        1: "<b",
        2: "<H",
        3: "<h",
        4: "<I",
        5: "<i",
        6: "<f",
        7: "<?",
        10: "<Q",
        11: "<q",
        12: "<d",
    }

    def __init__(self, data: mmap.mmap, size: int) -> None:
        self.data, self.size, self.at = data, size, 0

    def take(self, count: int) -> bytes:
        if count > self.size - self.at:
            raise UnreadableError("cut short within its header")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def string(self) -> str:
        length = self.number("<Q")
        if length > 1 << 24:
            raise UnreadableError("a text of more than 16 MB in its header")
        return self.take(length).decode("utf-8", "replace")

    def value(self, kind: int, depth: int) -> Any:
        if kind in self.SIMPLE:
            return self.number(self.SIMPLE[kind])
        if kind == 8:
            return self.string()
        if kind != 9 or depth > 3:
            raise UnreadableError(f"a value of unknown kind {kind} in its header")
        inner, count = self.number("<I"), self.number("<Q")
        if count > self.size:
            raise UnreadableError("a list longer than the file in its header")
        if inner in self.SIMPLE:
            self.take(count * struct.calcsize(self.SIMPLE[inner]))
        else:
            for _ in range(count):
                self.value(inner, depth + 1)
        return None
