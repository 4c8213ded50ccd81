"""Change notebooks before Sphinx parses them, and scripts and styles before they are written."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.javascript import strip_comments

_LITERAL = re.compile(r"(\"[^\"]*\"|'[^']*'|url\([^)]*\))")
_SPACE = re.compile(r"\s*([{};,])\s*|(?<=:)\s+")


def wrap_script(*parts: str) -> str:
    """Join modules without imports or exports into one classic script.

    Browsers do not load modules on a page that is opened from disk.

    >>> wrap_script("const a = 1;")
    '(() => {\\n"use strict";\\nconst a = 1;\\n})();\\n'
    """
    body = "\n".join(parts).strip()
    return f'(() => {{\n"use strict";\n{body}\n}})();\n'


def shorten_style(style: str) -> str:
    """Return a style sheet without the white space that has no effect.

    >>> shorten_style('a, b { color: red; content: "; " }')
    'a,b{color:red;content:"; "}'
    """
    parts = _LITERAL.split(style)  # every second part is a literal, which must not change
    parts[::2] = [_SPACE.sub(lambda space: space[1] or "", part) for part in parts[::2]]
    return "".join(parts)


def add_script(
    app: Sphinx, pattern: str, name: str, make_text: Callable[[], str], priority: int = 500
) -> None:
    """Add a script to the site as `name`, and load it on pages whose HTML matches `pattern`.

    `make_text` is called when the build begins, and the comments of the script are removed.
    """

    def write(app: Sphinx) -> None:
        if app.builder.format == "html":
            path = Path(app.outdir, "_static", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(strip_comments(make_text()), "utf-8")

    def load(
        app: Sphinx, page_name: str, template: str, context: dict[str, Any], doctree: object
    ) -> None:
        if re.search(pattern, context.get("body", "")):
            app.add_js_file(name, priority=priority, defer="defer")

    app.connect("builder-inited", write)
    app.connect("html-page-context", load)


def add_script_file(app: Sphinx, pattern: str, file: str, priority: int = 500) -> None:
    """Add a script file from `_ext`, and load it on pages whose HTML matches `pattern`."""
    path = Path(__file__).parent / file
    add_script(app, pattern, path.name, lambda: path.read_text("utf-8"), priority)


def rewrite_notebooks(app: Sphinx, rewrite: Callable[[dict[str, Any], str], None]) -> None:
    """Call `rewrite` with the JSON and the name of each notebook before MyST-NB parses it.

    `rewrite` changes the notebook in place. The page's name is added to an ExtensionError.
    """

    def on_source_read(app: Sphinx, page_name: str, source: list[str]) -> None:
        path = Path(app.env.doc2path(page_name))
        if path.suffix != ".ipynb":
            return
        notebook = json.loads(source[0])
        try:
            rewrite(notebook, path.stem)
        except ExtensionError as error:
            raise ExtensionError(f"{page_name}: {error.message}") from error
        source[0] = json.dumps(notebook)

    app.connect("source-read", on_source_read)


def insert_cell(notebook: dict[str, Any], before: str, markdown: str) -> None:
    """Insert a Markdown cell above the first heading that starts with the text `before`.

    If the heading is in the middle of a cell, the cell is split. If no heading matches, the cell
    is appended at the end.
    """
    cells = notebook["cells"]
    count = len(cells)  # the number of cells grows with each insertion, so no two ids are equal
    new = {"cell_type": "markdown", "id": f"inserted-{count}", "metadata": {}, "source": markdown}
    for index, cell in enumerate(cells):
        above, heading, below = f"\n{''.join(cell['source'])}".partition(f"\n{before}")
        if heading and cell["cell_type"] == "markdown":
            upper = [cell | {"id": f"above-{count}", "source": above}] if above.strip() else []
            cells[index : index + 1] = [*upper, new, cell | {"source": before + below}]
            return
    cells.append(new)
