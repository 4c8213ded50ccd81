"""Models that turn by several numbers: patches of an image, frames of a video.

The order of the axes belongs to the layout: Qwen's image towers turn the first pairs by the row,
SAM 3's by the column, Pixtral's frequencies alternate between both.
"""

from functools import partial
from math import tau

import numpy as np
from numpy.typing import NDArray

from pe_lib.checkpoints._config import Config, number, shown, whole
from pe_lib.checkpoints._layer import Layer
from pe_lib.checkpoints._tables import Reader, head, size
from pe_lib.sinusoidal import frequencies

Floats = NDArray[np.float64]


def base_of(config: Config, usual: float) -> float:
    """The base of an image tower, which in transformers 4 stood in the program."""
    rope = config.mapping("rope_parameters")
    found = rope.get("rope_theta", config.stated("rope_theta"))
    return usual if found is None else number(f"{config.where}['rope_theta']", found)


def turned(config: Config, width: int, per_axis: list[Floats], **more: object) -> Layer:
    """Pairs axis after axis."""
    axes = np.repeat(np.arange(len(per_axis)), [w.size for w in per_axis])
    w = np.concatenate(per_axis)
    given: dict[str, object] = {
        "turned": 2 * w.size,
        "frequencies": w,
        "axes": axes,
        "axis_names": ("row", "column"),
        "layout": "halves",
        "part": "vision",
        "two_sided": True,
        "scaling": "default",
    }
    return Layer("rotary_axes", width, **{**given, **more})  # type: ignore[arg-type]


def rows_then_columns(usual: float, config: Config) -> list[Layer]:
    """Qwen's and GLM's image towers: each axis has the frequencies of half a head."""
    width, base = head_of(config), base_of(config, usual)
    w = frequencies(width // 2, base)
    n = config.whole("depth" if config.get("depth") is not None else "num_hidden_layers")
    layer = turned(config, width, [w, w], base=base, rows=table_of(config))
    windows = config.get("fullatt_block_indexes")
    if windows is None:
        return [layer] * n
    side = config.whole("window_size") // config.whole("patch_size")
    local = turned(config, width, [w, w], base=base, kind="chunked", window=side**2)
    return [layer if i in windows else local for i in range(n)]


def table_of(config: Config) -> int | None:
    """Rows of the learned table that GLM's towers and Qwen's from Qwen3-VL on add besides."""
    if config.kind.startswith("glm4v"):
        return patches_of(config, "image_size", 336, 14)
    if config.kind.startswith("qwen3"):
        key = "num_position_embeddings"
        return whole(f"{config.where}[{key!r}]", config.get(key, 2304))
    return None


def patches_of(config: Config, key: str, image: int, patch: int) -> int:
    usual = {"image_size": image, "pretrain_image_size": image, "patch_size": patch}
    given = Config(config.data, config.kind, {**usual, **config.defaults}, config.where)
    (high, wide), (down, along) = size(given, key), size(given, "patch_size")
    return (high // down) * (wide // along)


def head_of(config: Config) -> int:
    """Qwen2-VL calls the tower's own width `embed_dim`, and the text's `hidden_size`."""
    if config.kind == "qwen2_vl_vision":
        return config.whole("embed_dim") // config.whole("num_attention_heads")
    if config.get("head_dim") is not None:
        return config.whole("head_dim")
    return head(config)


def pixtral(config: Config) -> list[Layer]:
    """One set of frequencies, dealt out: even ones to the row, odd ones to the column."""
    width, base = head_of(config), base_of(config, 1e4)
    w = frequencies(width, base)
    layer = turned(config, width, [w[0::2], w[1::2]], base=base)
    return [layer] * config.count()


def llama_4(config: Config) -> list[Layer]:
    """The column first, interleaved, both counted from 1; the class token is not turned."""
    width, base = head(config), base_of(config, 1e4)
    w = frequencies(width // 2, base)
    layer = turned(config, width, [w, w], base=base, layout="interleaved",
                   axis_names=("column", "row"), first_position=1,
                   rows=patches_of(config, "image_size", 448, 14) + 1)  # fmt: skip
    return [layer] * config.count()


def sam_3(config: Config) -> list[Layer]:
    """The column first, interleaved; layers that see all count the image as one window."""
    width, base = head(config), base_of(config, 1e4)
    w, n, side = (
        frequencies(width // 2, base),
        config.count(),
        config.get("window_size", 24),
    )
    side = whole(f"{config.where}['window_size']", side)
    full = config.get("global_attn_indexes", [7, 15, 23, 31])
    (_, wide), (_, along) = size(config, "image_size"), size(config, "patch_size")
    slow = w * (side / (wide // along))
    plain = {"base": base, "layout": "interleaved", "axis_names": ("column", "row"),
             "rows": patches_of(config, "pretrain_image_size", 336, 14)}  # fmt: skip
    local = turned(config, width, [w, w], kind="chunked", window=side**2, **plain)
    whole_image = turned(config, width, [slow, slow], **plain)
    return [whole_image if i in full else local for i in range(n)]


def dinov3(config: Config) -> list[Layer]:
    """Coordinates from -1 to 1 across the image make a whole turn each at frequency 1."""
    width, base = head(config), base_of(config, 100.0)
    w = tau * frequencies(width // 2, base)
    layer = turned(config, width, [w, w], base=base, unit="half the image")
    return [layer] * config.count()


def by_axes(
    key: str, names: tuple[str, ...], usual: float, sizes: list[int], config: Config
) -> list[Layer]:
    """FLUX, HunyuanVideo in diffusers: each axis has frequencies of its own width, interleaved."""
    width = whole("attention_head_dim", config.get("attention_head_dim", 128))
    given = config.get(key, sizes)
    if not isinstance(given, list | tuple) or len(given) != len(names) or sum(given) != width:
        raise ValueError(
            f"{config.where}[{key!r}] must be {len(names)} widths that add up to "
            f"{width}, got {shown(given)}"
        )
    base = config.get("rope_theta", usual)
    base = number(f"{config.where}['rope_theta']", base)
    layer = turned(config, width, [frequencies(d, base) for d in given], base=base,
                   layout="interleaved", axis_names=names)  # fmt: skip
    return [layer] * (config.count("num_layers") + config.count("num_single_layers"))


def wan(config: Config) -> list[Layer]:
    """Wan: a third of the head's pairs for height and for width each, what is left for time."""
    width = config.whole("attention_head_dim" if config.get("attention_head_dim") else "head_dim")
    side = 2 * (width // 6)
    widths = (width - 2 * side, side, side)
    layer = turned(config, width, [frequencies(d, 1e4) for d in widths], base=1e4,
                   layout="interleaved", axis_names=("time", "height", "width"))  # fmt: skip
    return [layer] * config.count("num_layers")


# known, and still nothing that a Layer could hold
REFUSED = {
    "vjepa2": "the two entries of a pair get angles of different frequencies (transformers "
    "5.23.0), so that nothing is turned and lengths change with the position",
}
FLUX = ("index", "row", "column")
FLUX_2 = ("time", "row", "column", "text")
HUNYUAN = ("time", "row", "column")
READERS: dict[str, Reader] = {
    **dict.fromkeys(
        ("glm4v_vision", "glm4v_moe_vision", "qwen2_vl_vision", "qwen2_5_vl_vision",
         "qwen3_vl_vision", "qwen3_vl_moe_vision", "qwen3_5_vision", "qwen3_5_moe_vision"),
        partial(rows_then_columns, 1e4),
    ),
    "pixtral": pixtral,
    "llama4_vision_model": llama_4,
    "sam3_vit_model": sam_3,
    "dinov3_vit": dinov3,
    "FluxTransformer2DModel": partial(by_axes, "axes_dims_rope", FLUX, 1e4, [16, 56, 56]),
    "Flux2Transformer2DModel": partial(by_axes, "axes_dims_rope", FLUX_2, 2000.0, [32] * 4),
    "HunyuanVideoTransformer3DModel": partial(
        by_axes, "rope_axes_dim", HUNYUAN, 256.0, [16, 56, 56]
    ),
    "WanTransformer3DModel": wan,
}  # fmt: skip
