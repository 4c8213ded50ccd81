"""Move large recordings from a page into scripts, so that a slow network shows the text sooner.

A recording is a long value in the state of an explorer, for example the tables that a model had
while it was trained. Only the explorer reads it, and it starts when the reader comes near it.
"""

import html
import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from _ext.markup import to_json
from _ext.publish import page_stem

FOLDER = "recordings"
LONG = 2000  # a value whose JSON text is longer than this is moved to a script of its own
_STATE = re.compile(
    r'(<div class="om-explorer" id="([\w-]+)" data-kind="[\w-]+" data-state=")([^"]*)"'
)


def separate(state: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split a state into its short values and its long values.

    >>> separate({"row": 7, "recording": "x" * 2000})[0]
    {'row': 7}
    """
    long = {name: value for name, value in state.items() if len(to_json(value)) > LONG}
    return {name: value for name, value in state.items() if name not in long}, long


def move_recordings(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document
) -> None:
    """Write the long values of each explorer's state into a script that the loader requests."""

    def move(match: re.Match[str]) -> str:
        host, name, attribute = match.groups()
        short, long = separate(json.loads(html.unescape(attribute)))
        if not long:
            return match[0]
        file = f"{FOLDER}/{page_stem(page)}-{name}.js"
        path = Path(app.outdir, "_static", file)
        path.parent.mkdir(parents=True, exist_ok=True)
        # this is a script and no JSON file, because pages that are opened from disk cannot fetch
        # files
        path.write_text(
            f'(window.omRecordings ??= {{}})["{name}"] = {to_json(long)};\n', encoding="utf-8"
        )
        return f'{host}{html.escape(to_json(short))}" data-recording="{file}"'

    context["body"] = _STATE.sub(move, context.get("body", ""))


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", move_recordings)
