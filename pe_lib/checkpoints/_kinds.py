"""Which type each layer has, where a configuration doesn't list them as `layer_types`."""

from collections.abc import Callable
from typing import Any

from pe_lib.checkpoints._config import Config, one_of, shown, whole

Kinds = Callable[[Config, int], list[str]]

# types of layers, in both spellings, and what a Layer calls them
KINDS = {
    "full_attention": "full",
    "attention": "full",
    "sliding_attention": "sliding",
    "chunked_attention": "chunked",
    "linear_attention": "linear",
    "indexed_attention": "indexed",  # full, but each query sees those keys that an indexer chose
    "minimax_m3_sparse": "indexed",
    "compressed_sparse_attention": "compressed",  # some keys stand for several tokens each
    "heavily_compressed_attention": "compressed",
    "hybrid": "hybrid",  # attention and a state or a convolution beside it, in one layer
    "hybrid_sliding": "sliding",
    "mamba": "mamba",
    "recurrent": "recurrent",
    "conv": "conv",
    "mlp": "mlp",
    "moe": "mlp",
}
WITH_SCORES = ("full", "sliding", "chunked", "indexed", "compressed", "hybrid")


def all_full(config: Config, n: int) -> list[str]:
    return ["full_attention"] * n


def all_of(kind: str) -> Kinds:
    return lambda config, n: [kind] * n


def all_slide(config: Config, n: int) -> list[str]:
    return ["sliding_attention" if config.window() else "full_attention"] * n


def alternating(first: str, second: str) -> Kinds:
    return lambda config, n: [second if i % 2 else first for i in range(n)]


def every(nth: int, first: str = "sliding_attention", key: str = "", last: str = "") -> Kinds:
    """Each nth layer sees all; the number may stand in the configuration."""

    def kinds(config: Config, n: int) -> list[str]:
        step = whole(f"{config.where}[{key!r}]", config.get(key, nth), 1) if key else nth
        if first == "sliding_attention" and config.window() is None:
            return ["full_attention"] * n
        found = ["full_attention" if (i + 1) % step == 0 else first for i in range(n)]
        return [*found[:-1], last] if last else found

    return kinds


def indexed(key: str, other: str, missing: tuple[int, ...] | None) -> Kinds:
    """Full attention in the layers that are listed by number; None for a missing list: in all."""

    def kinds(config: Config, n: int) -> list[str]:
        listed = _integers(config, key, config.get(key) or missing)
        return ["full_attention" if listed is None or i in listed else other for i in range(n)]

    return kinds


def late(config: Config, n: int) -> list[str]:
    """Qwen: layers from `max_window_layers` on, if windows are used at all."""
    if not config.flag("use_sliding_window", False) or config.window() is None:
        return ["full_attention"] * n
    first = config.whole("max_window_layers", 0)
    return ["full_attention" if i < first else "sliding_attention" for i in range(n)]


def no_rope(config: Config, n: int) -> list[bool]:
    """SmolLM3, Llama 4: 0 in `no_rope_layers` for each layer that is not turned, 1 for others."""
    turned = config.get("no_rope_layers")
    if not turned:
        interval = config.whole("no_rope_layer_interval")
        return [(i + 1) % interval == 0 for i in range(n)]
    if not isinstance(turned, list) or len(turned) != n or any(x not in (0, 1) for x in turned):
        raise ValueError(
            f"{config.where}['no_rope_layers'] must have 0 (not turned) or 1 for each of {n} "
            f"layers, got {shown(turned)}"
        )
    return [x == 0 for x in turned]


def smollm3(config: Config, n: int) -> list[str]:
    slides = config.flag("use_sliding_window", False) and config.window() is not None
    return [
        "sliding_attention" if slides and bare else "full_attention" for bare in no_rope(config, n)
    ]


def llama_4(config: Config, n: int) -> list[str]:
    return ["full_attention" if bare else "chunked_attention" for bare in no_rope(config, n)]


def mimo(config: Config, n: int) -> list[str]:
    """MiMo-V2: 1 in `hybrid_layer_pattern` for each layer that slides."""
    slides = _integers(config, "hybrid_layer_pattern", config.get("hybrid_layer_pattern"))
    if slides is not None:
        return ["sliding_attention" if x else "full_attention" for x in slides]
    return ["full_attention" if i == 0 or (i + 1) % 6 == 0 else "sliding_attention"
            for i in range(n)]  # fmt: skip


def modernbert(config: Config, n: int) -> list[str]:
    step = whole("global_attn_every_n_layers", config.get("global_attn_every_n_layers", 3))
    return ["sliding_attention" if i % step else "full_attention" for i in range(n)]


def deepseek_v4(config: Config, n: int) -> list[str]:
    """How many tokens a key stands for, layer by layer; the list goes on for layers not counted."""
    names = {0: "sliding_attention", 4: "compressed_sparse_attention",
             128: "heavily_compressed_attention"}  # fmt: skip
    ratios = _integers(config, "compress_ratios", config.get("compress_ratios"))
    if ratios is None:
        return [names[4 if i > 1 and i % 2 else 128] for i in range(n)]
    if not set(ratios) <= names.keys():
        raise ValueError(
            f"{config.where}['compress_ratios'] must be 0, 4 or 128 each, got {shown(ratios)}"
        )
    return [names[ratio] for ratio in ratios[:n]]


def lfm3(config: Config, n: int) -> list[str]:
    names = {2: "full_attention", 0: "sliding_attention"}
    return [names.get(i % 4, "conv") if i else "conv" for i in range(n)]


def minimax_m3(config: Config, n: int) -> list[str]:
    given = config.mapping("sparse_attention_config")
    sparse = _integers(config, "sparse_attention_freq", given.get("sparse_attention_freq"))
    if sparse is None:
        return ["full_attention"] * n
    return ["minimax_m3_sparse" if x else "full_attention" for x in sparse]


def muse_spark(config: Config, n: int) -> list[str]:
    """Each fourth layer, counted from the last, sees all."""
    return ["sliding_attention" if (n - 1 - i) % 4 else "full_attention" for i in range(n)]


def recurrent_gemma(config: Config, n: int) -> list[str]:
    types = config.get("block_types", ["recurrent", "recurrent", "attention"])
    names = {"recurrent": "recurrent", "attention": "sliding_attention"}
    if not isinstance(types, list | tuple) or not types:
        raise ValueError(f"{config.where}['block_types'] must be a list, got {shown(types)}")
    known = [names[one_of(f"{config.where}['block_types']", x, names)] for x in types]
    return (known * n)[:n]


def periodic(config: Config, n: int) -> list[str]:
    """Jamba: attention in each layer `attn_layer_offset` of a period, Mamba in the others."""
    period, first = config.whole("attn_layer_period"), config.whole("attn_layer_offset", 0)
    return ["full_attention" if i % period == first else "mamba" for i in range(n)]


def pattern(config: Config, n: int) -> list[str]:
    """Nemotron-H: a letter for each layer, or a list of types."""
    letters = {"M": "mamba", "*": "full_attention", "-": "mlp", "E": "moe"}
    found = config.get("layers_block_type")
    if found is None:
        given = config.need("hybrid_override_pattern")
        name = f"{config.where}['hybrid_override_pattern']"
        found = [letters[one_of(name, x, letters)] for x in given]
    return ["mamba" if x == "linear_attention" else x for x in found]


def kimi_linear(config: Config, n: int) -> list[str]:
    """Kimi Linear counts its layers from 1 in `linear_attn_config`."""
    given = config.mapping("linear_attn_config")
    full = _integers(config, "full_attn_layers", given.get("full_attn_layers"))
    if full is None:
        return ["full_attention" if i and i % 4 == 0 else "linear_attention" for i in range(n)]
    return ["full_attention" if i + 1 in full else "linear_attention" for i in range(n)]


def _integers(config: Config, key: str, value: Any) -> list[int] | None:
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        raise ValueError(f"{config.where}[{key!r}] must be a list of layers, got {shown(value)}")
    return [whole(f"{config.where}[{key!r}]", x, 0) for x in value]
