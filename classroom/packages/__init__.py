"""Package an exercise sheet for the learning platform that a class uses."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from pathlib import Path
from types import ModuleType

import pe_lib

# A wheel must require these packages, because pe_lib and pe_lib.course import them.
REQUIREMENTS = (
    "numpy>=2.0", "anywidget>=0.9", "ipython", "ipywidgets>=8", "matplotlib>=3.9",
    "threadpoolctl>=3.5", "traitlets",
)  # fmt: skip
FOLDER = Path(__file__).parent


def write_new(path: Path, data: bytes) -> None:
    """Write a new file and its folders, or raise FileExistsError if the file already exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(data)


def library_files(*packages: ModuleType) -> dict[str, bytes]:
    """Return all files of some Python packages, as a dictionary from paths to contents."""
    roots = [Path(package.__path__[0]) for package in packages]
    files = {path: root.parent for root in roots for path in root.rglob("*") if path.is_file()}
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path, root in files.items()
        if "__pycache__" not in path.parts and ".egg-info/" not in path.as_posix()
    }


def zip_files(files: dict[str, bytes]) -> bytes:
    """Return a ZIP archive of files, which are given as a dictionary from paths to contents."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def make_wheel(
    name: str, summary: str, requirements: tuple[str, ...], files: dict[str, bytes]
) -> tuple[str, bytes]:
    """Return the file name and the content of a wheel that installs these files."""
    version = pe_lib.__version__
    metadata = (FOLDER / "METADATA").read_text("utf-8")
    metadata = metadata.format(name=name.replace("_", "-"), version=version, summary=summary)
    metadata += "".join(f"Requires-Dist: {requirement}\n" for requirement in requirements)
    info = f"{name}-{version}.dist-info"
    files = files | {
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": (FOLDER / "WHEEL").read_bytes(),
    }
    record = [f"{path},{_digest(data)},{len(data)}" for path, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    return f"{name}-{version}-py3-none-any.whl", zip_files(files)


def _digest(data: bytes) -> str:
    """Return a file's SHA-256 digest in the form that the RECORD file of a wheel requires."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode()
    return f"sha256={digest.rstrip('=')}"
