"""Models whose positions are no rotation: tables, sinusoids, ALiBi, T5's buckets, none.

Rows of `kinds.toml` name these readers. Where a table or sinusoids are added to the words, they are
so once, before the first layer; every layer then has that scheme.
"""

import numpy as np
from numpy.typing import NDArray

from pe_lib import biases
from pe_lib.checkpoints._config import Config, one_of, shown, whole
from pe_lib.checkpoints._layer import Layer
from pe_lib.sinusoidal import frequencies


def head(config: Config, heads: str = "num_attention_heads") -> int:
    """Entries of a head: the hidden size shared out."""
    hidden, n = config.whole("hidden_size"), config.whole(heads)
    if hidden % n:
        raise ValueError(f"{config.where}: hidden_size {hidden} is no multiple of {heads} {n}")
    return hidden // n


def absolute(config: Config) -> None:
    """BERT and its like: other words for `position_embedding_type` are read by none of them."""
    said = config.get("position_embedding_type")
    if said not in (None, "absolute"):
        config.not_read("position_embedding_type", said, "a learned table: 'absolute'")


def learned(config: Config, part: str, first: int) -> list[Layer]:
    """A table of `max_position_embeddings` positions, whose first is row `first`."""
    absolute(config)
    n, rows = config.count(), config.whole("max_position_embeddings")
    layer = Layer("learned", head(config), rows=rows, first_position=first, part=part,
                  two_sided=part == "encoder")  # fmt: skip
    return [layer] * n


def after_padding(config: Config) -> list[Layer]:
    """RoBERTa: the rows up to the padding token's number belong to no position."""
    absolute(config)
    pad = config.get("pad_token_id")
    first = whole(f"{config.where}['pad_token_id']", 1 if pad is None else pad, 0) + 1
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
    window = config.whole("window_size")
    types: list[str] = []
    given = config.need("attention_types")
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


def encoder_and_decoder(config: Config, scheme: str, first: int) -> list[Layer]:
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
    layer = Layer("sinusoidal", head(config), layout="halves", base=1e4,
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
    """BLOOM, and Baichuan 13B."""
    heads = config.whole("num_attention_heads")
    layer = Layer("alibi", head(config), slopes=biases.alibi_slopes(heads))
    return [layer] * config.count()


def mpt(config: Config) -> list[Layer]:
    """MPT: settings stand in a dictionary of their own, and ALiBi is applied whatever they say."""
    inner = config.inside("attn_config")
    if not inner.flag("alibi", True) or inner.flag("rope", False):
        inner.not_read("alibi", False, "ALiBi always: this file is for llm-foundry's own program")
    width, heads = head(config), config.whole("num_attention_heads")
    scale, most = inner.get("softmax_scale"), inner.get("alibi_bias_max", 8)
    layer = Layer(
        "alibi",
        width,
        softmax_scale=1.0 if scale is None else inner.number("softmax_scale") * width**0.5,
        slopes=biases.alibi_slopes(heads) ** (whole("alibi_bias_max", most) / 8),
    )
    return [layer] * config.count()


def falcon_alibi(config: Config) -> list[Layer]:
    """Falcon adds ALiBi before it divides by √width, so that the slopes count for less."""
    width, heads = head(config), config.whole("num_attention_heads")
    layer = Layer("alibi", width, slopes=biases.alibi_slopes(heads) / width**0.5)
    return [layer] * config.count()


def t5(config: Config) -> list[Layer]:
    """Buckets of offsets, two-sided in the encoder; scores are not divided."""
    n = config.count()
    width = config.whole("d_kv")
    buckets = config.whole("relative_attention_num_buckets", 2)
    far = config.whole("relative_attention_max_distance")
    decoder = config.get("num_decoder_layers")
    later = n if decoder is None else config.count("num_decoder_layers")

    def layer(part: str) -> Layer:
        return Layer("t5", width, softmax_scale=width**0.5, buckets=buckets, max_distance=far,
                     part=part, two_sided=part == "encoder")  # fmt: skip

    return [layer("encoder")] * n + [layer("decoder")] * later


def convolution(config: Config) -> list[Layer]:
    """wav2vec 2.0: a convolution over the frames, half of its kernel to either side."""
    kernel = config.whole("num_conv_pos_embeddings")
    layer = Layer("convolution", head(config), max_distance=kernel // 2, part="audio",
                  two_sided=True, unit="frame")  # fmt: skip
    return [layer] * config.count()


def state_space(config: Config) -> list[Layer]:
    """Mamba: no scores, and no positions."""
    return [Layer("none", kind="mamba")] * config.count()


def patches(config: Config, extra: int) -> list[Layer]:
    """A row for each patch, after one for each of `extra` tokens."""
    (high, wide), (down, along) = config.sides("image_size"), config.sides("patch_size")
    rows = (high // down) * (wide // along) + extra
    layer = Layer("learned", head(config), rows=rows, part="vision", two_sided=True, unit="patch")
    return [layer] * config.count()


def siglip_2(config: Config) -> list[Layer]:
    """A table of `num_patches`, resized to the image."""
    layer = Layer("learned", head(config), rows=config.whole("num_patches"), part="vision",
                  two_sided=True, unit="patch")  # fmt: skip
    return [layer] * config.count()
