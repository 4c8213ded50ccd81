"""What `pip install` gives where the repository is not: the library alone, or with the course."""

import os
import re
import subprocess
import sys
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

from _ext import copies

ROOT = Path(__file__).parents[2]
LIBRARY = """
import pe_lib, sys
print({name.split(".")[0] for name in sys.modules} & {"numpy", "matplotlib", "anywidget"})
"""
COURSE = """
import pe_lib.course.explorers, pe_lib.course.model
from pe_lib.course.grading import sheet
print(pe_lib.course.__file__, len(sheet.names()))
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return copies.wheels(ROOT, tmp_path_factory.mktemp("wheels"))


def installed(wheels: list[Path], folder: Path) -> set[str]:
    """Unpack the wheels; returns the files of pe_lib in them."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    files = (path for path in (folder / "pe_lib").rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in files}


def run(code: str, folder: Path) -> str:
    command = [sys.executable, "-B", "-c", code]  # which leaves no file beside them
    paths = {"PYTHONPATH": str(folder)}
    return subprocess.check_output(command, cwd=folder, env=os.environ | paths, text=True)


def test_the_library_is_whole_light_and_alone_and_the_course_joins_it(
    wheels: list[Path], tmp_path: Path
) -> None:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "pe_lib"]
    listed = subprocess.check_output(command, cwd=ROOT, text=True).split("\0")
    recipes = {f"pe_lib/course/{name}" for name in ("pyproject.toml", "setup.py")}
    files = {name for name in listed if name and (ROOT / name).is_file()} - recipes
    library = {name for name in files if not name.startswith("pe_lib/course/")}
    assert installed(wheels[:1], tmp_path) == library
    readme = (ROOT / "README.md").read_text("utf-8")
    (promised,) = re.findall(r"a wheel of less than (\d+) kB", readme)
    assert wheels[0].stat().st_size < 1000 * int(promised)
    assert run(LIBRARY, tmp_path) == "{'numpy'}\n"
    assert installed(wheels[1:], tmp_path) == files
    sheets = len(list((ROOT / "pe_lib" / "course" / "grading" / "sheets").glob("*.md")))
    place = tmp_path / "pe_lib" / "course" / "__init__.py"
    assert run(COURSE, tmp_path) == f"{place} {sheets}\n"


def test_wheels_say_whose_they_are_and_bring_their_licences(
    wheels: list[Path], tmp_path: Path
) -> None:
    for wheel, licences in zip(wheels, [{"LICENSE"}, set(copies.LICENCES)], strict=True):
        installed([wheel], tmp_path / wheel.name)
        (place,) = (tmp_path / wheel.name).glob("*.dist-info")
        about = message_from_string((place / "METADATA").read_text("utf-8"))
        assert about["Author"] == "The Order Matters authors" and about["License-Expression"]
        assert str(about.get_payload()).strip()
        assert {path.name for path in (place / "licenses").rglob("*LICEN*")} == licences
    name, version, *_ = wheels[0].name.split("-")
    assert f"{name.replace('_', '-')}[course]=={version}" in about.get_all("Requires-Dist")
