"""Makes `checkpoints/defaults.json`: what each class of transformers takes for a missing key.

Run it with a newer transformers, in the environment of `make peers`: `python -m tools.defaults`.
A key is kept where the class has a value of its own for it; `names` has the keys that the class
calls otherwise, and `parts` the kinds of the configurations inside.
"""

import importlib
import json
from pathlib import Path
from typing import Any

MADE = Path(__file__).resolve().parent.parent / "pe_lib" / "checkpoints" / "defaults.json"
KEYS = [
    "hidden_size", "num_hidden_layers", "num_attention_heads", "head_dim",
    "cross_attention_layers", "layer_group_size", "global_head_dim", "swa_head_dim",
    "max_position_embeddings", "original_max_position_embeddings", "rope_parameters",
    "rope_theta", "partial_rotary_factor", "rotary_dim", "qk_nope_head_dim", "qk_rope_head_dim",
    "layer_types", "sliding_window", "sliding_window_size", "sliding_window_pattern",
    "use_sliding_window", "max_window_layers", "attention_chunk_size", "local_attention",
    "global_attn_every_n_layers", "attention_window_size", "no_rope_layers",
    "no_rope_layer_interval", "attn_temperature_tuning", "floor_scale", "attn_scale",
    "query_pre_attn_scalar", "attention_multiplier", "block_types", "attn_layer_period",
    "attn_layer_offset", "full_attention_interval", "position_embedding_type", "index_topk",
    "index_n_heads", "index_head_dim", "index_block_size", "index_topk_blocks", "encoder_layers",
    "decoder_layers", "encoder_attention_heads", "decoder_attention_heads",
    "max_source_positions", "max_target_positions", "d_kv", "num_decoder_layers",
    "relative_attention_num_buckets", "relative_attention_max_distance", "pad_token_id",
    "attention_types", "window_size", "num_conv_pos_embeddings", "image_size", "patch_size",
    "pretrain_image_size", "num_patches", "depth", "num_position_embeddings",
    "global_attn_indexes", "fullatt_block_indexes", "scale_attn_weights",
    "scale_attn_by_inverse_layer_idx", "alibi", "attention_head_dim",
]  # fmt: skip


def kept(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str | list | tuple | dict)


def facts(cls: Any) -> dict[str, Any]:
    """Of one class: `defaults`, `names` and `parts`."""
    fields = cls.__dataclass_fields__
    own = {v: k for k, v in cls.attribute_map.items()}
    found = {own.get(k, k): f.default for k, f in fields.items() if kept(f.default)}
    for key, field in fields.items():
        if field.default_factory and callable(field.default_factory):
            try:
                found[own.get(key, key)] = field.default_factory()
            except TypeError:
                continue
    if "rope_parameters" in found:
        found.setdefault("rope_theta", cls.default_theta)
    made: dict[str, Any] = {k: found[k] for k in KEYS if k in found and kept(found[k])}
    names = {k: v for k, v in cls.attribute_map.items() if k in KEYS}
    parts = {
        k: v.model_type for k, v in (cls.sub_configs or {}).items() if getattr(v, "model_type", "")
    }
    return {"defaults": made, "names": names, "parts": parts}


def main() -> None:
    # of the environment that `make peers` installs
    known = importlib.import_module("transformers").CONFIG_MAPPING
    lines = [
        f"{json.dumps(kind)}: {json.dumps(facts(known[kind]), default=str)}"
        for kind in sorted(known)
    ]
    MADE.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")


if __name__ == "__main__":
    main()
