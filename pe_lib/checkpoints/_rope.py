"""`rope_scaling` and `rope_parameters`: from their spellings to frequencies and an amplitude."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import context
from pe_lib.checkpoints._config import Config, number, numbers, one_of, shown, whole
from pe_lib.sinusoidal import frequencies

# what each type reads beside rope_type, rope_theta and partial_rotary_factor
KEYS: dict[str, set[str]] = {
    "default": set(),
    "linear": {"factor"},
    "dynamic": {"factor", "original_max_position_embeddings"},
    "yarn": {"factor", "original_max_position_embeddings", "attention_factor", "beta_fast",
             "beta_slow", "mscale", "mscale_all_dim", "truncate"},
    "longrope": {"short_factor", "long_factor", "factor", "attention_factor",
                 "original_max_position_embeddings"},
    "llama3": {"factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"},
    "proportional": {"factor"},
}  # fmt: skip
OLD_NAMES = {"su": "longrope", "mrope": "default", "axial": "default"}
OF_THE_MODEL = {  # read by some models beside the type, or written and read by none
    "rope_type", "type", "rope_theta", "partial_rotary_factor", "mrope_section",
    "mrope_interleaved", "finetuned", "max_position_embeddings", "llama_4_scaling_beta",
}  # fmt: skip

Parameters = dict[str, Any]


def parameters(config: Config, layer_type: str = "") -> Parameters:
    """One dictionary for this type of layer, with `rope_type`, and `rope_theta` where it is given.

    Both spellings are read; what the configuration says twice has to agree.
    """
    old, new = _mapping(config, "rope_scaling"), _mapping(config, "rope_parameters")
    found: Parameters = {}
    for name, rope in (("rope_scaling", old), ("rope_parameters", new)):
        if nested(rope):
            if layer_type not in rope:
                known = ", ".join(sorted(rope))
                raise ValueError(
                    f"{config.where}[{name!r}] has nothing for layers of type {layer_type!r}, "
                    f"only for {known}"
                )
            rope = rope[layer_type] or {}
        _merge(found, rope, f"{config.where}[{name!r}]")
    top = {key: config.data.get(key) for key in ("rope_theta", "partial_rotary_factor")}
    if not (nested(old) or nested(new)):
        _merge(found, {k: v for k, v in top.items() if v is not None}, config.where)
    else:
        found = {**{k: v for k, v in top.items() if v is not None}, **found}
    kind = found.pop("type", None)
    kind = found.get("rope_type", "default") if kind is None else kind
    if "rope_type" in found and found["rope_type"] != kind:
        raise ValueError(
            f"{config.where} contradicts itself: rope_type is {shown(found['rope_type'])}, "
            f"type is {shown(kind)}"
        )
    kind = OLD_NAMES.get(kind, kind) if isinstance(kind, str) else kind
    found["rope_type"] = one_of(f"{config.where}: rope_type", kind, KEYS)
    unknown = found.keys() - KEYS[kind] - OF_THE_MODEL - set(config.get("_rope_keys", ()))
    if unknown:
        first = sorted(map(str, unknown))[0]
        raise ValueError(
            f"{config.where}: {first!r} = {shown(found[first])} is no key of rope_type {kind!r}, "
            f"which reads {', '.join(sorted(KEYS[kind])) or 'none beside rope_theta'}"
        )
    return found


def nested(rope: Mapping[str, Any]) -> bool:
    """Whether there is a dictionary for each type of layer."""
    return bool(rope) and all(
        value is None or isinstance(value, Mapping) for value in rope.values()
    )


def rule(
    config: Config, rope: Parameters, width: int, length: int | None
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """The frequencies of `width` entries, and what else of a `Layer` follows from the type."""
    kind, where = rope["rope_type"], config.where
    base = rope.get("rope_theta") or config.get("rope_theta") or config.defaults["rope_theta"]
    base = number(f"{where}['rope_theta']", base)
    more: dict[str, Any] = {"base": base, "scaling": kind}

    def given(key: str, least: float | None = None) -> float:
        if rope.get(key) is None:
            raise ValueError(f"{where}: rope_type {kind!r} needs {key!r}, which is not given")
        return number(f"{where}[{key!r}]", rope[key], least)

    def trained() -> int:
        key = "original_max_position_embeddings"
        top, below = config.get(key), rope.get(key)
        if top is not None and below is not None and top != below:
            raise ValueError(f"{where} contradicts itself: {key} is {top} and {below}")
        if top is None and below is None:
            raise ValueError(f"{where}: rope_type {kind!r} needs {key!r}, which is not given")
        return whole(f"{where}[{key!r}]", top if below is None else below)

    if kind == "default":
        return frequencies(width, base), more
    if kind == "linear":
        return context.interpolated(width, given("factor", 1), base), more
    if kind == "dynamic":
        most = config.whole("max_position_embeddings")
        more["switch"] = most
        factor = given("factor", 1)
        return context.dynamic(width, length or most, most, base, factor), more
    if kind == "llama3":
        low, high = given("low_freq_factor", 0), given("high_freq_factor", 0)
        return context.by_parts(width, given("factor", 1), trained(), base, low, high), more
    if kind == "yarn":
        old = trained()
        factor = _factor(config, rope, old)
        one, all_ = (
            number(f"{where}[{key!r}]", rope.get(key) or 0, 0)
            for key in ("mscale", "mscale_all_dim")
        )
        more["amplitude"] = context.yarn_amplitude(factor, one, all_)
        if rope.get("attention_factor") is not None:
            more["amplitude"] = given("attention_factor", 0)
        truncate = rope.get("truncate", True)
        if not isinstance(truncate, bool):
            raise ValueError(f"{where}['truncate'] must be true or false, got {shown(truncate)}")
        fast, slow = (
            number(f"{where}[{key!r}]", rope.get(key) or usual)
            for key, usual in (("beta_fast", 32), ("beta_slow", 1))
        )
        return context.yarn(width, factor, old, base, fast, slow, truncate), more
    if kind == "longrope":
        old = trained()
        more["switch"] = old
        long = length is not None and length > old
        key = "long_factor" if long else "short_factor"
        for name in ("short_factor", "long_factor"):
            numbers(f"{where}[{name!r}]", rope.get(name), width // 2)
        more["amplitude"] = context.longrope_amplitude(_factor(config, rope, old), old)
        if rope.get("attention_factor") is not None:
            more["amplitude"] = given("attention_factor", 0)
        divisors = numbers(f"{where}[{key!r}]", rope.get(key), width // 2)
        return frequencies(width, base) / divisors, more
    share = number(f"{where}['partial_rotary_factor']", rope.get("partial_rotary_factor", 1.0))
    factor = number(f"{where}['factor']", rope.get("factor") or 1.0)
    return context.proportional(width, share, base) / factor, more


def _factor(config: Config, rope: Parameters, old: int) -> float:
    """The factor, or the ratio of lengths that takes its place."""
    if rope.get("factor") is not None:
        return number(f"{config.where}['factor']", rope["factor"], 1)
    return max(1.0, config.whole("max_position_embeddings") / old)


def _mapping(config: Config, key: str) -> Parameters:
    value = config.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"{config.where}[{key!r}] must be a dictionary, got {shown(value)}")
    return dict(value)


def _merge(found: Parameters, more: Mapping[str, Any], where: str) -> None:
    for key, value in more.items():
        if value is not None and found.get(key) not in (None, value):
            raise ValueError(
                f"{where} contradicts what stands elsewhere: {key!r} is {shown(value)} "
                f"and {shown(found[key])}"
            )
        if value is not None or key not in found:
            found[key] = value
