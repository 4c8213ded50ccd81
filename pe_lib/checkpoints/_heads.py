"""Heads: how wide, which entries are turned, in which layers, and how scores are scaled.

Each function answers one question, by the word that a row of `kinds.toml` has for it.
"""

from dataclasses import replace
from typing import Any

from pe_lib import context
from pe_lib.checkpoints import _rope, _types
from pe_lib.checkpoints._config import Config, number, whole
from pe_lib.checkpoints._layer import Layer


def head(config: Config, how: str, layer_type: str) -> tuple[int, int, int]:
    """Entries of a query and key head, the first that may be turned, and how many may be."""
    match how:
        case "whole_head":  # as given, or the hidden size shared out
            given = config.get("head_dim") is not None
            width = most = config.whole("head_dim") if given else config.shared_out()
        case "shared_out":
            width = most = config.shared_out()
            if config.get("head_dim") not in (None, width):
                config.not_read("head_dim", config.get("head_dim"), f"{width}")
        case "latent":  # MLA: a part without positions, and behind it a part that is turned
            most = config.whole("qk_rope_head_dim", 0)
            width = most + config.whole("qk_nope_head_dim", 0)
        case "wider_when_full":  # Gemma 4
            full = layer_type == "full_attention"
            width = most = config.whole("global_head_dim" if full else "head_dim")
            for layer in config.mapping("per_layer_config").values():  # as transformers saves it
                width = most = int(layer.get("head_dim", width)) if full else width
        case "last_part":  # DeepSeek-V4
            width, _ = config.whole("head_dim"), config.get("partial_rotary_factor")
            most = config.get("qk_rope_head_dim")
            if most is None:
                most = int(width * config.number("partial_rotary_factor"))
            most = whole(config.named("qk_rope_head_dim"), most)
        case "half_of_channels":  # ChatGLM from the second on; its other half follows
            width = config.whole("kv_channels")
            return width, 0, width // 2
        case _:
            raise LookupError(how)
    return width, width - most, most


def is_turned(config: Config, unless: str, i: int, layer_type: str) -> bool:
    """Whether layer i is."""
    rope = config.mapping("rope_parameters") or config.mapping("rope_scaling")
    match unless:
        case "":
            return True
        case "listed":
            return not _types.no_rope(config, config.count())[i]
        case "full_beside_windows" | "cohere_moe":  # Command A, EXAONE 4: as others have a window
            if layer_type != "full_attention" or config.window() is None:
                return True
            # Command A's larger kin: layers without experts are turned though they see all
            dense = unless == "cohere_moe" and i < config.get("first_k_dense_replace", 0)
            return dense and config.whole("prefix_dense_sliding_window_pattern") == 1
        case "unless_said":  # Granite 4
            kind = config.get("position_embedding_type")
            if kind not in (None, "rope", "nope"):
                config.wrong("position_embedding_type", "'rope', 'nope' or null", kind)
            return bool(kind == "rope")
        case "without_base":  # OLMo Hybrid: null in its place
            given = rope if "rope_theta" in rope else config.data
            return given.get("rope_theta", 0) is not None
        case "null_for_type":  # Cohere Compass: null in place of the dictionary for a type of layer
            return rope.get(layer_type, 0) is not None
        case "base_zero":  # Muse: in layer_rope_theta, or each fourth, from the last; Granite
            bases = config.get("layer_rope_theta")
            if bases is None:
                return not config.kind.startswith("muse") or (config.count() - 1 - i) % 4 > 0
            usual = _rope.parameters(config).get("rope_theta") or config.get("rope_theta")
            if not isinstance(bases, list) or any(x not in (0, usual) for x in bases):
                config.wrong("layer_rope_theta", f"0 or rope_theta = {usual} for each layer", bases)
            return bool(bases[i] != 0)
    raise LookupError(unless)


def window(
    config: Config, kind: str, switched: bool, key: str, share: int = 1, more: int = 0
) -> int | None:
    """How many keys a query sees in layers that slide: a share of what stands at `key`, and more.

    Models that see to both sides count a half of it, MiMo-V2 what comes before, and add the query's
    own position. `switched`: if windows are used at all.
    """
    if kind not in ("sliding", "compressed", "chunked"):
        return None
    if switched and not config.flag("use_sliding_window", False):
        config.differ(f"it has layers of kind {kind!r} and use_sliding_window is not true")
    if key == "local_attention" and config.stated("sliding_window") is not None:
        return config.whole("sliding_window") + more  # it takes the place of half of the other
    found = config.window("attention_chunk_size" if kind == "chunked" else key)
    found = (
        config.window() if found is None and kind != "chunked" else found and found // share + more
    )
    if found is None:
        config.differ(f"it has layers of kind {kind!r} and gives no length")
    return found


def scale(config: Config, how: str, width: int, layer_type: str) -> float:
    """What scores are multiplied by, beside 1/√width."""
    match how:
        case "":
            return 1.0
        case "by_scalar" | "by_scalar_or_width":  # Gemma 2 and 3; Step 3.5, where there is one
            if how != "by_scalar" and config.get("query_pre_attn_scalar") is None:
                return 1.0
            return float((width / config.number("query_pre_attn_scalar", 1e-9)) ** 0.5)
        case "by_multiplier":  # Granite
            return float(config.number("attention_multiplier", 1e-9) * width**0.5)
        case "undivided":  # Gemma 3n and 4: queries and keys are normed
            return float(width**0.5)
        case "by_mscale":  # DeepSeek: by the square of YaRN's m(mscale_all_dim)
            rope = _rope.parameters(config, layer_type)
            all_ = number(config.named("mscale_all_dim"), rope.get("mscale_all_dim") or 0, 0)
            if rope["rope_type"] == "default" or not all_:
                return 1.0
            factor = number(config.named("factor"), rope.get("factor"), 1)
            return context.temperature(factor, all_) ** 2
    raise LookupError(how)


def growth(config: Config, how: str, turned: bool) -> tuple[float, int, int] | None:
    """A temperature that grows with the position."""
    if how == "llama_4":  # in the layers that are not turned
        if turned or not config.get("attn_temperature_tuning"):
            return None
        return config.number("attn_scale"), config.whole("floor_scale"), 1
    if not how:
        return None
    rope, key = _rope.parameters(config), "original_max_position_embeddings"
    strength = rope.get("llama_4_scaling_beta")  # Ministral 3, Mistral Small 4: in all layers
    if not strength:
        return None
    every = whole(config.named(key), rope.get(key))
    return number(config.named("llama_4_scaling_beta"), strength), every, 0


def indexer(config: Config, layer: Layer, how: str, *more: Any) -> tuple[int | None, Layer | None]:
    """How many keys a query of an indexed layer sees at most, and the heads that choose them."""
    match how:
        case "dsa":  # DeepSeek-V3.2, GLM-5: the first entries of its own head turn; HY 4: the last
            for key in ("index_topk_freq", "index_skip_topk_offset", "index_topk_pattern"):
                config.get(key)  # which layers take the choice of an earlier one: keys are as many
            layout, *last = more
            halves = layout == "halves"
            if config.flag("indexer_rope_interleave", not halves) != (not halves):
                config.not_read("indexer_rope_interleave", halves, f"the layout {layout!r}")
            width = config.whole("index_head_dim")
            own = replace(layer, width=width, start=width - layer.turned if last else 0,
                          layout=layout, softmax_scale=1.0, kind="indexer")  # fmt: skip
            return config.whole("index_topk"), own
        case "blocks":  # MiniMax-M3: whole blocks are chosen, by heads that turn as the layer does
            older = config.inside("sparse_attention_config")
            width, size, count = (
                older.whole(f"sparse_{name}") if older.get(f"sparse_{name}") is not None
                else config.whole(f"index_{newer}") for name, newer in
                [("index_dim", "head_dim"), ("block_size",) * 2, ("topk_blocks",) * 2]
            )  # fmt: skip
            own = replace(layer, width=width, softmax_scale=width**0.5, kind="indexer")
            return count * size, own
        case "qsa":  # Qwen4: blocks, as many as the budget has tokens; turned as the layer is
            if config.get("indexer_n_heads") is None:
                return None, None
            for key in ("indexer_n_heads", "indexer_kv_heads", "indexer_compress_ratio"):
                config.get(key)
            own = replace(layer, width=config.whole("indexer_head_dim"), kind="indexer")
            return config.whole("indexer_budget"), own
    return None, None
