"""Every stored configuration of a model that transformers has, against transformers' own class.

Sizes that have no part in positions are made small; heads keep their width, and layers their
number, unless all are alike.
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
    few = {"num_experts_per_token": 1, "num_experts_per_tok": 1}
    few |= {k: len(made) for k in ("num_hidden_layers", "n_layer")}
    few = {k: v for k, v in few.items() if k in known}
    return cls(**{**stored, **sizes, **heads, **shared, **size, **few})


def side_by_side(seen, layer):
    """DeepSeek's heads, of which transformers puts the pairs' halves apart, as they were stored."""
    at = layer.start + np.arange(layer.turned).reshape(2, -1).T.ravel()
    order = np.r_[0 : layer.start, at, layer.start + layer.turned : layer.width]
    heads = {name: getattr(seen, name)[..., order] for name in ("q0", "k0", "q", "k")}
    return replace(seen, **heads)


@pytest.mark.peers
@pytest.mark.parametrize("name", SPIED)
def test_layers_do_what_transformers_does(name):
    """Turning, scale, growth, window and sink of each layer, with tiny random weights."""
    pytest.importorskip("transformers", reason="transformers is not installed: run: make peers")
    model, made = STORED[name], MADE[name]
    if len({(x.kind, x.scheme, x.base, x.window) for x in made}) == 1:
        made = made[:2]
    config = small(model, made)
    config._experts_implementation = "eager"
    positions = np.arange(7)
    if made[0].axes is not None:
        positions = np.stack([positions, positions + 2, 3 * positions])
    found, _ = watched(config, positions)
    if getattr(config, "rope_interleave", False):
        assert {layer.layout for layer in made} == {"interleaved"}
        found = {i: side_by_side(seen, made[i]) for i, seen in found.items()}
    check(found, made, positions, tolerance=1e-6)


@pytest.mark.peers
@pytest.mark.parametrize("name", sorted(set(STORED) - set(SPIED)))
def test_what_is_not_spied_on_has_its_reason(name):
    """Tables, biases, image towers, and models that transformers lacks."""
    model, made = STORED[name], MADE[name]
    assert not model["peer"] or any(x.scheme not in TURNED or x.part == "vision" for x in made)
