"""What lets a site be found and shown elsewhere: addresses, and a picture.

The public address comes from the environment variable SITE_URL, which the publishing workflow sets,
so that a fork is right without a change. Without it, nothing that needs an address is written.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

PICTURE = "_static/front.png"  # the README's, of the front page


def site_address(environment: Mapping[str, str] = os.environ) -> str:
    """The public address with a slash at the end, or nothing if it is not known."""
    address = environment.get("SITE_URL", "").strip()
    if address and not address.startswith(("https://", "http://")):
        raise ExtensionError(f"SITE_URL must begin with https:// or http://, got {address!r}")
    return address.rstrip("/") + "/" if address else ""


def path_of(pagename: str) -> str:
    """Where the page lies under the site's address; the front page is the address itself."""
    return "" if pagename == "index" else f"{pagename}.html"


def root() -> str:
    """Where the site lies on its host; where nobody knows, at the host's root."""
    return urlsplit(site_address()).path or "/"


def said(pagename: str, title: str, description: str) -> dict[str, Any]:
    """What a search engine and a messenger ask for: title, description, picture, one address."""
    address = site_address()
    properties = {
        "og:site_name": "Order Matters",
        "og:type": "website",
        "og:title": title,
        "og:description": description,
    }
    if address:
        properties |= {
            "og:url": address + path_of(pagename),
            "og:image": address + PICTURE,
            "og:image:alt": "The front page: a sentence, and the clocks of the word in hand.",
        }
    return {"said": properties, "canonical": address and address + path_of(pagename)}


def stem(pagename: str) -> str:
    return pagename.split("/")[-1]


def write(app: Sphinx, site: Path) -> None:
    """The picture, which only a published site has."""
    if site_address():
        shutil.copy(Path(app.srcdir, ".github", "front.png"), site / PICTURE)
