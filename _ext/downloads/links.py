"""Tell readers on each chapter's page where else they can run the chapter, and write the downloads.

Only the workflow that publishes the website knows the addresses of the website and the repository,
and passes them in environment variables. Without these addresses, a page links only to the
download, so that no link is broken.
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
from _ext.plaintext import read_plain_text
from _ext.reading.opening import NEEDS

FOLDER = "notebooks"  # the name of the site's folder for downloads
SOURCES = (  # if files that match these patterns change, the downloads are built again
    "pe_lib/**/*", "pyproject.toml", "chapters/*.ipynb", "chapters/data/**/*",
    "exercises/**/*.ipynb", "_ext/downloads/*", "LICENSE*",
)  # fmt: skip


@dataclass(frozen=True)
class Public:
    """The addresses of the published course. An address that is unknown is an empty string."""

    site: str = ""  # the address of the folder of downloads, with a slash at the end
    colab: str = ""  # the address of the downloads in a branch of the repository, which Colab opens
    binder: str = ""  # the address at which Binder opens the repository's notebooks
    repository: str = ""  # the address of the course's source code and releases


def public(environment: Mapping[str, str] = os.environ) -> Public:
    """Return the addresses of the published course, which depend on environment variables.

    SITE_URL is the public address of the website; without it, all addresses are empty.
    NOTEBOOKS_BRANCH is the branch to which the copies are pushed, because Colab opens only
    notebooks on GitHub. GitHub sets GITHUB_REPOSITORY, GITHUB_REF_NAME and GITHUB_SERVER_URL in
    every workflow.
    """
    site = publish.site_address(environment)
    if not site:
        return Public()
    downloads = f"{site}{FOLDER}/"
    repository = environment.get("GITHUB_REPOSITORY", "")
    server = environment.get("GITHUB_SERVER_URL", "https://github.com")
    if not repository or server != "https://github.com":
        return Public(downloads)
    branch = quote(environment.get("NOTEBOOKS_BRANCH", ""), safe="")
    ref = quote(environment.get("GITHUB_REF_NAME", ""), safe="")
    colab = f"https://colab.research.google.com/github/{repository}/blob/{branch}/"
    binder = f"https://mybinder.org/v2/gh/{repository}/{ref}?labpath=chapters%2F"
    source = f"{server}/{repository}"
    return Public(downloads, colab if branch else "", binder if ref else "", source)


def write(app: Sphinx) -> None:
    """Write the downloads into the website, if the files from which they are built have changed."""
    root, site = Path(app.srcdir), public().site
    digest = cache.digest(root, SOURCES, site)
    cache.keep(Path(app.outdir, FOLDER), digest, lambda folder: copies.write(root, folder, site))


class Copies(SphinxTransform):
    """Let each link to a notebook lead to a copy of the notebook that installs what it needs."""

    default_priority = 800

    def apply(self, **kwargs: Any) -> None:
        for link in list(self.document.findall(addnodes.download_reference)):
            notebook = PurePosixPath(link["reftarget"])
            if notebook.suffix == ".ipynb":
                parts = notebook.parts
                name = "/".join(parts[parts.index("exercises") :])
                up = "../" * self.env.docname.count("/")
                address = f"{up}{FOLDER}/{name}"
                link.replace_self(nodes.reference("", "", *link.children, refuri=address))


def add_line(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Insert the line about downloads into a page, below what readers need to know before.

    A page that does not say what the reader needs has the line below its second paragraph.
    """
    if docname == app.config.root_doc:
        add_book_line(doctree)
        return
    name = docname.rsplit("/", maxsplit=1)[-1]
    downloads = Path(app.outdir, FOLDER)
    if not (downloads / f"{name}.ipynb").exists():  # this page is not a notebook
        return
    megabytes = (downloads / copies.ARCHIVE).stat().st_size / 1e6
    up = "../" * docname.count("/")
    addresses = public()
    hosts = {"Colab": addresses.colab, "Binder": addresses.binder}
    line = render_node(
        "downloads/run.html",
        archive=f"{up}{FOLDER}/{copies.ARCHIVE}",
        notebook=f"{up}{FOLDER}/{name}.ipynb",
        megabytes=f"{megabytes:.1f}",
        elsewhere={
            host: f"{address}{quote(name)}.ipynb" for host, address in hosts.items() if address
        },
    )
    section = next(doctree.findall(nodes.section))
    paragraphs = [child for child in section.children if isinstance(child, nodes.paragraph)]
    needs = [line for line in paragraphs if read_plain_text(line).startswith(NEEDS)]
    section.insert(section.index((needs or paragraphs[1:])[0]) + 1, line)


def add_book_line(doctree: nodes.document) -> None:
    """Append a line about downloading the course to the front page, if the repository is known."""
    if repository := public().repository:
        line = render_node("downloads/book.html", repository=repository)
        next(doctree.findall(nodes.section)).append(line)


def setup(app: Sphinx) -> None:
    app.add_transform(Copies)
    app.connect("builder-inited", write)
    app.connect("doctree-resolved", add_line)
