"""What `pip install` gives: the whole library, wherever the repository is not."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHECK = """
import pe_lib, pe_lib.model, pe_lib.explorers
from pe_lib.grading import Sheet, sheet
print(pe_lib.__file__, len(sheet.names()))
"""


def test_the_wheel_holds_every_file_of_the_library(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    kept = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "pe_lib", tree / "pe_lib", ignore=kept)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    make = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-q", "."]
    subprocess.run(make, cwd=tree, check=True)
    (wheel,) = tree.glob("*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    wanted = {p.relative_to(ROOT) for p in (ROOT / "pe_lib").rglob("*") if p.is_file()}
    wanted = {p for p in wanted if "__pycache__" not in p.parts}
    assert wanted == {p.relative_to(installed) for p in (installed / "pe_lib").rglob("*.*")}
    said = subprocess.run(
        [sys.executable, "-c", CHECK],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    sheets = len(list((ROOT / "pe_lib" / "grading" / "sheets").glob("*.md")))
    assert said == f"{installed / 'pe_lib' / '__init__.py'} {sheets}\n"
