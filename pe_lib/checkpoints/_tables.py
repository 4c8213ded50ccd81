"""Read models without rotation, which use tables, sinusoids, ALiBi, T5's buckets or nothing.

`READERS` lists the words that a row of `kinds.toml` may have at `reader`. A learned table or
sinusoids are added to the embeddings only once, before the first layer, but every `Layer` names
that scheme.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pe_lib import biases
from pe_lib.checkpoints._config import Config, read_integer, require_known
from pe_lib.checkpoints._layer import Layer, Scheme
from pe_lib.sinusoidal import frequencies


def repeat_layer(config: Config, scheme: Scheme, **fields: Any) -> list[Layer]:
    """Return a list with the same layer for each layer that the configuration counts."""
    return [Layer(scheme, config.hidden_size_per_head(), **fields)] * config.layer_count()


# Learned tables


@dataclass(frozen=True)
class LearnedTable:
    """Read a learned position table, in which row `first_row` belongs to the first token.

    Without `first_row`, the rows up to the padding token's row belong to no position, although the
    file counts them (RoBERTa). A row is as wide as the model, unless the configuration gives the
    embeddings a width of their own at `width_key`, with the default `usual_width` (ALBERT). If the
    configuration has the value true at `sinusoids_key`, the rows begin as sinusoids. The file
    stores them, and some published ones were trained further (a German DistilBERT).
    """

    part: Literal["encoder", "decoder"]
    first_row: int | None = None
    width_key: str = "hidden_size"
    usual_width: int | None = None
    sinusoids_key: str = ""

    def __call__(self, config: Config) -> list[Layer]:
        rows, first = config.integer("max_position_embeddings"), self.first_row
        if first is None:
            padding = config.get("pad_token_id")
            padding = 1 if padding is None else padding
            first = read_integer(config.path_to("pad_token_id"), padding, 0) + 1
            rows -= first
            if rows < 1:
                expected = f"above pad_token_id + 1 = {first}"
                config.refuse_value("max_position_embeddings", expected, rows + first)
        own_width = config.get(self.width_key, self.usual_width)
        row_width = read_integer(config.path_to(self.width_key), own_width)
        waves: dict[str, Any] = {}
        if self.sinusoids_key and config.flag(self.sinusoids_key, False):
            waves = {"frequencies": frequencies(row_width), "layout": "interleaved", "base": 1e4}
        is_encoder = self.part == "encoder" and not config.flag("is_decoder", False)
        return repeat_layer(
            config,
            "learned",
            rows=rows,
            row_width=row_width,
            first_position=first,
            part=self.part,
            two_sided=is_encoder,
            **waves,
        )


def read_gpt_2(config: Config) -> list[Layer]:
    """Read GPT-2, which has two options that change the scale of its attention scores."""
    width, count = config.hidden_size_per_head(), config.layer_count()
    scale = 1.0 if config.flag("scale_attn_weights", True) else width**0.5
    by_layer = config.flag("scale_attn_by_inverse_layer_idx", False)
    rows, hidden = config.integer("max_position_embeddings"), config.integer("hidden_size")
    divisors = [i + 1 if by_layer else 1 for i in range(count)]
    return [
        Layer("learned", width, softmax_scale=scale / divisor, rows=rows, row_width=hidden)
        for divisor in divisors
    ]


def read_gpt_neo(config: Config) -> list[Layer]:
    """Read GPT-Neo, with undivided scores and a repeated pattern of global and local layers."""
    width, rows = config.hidden_size_per_head(), config.integer("max_position_embeddings")
    window, count = config.integer("window_size"), config.layer_count()
    key, types = "attention_types", []
    value = config.need(key)
    try:
        for names, times in value:
            types += [require_known(key, name, ["global", "local"]) for name in names] * times
    except TypeError:
        config.refuse_value(key, "like [[['global', 'local'], 12]]", value)
    if len(types) != count:
        config.refuse_value(key, f"types of {count} layers", f"{len(types)}")
    hidden = config.integer("hidden_size")
    full = Layer("learned", width, softmax_scale=width**0.5, rows=rows, row_width=hidden)
    local = replace(full, kind="sliding", window=window)
    return [full if name == "global" else local for name in types]


def count_patches(config: Config, key: str = "image_size") -> int:
    """Return the number of patches into which an image is divided."""
    height, width = config.height_and_width(key)
    patch_height, patch_width = config.height_and_width("patch_size")
    return (height // patch_height) * (width // patch_width)


@dataclass(frozen=True)
class PatchTable:
    """Read a position table with a row for each of `extra_tokens` and then a row for each patch.

    Some models give the number of patches at `count_key`, or that of more extra tokens at
    `extra_key`.
    """

    extra_tokens: int
    count_key: str = ""
    extra_key: str = ""

    def __call__(self, config: Config) -> list[Layer]:
        rows = config.integer(self.count_key) if self.count_key else count_patches(config)
        rows += self.extra_tokens
        if self.extra_key:
            rows += config.integer(self.extra_key, 0)
        return repeat_layer(
            config,
            "learned",
            rows=rows,
            row_width=config.integer("hidden_size"),
            part="vision",
            two_sided=True,
            unit="patch",
        )


# Sinusoids


def shorter_frequencies(width: int) -> NDArray[np.float64]:
    """Return tensor2tensor's frequencies 10,000^(-i/(width/2 - 1)), which end at 1/10,000."""
    pairs = width // 2
    return np.asarray(1e4 ** (-np.arange(pairs) / max(1, pairs - 1)), np.float64)


@dataclass(frozen=True)
class EncoderAndDecoder:
    """Read BART and related models, which add a table or sinusoids in encoder and decoder.

    The keys name the number of rows, which may differ between encoder and decoder (LED).
    """

    rows_are: Literal["learned", "sinusoids", "shorter_sinusoids"]
    first_row: int
    encoder_rows_key: str = "max_position_embeddings"
    decoder_rows_key: str = "max_position_embeddings"

    def __call__(self, config: Config) -> list[Layer]:
        hidden = config.integer("hidden_size")
        layer = Layer("learned", row_width=hidden, first_position=self.first_row)
        if self.rows_are != "learned":
            is_plain = self.rows_are == "sinusoids"
            w = frequencies(hidden) if is_plain else shorter_frequencies(hidden)
            layer = replace(layer, scheme="sinusoidal", frequencies=w, layout="halves", base=1e4)
        stack = []
        for part, rows_key in (
            ("encoder", self.encoder_rows_key),
            ("decoder", self.decoder_rows_key),
        ):
            count = config.layer_count(f"{part}_layers")
            own = replace(
                layer,
                width=hidden // config.integer(f"{part}_attention_heads"),
                rows=config.integer(rows_key),
                part=part,
                two_sided=part == "encoder",
            )
            stack += [own] * count
        return stack


@dataclass(frozen=True)
class Sinusoids:
    """Read a model of one stack that adds sinusoids, with all sines before all cosines.

    With `are_shorter`, the frequencies end at 1/10,000 (fairseq). With `cosine_first`, all cosines
    stand before all sines (MusicGen). The row `first_row` belongs to the first token. The
    configuration gives the number of rows at `rows_key`.
    """

    are_shorter: bool
    first_row: int = 0
    part: Literal["decoder", "audio"] = "decoder"
    rows_key: str = "max_position_embeddings"
    cosine_first: bool = False

    def __call__(self, config: Config) -> list[Layer]:
        hidden = config.integer("hidden_size")
        return repeat_layer(
            config,
            "sinusoidal",
            layout="halves",
            cosine_first=self.cosine_first,
            base=1e4,
            first_position=self.first_row,
            frequencies=(shorter_frequencies if self.are_shorter else frequencies)(hidden),
            rows=config.integer(self.rows_key),
            row_width=hidden,
            part=self.part,
            two_sided=self.part == "audio",
            unit="frame" if self.part == "audio" else "position",
        )


def read_trocr(config: Config) -> list[Layer]:
    """Read TrOCR's decoder, which adds a learned table or fairseq's sinusoids."""
    is_learned = config.flag("use_learned_position_embeddings", True)
    own: dict[str, Any] = {"first_row": 2, "part": "decoder"}
    return (LearnedTable(**own) if is_learned else Sinusoids(are_shorter=True, **own))(config)


def read_whisper(config: Config) -> list[Layer]:
    """Read Whisper, which uses sinusoids for sound and a learned table for words."""
    hidden = config.integer("hidden_size")
    encoder = Layer(
        "sinusoidal",
        hidden // config.integer("encoder_attention_heads"),
        frequencies=shorter_frequencies(hidden),
        layout="halves",
        base=1e4,
        part="encoder",
        rows=config.integer("max_source_positions"),
        row_width=hidden,
        two_sided=True,
    )
    decoder = Layer(
        "learned",
        hidden // config.integer("decoder_attention_heads"),
        rows=config.integer("max_target_positions"),
        row_width=hidden,
    )
    encoders, decoders = config.layer_count("encoder_layers"), config.layer_count("decoder_layers")
    return [encoder] * encoders + [decoder] * decoders


def read_sound_table(config: Config) -> list[Layer]:
    """Read sound encoders that add a table, which the file stores but which was not trained.

    In published files the table holds Whisper's sinusoids, but no code computes them.
    """
    hidden, counts = config.integer("hidden_size"), {}
    for names in (
        ("encoder_layers", "num_hidden_layers"),
        ("encoder_attention_heads", "num_attention_heads"),
    ):
        counts[names[0]] = next((name for name in names if config.get(name) is not None), names[0])
    layer = Layer(
        "learned",
        hidden // config.integer(counts["encoder_attention_heads"]),
        part="audio",
        rows=config.integer("max_source_positions"),
        row_width=hidden,
        two_sided=True,
        unit="frame",
    )
    return [layer] * config.layer_count(counts["encoder_layers"])


# Models that may rotate or add a table, and models that always rotate in the same way


def repeat_rotation(
    config: Config, layout: Literal["halves", "interleaved"], base: float, **fields: Any
) -> list[Layer]:
    """Return the layers of a model that rotates whole heads with an unscaled base."""
    w = frequencies(config.hidden_size_per_head(), base)
    return repeat_layer(
        config,
        "rotary",
        turned=2 * w.size,
        frequencies=w,
        layout=layout,
        base=base,
        scaling="default",
        **fields,
    )


def read_esm(config: Config) -> list[Layer]:
    """Read ESM, whose `position_embedding_type` chooses a rotation or a table as in RoBERTa."""
    key = "position_embedding_type"
    kind = require_known(config.path_to(key), config.get(key, "absolute"), ["absolute", "rotary"])
    base = config.number("rope_theta")
    if kind == "absolute":
        return LearnedTable("encoder")(config)
    if base <= 1:
        config.refuse_value("rope_theta", "greater than 1", base)
    return repeat_rotation(config, "halves", base, part="encoder", two_sided=True)


def read_roformer(config: Config) -> list[Layer]:
    """Read RoFormer, the first model that rotated queries and keys, always with base 10,000."""
    if config.flag("rotary_value", False):
        config.notes.append(
            "rotary_value is true: values are rotated, too, as queries and keys are"
        )
    is_encoder = not config.flag("is_decoder", False)
    part = "encoder" if is_encoder else "decoder"
    return repeat_rotation(config, "interleaved", 1e4, part=part, two_sided=is_encoder)


# Models with biases, and models without positions


def read_alibi(config: Config) -> list[Layer]:
    """Read BLOOM, Baichuan 13B and the ALiBi models among Falcon.

    Falcon adds the bias before it divides scores by √width, so its effective slopes are smaller.
    """
    slopes = biases.alibi_slopes(config.integer("num_attention_heads"))
    divisor = config.hidden_size_per_head() ** 0.5 if config.kind == "falcon" else 1
    return repeat_layer(config, "alibi", slopes=slopes / divisor)


def read_mpt(config: Config) -> list[Layer]:
    """Read MPT, for which transformers uses ALiBi even if `attn_config` asks for something else."""
    inner = config.subconfig("attn_config")
    if not inner.flag("alibi", True) or inner.flag("rope", False):
        instead = "ALiBi always: this file is for llm-foundry's own program"
        inner.refuse_unread("alibi", False, instead)
    width, heads = config.hidden_size_per_head(), config.integer("num_attention_heads")
    key = "alibi_bias_max"
    exponent = read_integer(inner.path_to(key), inner.get(key, 8))
    scale = 1.0
    if inner.get("softmax_scale") is not None:
        scale = inner.number("softmax_scale") * width**0.5
    slopes = biases.alibi_slopes(heads) ** (exponent / 8)
    return [Layer("alibi", width, softmax_scale=scale, slopes=slopes)] * config.layer_count()


def read_t5(config: Config) -> list[Layer]:
    """Read T5, which adds biases for buckets of offsets, and does not divide its scores."""
    encoders = config.layer_count()
    width = config.integer("d_kv")
    buckets = config.integer("relative_attention_num_buckets", 2)
    max_distance = config.integer("relative_attention_max_distance")
    decoders = encoders
    if config.get("num_decoder_layers") is not None:
        decoders = config.layer_count("num_decoder_layers")
    decoder = Layer(
        "t5",
        width,
        softmax_scale=width**0.5,
        buckets=buckets,
        row_width=config.integer("num_attention_heads"),
        max_distance=max_distance,
    )
    encoder = replace(decoder, part="encoder", two_sided=True)
    return [encoder] * encoders + [decoder] * decoders


def read_convolution(config: Config) -> list[Layer]:
    """Read wav2vec 2.0, which encodes positions by a convolution centred on each frame."""
    return repeat_layer(
        config,
        "convolution",
        max_distance=config.integer("num_conv_pos_embeddings") // 2,
        part="audio",
        two_sided=True,
        unit="frame",
    )


def read_state_space(config: Config) -> list[Layer]:
    """Read Mamba and related models, which have no attention scores and encode no positions."""
    return [Layer("none", kind="mamba")] * config.layer_count()


READERS: Mapping[str, Callable[..., object]] = {
    "learned_table": LearnedTable,
    "gpt_2": read_gpt_2,
    "gpt_neo": read_gpt_neo,
    "patch_table": PatchTable,
    "encoder_and_decoder": EncoderAndDecoder,
    "sinusoids": Sinusoids,
    "trocr": read_trocr,
    "whisper": read_whisper,
    "sound_table": read_sound_table,
    "esm": read_esm,
    "roformer": read_roformer,
    "alibi": read_alibi,
    "mpt": read_mpt,
    "t5": read_t5,
    "convolution": read_convolution,
    "state_space": read_state_space,
}
