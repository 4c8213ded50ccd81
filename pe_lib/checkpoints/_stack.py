"""One `Layer` a layer."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from pe_lib import _checks
from pe_lib.checkpoints import _models, _rope
from pe_lib.checkpoints._config import Config, number, shown
from pe_lib.checkpoints._layer import Layer

MODELS = tuple(sorted(_models.DECODERS))


def layers(config: Mapping[str, Any], length: int | None = None) -> list[Layer]:
    """What each layer does with positions, for texts of `length` tokens.

    Without `length`, models that change with it (dynamic, longrope) are those of a short text.

    >>> config = {"model_type": "smollm3", "hidden_size": 2048, "num_attention_heads": 16,
    ...           "num_hidden_layers": 36, "rope_theta": 5e6}
    >>> [layer.scheme for layer in layers(config)][:5]
    ['rotary', 'rotary', 'rotary', 'none', 'rotary']
    >>> layers(config)[0].frequencies[:3].round(3)
    array([1.   , 0.786, 0.618])
    """
    if not isinstance(config, Mapping):
        raise TypeError(f"config must be a dictionary, got {shown(config)}")
    if length is not None:
        length = _checks.integer("length", length, 1)
    where = "config"
    if isinstance(config.get("text_config"), Mapping):
        config, where = config["text_config"], "config['text_config']"
    kind = config.get("model_type")
    if kind not in MODELS:
        near = get_close_matches(str(kind), MODELS, 3) or MODELS[:3]
        raise ValueError(
            f"{where}['model_type'] is {shown(kind)}, which is not known; "
            f"known are {len(MODELS)} in pe_lib.checkpoints.MODELS, such as {', '.join(near)}"
        )
    model = _models.DECODERS[str(kind)]
    defaults = {"rope_theta": 10_000.0, **model.defaults}
    return _decoder(Config(config, str(kind), defaults, where), model, length)


def _decoder(config: Config, model: _models.Decoder, length: int | None) -> list[Layer]:
    n = config.whole("num_hidden_layers")
    types = config.get("layer_types") or model.kinds(config, n)
    if not isinstance(types, list) or len(types) != n:
        raise ValueError(
            f"{config.where}['layer_types'] must name each of {n} layers, got {shown(types)}"
        )
    return [_layer(config, model, i, str(name), length) for i, name in enumerate(types)]


def _layer(config: Config, model: _models.Decoder, i: int, name: str, length: int | None) -> Layer:
    kind = name.removesuffix("_attention")
    if kind not in ("full", "sliding"):
        raise ValueError(
            f"{config.where}['layer_types'][{i}] is {name!r}, which is not known for "
            f"{config.kind}; known: full_attention, sliding_attention"
        )
    width = _width(config)
    window = config.window() if kind == "sliding" else None
    scale = model.scale(config, width) if model.scale else 1.0
    every: dict[str, Any] = {"width": width, "window": window, "softmax_scale": scale, "kind": kind}
    if model.unturned(config, i, name):
        return Layer("none", sink=model.sink, **every)
    rope = _rope.parameters(config, name)
    part = rope.get("partial_rotary_factor")
    part = config.get("partial_rotary_factor", 1.0) if part is None else part
    share = number(f"{config.where}['partial_rotary_factor']", part)
    if not 0 < share <= 1:
        raise ValueError(
            f"{config.where}['partial_rotary_factor'] must lie in (0, 1], got {shown(part)}"
        )
    turned = width if rope["rope_type"] == "proportional" else int(width * share)
    w, more = _rope.rule(config, rope, turned, length)
    return Layer("rotary", turned=turned, frequencies=w, layout=model.layout, sink=model.sink,
                 **every, **more)  # fmt: skip


def _width(config: Config) -> int:
    """The entries of a head: as given, or the hidden size shared out."""
    if config.get("head_dim") is not None:
        return config.whole("head_dim")
    hidden, heads = config.whole("hidden_size"), config.whole("num_attention_heads")
    if hidden % heads:
        raise ValueError(
            f"{config.where}: hidden_size {hidden} is no multiple of num_attention_heads {heads}, "
            "and head_dim is not given"
        )
    return hidden // heads
