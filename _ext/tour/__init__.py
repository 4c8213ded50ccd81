"""The front page's scenes: pictures that answer a finger, each from one file in `scenes/`.

A scene draws itself as data, so that the picture in the page, on paper and without scripts is
printed by the same functions that move it later.
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

from _ext.formulas import node
from _ext.markup import raw
from _ext.sources import classic, own_script
from _ext.theme import fonts
from pe_lib.course import explorers

HERE = Path(__file__).resolve().parent
SIZES = {"wide": 720, "narrow": 358}  # --om-wide, and a phone of 390 px without its gutters
HOST = '<figure class="om-scene">'


@cache
def widths() -> dict[str, float]:
    """How wide each letter of the text's face is, in ems: words are set without a page."""
    (face,) = (f for f in fonts.FACES if f[:3] == ("Text", 400, "normal"))
    modules = HERE.parent.parent / "node_modules" / "@fontsource"
    font = TTFont(modules / face[3] / "files" / face[4])
    advance, names, em = font["hmtx"], font.getBestCmap(), font["head"].unitsPerEm
    return {c: round(advance[names[ord(c)]][0] / em, 3) for c in fonts.PRINTABLE}


@cache
def printed() -> dict[str, Any]:
    """Each scene as it is at first: its sentence for who can't see it, its hint, its pictures."""
    given = json.dumps({"widths": widths(), "sizes": list(SIZES.values())})
    done = subprocess.run(
        [node(), str(HERE / "print.mjs")], input=given, capture_output=True, encoding="utf-8"
    )
    if done.returncode:
        raise ExtensionError(f"the scenes were not drawn: {done.stderr}")
    scenes: dict[str, Any] = json.loads(done.stdout)
    return scenes


def script() -> str:
    """The scenes and what moves them, as one classic script."""
    made = explorers.script(HERE / "main.mjs")
    return classic(f"const WIDTHS = {json.dumps(widths())};", made)


class SceneDirective(SphinxDirective):
    """The scene of this name."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in printed():
            raise self.error(f"scene {name}: expected one of {', '.join(printed())}")
        scene = printed()[name]
        # a door is small on a wide page, too, and explains itself
        sizes = [*SIZES] if scene["hint"] else ["door"]
        pictures = zip(sizes, scene["pictures"][-len(sizes) :], strict=True)
        return [raw("tour/scene.html", name=name, scene=scene, pictures=pictures)]


def setup(app: Sphinx) -> None:
    app.add_directive("scene", SceneDirective)
    own_script(app, HOST, "tour/tour.js", script)
