"""Read `rope_scaling` and `rope_parameters` in all their forms, and compute the frequencies.

`READERS` lists the words that a row of `kinds.toml` may have at `rope`, and `ORDERS` lists the
words that it may have at `sections.order`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks, context, grid
from pe_lib.checkpoints import _scaling
from pe_lib.checkpoints._config import Config, read_integer, read_number, require_known
from pe_lib.checkpoints._keys import KEYS
from pe_lib.checkpoints._records import require_word
from pe_lib.checkpoints._scaling import SCALINGS, Settings, is_nested

Parameters = dict[str, Any]
Reader = Callable[[Config, str], Parameters]

BESIDE_SCALING = frozenset(KEYS.beside_scaling)

# The rotation's parameters for one type of layer


def read_parameters(config: Config, layer_type: str = "") -> Parameters:
    """Return the rotation's parameters for a type of layer, including its `rope_type`.

    The file may hold these parameters at `rope_scaling` (transformers 4) or `rope_parameters`
    (transformers 5), and some of them outside that dictionary. If a parameter is given twice, both
    values have to agree.
    """
    old, new = config.dictionary("rope_scaling"), config.dictionary("rope_parameters")
    if old and config.find_value("rope_parameters") is None:
        new = {}  # The model type's defaults apply only if the file has neither of the two keys.
    parameters: Parameters = {}
    for name, rope in (("rope_scaling", old), ("rope_parameters", new)):
        if is_nested(rope):
            if rope.get(layer_type) is None:
                expected = f"a dictionary for layers of type {layer_type!r}, too, with rope_theta"
                config.refuse_value(name, expected, rope)
            rope = rope[layer_type]
        _merge(parameters, _unify_type(config, rope), config.path_to(name))
    outside = read_outside(config, layer_type)
    if is_nested(old) or is_nested(new):
        return _check_type_and_keys(config, {**outside, **parameters})
    _merge(parameters, outside, config.where)
    base = parameters.get("rope_theta") or config.defaults.get("rope_theta")
    config.require_agreement("rope_theta", base)
    if parameters.get("partial_rotary_factor") is not None:
        config.require_agreement("partial_rotary_factor", parameters["partial_rotary_factor"])
    return _check_type_and_keys(config, parameters)


def read_outside(config: Config, layer_type: str) -> Parameters:
    """Return the base and the rotated share that stand outside `rope_parameters`.

    Some vendors give a list with a value for each layer, and call the shares
    `partial_rotary_factors`. All layers of a type must then have the same value.
    """
    outside: Parameters = {}
    for key, name in (
        ("rope_theta", "rope_theta"),
        ("partial_rotary_factor", "partial_rotary_factor"),
        ("partial_rotary_factors", "partial_rotary_factor"),
    ):
        value = config.find_value(key)
        if isinstance(value, list) or key == "partial_rotary_factors":
            value = _value_of_type(config, key, value, layer_type)
        if value is not None:
            _merge(outside, {name: value}, config.where)
    return outside


def _value_of_type(config: Config, key: str, value: Any, layer_type: str) -> Any:
    """If a value is a list, return the entry that all layers of a type share, else the value."""
    if not isinstance(value, list):
        return value
    count = config.layer_count()
    listed = config.get("layer_types")
    types, values = (config.without_extra_layers(key, x, count) for x in (listed, value))
    if len(values) != count:
        config.refuse_value(key, f"a list with a number for each of {count} layers", value)
    if not isinstance(types, list) or len(types) != count or layer_type not in types:
        types = [layer_type] * count
    own = [x for x, name in zip(values, types, strict=True) if name == layer_type]
    if any(x != own[0] for x in own):
        expected = f"a list with one number for all layers of type {layer_type!r}"
        config.refuse_value(key, expected, value)
    return own[0]


def _merge(parameters: Parameters, more: Mapping[str, Any], where: str) -> None:
    """Add entries to the parameters, or raise ValueError if a key already has a different value."""
    for key, value in more.items():
        if value is not None and parameters.get(key) not in (None, value):
            values = f"{key!r} is {_checks.quote(value)} and {_checks.quote(parameters[key])}"
            raise ValueError(f"{where} contradicts what stands elsewhere: {values}")
        if value is not None or key not in parameters:
            parameters[key] = value


def _unify_type(config: Config, rope: Mapping[str, Any]) -> Parameters:
    """Return a copy of the parameters that stores the scaling type only under `rope_type`.

    Files saved by transformers store the type at `type`, too.
    """
    parameters = dict(rope)
    both = [parameters.get("rope_type"), parameters.get("type")]
    names = {_scaling.RENAMED.get(name, name) for name in both if isinstance(name, str)}
    if len(names) > 1:
        newer, older = _checks.quote(rope["rope_type"]), _checks.quote(rope["type"])
        config.refuse_contradiction(f"rope_type is {newer}, type is {older}")
    if names:
        parameters.pop("type", None)
        parameters["rope_type"] = names.pop()
    return parameters


def _check_type_and_keys(config: Config, rope: Mapping[str, Any]) -> Parameters:
    """Return a copy of the parameters, and reject keys that their `rope_type` does not use.

    A key that only another type reads is refused, unless its value changes nothing.
    """
    parameters = _unify_type(config, rope)
    value = parameters.get("rope_type", parameters.pop("type", "default"))
    present = (config.path_to_parameter(key) for key in ("rope_type", "type"))
    path = next(filter(None, present), f"{config.where}: rope_type")
    name = require_known(path, value, SCALINGS)
    parameters["rope_type"] = name
    keys = SCALINGS[name].keys
    beside = BESIDE_SCALING | {*(KEYS.beside_sections if "mrope_section" in parameters else ())}
    for key in sorted(map(str, parameters.keys() - beside - {*keys})):
        value = parameters[key]
        if value is None or value == KEYS.neutral.get(key):
            reason = f"rope_type {name!r} has no such key, and needs none"
            config.note_harmless(key, parameters.pop(key), reason)
            continue
        reads = ", ".join(sorted(keys)) or "none beside rope_theta"
        path = config.path_to_parameter(key) or config.path_to(key)
        raise ValueError(
            f"{path} = {_checks.quote(value)} is no key of rope_type {name!r}, which reads {reads}"
        )
    return parameters


# Model types whose parameters are read in a special way


@dataclass(frozen=True)
class BaseOfType:
    """The default base for a type of layer, and the key that holds the base in older files."""

    base: float
    key: str = ""


@dataclass(frozen=True)
class ReadByType:
    """Read different bases for full layers and sliding layers, as in Gemma 3 and OLMo 3.

    An older `rope_scaling` applies to full layers, and with `scales_sliding` also to sliding
    layers.
    """

    full: BaseOfType
    sliding: BaseOfType
    scales_sliding: bool = False

    def __call__(self, config: Config, layer_type: str) -> Parameters:
        old, new = config.dictionary("rope_scaling"), config.dictionary("rope_parameters")
        for usual in (self.full, self.sliding):
            config.find_value(usual.key)
        is_full = layer_type == "full_attention"
        usual = self.full if is_full else self.sliding
        if new and not is_nested(new):
            types = "(full_attention, sliding_attention)"
            expected = f"a dictionary for each type of layer {types} of {config.kind}"
            config.refuse_value("rope_parameters", expected, new)
        if old and new:
            config.refuse_contradiction("it has both rope_scaling and rope_parameters")
        scaling = old if self.scales_sliding or is_full else {}
        parameters = {**(new.get(layer_type) or {}), **scaling}
        if parameters.get("rope_theta") is None:
            older_base = config.find_value(usual.key)
            parameters["rope_theta"] = usual.base if older_base is None else older_base
        config.require_agreement(usual.key, parameters["rope_theta"])
        if share := parameters.get("partial_rotary_factor"):
            # In files saved by transformers, this key is also outside `rope_parameters`.
            config.require_agreement("partial_rotary_factor", share)
        return _check_type_and_keys(config, parameters)


def read_without_scaling(config: Config, layer_type: str) -> Parameters:
    """Read GPT-J and CodeGen, whose programs use a fixed base and no scaling."""
    parameters = read_parameters(config, layer_type)
    for key, usual in (("rope_type", "default"), ("rope_theta", 1e4)):
        if parameters.get(key) not in (None, usual):
            config.refuse_unread(key, parameters[key], f"its own: {usual}")
    return parameters


def read_deepseek_v4(config: Config, layer_type: str) -> Parameters:
    """Read DeepSeek-V4, which uses YaRN in layers that compress keys, and a plain base in others.

    The amplitude of this YaRN is 1 unless the file gives another.
    """
    new = config.dictionary("rope_parameters")
    for key in ("rope_theta", "compress_rope_theta"):
        config.find_value(key)
    is_sliding = layer_type == "sliding_attention"
    if is_nested(new) and {"main", "compress"} <= new.keys():
        return _check_type_and_keys(config, dict(new["main" if is_sliding else "compress"]))
    if is_sliding:
        return {"rope_type": "default", "rope_theta": config.need("rope_theta")}
    parameters = _check_type_and_keys(config, {**config.dictionary("rope_scaling"), **new})
    parameters["rope_theta"] = config.need("compress_rope_theta")
    if parameters["rope_type"] == "yarn":
        parameters.setdefault("attention_factor", 1.0)
    return parameters


def read_hunyuan(config: Config, layer_type: str = "") -> Parameters:
    """Read HunYuan, whose "dynamic" scaling raises the base by alpha for texts of any length."""
    rope = config.dictionary("rope_scaling") or config.dictionary("rope_parameters")
    alpha = rope.get("alpha")
    if not alpha or rope.get("rope_type", rope.get("type")) != "dynamic":
        return read_parameters(config, layer_type)
    stated_base = rope.get("rope_theta") or config.get("rope_theta")
    width = config.get("head_dim") or config.hidden_size_per_head()
    base = read_number(f"{config.where}['rope_theta']", stated_base)
    factor = read_number(f"{config.where}['alpha']", alpha, 1)
    return {"rope_type": "default", "rope_theta": context.ntk_base(width, factor, base)}


def read_step(config: Config, layer_type: str) -> Parameters:
    """Read Step 3.5, which gives each layer its own base and its own share of rotated entries.

    All layers of a type have the same values. Only full layers are scaled.
    """
    new = config.dictionary("rope_parameters")
    if is_nested(new):
        return _check_type_and_keys(config, dict(new.get(layer_type) or {}))
    parameters = read_outside(config, layer_type)
    if layer_type == "full_attention":
        parameters |= config.dictionary("rope_scaling")
    config.get("rope_scaling")
    return _check_type_and_keys(config, parameters)


def read_dbrx(config: Config, layer_type: str) -> Parameters:
    """Read DBRX, for which transformers ignores the base in `attn_config`."""
    parameters, inner = read_parameters(config, layer_type), config.subconfig("attn_config")
    base = parameters.get("rope_theta") or config.defaults["rope_theta"]
    if inner.get("rope_theta") not in (None, base):
        inner.refuse_unread("rope_theta", inner.get("rope_theta"), f"rope_parameters: {base}")
    return parameters


def read_phimoe(config: Config, layer_type: str) -> Parameters:
    """Read Phi-3.5-MoE, whose file gives LongRoPE's amplitudes for short and for long texts."""
    rope = dict(config.dictionary("rope_scaling") or config.dictionary("rope_parameters"))
    short, long = rope.pop("short_mscale", None), rope.pop("long_mscale", None)
    if short != long:
        amplitudes = {"short_mscale": short, "long_mscale": long}
        config.refuse_unread("rope_scaling", amplitudes, "one of both")
    if short is not None:
        rope["attention_factor"] = short
    parameters = {key: value for key, value in rope.items() if value is not None}
    return _check_type_and_keys(config, {"rope_theta": config.get("rope_theta"), **parameters})


def read_molmo(config: Config, layer_type: str) -> Parameters:
    """Read Molmo 2, and reject configurations in which only some layers are scaled."""
    scaled = config.integers("rope_scaling_layers")
    if scaled is not None and scaled != list(range(config.layer_count())):
        config.refuse_unread("rope_scaling_layers", scaled, "all layers here")
    return read_parameters(config, layer_type)


def read_chatglm(config: Config, layer_type: str) -> Parameters:
    """Read ChatGLM, whose base is 10,000 times `rope_ratio`."""
    return {"rope_type": "default", "rope_theta": 10_000.0 * config.number("rope_ratio")}


def read_first_qwen(config: Config, layer_type: str) -> Parameters:
    """Read the first Qwen (2023), which can change frequencies and scores beyond `seq_length`."""
    config.get("seq_length")
    flags = [key for key in ("use_dynamic_ntk", "use_logn_attn") if config.get(key)]
    if flags:
        config.notes.append(f"{', '.join(flags)}: true of texts up to seq_length only")
    return read_parameters(config, layer_type)


READERS: Mapping[str, Reader | type[ReadByType]] = {
    "parameters": read_parameters,
    "by_type": ReadByType,
    "without_scaling": read_without_scaling,
    "deepseek_v4": read_deepseek_v4,
    "hunyuan": read_hunyuan,
    "step": read_step,
    "dbrx": read_dbrx,
    "phimoe": read_phimoe,
    "molmo": read_molmo,
    "chatglm": read_chatglm,
    "first_qwen": read_first_qwen,
}


# Computing frequencies from parameters


def compute_frequencies(
    config: Config, rope: Parameters, width: int, length: int | None
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """Return the frequencies for `width` entries, and the `Layer` fields that the scaling sets."""
    scaling = SCALINGS[rope["rope_type"]]
    stated_base = rope.get("rope_theta")
    if stated_base is None:
        stated_base = config.defaults.get("rope_theta")
    base = read_number(config.path_to("rope_theta"), stated_base)
    if base <= 1:
        config.refuse_value("rope_theta", "greater than 1", stated_base)
    try:
        result = scaling.rule(Settings(config, rope, base, width, length))
    except ValueError as error:
        # Errors from a rule name only its argument, so add which dictionary the argument is from.
        if str(error).startswith(config.where):
            raise
        present = (config.path_to_parameter(key) for key in ("factor", "rope_type", "type"))
        where = next((path.rpartition("[")[0] for path in present if path), config.where)
        raise ValueError(f"{where}: {error}") from None
    return result.frequencies, {
        "base": base,
        "scaling": scaling.name,
        "amplitude": result.amplitude,
        "switch": result.switch,
    }


# Which axis rotates each pair, for tokens that have several positions


def alternate_height_and_width(sizes: list[int]) -> NDArray[np.intp]:
    """Return the axis of each pair in ERNIE, where height and width alternate before time."""
    height, width, time = sizes
    both = [1, 2] * height if height == width else [1] * height + [2] * width
    return np.array(both + [0] * time)


ORDERS: Mapping[str, Callable[[list[int]], NDArray[np.intp]]] = {
    "blocks": grid.sections,
    "alternating": grid.round_robin,
    "ernie": alternate_height_and_width,
}


@dataclass(frozen=True)
class Sections:
    """The order in which pairs are assigned to time, height and width, and each axis's share."""

    order: str
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        require_word("sections.order", self.order, ORDERS)


def assign_axes(
    config: Config, rope: Parameters, sections: Sections, pairs: int
) -> NDArray[np.intp]:
    """Return which axis (time, height or width) rotates each pair in M-RoPE."""
    name = "mrope_section"
    value = rope.get(name, [*sections.sizes])
    if not isinstance(value, list | tuple) or len(value) != 3:
        config.refuse_value(name, "three numbers of pairs (time, height, width)", value)
    sizes = [read_integer(config.path_to(name), size, 0) for size in value]
    if sum(sizes) != pairs:
        expected = f"numbers that add up to the {pairs} rotated pairs"
        config.refuse_value(name, expected, value)
    return ORDERS[sections.order](sizes)
