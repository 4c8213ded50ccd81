"""Look up types of models in `kinds.toml` and in transformers' defaults by their `model_type`.

`kinds.toml` says what the code of each kind does. We read that code in transformers 5.24.0 or in
the model's own program, and `make peers` compares the results. `defaults.json`, written by
`tools/defaults.py`, has the defaults of transformers' classes for missing keys. Nothing is assumed
about a model that is not listed in these files.
"""

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple

from pe_lib.checkpoints import _heads, _images, _rope, _tables, _types
from pe_lib.checkpoints._config import Config
from pe_lib.checkpoints._heads import Growth, Head, Indexed, Window
from pe_lib.checkpoints._keys import FOLDER, KEYS
from pe_lib.checkpoints._layer import Layer
from pe_lib.checkpoints._records import choose_rule, read_record, require_word
from pe_lib.checkpoints._rope import Parameters, Sections


@dataclass(frozen=True)
class AlibiCondition:
    """A configuration key, and the value for which a model uses ALiBi instead of a rotation."""

    key: str
    value: Any


@dataclass(frozen=True)
class Model:
    """A row of `kinds.toml`, which says how to read the configurations of a model type.

    If a field is a function, the row chooses it by a word of `RULES`.
    """

    # If `refused` is not empty, it is the reason why configurations of this type are refused.
    refused: str = ""
    # If a model is not a stack of rotated heads, `reader` is the function that reads it.
    reader: Callable[[Config], list[Layer]] | None = None
    alibi_if: AlibiCondition | None = None
    part: Literal["decoder", "encoder", "audio", "both"] = "decoder"
    two_sided: bool = False

    # The types of the model's layers
    types: Callable[[Config, int], list[str]] = _types.ALL_FULL
    # the allowed values of `layer_types`, or () if that key is not read
    readable_types: tuple[str, ...] = ()
    linear_type: str = _types.LINEAR  # the type that "linear_attention" stands for in this model
    full_type: str = _types.FULL  # the type that "full_attention" stands for in this model
    layers_per_count: int = 1  # how many attention layers each counted layer contains
    # whether "mlp" entries of `layer_types` are not counted as layers
    mlp_is_no_layer: bool = False

    # The model's heads
    heads: Callable[[Config, str], Head] = _heads.read_whole_head
    window: Window = _heads.USUAL_WINDOW
    scale: Callable[[Config, int, str], float] = _heads.scale_by_width_alone
    growth: Callable[[Config, bool], Growth | None] = _heads.read_no_growth
    sink_types: tuple[str, ...] = ()  # layer types whose softmax has a learned entry
    indexer: Callable[[Config, Layer], Indexed] | None = None

    # The model's rotation
    layout: Literal["halves", "interleaved"] = "halves"
    # how the cosines and sines of an interleaved rotation repeat each pair, if this is known
    repeats: Literal["halves", "interleaved", ""] = ""
    rope: Callable[[Config, str], Parameters] = _rope.read_parameters
    unrotated_types: tuple[str, ...] = ()
    # the rule that says whether a layer is rotated if its type is not in `unrotated_types`
    rotated: Callable[[Config, int, str], bool] = _heads.is_always_rotated
    sections: Sections | None = None
    reads_rope_interleave: bool = False
    reads_partial_rotary_factor: bool = False
    reads_rotary_dim: bool = False

    # The configuration keys that the model reads

    # the values of keys that are missing in the configuration
    defaults: Mapping[str, Any] = field(default_factory=dict)
    # the names that this model uses for common keys
    own_names: Mapping[str, str] = field(default_factory=dict)
    # keys that have only one valid value
    only_value: Mapping[str, Any] = field(default_factory=dict)
    only_in_rope_parameters: tuple[str, ...] = ()  # keys that are read only in `rope_parameters`
    ignored_keys: tuple[str, ...] = ()  # patterns for keys that no program reads

    def __post_init__(self) -> None:
        for name in ("readable_types", "unrotated_types", "sink_types"):
            for layer_type in getattr(self, name):
                require_word(name, layer_type, _types.KINDS)
        for name in ("linear_type", "full_type"):
            require_word(name, getattr(self, name), _types.KINDS)


RULES: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "reader": {**_tables.READERS, **_images.READERS},
    "types": _types.RULES,
    "heads": _heads.HEADS,
    "scale": _heads.SCALES,
    "growth": _heads.GROWTHS,
    "indexer": _heads.INDEXERS,
    "rope": _rope.READERS,
    "rotated": _heads.ROTATED,
}


class TransformersClass(NamedTuple):
    """A row of `defaults.json`, which describes a configuration class of transformers."""

    defaults: Mapping[str, Any]  # the values of keys that are missing in the configuration
    names: Mapping[str, str]  # the names that the class uses for keys
    parts: Mapping[str, str]  # the model types of the nested configurations


@cache
def rows() -> dict[str, dict[str, Any]]:
    """Return the rows of `kinds.toml` as they are in the file, in a dictionary by model type."""
    return _kinds()[0]


@cache
def classes() -> dict[str, TransformersClass]:
    """Return the rows of `defaults.json`, in a dictionary by model type."""
    table = json.loads((FOLDER / "defaults.json").read_text("utf-8"))
    return {kind: TransformersClass(**row) for kind, row in table.items()}


@cache
def text_kinds() -> dict[str, str]:
    """For each model type that has several parts, return the model type of its text part."""
    kinds = {**_kinds()[1]}
    for kind, row in classes().items():
        inner = next((row.parts[key] for key in KEYS.text_parts if key in row.parts), None)
        if inner and kind not in rows():
            kinds.setdefault(kind, inner)
    innermost = {kind: kinds.get(inner, inner) for kind, inner in kinds.items()}
    return {kind: inner for kind, inner in innermost.items() if inner in rows()}


@cache
def _kinds() -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    table = tomllib.loads((FOLDER / "kinds.toml").read_text("utf-8"))
    return table, table.pop("text_kinds")


@cache
def read_model(kind: str) -> Model:
    """Return the `Model` for a model type, built from its row, the rows in `like`, and defaults."""
    row: dict[str, Any] = {"like": kind}
    of_class: dict[str, Any] = {}
    of_rows: dict[str, Any] = {}
    own_names: dict[str, str] = {}
    while "like" in row:
        name = row.pop("like")
        # Use another type's class only if this model type has no class of its own.
        has_class = name in classes() and (name == kind or kind not in classes())
        class_row = classes()[name] if has_class else TransformersClass({}, {}, {})
        table_row = rows()[name]
        of_class = {**class_row.defaults, **of_class}
        of_rows = {**table_row.get("defaults", {}), **of_rows}
        own_names = {**class_row.names, **table_row.get("own_names", {}), **own_names}
        row = {**table_row, **row}
    row |= {"defaults": {**of_class, **of_rows}, "own_names": own_names}
    where = f"kinds.toml: {kind}"
    for name, rules in RULES.items():
        if name in row:
            row[name] = choose_rule(rules, row[name], f"{where}.{name}")
    return read_record(Model, row, where)


@cache
def list_kinds() -> tuple[str, ...]:
    """Return every known `model_type`, including those of models that have several parts."""
    return tuple(sorted({*rows(), *text_kinds()}))
