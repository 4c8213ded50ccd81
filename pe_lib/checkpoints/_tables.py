"""Models whose positions are no rotation: tables, sinusoids, ALiBi, T5's buckets, none.

Where a table or sinusoids are added to the words, they are so once, before the first layer; every
layer then has that scheme.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pe_lib import biases
from pe_lib.checkpoints._config import Config, one_of, shown, whole
from pe_lib.checkpoints._layer import Layer
from pe_lib.sinusoidal import frequencies

Reader = Callable[[Config], list[Layer]]


def head(config: Config, heads: str = "num_attention_heads") -> int:
    """Entries of a head: the hidden size shared out."""
    hidden, n = config.whole("hidden_size"), config.whole(heads)
    if hidden % n:
        raise ValueError(f"{config.where}: hidden_size {hidden} is no multiple of {heads} {n}")
    return hidden // n


def size(config: Config, key: str) -> tuple[int, int]:
    """One number for both sides, or two."""
    value = config.need(key)
    if isinstance(value, list | tuple) and len(value) == 2:
        return (whole(f"{config.where}[{key!r}]", value[0]),
                whole(f"{config.where}[{key!r}]", value[1]))  # fmt: skip
    return config.whole(key), config.whole(key)


def learned(part: str, first: int, config: Config) -> list[Layer]:
    """A table of `max_position_embeddings` positions, whose first is row `first`."""
    if config.get("position_embedding_type") not in (None, "absolute"):
        one_of(f"{config.where}['position_embedding_type']",
               config.get("position_embedding_type"), ["absolute"])  # fmt: skip
    n, rows = config.count(), config.whole("max_position_embeddings")
    two_sided = part == "encoder"
    layer = Layer("learned", head(config), rows=rows, first_position=first, part=part,
                  two_sided=two_sided)  # fmt: skip
    return [layer] * n


def after_padding(config: Config) -> list[Layer]:
    """RoBERTa: the rows up to the padding token's number belong to no position."""
    first = whole(f"{config.where}['pad_token_id']", config.get("pad_token_id", 1), 0) + 1
    rows = config.whole("max_position_embeddings") - first
    if rows < 1:
        raise ValueError(
            f"{config.where}['max_position_embeddings'] must be above pad_token_id + 1 = {first}, "
            f"got {rows + first}"
        )
    layer = Layer("learned", head(config), rows=rows, first_position=first, part="encoder",
                  two_sided=True)  # fmt: skip
    return [layer] * config.count()


def gpt_2(config: Config) -> list[Layer]:
    """Two flags of GPT-2 change the scale of its scores."""
    width, n = head(config), config.count()
    plain = 1.0 if config.flag("scale_attn_weights", True) else width**0.5
    by_layer = config.flag("scale_attn_by_inverse_layer_idx", False)
    rows = config.whole("max_position_embeddings")
    return [
        Layer("learned", width, softmax_scale=plain / (i + 1 if by_layer else 1), rows=rows)
        for i in range(n)
    ]


def gpt_neo(config: Config) -> list[Layer]:
    """Scores are not divided, and layers alternate as `attention_types` says."""
    width, rows = head(config), config.whole("max_position_embeddings")
    window = whole("window_size", config.get("window_size", 256))
    types: list[str] = []
    given = config.get("attention_types", [[["global", "local"], 12]])
    try:
        for names, times in given:
            types += [one_of("attention_types", x, ["global", "local"]) for x in names] * times
    except TypeError:
        raise ValueError(
            f"{config.where}['attention_types'] must be like [[['global', 'local'], 12]], "
            f"got {shown(given)}"
        ) from None
    n = config.count()
    if len(types) != n:
        raise ValueError(f"{config.where}['attention_types'] names {len(types)} of {n} layers")
    return [
        Layer("learned", width, softmax_scale=width**0.5, rows=rows,
              kind="full" if x == "global" else "sliding", window=None if x == "global" else window)
        for x in types
    ]  # fmt: skip


def encoder_and_decoder(scheme: str, first: int, config: Config) -> list[Layer]:
    """BART and those after it, whose tables or sinusoids stand in both."""
    hidden, rows = config.whole("hidden_size"), config.whole("max_position_embeddings")
    found = []
    for part in ("encoder", "decoder"):
        n = config.count(f"{part}_layers")
        width = hidden // config.whole(f"{part}_attention_heads")
        two_sided = part == "encoder"
        if scheme == "learned":
            layer = Layer("learned", width, rows=rows, first_position=first, part=part,
                          two_sided=two_sided)  # fmt: skip
        else:
            w = frequencies(hidden) if scheme == "sinusoidal" else shorter(hidden)
            layer = Layer("sinusoidal", width, frequencies=w, layout="halves", base=1e4, rows=rows,
                          first_position=first, part=part, two_sided=two_sided)  # fmt: skip
        found += [layer] * n
    return found


def shorter(width: int) -> NDArray[np.float64]:
    """10,000^(-i/(width/2 - 1)): the last frequency is exactly 1/10,000, as in tensor2tensor."""
    n = width // 2
    return np.asarray(1e4 ** (-np.arange(n) / (n - 1)), np.float64)


def decoder_sinusoids(config: Config) -> list[Layer]:
    """XGLM: fairseq's sinusoids, whose first two rows belong to no position."""
    layer = Layer("sinusoidal", head(config, "attention_heads"), layout="halves", base=1e4,
                  frequencies=shorter(config.whole("hidden_size")), first_position=2,
                  rows=config.whole("max_position_embeddings"))  # fmt: skip
    return [layer] * config.count()


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
    """BLOOM."""
    heads = config.whole("num_attention_heads")
    layer = Layer("alibi", head(config), slopes=biases.alibi_slopes(heads))
    return [layer] * config.count()


def mpt(config: Config) -> list[Layer]:
    """MPT: settings stand in a dictionary of their own."""
    given = config.mapping("attn_config")
    inner = Config(given, config.kind, {}, f"{config.where}['attn_config']")
    width, heads = head(config), config.whole("num_attention_heads")
    scale = inner.get("softmax_scale")
    layer = Layer(
        "alibi",
        width,
        softmax_scale=1.0 if scale is None else inner.number("softmax_scale") * width**0.5,
        slopes=biases.alibi_slopes(heads) ** (inner_max(inner) / 8),
    )
    if not inner.flag("alibi", True):
        layer = Layer("learned", width, softmax_scale=layer.softmax_scale,
                      rows=config.whole("max_position_embeddings"))  # fmt: skip
    return [layer] * config.count()


def inner_max(config: Config) -> float:
    return 8.0 if config.get("alibi_bias_max") is None else config.number("alibi_bias_max")


def falcon_alibi(config: Config) -> list[Layer]:
    """Falcon adds ALiBi before it divides by √width, so that the slopes count for less."""
    width, heads = head(config), config.whole("num_attention_heads")
    layer = Layer("alibi", width, slopes=biases.alibi_slopes(heads) / width**0.5)
    return [layer] * config.count()


def t5(config: Config) -> list[Layer]:
    """Buckets of offsets, two-sided in the encoder; scores are not divided."""
    n = config.count()
    width = config.whole("d_kv")
    buckets = whole("relative_attention_num_buckets",
                    config.get("relative_attention_num_buckets", 32), 2)  # fmt: skip
    far = whole("relative_attention_max_distance",
                config.get("relative_attention_max_distance", 128))  # fmt: skip
    decoder = config.get("num_decoder_layers")
    later = n if decoder is None else config.count("num_decoder_layers")

    def layer(part: str) -> Layer:
        return Layer("t5", width, softmax_scale=width**0.5, buckets=buckets, max_distance=far,
                     part=part, two_sided=part == "encoder")  # fmt: skip

    return [layer("encoder")] * n + [layer("decoder")] * later


def convolution(config: Config) -> list[Layer]:
    """wav2vec 2.0: a convolution over the frames, half of its kernel to either side."""
    kernel = whole("num_conv_pos_embeddings", config.get("num_conv_pos_embeddings", 128))
    layer = Layer("convolution", head(config), max_distance=kernel // 2, part="audio",
                  two_sided=True, unit="frame")  # fmt: skip
    return [layer] * config.count()


def state_space(config: Config) -> list[Layer]:
    """Mamba: no scores, and no positions."""
    return [Layer("none", kind="mamba")] * config.count()


def patches(extra: int, config: Config) -> list[Layer]:
    """A row for each patch, after one for each of `extra` tokens."""
    (high, wide), (down, along) = size(config, "image_size"), size(config, "patch_size")
    rows = (high // down) * (wide // along) + extra
    layer = Layer("learned", head(config), rows=rows, part="vision", two_sided=True, unit="patch")
    return [layer] * config.count()


def siglip_2(config: Config) -> list[Layer]:
    """A table of `num_patches`, resized to the image."""
    layer = Layer("learned", head(config), rows=config.whole("num_patches"), part="vision",
                  two_sided=True, unit="patch")  # fmt: skip
    return [layer] * config.count()


READERS: dict[str, Reader] = {
    **dict.fromkeys(("albert", "bert", "distilbert", "electra", "ernie"),
                    partial(learned, "encoder", 0)),
    **dict.fromkeys(("camembert", "roberta", "xlm-roberta", "roberta-prelayernorm"), after_padding),
    **dict.fromkeys(("biogpt", "opt"), partial(learned, "decoder", 2)),
    **dict.fromkeys(("gpt_bigcode", "openai-gpt", "clip_text_model", "siglip_text_model"),
                    partial(learned, "decoder", 0)),
    **dict.fromkeys(("bart", "mbart"), partial(encoder_and_decoder, "learned", 2)),
    **dict.fromkeys(("marian", "pegasus"), partial(encoder_and_decoder, "sinusoidal", 0)),
    "m2m_100": partial(encoder_and_decoder, "shorter", 2),
    "xglm": decoder_sinusoids,
    "gpt2": gpt_2,
    "gpt_neo": gpt_neo,
    "whisper": whisper,
    "bloom": alibi,
    "mpt": mpt,
    **dict.fromkeys(("mt5", "switch_transformers", "t5", "umt5"), t5),
    **dict.fromkeys(("hubert", "wav2vec2"), convolution),
    **dict.fromkeys(("falcon_mamba", "mamba", "mamba2"), state_space),
    **dict.fromkeys(("clip_vision_model", "dinov2", "dinov2_with_registers", "vit"),
                    partial(patches, 1)),
    "deit": partial(patches, 2),
    "siglip_vision_model": partial(patches, 0),
    "siglip2_vision_model": siglip_2,
}  # fmt: skip
