"""Explorers without a kernel: each one as a classic script, on the pages that use it."""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from _ext.sources import bare
from pe_lib.course import explorers

FOLDER = "explorers"
HOST = re.compile(r'class="om-explorer" id="[\w-]+" data-kind="([\w-]+)"')
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
    return f'(() => {{\n"use strict";\n{body.strip()}\n}})();\n'


def write(app: Sphinx) -> None:
    folder = Path(app.outdir, "_static", FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    scripts = {"shared": f'"use strict";\n{explorers.shared()}\n'}
    scripts |= {kind: classic(kind, explorers.own(kind)) for kind in explorers.kinds()}
    for name, script in scripts.items():
        (folder / f"{name}.js").write_text(bare(script), "utf-8")


def add_scripts(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document
) -> None:
    """What they share comes first; last the loader, which finds what the others registered."""
    used = sorted(set(HOST.findall(context.get("body", ""))))
    if unknown := set(used) - set(explorers.kinds()):
        raise ExtensionError(f"{pagename} uses explorers that pe_lib lacks: {sorted(unknown)}")
    for kind in used:
        app.add_js_file(f"{FOLDER}/{kind}.js", defer="defer")
    if used:
        app.add_js_file(f"{FOLDER}/shared.js", priority=400, defer="defer")
        app.add_js_file("loader.js", priority=900, defer="defer")


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", write)
    app.connect("html-page-context", add_scripts)
