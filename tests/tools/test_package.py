"""What `pip install` gives where the repository is not: the library alone, or with the course."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt

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
    for name in ("pyproject.toml", "README.md", "CITATION.cff", *copies.LICENCES):
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


def told(wheel: Path) -> Message:
    """What a wheel tells pip and PyPI."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        return message_from_bytes(archive.read(name))


def linked(text: str) -> list[str]:
    """Where a text in Markdown leads, pictures too."""
    return [str(a.get("href") or a.get("src")) for a in html(text).select("[href], [src]")]


def html(text: str) -> BeautifulSoup:
    return BeautifulSoup(MarkdownIt().render(text), "html.parser")


def test_who_installed_it_reads_whose_it_is(wheels: list[Path]) -> None:
    for wheel in wheels:
        about = told(wheel)
        assert about["Author"] == "The Order Matters authors" and about["License-Expression"]
        assert str(about.get_payload()).strip()


def test_the_page_on_pypi_has_no_dead_link(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No file of the repository lies beside it."""
    readme = (ROOT / "README.md").read_text("utf-8")
    inside = [place for place in linked(readme) if not place.startswith("https:")]
    assert len(inside) > 10 and ".github/front.png" in inside
    alone = copies.readme(readme, "", "")
    assert not [place for place in linked(alone) if not place.startswith("https:")]
    seen = [" ".join(html(text).get_text().split()) for text in (alone, readme)]
    assert seen[0] == seen[1]  # the picture says nothing as text
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.com")
    monkeypatch.setenv("GITHUB_REPOSITORY", "me/course")
    monkeypatch.setenv("GITHUB_REF_NAME", "v1.2.3")
    about = told(copies.wheels(ROOT, tmp_path)[0])
    assert "Repository, https://github.com/me/course" in about.get_all("Project-URL")
    files = re.compile(r"https://github\.com/me/course/(blob|raw)/v1\.2\.3/([^#]*)")
    found = [match for place in linked(str(about.get_payload())) if (match := files.match(place))]
    assert len(found) == len(inside) and all((ROOT / match[2]).exists() for match in found)
    assert {match[2] for match in found if match[1] == "raw"} == {".github/front.png"}


def test_the_address_is_told_once() -> None:
    known = copies.urls("title: x\nurl: https://me.example/course\n", "")
    assert tomllib.loads(known) == {"project": {"urls": {"Homepage": "https://me.example/course"}}}
    assert copies.urls("title: x\n", "") == ""


def test_wheels_bring_their_licences(wheels: list[Path]) -> None:
    for wheel, wanted in zip(wheels, [{"LICENSE"}, set(copies.LICENCES)], strict=True):
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
        assert {Path(name).name for name in names if "/licenses/" in name} == wanted
