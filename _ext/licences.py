"""A page of notices: how to cite, and the licence of everything that the site ships, with its text.

Each file of the site belongs to a `Part` of licences.toml, or the build stops. Versions and texts
are read from what is installed.
"""

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext import publish

PAGE = "notices"
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Part:
    """Something with a licence of its own, and the files of the site that hold it."""

    name: str
    what: str
    licence: Path  # its text
    files: list[str]  # patterns

    @property
    def title(self) -> str:
        if ROOT in self.licence.parents[:1]:
            return self.name
        package = json.loads(self.licence.with_name("package.json").read_text("utf-8"))
        return f"{self.name} {package['version']}"

    @property
    def text(self) -> str:
        return self.licence.read_text("utf-8").strip()


LISTED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
PARTS = [
    Part(one["name"], one["what"], ROOT / one["licence"], one.get("files", LISTED["ours"]))
    for one in LISTED["part"]
]


def unclaimed(site: Path) -> list[str]:
    """The files of a built site that belong to no part."""
    claimed = {file for part in PARTS for pattern in part.files for file in site.glob(pattern)}
    left = {path for path in site.rglob("*") if path.is_file()} - claimed
    return sorted(path.relative_to(site).as_posix() for path in left)


def check(app: Sphinx, exception: Exception | None) -> None:
    """No build ships what nobody gave a licence for."""
    site = Path(app.outdir).parent / "site"
    if exception or app.builder.name != "html" or not site.is_dir():
        return
    if left := unclaimed(site):
        raise ExtensionError(f"{left[0]} has no licence: name its part in _ext/licences.toml")


def bibtex(citation: dict[str, Any], address: str) -> str:
    """The entry that CITATION.cff makes, with a key of its own, and an address if one is known."""
    year = str(citation["date-released"])[:4]
    fields = {
        # within two braces, since this is no person's first and last name
        "author": "{" + " and ".join(author["name"] for author in citation["authors"]) + "}",
        "title": citation["title"],
        "year": year,
        "version": citation["version"],
        "doi": citation.get("doi", ""),
        "url": address or citation.get("url", ""),
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@misc{{ordermatters{year},\n{lines}}}"


def owners(part: Part, built: Path) -> list[str]:
    """What the faces of a part say of whose they are."""
    files = [f for p in part.files if p.endswith(".woff2") for f in built.glob(p)]
    return sorted({" ".join(str(TTFont(f)["name"].getDebugName(0)).split()) for f in files})


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    about = {
        "title": "Licences and notices",
        "entry": bibtex(citation, publish.site_address()),
        "parts": PARTS,
        "owners": lambda part: owners(part, Path(app.outdir)),
    }
    yield PAGE, about, "notices.html"


def setup(app: Sphinx) -> None:
    app.connect("html-collect-pages", pages)
    app.connect("build-finished", check, priority=950)  # after the site was put together
