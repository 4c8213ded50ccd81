"""Typeset formulas at build time, so that pages need only KaTeX's styles and fonts, not its script.

A single Node.js process runs KaTeX for the whole build.
"""

import json
import re
import shutil
from functools import cache
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from pe_lib.course.explorers import _printed

FOLDER = "katex"
KATEX = Path(__file__).resolve().parents[2] / "node_modules" / "katex" / "dist"
_OTHER_FORMATS = re.compile(r",url\([^)]+\) format\(\"(?:woff|truetype)\"\)")


def find_node() -> str:
    """Return the path of the program node, or raise an ExtensionError if it is not installed."""
    if path := _printed.node():
        return path
    raise ExtensionError("node is missing: pip install -r requirements.txt brings one")


@cache
def start_typesetter() -> "Popen[str]":
    """Start node, which reads each formula as a line of JSON and answers with another line."""
    if not KATEX.is_dir():
        raise ExtensionError("node_modules/katex is missing: run npm ci")
    command = [
        find_node(),
        str(Path(__file__).with_name("typeset.cjs")),
        str(KATEX / "katex.min.js"),
    ]
    return Popen(command, stdin=PIPE, stdout=PIPE, encoding="utf-8")


@cache
def typeset(tex: str, display: bool) -> str:
    """Return a formula as HTML and MathML, or raise an ExtensionError with KaTeX's message."""
    process = start_typesetter()
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps([tex, display]) + "\n")
    process.stdin.flush()
    reply = json.loads(process.stdout.readline())
    if "error" in reply:
        raise ExtensionError(reply["error"])
    return str(reply["html"])


def stop_typesetter(app: Sphinx, exception: Exception | None) -> None:
    """Stop node after the build, because a build in a forked process runs no exit handlers."""
    if start_typesetter.cache_info().currsize:
        with start_typesetter() as process:  # node ends by itself when its pipes are closed
            assert process.stdin
        start_typesetter.cache_clear()
        typeset.cache_clear()


def visit_math(self: Any, formula: nodes.math) -> None:
    inside = typeset(formula.astext(), display=False)
    self.body += [self.starttag(formula, "span", "", CLASS="math"), inside, "</span>"]
    raise nodes.SkipNode


def visit_math_block(self: Any, formula: nodes.math_block) -> None:
    inside = typeset(formula.astext(), display=True)
    self.body += [self.starttag(formula, "div", CLASS="math"), inside, "</div>"]
    raise nodes.SkipNode


def copy_style(app: Sphinx) -> None:
    """Copy KaTeX's style sheet and fonts into the site, but only fonts in the format woff2."""
    target = Path(app.outdir, "_static", FOLDER)
    style, replaced = _OTHER_FORMATS.subn("", (KATEX / "katex.min.css").read_text("utf-8"))
    if not replaced or 'format("truetype")' in style:
        raise ExtensionError("KaTeX's style sheet names its fonts in another way than expected")
    shutil.rmtree(target, ignore_errors=True)
    (target / "fonts").mkdir(parents=True)
    (target / "katex.min.css").write_text(style, "utf-8")
    for font in KATEX.glob("fonts/*.woff2"):
        shutil.copy(font, target / "fonts")


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("katex", (visit_math, None), (visit_math_block, None))
    app.connect("builder-inited", copy_style)
    app.connect("build-finished", stop_typesetter, priority=400)
