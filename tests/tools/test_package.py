"""What `pip install` gives where the repository is not: the library alone, or with the course."""

import os
import re
import subprocess
import sys
import zipfile
from email import message_from_bytes
from email.message import Message
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


def installed(wheels: list[Path], folder: Path) -> set[Path]:
    """Unpack the wheels; returns the files of pe_lib in them."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    return {p.relative_to(folder) for p in (folder / "pe_lib").rglob("*") if p.is_file()}


def run(code: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    return done.stdout or done.stderr.splitlines()[-1]


def files(course: bool) -> set[Path]:
    """What the checkout holds of the library, or of the course."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "pe_lib"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = {Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()}
    recipes = {Path("pe_lib/course", name) for name in ("pyproject.toml", "setup.py")}
    return {p for p in found if p.is_relative_to("pe_lib/course") == course} - recipes


def test_the_library_is_whole_light_and_alone(wheels: list[Path], tmp_path: Path) -> None:
    assert installed(wheels[:1], tmp_path) == files(course=False)
    (promised,) = re.findall(
        r"a wheel of less than (\d+) kB", (ROOT / "README.md").read_text("utf-8")
    )
    assert wheels[0].stat().st_size < 1000 * int(promised)
    assert run(LIBRARY, tmp_path) == "{'numpy'}\n"


def test_with_the_course_all_is_there(wheels: list[Path], tmp_path: Path) -> None:
    assert installed(wheels, tmp_path) == files(course=False) | files(course=True)
    sheets = len(list((ROOT / "pe_lib" / "course" / "grading" / "sheets").glob("*.md")))
    place = tmp_path / "pe_lib" / "course" / "__init__.py"
    assert run(COURSE, tmp_path) == f"{place} {sheets}\n"


def test_the_course_asks_for_this_library(wheels: list[Path], tmp_path: Path) -> None:
    installed(wheels[1:], tmp_path)
    (told,) = tmp_path.glob("*.dist-info/METADATA")
    name, version, *_ = wheels[0].name.split("-")
    wanted = f"Requires-Dist: {name.replace('_', '-')}[course]=={version}\n"
    assert wanted in told.read_text("utf-8")


def told(wheel: Path) -> Message:
    """What a wheel tells pip and PyPI."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        return message_from_bytes(archive.read(name))


def test_who_installed_it_reads_whose_it_is(wheels: list[Path]) -> None:
    for wheel in wheels:
        about = told(wheel)
        assert about["Author"] == "The Order Matters authors" and about["License-Expression"]
        assert str(about.get_payload()).strip()


def test_wheels_bring_their_licences(wheels: list[Path]) -> None:
    for wheel, wanted in zip(wheels, [{"LICENSE"}, set(copies.LICENCES)], strict=True):
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
        assert {Path(name).name for name in names if "/licenses/" in name} == wanted
