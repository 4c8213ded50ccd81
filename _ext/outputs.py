"""What a notebook's cells published, turned into what a page shows.

The rewriting happens in Sphinx's public `source-read` event, on the notebook's JSON, before MyST-NB
parses it. A MyST-NB renderer plug-in would do as well, but it has to be an entry point of an
installed distribution, and it sees one output at a time: no ids that are unique in the page.
"""

import html
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext import svg
from pe_lib.course.figures import PALETTE

EXPLORER = "application/vnd.order-matters.explorer+json"
FIGURE = "image/svg+xml"


def bundles(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every data bundle in the notebook's outputs."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            if "data" in output:
                yield output["data"]


def text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)


def figure(picture: str) -> str:
    return f'<figure class="om-figure">{picture}</figure>'


def explorer(published: dict[str, Any], picture: str) -> str:
    """The element that the loader fills; until then, and on paper, it holds picture and caption."""
    state = html.escape(json.dumps(published["state"], sort_keys=True), quote=True)
    return (
        f'<div class="om-explorer" data-kind="{html.escape(published["kind"])}"'
        f' data-state="{state}">'
        f'<div class="om-stage"><div class="om-fallback">{picture}'
        f'<p class="om-caption">{html.escape(published["caption"])}</p></div></div></div>'
    )


def rewrite(source: str) -> str:
    """The notebook `source` with its figures and explorers as HTML."""
    notebook = json.loads(source)
    for number, data in enumerate(bundles(notebook), 1):
        if FIGURE not in data:
            if EXPLORER in data:
                raise ExtensionError("an explorer's output holds no static picture")
            continue
        picture = svg.inline(text(data[FIGURE]), f"f{number}-", PALETTE)
        published = data.get(EXPLORER)
        shown = explorer(published, picture) if published else figure(picture)
        data.clear()
        data["text/html"] = shown
    return json.dumps(notebook)


def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
    if Path(app.env.doc2path(docname)).suffix == ".ipynb":
        try:
            source[0] = rewrite(source[0])
        except ExtensionError as error:
            raise ExtensionError(f"{docname}: {error.message}") from error


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", on_source_read)
    # Sphinx keeps parsed pages; they are stale when this code or the palette changes.
    code = b"".join(Path(module.__file__ or "").read_bytes() for module in (svg,))
    code += Path(__file__).read_bytes() + repr(PALETTE).encode()
    return {"env_version": zlib.crc32(code), "parallel_read_safe": True}
