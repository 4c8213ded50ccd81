"""What is done to sources: to notebooks before they are parsed, to scripts as they are shipped."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

# types, which begin with a tag; whole lines, or behind code if no quotation mark makes it doubtful;
# what indents a line
_COMMENT = re.compile(
    r"/\*\*[\s*]+@[\s\S]*?\*/\s*|^[ \t]*//.*\n|[ \t]+// [^\"'`\n]*$|^[ \t]+", re.MULTILINE
)
_EXACT = re.compile(r"(\"[^\"]*\"|'[^']*'|url\([^)]*\))")
_ROOM = re.compile(r"\s*([{};,])\s*|(?<=:)\s+")


def bare(script: str) -> str:
    """A script without comments and indentation, a sixth of what a reader would load.

    >>> bare("// why\\n  f('a // b'); // here\\n")
    "f('a // b');\\n"
    >>> bare("/** @type {Draw} */\\nconst a = /** @type {Node} */ (b);\\n")
    'const a = (b);\\n'
    """
    return _COMMENT.sub("", script)


def tight(style: str) -> str:
    """A style sheet without the room that only people need.

    >>> tight('a, b { color: red; content: "; " }')
    'a,b{color:red;content:"; "}'
    """
    parts = _EXACT.split(style)
    parts[::2] = [_ROOM.sub(lambda found: found[1] or "", part) for part in parts[::2]]
    return "".join(parts)


def script_where(app: Sphinx, mark: str, name: str, priority: int = 500) -> None:
    """Have the pages whose HTML holds `mark` run the script of this name."""

    def add(
        app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: object
    ) -> None:
        if mark in context.get("body", ""):
            app.add_js_file(name, priority=priority, defer="defer")

    app.connect("html-page-context", add)


def own_script(app: Sphinx, mark: str, name: str, text: Callable[[], str]) -> None:
    """Write the script of this `text`, and have the pages whose HTML holds `mark` run it."""

    def write(app: Sphinx) -> None:
        if app.builder.format == "html":
            path = Path(app.outdir, "_static", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(), "utf-8")

    app.connect("builder-inited", write)
    script_where(app, mark, name)


def change_notebooks(app: Sphinx, rewrite: Callable[[str, str], str]) -> None:
    """Have `rewrite` turn the source and the name of every notebook into its new source.

    An ExtensionError that it raises names the page.
    """

    def on_source_read(app: Sphinx, docname: str, source: list[str]) -> None:
        path = Path(app.env.doc2path(docname))
        if path.suffix != ".ipynb":
            return
        try:
            source[0] = rewrite(source[0], path.stem)
        except ExtensionError as error:
            raise ExtensionError(f"{docname}: {error.message}") from error

    app.connect("source-read", on_source_read)
