"""A sheet as a package for a class, for the system that it works in."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from pathlib import Path
from types import ModuleType

import pe_lib

# what pe_lib and its course are imported with
NEEDS = (
    "numpy>=2.0", "anywidget>=0.9", "ipython", "ipywidgets>=8", "matplotlib>=3.9",
    "threadpoolctl>=3.5", "traitlets",
)  # fmt: skip
HERE = Path(__file__).parent


def put(path: Path, data: bytes) -> None:
    """Write a new file, and the folders that it lies in. Raises FileExistsError if it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(data)


def library(*packages: ModuleType) -> dict[str, bytes]:
    """All files of these packages, by the path from which they are imported."""
    roots = [Path(package.__path__[0]) for package in packages]
    files = {path: root.parent for root in roots for path in root.rglob("*") if path.is_file()}
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path, root in files.items()
        if "__pycache__" not in path.parts and ".egg-info/" not in path.as_posix()
    }


def zipped(files: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in files.items():
            package.writestr(name, data)
    return whole.getvalue()


def wheel(
    name: str, summary: str, needs: tuple[str, ...], files: dict[str, bytes]
) -> tuple[str, bytes]:
    """The wheel from which pip, without a network, installs files, by path: its name, and it."""
    version = pe_lib.__version__
    about = (HERE / "METADATA").read_text("utf-8")
    about = about.format(name=name.replace("_", "-"), version=version, summary=summary)
    about += "".join(f"Requires-Dist: {package}\n" for package in needs)
    info, kind = f"{name}-{version}.dist-info", (HERE / "WHEEL").read_bytes()
    files = files | {f"{info}/METADATA": about.encode(), f"{info}/WHEEL": kind}
    digests = {p: base64.urlsafe_b64encode(hashlib.sha256(d).digest()) for p, d in files.items()}
    record = [f"{p},sha256={d.decode().rstrip('=')},{len(files[p])}" for p, d in digests.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    return f"{name}-{version}-py3-none-any.whl", zipped(files)
