"""Determine the type of each layer if a configuration has no list of `layer_types`.

`RULES` lists the words that a row of `kinds.toml` may have at `types`. A rule takes the
configuration and the number of layers, and returns transformers' name of each layer's type.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pe_lib.checkpoints._config import Config, read_integer, require_known
from pe_lib.checkpoints._keys import KEYS
from pe_lib.checkpoints._records import require_word

KINDS = KEYS.types  # how a `Layer` names each type of layer
WITH_SCORES = ("full", "sliding", "chunked", "indexed", "compressed", "hybrid", "cross")
FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"
WINDOWED = "windowed_attention"  # means "sliding" if the file gives a window, and else "full"

Types = tuple[str, ...]
Rule = Callable[[Config, int], list[str]]


def rename_type(name: str) -> str:
    """Return the newer name for a type of layer."""
    return KEYS.renamed_types.get(name, name)


def require_types(where: str, types: Sequence[str]) -> None:
    """Raise LookupError if a table contains an unknown type of layer."""
    for name in types:
        require_word(where, name, [*KINDS, WINDOWED])


def settle_windows(config: Config, types: Sequence[str]) -> list[str]:
    """Replace "windowed_attention" by "sliding" if the file gives a window, and else by "full"."""
    if WINDOWED not in types:
        return [*types]
    windowed = SLIDING if config.window() else FULL
    return [windowed if name == WINDOWED else name for name in types]


@dataclass(frozen=True)
class Rounds:
    """Repeat a pattern of layer types, between first and last layers that have other types.

    At `length_key`, the file may give the length of a round, or a string of that length. In that
    case one layer of each round is full, either the first or the last, as in `repeat`.
    """

    repeat: Types
    first: Types = ()
    last: Types = ()
    length_key: str = ""

    def __post_init__(self) -> None:
        require_types("a round of types", (*self.repeat, *self.first, *self.last))

    def __call__(self, config: Config, count: int) -> list[str]:
        repeat = self.repeat
        value = config.get(self.length_key) if self.length_key else None
        if isinstance(value, str):
            repeat = self.resize(len(value))
        elif value is not None:
            repeat = self.resize(read_integer(config.path_to(self.length_key), value))
        before_last = (*self.first, *repeat * count)[: count - len(self.last)]
        return settle_windows(config, (*before_last, *self.last))

    def resize(self, length: int) -> Types:
        """Return a pattern of this length that has one full layer."""
        others = next((name for name in self.repeat if name != FULL), WINDOWED)
        rest = (others,) * (length - 1)
        begins_full = self.repeat[0] == FULL and self.repeat[-1] != FULL
        return (FULL, *rest) if begins_full else (*rest, FULL)


ALL_FULL = Rounds((FULL,))


@dataclass(frozen=True)
class Coded:
    """Read each layer's type from a list of numbers, or repeat a pattern if there is no list.

    With `lists_more_layers`, the list may be longer than the number of layers.
    """

    key: str
    codes: Mapping[str, str]
    inside: str = ""  # the key of the dictionary that contains the list
    repeat: Types = ()
    first: Types = ()
    lists_more_layers: bool = False

    def __post_init__(self) -> None:
        require_types(f"codes of {self.key}", [*self.codes.values()])

    def __call__(self, config: Config, count: int) -> list[str]:
        if self.inside:
            config = config.subconfig(self.inside)
        codes = config.integers(self.key)
        if codes is None:
            return Rounds(self.repeat, self.first)(config, count)
        if not {*map(str, codes)} <= self.codes.keys():
            config.refuse_value(self.key, f"{', '.join(self.codes)} each", codes)
        if len(codes) != count and not self.lists_more_layers:
            config.refuse_value(self.key, f"a list with a number for each of {count} layers", codes)
        types = [self.codes[str(code)] for code in codes]
        return settle_windows(config, types[: count if self.lists_more_layers else None])


@dataclass(frozen=True)
class Listed:
    """Give one type to the layers that a configuration lists, and another type to all other layers.

    If the file has no list, `usual` takes its place, or every layer if `usual` is missing, too.
    """

    key: str
    listed: str
    others: str
    usual: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        require_types(f"types by {self.key}", (self.listed, self.others))

    def __call__(self, config: Config, count: int) -> list[str]:
        numbers: Sequence[int] | None = config.integers(self.key)
        numbers = self.usual if numbers is None else numbers
        return [
            self.listed if numbers is None or i in numbers else self.others for i in range(count)
        ]


@dataclass(frozen=True)
class SlidingByNumber:
    """Decide whether a layer of Qwen slides, by comparing its number with `max_window_layers`.

    The layers that slide are the layers from `max_window_layers` on, every other layer before it
    (Qwen2-MoE), or all layers (Qwen3-MoE). With `needs_switch`, layers slide only if
    `use_sliding_window` is true.
    """

    layers: Literal["after", "every_other_before", "all"] = "after"
    needs_switch: bool = True

    def __call__(self, config: Config, count: int) -> list[str]:
        is_on = config.flag("use_sliding_window", False) if self.needs_switch else True
        config.get("max_window_layers")
        if not is_on or config.window() is None:
            return [FULL] * count
        border = min(count, config.integer("max_window_layers", 0))
        sliding = {
            "after": range(border, count),
            "every_other_before": range(0, border, 2),
            "all": range(count),
        }[self.layers]
        return [SLIDING if i in sliding else FULL for i in range(count)]


def read_no_rope_layers(config: Config, count: int) -> list[bool]:
    """For each layer, return whether it is unrotated, as a 0 in `no_rope_layers` says.

    SmolLM3 and Llama 4 use this list. Without it, every `no_rope_layer_interval`-th layer is
    unrotated.
    """
    flags, interval = config.get("no_rope_layers"), config.integer("no_rope_layer_interval")
    if not flags:
        return [(i + 1) % interval == 0 for i in range(count)]
    is_complete = isinstance(flags, list) and len(flags) == count
    if not is_complete or any(flag not in (0, 1) for flag in flags):
        expected = f"0 (not rotated) or 1 for each of {count} layers"
        config.refuse_value("no_rope_layers", expected, flags)
    return [flag == 0 for flag in flags]


def read_smollm3(config: Config, count: int) -> list[str]:
    """Return the layer types of SmolLM3, where unrotated layers slide if there is a window."""
    slides = config.flag("use_sliding_window", False) and config.window() is not None
    config.get("max_window_layers")
    unrotated = read_no_rope_layers(config, count)
    return [SLIDING if slides and unrotated[i] else FULL for i in range(count)]


def read_llama_4(config: Config, count: int) -> list[str]:
    """Return the layer types of Llama 4, where unrotated layers are full and all others chunked."""
    unrotated = read_no_rope_layers(config, count)
    return [FULL if unrotated[i] else "chunked_attention" for i in range(count)]


def read_muse_spark(config: Config, count: int) -> list[str]:
    """Return the layer types of Muse, where every fourth layer from the end is full."""
    return Rounds((FULL, SLIDING, SLIDING, SLIDING))(config, count)[::-1]


def read_recurrent_gemma(config: Config, count: int) -> list[str]:
    """Return the layer types of RecurrentGemma, which repeats the list in `block_types`."""
    types = {"recurrent": "recurrent", "attention": SLIDING}
    blocks = config.get("block_types", ["recurrent", "recurrent", "attention"])
    if not isinstance(blocks, list | tuple) or not blocks:
        config.refuse_value("block_types", "a list", blocks)
    path = config.path_to("block_types")
    repeat = tuple(types[require_known(path, block, types)] for block in blocks)
    return Rounds(repeat)(config, count)


def read_jamba(config: Config, count: int) -> list[str]:
    """Return the layer types of Jamba, where each period has one full layer among Mamba layers."""
    period, first = config.integer("attn_layer_period"), config.integer("attn_layer_offset", 0)
    return [FULL if i % period == first else "mamba" for i in range(count)]


def read_zamba(config: Config, count: int) -> list[str]:
    """Return the layer types of Zamba: the third layer is hybrid, and later one in each period."""
    period, first = config.integer("attn_layer_period"), config.integer("attn_layer_offset", 0)
    rest = ["hybrid" if i % period == first else "mamba" for i in range(count - 3)]
    return ["mamba", "mamba", "hybrid", *rest][:count]


def read_zamba_2(config: Config, count: int) -> list[str]:
    """Return the layer types of Zamba 2, whose class has a list for models with 54 layers only."""
    types = ["mamba"]
    # A hybrid layer ends each of seven runs of six layers, a run of five and a run of four.
    for length, times in ((6, 7), (5, 1), (4, 1)):
        types += [*["mamba"] * (length - 1), "hybrid"] * times
    types += ["mamba"] * 2
    if config.get("layer_types") is None and count != len(types):
        expected = f"{len(types)}, or layers_block_type given"
        config.refuse_value("num_hidden_layers", expected, count)
    return (types * count)[:count]


def read_nemotron_h(config: Config, count: int) -> list[str]:
    """Read the layer types of Nemotron-H, given as a list or as a word with a letter per layer."""
    types = {"M": "mamba", "*": FULL, "-": "mlp", "E": "moe"}
    key, listed = "hybrid_override_pattern", config.get("layers_block_type")
    config.get(key)
    if listed is not None:
        if not isinstance(listed, list | tuple):
            config.refuse_value("layers_block_type", "a list of types", listed)
        return [*listed]
    letters = config.need(key)
    if not isinstance(letters, str | list | tuple):
        config.refuse_value(key, f"a letter for each layer, of {', '.join(types)}", letters)
    return [types[require_known(config.path_to(key), letter, types)] for letter in letters]


def read_kimi_linear(config: Config, count: int) -> list[str]:
    """Read the layer types of Kimi Linear, which lists its full layers, counted from 1."""
    full = config.subconfig("linear_attn_config").integers("full_attn_layers")
    if full is None:
        return Rounds((LINEAR, LINEAR, LINEAR, FULL), first=(LINEAR,))(config, count)
    return [FULL if i + 1 in full else LINEAR for i in range(count)]


def count_dense_layers(config: Config) -> int:
    """Return the number of layers that have no experts."""
    key = "first_k_dense_replace"
    return read_integer(config.path_to(key), config.get(key, 0), 0)


def read_cohere_moe(config: Config, count: int) -> list[str]:
    """Read the layer types of Cohere's MoE models, whose dense layers follow their own pattern."""
    dense = count_dense_layers(config)
    first = Rounds((FULL,), length_key="prefix_dense_sliding_window_pattern")
    others = Rounds((WINDOWED, WINDOWED, WINDOWED, FULL), length_key="sliding_window_pattern")
    return first(config, dense) + others(config, count - dense)


def read_blocks(config: Config, count: int) -> list[str]:
    """Read the layer types of Nemotron-NAS, in which a block may have no attention."""
    blocks = config.need("block_configs")
    if not isinstance(blocks, list | tuple):
        config.refuse_value("block_configs", "a list of blocks", blocks)
    attentions = []
    for block in blocks:
        attention = (block.get("attention") if isinstance(block, Mapping) else block) or {}
        if not isinstance(attention, Mapping):
            config.refuse_value("block_configs", "a list of dictionaries with 'attention'", block)
        attentions.append(attention)
    for attention in attentions:
        for key in ("replace_with_linear", "sparsify", "window_length", "num_sink_tokens"):
            if attention.get(key):
                value = {key: attention[key]}
                config.refuse_unread("block_configs", value, "full attention or none")
    return ["mlp" if attention.get("no_op") else FULL for attention in attentions]


RULES: Mapping[str, Callable[..., object]] = {
    "rounds": Rounds,
    "coded": Coded,
    "listed": Listed,
    "sliding_by_number": SlidingByNumber,
    "smollm3": read_smollm3,
    "llama_4": read_llama_4,
    "muse_spark": read_muse_spark,
    "recurrent_gemma": read_recurrent_gemma,
    "jamba": read_jamba,
    "zamba": read_zamba,
    "zamba_2": read_zamba_2,
    "nemotron_h": read_nemotron_h,
    "kimi_linear": read_kimi_linear,
    "cohere_moe": read_cohere_moe,
    "blocks": read_blocks,
}


def needs_switch(rule: Rule) -> bool:
    """Return whether layers of this rule slide only if `use_sliding_window` is true."""
    return rule is read_smollm3 or (isinstance(rule, SlidingByNumber) and rule.needs_switch)
