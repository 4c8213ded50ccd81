"""What is done to sources: to notebooks before they are parsed, to scripts as they are shipped."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.javascript import strip_comments

_EXACT = re.compile(r"(\"[^\"]*\"|'[^']*'|url\([^)]*\))")
_ROOM = re.compile(r"\s*([{};,])\s*|(?<=:)\s+")


def classic(*parts: str) -> str:
    """Modules without imports and exports as one script: from file:// a browser loads no modules.

    >>> classic("const a = 1;")
    '(() => {\\n"use strict";\\nconst a = 1;\\n})();\\n'
    """
    inside = "\n".join(parts).strip()
    return f'(() => {{\n"use strict";\n{inside}\n}})();\n'


def tight(style: str) -> str:
    """A style sheet without the room that only people need.

    >>> tight('a, b { color: red; content: "; " }')
    'a,b{color:red;content:"; "}'
    """
    parts = _EXACT.split(style)
    parts[::2] = [_ROOM.sub(lambda found: found[1] or "", part) for part in parts[::2]]
    return "".join(parts)


def own_script(
    app: Sphinx, mark: str, name: str, text: Callable[[], str], priority: int = 500
) -> None:
    """Write the script of this `text`, bare, and have the pages run it whose HTML has a `mark`."""

    def write(app: Sphinx) -> None:
        if app.builder.format == "html":
            path = Path(app.outdir, "_static", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(strip_comments(text()), "utf-8")

    def add(
        app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: object
    ) -> None:
        if re.search(mark, context.get("body", "")):
            app.add_js_file(name, priority=priority, defer="defer")

    app.connect("builder-inited", write)
    app.connect("html-page-context", add)


def own_file(app: Sphinx, mark: str, file: str, priority: int = 500) -> None:
    """The same with a script that stands in `_ext`."""
    path = Path(__file__).parent / file
    own_script(app, mark, path.name, lambda: path.read_text("utf-8"), priority)


def change_notebooks(app: Sphinx, rewrite: Callable[[dict[str, Any], str], None]) -> None:
    """Have `rewrite` change every notebook, as its JSON says, before it is parsed; told its name.

    An ExtensionError that it raises names the page.
    """

    def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
        path = Path(app.env.doc2path(docname))
        if path.suffix != ".ipynb":
            return
        notebook = json.loads(source[0])
        try:
            rewrite(notebook, path.stem)
        except ExtensionError as error:
            raise ExtensionError(f"{docname}: {error.message}") from error
        source[0] = json.dumps(notebook)

    app.connect("source-read", on_source_read)


def insert(notebook: dict[str, Any], before: str, markdown: str) -> None:
    """Put a cell into a notebook, above its first heading that begins so, or at the end."""
    cells = notebook["cells"]
    number = len(cells)  # which grows with each cell, so that no id comes twice
    new = {"cell_type": "markdown", "id": f"inserted-{number}", "metadata": {}, "source": markdown}
    for place, cell in enumerate(cells):
        above, found, below = f"\n{''.join(cell['source'])}".partition(f"\n{before}")
        if found and cell["cell_type"] == "markdown":
            lead = [cell | {"id": f"above-{number}", "source": above}] if above.strip() else []
            cells[place : place + 1] = [*lead, new, cell | {"source": before + below}]
            return
    cells.append(new)
