"""Published configurations: those of the book's table, and seventy more, as they were published.

In `make peers` each of a model that transformers has is compared with transformers' own class, and
saved and loaded again by it. Sizes that have no part in positions are made small; heads keep their
width, and layers their number, unless all are alike or too slow.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from checkpoint_spy import SMALL, check, watched

import pe_lib
from pe_lib.checkpoints import groups, layers
from pe_lib.checkpoints._models import classes
from pe_lib.checkpoints._stack import find_text_part

FOLDER = Path(pe_lib.__file__).parents[1] / "chapters" / "data" / "checkpoints"
TABLE = {path.stem: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")}
PUBLISHED = json.loads(Path(__file__).with_name("published.json").read_text("utf-8"))
REFUSED = {  # and what the sentence says
    "phi3small": "see blocks of keys that differ from head to head",
}
CONFIGS = {name: row["config"] for name, row in {**PUBLISHED, **TABLE}.items()}
READ = {name: config for name, config in CONFIGS.items() if name not in REFUSED}
KINDS = {name: find_text_part(config)[1] for name, config in READ.items()}
TURNED = ("rotary", "rotary_axes", "none")
REORDERED = {"deepseek_v3", "deepseek_v32", "glm_moe_dsa", "mistral4"}
NO_SPY = {"gptj", "moonshine", "dbrx"}  # their kinds are compared in test_checkpoints_peers.py
FIRST = {"kimi-k3": 8}  # of 93 layers, the slow ones among them: two rounds of its pattern
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
    for name, said in REFUSED.items():
        with pytest.raises(ValueError, match=said):
            layers(CONFIGS[name])
    assert len(REFUSED) < len(PUBLISHED) / 10
    for name, config in READ.items():
        found = groups(config)
        assert sum(len(group.which) for group in found) == len(layers(config)), name


def narrowed(config):
    """With windows and chunks of 4, where there are any: seven tokens see where they end."""
    return {
        **config,
        **{k: 4 for k in ("sliding_window", "attention_chunk_size") if config.get(k)},
        **({"sliding_window_size": 4} if config.get("sliding_window_size") else {}),
    }


def small(config, kind, made):
    """The configuration as transformers' class, with few heads and few experts."""
    from transformers import CONFIG_MAPPING

    cls = CONFIG_MAPPING[kind]
    fields = set(cls().to_dict())
    given = {cls.attribute_map.get(k, k): v for k, v in config.items()
             if k not in ("model_type", "quantization_config")}  # fmt: skip
    given |= {k: v[: len(made)] for k, v in given.items()
              if k.endswith("layer_types") and isinstance(v, list)}  # fmt: skip
    if given.pop("sparse_attention_config", None):  # its indexer has more heads than are left
        sparse = {"indexed": "minimax_m3_sparse"}
        given["layer_types"] = [sparse.get(x.kind, "full_attention") for x in made]
    if kinds := given.get("linear_attn_config"):  # Kimi counts layers from 1
        named = {k: [i for i in v if i <= len(made)] for k, v in kinds.items() if "layers" in k}
        given["linear_attn_config"] = {**kinds, **named}
    heads = {k: 2 for k in given if k.endswith("attention_heads") or k == "n_head"}
    shared = {k: 2 for k in given if k.endswith("key_value_heads")}
    apart = given.get("head_dim") or "qk_rope_head_dim" in given
    hidden = 128 if apart else 2 * max(layer.width for layer in made)
    sizes = {k: v for k, v in SMALL.items() if k in fields and not k.endswith(("layers", "layer"))}
    size = {k: hidden for k in ("hidden_size", "n_embd") if k in fields}
    few = {"num_experts_per_token": 1, "num_experts_per_tok": 1, "top_k_experts": 1}
    few["hidden_act"] = "silu"  # Kimi K3 names one that transformers lacks
    few |= {k: len(made) for k in ("num_hidden_layers", "n_layer")}
    few = {k: v for k, v in few.items() if k in fields}
    return cls(**{**given, **sizes, **heads, **shared, **size, **few})


@pytest.mark.peers
@pytest.mark.parametrize("name", SPIED)
def test_layers_do_what_transformers_does(name):
    """Turning, scale, growth, window and sink of each layer, with tiny random weights."""
    config, kind, _ = find_text_part(READ[name])
    config = {**narrowed(config), "model_type": kind}
    made = layers(config)
    if len({(x.kind, x.scheme, x.base, x.window) for x in made}) == 1:
        made = made[:2]
    made = made[: FIRST.get(name)]
    config = small(config, kind, made)
    config._experts_implementation = "eager"
    positions = np.arange(7)
    if any(layer.axes is not None for layer in made):
        positions = np.stack([positions, positions + 2, 3 * positions])
    found, _ = watched(config, positions)
    halves = kind in REORDERED  # by the model's own code, before attention sees them
    assert not halves or {layer.layout for layer in made} == {"interleaved"}
    check(found, made, positions, tolerance=1e-6, halves=halves)


@pytest.mark.peers
@pytest.mark.parametrize("name", READ)
def test_what_transformers_saves_is_read_alike(name):
    """Loaded by its own class and saved again: new spellings, and old ones that it keeps.

    Then with every key that the class has: what the stored file leaves out changes nothing.
    """
    from transformers import CONFIG_MAPPING

    config = READ[name]
    kind = config.get("model_type")
    if kind not in CONFIG_MAPPING or kind in ("dbrx", "step3p7") or name == "llava_v1.5_7b":
        pytest.skip(f"transformers has no class for {kind}, or one that loses what is in this file")
    loaded = CONFIG_MAPPING[kind].from_dict(dict(config))
    for less in (True, False):
        saved = json.loads(loaded.to_json_string(use_diff=less))
        for one, other in zip(layers(saved), layers(config), strict=True):
            assert one.same(other), (one, other)


def test_the_others_are_compared_by_their_kind():
    """Tables, biases, image towers, older code, and kinds that transformers doesn't have."""
    for name in READ.keys() - set(SPIED):
        other = any(x.scheme not in TURNED or x.part == "vision" for x in layers(READ[name]))
        assert other or KINDS[name] in NO_SPY or KINDS[name] not in classes(), name
