"""Files: arrays by name, and no more of them than is looked at.

Nothing is unpickled and no code is run. A file is believed as far as its bytes go: lengths that it
claims are compared with its size before anything is allocated.
"""

import json
import mmap
import re
import zipfile
from collections.abc import Callable
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _given, _headers
from pe_lib.doctor._data import DATA
from pe_lib.doctor._headers import UNKNOWN, Place
from pe_lib.doctor._held import KNOWN, OTHER
from pe_lib.doctor._numbers import told
from pe_lib.sinusoidal import frequencies

TEXT = 1 << 26  # bytes of a .json or .csv: 64 MB
PACKED = 1 << 28  # bytes of an array in a .npz, unpacked
PICKLED = (".pt", ".pth", ".bin", ".pkl", ".ckpt")
REFUSALS: dict[str, str] = DATA["refusals"]


class UnreadableError(ValueError):
    """A file that cannot be read, in one line: a reason of `sentences.toml`, and its words."""

    def __init__(self, reason: str, **words: str) -> None:
        super().__init__(REFUSALS[reason].format(**words))


class Files(dict[str, Callable[[], Any]]):
    """Functions that read an array each, by its name, and the configuration that lies beside."""

    config: Any = None


def line(error: Exception) -> str:
    """What was raised while a file was read, in one line of ours."""
    if isinstance(error, FileNotFoundError):
        return REFUSALS["missing"]
    why = error.strerror if isinstance(error, OSError) else str(error)
    short = " ".join((why or type(error).__name__).split())[:400]
    ours = type(error) in (ValueError, TypeError, UnreadableError)
    return short if ours else REFUSALS["broken"].format(why=short)


def opened(path: Path, wanted: str | None = None) -> Files:
    """What a file holds, or a folder as it was downloaded: arrays that may be positions.

    Those of the wanted name, or those of known names, or one or two alone.
    """
    found = _folder(path) if path.is_dir() else _file(path)
    shown = ", ".join(name[:60] for name in [*found][:8]) or "none"
    shown += f" and {told(len(found) - 8)} more" if len(found) > 8 else ""
    left = [name for name in found if KNOWN.search(name)]
    if wanted is not None:
        left = [n for n in found if n == wanted] or [n for n in found if wanted in n]
        if not left:
            raise UnreadableError("no_tensor", wanted=repr(wanted[:80]), names=shown)
    if not left and found.config is None:
        left = [name for name in found if not OTHER.search(name)]
        if not 0 < len(left) <= 2:
            raise UnreadableError("unknown_names" if left else "other_names", names=shown)
    for name in found.keys() - left:
        del found[name]
    return found


def _folder(path: Path) -> Files:
    files = sorted(x for x in path.iterdir() if x.suffix in (".safetensors", ".gguf", *PICKLED))
    found, safe = Files(), [x for x in files if x.suffix not in PICKLED]
    for index in path.glob("*.safetensors.index.json"):
        lost = sorted({*parsed(index)["weight_map"].values()} - {x.name for x in safe})
        if lost:
            raise UnreadableError("shards", names=", ".join(lost[:4]))
    for file in safe or files:
        found |= _file(file)
    config = path / "config.json"
    found.config = parsed(config) if config.is_file() else None
    return found


def _file(path: Path) -> Files:
    """All arrays of a file. What is missing, empty, or begins like something else is refused."""
    if not path.stat().st_size:
        raise UnreadableError("empty")
    for mark, kind in DATA["beginnings"].items():
        if _bytes(path)[:8].startswith(bytes.fromhex(mark)):
            raise UnreadableError("other", kind=kind)
    suffix = path.suffix.lower()
    if suffix in PICKLED:
        new = path.with_suffix(".safetensors").name
        raise UnreadableError("pickled", command=DATA["convert"].format(old=path.name, new=new))
    if suffix not in READERS:
        raise UnreadableError("kind", suffix=suffix or "a name without an ending")
    return READERS[suffix](path)


def _npy(path: Path) -> Files:
    form = np.lib.format
    with path.open("rb") as file:
        try:
            version, _ = form.read_magic(file)
            read = form.read_array_header_1_0 if version == 1 else form.read_array_header_2_0
            shape, fortran, dtype = read(file)
        except ValueError:
            raise UnreadableError("not_numpy") from None
        place = Place(dtype, shape, file.tell(), order="F" if fortran else "C")
    return _placed(_bytes(path), {path.stem: place})


def _npz(path: Path) -> Files:
    if not zipfile.is_zipfile(path):
        raise UnreadableError("not_zip")

    archive = np.load(path)  # which unpickles nothing

    def get(name: str) -> Any:
        if archive.zip.getinfo(f"{name}.npy").file_size > PACKED:
            raise UnreadableError("packed", name=name[:60])
        return archive[name]

    return Files({name: partial(get, name) for name in archive.files})


def parsed(path: Path) -> Any:
    """The JSON of a file."""
    try:
        return json.loads(_text(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise UnreadableError("not_json", why=" ".join(str(error).split())[:120]) from None


def _json(path: Path) -> Files:
    """Lists of numbers, or a configuration."""
    data, found = parsed(path), Files()
    if isinstance(data, dict) and not (data and all(isinstance(x, list) for x in data.values())):
        found.config = data
        return found
    for name, values in (data if isinstance(data, dict) else {path.stem: data}).items():
        x = np.asarray(values)
        if x.dtype.kind not in "iuf":  # strings, or true and false
            raise UnreadableError("no_numbers")
        found[name] = partial(np.asarray, x)
    return found


def _text(path: Path) -> str:
    """The text of a file of at most 64 MB."""
    if path.stat().st_size > TEXT:
        raise UnreadableError("long_text")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableError("not_text") from None


def _csv(path: Path) -> Files:
    lines = [line.partition("#")[0].strip().rstrip(",;") for line in _text(path).splitlines()]
    apart = r"\s*[;\t]\s*|\s+" if _decimal_commas(lines) else r"\s*[,;\t]\s*|\s+"
    rows: list[list[float]] = []
    for number, cells in ((k, re.split(apart, x)) for k, x in enumerate(lines, 1) if x):
        try:
            rows.append([float(cell.replace(",", ".")) for cell in cells])
        except ValueError as error:
            if number > 1:  # the first may be names of columns
                cell = str(error).partition(": ")[2][:40]
                raise UnreadableError("not_a_number", line=told(number), cell=cell) from None
            continue
        if len(rows[-1]) != len(rows[0]):
            count, first = told(len(rows[-1])), told(len(rows[0]))
            raise UnreadableError("lengths", line=told(number), count=count, first=first)
    if not rows:
        raise UnreadableError("no_numbers")
    x = np.asarray(rows)
    return Files({path.stem: partial(np.asarray, x.reshape(-1) if 1 in x.shape else x)})


def _decimal_commas(lines: list[str]) -> bool:
    """Whether commas stand for the decimal point: "0,84;0,54", or one number a line, "0,01".

    Beside another separator they do; alone only if digits behind one begin with 0, as in "0,01",
    which no column of numbers does.
    """
    data = [line for line in lines if re.match(r"[-+]?\d", line)]
    cells = [cell for line in data for cell in re.split(r"[;\t]\s*|\s+", line)]
    if not all(re.fullmatch(r"[-+]?\d+(,\d+)?([eE][-+]?\d+)?", cell) for cell in cells):
        return False
    after = [cell.partition(",")[2] for cell in cells if "," in cell]
    return bool(after) and (len(cells) > len(data) or any(re.match(r"0\d", x) for x in after))


def _bytes(path: Path) -> mmap.mmap:
    """A file, of which no more is read than is looked at."""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _placed(data: mmap.mmap, places: dict[str, Place]) -> Files:
    return Files({name: partial(_at, data, name, place) for name, place in places.items()})


def _safetensors(path: Path) -> Files:
    return _placed(data := _bytes(path), _headers.safetensors(data))


def _gguf(path: Path) -> Files:
    """llama.cpp's files, where frequencies are in the header, and `rope_freqs` divides them."""
    places, facts = _headers.gguf(data := _bytes(path))
    rope = {k.partition(".rope.")[2]: v for k, v in facts.items() if ".rope." in k}
    found = _placed(data, places)
    divided = found.get("rope_freqs.weight")
    if divided:
        found["rope_freqs.weight"] = lambda: _plain(rope, len(x := divided())) / x
    elif "freq_base" in rope and rope.get("scaling.type") in (None, "none", "linear"):
        found["rope_freqs"] = lambda: _plain(rope, int(rope["dimension_count"]) // 2)
    return found


def _plain(rope: dict[str, Any], n: int) -> NDArray[np.float32]:
    """(n,): the frequencies that a GGUF header asks for."""
    factor = float(rope.get("scaling.factor") or 1)
    return np.asarray(frequencies(2 * n, rope["freq_base"]) / factor, np.float32)


def _at(data: mmap.mmap, name: str, place: Place) -> NDArray[Any]:
    """What is looked at of a tensor; bfloat16 is a float32 without its last two bytes."""
    bits = place.form == "bfloat16"
    dtype = np.dtype("<u2" if bits else place.form)
    if dtype.kind not in "iufcb":
        form = "quantised or unknown numbers" if place.form == UNKNOWN else str(dtype)[:60]
        raise UnreadableError("objects" if dtype.hasobject else "format", name=name[:60], form=form)
    size, rest = (count := prod(place.shape)) * dtype.itemsize, len(data) - place.start
    if place.size not in (None, size) or min(place.start, *place.shape) < 0:
        raise UnreadableError("shape", name=name[:60])
    if size > rest:
        raise UnreadableError("cut", got=told(rest), wanted=told(size))
    x = np.frombuffer(data, dtype, count, place.start).reshape(place.shape, order=place.order)
    part = np.array(_given.part(x, name) if x.size > _given.ENTRIES else x)
    return (part.astype(np.uint32) << 16).view(np.float32) if bits else part


READERS: dict[str, Callable[[Path], Files]] = {
    ".npy": _npy, ".npz": _npz, ".csv": _csv, ".txt": _csv, ".json": _json,
    ".safetensors": _safetensors, ".gguf": _gguf,
}  # fmt: skip
