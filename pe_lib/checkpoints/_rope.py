"""`rope_scaling` and `rope_parameters`: from their spellings to frequencies and an amplitude."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks, context, grid
from pe_lib.checkpoints._config import Config, number, numbers, one_of, shown, whole, words
from pe_lib.sinusoidal import frequencies

KEYS: dict[str, list[str]] = words()["rope"]
FLAT = {*words()["beside_rope"]}.union(*KEYS.values())
Parameters = dict[str, Any]


def parameters(config: Config, layer_type: str = "") -> Parameters:
    """One dictionary for this type of layer, with `rope_type`, and `rope_theta` where it is given.

    Both spellings are read; what the configuration says twice has to agree.
    """
    old, new = config.mapping("rope_scaling"), config.mapping("rope_parameters")
    if old and config.stated("rope_parameters") is None:
        new = {}  # not what this kind of model takes where nothing is said
    found: Parameters = {}
    for name, rope in (("rope_scaling", old), ("rope_parameters", new)):
        if nested(rope):
            if rope.get(layer_type) is None:
                wanted = f"a dictionary for layers of type {layer_type!r}, too, with rope_theta"
                config.wrong(name, wanted, rope)
            rope = rope[layer_type]
        _merge(found, settled(config, rope), config.named(name))
    stated = {key: config.stated(key) for key in ("rope_theta", "partial_rotary_factor")}
    top = {key: value for key, value in stated.items() if value is not None}
    if nested(old) or nested(new):
        return named(config, {**top, **found})
    _merge(found, top, config.where)
    config.agree("rope_theta", found.get("rope_theta") or config.defaults.get("rope_theta"))
    if found.get("partial_rotary_factor") is not None:
        config.agree("partial_rotary_factor", found["partial_rotary_factor"])
    return named(config, found)


def settled(config: Config, rope: Mapping[str, Any]) -> Parameters:
    """With the type under one name and by its newer word: what transformers saves has both."""
    found = dict(rope)
    given = [x for x in (found.get("rope_type"), found.get("type")) if isinstance(x, str)]
    types = {words()["rope_renamed"].get(x, x) for x in given}
    if len(types) > 1:
        config.differ(f"rope_type is {shown(rope['rope_type'])}, type is {shown(rope['type'])}")
    if types:
        found.pop("type", None)
        found["rope_type"] = types.pop()
    return found


def fixed(config: Config, layer_type: str) -> Parameters:
    """GPT-J, CodeGen: the base is in the program, and nothing is scaled."""
    found = parameters(config, layer_type)
    for key, usual in (("rope_type", "default"), ("rope_theta", 1e4)):
        if found.get(key) not in (None, usual):
            config.not_read(key, found[key], f"its own: {usual}")
    return found


def named(config: Config, found: Parameters) -> Parameters:
    """With a `rope_type` that is known, and no key that this type doesn't read."""
    found = settled(config, found)
    given = found.get("rope_type", found.pop("type", "default"))
    kind = found["rope_type"] = one_of(f"{config.where}: rope_type", given, KEYS)
    unread = found.keys() - KEYS[kind] - {*words()["beside_rope"]}
    for key in sorted(map(str, unread)):
        if found[key] is None or found[key] == words()["rope_unchanged"].get(key):
            config.note(key, found.pop(key), f"rope_type {kind!r} has no such key, and needs none")
            continue
        given = f"{config.where}: {key!r} = {shown(found[key])}"
        reads = ", ".join(sorted(KEYS[kind])) or "none beside rope_theta"
        raise ValueError(f"{given} is no key of rope_type {kind!r}, which reads {reads}")
    return found


def by_type(
    config: Config,
    layer_type: str,
    full: tuple[float, str],
    sliding: tuple[float, str],
    scales_both: bool = False,
) -> Parameters:
    """Gemma 3, OLMo 3: a base for both types, and the key of an older configuration that gives it.

    The older `rope_scaling` is for layers that see all, with `scales_both` for the others, too.
    """
    old, new = config.mapping("rope_scaling"), config.mapping("rope_parameters")
    for _, name in (full, sliding):
        config.stated(name)
    usual, key = full if layer_type == "full_attention" else sliding
    if new and not nested(new):
        wanted = "a dictionary for each type of layer (full_attention, sliding_attention)"
        config.wrong("rope_parameters", f"{wanted} of {config.kind}", new)
    if old and new:
        config.differ("it has both rope_scaling and rope_parameters")
    scaled = old if scales_both or layer_type == "full_attention" else {}
    found = {**(new.get(layer_type) or {}), **scaled}
    if found.get("rope_theta") is None:
        top = config.stated(key)
        found["rope_theta"] = usual if top is None else top
    config.agree(key, found["rope_theta"])
    if share := found.get("partial_rotary_factor"):
        config.agree("partial_rotary_factor", share)  # transformers saves it at the top, too
    return named(config, found)


def deepseek_v4(config: Config, layer_type: str) -> Parameters:
    """YaRN for the layers that compress, without its amplitude; sliding ones have a plain base."""
    new = config.mapping("rope_parameters")
    for key in ("rope_theta", "compress_rope_theta"):
        config.stated(key)
    if nested(new) and {"main", "compress"} <= new.keys():
        return named(config, dict(new["main" if layer_type == "sliding_attention" else "compress"]))
    if layer_type == "sliding_attention":
        return {"rope_type": "default", "rope_theta": config.need("rope_theta")}
    scaled = named(config, {**config.mapping("rope_scaling"), **new})
    scaled["rope_theta"] = config.need("compress_rope_theta")
    if scaled["rope_type"] == "yarn":
        scaled.setdefault("attention_factor", 1.0)
    return scaled


def fixed_alpha(config: Config, layer_type: str = "") -> Parameters:
    """HunYuan: "dynamic" with an alpha is a base raised once; no other setting is read then."""
    given = config.mapping("rope_scaling") or config.mapping("rope_parameters")
    alpha = given.get("alpha")
    if not alpha or given.get("rope_type", given.get("type")) != "dynamic":
        return parameters(config, layer_type)
    base = given.get("rope_theta") or config.get("rope_theta")
    width = config.get("head_dim") or config.shared_out()
    base = number(f"{config.where}['rope_theta']", base)
    raised = context.ntk_base(width, number(f"{config.where}['alpha']", alpha, 1), base)
    return {"rope_type": "default", "rope_theta": raised}


def step(config: Config, layer_type: str) -> Parameters:
    """Step 3.5: a base and a share for each layer, alike for those of a type; the rule for full."""
    types, new = config.get("layer_types"), config.mapping("rope_parameters")
    at = types.index(layer_type) if isinstance(types, list) and layer_type in types else 0
    if nested(new):
        return named(config, dict(new.get(layer_type) or {}))
    bases, shares = config.get("rope_theta"), config.get("partial_rotary_factors")
    found: Parameters = {"rope_theta": bases[at] if isinstance(bases, list) else bases}
    if shares:
        found["partial_rotary_factor"] = shares[at]
    if layer_type == "full_attention":
        found |= config.mapping("rope_scaling")
    config.get("rope_scaling")
    return named(config, found)


def dbrx(config: Config, layer_type: str) -> Parameters:
    """DBRX: transformers leaves the base in `attn_config` aside."""
    found, inner = parameters(config, layer_type), config.inside("attn_config")
    taken = found.get("rope_theta") or config.defaults["rope_theta"]
    if inner.get("rope_theta") not in (None, taken):
        inner.not_read("rope_theta", inner.get("rope_theta"), f"rope_parameters: {taken}")
    return found


def phimoe(config: Config, layer_type: str) -> Parameters:
    """Phi-3.5-MoE: LongRoPE whose amplitudes stand in the file, for short texts and long ones."""
    data = dict(config.mapping("rope_scaling") or config.mapping("rope_parameters"))
    short, long = (data.pop(f"{x}_mscale", None) for x in ("short", "long"))
    if short != long:
        config.not_read("rope_scaling", {"short_mscale": short, "long_mscale": long}, "one of both")
    if short is not None:
        data["attention_factor"] = short
    top = config.get("rope_theta")
    return named(config, {"rope_theta": top, **{k: v for k, v in data.items() if v is not None}})


def molmo(config: Config, layer_type: str) -> Parameters:
    """Molmo 2: all layers are scaled, or none."""
    scaled = config.get("rope_scaling_layers")
    if scaled is not None and list(scaled) != list(range(config.count())):
        config.not_read("rope_scaling_layers", scaled, "all layers here")
    return parameters(config, layer_type)


def chatglm(config: Config, layer_type: str) -> Parameters:
    """ChatGLM: the base is 10,000 times `rope_ratio`."""
    return {"rope_type": "default", "rope_theta": 10_000.0 * config.number("rope_ratio")}


def qwen_1(config: Config, layer_type: str) -> Parameters:
    """Qwen of 2023: beyond `seq_length` frequencies and scores change, if two flags are on."""
    config.get("seq_length")
    on = [key for key in ("use_dynamic_ntk", "use_logn_attn") if config.get(key)]
    if on:
        config.notes.append(f"{', '.join(on)}: true of texts up to seq_length only")
    return parameters(config, layer_type)


def nested(rope: Mapping[str, Any]) -> bool:
    """Whether there is a dictionary for each type of layer; some files have more beside them."""
    return any(isinstance(value, Mapping) for key, value in rope.items() if key not in FLAT)


def rule(
    config: Config, rope: Parameters, width: int, length: int | None
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """The frequencies of `width` entries, and what else of a `Layer` follows from the type."""
    kind, where = rope["rope_type"], config.where
    part = config.named("rope_parameters" if config.stated("rope_parameters") else "rope_scaling")
    given_base = rope.get("rope_theta")
    if given_base is None:
        given_base = config.defaults.get("rope_theta")
    base = number(config.named("rope_theta"), given_base)
    if base <= 1:
        config.wrong("rope_theta", "greater than 1", given_base)
    more: dict[str, Any] = {"base": base, "scaling": kind}

    def given(key: str, least: float | None = None, usual: float | None = None) -> float:
        value = rope.get(key)
        value = usual if value is None or (usual is not None and not value) else value
        if value is None:
            raise ValueError(f"{where}: rope_type {kind!r} needs {key!r}, which is not given")
        return number(f"{part}[{key!r}]", value, least)

    def trained() -> int:
        key = "original_max_position_embeddings"
        top, below = config.get(key), rope.get(key)
        if below is None and nested(config.mapping("rope_parameters")):  # then it alone is read
            below = config.whole("max_position_embeddings")
        if top is not None and below is not None and top != below:
            config.differ(f"{key} is {top} and {below}")
        if below is not None:
            return whole(f"{part}[{key!r}]", below)
        return config.whole(key if top is not None else "max_position_embeddings")

    def factor(old: int) -> float:
        """As given, or the ratio of lengths that takes its place."""
        if rope.get("factor") is not None:
            return given("factor", 1)
        return max(1.0, config.whole("max_position_embeddings") / old)

    def amplitude(usual: float) -> None:
        stated = rope.get("attention_factor") is not None
        more["amplitude"] = given("attention_factor", 0) if stated else usual

    match kind:
        case "default":
            return frequencies(width, base), more
        case "linear":
            return context.interpolated(width, given("factor", 1), base), more
        case "dynamic":
            most = more["switch"] = config.whole("max_position_embeddings")
            return context.dynamic(width, length or most, most, base, given("factor", 1)), more
        case "llama3":
            low, high = given("low_freq_factor", 0), given("high_freq_factor", 0)
            return context.llama3(width, given("factor", 1), trained(), base, low, high), more
        case "yarn":
            old = trained()
            one, all_ = given("mscale", 0, 0), given("mscale_all_dim", 0, 0)
            amplitude(context.yarn_amplitude(factor(old), one, all_))
            truncate = rope.get("truncate", True)
            flag = isinstance(truncate, bool)
            _checks.require(flag, f"{part}['truncate'] must be true or false", truncate)
            fast, slow = given("beta_fast", None, 32), given("beta_slow", None, 1)
            return context.yarn(width, factor(old), old, base, fast, slow, truncate), more
        case "longrope":
            old = more["switch"] = trained()
            names = ("short_factor", "long_factor")
            both = [numbers(f"{part}[{key!r}]", rope.get(key), width // 2) for key in names]
            amplitude(context.longrope_amplitude(factor(old), old))
            divisors = both[length is not None and length > old]
            return frequencies(width, base) / divisors, more
    share = number(f"{part}['partial_rotary_factor']", rope.get("partial_rotary_factor", 1.0))
    return context.proportional(width, share, base) / given("factor", None, 1), more


def axes(
    config: Config, rope: Parameters, sections: tuple[Any, ...], pairs: int
) -> NDArray[np.intp]:
    """M-RoPE: which of time, height and width turns each pair."""
    how, *usual = sections
    given, name = rope.get("mrope_section", usual), "mrope_section"
    if not isinstance(given, list | tuple) or len(given) != 3:
        config.wrong(name, "three numbers of pairs (time, height, width)", given)
    sizes = [whole(config.named(name), x, 0) for x in given]
    if sum(sizes) != pairs:
        config.wrong(name, f"numbers that add up to the {pairs} turned pairs", given)
    if how == "blocks":
        return grid.sections(sizes)
    if how == "ernie":  # height and width alternate, time comes last
        high, wide, last = sizes
        both = [1, 2] * high if high == wide else [1] * high + [2] * wide
        return np.array(both + [0] * last)
    return grid.round_robin(sizes)


def _merge(found: Parameters, more: Mapping[str, Any], where: str) -> None:
    for key, value in more.items():
        if value is not None and found.get(key) not in (None, value):
            both = f"{key!r} is {shown(value)} and {shown(found[key])}"
            raise ValueError(f"{where} contradicts what stands elsewhere: {both}")
        if value is not None or key not in found:
            found[key] = value
