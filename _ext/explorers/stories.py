"""The story of an explorer for paper and for readers without scripts: a list with small pictures.

Drawing them takes a while, so they are kept in `_build/steps` until their code changes.
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
    r'(?<=<div class="om-explorer" )(id="[\w-]+" data-kind="([\w-]+)" data-state="([^"]*)">.*?'
    r'<p class="om-caption">.*?</p>)',
    re.DOTALL,
)


def told(kind: str, state: dict[str, Any], picture: Callable[[explorers.Explorer], str]) -> str:
    """The steps as a list, and the task; `picture(explorer)` is the address of one's picture.

    A step that changes nothing needs no picture of its own.
    """
    explorer = explorers.of_kind(kind)
    story = explorer.stories.get(state.get("story", ""))
    if not story:
        return ""
    steps, before = [], {}
    for step, values in story.states(state):
        shown = explorer(**values)
        source = picture(shown) if values != before else ""
        steps.append({"says": step.says, "picture": source, "alt": shown.caption()})
        before = values
    return render_template("explorers/told.html", steps=steps, task=story.task.says)


def draw(shown: explorers.Explorer, code: str) -> Path:
    """The picture of an explorer as a file, drawn unless it is there."""
    folder = ROOT / "_build" / FOLDER
    name = digest(ROOT, (), code, shown.kind, json.dumps(shown.state(), sort_keys=True))
    path = folder / f"{name}.svg"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(shown.svg(), "utf-8")
    return path


def add(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document
) -> None:
    """Each story below the caption of its explorer; its pictures beside the page's own files."""
    if 'class="om-explorer"' not in context.get("body", ""):
        return
    here = "pe_lib/course/explorers"
    code = digest(ROOT, ("pe_lib/*.py", "pe_lib/course/*.py", f"{here}/*.*", f"{here}/*/*"))
    there = Path(app.outdir, "_static", FOLDER)

    def picture(shown: explorers.Explorer) -> str:
        there.mkdir(parents=True, exist_ok=True)
        path = draw(shown, code)
        shutil.copyfile(path, there / path.name)
        return str(context["pathto"](f"_static/{FOLDER}/{path.name}", 1))

    def below(found: re.Match[str]) -> str:
        state = json.loads(html.unescape(found[3]))
        return found[1] + told(found[2], state, picture)

    context["body"] = _EXPLORER.sub(below, context["body"])


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", add)
