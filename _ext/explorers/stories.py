"""List each story's steps with small pictures, for print and for readers without JavaScript.

Because drawing takes a while, the pictures are kept in `_build/steps` until their code changes.
"""

import html
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from _ext.cache import digest
from _ext.markup import render_template
from pe_lib.course import explorers

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "steps"
_EXPLORER = re.compile(
    r'(?<=<div class="om-explorer" )(id="[\w-]+" data-kind="([\w-]+)" data-state="([^"]*)"[^>]*>.*?'
    r'<p class="om-caption">.*?</p>)',
    re.DOTALL,
)


def list_story(
    kind: str, state: dict[str, Any], picture_address: Callable[[explorers.Explorer], str]
) -> str:
    """Return an HTML list of a story's steps, with the story's task at the end.

    A step that changes nothing has no picture of its own.
    """
    explorer = explorers.of_kind(kind)
    story = explorer.stories.get(state.get("story", ""))
    if not story:
        return ""
    steps: list[dict[str, str]] = []
    before: dict[str, Any] = {}
    for step, values in story.states(state):
        scene = explorer(**values)
        address = picture_address(scene) if values != before else ""
        steps.append({"says": step.says, "picture": address, "alt": scene.caption()})
        before = values
    return render_template("explorers/story.html", steps=steps, task=story.task.says)


def draw(explorer: explorers.Explorer, code: str) -> Path:
    """Return the path of the picture for an explorer's state, after drawing it if necessary.

    `code` is a digest of all files that determine how a picture is drawn.
    """
    folder = ROOT / "_build" / FOLDER
    name = digest(ROOT, (), code, explorer.kind, json.dumps(explorer.state(), sort_keys=True))
    path = folder / f"{name}.svg"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(explorer.svg(), "utf-8")
    return path


def add_stories(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document
) -> None:
    """Add each story's list below its explorer's caption, and copy the pictures to the site."""
    if 'class="om-explorer"' not in context.get("body", ""):
        return
    sources = "pe_lib/course/explorers"
    code = digest(ROOT, ("pe_lib/*.py", "pe_lib/course/*.py", f"{sources}/*.*", f"{sources}/*/*"))
    target = Path(app.outdir, "_static", FOLDER)

    def picture_address(explorer: explorers.Explorer) -> str:
        target.mkdir(parents=True, exist_ok=True)
        path = draw(explorer, code)
        shutil.copyfile(path, target / path.name)
        return str(context["pathto"](f"_static/{FOLDER}/{path.name}", 1))

    def append_story(match: re.Match[str]) -> str:
        state = json.loads(html.unescape(match[3]))
        return match[1] + list_story(match[2], state, picture_address)

    context["body"] = _EXPLORER.sub(append_story, context["body"])


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", add_stories)
