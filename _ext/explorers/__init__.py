"""Add the scripts of explorers to the site, so that explorers run without Python.

Without a kernel, no Python code can start an explorer on a page. The loader does it, and requests
the script of a kind of explorer when the reader comes near the first one of this kind.
"""

from functools import partial

from sphinx.application import Sphinx

from _ext.sources import add_script, add_script_file, write_script
from pe_lib.course import explorers

FOLDER = "explorers"
HOST = 'class="om-explorer"'


def kind_script(kind: str) -> str:
    """Return the script for one kind of explorer, which needs the shared script to run first."""
    return f'(window.omExplorers??={{}})["{kind}"]={explorers.script(kind)};'


def setup(app: Sphinx) -> None:
    """Add the scripts to the site: the pages load the shared script first, and the loader last."""
    add_script(app, HOST, f"{FOLDER}/shared.js", explorers.shared, priority=400)
    for kind in explorers.kinds():
        write_script(app, f"{FOLDER}/{kind}.js", partial(kind_script, kind))
    add_script_file(app, HOST, "explorers/loader.js", priority=900)
