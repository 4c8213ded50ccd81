"""Create a `Layer` for each layer that a configuration describes."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from pe_lib import _checks
from pe_lib.checkpoints import _heads, _models, _rope, _tables, _types
from pe_lib.checkpoints._config import (
    Config,
    ConfigOrPath,
    UnknownKindError,
    open_config,
    read_number,
    require_known,
)
from pe_lib.checkpoints._heads import Head, Window
from pe_lib.checkpoints._keys import KEYS
from pe_lib.checkpoints._layer import Layer
from pe_lib.checkpoints._models import Model
from pe_lib.checkpoints._scaling import SCALINGS, is_nested


def layers(config: ConfigOrPath, length: int | None = None) -> list[Layer]:
    """Return a list that says what each layer of a model does with positions, in order.

    `config` is the dictionary of a `config.json`, the path of that file, or the path of its folder.
    Some models change with the `length` of a text in tokens (dynamic, longrope). Without `length`,
    the layers are those for a short text. If a configuration has several parts, its text part is
    read. To read another part, pass that part alone, as in layers(config["vision_config"]). The
    layers of an encoder come before the layers of the decoder. `Layer.cos_sin` returns the cosines
    and sines of a layer.

    Raises ValueError, with the key, its value and the known values, for an unknown model or type, a
    size that makes no sense, two keys that contradict each other, and a key that is one letter away
    from a key that is read. A key that concerns positions but is not read by this kind of model is
    refused as well, unless it changes nothing. In that case `groups` has a note. Raises TypeError
    for a `config` that is neither a dictionary nor a path, or a `length` that is not an integer.

    >>> config = {"model_type": "smollm3", "hidden_size": 2048, "num_attention_heads": 16,
    ...           "num_hidden_layers": 36, "rope_theta": 5e6}
    >>> [layer.scheme for layer in layers(config)][:5]
    ['rotary', 'rotary', 'rotary', 'none', 'rotary']
    >>> layers(config)[0].frequencies[:3].round(3)
    array([1.   , 0.786, 0.618])
    """
    return read_layers(config, length)[0]


def read_layers(config: ConfigOrPath, length: int | None = None) -> tuple[list[Layer], list[str]]:
    """Return the layers of a configuration, and notes on keys that have no effect."""
    if length is not None:
        length = _checks.integer("length", length, 1)
    whole = open_config(config)
    data, kind, where = find_text_part(whole)
    model = _models.read_model(kind)
    if model.refused:
        raise UnknownKindError(
            f"{where}['model_type'] is {kind!r}, which cannot be read: {model.refused}"
        )
    text_config = Config(
        data,
        kind,
        where,
        {"rope_theta": 10_000.0, **model.defaults},
        model.own_names,
        model.only_in_rope_parameters,
    )
    text_config.check_sizes_and_spelling()
    for key, value in model.only_value.items():
        if text_config.get(key, value) != value:
            text_config.refuse_unread(key, text_config.get(key), f"{value!r}")
    stack = _read_stack(text_config, model, length)
    rotates_nothing = all(layer.scheme == "none" for layer in stack)
    text_config.check_that_all_was_read(model.ignored_keys, rotates_nothing)
    if not rotates_nothing:
        _note_keys_outside(text_config, whole)
    return stack, text_config.notes


def _read_stack(config: Config, model: Model, length: int | None) -> list[Layer]:
    """Return the layers of a configuration, using the reader for its model type."""
    if _has_alibi(config, model):
        return _tables.read_alibi(config)
    if model.reader:
        return model.reader(config)
    if model.part != "both":
        return _read_rotated_stack(config, model, length)
    stack = []
    for part in ("encoder", "decoder"):
        data = {key.removeprefix(f"{part}_"): value for key, value in config.data.items()}
        own_keys = {key for key in data if f"{part}_{key}" in config.data}
        half = replace(model, part=part, two_sided=part == "encoder")
        own = replace(config, data=data, prefixed_keys=own_keys, prefix=f"{part}_")
        stack += _read_rotated_stack(own, half, length)
    return stack


def _has_alibi(config: Config, model: Model) -> bool:
    """Return whether a configuration asks for ALiBi instead of a rotation."""
    condition = model.alibi_if
    if condition is None:
        return False
    if condition.value is True:
        return config.flag(condition.key, False)
    return bool(config.get(condition.key) == condition.value)


# Finding the type of model


def find_text_part(config: Mapping[str, Any]) -> tuple[Mapping[str, Any], str, str]:
    """Return a configuration's text part, its model type, and how errors refer to this part."""
    part, path, kind_path = config, "config", "config"
    kind = outer_kind = config.get("model_type", config.get("_class_name"))
    texts = _models.text_kinds()
    while key := next((key for key in KEYS.text_parts if isinstance(part.get(key), Mapping)), None):
        part, path = part[key], f"{path}[{key!r}]"
        kind = part.get("model_type") or texts.get(str(outer_kind), outer_kind)
        kind_path = path if part.get("model_type") else kind_path
    if f"{kind}_vision" in _models.rows() and "patch_size" in part:
        # In older files, the image tower has the same model type as the whole model.
        kind = f"{kind}_vision"
    kind = texts.get(str(kind), kind)
    if kind == "deepseek_v2" and part.get("use_mla") is False:
        kind = "deepseek"
    if kind is None:
        raise ValueError(_explain_missing_kind(config, path))
    if not isinstance(kind, str) or kind not in _models.rows():
        is_of_diffusers = kind_path == "config" and "model_type" not in config
        key = "_class_name" if is_of_diffusers else "model_type"
        error = UnknownKindError if isinstance(kind, str) else ValueError
        raise error(_explain_unknown_kind(f"{kind_path}[{key!r}]", kind))
    return part, kind, path


def _note_keys_outside(config: Config, whole: Mapping[str, Any]) -> None:
    """Add a note for each key of the rotation that stands beside the text part, and differs there.

    Transformers reads a key such as `rope_scaling` only in the text part, if there is one.
    """
    for key in ("rope_theta", "rope_scaling", "rope_parameters", "partial_rotary_factor"):
        value = whole.get(key)
        inside = config.data.get(key, config.dictionary("rope_parameters").get(key))
        if whole is not config.data and value not in (None, inside):
            config.note_doubt(key, value, f"reads it only inside {config.where}")


def _explain_missing_kind(config: Mapping[str, Any], path: str) -> str:
    """Return the error message for a configuration whose part `path` has no `model_type` either."""
    keys = ", ".join(sorted(map(str, config))[:8]) + ", …" * (len(config) > 8)
    missing = "config has no 'model_type'" + (f", nor has {path}" if path != "config" else "")
    return (
        f"{missing}, so nothing says which kind of model it is: expected its name, as in "
        "{'model_type': 'llama', ...} (or '_class_name', if it comes from diffusers), got "
        f"{f'only the keys {keys}' if config else 'an empty dictionary'}; "
        f"pe_lib.checkpoints.MODELS lists the {len(_models.list_kinds())} kinds that are known"
    )


def _explain_unknown_kind(name: str, kind: Any) -> str:
    """Return the error message for an unknown `model_type`."""
    kinds = _models.list_kinds()
    total = f"{len(kinds)} kinds in pe_lib.checkpoints.MODELS"
    if not isinstance(kind, str):
        return f"{name} must be one of the {total}, such as 'llama', got {_checks.quote(kind)}"
    near = get_close_matches(kind.lower(), kinds, 4, 0.5)
    nearest = f"the nearest are {', '.join(near)}" if near else "none has a similar name"
    return (
        f"{name} is {_checks.quote(kind)}, which is not known. Of the {total} {nearest}. If its "
        "code is that of another kind, pass {**config, 'model_type': that kind}"
    )


# Models in which some or all heads are rotated


def _read_rotated_stack(config: Config, model: Model, length: int | None) -> list[Layer]:
    """Return the layers of a model in which some or all layers rotate queries and keys."""
    if config.kind == "nemotron_h" and config.get("num_hidden_layers") is None:
        count = len(_types.read_nemotron_h(config, 0))
    else:
        count = config.layer_count() * model.layers_per_count
    model = _settle_direction(config, model)
    for key in ("hidden_size", "num_attention_heads"):
        # This call raises ValueError if two names of the key have different values.
        config.get(key)
    types, known_types = _read_types(config, model, count)
    _check_nested_parameters(config, known_types)
    types = [name for name in types if name != "mlp" or not model.mlp_is_no_layer]
    by_type: dict[tuple[str, bool], Layer] = {}  # Layers of the same type share one object.
    stack = []
    for i, layer_type in enumerate(types):
        has_scores = _types.KINDS[layer_type] in _types.WITH_SCORES
        may_rotate = has_scores and layer_type not in model.unrotated_types
        is_rotated = may_rotate and model.rotated(config, i, layer_type)
        if (layer_type, is_rotated) not in by_type:
            layer = _make_layer(config, model, layer_type, is_rotated, length)
            by_type[layer_type, is_rotated] = layer
        stack.append(by_type[layer_type, is_rotated])
    return stack


def _settle_direction(config: Config, model: Model) -> Model:
    """Return the model, changed to an encoder if `use_bidirectional_attention` is true."""
    key = "use_bidirectional_attention"
    value = config.get(key)
    if value is True and config.kind in ("gemma", "gemma3_text"):
        window = Window(divisor=2, added=1)
        return replace(model, two_sided=True, part="encoder", window=window)
    if value not in (None, False, "vision"):
        expected = "false, 'vision' (among the tokens of an image) or null"
        config.refuse_value(key, expected, value)
    return model


def _read_types(config: Config, model: Model, count: int) -> tuple[list[str], set[str]]:
    """Return the type of each layer, and all layer types that this model type can have.

    The types are those of `layer_types` if the model reads that key. If it does not, `layer_types`
    must agree with the types that the model has anyway.
    """

    def rename_types(types: list[Any]) -> list[Any]:
        """Return the newer names of layer types, as they are understood for this model type."""
        here = {_types.LINEAR: model.linear_type, _types.FULL: model.full_type}
        newer = [_types.rename_type(name) if isinstance(name, str) else "" for name in types]
        return [here.get(new, new) or old for new, old in zip(newer, types, strict=True)]

    own_types = rename_types(model.types(config, count))
    for key, layer_type in KEYS.windows.items():
        if layer_type in model.readable_types:
            # Record that the key was read, although it has no effect if no layer has this type.
            config.get(key)
    listed = config.without_extra_layers("layer_types", config.get("layer_types"), count)
    listed = listed or own_types
    if not isinstance(listed, list) or len(listed) != count:
        config.refuse_value("layer_types", f"a list that names each of {count} layers", listed)
    types = rename_types(listed)
    known_types = _types.KINDS if listed is own_types else model.readable_types or _types.KINDS
    for i, name in enumerate(types):
        require_known(f"{config.path_to('layer_types')}[{i}]", name, known_types)
    kinds, own_kinds = ([_types.KINDS[name] for name in names] for names in (types, own_types))
    if not model.readable_types and kinds != own_kinds:
        usual = ", ".join(dict.fromkeys(own_types))
        is_rotated = model.rotated is _heads.is_always_rotated and not model.unrotated_types
        if not is_rotated or not {*kinds, *own_kinds} <= {"full", "sliding"}:
            config.refuse_unread("layer_types", types, usual)
        config.note_doubt("layer_types", listed, f"takes {usual}")
        types = own_types
    return types, {*(model.readable_types or own_types)}


def _check_nested_parameters(config: Config, known_types: set[str]) -> None:
    """Check that dictionaries for layer types have known names, and agree on repeated bases."""
    if config.kind == "deepseek_v4":
        known_types = known_types | {"main", "compress"}
    for key in ("rope_scaling", "rope_parameters"):
        rope = config.dictionary(key)
        if not is_nested(rope):
            continue
        for name, value in [*rope.items()]:
            if name in known_types and value is not None:
                rope[name] = config.subconfig(key).dictionary(name)
            elif value is None or isinstance(value, Mapping):
                require_known(f"{config.path_to(key)}: layer type", name, known_types)
            else:
                rope.pop(name)
                config.note_harmless(name, value, "only the dictionaries beside it are read")
        bases = [(inner or {}).get("rope_theta") for inner in rope.values()]
        for base_key in KEYS.bases:
            value = config.find_value(base_key)
            if value is not None and None not in bases and value not in bases:
                listed = ", ".join(map(_checks.quote, bases))
                config.refuse_contradiction(
                    f"{base_key} is {_checks.quote(value)}, {key} has {listed}"
                )


def _make_layer(
    config: Config, model: Model, layer_type: str, is_rotated: bool, length: int | None
) -> Layer:
    """Return the `Layer` for one type of layer, which may have a rotation or not."""
    kind = _types.KINDS[layer_type]
    if kind not in _types.WITH_SCORES:
        return Layer("none", kind=kind, part=model.part)
    head = model.heads(config, layer_type)
    needs_switch = _types.needs_switch(model.types)
    unrotated = Layer(
        "none",
        head.width,
        softmax_scale=model.scale(config, head.width, layer_type),
        window=_heads.read_window(
            config, kind, model.window, needs_switch, model.rotated in _heads.ROTATED_BY_WINDOW
        ),
        kind=kind,
        part=model.part,
        growth=model.growth(config, is_rotated),
        two_sided=model.two_sided,
        sink=layer_type in model.sink_types,
    )
    if not is_rotated:
        return unrotated
    layer = _add_rotation(config, model, unrotated, head, layer_type, length)
    if kind == "indexed" and model.indexer:
        keys, indexer = model.indexer(config, layer)
        return replace(layer, keys=keys, indexer=indexer)
    return layer


def _add_rotation(
    config: Config, model: Model, layer: Layer, head: Head, layer_type: str, length: int | None
) -> Layer:
    """Return a copy of the layer with its frequencies and all other fields of a rotation."""
    config.layer_type = layer_type
    rope = model.rope(config, layer_type)
    width = _read_rotated_width(config, model, rope, head)
    w, fields = _rope.compute_frequencies(config, rope, width, length)
    if model.sections:
        axes = _rope.assign_axes(config, rope, model.sections, w.size)
        names = ("time", "height", "width")
        fields |= {"scheme": "rotary_axes", "axes": axes, "axis_names": names}
    usual = model.layout == "interleaved"
    is_interleaved = config.flag("rope_interleave", usual)
    if is_interleaved != usual and not model.reads_rope_interleave:
        config.refuse_unread("rope_interleave", is_interleaved, f"{usual}")
    fields = {
        "scheme": "rotary",
        "turned": 2 * w.size,
        "frequencies": w,
        "start": head.start,
        "layout": "interleaved" if is_interleaved else "halves",
        "repeats": model.repeats if is_interleaved else "halves",
        **fields,
    }
    return replace(layer, **fields)


def _read_rotated_width(config: Config, model: Model, rope: _rope.Parameters, head: Head) -> int:
    """Return how many entries of a head belong to rotated pairs."""
    if SCALINGS[rope["rope_type"]].is_over_whole_head:
        return head.rotatable
    if head.start:
        return _check_latent_width(config, rope, head)
    key, most = "partial_rotary_factor", head.rotatable
    share, rotary_dim = rope.get(key), config.get("rotary_dim")
    if rotary_dim is not None and model.reads_rotary_dim:
        width = config.integer("rotary_dim")
        if share is not None:
            share = read_number(config.path_to(key), share)
        if share is not None and int(most * share) != width:
            other = f"{key} {share} of {most} entries is {int(most * share)}"
            config.refuse_contradiction(f"rotary_dim is {width}, {other}")
    else:
        share = config.get(key, 1.0) if share is None else share
        width = _read_share(config, model, share, most)
        if rotary_dim not in (None, width):
            config.refuse_unread("rotary_dim", rotary_dim, f"{width} of {most}")
    if not 2 <= width <= most or width % 2:
        settings = {"rotary_dim": rotary_dim, key: share}
        paths = [config.path_to(name) for name, value in settings.items() if value is not None]
        values = ", ".join(_checks.quote(value) for value in settings.values() if value is not None)
        raise ValueError(
            f"{' and '.join(paths) or config.where} must rotate an even number of the {most} "
            f"entries, at least 2, got {values}"
        )
    return width


def _check_latent_width(config: Config, rope: _rope.Parameters, head: Head) -> int:
    """Return how many entries of an MLA head are rotated, and reject contradictory values."""
    share, whole = rope.get("partial_rotary_factor"), head.start + head.rotatable
    if share not in (None, 1, head.rotatable / whole):
        instead = f"{head.rotatable} entries of {whole}"
        config.refuse_unread("partial_rotary_factor", share, instead)
    if head.rotatable < 2 or head.rotatable % 2:
        config.refuse_value("qk_rope_head_dim", "an even number from 2 on", head.rotatable)
    return head.rotatable


def _read_share(config: Config, model: Model, value: Any, rotatable: int) -> int:
    """Return how many entries `partial_rotary_factor` rotates, or 0 if it is not in (0, 1]."""
    key = "partial_rotary_factor"
    share = read_number(config.path_to(key), 1.0 if value is None else value)
    if not model.reads_partial_rotary_factor and share != 1:
        config.refuse_unread(key, share, f"the whole head, {rotatable}")
    return int(rotatable * share) if 0 < share <= 1 else 0
