"""Change notebooks before Sphinx parses them, and scripts and styles before they are written."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from pe_lib.course import explorers

# Modules of the site that the build generates are in this folder. Other modules import them as
# "#generated/NAME", which package.json maps to this folder for node and esbuild.
GENERATED = Path(__file__).resolve().parents[1] / "_build" / "generated"


def run_esbuild(text: str, *options: str) -> str:
    """Return the output of esbuild, or raise ExtensionError with its message."""
    try:
        return explorers.esbuild(text, *options)
    except RuntimeError as error:
        raise ExtensionError(str(error)) from error


def bundle_script(module: str) -> str:
    """Return a module, given as text, with all that it imports, as one classic script.

    Browsers do not load modules on a page that is opened from disk.

    >>> print(bundle_script("const slashes = /a [ // ]b/; window.found = slashes; // a comment"))
    "use strict";
    (()=>{var s=/a [ // ]b/;window.found=s;})();
    """
    return run_esbuild(module, "--bundle", "--format=iife")


def import_files(*files: Path) -> str:
    """Return the text of a module that runs several scripts or modules, one after the other."""
    return "".join(f'import "{file.as_posix()}";' for file in files)


def shorten_style(style: str) -> str:
    """Return a style sheet without comments and white space.

    >>> shorten_style('a, b { color: red; content: "; " } /* c */')
    'a,b{color:red;content:"; "}'
    """
    return run_esbuild(style, "--loader=css")


def write_module(name: str, text: str) -> None:
    """Write a generated module, which other modules import as "#generated/NAME"."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    # several tests that run at the same time may write and read this file
    draft = GENERATED / f"{name}.{os.getpid()}"
    draft.write_text(f"// @ts-nocheck\n{text}\n", "utf-8")
    draft.replace(GENERATED / name)


def write_script(app: Sphinx, name: str, make_script: Callable[[], str]) -> None:
    """Add a script to the site as `name`, which no page loads unless another script requests it.

    `make_script` is called when the build begins, and returns a classic script.
    """

    def write(app: Sphinx) -> None:
        if app.builder.format == "html":
            path = Path(app.outdir, "_static", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{make_script()}\n", "utf-8")

    app.connect("builder-inited", write)


def add_script(
    app: Sphinx, pattern: str, name: str, make_script: Callable[[], str], priority: int = 500
) -> None:
    """Add a script to the site as `name`, and load it on pages whose HTML matches `pattern`.

    `make_script` is called as `write_script` says.
    """

    def load(
        app: Sphinx, page_name: str, template: str, context: dict[str, Any], doctree: object
    ) -> None:
        if re.search(pattern, context.get("body", "")):
            app.add_js_file(name, priority=priority, defer="defer")

    write_script(app, name, make_script)
    app.connect("html-page-context", load)


def add_script_file(app: Sphinx, pattern: str, file: str, priority: int = 500) -> None:
    """Add a script file from `_ext`, and load it on pages whose HTML matches `pattern`."""
    path = Path(__file__).resolve().parent / file
    add_script(app, pattern, path.name, lambda: bundle_script(import_files(path)), priority)


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
    # the number of cells is different for each inserted cell, so that each id is unique
    count = len(cells)
    new = {"cell_type": "markdown", "id": f"inserted-{count}", "metadata": {}, "source": markdown}
    for index, cell in enumerate(cells):
        above, heading, below = f"\n{''.join(cell['source'])}".partition(f"\n{before}")
        if heading and cell["cell_type"] == "markdown":
            upper = [cell | {"id": f"above-{count}", "source": above}] if above.strip() else []
            cells[index : index + 1] = [*upper, new, cell | {"source": before + below}]
            return
    cells.append(new)
