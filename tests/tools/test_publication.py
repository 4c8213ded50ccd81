"""Test the commands that fill in the addresses, version and date before publication."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tools.address import PROJECTS, write_addresses
from tools.prepare import PATTERNS, prepare
from tools.release import ROOT, check, find_newest_version

SITE, REPOSITORY = "https://me.example/course", "https://github.com/me/course"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Copy the files that these commands fill in to a temporary folder, and return that folder."""
    for name in {*PATTERNS, *PROJECTS, "README.md", "CITATION.cff"}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def citation(root: Path = ROOT) -> dict[str, object]:
    return yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))


def project(root: Path, name: str) -> dict[str, object]:
    return tomllib.loads((root / name).read_text("utf-8"))["project"]


def test_the_addresses_reach_every_file(course: Path) -> None:
    write_addresses(course, "https://old.example/", "https://github.com/other/name.git")
    write_addresses(course, SITE, REPOSITORY)
    readme = (course / "README.md").read_text("utf-8")
    assert "old.example" not in readme and "ADDRESS" not in readme
    assert f"\ngit clone {REPOSITORY} order-matters\ncd order-matters\n" in readme
    assert f"]({SITE}/)" in readme and f"({SITE}/chapters/13-length.html)" in readme
    assert "mybinder.org/v2/gh/me/course/main?labpath=chapters%2F00-start-here.ipynb)" in readme
    assert "google.com/github/me/course/blob/notebooks/00-start-here.ipynb)" in readme
    assert len(re.sub(r"<!--.*?-->", "", readme).split()) <= 720
    about = citation(course)
    assert (about["url"], about["repository-code"]) == (f"{SITE}/", REPOSITORY)
    for name in PROJECTS:
        urls = {"Homepage": f"{SITE}/", "Source": REPOSITORY}
        assert project(course, name) == project(ROOT, name) | {"urls": urls}


def test_another_forge_has_neither_binder_nor_colab(course: Path) -> None:
    write_addresses(course, SITE, "https://forge.example/me/course")
    readme = (course / "README.md").read_text("utf-8")
    assert "git clone https://forge.example/me/course order-matters" in readme
    assert "Binder" not in readme and "Colab" not in readme


@pytest.mark.parametrize(
    ("addresses", "message"),
    [(["", REPOSITORY], "SITE_URL must be"), ([SITE, "me/course"], "REPOSITORY must be")],
)
def test_what_is_no_address_is_refused(addresses: list[str], message: str) -> None:
    before = (ROOT / "README.md").read_bytes()
    command = [sys.executable, "-m", "tools.address", *addresses]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and message in done.stderr
    assert (ROOT / "README.md").read_bytes() == before


def test_a_prepared_version_with_an_address_is_ready_to_be_released(course: Path) -> None:
    log = (course / "CHANGELOG.md").read_text("utf-8")
    log = log.replace("# Changelog\n", "# Changelog\n\n## 7.0.1\n\n- New.\n", 1)
    (course / "CHANGELOG.md").write_text(log, "utf-8")
    write_addresses(course, SITE, REPOSITORY)
    prepare("7.0.1", "2027-01-31", course)
    check("v7.0.1", course)
    assert str(citation(course)["date-released"]) == "2027-01-31"
    with pytest.raises(SystemExit, match=r"Write what is new in 7\.0\.2"):
        prepare("7.0.2", "2027-01-31", course)


def test_citation_and_changelog_give_one_version_one_day_and_one_author() -> None:
    version, day, _ = find_newest_version()
    about = citation()
    assert (about["version"], str(about["date-released"])) == (version, day)
    names = [author["name"] for author in about["authors"]]
    zenodo = yaml.safe_load((ROOT / ".zenodo.json").read_text("utf-8"))
    assert [creator["name"] for creator in zenodo["creators"]] == names
    for name in PROJECTS:
        assert [author["name"] for author in project(ROOT, name)["authors"]] == names
    assert all(name in (ROOT / "LICENSE").read_text("utf-8") for name in names)
