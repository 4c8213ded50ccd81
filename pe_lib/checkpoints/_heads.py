"""Read each layer's head width, rotation, window and score scale from a model's configuration.

Each section of this module reads one of these four. The dictionary at the end of a section lists
the words that a row of `kinds.toml` may use to choose a rule.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from pe_lib import context
from pe_lib.checkpoints import _rope, _types
from pe_lib.checkpoints._config import DOUBT, Config, read_integer, read_number
from pe_lib.checkpoints._layer import Layer

# The entries of a head


class Head(NamedTuple):
    """The width of a query or key head, and which of its entries can be rotated."""

    width: int
    start: int
    rotatable: int


def read_whole_head(config: Config, layer_type: str) -> Head:
    """Read the head's width from `head_dim`, or divide the hidden size by the number of heads."""
    if config.get("head_dim") is not None:
        width = config.integer("head_dim")
    else:
        width = config.hidden_size_per_head()
    return Head(width, 0, width)


def read_divided_head(config: Config, layer_type: str) -> Head:
    """Divide the hidden size by the number of heads, and reject a `head_dim` that differs."""
    width = config.hidden_size_per_head()
    if config.get("head_dim") not in (None, width):
        config.refuse_unread("head_dim", config.get("head_dim"), f"{width}")
    return Head(width, 0, width)


def read_doubled_head(config: Config, layer_type: str) -> Head:
    """Read a head of Zamba, whose attention reads the hidden state and the embeddings together."""
    width = 2 * config.integer("hidden_size") // config.integer("num_attention_heads")
    if config.get("head_dim") not in (None, width):
        config.refuse_unread("head_dim", config.get("head_dim"), f"{width}")
    return Head(width, 0, width)


def read_latent_head(config: Config, layer_type: str) -> Head:
    """Read an MLA head, whose unrotated entries come before its rotated entries."""
    rotated = config.integer("qk_rope_head_dim", 0)
    start = config.integer("qk_nope_head_dim", 0)
    return Head(start + rotated, start, rotated)


def read_gemma_4_head(config: Config, layer_type: str) -> Head:
    """Read the width of a Gemma 4 head, which differs between full and sliding layers."""
    is_full = layer_type == "full_attention"
    width = config.integer("global_head_dim" if is_full else "head_dim")
    # Files saved by transformers also give the head width of full layers, in `per_layer_config`.
    per_layer = config.subconfig("per_layer_config")
    for name in per_layer.data:
        layer = per_layer.subconfig(name)
        if is_full and "head_dim" in layer.data:
            width = layer.integer("head_dim")
    return Head(width, 0, width)


def read_deepseek_v4_head(config: Config, layer_type: str) -> Head:
    """Read a head of DeepSeek-V4, which rotates only its last entries."""
    width = config.integer("head_dim")
    config.get("partial_rotary_factor")
    rotated = config.get("qk_rope_head_dim")
    if rotated is None:
        rotated = int(width * config.number("partial_rotary_factor"))
    rotated = read_integer(config.path_to("qk_rope_head_dim"), rotated)
    return Head(width, width - rotated, rotated)


def read_chatglm_head(config: Config, layer_type: str) -> Head:
    """Read a head of ChatGLM2 or a later ChatGLM, which rotates only its first half."""
    width = config.integer("kv_channels")
    return Head(width, 0, width // 2)


HEADS: Mapping[str, Callable[[Config, str], Head]] = {
    "whole": read_whole_head,
    "divided": read_divided_head,
    "doubled": read_doubled_head,
    "latent": read_latent_head,
    "gemma_4": read_gemma_4_head,
    "deepseek_v4": read_deepseek_v4_head,
    "chatglm": read_chatglm_head,
}


# Which layers are rotated


def is_always_rotated(config: Config, index: int, layer_type: str) -> bool:
    """Return True, because these models rotate every layer that computes attention scores."""
    return True


def is_rotated_by_list(config: Config, index: int, layer_type: str) -> bool:
    """Return whether `no_rope_layers` has a 1 for this layer, because a 1 means rotated."""
    return not _types.read_no_rope_layers(config, config.layer_count())[index]


def is_rotated_beside_windows(config: Config, index: int, layer_type: str) -> bool:
    """Return False for a full layer if other layers have a window (Command A, EXAONE 4)."""
    return layer_type != "full_attention" or config.window() is None


def is_rotated_in_cohere_moe(config: Config, index: int, layer_type: str) -> bool:
    """Return whether a layer of Cohere's MoE models is rotated, given its window and experts.

    If the model has no window, all layers are rotated. Otherwise, sliding layers are rotated. Full
    layers are rotated only if they belong to the layers without experts, and if all of these are
    full.
    """
    if is_rotated_beside_windows(config, index, layer_type):
        return True
    is_dense = index < _types.count_dense_layers(config)
    return is_dense and config.integer("prefix_dense_sliding_window_pattern") == 1


def is_rotated_by_flag(config: Config, index: int, layer_type: str) -> bool:
    """Return whether `use_mem_rope` is true (Zamba 2)."""
    return config.flag("use_mem_rope", False)


def is_rotated_if_stated(config: Config, index: int, layer_type: str) -> bool:
    """Return whether `position_embedding_type` is "rope" (Granite 4)."""
    name = config.get("position_embedding_type")
    if name not in (None, "rope", "nope"):
        config.refuse_value("position_embedding_type", "'rope', 'nope' or null", name)
    return bool(name == "rope")


def is_rotated_unless_base_is_null(config: Config, index: int, layer_type: str) -> bool:
    """Return False if the configuration sets the rotation's base to null (OLMo Hybrid)."""
    rope = _read_rope(config)
    holder = rope if "rope_theta" in rope else config.data
    return holder.get("rope_theta", 0) is not None


def is_rotated_unless_type_is_null(config: Config, index: int, layer_type: str) -> bool:
    """Return False if the dictionary for this type of layer is null (Cohere Compass)."""
    return _read_rope(config).get(layer_type, 0) is not None


def _read_rope(config: Config) -> dict[str, object]:
    """Return the parameters of the rotation from `rope_parameters` or `rope_scaling`."""
    return config.dictionary("rope_parameters") or config.dictionary("rope_scaling")


@dataclass(frozen=True)
class RotatedByBase:
    """Read `layer_rope_theta`, where a base of 0 means an unrotated layer (Muse, Granite).

    Without this key all layers are rotated. In Muse, every fourth layer, counted from the last, is
    not.
    """

    otherwise: Literal["all", "three_of_four"] = "all"

    def __call__(self, config: Config, index: int, layer_type: str) -> bool:
        bases = config.get("layer_rope_theta")
        if bases is None:
            return self.otherwise == "all" or (config.layer_count() - 1 - index) % 4 > 0
        usual = _rope.read_parameters(config).get("rope_theta") or config.get("rope_theta")
        if not isinstance(bases, list) or any(base not in (0, usual) for base in bases):
            expected = f"0 or rope_theta = {usual} for each layer"
            config.refuse_value("layer_rope_theta", expected, bases)
        return bool(bases[index] != 0)


ROTATED: Mapping[str, Callable[..., object]] = {
    "always": is_always_rotated,
    "by_no_rope_layers": is_rotated_by_list,
    "beside_windows": is_rotated_beside_windows,
    "cohere_moe": is_rotated_in_cohere_moe,
    "by_use_mem_rope": is_rotated_by_flag,
    "if_stated": is_rotated_if_stated,
    "unless_base_is_null": is_rotated_unless_base_is_null,
    "unless_type_is_null": is_rotated_unless_type_is_null,
    "by_layer_rope_theta": RotatedByBase,
}


# With these rules, a layer's window decides whether the layer is rotated.
ROTATED_BY_WINDOW = (is_rotated_beside_windows, is_rotated_in_cohere_moe)


# How many earlier keys a query sees


@dataclass(frozen=True)
class Window:
    """The configuration key that holds a window's length, and how many keys a query then sees.

    In models that see both sides, half of the window lies on each side. MiMo-V2 counts only the
    keys before the query, so the query's own key is added.
    """

    key: str = "sliding_window"
    divisor: int = 1
    added: int = 0


USUAL_WINDOW = Window()


def read_window(
    config: Config, kind: str, window: Window, needs_switch: bool, decides_rotation: bool = False
) -> int | None:
    """Return how many keys a query sees, or None if the layer has no window.

    With `needs_switch`, windows count only if `use_sliding_window` is true. If a file lists layers
    with a window and contradicts itself about the window, the window is in doubt, and a note says
    so. Such a file is refused if the window decides which layers are rotated.
    """
    if kind not in ("sliding", "compressed", "chunked"):
        return None
    switch = config.find_value("use_sliding_window") if needs_switch else True
    if switch is not True:
        state = "missing" if switch is None else "false"
        _doubt_window(config, kind, f"use_sliding_window is {state}", decides_rotation)
        return None
    if window.key == "local_attention" and config.find_value("sliding_window") is not None:
        # Newer files of ModernBERT give the window's length on one side, so it must not be halved.
        return config.integer("sliding_window") + window.added
    length = config.window("attention_chunk_size" if kind == "chunked" else window.key)
    if length is not None:
        return length // window.divisor + window.added
    length = None if kind == "chunked" else config.window()
    if length is None:
        _doubt_window(config, kind, "no length is given", decides_rotation)
    return length


def _doubt_window(config: Config, kind: str, reason: str, decides_rotation: bool) -> None:
    """Add a note that a window is in doubt, or raise ValueError if the rotation depends on it.

    Drafts of newer models list sliding layers, but leave out the switch or the length. Their
    rotation is clear, but transformers takes no window from such a file.
    """
    if decides_rotation:
        config.refuse_contradiction(f"it has layers of kind {kind!r}, and {reason}")
    length = config.window("sliding_window")
    subject = "the window" if length is None else f"sliding_window = {length}"
    config.notes.append(
        f"{subject} {DOUBT}, and no window is taken: layers of kind {kind!r} are listed, and "
        f"{reason}"
    )


# The factor that multiplies the scores, in addition to 1/√width


def scale_by_width_alone(config: Config, width: int, layer_type: str) -> float:
    """Return 1.0, the scale for models that only divide scores by √width."""
    return 1.0


def scale_by_scalar(config: Config, width: int, layer_type: str) -> float:
    """Return the scale for models that divide scores by √query_pre_attn_scalar (Gemma 2 and 3)."""
    return float((width / config.number("query_pre_attn_scalar", 1e-9)) ** 0.5)


def scale_by_scalar_if_stated(config: Config, width: int, layer_type: str) -> float:
    """Return the scale for Step 3.5, which divides scores by √width by default."""
    if config.get("query_pre_attn_scalar") is None:
        return 1.0
    return scale_by_scalar(config, width, layer_type)


def scale_by_multiplier(config: Config, width: int, layer_type: str) -> float:
    """Return the scale for models that multiply scores by `attention_multiplier` (Granite)."""
    return float(config.number("attention_multiplier", 1e-9) * width**0.5)


def scale_by_half_width(config: Config, width: int, layer_type: str) -> float:
    """Return the scale for Zamba, which divides scores by √(width/2)."""
    return float(2**0.5)


def scale_undivided(config: Config, width: int, layer_type: str) -> float:
    """Return the scale that cancels the division by √width, for Gemma 3n and Gemma 4."""
    return float(width**0.5)


def scale_by_mscale(config: Config, width: int, layer_type: str) -> float:
    """Return the square of YaRN's m(mscale_all_dim), by which DeepSeek multiplies its scores."""
    rope = _rope.read_parameters(config, layer_type)
    mscale = read_number(config.path_to("mscale_all_dim"), rope.get("mscale_all_dim") or 0, 0)
    if rope["rope_type"] == "default" or not mscale:
        return 1.0
    factor = read_number(config.path_to("factor"), rope.get("factor"), 1)
    return context.temperature(factor, mscale) ** 2


SCALES: Mapping[str, Callable[[Config, int, str], float]] = {
    "by_width_alone": scale_by_width_alone,
    "by_scalar": scale_by_scalar,
    "by_scalar_if_stated": scale_by_scalar_if_stated,
    "by_multiplier": scale_by_multiplier,
    "by_half_width": scale_by_half_width,
    "undivided": scale_undivided,
    "by_mscale": scale_by_mscale,
}


# A factor for the scores (a temperature) that grows with the position

Growth = tuple[float, int, int]  # all arguments of `context.growing` except `positions`


def read_no_growth(config: Config, is_rotated: bool) -> Growth | None:
    """Return None, because the scores of these models do not grow with the position."""
    return None


def read_llama_4_growth(config: Config, is_rotated: bool) -> Growth | None:
    """Read how scores in unrotated layers grow with the query's position (Llama 4)."""
    if is_rotated or not config.get("attn_temperature_tuning"):
        return None
    return config.number("attn_scale"), config.integer("floor_scale"), 1


def read_mistral_growth(config: Config, is_rotated: bool) -> Growth | None:
    """Read how scores in all layers grow with the position (Ministral 3, Mistral Small 4)."""
    rope, key = _rope.read_parameters(config), "original_max_position_embeddings"
    strength = rope.get("llama_4_scaling_beta")
    if not strength:
        return None
    period = read_integer(config.path_to(key), rope.get(key))
    return read_number(config.path_to("llama_4_scaling_beta"), strength), period, 0


GROWTHS: Mapping[str, Callable[[Config, bool], Growth | None]] = {
    "none": read_no_growth,
    "llama_4": read_llama_4_growth,
    "mistral": read_mistral_growth,
}


# The indexer heads, which choose the keys that a query sees

# the largest number of keys that are chosen, and the indexer
Indexed = tuple[int | None, Layer | None]


@dataclass(frozen=True)
class DeepSeekIndexer:
    """Read the indexer of DeepSeek-V3.2 and GLM-5.

    Its first entries rotate, or in HY 4 its last entries, in a layout that may differ from the
    model's.
    """

    layout: Literal["halves", "interleaved"]
    rotates_last: bool = False

    def __call__(self, config: Config, layer: Layer) -> Indexed:
        # With these settings, some layers reuse the attention keys that an earlier layer chose.
        # That changes which attention keys a query sees, but not how many.
        for key in ("index_topk_freq", "index_skip_topk_offset", "index_topk_pattern"):
            config.get(key)
        halves = self.layout == "halves"
        if config.flag("indexer_rope_interleave", not halves) != (not halves):
            config.refuse_unread("indexer_rope_interleave", halves, f"the layout {self.layout!r}")
        width = config.integer("index_head_dim")
        heads = replace(
            layer,
            width=width,
            start=width - layer.turned if self.rotates_last else 0,
            layout=self.layout,
            softmax_scale=1.0,
            kind="indexer",
        )
        return config.integer("index_topk"), heads


def read_minimax_indexer(config: Config, layer: Layer) -> Indexed:
    """Read indexer heads that choose blocks of keys and rotate as their layer does (MiniMax)."""
    older = config.subconfig("sparse_attention_config")

    def integer(older_key: str, newer_key: str) -> int:
        if older.get(older_key) is not None:
            return older.integer(older_key)
        return config.integer(newer_key)

    width = integer("sparse_index_dim", "index_head_dim")
    block = integer("sparse_block_size", "index_block_size")
    count = integer("sparse_topk_blocks", "index_topk_blocks")
    return count * block, replace(layer, width=width, softmax_scale=width**0.5, kind="indexer")


def read_qwen_indexer(config: Config, layer: Layer) -> Indexed:
    """Read indexer heads that choose `indexer_budget` keys and rotate as their layer does."""
    if config.get("indexer_n_heads") is None:
        return None, None
    for key in ("indexer_n_heads", "indexer_kv_heads", "indexer_compress_ratio"):
        config.get(key)
    heads = replace(layer, width=config.integer("indexer_head_dim"), kind="indexer")
    return config.integer("indexer_budget"), heads


INDEXERS: Mapping[str, Callable[..., object]] = {
    "deepseek": DeepSeekIndexer,
    "minimax": read_minimax_indexer,
    "qwen": read_qwen_indexer,
}
