"""Makes what the explorer of layers knows of its models, from the configurations that are stored.

Run it after a change of one of them, or of `pe_lib.checkpoints`: `python -m tools.layers`.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from pe_lib.biases import t5_buckets
from pe_lib.checkpoints import Layer, layers
from pe_lib.course.explorers._bundle import HERE

STORED = Path(__file__).resolve().parent.parent / "chapters" / "data" / "checkpoints"
MADE = HERE / "layers.json"

# By the name that is shown: its file, and the part of it whose layers are shown
MODELS = {
    "Gemma 3 27B": "gemma-3-27b",
    "Llama 3.1 8B": "llama-3.1-8b",
    "Llama 4 Scout": "llama-4-scout",
    "gpt-oss 20B": "gpt-oss-20b",
    "DeepSeek-V3": "deepseek-v3",
    "ModernBERT base": "modernbert-base",
    "Granite 4 H": "granite-4.0-h-small",
    "BLOOM": "bloom",
    "T5 base": "t5-base",
    "GPT-2": "gpt2",
}


def kind(layer: Layer) -> dict[str, Any]:
    """What the explorer shows of a layer."""
    chunk = layer.window if layer.kind == "chunked" else None
    made = {"window": None if chunk else layer.window, "chunk": chunk, "values": []}
    if layer.kind == "mamba":
        return {"scheme": "recurrent", "says": "Mamba", **made}
    match layer.scheme:
        case "rotary" | "rotary_axes":
            says = f"turned, base {layer.base:,.0f}"
            if layer.turned < layer.width:
                says = f"{layer.turned} of {layer.width} entries {says}"
            values = layer.frequencies[layer.frequencies > 0]
            return {"scheme": "rotary", "says": says, **made, "values": written(values)}
        case "alibi":
            assert layer.slopes is not None
            values = written(np.sort(layer.slopes)[::-1])
            return {"scheme": "alibi", "says": "ALiBi", **made, "values": values}
        case "t5":
            assert layer.buckets is not None and layer.max_distance is not None
            found = t5_buckets(
                -np.arange(layer.max_distance + 1),
                layer.buckets, layer.max_distance, layer.two_sided,
            )  # fmt: skip
            firsts = (np.flatnonzero(np.diff(found)) + 1).tolist()
            return {"scheme": "t5", "says": "T5’s buckets", **made, "values": firsts}
        case "learned":
            return {"scheme": "learned", "says": "rows learned", **made}
        case "none":
            return {"scheme": "none", "says": "no positions", **made}
    raise ValueError(f"no picture is made of scheme {layer.scheme!r}")


def written(values: Iterable[float]) -> list[float]:
    """Numbers as they are stored: seven digits are more than a picture shows."""
    return [float(f"{value:.7g}") for value in values]


def model(stack: Iterable[Layer], length: int) -> dict[str, Any]:
    """Its length, its layers from below as letters, and what each letter stands for."""
    kinds: list[dict[str, Any]] = []
    order = ""
    for one in map(kind, stack):
        if one not in kinds:
            kinds.append(one)
        order += "ABC"[kinds.index(one)]
    return {"length": length, "order": order, "kinds": dict(zip("ABC", kinds, strict=False))}


def made(name: str) -> dict[str, Any]:
    """What the explorer knows of a model."""
    config = json.loads((STORED / f"{MODELS[name]}.json").read_text("utf-8"))["config"]
    return model(layers(config), config["max_position_embeddings"])


def main() -> None:
    lines = (f"{json.dumps(name)}: {json.dumps(made(name))}" for name in MODELS)
    MADE.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")
    print(f"{MADE.name}: {len(MODELS)} models")


if __name__ == "__main__":
    main()
