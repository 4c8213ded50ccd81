"""Generate the notices page, which says how to cite the course and prints all licences.

Each file of the site must belong to a `Part` in licences.toml, or the build stops. Versions and
licence texts are read from the installed packages.
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
    """A group of files on the site that share one licence."""

    name: str
    what: str
    licence: Path  # the path of the file with the licence
    files: list[str]  # glob patterns for the files in this part

    @property
    def title(self) -> str:
        """Return the part's name, with its version if it comes from an npm package."""
        if ROOT in self.licence.parents[:1]:
            return self.name
        package = json.loads(self.licence.with_name("package.json").read_text("utf-8"))
        return f"{self.name} {package['version']}"

    @property
    def text(self) -> str:
        """Return the text of this part's licence."""
        return self.licence.read_text("utf-8").strip()


def read_parts(path: Path) -> list[Part]:
    """Return the groups of files that licences.toml lists, with their licences.

    A part without file patterns gets the patterns of the course's own files.
    """
    table = tomllib.loads(path.read_text("utf-8"))
    return [
        Part(part["name"], part["what"], ROOT / part["licence"], part.get("files", table["ours"]))
        for part in table["part"]
    ]


PARTS = read_parts(Path(__file__).with_suffix(".toml"))


def list_unlicensed(site: Path) -> list[str]:
    """List the files of a built site for which licences.toml names no licence."""
    licensed = {file for part in PARTS for pattern in part.files for file in site.glob(pattern)}
    files = {path for path in site.rglob("*") if path.is_file()}
    return sorted(path.relative_to(site).as_posix() for path in files - licensed)


def check_licences(app: Sphinx, exception: Exception | None) -> None:
    """Raise an ExtensionError if the site contains a file without a licence."""
    site = Path(app.outdir).parent / "site"
    if exception or app.builder.name != "html" or not site.is_dir():
        return
    if unlicensed := list_unlicensed(site):
        raise ExtensionError(f"{unlicensed[0]} has no licence: name its part in _ext/licences.toml")


def format_bibtex(citation: dict[str, Any], address: str) -> str:
    """Return CITATION.cff as a BibTeX entry, with the site's address if it is known."""
    year = str(citation["date-released"])[:4]
    fields = {
        # The additional braces keep BibTeX from dividing a name into first and last names.
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
    """List the copyright notices in a group's fonts, without repetitions."""
    fonts = [f for p in part.files if p.endswith(".woff2") for f in built.glob(p)]
    return sorted({" ".join(str(TTFont(f)["name"].getDebugName(0)).split()) for f in fonts})


def list_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the notices page for Sphinx, as its name, its context and its template."""
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
    # Check the site only after _ext.theme has copied all files into it.
    app.connect("build-finished", check_licences, priority=950)
