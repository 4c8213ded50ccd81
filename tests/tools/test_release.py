"""A release has one version, and its notes are the changelog's."""

import re
import shutil
from pathlib import Path

import pytest

from tools.release import ROOT, check, notes, versions


@pytest.fixture
def course(tmp_path: Path) -> Path:
    (tmp_path / "pe_lib" / "course").mkdir(parents=True)
    for name in versions():
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_all_files_give_one_version() -> None:
    assert len(set(versions().values())) == 1, versions()


def test_the_notes_are_the_newest_part_of_the_changelog(course: Path) -> None:
    text = "# Changelog\n\n## 2.0.0\n\n- New.\n\n## 1.0.0\n\n- Old.\n"
    (course / "CHANGELOG.md").write_text(text, "utf-8")
    assert notes(course) == "- New.\n"


def test_a_tag_must_be_the_version_of_every_file(course: Path) -> None:
    version = versions()["pyproject.toml"]
    with pytest.raises(SystemExit, match=r"The tag is v9\.9\.9, but pyproject\.toml gives"):
        check("v9.9.9", course)
    project = course / "pe_lib" / "course" / "pyproject.toml"
    whole = project.read_text("utf-8")
    project.write_text(whole.replace(f"=={version}", "==0.0.9"), "utf-8")
    with pytest.raises(SystemExit, match=r"needs .+\[course\]==0\.0\.9"):
        check(f"v{version}", course)
    project.write_text(whole, "utf-8")
    changelog = course / "CHANGELOG.md"
    changelog.write_text(f"# Changelog\n\n## {version} (unreleased)\n\n- New.\n", "utf-8")
    with pytest.raises(SystemExit, match="still says"):
        check(f"v{version}", course)
    changelog.write_text(f"# Changelog\n\n## {version}\n\n- New.\n", "utf-8")
    with pytest.raises(SystemExit, match="gives no day"):
        check(f"v{version}", course)
    changelog.write_text(f"# Changelog\n\n## {version} (2027-01-31)\n\n- New.\n", "utf-8")
    citation = course / "CITATION.cff"
    whole = re.sub(r"^url: .*\n", "", citation.read_text("utf-8"), flags=re.M)
    whole = re.sub(r"^(date-released): .*", r"\1: 2027-01-31", whole, flags=re.M)
    for missing, text in (
        ("url", whole),
        ("date-released", re.sub(r"^date-released: .*\n", "", whole, flags=re.M)),
    ):
        citation.write_text(text, "utf-8")
        with pytest.raises(SystemExit, match=f"CITATION.cff has no {missing}"):
            check(f"v{version}", course)
    citation.write_text(f"{whole}url: https://me.example/course\n", "utf-8")
    check(f"v{version}", course)
    changelog.write_text(f"# Changelog\n\n## {version} (2027-02-01)\n\n- New.\n", "utf-8")
    with pytest.raises(SystemExit, match=r"another date-released than CHANGELOG\.md, 2027-02-01"):
        check(f"v{version}", course)
    changelog.write_text("# Changelog\n\n## 9.9.9\n\n- New.\n", "utf-8")
    with pytest.raises(SystemExit, match=r"but CHANGELOG\.md gives the version 9\.9\.9"):
        check(f"v{version}", course)
