"""Look up kinds of models by `model_type`, in `kinds.toml` and in transformers' defaults.

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
    """The key and the value that make a kind of model use ALiBi instead of its rotation."""

    key: str
    value: Any


@dataclass(frozen=True)
class Model:
    """A row of `kinds.toml`, which says how a kind of model treats its configuration.

    If a field is a function, the row chooses it by a word of `RULES`.
    """

    refused: str = ""  # the reason why this known kind of model cannot be read
    # This function reads models that are not stacks of rotated heads.
    reader: Callable[[Config], list[Layer]] | None = None
    alibi_if: AlibiCondition | None = None
    part: Literal["decoder", "encoder", "both"] = "decoder"
    two_sided: bool = False

    # The types of the model's layers
    types: Callable[[Config, int], list[str]] = _types.ALL_FULL
    readable_types: tuple[str, ...] = ()  # values of `layer_types`, or () if it is not read
    linear_type: str = _types.LINEAR  # the actual type of linear_attention layers
    full_type: str = _types.FULL  # the actual type of full_attention layers
    layers_per_count: int = 1  # attention layers per layer that the file counts
    mlp_is_no_layer: bool = False  # true if an "mlp" entry of `layer_types` is no layer

    # The model's heads
    heads: Callable[[Config, str], Head] = _heads.read_whole_head
    window: Window = _heads.USUAL_WINDOW
    scale: Callable[[Config, int, str], float] = _heads.scale_by_width_alone
    growth: Callable[[Config, bool], Growth | None] = _heads.read_no_growth
    sink_types: tuple[str, ...] = ()  # types of layers whose softmax has a learned entry
    indexer: Callable[[Config, Layer], Indexed] | None = None

    # The model's rotation
    layout: Literal["halves", "interleaved"] = "halves"
    rope: Callable[[Config, str], Parameters] = _rope.read_parameters
    unrotated_types: tuple[str, ...] = ()
    # This function says whether a layer of any other type is rotated.
    rotated: Callable[[Config, int, str], bool] = _heads.is_always_rotated
    sections: Sections | None = None
    reads_rope_interleave: bool = False
    reads_partial_rotary_factor: bool = False
    reads_rotary_dim: bool = False

    # The configuration keys that the model reads
    defaults: Mapping[str, Any] = field(default_factory=dict)  # the values of missing keys
    own_names: Mapping[str, str] = field(default_factory=dict)  # the model's own key names
    only_value: Mapping[str, Any] = field(default_factory=dict)  # keys with a single valid value
    only_in_rope_parameters: tuple[str, ...] = ()  # keys that are read only in `rope_parameters`
    ignored_keys: tuple[str, ...] = ()  # patterns of keys that no program reads

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

    defaults: Mapping[str, Any]  # the values of missing keys
    names: Mapping[str, str]  # the class's names of keys
    parts: Mapping[str, str]  # the kinds of the nested configurations


@cache
def rows() -> dict[str, dict[str, Any]]:
    """Return a dictionary from each kind of model to its unprocessed row of `kinds.toml`."""
    return _kinds()[0]


@cache
def classes() -> dict[str, TransformersClass]:
    """Return a dictionary from each kind of model to its row of `defaults.json`."""
    table = json.loads((FOLDER / "defaults.json").read_text("utf-8"))
    return {kind: TransformersClass(**row) for kind, row in table.items()}


@cache
def text_kinds() -> dict[str, str]:
    """For each kind of model that has several parts, return the kind of its text part."""
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
    """Return the `Model` of a kind, merging its row, the rows named at `like`, and its defaults."""
    row: dict[str, Any] = {"like": kind}
    of_class: dict[str, Any] = {}
    of_rows: dict[str, Any] = {}
    own_names: dict[str, str] = {}
    while "like" in row:
        name = row.pop("like")
        # Use the class of another kind only if this kind has no class of its own.
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
    """Return every known `model_type`, including the models that have several parts."""
    return tuple(sorted({*rows(), *text_kinds()}))
