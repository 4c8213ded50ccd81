"""Choose which tensors in a file or folder may encode positions, and list the unread files.

A folder is read as it was downloaded: its weights, its config.json, and any file of numbers whose
name says that it holds positions. The report names all other files, because readers should not
take "no problem found" as a verdict on files that were not opened.
"""

import re
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pe_lib.doctor import _files, _headers
from pe_lib.doctor._files import CONFIG, PICKLES, refusal
from pe_lib.doctor._numbers import DATA, format_number
from pe_lib.doctor._tensors import IDS, KNOWN

WEIGHTS = (".safetensors", ".gguf")
ARRAYS = (".npy", ".npz", ".csv")  # files of these types are read, whatever their names
# Text files are read only if their names suggest that they hold positions.
READABLE = (*ARRAYS, ".txt", ".json")
INDEX = ".safetensors.index.json"
ADAPTER = "adapter_config.json"
# These are the names of weights in adapters: LoRA and its relatives, and learned prompts.
ADAPTED = re.compile(
    r"(^|[._])(lora|loha|hada|lokr|ia3|oft|boft|vera|dora|vblora|adapter)_|prompt_embeddings"
)
SHOWN = 20  # a sentence lists at most this many unread files


class Files(dict[str, Callable[[], Any]]):
    """A dictionary from each tensor's name to a function that reads it, with notes on the files.

    `config` is the configuration that is stored with the tensors. For a folder, `unread` names the
    files that were not read, and `notes` holds sentences about them for the report.
    """

    config: Any = None
    # whether the files hold all tensors of a model, instead of an array that was saved alone
    is_whole: bool = True
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    def is_stored_in_half(self, name: str) -> bool:
        """Return whether the file stores this tensor in float16 or bfloat16."""
        reader: Any = self[name]
        x = reader.args[1]
        x = x() if callable(x) else x
        return x.dtype in (np.float16, _headers.BFLOAT16)


@dataclass
class Listing:
    """The files of a folder, sorted by how the doctor treats them."""

    weights: list[Path] = field(default_factory=list)
    pickles: list[Path] = field(default_factory=list)
    config: Path | None = None
    # the tensors in weight files, and the arrays in other files that were chosen by name
    tensors: dict[str, Any] = field(default_factory=dict)
    # the names of the arrays that were chosen in other files
    chosen: list[str] = field(default_factory=list)
    # the array files whose names do not say whether they encode positions
    arrays: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    @property
    def unread(self) -> list[str]:
        return [*self.arrays, *(file.name for file in self.pickles), *self.others]


def open_tensors(path: Path, tensor_name: str | None = None) -> Files:
    """Return functions that read the tensors at `path` that may encode positions.

    These are the tensors whose names contain `tensor_name`. Without a `tensor_name`, they are the
    tensors with a known name or, if no name is known, up to two others. Raises ValueError, in one
    line, for a file that cannot be read, and for a folder from which nothing was read.
    """
    if path.is_dir():
        return _open_folder(path, tensor_name)
    tensors = _files.read_file(path)
    config = tensors.pop(CONFIG, None)
    is_adapter = bool(tensors) and all(ADAPTED.search(name) for name in tensors)
    if tensor_name is None and (is_adapter or path.name == ADAPTER):
        _files.refuse_adapter(path.with_name(ADAPTER))
    if tensor_name is not None:
        names = _matching_names(tensor_name, tensors)
    elif config is None:
        names = _files.choose_names([*tensors])
    else:
        names = [name for name in tensors if KNOWN.search(name)]
    readers = _readers(tensors, names, config)
    readers.is_whole = path.suffix.lower() in WEIGHTS
    readers.notes = getattr(tensors, "notes", ())
    return readers


def _readers(tensors: Mapping[str, Any], names: Iterable[str], config: Any) -> Files:
    readers = Files({name: partial(_files.read_part, name, tensors[name]) for name in names})
    readers.config = config
    return readers


def _matching_names(tensor_name: str, tensors: Iterable[str]) -> list[str]:
    """Return the names that equal `tensor_name` or, if none does, the names that contain it."""
    names = [*tensors]
    matches = [x for x in names if x == tensor_name] or [x for x in names if tensor_name in x]
    if not matches:
        listed = _files.list_names(names)
        raise ValueError(refusal("no_tensor", wanted=repr(tensor_name[:80]), names=listed))
    return matches


def _open_folder(path: Path, tensor_name: str | None) -> Files:
    listing = _list_folder(path, tensor_name)
    weights = [file for file in listing.weights if not file.name.startswith("adapter_")]
    if tensor_name is None and (path / ADAPTER).is_file() and not (weights or listing.config):
        _files.refuse_adapter(path / ADAPTER)
    config = None
    if listing.config is not None:
        config = _read(listing.config).get(CONFIG)
        # Despite its name, this file contains lists of numbers, not a configuration.
        if config is None:
            listing.others.append(CONFIG)
    _refuse_unread(listing, config)
    if tensor_name is not None:
        names = _matching_names(tensor_name, listing.tensors)
    elif config is None:
        names = _files.choose_names([*listing.tensors])
    else:
        names = [name for name in listing.tensors if KNOWN.search(name) or IDS.search(name)]
    readers = _readers(listing.tensors, names, config)
    readers.is_whole = bool(listing.weights)
    readers.unread = tuple(listing.unread)
    readers.notes = tuple(_notes(listing, names))
    return readers


def _list_folder(path: Path, tensor_name: str | None) -> Listing:
    """Sort a folder's files by how the doctor treats them, and open the files that it reads."""
    listing = Listing()
    for file in sorted(path.iterdir()):
        suffix = file.suffix.lower()
        if file.is_dir():
            listing.others.append(f"{file.name}/")
        elif file.name == CONFIG:
            listing.config = file
        elif file.name.endswith(INDEX):
            # An index contains no weights. `_require_shards` checks that the files in it exist.
            continue
        elif suffix in WEIGHTS:
            listing.weights.append(file)
            _add(listing.tensors, file, _read(file))
        elif suffix in PICKLES:
            listing.pickles.append(file)
        elif suffix in READABLE:
            _sort_array(listing, file, tensor_name)
        else:
            listing.others.append(file.name)
    _require_shards(path, listing)
    return listing


def _sort_array(listing: Listing, file: Path, tensor_name: str | None) -> None:
    """Open a file of arrays if it contains a known name, or a name that contains `tensor_name`."""
    inside = _names_in(file)
    chosen_names = [
        x
        for x in inside
        if KNOWN.search(x) or IDS.search(x) or (tensor_name is not None and tensor_name in x)
    ]
    tensors = _read(file) if chosen_names else {}
    tensors.pop(CONFIG, None)
    picked = {
        name: x for name, x in tensors.items() if name in chosen_names or file.suffix == ".json"
    }
    if picked:
        listing.chosen += picked
        _add(listing.tensors, file, picked)
        if left := [name for name in inside if name not in chosen_names]:
            listing.arrays.append(f"{file.name} ({_files.list_names(left)})")
    else:
        unread = listing.arrays if file.suffix.lower() in ARRAYS else listing.others
        unread.append(file.name)


def _names_in(file: Path) -> list[str]:
    """Return the names of the arrays in a .npz file, or the own name of a file of another type."""
    if file.suffix.lower() == ".npz" and zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            names = [name.removesuffix(".npy") for name in archive.namelist()]
        return [file.stem] if names == [_files.UNNAMED] else names
    return [file.stem]


def _read(file: Path) -> dict[str, Any]:
    """Read a file in a folder, and put the file's name before any error message."""
    try:
        return _files.read_file(file)
    except Exception as error:  # reading a damaged file may raise any exception
        raise ValueError(f"{file.name}: {_files.error_line(error)}") from None


def _add(tensors: dict[str, Any], file: Path, more: Mapping[str, Any]) -> None:
    """Add a file's tensors. If a tensor's name is already taken, put the file's name before it."""
    for name, x in more.items():
        tensors[f"{file.name}/{name}" if name in tensors else name] = x


def _require_shards(path: Path, listing: Listing) -> None:
    """Raise ValueError if the index of the weights lists files that the folder lacks."""
    present = {file.name for file in listing.weights}
    for index in path.glob(f"*{INDEX}"):
        missing = sorted({*_files.read_json(index)["weight_map"].values()} - present)
        if missing:
            raise ValueError(refusal("shards", names=", ".join(missing[:4])))


def _refuse_unread(listing: Listing, config: Any) -> None:
    """Raise ValueError if a folder contains tensors or files, but none of them was read."""
    if listing.weights or listing.chosen:
        return
    if listing.pickles:
        _files.refuse_pickle(listing.pickles[0])
    if listing.arrays:
        raise ValueError(refusal("unnamed_arrays", names=_list_some(listing.arrays)))
    if config is None:
        raise ValueError(refusal("no_tensors", names=_list_some(listing.unread)))


def _notes(listing: Listing, names: list[str]) -> Iterable[str]:
    """Return sentences that say which files in the folder were not examined."""
    sentences = DATA["folder"]
    if not names:
        weights = [file.name for file in listing.weights]
        yield sentences["no_positions" if weights else "config_alone"].format(
            names=_list_some(weights)
        )
    pickles = [file.name for file in listing.pickles]
    unread = {"arrays": listing.arrays, "pickles": pickles, "others": listing.others}
    for kind, files in unread.items():
        if files:
            yield sentences[kind].format(names=_list_some(files))


def _list_some(names: list[str]) -> str:
    """List names for use in a sentence, but at most the first 20 of them."""
    more = f" and {format_number(len(names) - SHOWN)} more" if len(names) > SHOWN else ""
    return (", ".join(names[:SHOWN]) or "nothing") + more
