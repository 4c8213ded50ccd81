"""Test that a downloaded chapter runs on a computer that has no other part of the course."""

import os
import subprocess
import sysconfig
import venv
import zipfile
from pathlib import Path

import nbformat
import pytest
from built import ROOT


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """Return the path of a Python that can import all installed packages except `pe_lib`."""
    venv.create(tmp_path / "bare", with_pip=False)
    bin_, lib = (
        Path(sysconfig.get_path(name, "venv", {"base": str(tmp_path / "bare")}))
        for name in ("scripts", "purelib")
    )
    # Python imports from the folder named here, but ignores its .pth files, which would add pe_lib.
    (lib / "others.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    return bin_ / f"python{sysconfig.get_config_var('EXE')}"


# With these settings, pip neither sees the installed pe_lib nor uses a package index.
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_IGNORE_INSTALLED": "1"}


def test_a_download_runs_in_an_empty_folder(site: Path, bare: Path, tmp_path: Path) -> None:
    """Run a downloaded chapter and its exercises with the library in the download."""
    with zipfile.ZipFile(site / "notebooks" / "order-matters.zip") as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "order-matters"
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment |= OFFLINE | {"ORDER_MATTERS_HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path)}

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [str(bare), *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout if done.returncode == 0 else done.stderr

    missing = "from importlib.util import find_spec; print(find_spec('pe_lib'))"
    assert run("-c", missing) == "None\n"
    names = ["05-relative-positions.ipynb", "exercises/05-relative-positions.ipynb"]
    assert run("-m", "nbconvert", "--execute", "--to", "notebook", "--inplace", *names) == ""
    printed = [
        "".join(output.get("text", "") for output in cell.get("outputs", []))
        for cell in nbformat.read(folder / "05-relative-positions.ipynb", 4).cells[1:]
    ]
    committed = nbformat.read(ROOT / "chapters" / "05-relative-positions.ipynb", 4).cells
    for cell, text in zip(committed, printed, strict=True):
        assert text == "".join(output.get("text", "") for output in cell.get("outputs", []))
