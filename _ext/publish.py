"""What lets a site be found and shown elsewhere: addresses, and a card for each page.

The public address comes from the environment variable SITE_URL, which the publishing workflow sets,
so that a fork is right without a change. Without it, nothing that needs an address is written.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import Any
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from matplotlib.figure import Figure
from matplotlib.patches import Circle
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.theme.colours import DARK

CARDS = "_static/cards"


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
            "og:image": f"{address}{CARDS}/{stem(pagename)}.png",
            "og:image:width": "1200",
            "og:image:height": "630",
            "og:image:alt": f"{title}. Order Matters: positional encoding in Transformers.",
        }
    return {"said": properties, "canonical": address and address + path_of(pagename)}


def stem(pagename: str) -> str:
    return pagename.split("/")[-1]


def card(title: str, file: Path) -> None:
    """The picture of a page that messengers show: 1200 by 630 pixels, its title and the clocks."""
    fig = Figure(figsize=(12, 6.3), dpi=100, facecolor=DARK["paper"])
    ax = fig.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, 12), ylim=(0, 6.3), aspect="equal")
    ax.axis("off")
    clocks = [(0.84, 0.54, "blue"), (0.48, 0.88, "orange"), (0.16, 0.99, "green")]
    for x, (right, up, colour) in zip((1.5, 3.25, 5), clocks, strict=True):
        ax.add_patch(Circle((x, 4.8), 0.7, fill=False, edgecolor=DARK["muted"], linewidth=4))
        ax.plot([x, x + 0.62 * right], [4.8, 4.8 + 0.62 * up], color=DARK[colour], linewidth=7)
    ax.text(0.8, 3.35, fill(title, 30), size=42, color=DARK["ink"], weight="bold", va="top")
    told = "Order Matters: positional encoding in Transformers, made executable"
    ax.text(0.8, 0.55, told, size=20, color=DARK["muted"])
    file.parent.mkdir(parents=True, exist_ok=True)
    fig.savefig(file, bbox_inches=fig.bbox_inches)  # not cut to what is drawn


def sitemap(pages: list[str], address: str) -> str:
    """sitemap.xml: every page that is to be found."""
    urls = "".join(f"<url><loc>{escape(address + path_of(page))}</loc></url>\n" for page in pages)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n'
    )


def write(app: Sphinx, site: Path) -> None:
    """The files that only a published site has: sitemap, robots.txt, and a card for each page."""
    if not (address := site_address()):
        return
    pages = sorted(app.env.found_docs)
    (site / "sitemap.xml").write_text(sitemap(pages, address), "utf-8")
    (site / "robots.txt").write_text(f"User-agent: *\nSitemap: {address}sitemap.xml\n", "utf-8")
    for page in pages:
        card(app.env.titles[page].astext(), site / CARDS / f"{stem(page)}.png")
