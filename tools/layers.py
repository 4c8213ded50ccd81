"""Write the data for the explorer of layers, computed from the stored configurations of models.

Run `python -m tools.layers` after a change of a configuration or of `pe_lib.checkpoints`.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.biases import t5_buckets
from pe_lib.checkpoints import Layer, layers
from pe_lib.checkpoints._scaling import SCALINGS
from pe_lib.course.explorers._bundle import HERE

STORED = Path(__file__).resolve().parent.parent / "chapters" / "data" / "checkpoints"
OUTPUT = HERE / "layers" / "layers.json"

# The models in the explorer, by the names of their configuration files.
# If a model has an encoder and a decoder, the explorer shows only the encoder.
MODELS = (
    "gemma-3-1b", "llama-3.1-8b", "mistral-7b-v0.1", "llama-4-scout", "gpt-oss-20b", "deepseek-v3",
    "modernbert-base", "granite-4.0-h-350m", "bloom", "t5-small", "gpt2",
)  # fmt: skip
# readers' names for position schemes
NAMES = {"alibi": "ALiBi", "t5": "T5’s buckets", "learned": "rows learned", "none": "no positions"}


def name_layer(layer: Layer) -> tuple[str, str]:
    """Return the name of a layer's scheme in the explorer, and its name for readers."""
    if layer.kind == "mamba":
        return "recurrent", "Mamba"
    if layer.scheme not in ("rotary", "rotary_axes"):
        return layer.scheme, NAMES[layer.scheme]
    is_partial = layer.turned < layer.width
    share = f"{layer.turned} of {layer.width} entries " if is_partial else ""
    return "rotary", f"{share}turned, base {layer.base:,.0f}"


def find_values(layer: Layer) -> NDArray[np.float64]:
    """Return the numbers that the explorer draws for a layer, such as frequencies or slopes."""
    if layer.slopes is not None:
        return np.sort(np.asarray(layer.slopes, np.float64))[::-1]
    if layer.buckets and layer.max_distance:
        offsets = -np.arange(layer.max_distance + 1)
        buckets = t5_buckets(offsets, layer.buckets, layer.max_distance, layer.two_sided)
        return np.flatnonzero(np.diff(buckets)) + np.float64(1)
    if layer.scheme in ("rotary", "rotary_axes"):
        return layer.frequencies[layer.frequencies > 0]
    return np.zeros(0)


def describe_layer(layer: Layer) -> dict[str, Any]:
    """Return the description of a layer that the explorer uses.

    Values are rounded to seven digits, which is more than a picture shows.
    """
    scheme, name = name_layer(layer)
    is_chunked = layer.kind == "chunked"
    return {
        "scheme": scheme,
        "says": name,
        "window": None if is_chunked else layer.window,
        "chunk": layer.window if is_chunked else None,
        "sides": 1 + layer.two_sided,
        "scaling": SCALINGS[layer.scaling].label if layer.scaling else "",
        "values": [float(f"{value:.7g}") for value in find_values(layer)],
    }


def describe_model(model: dict[str, Any]) -> dict[str, Any]:
    """Return a model's context length, its layers as letters, and the meaning of each letter.

    The letters are in the order of the layers, beginning with the lowest layer.
    """
    config = model["config"].get("text_config", model["config"])
    usual_length = config.get("n_positions", model["trained"])
    stack = layers(model["config"])
    kinds: list[dict[str, Any]] = []
    order = ""
    for layer in stack:
        if layer.part != stack[0].part:
            continue
        kind = describe_layer(layer)
        if kind not in kinds:
            kinds.append(kind)
        order += "ABC"[kinds.index(kind)]
    return {
        "length": config.get("max_position_embeddings", usual_length),
        "order": order,
        "kinds": dict(zip("ABC", kinds, strict=False)),
    }


def models() -> dict[str, dict[str, Any]]:
    """Return the data for the explorer, by the models' names for readers."""
    stored = [json.loads((STORED / f"{name}.json").read_text("utf-8")) for name in MODELS]
    return {model["model"]: describe_model(model) for model in stored}


def main() -> None:
    """Write layers.json, with one line for each model."""
    lines = (f"{json.dumps(name)}: {json.dumps(facts)}" for name, facts in models().items())
    OUTPUT.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")


if __name__ == "__main__":
    main()
