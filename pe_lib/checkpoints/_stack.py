"""One `Layer` a layer."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks, grid
from pe_lib.checkpoints import _heads, _images, _models, _rope, _tables, _types
from pe_lib.checkpoints._config import Book, Config, Given, number, one_of, opened, shown, whole
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
    data, kind, where, book = text_part(opened(config))
    model = _models.model(kind)
    if model.refused:
        raise ValueError(f"{where}['model_type'] is {kind!r}: {model.refused}")
    defaults = {"rope_theta": 10_000.0, **model.defaults}
    found = Config(data, kind, where, defaults, model.own, model.unread, book)
    found.check_sense()
    if (kind == "falcon" and found.flag("alibi", False)) or (
        kind == "baichuan" and found.whole("hidden_size") == 5120  # 13B, both editions
    ):
        made = _tables.alibi(found)
    elif model.reader:
        name, *more = model.reader
        made = getattr(_images if hasattr(_images, name) else _tables, name)(found, *more)
    elif found.get("encoder_num_hidden_layers") is None:
        made = _decoder(found, model, length)
    else:
        made = []
        for part in ("encoder", "decoder"):
            given = {key.removeprefix(f"{part}_"): value for key, value in data.items()}
            stack = replace(model, part=part, two_sided=part == "encoder")
            made += _decoder(replace(found, data=given), stack, length)
    found.check_all_is_read(model.harmless, all(layer.scheme == "none" for layer in made))
    return made, book.notes


def text_part(config: Mapping[str, Any]) -> tuple[Mapping[str, Any], str, str, Book]:
    """The part that reads the text, its kind, where it stands, and a book to note it in."""
    where, said, book = "config", "config", Book()
    kind = outer = config.get("model_type", config.get("_class_name"))
    rows, _, texts = _models.stored()
    while inner := next((k for k in _models.TEXT_KEYS if isinstance(config.get(k), Mapping)), None):
        config, where = config[inner], f"{where}[{inner!r}]"
        kind = config.get("model_type") or texts.get(str(outer), outer)
        said = where if config.get("model_type") else said
    if f"{kind}_vision" in rows and "patch_size" in config:
        kind = f"{kind}_vision"  # as older files name the tower
    kind = texts.get(str(kind), kind)
    if kind == "deepseek_v2" and config.get("use_mla") is False:
        kind = "deepseek"
    if not isinstance(kind, str) or kind not in rows:
        near = get_close_matches(str(kind).lower(), _models.names(), 4, 0.5)
        raise ValueError(
            f"{said}['model_type'] is {shown(kind)}, which is not known; nearest of "
            f"{len(_models.names())} in pe_lib.checkpoints.MODELS: {', '.join(near) or 'none'}. If "
            "its code is that of another kind, pass {**config, 'model_type': that kind}"
        )
    return config, kind, where, book


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
    types = _types_of(config, model, n)
    unturned = getattr(_heads, model.unturned) if model.unturned else lambda *_: False
    made: dict[tuple[str, bool], Layer] = {}  # layers of a type are alike
    found = []
    for i, name in enumerate(types):
        scored = _types.KINDS[name] in _types.WITH_SCORES
        turned = scored and name not in model.bare and not unturned(config, i, name)
        if (name, turned) not in made:
            made[name, turned] = _layer(config, model, name, turned, length)
        found.append(made[name, turned])
    _check_nested(config, model, n)
    return found


def _own_types(config: Config, model: Model, n: int) -> list[str]:
    name, *more = model.types
    return [_renamed(x, model) for x in getattr(_types, name)(config, n, *more)]


def _renamed(name: str, model: Model) -> str:
    """A type by its newer word, and by what it is in this kind."""
    name = _types.renamed(name)
    return {"linear_attention": model.linear, "full_attention": model.full}.get(name, name)


def _types_of(config: Config, model: Model, n: int) -> list[str]:
    """The type of each layer: `layer_types`, if the model reads it."""
    types, own = config.get("layer_types"), _own_types(config, model, n)
    if _types.SLIDING in model.reads:
        config.get("sliding_window")  # where no layer slides, it changes nothing
    if types and isinstance(types, list) and all(isinstance(x, str) for x in types):
        types = [_renamed(x, model) for x in types]
    if len(types or own) != n or not isinstance(types or own, list):
        raise ValueError(
            f"{config.where}['layer_types'] must name each of {n} layers, got {shown(types or own)}"
        )
    for i, name in enumerate(types or own):
        one_of(f"{config.named('layer_types')}[{i}]", name, _types.KINDS)
    if not types:
        return own
    if not model.reads and [_types.KINDS[x] for x in types] != [_types.KINDS[x] for x in own]:
        config.not_read("layer_types", types, f"{', '.join(dict.fromkeys(own))}")
    for i, name in enumerate(types):
        one_of(f"{config.named('layer_types')}[{i}]", name, model.reads or types)
    return list(types)


BASES = ("rope_theta", "rope_local_base_freq", "global_rope_theta", "local_rope_theta",
         "swa_rope_theta")  # fmt: skip


def _check_nested(config: Config, model: Model, n: int) -> None:
    """A dictionary for each type of layer: names that are read, bases said twice alike."""
    for key in ("rope_scaling", "rope_parameters"):
        rope = config.mapping(key)
        if not _rope.nested(rope):
            continue
        known = {*(model.reads or _own_types(config, model, n))}
        known = {*known, "main", "compress"} if config.kind == "deepseek_v4" else known
        for name in rope:
            one_of(f"{config.named(key)}: layer type", name, known)
        inside = [(x or {}).get("rope_theta") for x in rope.values()]
        for base in BASES:
            value = config.stated(base)
            if value is not None and None not in inside and value not in inside:
                bases = ", ".join(map(shown, inside))
                config.differ(f"{base} is {shown(value)}, {key} has {bases}")


def _layer(config: Config, model: Model, name: str, turned: bool, length: int | None) -> Layer:
    kind = _types.KINDS[name]
    if kind not in _types.WITH_SCORES:
        return Layer("none", kind=kind, part=model.part)
    width, start, most = getattr(_heads, model.heads)(config, name)
    plain = Layer(
        "none",
        width,
        softmax_scale=getattr(_heads, model.scale)(config, width, name) if model.scale else 1.0,
        window=_window(config, model, kind),
        kind=kind,
        part=model.part,
        growth=getattr(_heads, model.growth)(config, turned) if model.growth else None,
        two_sided=model.two_sided,
        sink=name in model.sink,
    )
    if not turned:
        return plain
    how, *more = model.rope
    rope = getattr(_rope, how)(config, name, *more)
    w, said = _rope.rule(config, rope, _turned(config, model, rope, most, start), length)
    if model.sections:
        said |= {
            "scheme": "rotary_axes",
            "axes": _axes(config, rope, model.sections, w.size),
            "axis_names": ("time", "height", "width"),
        }
    interleaved = config.flag("rope_interleave", model.layout == "interleaved")
    said = {"scheme": "rotary", "turned": 2 * w.size, "frequencies": w, "start": start, **said}
    layer = replace(plain, layout="interleaved" if interleaved else "halves", **said)
    if kind == "indexed" and model.indexer:
        how, *more = model.indexer
        keys, indexer = getattr(_heads, how)(config, layer, *more)
        return replace(layer, keys=keys, indexer=indexer)
    return layer


def _window(config: Config, model: Model, kind: str) -> int | None:
    if kind not in ("sliding", "compressed", "chunked"):
        return None
    switched = model.types in (("late",), ("smollm3",))
    if switched and not config.flag("use_sliding_window", False):
        config.differ(f"it has layers of kind {kind!r} and use_sliding_window is not true")
    if kind == "chunked":
        window = config.window("attention_chunk_size")
    elif model.window == ("half_before",):
        window = _heads.half_before(config)
    else:
        window = _heads.window(config, *model.window)
    if window is None:
        config.differ(f"it has layers of kind {kind!r} and gives no length")
    return window


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
        turned = whole(config.named("rotary_dim"), width)
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
        raise ValueError(
            f"{config.where}: of {most} entries an even number must be turned, at least 2, "
            f"got rotary_dim {shown(width)}, partial_rotary_factor {shown(part)}"
        )
    return turned


def _axes(
    config: Config, rope: _rope.Parameters, sections: _models.Rule, pairs: int
) -> NDArray[np.intp]:
    """M-RoPE: which of time, height and width turns each pair."""
    how, *usual = sections
    given, name = rope.get("mrope_section", usual), "mrope_section"
    if not isinstance(given, list | tuple) or len(given) != 3:
        config.wrong(name, "three numbers of pairs (time, height, width)", given)
    sizes = [whole(config.named(name), x, 0) for x in given]
    if sum(sizes) != pairs:
        raise ValueError(
            f"{config.named(name)} must add up to the {pairs} turned pairs, got {shown(given)}"
        )
    if how == "blocks":
        return grid.sections(sizes)
    if how == "ernie":  # height and width alternate, time comes last
        high, wide, last = sizes
        both = [1, 2] * high if high == wide else [1] * high + [2] * wide
        return np.array(both + [0] * last)
    return grid.round_robin(sizes)
