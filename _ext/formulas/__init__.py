"""Formulas are typeset while the site is built, by KaTeX in one node process that lasts as long; a
page needs KaTeX's style sheet and fonts only."""

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


def node() -> str:
    """The node program itself; an ExtensionError where there is none."""
    if found := _printed.node():
        return found
    raise ExtensionError("node is missing: pip install -r requirements.txt brings one")


@cache
def typesetter() -> "Popen[str]":
    """The process that typesets: a line of JSON in, a line out."""
    if not KATEX.is_dir():
        raise ExtensionError("node_modules/katex is missing: run npm ci")
    command = [node(), str(Path(__file__).with_name("typeset.cjs")), str(KATEX / "katex.min.js")]
    return Popen(command, stdin=PIPE, stdout=PIPE, encoding="utf-8")


@cache
def typeset(tex: str, display: bool) -> str:
    """A formula as HTML with MathML in it; an ExtensionError for one with a mistake."""
    process = typesetter()
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps([tex, display]) + "\n")
    process.stdin.flush()
    said = json.loads(process.stdout.readline())
    if "error" in said:
        raise ExtensionError(said["error"])
    return str(said["html"])


def stop(app: Sphinx, exception: Exception | None) -> None:
    """End the process with the build: a build that is a fork runs nothing at exit."""
    if typesetter.cache_info().currsize:
        with typesetter() as process:  # closes its pipes, at which it ends
            assert process.stdin
        typesetter.cache_clear()
        typeset.cache_clear()


def visit_math(self: Any, formula: nodes.math) -> None:
    inside = typeset(formula.astext(), display=False)
    self.body += [self.starttag(formula, "span", "", CLASS="math"), inside, "</span>"]
    raise nodes.SkipNode


def visit_math_block(self: Any, formula: nodes.math_block) -> None:
    inside = typeset(formula.astext(), display=True)
    self.body += [self.starttag(formula, "div", CLASS="math"), inside, "</div>"]
    raise nodes.SkipNode


def copy(app: Sphinx) -> None:
    """Put the style sheet, reduced to woff2, and its fonts beside the theme's files."""
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
    app.connect("builder-inited", lambda app: copy(app))
    app.connect("build-finished", stop, priority=400)
