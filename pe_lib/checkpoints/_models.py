"""The kinds of models, by `model_type`: `kinds.toml`, and transformers' own `defaults.json`.

`kinds.toml` says what the code of each kind does; read in transformers 5.24.0, or in the model's
own program, and compared with it by `make peers`. `defaults.json` has what its classes take for a
key that is not there (`tools/defaults.py`). Of a model that is not here nothing is assumed.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from pe_lib.checkpoints._config import HERE, words

Rule = tuple[Any, ...]  # the name of a function, and its further arguments


@dataclass(frozen=True)
class Model:
    """What a kind of model does, beside what its configuration says."""

    reader: Rule = ()  # of `_tables` and `_images`; a stack of turned heads has none
    refused: str = ""  # why it is known and still not read
    layout: Literal["halves", "interleaved"] = "halves"
    types: Rule = ("rounds", "f")  # where there are no `layer_types`
    reads: tuple[str, ...] = ()  # what `layer_types` may hold; () where it is not read
    linear: str = "linear_attention"  # what its layers of type linear_attention are
    full: str = "full_attention"  # and those of type full_attention
    bare: tuple[str, ...] = ()  # types of layers that are not turned
    unturned: str = ""  # which others are not
    heads: str = "whole_head"  # entries, first turned one
    window: Rule = ("sliding_window",)  # the key, what it is divided by, and how many are added
    rope: Rule = ("parameters",)  # for a type of layer
    scale: str = ""  # of the scores
    growth: str = ""
    sections: Rule = ()  # how pairs are shared out among axes, and the usual shares
    sink: tuple[str, ...] = ()  # types of layers whose softmax has a learned entry
    indexer: Rule = ()  # of layers in which each query sees some keys
    times: int = 1  # layers with attention for each that the file counts
    paired: bool = False  # whether an "mlp" in `layer_types` is part of the layer before it
    swaps: bool = False  # whether `rope_interleave` is read
    partial: bool = False  # whether `partial_rotary_factor` is read
    rotary_dim: bool = False  # whether `rotary_dim` is read
    part: str = "decoder"
    two_sided: bool = False
    alibi: Rule = ()  # the key and the value with which it has ALiBi in place of all this
    only: Mapping[str, Any] = field(default_factory=dict)  # keys of which it knows one value
    unread: tuple[str, ...] = ()  # keys that are read inside `rope_parameters` alone
    harmless: tuple[str, ...] = ()  # keys of its files that no program reads
    defaults: Mapping[str, Any] = field(default_factory=dict)  # of keys that are not there
    own: Mapping[str, str] = field(default_factory=dict)  # its own name of a key


@cache
def stored() -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """Rows, what classes take, and of kinds with several parts the kind of the text part."""
    rows = tomllib.loads((HERE / "kinds.toml").read_text("utf-8"))
    text, keys = rows.pop("text"), words()["text_parts"]
    classes = json.loads((HERE / "defaults.json").read_text("utf-8"))
    for kind, known in classes.items():
        inner = next((known["parts"][key] for key in keys if key in known["parts"]), None)
        if inner and kind not in rows:
            text.setdefault(kind, inner)
    found = {kind: text.get(inner, inner) for kind, inner in text.items()}
    return rows, classes, {kind: inner for kind, inner in found.items() if inner in rows}


@cache
def model(kind: str) -> Model:
    """What is known of this kind: its row, those that it is like, and its class's defaults."""
    rows, classes, _ = stored()
    row: dict[str, Any] = {"like": kind}
    taken: dict[str, Any] = {}  # by its class
    defaults: dict[str, Any] = {}  # by its row, and by those that it is like
    own: dict[str, str] = {}
    while "like" in row:
        name = row.pop("like")
        known = classes.get(name, {}) if name == kind or kind not in classes else {}
        more = rows[name]
        taken = {**known.get("defaults", {}), **taken}
        defaults = {**more.get("defaults", {}), **defaults}
        own = {**known.get("names", {}), **more.get("own", {}), **own}
        row = {**more, **row}
    row |= {"defaults": {**taken, **defaults}, "own": own}
    given: Any = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
    return Model(**given)


@cache
def names() -> tuple[str, ...]:
    """Every `model_type` that is known, those with several parts included."""
    rows, _, text = stored()
    return tuple(sorted({*rows, *text}))
