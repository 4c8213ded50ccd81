"""Tell search engines and messaging apps the subject and the address of each page.

The public address comes from the environment variable SITE_URL. The publishing workflow sets it,
so a fork gets its own address without editing a file. Without the variable, the build leaves out
everything that needs an address.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

PICTURE = "_static/front.png"  # this picture of the front page also stands in the README


def site_address(environment: Mapping[str, str] = os.environ) -> str:
    """Return the site's public address with a slash at the end, or "" if SITE_URL is not set."""
    address = environment.get("SITE_URL", "").strip()
    if address and not address.startswith(("https://", "http://")):
        raise ExtensionError(f"SITE_URL must begin with https:// or http://, got {address!r}")
    return address.rstrip("/") + "/" if address else ""


def page_path(page_name: str) -> str:
    """Return a page's path relative to the address of the site, or "" for the front page."""
    return "" if page_name == "index" else f"{page_name}.html"


def root_path() -> str:
    """Return the path in the site's address, or "/" if the address is not known."""
    return urlsplit(site_address()).path or "/"


def page_properties(page_name: str, title: str, description: str) -> dict[str, Any]:
    """Return the Open Graph properties and the canonical address of a page, for its template."""
    address = site_address()
    properties = {
        "og:site_name": "Order Matters",
        "og:type": "website",
        "og:title": title,
        "og:description": description,
    }
    if address:
        properties |= {
            "og:url": address + page_path(page_name),
            "og:image": address + PICTURE,
            "og:image:alt": "The front page: a sentence, and the clocks of the word in hand.",
        }
    return {"properties": properties, "canonical": address and address + page_path(page_name)}


def page_stem(page_name: str) -> str:
    """Return the last part of a page's name, after the last slash.

    >>> page_stem("chapters/02-the-formula")
    '02-the-formula'
    """
    return page_name.rsplit("/", maxsplit=1)[-1]


def copy_picture(app: Sphinx, site: Path) -> None:
    """Copy the preview picture for messaging apps into the site, if the site's address is known."""
    if site_address():
        shutil.copy(Path(app.srcdir, ".github", "front.png"), site / PICTURE)
