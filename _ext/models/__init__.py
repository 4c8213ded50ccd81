"""Build the table of models, with one row for each configuration that `pe_lib.checkpoints` reads.

The table is written in Markdown, so that it looks like all other tables. On the page, models.js
sorts and filters it.
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
# the table shows this text if no source gives a value, and models.js sorts it like an empty cell
UNKNOWN = "–"


def load(root: Path) -> list[dict[str, Any]]:
    """Return the stored configurations of models, sorted by year (newest first) and by name."""
    models = [json.loads(path.read_text("utf-8")) for path in (root / FOLDER).glob("*.json")]
    models.sort(key=lambda model: model["model"].lower())
    return sorted(models, key=lambda model: model["released"][:4], reverse=True)


def make_anchor(model: dict[str, Any]) -> str:
    """Return the anchor of a model's row, which is its name in lower case with hyphens.

    >>> make_anchor({"model": "DINOv3 ViT-S/16"})
    'dinov3-vit-s-16'
    """
    return re.sub(r"[^a-z0-9]+", "-", model["model"].lower())


def find_trained_length(model: dict[str, Any]) -> int | None:
    """Return the length of the texts in the model's training, or None if no source gives it.

    The number comes from a cited source, or from the length that the configuration calls original.
    """

    def find_original_length(fields: dict[str, Any]) -> int | None:
        length = fields.get("original_max_position_embeddings")
        inner = [
            find_original_length(field) for field in fields.values() if isinstance(field, dict)
        ]
        return length or next(filter(None, inner), None)

    return model["trained"] or find_original_length(model["config"])


def fill_source(model: dict[str, Any]) -> str:
    """Return an HTML button with the type of a configuration's source, and the source's details."""
    text = model["source"]
    word = next((word for word in ("copy", "defaults") if text.startswith(word)), "program")
    values = {"name": make_anchor(model), "model": model["model"], "word": word, "text": text}
    return render_template("models/source.html", **values)


def make_cells(model: dict[str, Any], stack: Sequence[Layer]) -> list[str]:
    """Return the cells of a model's row, one for each of `COLUMNS`."""
    scheme, trained_length = columns.positions(stack), find_trained_length(model)
    config = model["config"].get("text_config", model["config"])
    return [
        f'<a id="{make_anchor(model)}"></a>[{model["model"]}]({model["link"]}) ({model["by"]})',
        model["released"][:4],
        model["kind"],
        f"{scheme} ({model['note']})" if model["note"] else scheme,
        columns.rotated_entries(stack),
        columns.bases(stack),
        columns.scalings(stack),
        columns.windows(stack, config.get("max_position_embeddings")),
        f"{trained_length:,}" if trained_length else UNKNOWN,
        fill_source(model),
    ]


def table(models: Sequence[dict[str, Any]]) -> list[str]:
    """Return the lines of a Markdown table that has a row for each model."""
    rows = [COLUMNS, ["---"] * len(COLUMNS)]
    for model in models:
        try:
            rows.append(make_cells(model, layers(model["config"])))
        except ValueError as error:
            raise ExtensionError(
                f"The configuration of {model['model']} cannot be read: {error}"
            ) from error
    return [f"| {' | '.join(row)} |" for row in rows]


class Models(SphinxDirective):
    """A Sphinx directive that adds the table of models, and a form to filter it, to a page."""

    def run(self) -> list[nodes.Node]:
        models = load(Path(self.env.srcdir))
        box = nodes.container(classes=["om-models"])
        kinds = sorted({model["kind"] for model in models})
        box += render_node("models/filter.html", kinds=kinds, count=len(models))
        self.state.nested_parse(StringList(table(models), self.get_source_info()[0]), 0, box)
        return [box]


def setup(app: Sphinx) -> None:
    """Register the directive and its script with Sphinx."""
    app.add_directive("models", Models)
    add_script_file(app, "om-models-filter", "models/models.js")
