"""Where else a chapter runs: a line under its head, and the copies that the line leads to.

Only the workflow that publishes the site knows its address and its repository, and says so in the
environment. Where nobody says, there is the download and no other link: none is ever dead.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from _ext import cache, publish
from _ext.downloads import copies
from _ext.markup import render_node

FOLDER = "notebooks"  # of the site
SOURCES = (  # of the copies
    "pe_lib/**/*", "pyproject.toml", "chapters/*.ipynb", "chapters/data/**/*",
    "exercises/**/*.ipynb", "_ext/downloads/*", "LICENSE*",
)  # fmt: skip


@dataclass(frozen=True)
class Public:
    """Addresses of the published course; '' where there is none."""

    site: str = ""  # of the copies, with a slash at the end
    colab: str = ""  # of the same copies in a branch of the repository
    binder: str = ""  # of the repository's own notebooks
    repository: str = ""  # where the course is made, and released


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
    source = f"{server}/{repository}"
    return Public(copied, colab if branch else "", binder if ref else "", source)


def write(app: Sphinx) -> None:
    """The copies that the site offers."""
    root, site = Path(app.srcdir), public().site
    digest = cache.digest(root, SOURCES, site)
    cache.keep(Path(app.outdir, FOLDER), digest, lambda folder: copies.write(root, folder, site))


class Archives(SphinxTransform):
    """A notebook alone would stop at its first cell: a page offers the zip with all it needs."""

    default_priority = 800

    def apply(self, **kwargs: Any) -> None:
        for link in list(self.document.findall(addnodes.download_reference)):
            notebook = PurePosixPath(link["reftarget"])
            if notebook.suffix == ".ipynb":
                name = f"{notebook.stem}{'-solutions' * ('solutions' in notebook.parts)}.zip"
                up = "../" * self.env.docname.count("/")
                new = nodes.reference("", "", *link.children, refuri=f"{up}{FOLDER}/{name}")
                link.replace_self(new)


def link(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the line into a chapter's page, below what the chapter is about and how long it takes."""
    if docname == app.config.root_doc:
        return book(doctree)
    name = docname.split("/")[-1]
    archive = Path(app.outdir, FOLDER, f"{name}.zip")
    if not archive.exists():  # the page is no notebook
        return
    kilobytes = round(archive.stat().st_size / 1000)
    up = "../" * docname.count("/")
    known = public()
    starts = {"Colab": known.colab, "Binder": known.binder}
    line = render_node(
        "downloads/run.html",
        archive=f"{up}{FOLDER}/{archive.name}",
        kilobytes=kilobytes,
        elsewhere={one: f"{start}{quote(name)}.ipynb" for one, start in starts.items() if start},
    )
    section = next(doctree.findall(nodes.section))
    second = [child for child in section.children if isinstance(child, nodes.paragraph)][1]
    section.insert(section.index(second) + 1, line)


def book(doctree: nodes.document) -> None:
    """On the front page: the whole course as files, and where it is made, if that is known."""
    if repository := public().repository:
        line = render_node("downloads/book.html", repository=repository)
        next(doctree.findall(nodes.section)).append(line)


def setup(app: Sphinx) -> None:
    app.add_transform(Archives)
    app.connect("builder-inited", write)
    app.connect("doctree-resolved", link)
