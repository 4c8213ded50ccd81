"""Test that a release has the same version in all files, and notes from the changelog."""

import re
import shutil
from pathlib import Path

import pytest

from pe_lib import __version__ as VERSION  # noqa: N812
from tools.release import REQUIRED, ROOT, check, find_missing, find_newest_version


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return a copy of the course's files that is ready to be released."""
    for name, _ in REQUIRED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    log = f"# Changelog\n\n## {VERSION} (2027-01-31)\n\n- New.\n\n## 0.0.1\n\n- Old.\n"
    (tmp_path / "CHANGELOG.md").write_text(log, "utf-8")
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    citation = re.sub(r"^(url|date-released):.*\n", "", citation, flags=re.MULTILINE)
    citation += "url: https://me.example/course\ndate-released: 2027-01-31\n"
    (tmp_path / "CITATION.cff").write_text(citation, "utf-8")
    return tmp_path


def test_all_files_give_one_version(course: Path) -> None:
    assert not [line for line in find_missing(VERSION) if VERSION in line], find_missing(VERSION)
    check(f"v{VERSION}", course)
    assert find_newest_version(course)[2] == "- New."
    with pytest.raises(SystemExit, match=r'v9\.9\.9.*\n  .*__init__\.py: __version__ = "9\.9\.9"'):
        check("v9.9.9", course)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("pe_lib/__init__.py", VERSION, "0.0.9", "__init__.py: __version__"),
        ("pe_lib/course/pyproject.toml", f"=={VERSION}", "==0.0.9", f"=={VERSION}"),
        ("classroom/pyproject.toml", f"=={VERSION}", "==0.0.9", f"=={VERSION}"),
        ("CHANGELOG.md", "2027-01-31", "unreleased", "a day"),
        ("CHANGELOG.md", " (2027-01-31)", "", "a day"),
        ("CHANGELOG.md", "01-31", "02-01", "date-released: 2027-02-01"),
        ("CHANGELOG.md", f"## {VERSION}", "## 9.9.9", f"## {VERSION}"),
        ("CITATION.cff", "\nurl:", "\n# url:", "url:"),
        ("CITATION.cff", "\ndate-released:", "\n# :", "date-released"),
    ],
)
def test_what_is_not_ready_is_refused(
    course: Path, file: str, old: str, new: str, said: str
) -> None:
    text = (course / file).read_text("utf-8")
    assert old in text
    (course / file).write_text(text.replace(old, new), "utf-8")
    with pytest.raises(SystemExit, match=re.escape(said)):
        check(f"v{VERSION}", course)
