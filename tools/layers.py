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
MADE = HERE / "layers" / "layers.json"

# The models that are shown, by the name of their file; of two halves the encoder is
SHOWN = (
    "gemma-3-1b",
    "llama-3.1-8b",
    "mistral-7b-v0.1",
    "llama-4-scout",
    "gpt-oss-20b",
    "deepseek-v3",
    "modernbert-base",
    "granite-4.0-h-350m",
    "bloom",
    "t5-small",
    "gpt2",
)
SCALINGS = {"default": "", "yarn": "YaRN"}  # as a reader knows them


def kind(layer: Layer) -> dict[str, Any]:
    """What the explorer shows of a layer."""
    chunk = layer.window if layer.kind == "chunked" else None
    made: dict[str, Any] = {
        "window": None if chunk else layer.window,
        "chunk": chunk,
        "sides": 1 + layer.two_sided,
        "scaling": SCALINGS.get(layer.scaling, layer.scaling),
        "values": [],
    }
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
            falls = written(np.sort(layer.slopes)[::-1])
            return {"scheme": "alibi", "says": "ALiBi", **made, "values": falls}
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


def model(stored: dict[str, Any]) -> dict[str, Any]:
    """Its length, its layers from below as letters, and what each letter stands for."""
    config = stored["config"]
    text = config.get("text_config", config)
    length = text.get("max_position_embeddings", text.get("n_positions", stored["trained"]))
    stack = layers(config)
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
    print(f"{MADE.name}: {len(SHOWN)} models")


if __name__ == "__main__":
    main()
