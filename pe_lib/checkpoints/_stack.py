"""One `Layer` a layer."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks
from pe_lib.checkpoints import _images, _kinds, _models, _rope, _tables
from pe_lib.checkpoints._config import Config, check_spelling, number, one_of, shown, whole
from pe_lib.checkpoints._layer import Layer

READERS = {**_tables.READERS, **_images.READERS}
MODELS = tuple(sorted({*_models.DECODERS, *_models.TEXT_OF, *READERS}))


def layers(config: Mapping[str, Any], length: int | None = None) -> list[Layer]:
    """What each layer does with positions, for texts of `length` tokens, first layer to last.

    Without `length`, models that change with it (dynamic, longrope) are those of a short text. Of a
    configuration with several parts the text part is read; pass another by itself, as in
    layers(config["vision_config"]). Encoder and decoder of one model stand one after the other.

    Raises ValueError with the key, its value and what is known, for a model or a type that is not
    known, a key that is missing, two that contradict each other, a partial width or a list of
    types of layers that this kind of model doesn't read, and a key that is misspelled: unknown
    inside `rope_scaling` or `rope_parameters`, or beginning with "rope" beside them, or one letter
    from a key that is read. Other keys are passed over. Raises TypeError for a `config` that is no
    dictionary or a `length` that is no integer.

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
    where, outer = "config", config.get("model_type", config.get("_class_name"))
    kind, said = outer, where
    if isinstance(config.get("text_config"), Mapping):
        config, where = config["text_config"], "config['text_config']"
        kind = config.get("model_type") or outer
        said = where if config.get("model_type") else said
    if f"{kind}_vision" in READERS and "text_config" not in config and "patch_size" in config:
        kind = f"{kind}_vision"  # as older files name the tower
    if isinstance(kind, str) and kind in _images.REFUSED:
        raise ValueError(f"{where}['model_type'] is {kind!r}: {_images.REFUSED[kind]}")
    if not isinstance(kind, str) or kind not in MODELS:
        near = get_close_matches(str(kind), MODELS, 3) or ["llama", "qwen3", "bert"]
        raise ValueError(
            f"{said}['model_type'] is {shown(kind)}, which is not known; "
            f"known are {len(MODELS)} in pe_lib.checkpoints.MODELS, such as {', '.join(near)}"
        )
    kind = _models.TEXT_OF.get(kind, kind)
    check_spelling(config, where)
    if kind == "falcon":
        alibi = Config(config, kind, {}, where).flag("alibi", False)
        if alibi:
            return _tables.falcon_alibi(Config(config, kind, {}, where))
    if kind in READERS:
        return READERS[kind](Config(config, kind, {}, where))
    model = _models.DECODERS[kind]
    defaults = {"rope_theta": 10_000.0, **model.defaults}
    whole_model = Config(config, kind, defaults, where)
    if whole_model.get("encoder_num_hidden_layers") is None:
        return _decoder(whole_model, model, length)
    found = []
    for part in ("encoder", "decoder"):
        given = {key.removeprefix(f"{part}_"): value for key, value in config.items()}
        stack = replace(model, part=part, two_sided=part == "encoder")
        found += _decoder(Config(given, kind, defaults, where), stack, length)
    return found


def _decoder(config: Config, model: _models.Decoder, length: int | None) -> list[Layer]:
    if config.kind == "nemotron_h" and config.get("num_hidden_layers") is None:
        n = len(model.kinds(config, 0))
    else:
        n = config.count()
    both = config.get("use_bidirectional_attention")
    if both not in (None, False, "vision"):
        raise ValueError(
            f"{config.where}['use_bidirectional_attention'] is {shown(both)}, which is not known; "
            "known: false, 'vision' (among the tokens of an image), null"
        )
    for key in ("hidden_size", "num_attention_heads", "max_position_embeddings"):
        config.get(key)  # refuses another value under another name
    types = _types(config, model, n)
    made: dict[tuple[str, bool], Layer] = {}  # layers of a type are alike
    found = []
    for i, name in enumerate(types):
        scored = _kinds.KINDS[name] in _kinds.WITH_SCORES
        turned = scored and not model.unturned(config, i, name)
        if (name, turned) not in made:
            made[name, turned] = _layer(config, model, name, turned, length)
        found.append(made[name, turned])
    _check_nested(config, model, n)
    return found


def _types(config: Config, model: _models.Decoder, n: int) -> list[str]:
    """The type of each layer: `layer_types`, if the model reads it."""
    types = config.get("layer_types") or model.kinds(config, n)
    if not isinstance(types, list) or len(types) != n:
        raise ValueError(
            f"{config.where}['layer_types'] must name each of {n} layers, got {shown(types)}"
        )
    for i, name in enumerate(types):
        one_of(f"{config.where}['layer_types'][{i}]", name, _kinds.KINDS)
    if not config.get("layer_types"):
        return types
    read = _models.READ_LAYER_TYPES.get(config.kind)
    own = types if read else model.kinds(config, n)
    if [_kinds.KINDS[x] for x in types] != [_kinds.KINDS[x] for x in own]:
        config.not_read("layer_types", types, f"{', '.join(dict.fromkeys(own))}")
    for i, name in enumerate(types):
        one_of(f"{config.where}['layer_types'][{i}]", name, read or types)
    return types


BASES = ("rope_theta", "rope_local_base_freq", "global_rope_theta", "local_rope_theta",
         "swa_rope_theta")  # fmt: skip


def _check_nested(config: Config, model: _models.Decoder, n: int) -> None:
    """A dictionary for each type of layer: names that are read, bases said twice alike."""
    for key in ("rope_scaling", "rope_parameters"):
        rope = config.mapping(key)
        if not _rope.nested(rope):
            continue
        known = _models.READ_LAYER_TYPES.get(config.kind) or set(model.kinds(config, n))
        known = {*known, "main", "compress"} if config.kind == "deepseek_v4" else known
        for name in rope:
            one_of(f"{config.where}[{key!r}]: layer type", name, known)
        inside = [(x or {}).get("rope_theta") for x in rope.values()]
        for base in BASES:
            value = config.stated(base)
            if value is not None and None not in inside and value not in inside:
                raise ValueError(
                    f"{config.where} contradicts itself: {base} is {shown(value)}, "
                    f"{key} has {', '.join(map(shown, inside))}"
                )


def _layer(
    config: Config, model: _models.Decoder, name: str, turned: bool, length: int | None
) -> Layer:
    kind = _kinds.KINDS[name]
    if kind not in _kinds.WITH_SCORES:
        return Layer("none", kind=kind, part=model.part)
    name = "full_attention" if name == "attention" else name
    width, start, most = model.heads(config, name)
    plain = Layer(
        "none",
        width,
        softmax_scale=model.scale(config, width, name) if model.scale else 1.0,
        window=_window(config, model, kind),
        kind=kind,
        part=model.part,
        growth=model.growth(config, turned) if model.growth else None,
        two_sided=model.two_sided,
        sink=model.sink(name),
    )
    if not turned:
        return plain
    rope = model.rope(config, name)
    w, more = _rope.rule(config, rope, _turned(config, rope, most, start), length)
    if model.sections[0]:
        more |= {
            "scheme": "rotary_axes",
            "axes": _axes(config, rope, model.sections, w.size),
            "axis_names": ("time", "height", "width"),
        }
    interleaved = config.flag("rope_interleave", model.layout == "interleaved")
    return replace(
        plain,
        **{
            "scheme": "rotary",
            "turned": 2 * w.size,
            "frequencies": w,
            "layout": "interleaved" if interleaved else "halves",
            "start": start,
            **more,
        },
    )


def _window(config: Config, model: _models.Decoder, kind: str) -> int | None:
    if kind not in ("sliding", "compressed", "chunked"):
        return None
    switched = model.kinds in (_kinds.late, _kinds.smollm3)
    if switched and not config.flag("use_sliding_window", False):
        raise ValueError(
            f"{config.where} contradicts itself: it has layers of kind {kind!r} and "
            "use_sliding_window is not true"
        )
    window = config.window("attention_chunk_size") if kind == "chunked" else model.window(config)
    if window is None:
        raise ValueError(
            f"{config.where} contradicts itself: it has layers of kind {kind!r} and gives no length"
        )
    return window


def _turned(config: Config, rope: _rope.Parameters, most: int, start: int) -> int:
    """How many entries the pairs are laid out over."""
    if rope["rope_type"] == "proportional":
        return most
    if start:  # MLA turns its own part, all of it
        part = rope.get("partial_rotary_factor")
        if part not in (None, 1, most / (start + most)):
            config.not_read("partial_rotary_factor", part, f"{most} entries of {start + most}")
        return most
    part, width = rope.get("partial_rotary_factor"), config.get("rotary_dim")
    if width is not None and config.kind in _models.READ_ROTARY_DIM:
        turned = whole(f"{config.where}['rotary_dim']", width)
        if part is not None and int(most * part) != turned:
            raise ValueError(
                f"{config.where} contradicts itself: rotary_dim is {turned}, "
                f"partial_rotary_factor {part} of {most} entries is {int(most * part)}"
            )
    else:
        part = config.get("partial_rotary_factor", 1.0) if part is None else part
        share = number(f"{config.where}['partial_rotary_factor']", part)
        turned = int(most * share) if 0 < share <= 1 else 0
        if config.kind not in _models.READ_PART and share != 1:
            config.not_read("partial_rotary_factor", share, f"the whole head, {most}")
        if width not in (None, turned):
            config.not_read("rotary_dim", width, f"{turned} of {most}")
    if not 2 <= turned <= most or turned % 2:
        raise ValueError(
            f"{config.where}: of {most} entries an even number must be turned, at least 2, "
            f"got rotary_dim {shown(width)}, partial_rotary_factor {shown(part)}"
        )
    return turned


def _axes(
    config: Config, rope: _rope.Parameters, sections: tuple[str, tuple[int, ...]], pairs: int
) -> NDArray[np.intp]:
    """M-RoPE: which of time, height and width turns each pair."""
    how, usual = sections
    given = rope.get("mrope_section", usual)
    if not isinstance(given, list | tuple) or len(given) != 3:
        raise ValueError(
            f"{config.where}['mrope_section'] must be three numbers of pairs (time, height, "
            f"width), got {shown(given)}"
        )
    sizes = [whole(f"{config.where}['mrope_section']", x, 0) for x in given]
    if sum(sizes) != pairs:
        raise ValueError(
            f"{config.where}['mrope_section'] must add up to the {pairs} turned pairs, "
            f"got {shown(given)}"
        )
    if how == "blocks":
        return np.repeat(np.arange(3), sizes)
    axes = np.zeros(pairs, np.intp)
    for axis in (1, 2):
        axes[axis : 3 * sizes[axis] : 3] = axis
    return axes
