"""Files: arrays by name, and no more of them than is looked at.

Nothing is unpickled and no code is run. A file is believed as far as its bytes go: lengths that it
claims are compared with its size before anything is allocated.
"""

import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _given, _headers
from pe_lib.doctor._data import DATA
from pe_lib.doctor._held import KNOWN, OTHER
from pe_lib.doctor._numbers import told

TEXT = 1 << 26  # bytes of a .json or .csv: 64 MB
REFUSALS: dict[str, str] = DATA["refusals"]
PICKLED = (".pt", ".pth", ".bin", ".pkl", ".ckpt")

BEGINNINGS = {bytes.fromhex(mark): kind for mark, kind in DATA["beginnings"].items()}
CONVERT: str = DATA["convert"]

Get = Callable[[], Any]  # reads an array


class UnreadableError(ValueError):
    """A file that cannot be read, in one line."""


# what a damaged file makes readers raise
ERRORS = (ValueError, OSError, EOFError, LookupError, TypeError, ArithmeticError, SyntaxError,
          AttributeError, RuntimeError, MemoryError, zipfile.BadZipFile, zlib.error,
          struct.error)  # fmt: skip


def refuse(reason: str, **words: str) -> UnreadableError:
    return UnreadableError(REFUSALS[reason].format(**words))


def line(error: BaseException) -> str:
    """What was raised while a file was read, in one line of ours."""
    if isinstance(error, FileNotFoundError):
        return REFUSALS["missing"]
    if isinstance(error, UnreadableError):
        return str(error)
    why = error.strerror if isinstance(error, OSError) else str(error)
    short = " ".join((why or type(error).__name__).split())[:250]
    return short if type(error) in (ValueError, TypeError) else REFUSALS["broken"].format(why=short)


def tensors(path: Path) -> dict[str, Get]:
    """All arrays of a file by name, not read yet. What is no file of arrays is refused."""
    suffix = path.suffix.lower()
    sniffed(path)
    if suffix in PICKLED:
        command = CONVERT.format(old=path.name, new=path.with_suffix(".safetensors").name)
        raise refuse("pickled", command=command)
    if suffix not in READERS:
        raise refuse("kind", suffix=suffix or "a name without an ending")
    return READERS[suffix](path)


class Folder(dict[str, Get]):
    """The arrays of a folder as it is downloaded, and its configuration, if there is one."""

    def __init__(self, path: Path) -> None:
        config = path / "config.json"
        self.config = parsed(config) if config.is_file() else None
        files = sorted(x for x in path.iterdir() if x.suffix in (".safetensors", ".gguf"))
        pickled = sorted(x for x in path.iterdir() if x.suffix in PICKLED)
        if not files and pickled:
            tensors(pickled[0])
        for index in path.glob("*.safetensors.index.json"):
            lost = sorted({*parsed(index)["weight_map"].values()} - {x.name for x in files})
            if lost:
                raise refuse("shards", names=", ".join(lost[:4]))
        for file in files:
            self.update(tensors(file))


def sniffed(path: Path) -> None:
    """Refuses what is missing, empty, or begins like something else."""
    with path.open("rb") as file:
        beginning = file.read(8)
    if not beginning:
        raise refuse("empty")
    for mark, kind in BEGINNINGS.items():
        if beginning.startswith(mark):
            raise refuse("other", kind=kind)


def chosen(found: dict[str, Any], wanted: str | None) -> dict[str, Any]:
    """Which of these to read: the wanted ones, or those of known names, or one or two alone."""
    names = sorted(found)
    shown = ", ".join(name[:60] for name in names[:8]) or "none"
    shown += f" and {told(len(names) - 8)} more" if len(names) > 8 else ""
    left = [n for n in names if KNOWN.search(n)]
    if wanted is not None:
        left = [n for n in names if n == wanted] or [n for n in names if wanted in n]
        if not left:
            raise refuse("no_tensor", wanted=repr(wanted[:80]), names=shown)
    if not left:
        left = [n for n in names if not OTHER.search(n)]
        if not 0 < len(left) <= 2:
            raise refuse("unknown_names" if left else "other_names", names=shown)
    return {name: found[name] for name in left}


def parsed(path: Path) -> Any:
    """The JSON of a file."""
    said = text(path)
    try:
        return json.loads(said)
    except (ValueError, RecursionError) as error:
        raise refuse("not_json", why=" ".join(str(error).split())[:120]) from None


def text(path: Path) -> str:
    """The text of a file of at most 64 MB."""
    sniffed(path)
    if path.stat().st_size > TEXT:
        raise refuse("long_text")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refuse("not_text") from None


def _npy(path: Path) -> dict[str, Get]:
    def get() -> NDArray[Any]:
        with path.open("rb") as file:
            return _stream(file, path.stem)

    return {path.stem: get}


def _npz(path: Path) -> dict[str, Get]:
    if not zipfile.is_zipfile(path):
        raise refuse("not_zip")

    def get(name: str) -> NDArray[Any]:
        with zipfile.ZipFile(path) as archive, archive.open(name + ".npy") as file:
            return _stream(file, name)  # unpacked as it is read, no further

    with zipfile.ZipFile(path) as archive:
        names = [i.filename[:-4] for i in archive.infolist() if i.filename.endswith(".npy")]
    return {name: partial(get, name) for name in names}


def _stream(file: IO[bytes], name: str) -> NDArray[Any]:
    """The first rows of an array in numpy's own format."""
    form = np.lib.format
    try:
        read = {(1, 0): form.read_array_header_1_0, (2, 0): form.read_array_header_2_0}[
            form.read_magic(file)
        ]
    except (ValueError, KeyError):
        raise refuse("not_numpy") from None
    shape, fortran, dtype = read(file, max_header_size=10_000)
    if dtype.hasobject:
        raise refuse("objects")
    if dtype.kind not in "iufcb" or dtype.itemsize > 32:
        raise refuse("format", name=name[:60], form=str(dtype)[:60])
    rows = _rows(name, shape, fortran)
    return _numbers(file, dtype, rows).reshape(rows, order="F" if fortran else "C")


def _numbers(file: IO[bytes], dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    size = prod(shape) * dtype.itemsize
    data = file.read(size)
    if len(data) < size:
        raise refuse("cut", got=told(len(data)), wanted=told(size))
    return np.frombuffer(data, dtype)


def _rows(name: str, shape: tuple[int, ...], fortran: bool = False) -> tuple[int, ...]:
    """The shape of the first rows that are read."""
    if len(shape) > 8 or any(type(n) is not int or not 0 <= n < 2**48 for n in shape):
        raise refuse("shape", name=name[:60])
    if prod(shape) <= _given.ENTRIES:
        return shape
    big = next(i for i, n in enumerate(shape) if n > 1)
    rest = prod(shape[big + 1 :])
    if rest > _given.ENTRIES // 2 or (fortran and len(shape) > 1):
        raise refuse("large", shape=" × ".join(told(n) for n in shape))
    return (*shape[:big], max(2, _given.ENTRIES // rest), *shape[big + 1 :])


def _csv(path: Path) -> dict[str, Get]:
    lines = [line.partition("#")[0].strip() for line in text(path).splitlines()]
    decimal = _decimal_commas(lines)
    rows: list[list[float]] = []
    for number, line in enumerate(lines, 1):
        cells = re.split(r"\s*[;\t]\s*|\s+" if decimal else r"\s*[,;\t]\s*|\s+", line.rstrip(",;"))
        if cells == [""]:
            continue
        try:
            rows.append([float(cell.replace(",", ".") if decimal else cell) for cell in cells])
        except ValueError as error:
            if rows or number > 1:
                cell = str(error).partition(": ")[2][:40]
                raise refuse("not_a_number", line=told(number), cell=cell) from None
            continue  # names of columns
        if len(rows[-1]) != len(rows[0]):
            count, first = told(len(rows[-1])), told(len(rows[0]))
            raise refuse("lengths", line=told(number), count=count, first=first)
    if not rows:
        raise refuse("no_numbers")
    values = np.asarray(rows)
    return {path.stem: lambda: values.reshape(-1) if 1 in values.shape else values}


def _decimal_commas(lines: list[str]) -> bool:
    """Whether commas stand for the decimal point: "0,84;0,54", or one number a line, "0,01".

    Beside another separator they do; alone only if digits behind one begin with 0, as in "0,01",
    which no column of numbers does.
    """
    data = [line for line in lines if re.match(r"[-+]?\d", line)]
    cells = [cell for line in data for cell in re.split(r"[;\t]\s*|\s+", line.strip(";"))]
    if not all(re.fullmatch(r"[-+]?\d+(,\d+)?([eE][-+]?\d+)?", cell) for cell in cells):
        return False
    after = [cell.partition(",")[2] for cell in cells if "," in cell]
    return bool(after) and (len(cells) > len(data) or any(re.match(r"0\d", x) for x in after))


def _safetensors(path: Path) -> dict[str, Get]:
    with path.open("rb") as file:
        places = _headers.safetensors(file, path.stat().st_size)
    return {name: partial(_at, path, name, place) for name, place in places.items()}


def _gguf(path: Path) -> dict[str, Get]:
    """llama.cpp's files, where frequencies are in the header, and `rope_freqs` divides them."""
    with path.open("rb") as file:
        places, facts = _headers.gguf(file, path.stat().st_size)
    rope = {k.partition(".rope.")[2]: v for k, v in facts.items() if ".rope." in k}
    found: dict[str, Get] = {name: partial(_at, path, name, x) for name, x in places.items()}
    divided = found.get("rope_freqs.weight")
    if divided:
        found["rope_freqs.weight"] = lambda: _plain(rope, len(x := divided())) / x
    elif "freq_base" in rope and rope.get("scaling.type") in (None, "none", "linear"):
        found["rope_freqs"] = lambda: _plain(rope, int(rope["dimension_count"]) // 2)
    return found


def _plain(rope: dict[str, Any], n: int) -> NDArray[np.float32]:
    """(n,): the frequencies that a GGUF header asks for."""
    base = float(rope["freq_base"])
    factor = float(rope["scaling.factor"]) if rope.get("scaling.type") == "linear" else 1.0
    if not (1 < base < 1e300 and 0 < n <= _given.WIDEST and factor > 0):
        raise refuse("no_frequencies")
    return np.asarray(base ** (-np.arange(n) / n) / factor, np.float32)


def _at(path: Path, name: str, place: _headers.Place) -> NDArray[Any]:
    """The first rows of a tensor; bfloat16 is a float32 without its last two bytes."""
    if not place.form:
        raise refuse("format", name=name[:60], form="quantised or unknown numbers")
    rows, bits = _rows(name, place.shape), place.form == "bfloat16"
    dtype = np.dtype("<u2" if bits else place.form)
    size, length = prod(place.shape) * dtype.itemsize, path.stat().st_size
    if place.size not in (None, size) or place.start < 0:
        raise refuse("shape", name=name[:60])
    if place.start + size > length:
        raise refuse("cut", got=told(length), wanted=told(place.start + size))
    with path.open("rb") as file:
        file.seek(place.start)
        values = _numbers(file, dtype, rows).reshape(rows)
    return (values.astype(np.uint32) << 16).view(np.float32) if bits else values


READERS: dict[str, Callable[[Path], dict[str, Get]]] = {
    ".npy": _npy, ".npz": _npz, ".csv": _csv, ".txt": _csv, ".safetensors": _safetensors,
    ".gguf": _gguf,
}  # fmt: skip
