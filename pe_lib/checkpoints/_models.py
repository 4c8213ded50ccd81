"""The kinds of models, by `model_type`: `kinds.toml`, and transformers' own `defaults.json`.

`kinds.toml` says what the code of each kind does, read in transformers 5.24.0 or in the model's own
program, and compared with it by `make peers`. `defaults.json` has what its classes take for a key
that is not there (`tools/defaults.py`). Nothing is assumed of a model that is not here.
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
    """The key and the value with which a kind of model has ALiBi in place of its rotation."""

    key: str
    value: Any


@dataclass(frozen=True)
class Model:
    """What a kind of model does, beside what its configuration says: a row of `kinds.toml`.

    A field that is a function is chosen in the row by a word of `RULES`.
    """

    refused: str = ""  # the reason why it is known and cannot be read
    # reads a model that is no stack of rotated heads
    reader: Callable[[Config], list[Layer]] | None = None
    alibi_if: AlibiCondition | None = None
    part: Literal["decoder", "encoder", "both"] = "decoder"
    two_sided: bool = False

    # The types of its layers
    types: Callable[[Config, int], list[str]] = _types.ALL_FULL
    readable_types: tuple[str, ...] = ()  # what `layer_types` may hold; () if it is not read
    linear_type: str = _types.LINEAR  # what its layers of type linear_attention are
    full_type: str = _types.FULL  # what its layers of type full_attention are
    layers_per_count: int = 1  # layers with attention for each that the file counts
    mlp_is_no_layer: bool = False  # an "mlp" in `layer_types` is part of the layer before it

    # Its heads
    heads: Callable[[Config, str], Head] = _heads.read_whole_head
    window: Window = _heads.USUAL_WINDOW
    scale: Callable[[Config, int, str], float] = _heads.scale_by_width_alone
    growth: Callable[[Config, bool], Growth | None] = _heads.read_no_growth
    sink_types: tuple[str, ...] = ()  # types of layers whose softmax has a learned entry
    indexer: Callable[[Config, Layer], Indexed] | None = None

    # Its rotation
    layout: Literal["halves", "interleaved"] = "halves"
    rope: Callable[[Config, str], Parameters] = _rope.read_parameters
    unrotated_types: tuple[str, ...] = ()
    # tells whether a layer of another type is rotated
    rotated: Callable[[Config, int, str], bool] = _heads.is_always_rotated
    sections: Sections | None = None
    reads_rope_interleave: bool = False
    reads_partial_rotary_factor: bool = False
    reads_rotary_dim: bool = False

    # Its keys
    defaults: Mapping[str, Any] = field(default_factory=dict)  # for keys that are not there
    own_names: Mapping[str, str] = field(default_factory=dict)  # what it calls a key
    only_value: Mapping[str, Any] = field(default_factory=dict)  # keys with the one value it knows
    only_in_rope_parameters: tuple[str, ...] = ()  # keys that it reads nowhere else
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
    """What a configuration class of transformers takes: a row of `defaults.json`."""

    defaults: Mapping[str, Any]  # for keys that are not there
    names: Mapping[str, str]  # what it calls a key
    parts: Mapping[str, str]  # the kinds of the configurations inside


@cache
def rows() -> dict[str, dict[str, Any]]:
    """Return the rows of `kinds.toml` by their kinds, as they stand there."""
    return _kinds()[0]


@cache
def classes() -> dict[str, TransformersClass]:
    """Return what the classes of transformers take, by their kinds."""
    table = json.loads((FOLDER / "defaults.json").read_text("utf-8"))
    return {kind: TransformersClass(**row) for kind, row in table.items()}


@cache
def text_kinds() -> dict[str, str]:
    """Return the kind of the text part of each kind that has several parts."""
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
    """Return what is known of a kind: its row, those that it is like, and its class's defaults."""
    row: dict[str, Any] = {"like": kind}
    of_class: dict[str, Any] = {}
    of_rows: dict[str, Any] = {}
    own_names: dict[str, str] = {}
    while "like" in row:
        name = row.pop("like")
        # The class of another kind counts only where this kind has no class of its own.
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
    """Return every `model_type` that is known, those with several parts included."""
    return tuple(sorted({*rows(), *text_kinds()}))
