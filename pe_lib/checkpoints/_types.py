"""Which type each layer has, where a configuration doesn't list them as `layer_types`.

A rule takes the configuration, the number of layers, and what its row in `kinds.toml` adds.
"""

from pe_lib.checkpoints._config import Config, one_of, whole, words

KINDS = {name: kind for name, (_, kind) in words()["types"].items()}
LETTERS = {letter: name for name, (letter, _) in words()["types"].items()}
WITH_SCORES = ("full", "sliding", "chunked", "indexed", "compressed", "hybrid", "cross")
FULL, SLIDING = "full_attention", "sliding_attention"


def renamed(name: str) -> str:
    """A type by its newer word."""
    found: str = words()["types_renamed"].get(name, name)
    return found


def spelled(config: Config, letters: str) -> list[str]:
    """Types by their letters; "w" slides where the configuration gives a window."""
    either = SLIDING if "w" in letters and config.window() else FULL
    return [LETTERS.get(x, either) for x in letters]


def rounds(
    config: Config, n: int, again: str, key: str = "", first: str = "", last: str = ""
) -> list[str]:
    """A round of letters, after the first ones and before the last.

    At `key` the file may say how long a round is, or give a text so long: one layer of it sees all.
    """
    given = config.get(key) if key else None
    if given is not None:
        length = len(given) if isinstance(given, str) else whole(config.named(key), given)
        others = (again.strip("f")[:1] or "w") * (length - 1)
        again = "f" + others if again[0] == "f" != again[-1] else others + "f"
    return spelled(config, (first + again * n)[: n - len(last)] + last)


def coded(
    config: Config, n: int, path: str, codes: dict[str, str], again: str, first: str = "",
    longer: bool = False,
) -> list[str]:  # fmt: skip
    """A number for each layer in a list, `longer` for some that are not counted; or rounds."""
    *outer, key = path.split(".")
    for name in outer:
        config = config.inside(name)
    given = config.integers(key)
    if given is None:
        return rounds(config, n, again, "", first)
    if not {*map(str, given)} <= codes.keys():
        config.wrong(key, f"{', '.join(codes)} each", given)
    return spelled(config, "".join(codes[str(x)] for x in given))[: n if longer else None]


def listed(
    config: Config, n: int, key: str, inside: str, others: str, missing: list[int] | None = None
) -> list[str]:
    """A type for the layers that are listed by number; all have it without list or `missing`."""
    some = config.integers(key)
    some = missing if some is None else some
    letters = [inside if some is None or i in some else others for i in range(n)]
    return spelled(config, "".join(letters))


def late(config: Config, n: int, switched: bool = True, which: str = "after") -> list[str]:
    """Qwen: windows in layers from `max_window_layers` on, if at all; dots.llm1: in any case.

    "before": in every other one before it (Qwen2-MoE); "all": in all (Qwen3-MoE).
    """
    slides = config.flag("use_sliding_window", False) if switched else True
    config.get("max_window_layers")
    if not slides or config.window() is None:
        return [FULL] * n
    first = min(n, config.whole("max_window_layers", 0))
    there = {"after": range(first, n), "before": range(0, first, 2), "all": range(n)}[which]
    return [SLIDING if i in there else FULL for i in range(n)]


def no_rope(config: Config, n: int) -> list[bool]:
    """SmolLM3, Llama 4: 0 in `no_rope_layers` for each layer that is not turned, 1 for others."""
    turned, interval = config.get("no_rope_layers"), config.whole("no_rope_layer_interval")
    if not turned:
        return [(i + 1) % interval == 0 for i in range(n)]
    if not isinstance(turned, list) or len(turned) != n or any(x not in (0, 1) for x in turned):
        config.wrong("no_rope_layers", f"0 (not turned) or 1 for each of {n} layers", turned)
    return [x == 0 for x in turned]


def smollm3(config: Config, n: int) -> list[str]:
    slides = config.flag("use_sliding_window", False) and config.window() is not None
    config.get("max_window_layers")
    return [SLIDING if slides and bare else FULL for bare in no_rope(config, n)]


def llama_4(config: Config, n: int) -> list[str]:
    return [FULL if bare else "chunked_attention" for bare in no_rope(config, n)]


def muse_spark(config: Config, n: int) -> list[str]:
    """Each fourth layer, counted from the last, sees all."""
    return rounds(config, n, "fsss")[::-1]


def recurrent_gemma(config: Config, n: int) -> list[str]:
    types = config.get("block_types", ["recurrent", "recurrent", "attention"])
    letters = {"recurrent": "r", "attention": "s"}
    if not isinstance(types, list | tuple) or not types:
        config.wrong("block_types", "a list", types)
    known = (letters[one_of(config.named("block_types"), x, letters)] for x in types)
    return rounds(config, n, "".join(known))


def periodic(config: Config, n: int) -> list[str]:
    """Jamba: attention in each layer `attn_layer_offset` of a period, Mamba in the others."""
    period, first = config.whole("attn_layer_period"), config.whole("attn_layer_offset", 0)
    return [FULL if i % period == first else "mamba" for i in range(n)]


def pattern(config: Config, n: int) -> list[str]:
    """Nemotron-H: a letter for each layer, or a list of types."""
    letters = {"M": "m", "*": "f", "-": "-", "E": "e"}
    found, key = config.get("layers_block_type"), "hybrid_override_pattern"
    config.get(key)
    if found is not None:
        return [*map(renamed, found)]
    given = (letters[one_of(config.named(key), x, letters)] for x in config.need(key))
    return spelled(config, "".join(given))


def kimi_linear(config: Config, n: int) -> list[str]:
    """Kimi Linear counts its layers from 1 in `linear_attn_config`."""
    full = config.inside("linear_attn_config").integers("full_attn_layers")
    if full is None:
        return rounds(config, n, "lllf", "", "l")
    return spelled(config, "".join("f" if i + 1 in full else "l" for i in range(n)))


def cohere_moe(config: Config, n: int) -> list[str]:
    """Layers without experts come first, and count for themselves."""
    dense = config.get("first_k_dense_replace", 0)
    first = rounds(config, dense, "f", "prefix_dense_sliding_window_pattern")
    return first + rounds(config, n - dense, "wwwf", "sliding_window_pattern")


def by_block(config: Config, n: int) -> list[str]:
    """Nemotron-NAS: what each block has in place of attention."""
    blocks = config.need("block_configs")
    attention = [(block or {}).get("attention") or {} for block in blocks]
    for block in attention:
        for key in ("replace_with_linear", "sparsify", "window_length", "num_sink_tokens"):
            if block.get(key):
                config.not_read("block_configs", {key: block[key]}, "full attention or none")
    return ["mlp" if block.get("no_op") else FULL for block in attention]
