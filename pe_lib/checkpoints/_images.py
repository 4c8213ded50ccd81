"""Models that turn by several numbers: patches of an image, frames of a video.

The order of the axes belongs to the layout: Qwen's image towers turn the first pairs by the row,
SAM 3's by the column, Pixtral's frequencies alternate between both.
"""

from math import tau
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import context
from pe_lib.checkpoints._config import Config, number, whole
from pe_lib.checkpoints._layer import Layer
from pe_lib.checkpoints._tables import patches_of
from pe_lib.sinusoidal import frequencies

Floats = NDArray[np.float64]


def base_of(config: Config, usual: float) -> float:
    """The base of an image tower, which in transformers 4 stood in the program."""
    rope = config.mapping("rope_parameters")
    found = rope.get("rope_theta", config.stated("rope_theta"))
    return usual if found is None else number(config.named("rope_theta"), found)


def turned(config: Config, width: int, per_axis: list[Floats], **more: object) -> Layer:
    """Pairs axis after axis."""
    axes = np.repeat(np.arange(len(per_axis)), [w.size for w in per_axis])
    w = np.concatenate(per_axis)
    given: dict[str, Any] = {"axis_names": ("row", "column"), "layout": "halves", **more}
    return Layer("rotary_axes", width, 2 * w.size, w, axes=axes, part="vision", two_sided=True,
                 scaling="default", **given)  # fmt: skip


def rows_then_columns(config: Config, table: str = "") -> list[Layer]:
    """Qwen's, GLM's: half a head's frequencies an axis; `table` has the rows of what is added."""
    width, base = head_of(config), base_of(config, 1e4)
    w = frequencies(width // 2, base)
    n = config.whole("depth" if config.get("depth") is not None else "num_hidden_layers")
    rows = patches_of(config) if table == "patches" else config.whole(table) if table else None
    layer = turned(config, width, [w, w], base=base, rows=rows)
    windows = config.get("fullatt_block_indexes")
    if windows is None:
        return [layer] * n
    side = config.whole("window_size") // config.whole("patch_size")
    local = turned(config, width, [w, w], base=base, kind="chunked", window=side**2)
    return [layer if i in windows else local for i in range(n)]


def head_of(config: Config) -> int:
    """Qwen2-VL calls the tower's own width `embed_dim`, and the text's `hidden_size`."""
    if config.kind == "qwen2_vl_vision":
        return config.whole("embed_dim") // config.whole("num_attention_heads")
    given = config.get("head_dim") is not None
    return config.whole("head_dim") if given else config.shared_out()


def pixtral(config: Config) -> list[Layer]:
    """One set of frequencies, dealt out: even ones to the row, odd ones to the column."""
    width, base = head_of(config), base_of(config, 1e4)
    w = frequencies(width, base)
    layer = turned(config, width, [w[0::2], w[1::2]], base=base)
    return [layer] * config.count()


def llama_4(config: Config) -> list[Layer]:
    """The column first, interleaved, both counted from 1; the class token is not turned."""
    width, base = config.shared_out(), base_of(config, 1e4)
    w = frequencies(width // 2, base)
    layer = turned(config, width, [w, w], base=base, layout="interleaved",
                   axis_names=("column", "row"), first_position=1,
                   rows=patches_of(config) + 1)  # fmt: skip
    return [layer] * config.count()


def sam_3(config: Config) -> list[Layer]:
    """The column first, interleaved; layers that see all count the image as one window."""
    width, base = config.shared_out(), base_of(config, 1e4)
    w, n, side = frequencies(width // 2, base), config.count(), config.whole("window_size")
    full = config.integers("global_attn_indexes") or []
    (_, wide), (_, along) = config.sides("image_size"), config.sides("patch_size")
    slow = w * (side / (wide // along))
    plain = {"base": base, "layout": "interleaved", "axis_names": ("column", "row"),
             "rows": patches_of(config, "pretrain_image_size")}  # fmt: skip
    local = turned(config, width, [w, w], kind="chunked", window=side**2, **plain)
    whole_image = turned(config, width, [slow, slow], **plain)
    return [whole_image if i in full else local for i in range(n)]


def dinov3(config: Config) -> list[Layer]:
    """Coordinates from -1 to 1 across the image make a whole turn each at frequency 1."""
    width, base = config.shared_out(), base_of(config, 100.0)
    w = tau * frequencies(width // 2, base)
    layer = turned(config, width, [w, w], base=base, unit="half the image")
    return [layer] * config.count()


def by_axes(
    config: Config, key: str, names: list[str], usual: float, sizes: list[int]
) -> list[Layer]:
    """FLUX, HunyuanVideo in diffusers: each axis has frequencies of its own width, interleaved."""
    width = whole("attention_head_dim", config.get("attention_head_dim", sum(sizes)))
    given = config.get(key, sizes)
    if not isinstance(given, list | tuple) or len(given) != len(names) or sum(given) != width:
        config.wrong(key, f"{len(names)} widths that add up to {width}", given)
    base = number(config.named("rope_theta"), config.get("rope_theta", usual))
    layer = turned(config, width, [frequencies(d, base) for d in given], base=base,
                   layout="interleaved", axis_names=tuple(names))  # fmt: skip
    alone = config.count("num_single_layers") if config.get("num_single_layers") else 0
    return [layer] * (config.count("num_layers") + alone)


def by_thirds(config: Config, layout: str, *usual: float) -> list[Layer]:
    """Wan: a third of the pairs each for height and width; Cosmos raises bases by `rope_scale`."""
    width = config.whole("attention_head_dim" if config.get("attention_head_dim") else "head_dim")
    side = 2 * (width // 6)
    scales = config.get("rope_scale", list(usual)) if usual else [1, 1, 1]
    if not isinstance(scales, list | tuple) or len(scales) != 3:
        config.wrong("rope_scale", "three numbers (time, height, width)", scales)
    factors = [number(config.named("rope_scale"), x, 1) for x in scales]
    widths = (width - 2 * side, side, side)
    w = [context.ntk_aware(d, s) for d, s in zip(widths, factors, strict=True)]
    layer = turned(config, width, w, layout=layout, base=None if usual else 1e4,
                   axis_names=("time", "height", "width"))  # fmt: skip
    return [layer] * config.count("num_layers")
