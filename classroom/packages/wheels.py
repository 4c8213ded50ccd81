"""A wheel that pip installs without a network, made of files at hand."""

from __future__ import annotations

import base64
import hashlib

import pe_lib
from classroom.packages import zipped

ABOUT = """\
Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: {summary}
Requires-Python: >=3.11
"""
KIND = "Wheel-Version: 1.0\nGenerator: pe_lib\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def file_name(name: str) -> str:
    return f"{name}-{pe_lib.__version__}-py3-none-any.whl"


def wheel(name: str, summary: str, needs: tuple[str, ...], files: dict[str, bytes]) -> bytes:
    """The wheel that installs these files, by path, and what they need."""
    info = f"{name}-{pe_lib.__version__}.dist-info"
    about = ABOUT.format(name=name.replace("_", "-"), version=pe_lib.__version__, summary=summary)
    about += "".join(f"Requires-Dist: {package}\n" for package in needs)
    files = files | {f"{info}/METADATA": about.encode(), f"{info}/WHEEL": KIND.encode()}
    record = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    return zipped(files)


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
