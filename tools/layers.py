"""Makes what the explorer of layers knows of its models, from the configurations that are stored.

Run it after a change of one of them, or of `pe_lib.checkpoints`: `python -m tools.layers`.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from pe_lib.biases import t5_buckets
from pe_lib.checkpoints import Layer, layers
from pe_lib.course.explorers._bundle import HERE

STORED = Path(__file__).resolve().parent.parent / "chapters" / "data" / "checkpoints"
MADE = HERE / "layers" / "layers.json"

# The models that are shown, by the name of their file; of two halves the encoder is
SHOWN = (
    "gemma-3-1b", "llama-3.1-8b", "mistral-7b-v0.1", "llama-4-scout", "gpt-oss-20b", "deepseek-v3",
    "modernbert-base", "granite-4.0-h-350m", "bloom", "t5-small", "gpt2",
)  # fmt: skip
# as a reader knows them
SAYS = {"alibi": "ALiBi", "t5": "T5’s buckets", "learned": "rows learned", "none": "no positions"}
SCALINGS = {"default": "", "yarn": "YaRN"}


def kind(layer: Layer) -> dict[str, Any]:
    """What the explorer shows of a layer; seven digits are more than a picture shows."""
    scheme: str
    values: np.ndarray[Any, np.dtype[np.floating[Any]]]
    scheme, chunked, values = layer.scheme, layer.kind == "chunked", np.zeros(0)
    if layer.kind == "mamba":
        scheme, says = "recurrent", "Mamba"
    elif scheme in ("rotary", "rotary_axes"):
        of = f"{layer.turned} of {layer.width} entries " * (layer.turned < layer.width)
        scheme, says = "rotary", f"{of}turned, base {layer.base:,.0f}"
        values = layer.frequencies[layer.frequencies > 0]
    else:
        says = SAYS[scheme]
    if layer.slopes is not None:
        values = np.sort(layer.slopes)[::-1]
    elif layer.buckets and layer.max_distance:
        back = -np.arange(layer.max_distance + 1)
        found = t5_buckets(back, layer.buckets, layer.max_distance, layer.two_sided)
        values = np.flatnonzero(np.diff(found)) + 1.0
    return {
        "scheme": scheme,
        "says": says,
        "window": None if chunked else layer.window,
        "chunk": layer.window if chunked else None,
        "sides": 1 + layer.two_sided,
        "scaling": SCALINGS.get(layer.scaling, layer.scaling),
        "values": [float(f"{value:.7g}") for value in values],
    }


def model(stored: dict[str, Any]) -> dict[str, Any]:
    """Its length, its layers from below as letters, and what each letter stands for."""
    text = stored["config"].get("text_config", stored["config"])
    length = text.get("max_position_embeddings", text.get("n_positions", stored["trained"]))
    stack = layers(stored["config"])
    kinds: list[dict[str, Any]] = []
    order = ""
    for one in [kind(layer) for layer in stack if layer.part == stack[0].part]:
        if one not in kinds:
            kinds.append(one)
        order += "ABC"[kinds.index(one)]
    return {"length": length, "order": order, "kinds": dict(zip("ABC", kinds, strict=False))}


def models() -> dict[str, dict[str, Any]]:
    """What the explorer knows, by the name that is shown."""
    stored = [json.loads((STORED / f"{name}.json").read_text("utf-8")) for name in SHOWN]
    return {one["model"]: model(one) for one in stored}


def main() -> None:
    lines = (f"{json.dumps(name)}: {json.dumps(made)}" for name, made in models().items())
    MADE.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")


if __name__ == "__main__":
    main()
