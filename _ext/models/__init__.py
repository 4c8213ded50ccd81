"""The table of models: each row made of a stored configuration, through `pe_lib.checkpoints`.

The table is Markdown, which the build's own tables are made of; models.js sorts and filters
it on the page.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from _ext.models import columns
from _ext.sources import script_where
from pe_lib.checkpoints import Layer, layers

FOLDER = Path("chapters", "data", "checkpoints")
COLUMNS = [
    "Model", "Year", "Kind", "Positions", "Turned", "Base", "Scaled", "Window", "Trained", "Source",
]  # fmt: skip
UNKNOWN = "–"  # no source says; models.js sorts it as what is empty
SCHEMES = {  # what is looked for in the column of positions, and how the choice is called
    "rotary": "rotary",
    "axes": "rotary, several axes",
    "none": "layers with none",
    "attention": "linear attention beside it",
    "state space": "state space beside it",
    "ALiBi": "ALiBi",
    "buckets": "buckets",
    "learned": "learned table",
    "sinusoidal": "sinusoidal",
    "convolution": "convolution",
}


def load(root: Path) -> list[dict[str, Any]]:
    """The stored configurations, the newest first, then by name."""
    found = [json.loads(path.read_text("utf-8")) for path in (root / FOLDER).glob("*.json")]
    found.sort(key=lambda model: model["model"].lower())
    return sorted(found, key=lambda model: model["released"][:4], reverse=True)


def name(model: dict[str, Any]) -> str:
    """What a link to its row says: its name, in small letters, with hyphens.

    >>> name({"model": "DINOv3 ViT-S/16"})
    'dinov3-vit-s-16'
    """
    return re.sub(r"[^a-z0-9]+", "-", model["model"].lower())


def trained(model: dict[str, Any]) -> int | None:
    """Positions in training: as a source says, or as the file calls original; None if none does."""

    def original(fields: dict[str, Any]) -> int | None:
        inner = [original(field) for field in fields.values() if isinstance(field, dict)]
        return fields.get("original_max_position_embeddings") or next(filter(None, inner), None)

    return model["trained"] or original(model["config"])


def source(model: dict[str, Any]) -> str:
    """What its configuration is, a button that says where it was read."""
    said = model["source"]
    word = next((one for one in ("copy", "defaults") if said.startswith(one)), "program")
    about, label = f"source-{name(model)}", f"{word}: where {model['model']} was read"
    button = f'<button popovertarget="{about}" aria-label="{label}">{word}</button>'
    return f'{button}<span id="{about}" popover>{said}</span>'


def cells(model: dict[str, Any], found: Sequence[Layer]) -> list[str]:
    said, positions = columns.positions(found), trained(model)
    config = model["config"].get("text_config", model["config"])
    return [
        f'<a id="{name(model)}"></a>[{model["model"]}]({model["link"]}) ({model["by"]})',
        model["released"][:4],
        model["kind"],
        f"{said} ({model['note']})" if model["note"] else said,
        columns.turned(found),
        columns.bases(found),
        columns.scalings(found),
        columns.windows(found, config.get("max_position_embeddings")),
        f"{positions:,}" if positions else UNKNOWN,
        source(model),
    ]


def table(models: Sequence[dict[str, Any]]) -> list[str]:
    """Lines of Markdown."""
    lines = [COLUMNS, ["---"] * len(COLUMNS)]
    for model in models:
        try:
            lines.append(cells(model, layers(model["config"])))
        except ValueError as error:
            raise ExtensionError(f"{model['model']}: {error}") from error
    return [f"| {' | '.join(line)} |" for line in lines]


def form(models: Sequence[dict[str, Any]]) -> str:
    kinds = "".join(f"<option>{kind}</option>" for kind in sorted({m["kind"] for m in models}))
    schemes = "".join(f'<option value="{word}">{said}</option>' for word, said in SCHEMES.items())
    return (
        '<form class="om-models-filter" autocomplete="off">'
        '<label>Words or a number <input type="search" name="words"></label>'
        f'<label>Kind <select name="kind"><option value="">all</option>{kinds}</select></label>'
        '<label>Positions <select name="scheme"><option value="">all</option>'
        f"{schemes}</select></label>"
        f'<p><span role="status">{len(models)} models</span>'
        ' <button type="button" hidden>Show all</button></p></form>'
    )


class Models(SphinxDirective):
    """The filter, and the table."""

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        for path in (root / FOLDER).glob("*.json"):
            self.env.note_dependency(str(path))
        models = load(root)
        box = nodes.container(classes=["om-models"])
        box += nodes.raw("", form(models), format="html")
        self.state.nested_parse(StringList(table(models), self.get_source_info()[0]), 0, box)
        return [box]


def setup(app: Sphinx) -> None:
    app.add_directive("models", Models)
    script_where(app, "om-models-filter", "models.js")
