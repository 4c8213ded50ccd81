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

from _ext.markup import render_node, render_template
from _ext.models import columns
from _ext.sources import add_script_file
from pe_lib.checkpoints import Layer, layers

FOLDER = Path("chapters", "data", "checkpoints")
COLUMNS = [
    "Model", "Year", "Kind", "Positions", "Turned", "Base", "Scaled", "Window", "Trained", "Source",
]  # fmt: skip
UNKNOWN = "–"  # no source says; models.js sorts it as what is empty


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
    said = model["source"]
    word = next((one for one in ("copy", "defaults") if said.startswith(one)), "program")
    about = {"name": name(model), "model": model["model"], "word": word, "said": said}
    return render_template("models/source.html", **about)


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


class Models(SphinxDirective):
    """The filter, and the table."""

    def run(self) -> list[nodes.Node]:
        models = load(Path(self.env.srcdir))
        box = nodes.container(classes=["om-models"])
        kinds = sorted({model["kind"] for model in models})
        box += render_node("models/filter.html", kinds=kinds, count=len(models))
        self.state.nested_parse(StringList(table(models), self.get_source_info()[0]), 0, box)
        return [box]


def setup(app: Sphinx) -> None:
    app.add_directive("models", Models)
    add_script_file(app, "om-models-filter", "models/models.js")
