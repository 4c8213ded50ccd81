"""A release has one version, and its notes are the changelog's."""

import re
import shutil
from pathlib import Path

import pytest

from tools.release import ROOT, check, notes, versions

VERSION = versions()["pyproject.toml"]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """One that could be released."""
    for name in ("pe_lib/course", "classroom"):
        (tmp_path / name).mkdir(parents=True)
    for name in versions():
        shutil.copy(ROOT / name, tmp_path / name)
    log = f"# Changelog\n\n## {VERSION} (2027-01-31)\n\n- New.\n\n## 0.0.1\n\n- Old.\n"
    (tmp_path / "CHANGELOG.md").write_text(log, "utf-8")
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    citation = re.sub(r"^(url|date-released):.*\n", "", citation, flags=re.M)
    citation += "url: https://me.example/course\ndate-released: 2027-01-31\n"
    (tmp_path / "CITATION.cff").write_text(citation, "utf-8")
    return tmp_path


def test_all_files_give_one_version(course: Path) -> None:
    assert set(versions().values()) == {VERSION}, versions()
    check(f"v{VERSION}", course)
    assert notes(course) == "- New.\n"
    with pytest.raises(SystemExit, match=r"The tag is v9\.9\.9, but pyproject\.toml gives"):
        check("v9.9.9", course)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("pe_lib/course/pyproject.toml", f"=={VERSION}", "==0.0.9", r"needs .+\[course\]==0\.0\.9"),
        ("classroom/pyproject.toml", f"=={VERSION}", "==0.0.9", r"needs order-matters==0\.0\.9"),
        ("CHANGELOG.md", "2027-01-31", "unreleased", "still says"),
        ("CHANGELOG.md", " (2027-01-31)", "", "gives no day"),
        ("CHANGELOG.md", "01-31", "02-01", "another date-released"),
        ("CHANGELOG.md", f"## {VERSION}", "## 9.9.9", r"gives the version 9\.9\.9"),
        ("CITATION.cff", "\nurl:", "\n# url:", "has no url"),
        ("CITATION.cff", "\ndate-released:", "\n# :", "has no date-released"),
    ],
)
def test_what_is_not_ready_is_refused(
    course: Path, file: str, old: str, new: str, said: str
) -> None:
    text = (course / file).read_text("utf-8")
    (course / file).write_text(text.replace(old, new), "utf-8")
    with pytest.raises(SystemExit, match=said):
        check(f"v{VERSION}", course)
