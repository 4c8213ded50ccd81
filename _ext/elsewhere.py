"""Where else a chapter runs: a line under its head, and the copies that the line leads to.

Only the workflow that publishes the site knows its address and its repository, and says so in the
environment. Where nobody says, there is the download and no other link: none is ever dead.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sphinx.application import Sphinx

from _ext import copies, publish
from _ext.page import Page

FOLDER = "notebooks"  # of the site


@dataclass(frozen=True)
class Public:
    """Addresses of the published course; '' where there is none."""

    site: str = ""  # of the copies, with a slash at the end
    colab: str = ""  # of the same copies in a branch of the repository
    binder: str = ""  # of the repository's own notebooks


def public(environment: Mapping[str, str] = os.environ) -> Public:
    """The addresses that the environment tells.

    SITE_URL: the site's public address; without it nothing is published. NOTEBOOKS_BRANCH: the
    branch into which the copies are pushed; Colab opens nothing but notebooks on GitHub.
    GITHUB_REPOSITORY, GITHUB_REF_NAME, GITHUB_SERVER_URL: what GitHub tells every workflow.
    """
    site = publish.site_address(environment)
    if not site:
        return Public()
    copied = f"{site}{FOLDER}/"
    repository = environment.get("GITHUB_REPOSITORY", "")
    server = environment.get("GITHUB_SERVER_URL", "https://github.com")
    if not repository or server != "https://github.com":
        return Public(copied)
    branch = quote(environment.get("NOTEBOOKS_BRANCH", ""), safe="")
    ref = quote(environment.get("GITHUB_REF_NAME", ""), safe="")
    colab = f"https://colab.research.google.com/github/{repository}/blob/{branch}/"
    binder = f"https://mybinder.org/v2/gh/{repository}/{ref}?labpath=chapters%2F"
    return Public(copied, colab if branch else "", binder if ref else "")


def write(app: Sphinx, draft: Path) -> None:
    """The copies that the site offers; the notebooks that a page offers by itself become copies."""
    root, site = Path(app.srcdir), public().site
    wheels = copies.write(root, draft / FOLDER, site)
    for source, (_, place) in app.env.dlfiles.items():
        if source.endswith(".ipynb"):
            text = copies.copy(root / source, copies.install(wheels, site, []))
            target = draft / "_downloads" / place
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8")


def link(page: Page, draft: Path) -> None:
    """Put the line into a chapter's page, below what the chapter is about and how long it takes."""
    name = page.source.stem
    archive = draft / FOLDER / f"{name}.zip"
    if not archive.exists():  # the page is no notebook
        return
    line = page.new("p", **{"class": "om-run"})
    line.append("Run this chapter: ")
    kilobytes = round(archive.stat().st_size / 1000)
    address = f"{page.up}{FOLDER}/{archive.name}"
    line.append(page.new("a", href=address, string=f"download, {kilobytes} kB"))
    known = public()
    for label, start in (("Colab", known.colab), ("Binder", known.binder)):
        if start:
            line.append(" · ")
            line.append(page.new("a", href=f"{start}{quote(name)}.ipynb", string=label))
    page.one("article.bd-article > section > h1 + p + p").insert_after(line)
    # the theme offers the notebook as it lies in the repository
    page.one("a.btn-download-source-button")["href"] = f"{page.up}{FOLDER}/{name}.ipynb"
