"""Read models whose tokens have several coordinates, such as patches of images and videos.

`READERS` lists the words that a row of `kinds.toml` may have at `reader`. The order of the axes is
a part of the layout. Qwen's image towers rotate the first pairs by the row, and SAM 3 rotates them
by the column. Pixtral's frequencies alternate between row and column.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import tau
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pe_lib import context
from pe_lib.checkpoints._config import Config, read_integer, read_number
from pe_lib.checkpoints._layer import Layer
from pe_lib.checkpoints._tables import count_patches, repeat_layer
from pe_lib.sinusoidal import frequencies

Floats = NDArray[np.float64]


def make_layer(width: int, per_axis: Sequence[Floats], **fields: Any) -> Layer:
    """Return a layer whose pairs are divided among several axes, with frequencies for each axis."""
    axes = np.repeat(np.arange(len(per_axis)), [w.size for w in per_axis])
    w = np.concatenate(per_axis)
    usual: dict[str, Any] = {
        "axis_names": ("row", "column"),
        "layout": "halves",
        "part": "vision",
        "two_sided": True,
        "scaling": "default",
    }
    return Layer("rotary_axes", width, 2 * w.size, w, axes=axes, **{**usual, **fields})


# Image towers of language models


def read_base(config: Config, usual: float) -> float:
    """Return an image tower's base or, if the file has none, `usual` (as transformers 4 does)."""
    rope = config.dictionary("rope_parameters")
    base = rope.get("rope_theta", config.find_value("rope_theta"))
    base = usual if base is None else read_number(config.path_to("rope_theta"), base)
    if base <= 1:
        config.refuse_value("rope_theta", "greater than 1", base)
    return base


def read_width(config: Config) -> int:
    """Return the width of a head, which Qwen2-VL derives from `embed_dim`, not `hidden_size`."""
    if config.kind == "qwen2_vl_vision":
        return config.integer("embed_dim") // config.integer("num_attention_heads")
    if config.get("head_dim") is not None:
        return config.integer("head_dim")
    return config.hidden_size_per_head()


@dataclass(frozen=True)
class RowsThenColumns:
    """Read the image towers of Qwen and GLM, which rotate half of a head by row, half by column.

    If the tower also adds a learned table, the table has a row for each patch, or its length is
    given at `rows_key`. With `columns_first`, the first half belongs to the column (Step 3.7).
    """

    row_for_each_patch: bool = False
    rows_key: str = ""
    columns_first: bool = False

    def __call__(self, config: Config) -> list[Layer]:
        width = read_width(config)
        base = read_base(config, float(config.defaults.get("rope_theta") or 1e4))
        w = frequencies(width // 2, base)
        count_key = "depth" if config.get("depth") is not None else "num_hidden_layers"
        count = config.integer(count_key)
        rows = None
        if self.row_for_each_patch:
            rows = count_patches(config)
        elif self.rows_key:
            rows = config.integer(self.rows_key)
        names = ("column", "row") if self.columns_first else ("row", "column")
        full = make_layer(
            width,
            [w, w],
            base=base,
            rows=rows,
            row_width=config.integer("hidden_size") if rows else None,
            axis_names=names,
        )
        full_layers = config.integers("fullatt_block_indexes")
        if full_layers is None:
            return [full] * count
        side = config.integer("window_size") // config.integer("patch_size")
        local = replace(full, kind="chunked", window=side**2)
        return [full if i in full_layers else local for i in range(count)]


def read_pixtral(config: Config) -> list[Layer]:
    """Read Pixtral, where frequencies alternate between the row and the column."""
    width, base = read_width(config), read_base(config, 1e4)
    w = frequencies(width, base)
    return [make_layer(width, [w[0::2], w[1::2]], base=base)] * config.layer_count()


def read_llama_4(config: Config) -> list[Layer]:
    """Read Llama 4's image tower, which rotates by column and then by row, both counted from 1.

    The class token is not rotated.
    """
    width, base = config.hidden_size_per_head(), read_base(config, 1e4)
    w = frequencies(width // 2, base)
    layer = make_layer(
        width,
        [w, w],
        base=base,
        layout="interleaved",
        axis_names=("column", "row"),
        first_position=1,
        rows=count_patches(config) + 1,
        row_width=config.integer("hidden_size"),
    )
    return [layer] * config.layer_count()


def read_sam_3(config: Config) -> list[Layer]:
    """Read SAM 3, which rotates by column and then by row, and scales images to a window's size."""
    width, base = config.hidden_size_per_head(), read_base(config, 1e4)
    w, count = frequencies(width // 2, base), config.layer_count()
    side = config.integer("window_size")
    full_layers = config.integers("global_attn_indexes") or []
    _, image_width = config.height_and_width("image_size")
    _, patch_width = config.height_and_width("patch_size")
    if image_width < patch_width:
        config.refuse_value("image_size", f"at least a patch, {patch_width}", image_width)
    slower = w * (side / (image_width // patch_width))
    usual = {
        "base": base,
        "layout": "interleaved",
        "axis_names": ("column", "row"),
        "rows": count_patches(config, "pretrain_image_size"),
        "row_width": config.integer("hidden_size"),
    }
    local = make_layer(width, [w, w], kind="chunked", window=side**2, **usual)
    full = make_layer(width, [slower, slower], **usual)
    return [full if i in full_layers else local for i in range(count)]


def read_dinov3(config: Config) -> list[Layer]:
    """Read DINOv3, whose coordinates run from -1 to 1 over the image.

    The fastest pair makes one turn per unit of a coordinate.
    """
    width, base = config.hidden_size_per_head(), read_base(config, 100.0)
    w = tau * frequencies(width // 2, base)
    layer = make_layer(width, [w, w], base=base, unit="half the image")
    return [layer] * config.layer_count()


# Towers that add a table or sinusoids to the patches, and rotate nothing


@dataclass(frozen=True)
class PatchSinusoids:
    """Read a masked autoencoder, which adds sinusoids that are not trained to all patches.

    With `is_grid`, half of each row encodes the patch's column, and half encodes its row on a
    square grid. The first table row belongs to the class token (ViTMAE). Otherwise the patches of
    all frames are counted (VideoMAE). The decoder has a table of its own, with its own width.
    """

    is_grid: bool

    def __call__(self, config: Config) -> list[Layer]:
        patches = count_patches(config)
        if not self.is_grid:
            patches *= config.integer("num_frames") // config.integer("tubelet_size")
        stack = []
        for prefix, part in (("", "vision"), ("decoder_", "decoder")):
            hidden = config.integer(f"{prefix}hidden_size")
            layer = Layer(
                "sinusoidal",
                hidden // config.integer(f"{prefix}num_attention_heads"),
                base=1e4,
                part=part,
                rows=patches,
                row_width=hidden,
                two_sided=True,
                unit="patch",
                **self._describe_waves(hidden),
            )
            stack += [layer] * config.layer_count(f"{prefix}num_hidden_layers")
        return stack

    def _describe_waves(self, width: int) -> dict[str, Any]:
        if not self.is_grid:
            return {"frequencies": frequencies(width), "layout": "interleaved"}
        w = frequencies(width // 2)
        return {
            "frequencies": np.concatenate([w, w]),
            "layout": "halves",
            "axes": np.repeat([0, 1], w.size),
            "axis_names": ("column", "row"),
            "first_position": 1,
        }


def read_vivit(config: Config) -> list[Layer]:
    """Read ViViT, whose learned table has a row for the class token and for each tubelet."""
    frames, height, width = config.integers("tubelet_size") or [0]
    down, across = config.height_and_width("image_size")
    count = (config.integer("num_frames") // frames) * (down // height) * (across // width)
    return read_learned_tower(config, count + 1)


def read_spectrogram(config: Config) -> list[Layer]:
    """Read AST, whose patches of a spectrogram overlap, and follow two extra tokens."""
    patch, count = config.integer("patch_size"), 2
    steps = [("num_mel_bins", "frequency_stride"), ("max_length", "time_stride")]
    sides = [(config.integer(n) - patch) // config.integer(step) + 1 for n, step in steps]
    return read_learned_tower(config, sides[0] * sides[1] + count, part="audio")


def read_learned_tower(config: Config, rows: int, **fields: Any) -> list[Layer]:
    """Return the layers of a tower that adds a learned table with this number of rows."""
    usual: dict[str, Any] = {"part": "vision", "two_sided": True, "unit": "patch"}
    width = config.integer("hidden_size")
    return repeat_layer(config, "learned", rows=rows, row_width=width, **{**usual, **fields})


# Towers that learn a bias for each offset between two patches


def count_offsets(sides: tuple[int, int]) -> int:
    """Return how many offsets there are between the patches of this many rows and columns."""
    rows, columns = sides
    return (2 * rows - 1) * (2 * columns - 1)


@dataclass(frozen=True)
class ShiftedWindows:
    """Read Swin, in which each layer has a bias for each offset in a window of patches.

    Each stage has its own number of heads, and is twice as wide as the stage before. The file gives
    the width of the first stage at `width_key`. In transformers, each table has the size of the
    configured window, even in a stage that has fewer patches than a window. Every other layer
    shifts its windows by half a window, which changes no offset inside a window.
    """

    width_key: str = "embed_dim"
    part: Literal["vision", "audio"] = "vision"

    def __call__(self, config: Config) -> list[Layer]:
        _refuse_table_beside_biases(config, "use_absolute_embeddings")
        depths = config.integers("depths") or []
        heads = config.integers("num_attention_heads") or []
        if not depths:
            config.refuse_value("depths", "a list that gives each stage's number of layers", depths)
        if len(heads) != len(depths):
            expected = f"a list with a number of heads for each of {len(depths)} stages"
            config.refuse_value("num_attention_heads", expected, heads)
        side, width = config.integer("window_size"), config.integer(self.width_key)
        stack = []
        for stage, (depth, count) in enumerate(zip(depths, heads, strict=True)):
            hidden = width * 2**stage
            if count < 1 or hidden % count:
                expected = f"divisors of the widths of the stages ({hidden} in stage {stage})"
                config.refuse_value("num_attention_heads", expected, heads)
            layer = Layer(
                "offsets",
                hidden // count,
                kind="chunked",
                window=side**2,
                part=self.part,
                unit="patch",
                rows=count_offsets((side, side)),
                row_width=count,
                two_sided=True,
                sides=(side, side),
                stage=stage,
            )
            stack += [layer] * depth
        return stack


def read_beit(config: Config) -> list[Layer]:
    """Read BEiT, which has biases for the offsets between patches, or a learned table, or neither.

    The biases may belong to single layers or be shared by all layers. The last three rows of their
    table belong to the offsets from the class token, to it, and to itself.
    """
    height, width = config.height_and_width("image_size")
    patch = config.integer("patch_size")
    sides = height // patch, width // patch
    has_own_biases = config.flag("use_relative_position_bias", False)
    has_shared_biases = config.flag("use_shared_relative_position_bias", False)
    if not has_own_biases and not has_shared_biases:
        if config.flag("use_absolute_position_embeddings", False):
            return read_learned_tower(config, sides[0] * sides[1] + 1)
        return repeat_layer(config, "none", part="vision", two_sided=True, unit="patch")
    _refuse_table_beside_biases(config, "use_absolute_position_embeddings")
    return repeat_layer(
        config,
        "offsets",
        part="vision",
        unit="patch",
        rows=count_offsets(sides) + 3,
        row_width=config.integer("num_attention_heads"),
        two_sided=True,
        sides=sides,
    )


def _refuse_table_beside_biases(config: Config, key: str) -> None:
    """Raise ValueError if a tower with biases for offsets adds a learned table of patches, too."""
    if config.flag(key, False):
        config.refuse_value(key, "false, because no Layer holds a table beside biases", True)


# Generators of images and videos from diffusers


@dataclass(frozen=True)
class AxesOfOwnWidth:
    """Read FLUX, HunyuanVideo and others, whose axes rotate different numbers of entries."""

    key: str  # the configuration key for the number of entries that each axis rotates
    axis_names: tuple[str, ...]
    base: float
    widths: tuple[int, ...]

    def __call__(self, config: Config) -> list[Layer]:
        usual = [*self.widths]
        path = config.path_to("attention_head_dim")
        width = read_integer(path, config.get("attention_head_dim", sum(usual)))
        widths = config.get(self.key, usual)
        count = len(self.axis_names)
        is_list = isinstance(widths, list | tuple)
        if not is_list or len(widths) != count or sum(widths) != width:
            config.refuse_value(self.key, f"{count} widths that add up to {width}", widths)
        base = read_base(config, self.base)
        layer = make_layer(
            width,
            [frequencies(own_width, base) for own_width in widths],
            base=base,
            layout="interleaved",
            axis_names=self.axis_names,
        )
        single = 0
        if config.get("num_single_layers"):
            single = config.layer_count("num_single_layers")
        return [layer] * (config.layer_count("num_layers") + single)


@dataclass(frozen=True)
class AxesByThirds:
    """Read Wan and Cosmos, in which height and width get a third of the pairs each.

    Time gets the remaining pairs. Cosmos raises the base of each axis by `rope_scale`, whose usual
    values are `scales`.
    """

    layout: Literal["halves", "interleaved"]
    scales: tuple[float, ...] = ()

    def __call__(self, config: Config) -> list[Layer]:
        width_key = "attention_head_dim" if config.get("attention_head_dim") else "head_dim"
        width = config.integer(width_key)
        side = 2 * (width // 6)
        scales = config.get("rope_scale", [*self.scales]) if self.scales else [1, 1, 1]
        if not isinstance(scales, list | tuple) or len(scales) != 3:
            config.refuse_value("rope_scale", "three numbers (time, height, width)", scales)
        factors = [read_number(config.path_to("rope_scale"), scale, 1) for scale in scales]
        widths = (width - 2 * side, side, side)
        per_axis = [
            context.ntk_aware(own_width, factor)
            for own_width, factor in zip(widths, factors, strict=True)
        ]
        layer = make_layer(
            width,
            per_axis,
            layout=self.layout,
            base=None if self.scales else 1e4,
            axis_names=("time", "height", "width"),
        )
        return [layer] * config.layer_count("num_layers")


READERS: Mapping[str, Callable[..., object]] = {
    "rows_then_columns": RowsThenColumns,
    "pixtral": read_pixtral,
    "llama_4_vision": read_llama_4,
    "sam_3": read_sam_3,
    "dinov3": read_dinov3,
    "patch_sinusoids": PatchSinusoids,
    "vivit": read_vivit,
    "spectrogram": read_spectrogram,
    "shifted_windows": ShiftedWindows,
    "beit": read_beit,
    "axes_of_own_width": AxesOfOwnWidth,
    "axes_by_thirds": AxesByThirds,
}
