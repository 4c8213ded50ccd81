"""Make the page of notices: how to cite the course, and the licence of everything it ships.

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
    """A part of the site with a licence of its own."""

    name: str
    what: str
    licence: Path  # the file with its text
    files: list[str]  # patterns of the files that belong to it

    @property
    def title(self) -> str:
        """The name, with the version if the part is a package."""
        if ROOT in self.licence.parents[:1]:
            return self.name
        package = json.loads(self.licence.with_name("package.json").read_text("utf-8"))
        return f"{self.name} {package['version']}"

    @property
    def text(self) -> str:
        """The licence's text."""
        return self.licence.read_text("utf-8").strip()


def read_parts(path: Path) -> list[Part]:
    """Read the parts from licences.toml; one that names no files gets those of our own."""
    table = tomllib.loads(path.read_text("utf-8"))
    return [
        Part(part["name"], part["what"], ROOT / part["licence"], part.get("files", table["ours"]))
        for part in table["part"]
    ]


PARTS = read_parts(Path(__file__).with_suffix(".toml"))


def list_unlicensed(site: Path) -> list[str]:
    """List the files of a built site that belong to no part."""
    licensed = {file for part in PARTS for pattern in part.files for file in site.glob(pattern)}
    files = {path for path in site.rglob("*") if path.is_file()}
    return sorted(path.relative_to(site).as_posix() for path in files - licensed)


def check_licences(app: Sphinx, exception: Exception | None) -> None:
    """Raise an ExtensionError if the site ships a file that has no licence."""
    site = Path(app.outdir).parent / "site"
    if exception or app.builder.name != "html" or not site.is_dir():
        return
    if unlicensed := list_unlicensed(site):
        raise ExtensionError(f"{unlicensed[0]} has no licence: name its part in _ext/licences.toml")


def format_bibtex(citation: dict[str, Any], address: str) -> str:
    """Return CITATION.cff as a BibTeX entry; the key is ours, and the address may be empty."""
    year = str(citation["date-released"])[:4]
    fields = {
        # BibTeX would take a name in single braces apart, into first and last names
        "author": "{" + " and ".join(author["name"] for author in citation["authors"]) + "}",
        "title": citation["title"],
        "year": year,
        "version": citation["version"],
        "doi": citation.get("doi", ""),
        "url": address or citation.get("url", ""),
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@misc{{ordermatters{year},\n{lines}}}"


def list_owners(part: Part, built: Path) -> list[str]:
    """List the copyright lines that the fonts of a part hold."""
    fonts = [f for p in part.files if p.endswith(".woff2") for f in built.glob(p)]
    return sorted({" ".join(str(TTFont(f)["name"].getDebugName(0)).split()) for f in fonts})


def list_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the page as Sphinx expects it: its name, its values and its template."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    values = {
        "title": "Licences and notices",
        "entry": format_bibtex(citation, publish.site_address()),
        "parts": PARTS,
        "owners": lambda part: list_owners(part, Path(app.outdir)),
    }
    yield PAGE, values, "notices.html"


def setup(app: Sphinx) -> None:
    app.connect("html-collect-pages", list_pages)
    app.connect("build-finished", check_licences, priority=950)  # after _ext.theme wrote the site
