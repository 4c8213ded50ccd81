"""A sheet as a package for a class, for the system that it works in."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

# what pe_lib and its course are imported with
NEEDS = (
    "numpy>=2.0", "anywidget>=0.9", "ipython", "ipywidgets>=8", "matplotlib>=3.9",
    "threadpoolctl>=3.5", "traitlets",
)  # fmt: skip
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # so that the same package is the same file


def put(path: Path, data: bytes) -> None:
    """Write a new file, and the folders that it lies in. Raises ValueError if it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        raise ValueError(f"{path} is there already") from None


def new_folder(path: Path) -> None:
    """Make a folder. Raises ValueError if the one that it lies in has something in it."""
    if path.parent.exists() and any(path.parent.iterdir()):
        raise ValueError(f"{path.parent} is not empty; name a folder that is new")
    path.mkdir(parents=True)


def library(*packages: ModuleType) -> Iterator[tuple[str, bytes]]:
    """All files of these packages, by the path from which they are imported."""
    for package in packages:
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*")):
            made = "__pycache__" in path.parts or ".egg-info/" in path.as_posix()
            if path.is_file() and not made:
                yield path.relative_to(root.parent).as_posix(), path.read_bytes()


def zipped(files: dict[str, bytes]) -> bytes:
    """A zip of the files, the same for the same files."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as package:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            runs = name in ("setup.sh", "run_autograder")
            entry.create_system = 3  # Unix, wherever this runs
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            package.writestr(entry, files[name])
    return whole.getvalue()
