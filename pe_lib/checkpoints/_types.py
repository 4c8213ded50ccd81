"""Which type each layer has, where a configuration doesn't list them as `layer_types`.

A rule takes the configuration, the number of layers, and what its row in `kinds.toml` adds.
"""

from pe_lib.checkpoints._config import Config, one_of, shown, whole

# types of layers, and what a Layer calls them
KINDS = {
    "full_attention": "full",
    "sliding_attention": "sliding",
    "chunked_attention": "chunked",
    "linear_attention": "linear",
    "indexed_attention": "indexed",  # full, but each query sees those keys that an indexer chose
    "minimax_m3_sparse": "indexed",
    "compressed_sparse_attention": "compressed",  # some keys stand for several tokens each
    "heavily_compressed_attention": "compressed",
    "hybrid": "hybrid",  # attention and a state or a convolution beside it, in one layer
    "hybrid_sliding": "sliding",
    "cross_attention": "cross",  # of what another tower has read
    "mamba": "mamba",
    "recurrent": "recurrent",
    "conv": "conv",
    "mlp": "mlp",
    "moe": "mlp",
}
OLD_TYPES = {  # as transformers renames them
    "attention": "full_attention",
    "deepseek_sparse_attention": "indexed_attention",
    "qwen_sparse_attention": "indexed_attention",
}
WITH_SCORES = ("full", "sliding", "chunked", "indexed", "compressed", "hybrid", "cross")
FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"


def all_of(config: Config, n: int, kind: str) -> list[str]:
    return [kind] * n


def all_slide(config: Config, n: int) -> list[str]:
    return [SLIDING if config.window() else FULL] * n


def all_slide_if_said(config: Config, n: int) -> list[str]:
    slides = config.flag("use_sliding_window", False) and config.window() is not None
    return [SLIDING if slides else FULL] * n


def alternating(config: Config, n: int, first: str, second: str) -> list[str]:
    return [second if i % 2 else first for i in range(n)]


def every(
    config: Config, n: int, nth: int, first: str = SLIDING, key: str = "", last: str = ""
) -> list[str]:
    """Each nth layer sees all; the number may stand in the configuration, or a round of letters."""
    given = config.get(key, nth) if key else nth
    step = len(given) if isinstance(given, str) else whole(f"{config.where}[{key!r}]", given, 1)
    if first == SLIDING and config.window() is None:
        return [FULL] * n
    found = [FULL if (i + 1) % step == 0 else first for i in range(n)]
    return [*found[:-1], last] if last else found


def first_of(config: Config, n: int, nth: int) -> list[str]:
    """Each nth layer sees all, the first among them."""
    return [SLIDING if i % nth else FULL for i in range(n)]


def listed(
    config: Config, n: int, key: str, other: str, missing: list[int] | None = None
) -> list[str]:
    """Full attention in the layers that are listed by number; None for a missing list: in all."""
    full = config.integers(key) or missing
    return [FULL if full is None or i in full else other for i in range(n)]


def late(config: Config, n: int) -> list[str]:
    """Qwen: layers from `max_window_layers` on, if windows are used at all."""
    slides = config.flag("use_sliding_window", False)
    config.get("max_window_layers")
    if not slides or config.window() is None:
        return [FULL] * n
    first = config.whole("max_window_layers", 0)
    return [FULL if i < first else SLIDING for i in range(n)]


def no_rope(config: Config, n: int) -> list[bool]:
    """SmolLM3, Llama 4: 0 in `no_rope_layers` for each layer that is not turned, 1 for others."""
    turned, interval = config.get("no_rope_layers"), config.whole("no_rope_layer_interval")
    if not turned:
        return [(i + 1) % interval == 0 for i in range(n)]
    if not isinstance(turned, list) or len(turned) != n or any(x not in (0, 1) for x in turned):
        raise ValueError(
            f"{config.where}['no_rope_layers'] must have 0 (not turned) or 1 for each of {n} "
            f"layers, got {shown(turned)}"
        )
    return [x == 0 for x in turned]


def smollm3(config: Config, n: int) -> list[str]:
    slides = config.flag("use_sliding_window", False) and config.window() is not None
    config.get("max_window_layers")
    return [SLIDING if slides and bare else FULL for bare in no_rope(config, n)]


def llama_4(config: Config, n: int) -> list[str]:
    return [FULL if bare else "chunked_attention" for bare in no_rope(config, n)]


def mimo(config: Config, n: int) -> list[str]:
    """MiMo-V2: 1 in `hybrid_layer_pattern` for each layer that slides."""
    usual = [0 if i == 0 or (i + 1) % 6 == 0 else 1 for i in range(n)]
    slides = config.integers("hybrid_layer_pattern", usual)
    return [SLIDING if x else FULL for x in slides or usual]


def modernbert(config: Config, n: int) -> list[str]:
    step = whole("global_attn_every_n_layers", config.get("global_attn_every_n_layers", 3))
    return first_of(config, n, step)


def deepseek_v4(config: Config, n: int) -> list[str]:
    """How many tokens a key stands for, layer by layer; the list goes on for layers not counted."""
    names = {0: SLIDING, 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}
    ratios = config.integers("compress_ratios")
    if ratios is None:
        return [names[4 if i > 1 and i % 2 else 128] for i in range(n)]
    if not set(ratios) <= names.keys():
        raise ValueError(
            f"{config.where}['compress_ratios'] must be 0, 4 or 128 each, got {shown(ratios)}"
        )
    return [names[ratio] for ratio in ratios[:n]]


def lfm3(config: Config, n: int) -> list[str]:
    names = {2: FULL, 0: SLIDING}
    return [names.get(i % 4, "conv") if i else "conv" for i in range(n)]


def minimax_m3(config: Config, n: int) -> list[str]:
    """1 in `sparse_attention_freq` for each layer with an indexer."""
    sparse = config.inside("sparse_attention_config").integers("sparse_attention_freq")
    return [FULL] * n if sparse is None else ["minimax_m3_sparse" if x else FULL for x in sparse]


def muse_spark(config: Config, n: int) -> list[str]:
    """Each fourth layer, counted from the last, sees all."""
    return [SLIDING if (n - 1 - i) % 4 else FULL for i in range(n)]


def recurrent_gemma(config: Config, n: int) -> list[str]:
    types = config.get("block_types", ["recurrent", "recurrent", "attention"])
    names = {"recurrent": "recurrent", "attention": SLIDING}
    if not isinstance(types, list | tuple) or not types:
        raise ValueError(f"{config.where}['block_types'] must be a list, got {shown(types)}")
    known = [names[one_of(f"{config.where}['block_types']", x, names)] for x in types]
    return (known * n)[:n]


def periodic(config: Config, n: int) -> list[str]:
    """Jamba: attention in each layer `attn_layer_offset` of a period, Mamba in the others."""
    period, first = config.whole("attn_layer_period"), config.whole("attn_layer_offset", 0)
    return [FULL if i % period == first else "mamba" for i in range(n)]


def pattern(config: Config, n: int) -> list[str]:
    """Nemotron-H: a letter for each layer, or a list of types."""
    letters = {"M": "mamba", "*": FULL, "-": "mlp", "E": "moe"}
    found, given = config.get("layers_block_type"), config.get("hybrid_override_pattern")
    if found is None:
        given = config.need("hybrid_override_pattern")
        name = f"{config.where}['hybrid_override_pattern']"
        found = [letters[one_of(name, x, letters)] for x in given]
    return [OLD_TYPES.get(x, x) for x in found]


def kimi_linear(config: Config, n: int) -> list[str]:
    """Kimi Linear counts its layers from 1 in `linear_attn_config`."""
    full = config.inside("linear_attn_config").integers("full_attn_layers")
    if full is None:
        return [FULL if i and i % 4 == 0 else LINEAR for i in range(n)]
    return [FULL if i + 1 in full else LINEAR for i in range(n)]


def cohere_moe(config: Config, n: int) -> list[str]:
    """Layers without experts come first, and count for themselves."""
    dense = config.get("first_k_dense_replace", 0)
    return [
        *every(config, dense, 1, SLIDING, "prefix_dense_sliding_window_pattern"),
        *every(config, n - dense, 4, SLIDING, "sliding_window_pattern"),
    ]


def from_layer(config: Config, n: int) -> list[str]:
    """dots.llm1: layers from `max_window_layers` on."""
    first = config.whole("max_window_layers", 0)
    return [SLIDING if config.window() and i >= first else FULL for i in range(n)]


def flint(config: Config, n: int) -> list[str]:
    return [FULL if i < 2 or i % 4 == 1 or i == n - 1 else SLIDING for i in range(n)]


def excepted(config: Config, n: int, key: str, other: str, missing: list[int]) -> list[str]:
    """Another type in the layers that are listed by number."""
    found = config.integers(key, missing) or []
    return [other if i in found else FULL for i in range(n)]


def by_number(config: Config, n: int, key: str) -> list[str]:
    """MiniMax-01: 1 for each layer that attends, 0 for each that is linear."""
    return [FULL if x else LINEAR for x in config.integers(key) or []]


def by_block(config: Config, n: int) -> list[str]:
    """Nemotron-NAS: what each block has in place of attention."""
    blocks = config.need("block_configs")
    attention = [(block or {}).get("attention") or {} for block in blocks]
    for block in attention:
        for key in ("replace_with_linear", "sparsify", "window_length", "num_sink_tokens"):
            if block.get(key):
                config.not_read("block_configs", {key: block[key]}, "full attention or none")
    return ["mlp" if block.get("no_op") else FULL for block in attention]
