"""What a configuration leaves out: the facts of each kind of model, by its `model_type`.

Read in transformers 5.23.0 (`configuration_*.py`, `modeling_*.py`); `make peers` compares every
entry. A model that is not here is not known, and nothing is assumed of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pe_lib.checkpoints import _heads, _kinds, _rope
from pe_lib.checkpoints._config import Config


@dataclass(frozen=True)
class Decoder:
    """A stack whose heads are turned, wholly or in part, in some layers or in all."""

    layout: Literal["halves", "interleaved"] = "halves"
    defaults: Mapping[str, Any] = field(default_factory=dict)  # of keys that are not there
    kinds: _kinds.Kinds = _kinds.all_full  # where there are no `layer_types`
    unturned: _heads.Unturned = _heads.never  # which layers are not turned
    heads: Callable[[Config, str], _heads.Head] = _heads.whole_head  # entries, first turned one
    window: Callable[[Config], int | None] = _heads.sliding_window
    rope: Callable[[Config, str], _rope.Parameters] = _rope.parameters  # for a type of layer
    scale: Callable[[Config, int, str], float] | None = None  # of the scores
    growth: Callable[[Config, bool], tuple[float, int, int] | None] | None = None
    sections: tuple[Literal["", "blocks", "alternating"], tuple[int, ...]] = ("", ())
    sink: Callable[[str], bool] = lambda layer_type: False
    part: str = "decoder"
    two_sided: bool = False


def _sink(layer_type: str) -> bool:
    return True


HALF = {"partial_rotary_factor": 0.5}
QUARTER = {"partial_rotary_factor": 0.25}
WINDOW = {"sliding_window": 4096}
QWEN = {"sliding_window": 4096, "max_window_layers": 28}
GPT_OSS = {
    "rope_type": "yarn",
    "factor": 32.0,
    "beta_fast": 32.0,
    "beta_slow": 1.0,
    "truncate": False,
    "original_max_position_embeddings": 4096,
}
APERTUS = {
    "rope_type": "llama3",
    "rope_theta": 12e6,
    "factor": 8.0,
    "original_max_position_embeddings": 8192,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
}
MISTRAL = {"rope_type": "yarn", "mscale": 1.0, "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.1}
MINISTRAL_3 = {
    **MISTRAL,
    "rope_theta": 1e6,
    "factor": 16.0,
    "original_max_position_embeddings": 16_384,
}
MISTRAL_4 = {
    **MISTRAL,
    "rope_theta": 1e4,
    "factor": 128.0,
    "original_max_position_embeddings": 8192,
}
GEMMA_3: dict[str, Any] = {
    "defaults": {"head_dim": 256, "sliding_window": 4096, "query_pre_attn_scalar": 256},
    "kinds": _kinds.every(6, key="sliding_window_pattern"),
    "rope": _rope.by_type((1e6, "rope_theta"), (1e4, "rope_local_base_freq")),
    "scale": _heads.by_scalar,
}
MLA: dict[str, Any] = {"heads": _heads.latent, "scale": _heads.by_mscale}
DEEPSEEK = Decoder("interleaved", **MLA)
LINEAR: dict[str, Any] = {
    "defaults": {"head_dim": 256, **QUARTER},
    "kinds": _kinds.every(4, "linear_attention", key="full_attention_interval"),
}

DECODERS: dict[str, Decoder] = {
    "apertus": Decoder(defaults={"rope_theta": 12e6, "rope_parameters": APERTUS}),
    "arcee": Decoder(),
    "bamba": Decoder(defaults=HALF, kinds=_kinds.indexed("attn_layer_indices", "mamba", ())),
    "bitnet": Decoder(defaults={"rope_theta": 500_000.0}),
    "cohere": Decoder("interleaved", {"rope_theta": 500_000.0}),
    "cohere2": Decoder(
        "interleaved",
        WINDOW,
        kinds=_kinds.every(4, key="sliding_window_pattern"),
        unturned=_heads.full_beside_windows,
    ),
    "deepseek_v2": DEEPSEEK,
    "deepseek_v3": DEEPSEEK,
    "deepseek_v32": replace(DEEPSEEK, kinds=_kinds.all_of("indexed_attention")),
    "deepseek_v4": Decoder(
        "interleaved",
        {"head_dim": 512, "partial_rotary_factor": 0.125, "sliding_window": 128,
         "rope_theta": 10_000.0, "compress_rope_theta": 160_000.0},
        kinds=_kinds.deepseek_v4,
        heads=_heads.last_part,
        rope=_rope.deepseek_v4,
        sink=_sink,
    ),
    "ernie4_5": Decoder("interleaved", {"rope_theta": 500_000.0, "head_dim": 128}),
    "ernie4_5_moe": Decoder("interleaved", {"rope_theta": 500_000.0}),
    "eurobert": Decoder(part="encoder", two_sided=True),
    "exaone4": Decoder(
        defaults={**WINDOW, "sliding_window_pattern": 4},
        kinds=_kinds.every(4, key="sliding_window_pattern"),
        unturned=_heads.full_beside_windows,
    ),
    "falcon": Decoder(),
    "falcon_h1": Decoder(kinds=_kinds.all_of("hybrid")),
    "gemma": Decoder(defaults={"head_dim": 256}),
    "gemma2": Decoder(
        defaults={"head_dim": 256, "sliding_window": 4096, "query_pre_attn_scalar": 256},
        kinds=_kinds.every(2),
        scale=_heads.by_scalar,
    ),
    "gemma3_text": Decoder(**GEMMA_3),
    "gemma3n_text": Decoder(
        defaults={"head_dim": 256, "sliding_window": 512},
        kinds=_kinds.every(5),
        rope=_rope.by_type((1e6, "rope_theta"), (1e4, "rope_local_base_freq")),
        scale=_heads.undivided,
    ),
    "gemma4_text": Decoder(
        defaults={"head_dim": 256, "global_head_dim": 512, "sliding_window": 512},
        kinds=_kinds.every(6, last="full_attention"),
        heads=_heads.wider_when_full,
        rope=_rope.gemma_4,
        scale=_heads.undivided,
    ),
    "glm": Decoder("interleaved", {**HALF, "head_dim": 128}),
    "glm4": Decoder("interleaved", {**HALF, "head_dim": 128}),
    "glm4_moe": Decoder(defaults=HALF),
    "glm4_moe_lite": DEEPSEEK,
    "glm4v_text": Decoder("interleaved", sections=("blocks", (8, 12, 12))),
    "glm4v_moe_text": Decoder(sections=("blocks", (8, 12, 12))),
    "glm_moe_dsa": replace(DEEPSEEK, kinds=_kinds.all_of("indexed_attention")),
    "gpt_neox": Decoder(defaults=QUARTER),
    "gpt_oss": Decoder(
        defaults={"rope_theta": 150_000.0, "head_dim": 64, "sliding_window": 128,
                  "max_position_embeddings": 131_072, "rope_parameters": GPT_OSS},
        kinds=_kinds.every(2),
        sink=_sink,
    ),
    "gptj": Decoder("interleaved", {"rotary_dim": 64}, rope=_rope.fixed),
    "codegen": Decoder("interleaved", {"rotary_dim": 64}, rope=_rope.fixed),
    "granite": Decoder(defaults={"attention_multiplier": 1.0}, scale=_heads.by_multiplier),
    "granitemoe": Decoder(defaults={"attention_multiplier": 1.0}, scale=_heads.by_multiplier),
    "granitemoehybrid": Decoder(
        defaults={"attention_multiplier": 1.0},
        kinds=_kinds.all_of("mamba"),
        unturned=_heads.unless_said,
        scale=_heads.by_multiplier,
    ),
    "helium": Decoder("interleaved", {"rope_theta": 100_000.0, "head_dim": 128}),
    "hunyuan_v1_dense": Decoder(rope=_rope.fixed_alpha),
    "hunyuan_v1_moe": Decoder(rope=_rope.fixed_alpha),
    "jamba": Decoder(kinds=_kinds.periodic, unturned=_heads.always),
    "kimi_linear": Decoder(kinds=_kinds.kimi_linear, heads=_heads.latent, unturned=_heads.always),
    "laguna": Decoder(
        defaults={"head_dim": 128, "sliding_window": 512, "rope_parameters": {
            "full_attention": {"rope_theta": 500_000.0, "partial_rotary_factor": 0.5},
            "sliding_attention": {"rope_theta": 10_000.0, "partial_rotary_factor": 1.0},
        }},
    ),
    "lfm2": Decoder(
        defaults={"rope_theta": 1e6}, kinds=_kinds.indexed("full_attn_idxs", "conv", None)
    ),
    "lfm2_moe": Decoder(
        defaults={"rope_theta": 1e6}, kinds=_kinds.indexed("full_attn_idxs", "conv", None)
    ),
    "lfm3": Decoder(
        defaults={"rope_theta": 1e6, "head_dim": 128, "sliding_window": 256, "rope_parameters": {
            "sliding_attention": {"rope_theta": 10_000.0},
            "full_attention": {"rope_type": "proportional", "rope_theta": 1e6,
                               "partial_rotary_factor": 0.5},
        }},
        kinds=_kinds.lfm3,
    ),
    "llama": Decoder(),
    "llama4_text": Decoder(
        "interleaved",
        {"rope_theta": 500_000.0, "head_dim": 128, "no_rope_layer_interval": 4,
         "attention_chunk_size": 8192, "attn_temperature_tuning": True, "floor_scale": 8192,
         "attn_scale": 0.1},
        kinds=_kinds.llama_4,
        unturned=_heads.listed,
        growth=_heads.llama_4_growth,
    ),
    "mimo_v2_flash": Decoder(
        defaults={"head_dim": 192, "sliding_window": 129},
        kinds=_kinds.mimo,
        window=_heads.one_more,
        rope=_rope.mimo,
        sink=lambda layer_type: layer_type == "sliding_attention",
    ),
    "minicpm3": Decoder(**MLA),
    "minimax": Decoder(
        defaults={"rope_theta": 1e6},
        kinds=_kinds.alternating("full_attention", "linear_attention"),
    ),
    "minimax_m2": Decoder(defaults={"rope_theta": 5e6, "head_dim": 128}),
    "minimax_m3_vl_text": Decoder(
        defaults={"rope_theta": 5e6, "head_dim": 128}, kinds=_kinds.minimax_m3
    ),
    "ministral": Decoder(defaults=WINDOW, kinds=_kinds.all_slide),
    "ministral3": Decoder(
        defaults={"head_dim": 128, "rope_parameters": MINISTRAL_3},
        kinds=_kinds.all_slide,
        growth=_heads.mistral_growth,
    ),
    "mistral": Decoder(defaults=WINDOW, kinds=_kinds.all_slide),
    "mistral4": Decoder(
        "interleaved", {"rope_parameters": MISTRAL_4}, growth=_heads.mistral_growth, **MLA
    ),
    "mixtral": Decoder(defaults={"rope_theta": 1e6}, kinds=_kinds.all_slide),
    "modernbert": Decoder(
        defaults={"local_attention": 128},
        kinds=_kinds.modernbert,
        window=_heads.half_to_either_side,
        rope=_rope.by_type(
            (160_000.0, "global_rope_theta"), (1e4, "local_rope_theta"), scales_both=True
        ),
        part="encoder",
        two_sided=True,
    ),
    "moonshine": Decoder("interleaved", {"partial_rotary_factor": 0.9}),
    "muse_spark_text": Decoder(
        defaults={"rope_theta": 500_000.0, "head_dim": 64, "sliding_window": 2048},
        kinds=_kinds.muse_spark,
        unturned=_heads.base_zero,
    ),
    "nemotron": Decoder(defaults=HALF),
    "nemotron_h": Decoder(
        defaults={"head_dim": 128}, kinds=_kinds.pattern, unturned=_heads.always
    ),
    "nomic_bert": Decoder(defaults={"rope_theta": 1000.0}, part="encoder", two_sided=True),
    "olmo": Decoder(),
    "olmo2": Decoder(),
    "olmo3": Decoder(
        defaults=WINDOW,
        kinds=_kinds.every(4),
        rope=_rope.by_type((500_000.0, "rope_theta"), (500_000.0, "rope_theta")),
    ),
    "olmo_hybrid": Decoder(
        defaults={"rope_theta": None},
        kinds=_kinds.every(4, "linear_attention"),
        unturned=_heads.without_base,
    ),
    "olmoe": Decoder(),
    "persimmon": Decoder(defaults=HALF),
    "phi": Decoder(defaults=HALF),
    "phi3": Decoder(kinds=_kinds.all_slide),
    "qwen2": Decoder(defaults=QWEN, kinds=_kinds.late),
    "qwen2_moe": Decoder(defaults=QWEN, kinds=_kinds.late),
    "qwen2_5_vl_text": Decoder(
        defaults={"rope_theta": 1e6, "sliding_window": 4096, "max_window_layers": 80},
        kinds=_kinds.late,
        sections=("blocks", (16, 24, 24)),
    ),
    "qwen2_vl_text": Decoder(
        defaults={"rope_theta": 1e6, "sliding_window": 4096, "max_window_layers": 80},
        kinds=_kinds.late,
        sections=("blocks", (16, 24, 24)),
    ),
    "qwen3": Decoder(defaults={"head_dim": 128, **QWEN}, kinds=_kinds.late),
    "qwen3_moe": Decoder(defaults=QWEN, kinds=_kinds.late),
    "qwen3_next": Decoder(**LINEAR),
    "qwen3_5_text": Decoder(**LINEAR, sections=("alternating", (11, 11, 10))),
    "qwen3_5_moe_text": Decoder(**LINEAR, sections=("alternating", (11, 11, 10))),
    "qwen3_vl_text": Decoder(
        defaults={"rope_theta": 500_000.0, "head_dim": 128},
        sections=("alternating", (24, 20, 20)),
    ),
    "qwen3_vl_moe_text": Decoder(
        defaults={"rope_theta": 500_000.0}, sections=("alternating", (24, 20, 20))
    ),
    "recurrent_gemma": Decoder(
        defaults={**HALF, "attention_window_size": 2048},
        kinds=_kinds.recurrent_gemma,
        window=_heads.attention_window_size,
    ),
    "seed_oss": Decoder(defaults={"head_dim": 128}),
    "smollm3": Decoder(
        defaults={"rope_theta": 2e6, "no_rope_layer_interval": 4},
        kinds=_kinds.smollm3,
        unturned=_heads.listed,
    ),
    "stablelm": Decoder(defaults=QUARTER),
    "starcoder2": Decoder(kinds=_kinds.all_slide),
    "zaya": Decoder(
        defaults={"head_dim": 128, "rope_parameters": {
            "hybrid": {"rope_theta": 5e6, "partial_rotary_factor": 0.5},
            "hybrid_sliding": {"rope_theta": 10_000.0, "partial_rotary_factor": 0.5},
        }},
        kinds=_kinds.all_of("hybrid"),
    ),
}  # fmt: skip

# What these kinds read of it; the others turn whole heads, and take layers as `kinds` has them.
# `partial_rotary_factor` of "proportional" is read by all.
READ_PART = {
    "bamba", "gemma4_text", "glm", "glm4", "glm4_moe", "glm4v_text", "glm4v_moe_text", "gpt_neox",
    "laguna", "lfm3", "mimo_v2_flash", "minimax_m2", "minimax_m3_vl_text", "moonshine", "nemotron",
    "persimmon", "phi", "phi3", "qwen3_5_text", "qwen3_5_moe_text", "qwen3_next",
    "recurrent_gemma", "stablelm", "zaya",
}  # fmt: skip
READ_ROTARY_DIM = {"codegen", "gptj", "minimax_m2"}
READ_LAYER_TYPES: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        ("cohere2", "exaone4", "gemma2", "gemma3_text", "gemma3n_text", "gemma4_text", "gpt_oss",
         "laguna", "mimo_v2_flash", "ministral", "modernbert", "muse_spark_text", "olmo3", "qwen2",
         "qwen2_moe", "qwen2_vl_text", "qwen2_5_vl_text", "qwen3", "smollm3"),
        frozenset({"full_attention", "sliding_attention"}),
    ),
    **dict.fromkeys(
        ("kimi_linear", "minimax", "olmo_hybrid", "qwen3_5_text", "qwen3_5_moe_text", "qwen3_next"),
        frozenset({"full_attention", "linear_attention"}),
    ),
    "deepseek_v4": frozenset({"sliding_attention", "compressed_sparse_attention",
                              "heavily_compressed_attention"}),
    "granitemoehybrid": frozenset({"full_attention", "attention", "linear_attention", "mamba"}),
    **dict.fromkeys(("lfm2", "lfm2_moe"), frozenset({"full_attention", "conv"})),
    "lfm3": frozenset({"full_attention", "sliding_attention", "conv"}),
    "llama4_text": frozenset({"full_attention", "chunked_attention"}),
    "minimax_m3_vl_text": frozenset({"full_attention", "minimax_m3_sparse"}),
    "zaya": frozenset({"hybrid", "hybrid_sliding"}),
}  # fmt: skip

# a configuration with several parts, whose text part has no model_type of its own in older files
TEXT_OF = {
    "clip": "clip_text_model",
    "siglip": "siglip_text_model",
    "gemma3": "gemma3_text",
    "gemma3n": "gemma3n_text",
    "gemma4": "gemma4_text",
    "glm4v": "glm4v_text",
    "glm4v_moe": "glm4v_moe_text",
    "llama4": "llama4_text",
    "qwen2_vl": "qwen2_vl_text",
    "qwen2_5_vl": "qwen2_5_vl_text",
    "qwen3_5": "qwen3_5_text",
    "qwen3_5_moe": "qwen3_5_moe_text",
    "qwen3_vl": "qwen3_vl_text",
    "qwen3_vl_moe": "qwen3_vl_moe_text",
    "minimax_m3": "minimax_m3_vl_text",
    "minimax_m3_vl": "minimax_m3_vl_text",
    "muse_spark": "muse_spark_text",
    "kimi_k2": "deepseek_v3",
    "kimi_k25": "deepseek_v3",
}
