"""Add the scripts of explorers to the pages that show them, so that explorers run without Python.

Without a kernel, no Python code can start an explorer on a page.
"""

from functools import partial

from sphinx.application import Sphinx

from _ext.sources import add_script, add_script_file
from pe_lib.course import explorers

FOLDER = "explorers"
HOST = 'class="om-explorer"'


def kind_script(kind: str) -> str:
    """Return the script for one kind of explorer, which needs the shared script to run first."""
    return f'(window.omExplorers??={{}})["{kind}"]={explorers.script(kind)};'


def setup(app: Sphinx) -> None:
    """Add the scripts to the pages: first the shared script, and last the loader."""
    add_script(app, HOST, f"{FOLDER}/shared.js", explorers.shared, priority=400)
    for kind in explorers.kinds():
        script = partial(kind_script, kind)
        add_script(app, f'data-kind="{kind}"', f"{FOLDER}/{kind}.js", script)
    add_script_file(app, HOST, "explorers/loader.js", priority=900)
