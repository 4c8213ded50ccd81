"""Every stored configuration of a model that transformers has, against transformers' own class.

Sizes that have no part in positions are made small; heads keep their width, layers their number.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from checkpoint_spy import SMALL, check, watched

from pe_lib.checkpoints import layers

FOLDER = Path(__file__).parents[3] / "chapters" / "data" / "checkpoints"
STORED = {path.stem: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")}
MADE = {name: layers(model["config"]) for name, model in STORED.items()}
TURNED = ("rotary", "rotary_axes", "none")
SPIED = {
    name: model
    for name, model in STORED.items()
    if model["peer"] and all(x.scheme in TURNED and x.part != "vision" for x in MADE[name])
}


def small(model, made):
    """The stored configuration as transformers' class, with few heads and few experts."""
    from transformers import CONFIG_MAPPING

    cls = CONFIG_MAPPING[model["peer"]]
    known = set(cls().to_dict())
    stored = dict(model["config"].get("text_config", model["config"]))
    stored.pop("model_type")
    heads = {k: 2 for k in stored if k.endswith("attention_heads") or k == "n_head"}
    shared = {k: 2 for k in stored if k.endswith("key_value_heads")}
    apart = "head_dim" in stored or "qk_rope_head_dim" in stored
    hidden = 128 if apart else 2 * max(layer.width for layer in made)
    sizes = {k: v for k, v in SMALL.items() if k in known and not k.endswith(("layers", "layer"))}
    size = {k: hidden for k in ("hidden_size", "n_embd") if k in known}
    return cls(**{**stored, **sizes, **heads, **shared, **size})


@pytest.mark.peers
@pytest.mark.parametrize("name", SPIED)
def test_layers_do_what_transformers_does(name):
    """Turning, scale, growth, window and sink of each layer, with tiny random weights."""
    pytest.importorskip("transformers", reason="transformers is not installed: run: make peers")
    model, made = STORED[name], MADE[name]
    config = small(model, made)
    config._experts_implementation = "eager"
    positions = np.arange(7)
    if made[0].axes is not None:
        positions = np.stack([positions, positions + 2, 3 * positions])
    found, _ = watched(config, positions)
    check(found, made, positions, tolerance=1e-6)


@pytest.mark.peers
@pytest.mark.parametrize("name", sorted(set(STORED) - set(SPIED)))
def test_what_is_not_spied_on_has_its_reason(name):
    """Tables, biases, image towers, and models that transformers lacks."""
    model, made = STORED[name], MADE[name]
    assert not model["peer"] or any(x.scheme not in TURNED or x.part == "vision" for x in made)
