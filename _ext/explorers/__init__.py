"""Explorers without a kernel: each one as a classic script, on the pages that use it."""

import re

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext import sources
from _ext.sources import add_script, add_script_file
from pe_lib.course import explorers

FOLDER = "explorers"
HOST = 'class="om-explorer"'
_DEFAULT = re.compile(r"^export default (.+?);?\s*\Z", re.MULTILINE | re.DOTALL)


def classic(kind: str, module: str) -> str:
    """The ES module as a classic script: from file:// a browser loads no modules.

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
            f"explorer {kind}: a self-contained module with one export default, at the end, is"
            " expected: no import, no other export, no await outside of functions"
        )
    return sources.wrap_script(body)


def shared() -> str:
    return f'"use strict";\n{explorers.shared()}\n'


def setup(app: Sphinx) -> None:
    """What they share comes first; last the loader, which finds what the others registered."""
    add_script(app, HOST, f"{FOLDER}/shared.js", shared, priority=400)
    for kind in explorers.kinds():
        add_script(
            app,
            f'data-kind="{kind}"',
            f"{FOLDER}/{kind}.js",
            lambda kind=kind: classic(kind, explorers.own(kind)),
        )
    add_script_file(app, HOST, "explorers/loader.js", priority=900)
