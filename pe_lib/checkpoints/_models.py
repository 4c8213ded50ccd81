"""What a configuration leaves out: the facts of each kind of model, by its `model_type`.

Read in transformers 5.23.0 (`configuration_*.py`, `modeling_*.py`); `make peers` compares every
entry. A model that is not here is not known, and nothing is assumed of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pe_lib.checkpoints._config import Config, shown, whole

Kinds = Callable[[Config, int], list[str]]


@dataclass(frozen=True)
class Decoder:
    """A stack whose heads are turned, wholly or in part, in some layers or in all."""

    layout: Literal["halves", "interleaved"] = "halves"
    defaults: Mapping[str, Any] = field(default_factory=dict)  # of keys that are not there
    kinds: Kinds = lambda config, n: ["full_attention"] * n  # where there are no `layer_types`
    unturned: Callable[[Config, int, str], bool] = lambda config, i, kind: False
    scale: Callable[[Config, float], float] | None = None  # of the scores, for this width
    sink: bool = False


def all_slide(config: Config, n: int) -> list[str]:
    return ["sliding_attention" if config.window() else "full_attention"] * n


def every(nth: int, first: str = "sliding_attention", key: str = "") -> Kinds:
    """Each nth layer sees all; the number may stand in the configuration."""

    def kinds(config: Config, n: int) -> list[str]:
        step = whole(f"{config.where}[{key!r}]", config.get(key, nth), 1) if key else nth
        return ["full_attention" if (i + 1) % step == 0 else first for i in range(n)]

    return kinds


def late(config: Config, n: int) -> list[str]:
    """Qwen: layers from `max_window_layers` on, if windows are used at all."""
    if not config.flag("use_sliding_window", False) or config.window() is None:
        return ["full_attention"] * n
    first = config.whole("max_window_layers", 0)
    return ["full_attention" if i < first else "sliding_attention" for i in range(n)]


def by_scalar(config: Config, width: float) -> float:
    """Gemma: the scores are divided by √query_pre_attn_scalar."""
    return float((width / config.number("query_pre_attn_scalar")) ** 0.5)


def by_multiplier(config: Config, width: float) -> float:
    """Granite: the scores are multiplied by attention_multiplier."""
    return float(config.number("attention_multiplier") * width**0.5)


def listed(config: Config, i: int, kind: str) -> bool:
    """SmolLM3 and Llama 4: 1 in `no_rope_layers` for a layer that is turned, 0 for one that not."""
    turned = config.get("no_rope_layers")
    if not turned:
        return (i + 1) % config.whole("no_rope_layer_interval") == 0
    if not isinstance(turned, list) or len(turned) <= i or turned[i] not in (0, 1):
        raise ValueError(
            f"{config.where}['no_rope_layers'] must have 0 or 1 for each layer, got {shown(turned)}"
        )
    return turned[i] == 0


def full_layers(config: Config, i: int, kind: str) -> bool:
    """Command A: layers that see all are not turned, as long as others have a window."""
    return kind == "full_attention" and config.window() is not None


GPT_OSS = {
    "rope_type": "yarn",
    "factor": 32.0,
    "beta_fast": 32.0,
    "beta_slow": 1.0,
    "truncate": False,
    "original_max_position_embeddings": 4096,
}

DECODERS: dict[str, Decoder] = {
    "llama": Decoder(),
    "mistral": Decoder(defaults={"sliding_window": 4096}, kinds=all_slide),
    "mixtral": Decoder(defaults={"rope_theta": 1e6}, kinds=all_slide),
    "starcoder2": Decoder(kinds=all_slide),
    "phi3": Decoder(kinds=all_slide, defaults={"max_position_embeddings": 4096}),
    "qwen2": Decoder(defaults={"sliding_window": 4096, "max_window_layers": 28}, kinds=late),
    "qwen3": Decoder(
        defaults={"head_dim": 128, "sliding_window": 4096, "max_window_layers": 28}, kinds=late
    ),
    "gemma": Decoder(defaults={"head_dim": 256}),
    "gemma2": Decoder(
        defaults={"head_dim": 256, "sliding_window": 4096, "query_pre_attn_scalar": 256},
        kinds=every(2),
        scale=by_scalar,
    ),
    "olmo2": Decoder(),
    "granite": Decoder(defaults={"attention_multiplier": 1.0}, scale=by_multiplier),
    "smollm3": Decoder(
        defaults={"rope_theta": 2e6, "no_rope_layer_interval": 4}, unturned=listed
    ),
    "cohere2": Decoder(
        "interleaved",
        defaults={"sliding_window": 4096},
        kinds=every(4, key="sliding_window_pattern"),
        unturned=full_layers,
    ),
    "gpt_oss": Decoder(
        defaults={"rope_theta": 150_000.0, "head_dim": 64, "sliding_window": 128,
                  "max_position_embeddings": 131_072, "rope_parameters": GPT_OSS},
        kinds=every(2),
        sink=True,
    ),
    "stablelm": Decoder(defaults={"partial_rotary_factor": 0.25}),
    "phi": Decoder(defaults={"partial_rotary_factor": 0.5}),
}  # fmt: skip
