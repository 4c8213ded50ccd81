"""Models whose positions are no rotation: tables, sinusoids, ALiBi, T5's buckets, none.

Rows of `kinds.toml` name these readers. Where a table or sinusoids are added to the words, they are
so once, before the first layer; every layer then has that scheme.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import biases
from pe_lib.checkpoints._config import Config, one_of, whole
from pe_lib.checkpoints._layer import Layer, Scheme
from pe_lib.sinusoidal import frequencies


def alike(config: Config, scheme: Scheme, **more: Any) -> list[Layer]:
    """As many layers as the file counts."""
    return [Layer(scheme, config.shared_out(), **more)] * config.count()


def learned(config: Config, part: str, first: int | None = None) -> list[Layer]:
    """A table whose first position is row `first`, and of `max_position_embeddings` positions.

    Without it (RoBERTa), the rows up to the padding token's number belong to no position.
    """
    rows = config.whole("max_position_embeddings")
    if first is None:
        pad = config.get("pad_token_id")
        first = whole(config.named("pad_token_id"), 1 if pad is None else pad, 0) + 1
        rows -= first
        if rows < 1:
            wanted = f"above pad_token_id + 1 = {first}"
            config.wrong("max_position_embeddings", wanted, rows + first)
    return alike(config, "learned", rows=rows, first_position=first, part=part,
                 two_sided=part == "encoder")  # fmt: skip


def gpt_2(config: Config) -> list[Layer]:
    """Two flags of GPT-2 change the scale of its scores."""
    width, n = config.shared_out(), config.count()
    plain = 1.0 if config.flag("scale_attn_weights", True) else width**0.5
    by_layer = config.flag("scale_attn_by_inverse_layer_idx", False)
    rows = config.whole("max_position_embeddings")
    scales = [plain / (i + 1 if by_layer else 1) for i in range(n)]
    return [Layer("learned", width, softmax_scale=scale, rows=rows) for scale in scales]


def gpt_neo(config: Config) -> list[Layer]:
    """Scores are not divided, and layers alternate as `attention_types` says."""
    width, rows = config.shared_out(), config.whole("max_position_embeddings")
    window, n = config.whole("window_size"), config.count()
    types: list[str] = []
    given = config.need("attention_types")
    try:
        for names, times in given:
            types += [one_of("attention_types", x, ["global", "local"]) for x in names] * times
    except TypeError:
        config.wrong("attention_types", "like [[['global', 'local'], 12]]", given)
    if len(types) != n:
        config.wrong("attention_types", f"types of {n} layers", f"{len(types)}")
    full = Layer("learned", width, softmax_scale=width**0.5, rows=rows)
    local = replace(full, kind="sliding", window=window)
    return [full if x == "global" else local for x in types]


def encoder_and_decoder(config: Config, scheme: str, first: int) -> list[Layer]:
    """BART and those after it, whose tables or sinusoids stand in both."""
    hidden, rows = config.whole("hidden_size"), config.whole("max_position_embeddings")
    layer = Layer("learned", rows=rows, first_position=first)
    if scheme != "learned":
        w = frequencies(hidden) if scheme == "sinusoidal" else shorter(hidden)
        layer = replace(layer, scheme="sinusoidal", frequencies=w, layout="halves", base=1e4)
    found = []
    for part in ("encoder", "decoder"):
        n = config.count(f"{part}_layers")
        width = hidden // config.whole(f"{part}_attention_heads")
        found += [replace(layer, width=width, part=part, two_sided=part == "encoder")] * n
    return found


def shorter(width: int) -> NDArray[np.float64]:
    """10,000^(-i/(width/2 - 1)): the last frequency is exactly 1/10,000, as in tensor2tensor."""
    n = width // 2
    return np.asarray(1e4 ** (-np.arange(n) / max(1, n - 1)), np.float64)


def decoder_sinusoids(config: Config) -> list[Layer]:
    """XGLM: fairseq's sinusoids, whose first two rows belong to no position."""
    return alike(config, "sinusoidal", layout="halves", base=1e4, first_position=2,
                 frequencies=shorter(config.whole("hidden_size")),
                 rows=config.whole("max_position_embeddings"))  # fmt: skip


def whisper(config: Config) -> list[Layer]:
    """Sinusoids for the sound, a learned table for the words."""
    hidden = config.whole("hidden_size")
    sound = Layer("sinusoidal", hidden // config.whole("encoder_attention_heads"),
                  frequencies=shorter(hidden), layout="halves", base=1e4, part="encoder",
                  rows=config.whole("max_source_positions"), two_sided=True)  # fmt: skip
    words = Layer("learned", hidden // config.whole("decoder_attention_heads"),
                  rows=config.whole("max_target_positions"))  # fmt: skip
    return [sound] * config.count("encoder_layers") + [words] * config.count("decoder_layers")


def alibi(config: Config) -> list[Layer]:
    """BLOOM, Baichuan 13B; Falcon adds it before it divides by √width: slopes count for less."""
    slopes = biases.alibi_slopes(config.whole("num_attention_heads"))
    divisor = config.shared_out() ** 0.5 if config.kind == "falcon" else 1
    return alike(config, "alibi", slopes=slopes / divisor)


def mpt(config: Config) -> list[Layer]:
    """MPT: settings stand in a dictionary of their own, and ALiBi is applied whatever they say."""
    inner = config.inside("attn_config")
    if not inner.flag("alibi", True) or inner.flag("rope", False):
        inner.not_read("alibi", False, "ALiBi always: this file is for llm-foundry's own program")
    width, heads = config.shared_out(), config.whole("num_attention_heads")
    most = whole(inner.named("alibi_bias_max"), inner.get("alibi_bias_max", 8))
    scale = 1.0
    if inner.get("softmax_scale") is not None:
        scale = inner.number("softmax_scale") * width**0.5
    slopes = biases.alibi_slopes(heads) ** (most / 8)
    return [Layer("alibi", width, softmax_scale=scale, slopes=slopes)] * config.count()


def t5(config: Config) -> list[Layer]:
    """Buckets of offsets, two-sided in the encoder; scores are not divided."""
    n = config.count()
    width = config.whole("d_kv")
    buckets = config.whole("relative_attention_num_buckets", 2)
    far = config.whole("relative_attention_max_distance")
    decoder = config.get("num_decoder_layers")
    later = n if decoder is None else config.count("num_decoder_layers")

    layer = Layer("t5", width, softmax_scale=width**0.5, buckets=buckets, max_distance=far)
    return [replace(layer, part="encoder", two_sided=True)] * n + [layer] * later


def convolution(config: Config) -> list[Layer]:
    """wav2vec 2.0: a convolution over the frames, half of its kernel to either side."""
    return alike(config, "convolution", max_distance=config.whole("num_conv_pos_embeddings") // 2,
                 part="audio", two_sided=True, unit="frame")  # fmt: skip


def state_space(config: Config) -> list[Layer]:
    """Mamba: no scores, and no positions."""
    return [Layer("none", kind="mamba")] * config.count()


def patches_of(config: Config, key: str = "image_size") -> int:
    """How many an image has."""
    (high, wide), (down, along) = config.sides(key), config.sides("patch_size")
    return (high // down) * (wide // along)


def patches(config: Config, extra: int) -> list[Layer]:
    """A row for each patch, after one for each of `extra` tokens; SigLIP 2 says how many."""
    given = config.kind == "siglip2_vision_model"
    rows = config.whole("num_patches") if given else patches_of(config) + extra
    return alike(config, "learned", rows=rows, part="vision", two_sided=True, unit="patch")
