"""Files: arrays by name, and no more of them than is looked at.

Nothing is unpickled and no code is run. A file is mapped: an array that its header claims and that
it doesn't have is an error before anything is read.
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

from pe_lib.doctor import _arrays, _headers
from pe_lib.doctor._numbers import DATA, format_number
from pe_lib.doctor._tensors import KNOWN, OTHER
from pe_lib.sinusoidal import frequencies

Tensors = dict[str, Any]  # arrays by name, or functions that read one each

CONFIG = "config.json"  # the name of a configuration among them
UNNAMED = "arr_0"  # numpy's name for the first array in a .npz that was given none
MAX_TEXT = 1 << 26  # bytes of a .json or .csv: 64 MB
MAX_UNPACKED = 1 << 28  # bytes of an array in a .npz, unpacked
PICKLES = (".pt", ".pth", ".bin", ".pkl", ".ckpt")
NUMBER = re.compile(r"^[-+]?((\d+\.?\d*|\.\d+)(e[-+]?\d+)?|nan|inf)$")
DECIMAL = re.compile(r"^[-+]?\d+(,\d+)?(e[-+]?\d+)?$")


def refusal(reason: str, **words: str) -> str:
    """Why something is not read."""
    return str(DATA["refusals"][reason].format(**words))


def error_line(error: Exception) -> str:
    """What was raised while a file was read, in one line of ours."""
    if isinstance(error, FileNotFoundError):
        return refusal("missing")
    why = error.strerror if isinstance(error, OSError) else str(error)
    short = " ".join((why or type(error).__name__).split())[:400]
    return short if type(error) in (ValueError, TypeError) else refusal("broken", why=short)


def choose_names(names: list[str]) -> list[str]:
    """Those of known names; else one or two alone, unless these say that they hold no positions."""
    known = [name for name in names if KNOWN.search(name)]
    left = [name for name in names if not OTHER.search(name)]
    if not known and not 0 < len(left) <= 2:
        reason = "unknown_names" if left else "other_names"
        raise ValueError(refusal(reason, names=list_names(names)))
    return known or left


def list_names(names: Iterable[str]) -> str:
    few = [name[:60] for name in names]
    more = f" and {format_number(len(few) - 8)} more" if len(few) > 8 else ""
    return (", ".join(few[:8]) or "none") + more


def read_part(name: str, x: Any) -> NDArray[Any]:
    """What is looked at of an array, in memory."""
    x = x() if callable(x) else x
    x = _arrays.first_rows(x, name) if x.size else x
    if x.dtype == _headers.BFLOAT16:
        x = (x["bfloat16"].astype(np.uint32) << 16).view(np.float32)
    if x.dtype.kind not in "biufc":
        form = "quantised or unknown numbers" if x.dtype == "V1" else str(x.dtype)[:60]
        raise ValueError(refusal("format", name=name[:60], form=form))
    return np.array(x)


def read_file(path: Path) -> Tensors:
    """Return the arrays in a file by name; raise ValueError if it is empty or of no known kind."""
    suffix = path.suffix.lower()
    if not path.stat().st_size:
        raise ValueError(refusal("empty"))
    if suffix in PICKLES:
        refuse_pickle(path)
    if suffix not in READERS:
        raise ValueError(refusal("kind", suffix=suffix or "a name without an ending"))
    return READERS[suffix](path)


def refuse_pickle(path: Path) -> NoReturn:
    """Raise ValueError with the command that converts a pickled file."""
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
    archive = np.load(path)  # which unpickles nothing

    def get(name: str) -> Any:
        if archive.zip.getinfo(f"{name}.npy").file_size > MAX_UNPACKED:
            raise ValueError(refusal("packed", name=name[:60]))
        return archive[name]

    if archive.files == [UNNAMED]:  # an array saved without a name is called as its file is
        return {path.stem: partial(get, UNNAMED)}
    return {name: partial(get, name) for name in archive.files}


def _read_text(path: Path) -> str:
    """The text of a file of at most 64 MB."""
    if path.stat().st_size > MAX_TEXT:
        raise ValueError(refusal("long_text"))
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(refusal("not_text")) from None


def read_json(path: Path) -> Any:
    """The JSON of a file."""
    return json.loads(_read_text(path))


def _read_json_lists(path: Path) -> Tensors:
    """Lists of numbers, or a configuration."""
    data = read_json(path)
    lists = data if isinstance(data, dict) else {path.stem: data}
    if lists is data and not (data and all(isinstance(x, list) for x in data.values())):
        return {CONFIG: data}
    return {name: np.asarray(x) for name, x in lists.items()}


def _read_csv(path: Path) -> Tensors:
    return {path.stem: parse_table(_read_text(path))}


def parse_table(text: str) -> NDArray[Any]:
    """Lines of numbers, with commas, semicolons, tabs or blanks between; the first may be names.

    Commas are decimal points where all that stands between others has one at most, "0,84;0,54"; in
    one column only if digits behind one begin with 0, "0,01", which no column of numbers does.
    """
    lines = [line.partition("#")[0].strip().rstrip(",;") for line in text.lower().split("\n")]
    data = [re.split(r"[;\t]\s*|\s+", line) for line in lines if re.search(r"^[-+]?\d", line)]
    sure = any(len(cells) > 1 for cells in data) or re.search(r",0\d", text) is not None
    decimal = sure and all(DECIMAL.search(cell) for cells in data for cell in cells)
    apart = r"\s*[;\t]\s*|\s+" if decimal else r"\s*[,;\t]\s*|\s+"
    rows: list[list[float]] = []
    for number, line in enumerate(lines, 1):
        cells = re.split(apart, line.replace(",", ".") if decimal else line)
        wrong = [cell for cell in cells if not NUMBER.search(cell)]
        if not wrong:
            rows.append([float(cell) for cell in cells])
        elif line and number > 1:
            raise ValueError(
                refusal("not_a_number", line=format_number(number), cell=f"'{wrong[0][:40]}'")
            )
        if rows and len(rows[-1]) != len(rows[0]):
            count, first = format_number(len(cells)), format_number(len(rows[0]))
            raise ValueError(
                refusal("lengths", line=format_number(number), count=count, first=first)
            )
    if not rows:
        raise ValueError(refusal("no_numbers"))
    x = np.asarray(rows)
    return x.reshape(-1) if 1 in x.shape else x


def _read_gguf(path: Path) -> Tensors:
    """llama.cpp's files, where frequencies are in the header, and `rope_freqs` divides them."""
    arrays, facts = _headers.read_gguf(path)
    rope = {k.partition(".rope.")[2]: v for k, v in facts.items() if ".rope." in k}
    plain = "freq_base" in rope and rope.get("scaling.type") in (None, "none", "linear")
    name = "rope_freqs.weight" if "rope_freqs.weight" in arrays else "rope_freqs"
    if name in arrays or plain:
        divisors = arrays.get(name, np.ones(int(rope.get("dimension_count", 0)) // 2))
        w = frequencies(2 * len(divisors), rope["freq_base"]) / divisors
        arrays[name] = np.asarray(w / float(rope.get("scaling.factor") or 1), np.float32)
    return arrays


READERS: dict[str, Callable[[Path], Tensors]] = {
    ".npy": _read_npy, ".npz": _read_npz, ".csv": _read_csv, ".txt": _read_csv,
    ".json": _read_json_lists, ".safetensors": _headers.read_safetensors, ".gguf": _read_gguf,
}  # fmt: skip
