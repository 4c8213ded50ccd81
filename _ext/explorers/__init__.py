"""Add a classic script for each explorer to the pages that show it, so that it needs no Python.

Without a kernel, no Python code can start an explorer on a page.
"""

import re
from functools import partial

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext import sources
from _ext.sources import add_script, add_script_file
from pe_lib.course import explorers

FOLDER = "explorers"
HOST = 'class="om-explorer"'
_DEFAULT = re.compile(r"^export default (.+?);?\s*\Z", re.MULTILINE | re.DOTALL)


def classic(kind: str, module: str) -> str:
    """Return an ES module as a classic script, which pages opened from disk can load.

    >>> print(classic("dot", "const a = 1;\\nexport default { render };\\n"))
    (() => {
    "use strict";
    const a = 1;
    (window.omExplorers ??= {})["dot"] = { render };
    })();
    <BLANKLINE>
    """
    body, count = _DEFAULT.subn(
        lambda match: f'(window.omExplorers ??= {{}})["{kind}"] = {match[1]};', module
    )
    if count != 1 or re.search(r"^\s*(import|export)\b|^await\b|\bimport\(", body, re.MULTILINE):
        raise ExtensionError(
            f"the module of explorer {kind!r} must have one export default, at its end, and no"
            " import, no other export and no await outside of functions"
        )
    return sources.wrap_script(body)


def shared_script() -> str:
    """Return the script that all explorers on a page share."""
    return f'"use strict";\n{explorers.shared()}\n'


def setup(app: Sphinx) -> None:
    """Add the scripts to the pages: first the shared script, and last the loader."""
    add_script(app, HOST, f"{FOLDER}/shared.js", shared_script, priority=400)
    for kind in explorers.kinds():
        add_script(
            app,
            f'data-kind="{kind}"',
            f"{FOLDER}/{kind}.js",
            partial(lambda kind: classic(kind, explorers.own(kind)), kind),
        )
    add_script_file(app, HOST, "explorers/loader.js", priority=900)
