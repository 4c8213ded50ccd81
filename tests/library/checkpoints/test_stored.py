"""Test the published configurations in the table of models, and seventy others.

`make peers` compares each configuration with transformers' own class, if there is one, and lets
that class load and save the configuration. Sizes that do not affect positions are made small. Heads
keep their width, and models keep all their layers, unless the layers are all alike or too slow.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from checkpoint_spy import SMALL, check_layers, record_inputs

import pe_lib
from pe_lib.checkpoints import groups, layers
from pe_lib.checkpoints._models import classes
from pe_lib.checkpoints._stack import find_text_part

FOLDER = Path(pe_lib.__file__).parents[1] / "chapters" / "data" / "checkpoints"
TABLE = {path.stem: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")}
PUBLISHED = json.loads(Path(__file__).with_name("published.json").read_text("utf-8"))
REFUSED = {  # models that are rejected, with a part of the error message
    "phi3small": "see blocks of keys that differ from head to head",
}
CONFIGS = {name: row["config"] for name, row in {**PUBLISHED, **TABLE}.items()}
READ = {name: config for name, config in CONFIGS.items() if name not in REFUSED}
KINDS = {name: find_text_part(config)[1] for name, config in READ.items()}
TURNED = ("rotary", "rotary_axes", "none")
REORDERED = {"deepseek_v3", "deepseek_v32", "glm_moe_dsa", "mistral4"}
# Other tests compare these types of models with transformers.
NO_SPY = {"gptj", "moonshine", "dbrx"}
# Compare two repetitions of this model's pattern, because 93 layers would take too long.
FIRST = {"kimi-k3": 8}
# For these models, the classes in transformers lose parts of the configuration.
LOSSY = {"dbrx", "step3p7"}
SAVED = [
    name
    for name, config in READ.items()
    if config.get("model_type") in classes().keys() - LOSSY and name != "llava_v1.5_7b"
]
SPIED = [
    name
    for name, kind in KINDS.items()
    if kind in classes()
    and kind not in NO_SPY
    and all(x.scheme in TURNED and x.part != "vision" for x in layers(READ[name]))
]


def test_seventy_were_published_and_each_is_read_or_refused():
    assert len(PUBLISHED) >= 70 and not PUBLISHED.keys() & TABLE.keys()
    for row in PUBLISHED.values():
        assert len(row["commit"]) == 40 and len(row["sha256"]) == 64
    for name, message in REFUSED.items():
        with pytest.raises(ValueError, match=message):
            layers(CONFIGS[name])
    assert len(REFUSED) < len(PUBLISHED) / 10
    for name, config in READ.items():
        assert sum(len(group.which) for group in groups(config)) == len(layers(config)), name


def narrow_windows(config):
    """Return a configuration with windows and chunks of 4 keys, which 7 tokens exceed."""
    return {
        **config,
        **{k: 4 for k in ("sliding_window", "attention_chunk_size") if config.get(k)},
        **({"sliding_window_size": 4} if config.get("sliding_window_size") else {}),
    }


def make_small_config(config, kind, stack):
    """Return a configuration of transformers' own class with few heads and few experts."""
    from transformers import CONFIG_MAPPING

    cls = CONFIG_MAPPING[kind]
    fields = set(cls().to_dict())
    values = {
        cls.attribute_map.get(key, key): value
        for key, value in config.items()
        if key not in ("model_type", "quantization_config")
    }
    values |= {
        key: value[: len(stack)]
        for key, value in values.items()
        if key.endswith("layer_types") and isinstance(value, list)
    }
    # The indexer needs more heads than the small default.
    if values.pop("sparse_attention_config", None):
        sparse = {"indexed": "minimax_m3_sparse"}
        values["layer_types"] = [sparse.get(x.kind, "full_attention") for x in stack]
    if kinds := values.get("linear_attn_config"):  # Kimi numbers its layers from 1.
        lists = {k: [i for i in v if i <= len(stack)] for k, v in kinds.items() if "layers" in k}
        values["linear_attn_config"] = {**kinds, **lists}
    heads = {k: 2 for k in values if k.endswith("attention_heads") or k == "n_head"}
    shared = {k: 2 for k in values if k.endswith("key_value_heads")}
    apart = values.get("head_dim") or "qk_rope_head_dim" in values
    hidden = 128 if apart else 2 * max(layer.width for layer in stack)
    sizes = {k: v for k, v in SMALL.items() if k in fields and not k.endswith(("layers", "layer"))}
    size = {k: hidden for k in ("hidden_size", "n_embd") if k in fields}
    few = {"num_experts_per_token": 1, "num_experts_per_tok": 1, "top_k_experts": 1}
    few["hidden_act"] = "silu"  # Kimi K3 names an activation function that transformers lacks.
    few |= {k: len(stack) for k in ("num_hidden_layers", "n_layer")}
    few = {k: v for k, v in few.items() if k in fields}
    return cls(**{**values, **sizes, **heads, **shared, **size, **few})


@pytest.mark.peers
@pytest.mark.parametrize("name", SPIED)
def test_layers_do_what_transformers_does(name):
    """Compare each layer's rotation, scale, growth, window and sink with those in transformers."""
    config, kind, _ = find_text_part(READ[name])
    config = {**narrow_windows(config), "model_type": kind}
    stack = layers(config)
    if len({(x.kind, x.scheme, x.base, x.window) for x in stack}) == 1:
        stack = stack[:2]
    stack = stack[: FIRST.get(name)]
    config = make_small_config(config, kind, stack)
    config._experts_implementation = "eager"
    positions = np.arange(7)
    if any(layer.axes is not None for layer in stack):
        positions = np.stack([positions, positions + 2, 3 * positions])
    inputs, _ = record_inputs(config, positions)
    # These models' programs reorder pairs before they compute attention.
    halves = kind in REORDERED
    assert not halves or {layer.layout for layer in stack} == {"interleaved"}
    check_layers(inputs, stack, positions, tolerance=1e-6, halves=halves)


@pytest.mark.peers
@pytest.mark.parametrize("name", SAVED)
def test_what_transformers_saves_is_read_alike(name):
    """Check that the short and the full files that transformers saves give the same layers."""
    from transformers import CONFIG_MAPPING

    config = READ[name]
    loaded = CONFIG_MAPPING[config["model_type"]].from_dict(dict(config))
    for less in (True, False):
        saved = json.loads(loaded.to_json_string(use_diff=less))
        for layer, other in zip(layers(saved), layers(config), strict=True):
            assert layer.same(other), (layer, other)


def test_the_others_are_compared_by_their_kind():
    """Check that a reason is given for each configuration that is not compared layer by layer."""
    for name in READ.keys() - set(SPIED):
        other = any(x.scheme not in TURNED or x.part == "vision" for x in layers(READ[name]))
        assert other or KINDS[name] in NO_SPY or KINDS[name] not in classes(), name
