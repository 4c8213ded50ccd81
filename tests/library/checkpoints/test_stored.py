"""Every stored configuration of a model that transformers has, against transformers' own class.

Sizes that have no part in positions are made small; heads keep their width, and layers their
number, unless all are alike or too slow.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from checkpoint_spy import SMALL, check, watched

import pe_lib
from pe_lib.checkpoints import layers

FOLDER = Path(pe_lib.__file__).parents[1] / "chapters" / "data" / "checkpoints"
STORED = {path.stem: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")}
MADE = {name: layers(model["config"]) for name, model in STORED.items()}
TURNED = ("rotary", "rotary_axes", "none")
REORDERED = {"deepseek_v3", "deepseek_v32", "glm_moe_dsa", "mistral4"}
NO_SPY = {"gptj", "moonshine"}  # older code: their kinds are compared in test_checkpoints_peers.py
FIRST = {"kimi-k3": 8}  # of 93 layers, the slow ones among them: two rounds of its pattern
SPIED = {
    name: model
    for name, model in STORED.items()
    if model["peer"] not in {None, *NO_SPY}
    and all(x.scheme in TURNED and x.part != "vision" for x in MADE[name])
}


def narrowed(config):
    """With windows and chunks of 4, where there are any: seven tokens see where they end."""
    inner = config.get("text_config", config)
    inner = {**inner, **{k: 4 for k in ("sliding_window", "attention_chunk_size") if inner.get(k)}}
    return {**config, "text_config": inner} if "text_config" in config else inner


def small(model, made):
    """The stored configuration as transformers' class, with few heads and few experts."""
    from transformers import CONFIG_MAPPING

    cls = CONFIG_MAPPING[model["peer"]]
    known = set(cls().to_dict())
    stored = dict(model["config"].get("text_config", model["config"]))
    del stored["model_type"]
    stored |= {k: v[: len(made)] for k, v in stored.items() if k.endswith("layer_types")}
    if kinds := stored.get("linear_attn_config"):  # Kimi counts layers from 1
        named = {k: [i for i in v if i <= len(made)] for k, v in kinds.items() if "layers" in k}
        stored["linear_attn_config"] = {**kinds, **named}
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


@pytest.mark.peers
@pytest.mark.parametrize("name", SPIED)
def test_layers_do_what_transformers_does(name):
    """Turning, scale, growth, window and sink of each layer, with tiny random weights."""
    model = {**STORED[name], "config": narrowed(STORED[name]["config"])}
    made = layers(model["config"])
    if len({(x.kind, x.scheme, x.base, x.window) for x in made}) == 1:
        made = made[:2]
    made = made[: FIRST.get(name)]
    config = small(model, made)
    config._experts_implementation = "eager"
    positions = np.arange(7)
    if any(layer.axes is not None for layer in made):
        positions = np.stack([positions, positions + 2, 3 * positions])
    found, _ = watched(config, positions)
    halves = model["peer"] in REORDERED  # by the model's own code, before attention sees them
    assert not halves or {layer.layout for layer in made} == {"interleaved"}
    check(found, made, positions, tolerance=1e-6, halves=halves)


@pytest.mark.parametrize("name", sorted(set(STORED) - set(SPIED)))
def test_the_others_are_compared_by_their_kind(name):
    """Tables, biases, image towers and older code; transformers lacks only those of diffusers."""
    model, made = STORED[name], MADE[name]
    assert (model["peer"] is None) == ("_class_name" in model["config"])
    other = any(x.scheme not in TURNED or x.part == "vision" for x in made)
    assert other or model["peer"] in {None, *NO_SPY}
