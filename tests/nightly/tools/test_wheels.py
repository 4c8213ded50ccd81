"""Wheels under other names, over an older build, and as PyPI shows them."""

import re
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt

from _ext.downloads import copies

ROOT = Path(__file__).parents[3]


def told(wheel: Path) -> Message:
    """What a wheel tells pip and PyPI."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        return message_from_bytes(archive.read(name))


def linked(text: str) -> list[str]:
    """Where a text in Markdown leads, pictures too."""
    html = BeautifulSoup(MarkdownIt().render(text), "html.parser")
    return [str(a.get("href") or a.get("src")) for a in html.select("[href], [src]")]


def test_the_page_on_pypi_has_no_dead_link(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No file of the repository lies beside it."""
    readme = (ROOT / "README.md").read_text("utf-8")
    inside = [place for place in linked(readme) if not place.startswith("https:")]
    assert len(inside) > 10
    alone = copies.readme(readme, "", "")
    assert not [place for place in linked(alone) if not place.startswith("https:")]
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.com")
    monkeypatch.setenv("GITHUB_REPOSITORY", "me/course")
    monkeypatch.setenv("GITHUB_REF_NAME", "v1.2.3")
    about = told(copies.wheels(ROOT, tmp_path)[0])
    assert "Repository, https://github.com/me/course" in about.get_all("Project-URL")
    files = re.compile(r"https://github\.com/me/course/(?:blob|raw)/v1\.2\.3/([^#]*)")
    found = [match for place in linked(str(about.get_payload())) if (match := files.match(place))]
    assert len(found) == len(inside) and all((ROOT / match[1]).exists() for match in found)
