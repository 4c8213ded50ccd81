"""Show the interactive scenes from the folder `scenes` on the front page.

A scene draws itself as a tree of data. The same functions draw the static picture, for paper and
for readers without JavaScript, and the moving picture in the page.
"""

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from _ext.formulas import find_node
from _ext.markup import render_node
from _ext.sources import add_script, bundle_script, import_files, write_module
from _ext.theme import fonts

HERE = Path(__file__).resolve().parent
# the widths of pictures in CSS pixels: on a wide screen, and on a phone with 390 pixels
SIZES = {"wide": 720, "narrow": 358}
HOST = '<figure class="om-scene">'


@cache
def letter_widths() -> dict[str, float]:
    """Return each letter's width in the text font, in ems, so that node can lay out text."""
    (face,) = (f for f in fonts.FACES if f[:3] == ("Text", 400, "normal"))
    modules = HERE.parent.parent / "node_modules" / "@fontsource"
    font = TTFont(modules / face[3] / "files" / face[4])
    advance, names, em = font["hmtx"], font.getBestCmap(), font["head"].unitsPerEm
    return {c: round(advance[names[ord(c)]][0] / em, 3) for c in fonts.PRINTABLE}


def write_widths() -> None:
    """Write the widths of letters as a module, which the scenes import."""
    write_module("widths.mjs", f"export const WIDTHS = {json.dumps(letter_widths())};")


@cache
def print_scenes() -> dict[str, Any]:
    """Return the alternative text, the hints and the still pictures of each scene."""
    write_widths()
    request = json.dumps({"sizes": list(SIZES.values())})
    command = [find_node(), str(HERE / "print.mjs")]
    process = subprocess.run(
        command, input=request, capture_output=True, encoding="utf-8", check=False
    )
    if process.returncode:
        raise ExtensionError(f"the scenes of the front page were not drawn: {process.stderr}")
    scenes: dict[str, Any] = json.loads(process.stdout)
    return scenes


def scenes_script() -> str:
    """Return a classic script with all scenes and the code that animates them."""
    write_widths()
    return bundle_script(import_files(HERE / "main.mjs"))


class SceneDirective(SphinxDirective):
    """A Sphinx directive that inserts the scene with the given name into a page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        scenes = print_scenes()
        if name not in scenes:
            raise self.error(f"scene {name}: expected one of {', '.join(scenes)}")
        scene = scenes[name]
        # A scene that has no hint is a small link, whose size is the same on every screen.
        sizes = [*SIZES] if scene["hint"] else ["door"]
        pictures = zip(sizes, scene["pictures"][-len(sizes) :], strict=True)
        return [render_node("tour/scene.html", name=name, scene=scene, pictures=pictures)]


def setup(app: Sphinx) -> None:
    app.add_directive("scene", SceneDirective)
    add_script(app, HOST, "tour/tour.js", scenes_script)
