"""Formulas are typeset while the site is built; a page needs KaTeX's style sheet and fonts only."""

import atexit
import re
import shutil
import socket
import time
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinxcontrib import katex

from pe_lib.course.explorers import _printed

FOLDER = "katex"
# formulas, style and fonts of one version: sphinxcontrib-katex would render with what it brings
KATEX = Path(__file__).resolve().parent.parent / "node_modules" / "katex" / "dist"
_OTHER_FORMATS = re.compile(r",url\([^)]+\) format\(\"(?:woff|truetype)\"\)")


def node() -> str:
    """The node program itself; an ExtensionError where there is none."""
    if found := _printed.node():
        return found
    raise ExtensionError("node is missing: pip install -r requirements.txt brings one")


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


def serve(server: type[katex.KaTeXServer], rundir: Path, timeout: float) -> tuple[Any, Any]:
    """Start the renderer and connect to it, as often as it takes.

    sphinxcontrib-katex tries once, when the socket's file is there. That is a moment before anybody
    listens, so that now and then a build would fail.
    """
    path, until = rundir / "katex.sock", time.monotonic() + timeout
    process = Popen(server.build_command(socket=path), stdin=PIPE, stdout=PIPE, cwd=rundir)
    while time.monotonic() < until:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(path))
            return process, connection
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            time.sleep(0.001)
    process.kill()
    raise server.timeout_error(timeout)


def choose(app: Sphinx, config: Config) -> None:
    """Let the package in node_modules render."""
    if not KATEX.is_dir():
        raise ExtensionError("node_modules/katex is missing: run npm ci")
    config.katex_js_path = str(KATEX / "katex.min.js")


def keep_folder(app: Sphinx, exception: Exception | None) -> None:
    """After an error Sphinx finishes twice; the second clean-up by katex would hide the error."""
    Path(app._katex_static_path).mkdir(exist_ok=True)


def stop(app: Sphinx, exception: Exception | None) -> None:
    """End the renderer with the build: a build that is a fork runs nothing at exit."""
    if server := katex.KaTeXServer.katex_server:
        katex.KaTeXServer.katex_server = None
        atexit.unregister(katex.KaTeXServer.terminate)
        with server.process:  # closes its pipes
            server.terminate()


def setup(app: Sphinx) -> None:
    # Otherwise a formula with a mistake is printed in red and the build goes on.
    katex.KATEX_DEFAULT_OPTIONS["throwOnError"] = True
    katex.NODEJS_BINARY = node()
    katex.KaTeXServer.start_server_process = classmethod(serve)
    app.connect("config-inited", choose)
    app.connect("builder-inited", copy)
    app.connect("build-finished", keep_folder, priority=400)
    app.connect("build-finished", stop, priority=400)
