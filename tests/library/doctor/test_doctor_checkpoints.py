"""Test that the doctor finds the configured base and scaling in frequencies of published models."""

import json
from collections.abc import Iterator
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pe_lib
from pe_lib import checkpoints
from pe_lib.checkpoints import Layer
from pe_lib.doctor import _config, _requirements, identify

STORED = Path(pe_lib.__file__).parents[1] / "chapters" / "data" / "checkpoints"
# Maps a layer's name for a scaling to the doctor's name, where these names differ.
WORDS = {"default": "none", "mrope": "none"}
EXCEPTIONS = {
    # If beta_fast equals beta_slow, YaRN's ramp becomes a step, which looks like llama3.
    "kimi-k2": ("yarn", "llama3"),
    "phi-4-mini": ("longrope", "none"),  # the file's short factors for this model are all 1
}
STEPS = ("kimi-k2", "llama-4-scout")
LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 5e5,
         "num_hidden_layers": 32, "max_position_embeddings": 131072}  # fmt: skip


def read_stored_config(name: str) -> dict[str, Any]:
    """Return the stored configuration of a model by its `name` in the table of models."""
    return json.loads((STORED / f"{name}.json").read_text("utf-8"))["config"]


def every() -> Iterator[tuple[str, Layer]]:
    """For each distinct rotation, yield a model's name and one of its rotary layers."""
    for path in sorted(STORED.glob("*.json")):
        kinds = {
            (layer.base, layer.scaling, layer.frequencies.tobytes()): layer
            for layer in checkpoints.layers(read_stored_config(path.stem))
            if layer.scheme == "rotary" and layer.frequencies.size >= 4
        }
        yield from ((path.stem, layer) for layer in kinds.values())


ROWS = list(every())
IDS = [f"{name} {layer.base:g} {layer.scaling}" for name, layer in ROWS]


@pytest.mark.parametrize(("name", "layer"), ROWS, ids=IDS)
def test_base_and_scaling_are_read_from_the_frequencies(name: str, layer: Layer) -> None:
    d = identify(layer.frequencies)
    assert len(ROWS) > 50 and d.scheme == "rotary" and layer.base is not None
    assert any(abs(log(b / layer.base)) < 1e-3 for b, exponent in d.readings if exponent == "2i/d")
    scaling = WORDS.get(layer.scaling, layer.scaling)
    if name in EXCEPTIONS:
        configured, scaling = EXCEPTIONS[name]
        assert layer.scaling == configured
    assert d.scaling == scaling
    assert (
        _config.compare_with_groups(
            d, [layer.frequencies], _requirements.read_groups(read_stored_config(name))
        ).problems
        == []
    )


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("form", [np.float64, np.float32])
def test_a_step_is_as_configured(name: str, form: type) -> None:
    """Test that frequencies with a step fit their own configuration, be it llama3 or YaRN."""
    (layer,) = (layer for row, layer in ROWS if row == name)
    w = layer.frequencies.astype(form)
    assert any("YaRN" in text for text in identify(w).alternatives)
    for other in STEPS:
        problems = _config.compare_with_groups(
            identify(w), [w], _requirements.read_groups(read_stored_config(other))
        ).problems
        assert bool(problems) == (other != name)
