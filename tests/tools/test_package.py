"""What `pip install` gives where the repository is not: the library alone, or with the course."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
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


def test_library_and_course_may_have_other_names_on_pypi(tmp_path: Path) -> None:
    """As contributing/release.md says, where somebody else has these."""
    for name in ("pyproject.toml", "README.md", *copies.LICENCES):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "pe_lib", tmp_path / "pe_lib")
    changed = {
        "pyproject.toml": {'name = "pe-lib"': 'name = "a-library"'},
        "pe_lib/course/pyproject.toml": {
            'name = "order-matters"': 'name = "x-course"',
            '"pe-lib[course]==': '"a-library[course]==',
        },
    }
    for file, lines in changed.items():
        text = (tmp_path / file).read_text("utf-8")
        for old, new in lines.items():
            assert text.count(old) == 1
            text = text.replace(old, new)
        (tmp_path / file).write_text(text, "utf-8")
    library, course = copies.wheels(tmp_path, tmp_path / "new")
    assert library.name.startswith("a_library-") and course.name.startswith("x_course-")
    installed([course], tmp_path / "course")
    (told,) = (tmp_path / "course").glob("*.dist-info/METADATA")
    assert "Requires-Dist: a-library[course]==" in told.read_text("utf-8")
    assert 'version("a_library")' in copies.install([library.name, course.name], "", [])


@pytest.mark.parametrize("old", ["attention", "audit", "explorers", "figures", "grading", "model"])
@pytest.mark.parametrize(
    "line", ["import pe_lib.{}", "from pe_lib import {}", "from pe_lib.{} import x"]
)
def test_an_old_name_tells_the_new_one(line: str, old: str, tmp_path: Path) -> None:
    said = run(line.format(old), ROOT)
    assert said == f"ModuleNotFoundError: pe_lib.{old} is now pe_lib.course.{old}"


def test_a_name_that_never_was_is_no_old_one() -> None:
    said = run("import pe_lib.nothing", ROOT)
    assert said == "ModuleNotFoundError: No module named 'pe_lib.nothing'"


def test_a_wheel_holds_nothing_that_an_earlier_one_left(tmp_path: Path) -> None:
    """As with `pip install` in a checkout, after one that left a sheet which is no more."""
    course, rest = tmp_path / "course", Path("build/lib/pe_lib/course/grading/sheets/99-gone.md")
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
    shutil.copytree(ROOT / "pe_lib" / "course", course, ignore=ignored)
    (course / rest).parent.mkdir(parents=True)
    (course / rest).touch()
    build = [sys.executable, "-c", copies.BUILD, str(tmp_path)]
    subprocess.run(build, cwd=course, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        sheets = [name for name in archive.namelist() if "/sheets/" in name]
    assert sheets and not [name for name in sheets if name.endswith(rest.name)]
    assert [path for path in (course / "build").rglob("*") if path.is_file()] == [course / rest]
    recipes = [ROOT / "setup.py", ROOT / "pe_lib" / "course" / "setup.py"]
    assert recipes[0].read_text("utf-8") == recipes[1].read_text("utf-8")


def test_wheels_bring_their_licences(wheels: list[Path]) -> None:
    for wheel, wanted in zip(wheels, [{"LICENSE"}, set(copies.LICENCES)], strict=True):
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
        assert {Path(name).name for name in names if "/licenses/" in name} == wanted
