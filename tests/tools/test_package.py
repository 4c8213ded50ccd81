"""Test that library, course and classroom work when pip installs them without the repository."""

import os
import re
import subprocess
import sys
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

from _ext.downloads import copies
from pe_lib.course import explorers

ROOT = Path(__file__).parents[2]
# Wheels contain the bundled scripts of explorers instead of the modules, and no files of a build.
NOT_IN_WHEELS = re.compile(r"/explorers/.*(?<!/print)\.mjs$|/passages\.json$|/?pyproject\.toml$")
NOT_PACKED = ("classroom/slides/", "classroom/cards/")  # these modules need the built site
LIBRARY = """
import pe_lib, sys
print({name.split(".")[0] for name in sys.modules} & {"numpy", "matplotlib", "anywidget"})
"""
COURSE = """
import pe_lib.course.model
from pe_lib.course import explorers
from pe_lib.course.grading import sheet
print(pe_lib.course.__file__, len(sheet.names()), len(explorers.kinds()))
print(explorers.CounterExplorer(position=5).svg())
"""
CLASSROOM = """
import classroom.__main__, classroom.marks.pages
print(classroom.__file__, classroom.marks.pages.PAGES.get_template("class.html").name)
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return copies.wheels(ROOT, tmp_path_factory.mktemp("wheels"), copies.PROJECTS)


def unpack_wheels(wheels: list[Path], folder: Path) -> set[str]:
    """Unpack the wheels, and return the files from them that Python imports or reads."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in files if path.parts[0] in ("pe_lib", "classroom")}


def list_wheel_files(folder: str) -> set[str]:
    """Return the files of a folder that belong into wheels: those in git, and built scripts.

    The modules of explorers are left out, because the built scripts contain them.
    """
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder]
    names = subprocess.check_output(command, cwd=ROOT, text=True).split("\0")
    built = (path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("built/*.js"))
    files = {name for name in (*names, *built) if name and (ROOT / name).is_file()}
    return {name for name in files if not NOT_IN_WHEELS.search(name)}


def run(code: str, folder: Path) -> str:
    command = [sys.executable, "-B", "-c", code]  # -B prevents Python from writing bytecode files
    paths = {"PYTHONPATH": str(folder)}
    return subprocess.check_output(command, cwd=folder, env=os.environ | paths, text=True)


def test_the_library_is_whole_light_and_alone_and_what_rests_on_it_joins_it(
    wheels: list[Path], tmp_path: Path
) -> None:
    files = list_wheel_files("pe_lib")
    library = {name for name in files if not name.startswith("pe_lib/course/")}
    assert unpack_wheels(wheels[:1], tmp_path) == library
    readme = (ROOT / "README.md").read_text("utf-8")
    (promised,) = re.findall(r"a wheel of less than (\d+) kB", readme)
    assert wheels[0].stat().st_size < 1000 * int(promised)
    assert run(LIBRARY, tmp_path) == "{'numpy'}\n"
    assert unpack_wheels(wheels[1:2], tmp_path) == files
    sheets = len(list((ROOT / "pe_lib" / "course" / "grading" / "sheets").glob("*.md")))
    place = tmp_path / "pe_lib" / "course" / "__init__.py"
    told, picture = run(COURSE, tmp_path).splitlines()
    assert told == f"{place} {sheets} {len(explorers.kinds())}"
    assert picture == explorers.CounterExplorer(position=5).svg()
    rooms = {name for name in list_wheel_files("classroom") if not name.startswith(NOT_PACKED)}
    assert unpack_wheels(wheels[2:], tmp_path) - files == rooms
    assert run(CLASSROOM, tmp_path) == f"{tmp_path / 'classroom' / '__init__.py'} class.html\n"


def test_wheels_say_whose_they_are_and_bring_their_licences(
    wheels: list[Path], tmp_path: Path
) -> None:
    needed: dict[str, list[str]] = {}
    brought = [{"LICENSE"}, set(copies.LICENCES), {"LICENSE"}]
    for wheel, licences in zip(wheels, brought, strict=True):
        unpack_wheels([wheel], tmp_path / wheel.name)
        (place,) = (tmp_path / wheel.name).glob("*.dist-info")
        about = message_from_string((place / "METADATA").read_text("utf-8"))
        assert about["Author"] == "The Order Matters authors" and about["License-Expression"]
        assert str(about.get_payload()).strip()
        assert {path.name for path in (place / "licenses").rglob("*LICEN*")} == licences
        needed[about["Name"]] = about.get_all("Requires-Dist")
    version = wheels[0].name.split("-")[1]
    assert f"pe-lib[course]=={version}" in needed["order-matters"]
    assert f"order-matters=={version}" in needed["order-matters-classroom"]
