"""Read named arrays from files. Of a long array, only the part that is examined is read.

Nothing is unpickled, and no code from a file is run. A file is mapped into memory, so if its header
announces an array that the file does not contain, an error occurs before anything is read.
"""

import json
import re
import zipfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _arrays, _gguf, _headers
from pe_lib.doctor._numbers import DATA, format_number
from pe_lib.doctor._tensors import IDS, INDEX, KNOWN, OTHER, TEXTS

Tensors = dict[str, Any]  # maps each name to an array, or to a function that reads the array


class Arrays(dict[str, Any]):
    """The arrays in a file by name, with notes for the report."""

    notes: tuple[str, ...] = ()


CONFIG = "config.json"  # the key of the configuration among the arrays of a file
# NumPy gives this name to the first unnamed array in a .npz file.
UNNAMED = "arr_0"
MAX_TEXT = 1 << 26  # the size in bytes of the largest .json or .csv file that is read: 64 MB
MAX_UNPACKED = 1 << 28  # the size in bytes of the largest .npz array that is read, once unpacked
PICKLES = (".pt", ".pth", ".bin", ".pkl", ".ckpt")
NUMBER = re.compile(r"^[-+]?((\d+\.?\d*|\.\d+)(e[-+]?\d+)?|nan|inf)$")
DECIMAL = re.compile(r"^[-+]?\d+(,\d+)?(e[-+]?\d+)?$")


def refusal(reason: str, **words: str) -> str:
    """Return a sentence that tells users why a file or an object cannot be read."""
    return str(DATA["refusals"][reason].format(**words))


def error_line(error: Exception) -> str:
    """Format an error that occurred while a file was read as one line of text."""
    if isinstance(error, FileNotFoundError):
        return refusal("missing")
    reason = error.strerror if isinstance(error, OSError) else str(error)
    short = " ".join((reason or type(error).__name__).split())[:400]
    return short if type(error) in (ValueError, TypeError) else refusal("broken", why=short)


def choose_names(names: list[str]) -> list[str]:
    """Choose the tensors with known names or, if none is known, up to two that may hold positions.

    The only array in a file is read, whatever its name. Raises ValueError if no name is known, and
    more than two may hold positions, or none.
    """
    if len(names) == 1:
        return names
    known_names = [
        name for name in names if KNOWN.search(name) or IDS.search(name) or INDEX.search(name)
    ]
    # The numbers of packed texts are read beside the position ids, with which they are compared.
    if any(IDS.search(name) for name in known_names):
        known_names += [name for name in names if TEXTS.search(name)]
    candidates = [name for name in names if not OTHER.search(name)]
    if not known_names and not 0 < len(candidates) <= 2:
        reason = "unknown_names" if candidates else "other_names"
        raise ValueError(refusal(reason, names=list_names(names)))
    return known_names or candidates


def list_names(names: Iterable[str]) -> str:
    """List names for use in a sentence, but at most the first eight of them."""
    short = [name[:60] for name in names]
    more = f" and {format_number(len(short) - 8)} more" if len(short) > 8 else ""
    return (", ".join(short[:8]) or "none") + more


class FirstRows(np.ndarray[Any, Any]):
    """The first rows of an array in a file, with the number of rows that the file has."""

    all_rows: int


def read_part(name: str, x: Any) -> NDArray[Any]:
    """Read into memory only the part of an array that the doctor examines.

    Raises ValueError, with the array's name, if the array holds no numbers that can be read.
    """
    x = x() if callable(x) else x
    all_rows = x.shape[-2] if x.ndim > 1 else 0
    x = _arrays.first_rows(x, name) if x.size else x
    if x.dtype == _headers.BFLOAT16:
        x = (x["bfloat16"].astype(np.uint32) << 16).view(np.float32)
    if x.dtype.kind not in "biufc":
        form = "quantised or unknown numbers" if x.dtype == "V1" else str(x.dtype)[:60]
        raise ValueError(refusal("format", name=name[:60], form=form))
    if x.ndim < 2 or x.shape[-2] == all_rows:
        return np.array(x)
    part = np.array(x).view(FirstRows)
    part.all_rows = all_rows
    return part


def read_file(path: Path) -> Tensors:
    """Return the arrays in a file by name. Raise ValueError if the file is empty or unknown."""
    suffix = path.suffix.lower()
    if not path.stat().st_size:
        raise ValueError(refusal("empty"))
    if suffix in PICKLES:
        refuse_pickle(path)
    if suffix not in READERS:
        raise ValueError(refusal("kind", suffix=suffix or "a name without an ending"))
    return READERS[suffix](path)


def refuse_adapter(path: Path) -> NoReturn:
    """Raise ValueError for an adapter, with the name of its base model if the folder gives it."""
    base = ""
    if path.is_file():
        settings = read_json(path)
        name = settings.get("base_model_name_or_path") if isinstance(settings, dict) else None
        base = f": {str(name)[:120]}" if name else ""
    raise ValueError(refusal("adapter", base=base))


def refuse_pickle(path: Path) -> NoReturn:
    """Raise ValueError with a command that converts the pickled file."""
    new = path.with_suffix(".safetensors").name
    raise ValueError(refusal("pickled", old=path.name, new=new))


def _read_npy(path: Path) -> Tensors:
    try:
        return {path.stem: np.lib.format.open_memmap(path, mode="r")}
    except ValueError:
        raise ValueError(refusal("not_numpy")) from None


def _read_npz(path: Path) -> Tensors:
    if not zipfile.is_zipfile(path):
        raise ValueError(refusal("not_zip"))
    # By default, `np.load` does not unpickle objects, so this call is safe.
    archive = np.load(path)

    def read_array(name: str) -> Any:
        if archive.zip.getinfo(f"{name}.npy").file_size > MAX_UNPACKED:
            raise ValueError(refusal("packed", name=name[:60]))
        return archive[name]

    # An unnamed array is named after its file.
    if archive.files == [UNNAMED]:
        return {path.stem: partial(read_array, UNNAMED)}
    return {name: partial(read_array, name) for name in archive.files}


def _read_text(path: Path) -> str:
    """Read a text file, and raise ValueError if it exceeds 64 MB or is not valid UTF-8."""
    if path.stat().st_size > MAX_TEXT:
        raise ValueError(refusal("long_text"))
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(refusal("not_text")) from None


def read_json(path: Path) -> Any:
    """Read a JSON file, and return the value that it contains."""
    return json.loads(_read_text(path))


def _read_json_lists(path: Path) -> Tensors:
    """Return a JSON file's lists of numbers by name, or its configuration as `CONFIG`."""
    data = read_json(path)
    lists = data if isinstance(data, dict) else {path.stem: data}
    if lists is data and not (data and all(isinstance(x, list) for x in data.values())):
        return {CONFIG: data}
    return {name: np.asarray(x) for name, x in lists.items()}


def _read_csv(path: Path) -> Tensors:
    return {path.stem: parse_table(_read_text(path))}


def parse_table(text: str) -> NDArray[Any]:
    """Parse lines of numbers that are separated by commas, semicolons, tabs or spaces.

    The first line may hold names. Commas are decimal commas if every cell between other separators
    has at most one comma, as in "0,84;0,54". In a single column, commas are decimal commas only if
    the digits after some comma begin with 0, as in "0,01", because a second column of numbers would
    not begin so. Raises ValueError, with the line number, for anything else.
    """
    lines = [line.partition("#")[0].strip().rstrip(",;") for line in text.lower().split("\n")]
    data = [re.split(r"[;\t]\s*|\s+", line) for line in lines if re.search(r"^[-+]?\d", line)]
    has_columns = any(len(cells) > 1 for cells in data) or re.search(r",0\d", text) is not None
    is_decimal = has_columns and all(DECIMAL.search(cell) for cells in data for cell in cells)
    separator = r"\s*[;\t]\s*|\s+" if is_decimal else r"\s*[,;\t]\s*|\s+"
    rows: list[list[float]] = []
    for number, line in enumerate(lines, 1):
        cells = re.split(separator, line.replace(",", ".") if is_decimal else line)
        others = [cell for cell in cells if not NUMBER.search(cell)]
        place = format_number(number)
        if not others:
            rows.append([float(cell) for cell in cells])
        elif line and number > 1:
            raise ValueError(refusal("not_a_number", line=place, cell=f"'{others[0][:40]}'"))
        if rows and len(rows[-1]) != len(rows[0]):
            count, first = format_number(len(cells)), format_number(len(rows[0]))
            raise ValueError(refusal("lengths", line=place, count=count, first=first))
    if not rows:
        raise ValueError(refusal("no_numbers"))
    x = np.asarray(rows)
    return x.reshape(-1) if 1 in x.shape else x


def _read_gguf(path: Path) -> Tensors:
    """Read a GGUF file, and add the frequencies that llama.cpp computes from its header."""
    arrays, facts = _headers.read_gguf(path)
    if facts.get("general.type") == "adapter":
        raise ValueError(refusal("adapter_gguf"))
    out = Arrays()
    computed, notes = _gguf.compute_positions(facts, arrays)
    out.update(computed)
    out.notes = tuple(notes)
    return out


READERS: dict[str, Callable[[Path], Tensors]] = {
    ".npy": _read_npy, ".npz": _read_npz, ".csv": _read_csv, ".txt": _read_csv,
    ".json": _read_json_lists, ".safetensors": _headers.read_safetensors, ".gguf": _read_gguf,
}  # fmt: skip
