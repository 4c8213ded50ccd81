"""One `Layer` a layer."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from pe_lib import _checks
from pe_lib.checkpoints import _heads, _images, _models, _rope, _tables, _types
from pe_lib.checkpoints._config import Config, Given, number, one_of, opened, shown, words
from pe_lib.checkpoints._layer import Layer
from pe_lib.checkpoints._models import Model


def layers(config: Given, length: int | None = None) -> list[Layer]:
    """What each layer does with positions, for texts of `length` tokens, first layer to last.

    `config` is the dictionary of a `config.json`, the path of one, or of the folder that holds it.
    Without `length`, models that change with it (dynamic, longrope) are those of a short text. Of a
    configuration with several parts the text part is read; pass another by itself, as in
    layers(config["vision_config"]). Encoder and decoder of one model stand one after the other.

    Raises ValueError with the key, its value and what is known, for a model or a type that is not
    known, a size that makes no sense, two keys that contradict each other, a key that is misspelled
    (one letter from one that is read), and a key that speaks of positions and that this kind of
    model doesn't read, unless it changes nothing: then `groups` has a note. Raises TypeError for a
    `config` that is neither dictionary nor path or a `length` that is no integer.

    >>> config = {"model_type": "smollm3", "hidden_size": 2048, "num_attention_heads": 16,
    ...           "num_hidden_layers": 36, "rope_theta": 5e6}
    >>> [layer.scheme for layer in layers(config)][:5]
    ['rotary', 'rotary', 'rotary', 'none', 'rotary']
    >>> layers(config)[0].frequencies[:3].round(3)
    array([1.   , 0.786, 0.618])
    """
    return read(config, length)[0]


def read(config: Given, length: int | None = None) -> tuple[list[Layer], list[str]]:
    """The layers, and what is worth saying of keys that change nothing."""
    if length is not None:
        length = _checks.integer("length", length, 1)
    data, kind, where = text_part(opened(config))
    model = _models.model(kind)
    if model.refused:
        raise ValueError(f"{where}['model_type'] is {kind!r}: {model.refused}")
    defaults = {"rope_theta": 10_000.0, **model.defaults}
    found = Config(data, kind, where, defaults, model.own, model.unread)
    found.check_sense()
    for key, only in model.only.items():
        if found.get(key, only) != only:
            found.not_read(key, found.get(key), f"{only!r}")
    key, value = model.alibi or ("", None)
    if key and (found.flag(key, False) if value is True else found.get(key)) == value:
        made = _tables.alibi(found)
    elif model.reader:
        name, *more = model.reader
        made = getattr(_images if hasattr(_images, name) else _tables, name)(found, *more)
    elif model.part != "both":
        made = _decoder(found, model, length)
    else:
        made = []
        for part in ("encoder", "decoder"):
            given = {key.removeprefix(f"{part}_"): value for key, value in data.items()}
            stack = replace(model, part=part, two_sided=part == "encoder")
            made += _decoder(replace(found, data=given), stack, length)
    found.check_all_is_read(model.harmless, all(layer.scheme == "none" for layer in made))
    return made, found.notes


def text_part(config: Mapping[str, Any]) -> tuple[Mapping[str, Any], str, str]:
    """The part that reads the text, its kind, and where it stands."""
    whole, where, said = config, "config", "config"
    kind = outer = config.get("model_type", config.get("_class_name"))
    (rows, _, texts), parts = _models.stored(), words()["text_parts"]
    while inner := next((k for k in parts if isinstance(config.get(k), Mapping)), None):
        config, where = config[inner], f"{where}[{inner!r}]"
        kind = config.get("model_type") or texts.get(str(outer), outer)
        said = where if config.get("model_type") else said
    if f"{kind}_vision" in rows and "patch_size" in config:
        kind = f"{kind}_vision"  # as older files name the tower
    kind = texts.get(str(kind), kind)
    if kind == "deepseek_v2" and config.get("use_mla") is False:
        kind = "deepseek"
    if not isinstance(kind, str) or kind not in rows:
        if kind is None:
            raise ValueError(_explain_missing_kind(whole, where))
        diffusers = said == "config" and "model_type" not in whole
        key = "_class_name" if diffusers else "model_type"
        raise ValueError(_explain_unknown_kind(f"{said}[{key!r}]", kind))
    return config, kind, where


def _explain_missing_kind(config: Mapping[str, Any], where: str) -> str:
    """Return the message for a configuration without `model_type`, there and at `where`."""
    keys = ", ".join(sorted(map(str, config))[:8]) + ", …" * (len(config) > 8)
    missing = "config has no 'model_type'" + (f", nor has {where}" if where != "config" else "")
    return (
        f"{missing}, so nothing says which kind of model it is: expected its name, as in "
        "{'model_type': 'llama', ...} (or '_class_name', if it comes from diffusers), got "
        f"{f'only the keys {keys}' if config else 'an empty dictionary'}; "
        f"pe_lib.checkpoints.MODELS lists the {len(_models.names())} kinds that are known"
    )


def _explain_unknown_kind(name: str, kind: Any) -> str:
    """Return the message for a `model_type` that is not known."""
    total = f"{len(_models.names())} kinds in pe_lib.checkpoints.MODELS"
    if not isinstance(kind, str):
        return f"{name} must be one of the {total}, such as 'llama', got {shown(kind)}"
    near = get_close_matches(kind.lower(), _models.names(), 4, 0.5)
    nearest = f"the nearest are {', '.join(near)}" if near else "none has a similar name"
    return (
        f"{name} is {shown(kind)}, which is not known. Of the {total} {nearest}. If its code is "
        "that of another kind, pass {**config, 'model_type': that kind}"
    )


def _decoder(config: Config, model: Model, length: int | None) -> list[Layer]:
    if config.kind == "nemotron_h" and config.get("num_hidden_layers") is None:
        n = len(_types.pattern(config, 0))
    else:
        n = config.count() * model.times
    both = config.get("use_bidirectional_attention")
    if both is True and config.kind in ("gemma", "gemma3_text"):  # EmbeddingGemma
        model = replace(model, two_sided=True, part="encoder", window=("sliding_window", 2, 1))
    elif both not in (None, False, "vision"):
        wanted = "false, 'vision' (among the tokens of an image) or null"
        config.wrong("use_bidirectional_attention", wanted, both)
    for key in ("hidden_size", "num_attention_heads"):
        config.get(key)  # refuses another value under another name
    types, known = _types_of(config, model, n)
    _check_nested(config, known)
    types = [name for name in types if name != "mlp" or not model.paired]
    made: dict[tuple[str, bool], Layer] = {}  # layers of a type are alike
    found = []
    for i, name in enumerate(types):
        scored = _types.KINDS[name] in _types.WITH_SCORES
        turned = scored and name not in model.bare
        turned = turned and _heads.is_turned(config, model.unturned, i, name)
        if (name, turned) not in made:
            made[name, turned] = _layer(config, model, name, turned, length)
        found.append(made[name, turned])
    return found


def _types_of(config: Config, model: Model, n: int) -> tuple[list[str], set[str]]:
    """The type of each layer, by `layer_types` if the model reads it, and those that it knows."""

    def renamed(types: list[Any]) -> list[Any]:
        """By their newer words, and by what they are in this kind."""
        here = {"linear_attention": model.linear, "full_attention": model.full}
        newer = [_types.renamed(x) if isinstance(x, str) else "" for x in types]
        return [here.get(new, new) or old for new, old in zip(newer, types, strict=True)]

    name, *more = model.types
    own = renamed(getattr(_types, name)(config, n, *more))
    for key, slides in words()["windows"].items():
        if slides in model.reads:
            config.get(key)  # where no layer slides, it changes nothing
    given = config.get("layer_types") or own
    if not isinstance(given, list) or len(given) != n:
        config.wrong("layer_types", f"a list that names each of {n} layers", given)
    types, known = renamed(given), _types.KINDS if given is own else model.reads or _types.KINDS
    for i, name in enumerate(types):
        one_of(f"{config.named('layer_types')}[{i}]", name, known)
    if not model.reads and [_types.KINDS[x] for x in types] != [_types.KINDS[x] for x in own]:
        config.not_read("layer_types", types, f"{', '.join(dict.fromkeys(own))}")
    return types, {*(model.reads or own)}


def _check_nested(config: Config, known: set[str]) -> None:
    """A dictionary for each type of layer: names that are read, bases said twice alike."""
    for key in ("rope_scaling", "rope_parameters"):
        rope = config.mapping(key)
        if not _rope.nested(rope):
            continue
        known |= {"main", "compress"} if config.kind == "deepseek_v4" else set()
        for name, value in [*rope.items()]:
            if name in known and value is not None:
                rope[name] = config.inside(key).mapping(name)
            elif value is None or isinstance(value, Mapping):
                one_of(f"{config.named(key)}: layer type", name, known)
            else:
                config.note(name, rope.pop(name), "only the dictionaries beside it are read")
        inside = [(x or {}).get("rope_theta") for x in rope.values()]
        for base in words()["bases"]:
            value = config.stated(base)
            if value is not None and None not in inside and value not in inside:
                bases = ", ".join(map(shown, inside))
                config.differ(f"{base} is {shown(value)}, {key} has {bases}")


def _layer(config: Config, model: Model, name: str, turned: bool, length: int | None) -> Layer:
    kind = _types.KINDS[name]
    if kind not in _types.WITH_SCORES:
        return Layer("none", kind=kind, part=model.part)
    width, start, most = _heads.head(config, model.heads, name)
    plain = Layer(
        "none",
        width,
        softmax_scale=_heads.scale(config, model.scale, width, name),
        window=_heads.window(
            config,
            kind,
            model.types[0] in ("late", "smollm3") and model.types[1:2] != (False,),
            *model.window,
        ),
        kind=kind,
        part=model.part,
        growth=_heads.growth(config, model.growth, turned),
        two_sided=model.two_sided,
        sink=name in model.sink,
    )
    if not turned:
        return plain
    how, *more = model.rope
    rope = getattr(_rope, how)(config, name, *more)
    w, said = _rope.rule(config, rope, _turned(config, model, rope, most, start), length)
    if model.sections:
        axes = _rope.axes(config, rope, model.sections, w.size)
        names = ("time", "height", "width")
        said |= {"scheme": "rotary_axes", "axes": axes, "axis_names": names}
    usual = model.layout == "interleaved"
    interleaved = config.flag("rope_interleave", usual)
    if interleaved != usual and not model.swaps:
        config.not_read("rope_interleave", interleaved, f"{usual}")
    said = {"scheme": "rotary", "turned": 2 * w.size, "frequencies": w, "start": start, **said}
    layer = replace(plain, layout="interleaved" if interleaved else "halves", **said)
    if kind == "indexed" and model.indexer:
        keys, indexer = _heads.indexer(config, layer, *model.indexer)
        return replace(layer, keys=keys, indexer=indexer)
    return layer


def _turned(config: Config, model: Model, rope: _rope.Parameters, most: int, start: int) -> int:
    """How many entries the pairs are laid out over."""
    if rope["rope_type"] == "proportional":
        return most
    if start:  # MLA turns its own part, all of it
        part = rope.get("partial_rotary_factor")
        if part not in (None, 1, most / (start + most)):
            config.not_read("partial_rotary_factor", part, f"{most} entries of {start + most}")
        return most
    part, width = rope.get("partial_rotary_factor"), config.get("rotary_dim")
    if width is not None and model.rotary_dim:
        turned = config.whole("rotary_dim")
        if part is not None and int(most * part) != turned:
            other = f"partial_rotary_factor {part} of {most} entries is {int(most * part)}"
            config.differ(f"rotary_dim is {turned}, {other}")
    else:
        part = config.get("partial_rotary_factor", 1.0) if part is None else part
        share = number(f"{config.where}['partial_rotary_factor']", 1.0 if part is None else part)
        turned = int(most * share) if 0 < share <= 1 else 0
        if not model.partial and share != 1:
            config.not_read("partial_rotary_factor", share, f"the whole head, {most}")
        if width not in (None, turned):
            config.not_read("rotary_dim", width, f"{turned} of {most}")
    if not 2 <= turned <= most or turned % 2:
        said = f"{config.where}: of {most} entries an even number must be turned, at least 2"
        got = f"rotary_dim {shown(width)}, partial_rotary_factor {shown(part)}"
        raise ValueError(f"{said}, got {got}")
    return turned
