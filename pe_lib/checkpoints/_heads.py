"""Heads: how wide, which entries are turned, in which layers, and how scores are scaled.

Rows of `kinds.toml` name these functions.
"""

from dataclasses import replace
from typing import Literal, NamedTuple

from pe_lib import context
from pe_lib.checkpoints import _rope, _types
from pe_lib.checkpoints._config import Config, number, whole
from pe_lib.checkpoints._layer import Layer


class Head(NamedTuple):
    """Entries of a query and key head, the first that may be turned, and how many may be."""

    width: int
    start: int
    most: int


def whole_head(config: Config, layer_type: str) -> Head:
    """As given, or the hidden size shared out."""
    if config.get("head_dim") is not None:
        width = config.whole("head_dim")
    else:
        width = config.shared_out(", and head_dim is not given")
    return Head(width, 0, width)


def latent(config: Config, layer_type: str) -> Head:
    """MLA: a part without positions, and behind it a part that is turned."""
    plain, turned = config.whole("qk_nope_head_dim", 0), config.whole("qk_rope_head_dim")
    return Head(plain + turned, plain, turned)


def wider_when_full(config: Config, layer_type: str) -> Head:
    """Gemma 4: heads of layers that see all are wider."""
    full = layer_type == "full_attention"
    width = config.whole("global_head_dim" if full else "head_dim")
    return Head(width, 0, width)


def last_part(config: Config, layer_type: str) -> Head:
    """DeepSeek-V4: the last entries of a head are turned."""
    width, _ = config.whole("head_dim"), config.get("partial_rotary_factor")
    turned = config.get("qk_rope_head_dim")
    if turned is None:
        turned = int(width * config.number("partial_rotary_factor"))
    turned = whole(config.named("qk_rope_head_dim"), turned)
    return Head(width, width - turned, turned)


def half_of_channels(config: Config, layer_type: str) -> Head:
    """ChatGLM from the second on: half of `kv_channels`."""
    width = config.whole("kv_channels")
    return Head(width, 0, width // 2)


# which layers are not turned


def listed(config: Config, i: int, layer_type: str) -> bool:
    return _types.no_rope(config, config.count())[i]


def full_beside_windows(config: Config, i: int, layer_type: str) -> bool:
    """Command A, EXAONE 4: layers that see all are not turned, as long as others have a window."""
    return layer_type == "full_attention" and config.window() is not None


def cohere_moe(config: Config, i: int, layer_type: str) -> bool:
    """Command A's larger kin: layers without experts are turned though they see all."""
    dense = i < config.get("first_k_dense_replace", 0)
    forced = dense and config.whole("prefix_dense_sliding_window_pattern") == 1
    return full_beside_windows(config, i, layer_type) and not forced


def unless_said(config: Config, i: int, layer_type: str) -> bool:
    """Granite 4: turned only if `position_embedding_type` is "rope"."""
    kind = config.get("position_embedding_type")
    if kind not in (None, "rope", "nope"):
        config.wrong("position_embedding_type", "'rope', 'nope' or null", kind)
    return bool(kind != "rope")


def without_base(config: Config, i: int, layer_type: str) -> bool:
    """OLMo Hybrid: turned only if a base is given."""
    return _rope.parameters(config, layer_type).get("rope_theta") is None


def base_zero(config: Config, i: int, layer_type: str) -> bool:
    """Muse Spark, Granite: 0 in `layer_rope_theta`, or (Muse) each fourth, from the last."""
    bases = config.get("layer_rope_theta")
    if bases is None:
        return config.kind.startswith("muse") and (config.count() - 1 - i) % 4 == 0
    usual = _rope.parameters(config).get("rope_theta") or config.get("rope_theta")
    if not isinstance(bases, list) or any(x not in (0, usual) for x in bases):
        config.wrong("layer_rope_theta", f"0 or rope_theta = {usual} for each layer", bases)
    return bool(bases[i] == 0)


# how many keys a query sees in layers that slide


def window(config: Config, key: str, share: int = 1, more: int = 0) -> int | None:
    """A share of what stands at `key`, and some more; without it, `sliding_window`.

    Models that see to both sides count a half of it, MiMo-V2 what comes before, and add the query's
    own position.
    """
    found = config.window(key)
    return config.window() if found is None else found // share + more


def half_before(config: Config) -> int | None:
    """ModernBERT as a decoder: half of `local_attention`, itself among them, if nothing is said."""
    half = config.whole("local_attention") // 2
    return half if config.stated("sliding_window") is None else config.window()


# what scores are multiplied by, beside 1/√width


def by_scalar(config: Config, width: int, layer_type: str) -> float:
    """Gemma 2 and 3: scores are divided by √query_pre_attn_scalar."""
    return float((width / config.positive("query_pre_attn_scalar")) ** 0.5)


def by_scalar_or_width(config: Config, width: int, layer_type: str) -> float:
    """Step 3.5: as Gemma, where the file has a scalar."""
    return 1.0 if config.get("query_pre_attn_scalar") is None else by_scalar(config, width, "")


def by_multiplier(config: Config, width: int, layer_type: str) -> float:
    """Granite: scores are multiplied by attention_multiplier."""
    return float(config.positive("attention_multiplier") * width**0.5)


def undivided(config: Config, width: int, layer_type: str) -> float:
    """Gemma 3n and 4: scores of normed queries and keys are not divided."""
    return float(width**0.5)


def by_mscale(config: Config, width: int, layer_type: str) -> float:
    """DeepSeek: all scores grow by the square of YaRN's m(mscale_all_dim)."""
    rope = _rope.parameters(config, layer_type)
    all_ = number(config.named("mscale_all_dim"), rope.get("mscale_all_dim") or 0, 0)
    if rope["rope_type"] == "default" or not all_:
        return 1.0
    factor = number(config.named("factor"), rope.get("factor"), 1)
    return context.temperature(factor, all_) ** 2


# a temperature that grows with the position


def llama_4_growth(config: Config, turned: bool) -> tuple[float, int, int] | None:
    """Llama 4: in the layers that are not turned."""
    if turned or not config.get("attn_temperature_tuning"):
        return None
    return config.number("attn_scale"), config.whole("floor_scale"), 1


def mistral_growth(config: Config, turned: bool) -> tuple[float, int, int] | None:
    """Ministral 3, Mistral Small 4: in all layers, by the length before YaRN."""
    rope = _rope.parameters(config)
    strength = rope.get("llama_4_scaling_beta")
    if not strength:
        return None
    key = "original_max_position_embeddings"
    return (
        number(config.named("llama_4_scaling_beta"), strength),
        whole(config.named(key), rope.get(key)),
        0,
    )


# indexers: how many keys a query sees at most, and the heads that choose them


def dsa(
    config: Config, layer: Layer, layout: Literal["halves", "interleaved"]
) -> tuple[int, Layer]:
    """DeepSeek-V3.2, GLM-5: the first entries of its own head turn."""
    for key in ("index_topk_freq", "index_skip_topk_offset", "index_topk_pattern"):
        config.get(key)  # which layers take the choice of an earlier one: the keys are as many
    if config.flag("indexer_rope_interleave", layout == "interleaved") != (layout != "halves"):
        config.not_read("indexer_rope_interleave", layout == "halves", f"the layout {layout!r}")
    width = config.whole("index_head_dim")
    own = replace(layer, width=width, start=0, layout=layout, softmax_scale=1.0, kind="indexer")
    return config.whole("index_topk"), own


def block_indexer(config: Config, layer: Layer) -> tuple[int, Layer]:
    """MiniMax-M3: whole blocks of keys are chosen, by heads that turn as the layer does."""
    given = config.inside("sparse_attention_config")

    def of(key: str, older: str) -> int:
        return given.whole(older) if given.get(older) is not None else config.whole(key)

    width = of("index_head_dim", "sparse_index_dim")
    keys = of("index_topk_blocks", "sparse_topk_blocks") * of(
        "index_block_size", "sparse_block_size"
    )
    return keys, replace(layer, width=width, softmax_scale=width**0.5, kind="indexer")


def qsa(config: Config, layer: Layer) -> tuple[int | None, Layer | None]:
    """Qwen4: blocks of keys, as many as the budget has tokens; turned as the layer is."""
    if config.get("indexer_n_heads") is None:
        return None, None
    for key in ("indexer_n_heads", "indexer_kv_heads", "indexer_compress_ratio"):
        config.get(key)
    width = config.whole("indexer_head_dim")
    return config.whole("indexer_budget"), replace(layer, width=width, kind="indexer")
