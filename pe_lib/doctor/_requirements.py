"""Read which layers a configuration asks for, and to which of them a tensor may belong.

The module `pe_lib.checkpoints` reads the configuration itself.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pe_lib import checkpoints
from pe_lib.checkpoints import Layer
from pe_lib.checkpoints._config import DOUBT
from pe_lib.checkpoints._keys import KEYS
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import DATA, format_number, round_significant
from pe_lib.doctor._tensors import layer_number

# TYPED finds the layer type in a buffer's name. TYPES translates the type names of DeepSeek-V4.
TYPED = re.compile(r"(?:^|[._/])(?!original_|long_)([a-z]+)_\w*inv_freq$")
TYPES = {"main": "sliding", "compress": "compressed"}
# With one of these words, between dots or underscores, a name belongs to such layers.
SLIDING_WORDS, OTHER_WORDS = ("local", "sliding", "swa", "window"), ("global", "full")
# Before transformers 5, Gemma 3 had a module for its sliding layers beside that for the others.
LOCAL = re.compile(r"(?:^|[._/])(local_|global_)?rotary_emb(_local)?[._/]")
# PART finds the layers to which frequencies from the header of a GGUF file belong.
PART = re.compile(r"(?:^|[._/])(sliding|others|short|long)\.rope_freqs$")
VISION = r"vision|visual|image"
# In a model of several parts, a tensor belongs to the language model if its name matches TEXT and
# does not match TOWER.
TEXT = re.compile(r"(^|[._/])(language_model|text\w*|ll?m|decoder|thinker|talker|model|transformer|"
                  r"rotary\w*|rope\w*|layers?|h|blk)[._/]|^[^._/]\w*$")  # fmt: skip
TOWER = re.compile(r"audio|vision|visual|image|video|speech|sound|acoustic|semantic|tower|percept|"
                   r"qformer|resampler|projector|connector|adapter|query|codec|patch")  # fmt: skip
# A dictionary inside a configuration describes a part of the model if it has one of these keys.
# Other dictionaries describe no part, for example the settings of a quantisation.
PART_KEYS = {"model_type", "hidden_size", "num_hidden_layers", "depth", "width", "d_model"}


def _is_text(name: str) -> bool:
    """Return whether a tensor of a model with several parts belongs to its language model."""
    return TEXT.search(name) is not None and TOWER.search(name) is None


@dataclass(frozen=True, eq=False)
class Group:
    """A group of layers in one part of a model that encode positions in the same way."""

    name: str  # for example "the 22 sliding layers"
    layers: Sequence[int]  # layer numbers within this part of the model, counted from 0
    layer: Layer
    is_for_long: bool = False  # whether the settings hold only for texts beyond some length

    def has_part(self, word: str) -> bool:
        """Return whether a word from a GGUF tensor's name, such as "long", means this group."""
        if word in ("short", "long"):
            return self.is_for_long == (word == "long")
        return (self.layer.kind == "sliding") == (word == "sliding")

    def has_number(self, number: int | None) -> bool:
        """Return whether the number in a tensor's name, of a layer or a stage, is in this group."""
        stage = self.layer.stage
        return number in self.layers if stage is None else number == stage

    @property
    def scheme(self) -> str:
        """The scheme as a diagnosis names it, by which a table of biases is a learned table."""
        names = {"rotary_axes": "rotary", "offsets": "learned"}
        return names.get(self.layer.scheme, self.layer.scheme)


def has_local_module(names: Iterable[str]) -> bool:
    """Return whether sliding layers have a rotary module of their own, by the tensors' names."""
    return any("rotary_emb_local" in name or "local_rotary_emb" in name for name in names)


def read_sliding_word(name: str) -> bool | None:
    """Return whether a tensor's name says that it is for sliding layers, or None if it does not."""
    words = re.split(r"[._/]", name)
    is_sliding = any(word in words for word in SLIDING_WORDS)
    is_other = any(word in words for word in OTHER_WORDS)
    return None if is_sliding == is_other else is_sliding


@dataclass
class Requirements:
    """The layers that a configuration asks for, sorted by part of the model."""

    text: list[Group] = field(default_factory=list)
    # groups of nested models, by a pattern for tensor names
    within: dict[str, list[Group]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # each says what in the configuration is unclear
    longest: int | None = None  # how many positions a text may have, if the configuration says so

    def of(self, name: str, has_local: bool) -> tuple[list[Group], list[Group]]:
        """Return the groups to which the tensor called `name` may belong, and all other groups.

        `has_local` says whether the model's sliding layers have a module of their own, as
        `has_local_module` finds it.
        """
        inner = (pattern for pattern in self.within if re.search(pattern, name))
        # The tensors of a tower are compared with no other part of the model.
        if pattern := next(inner, None):
            everything = self.within[pattern]
            if TOWER.search(name) and not TOWER.search(pattern):
                everything = [x for x in everything if x.layer.part == "vision"]
        else:
            everything = [] if self.within and not _is_text(name) else self.text
        groups = everything
        if match := TYPED.search(name):
            own_type = [x for x in groups if x.layer.kind == TYPES.get(match[1], match[1])]
            # the model may have no layer of a type that the name says for certain
            is_certain = match[1] in TYPES or TOWER.search(match[1])
            groups = own_type or ([] if is_certain else groups)
        if match := PART.search(name):
            groups = [x for x in groups if x.has_part(match[1])] or groups
        if has_local and (match := LOCAL.search(name)):
            is_local = match[1] == "local_" or match[2] is not None
            groups = [x for x in groups if (x.layer.kind == "sliding") == is_local] or groups
        is_sliding = read_sliding_word(name)
        if is_sliding is not None:
            groups = [x for x in groups if (x.layer.kind == "sliding") == is_sliding] or groups
        groups = [x for x in groups if re.search(rf"(^|[._/]){x.layer.part}", name)] or groups
        groups = [x for x in groups if x.has_number(layer_number(name))] or groups
        return groups, [x for x in everything if x not in groups and x.layer.part != "vision"]


def read_requirements(config: Any) -> Requirements:
    """Read which layers a configuration asks for, including the layers of nested models.

    Raises the errors of `pe_lib.checkpoints.layers`.
    """
    requirements = Requirements(read_groups(config))
    requirements.longest = _read_longest(config)
    requirements.notes = [x for x in checkpoints.groups(config).notes if DOUBT in x]
    parts = {"text", *(x.layer.part for x in requirements.text)} - {"vision"}
    # The vision model comes last, because its pattern matches the largest number of tensors.
    for key in sorted(config, key="vision_config".__eq__):
        inner, name = config[key], key.removesuffix("_config")
        if name == key or name in parts or not isinstance(inner, Mapping):
            continue
        if not PART_KEYS & inner.keys():
            continue
        pattern = VISION if name == "vision" else rf"(^|[._/]){name}(_\w+)?[._/]"
        try:
            requirements.within[pattern] = read_groups(inner)
        # The library may not know the model type of the inner configuration.
        except ValueError:
            requirements.within[pattern] = []
    return requirements


def _read_longest(config: Mapping[str, Any]) -> int | None:
    """Return how many positions a text may have, or None if the configuration does not say it."""
    key = "max_position_embeddings"
    parts = [config, *(config.get(name) for name in KEYS.text_parts)]
    values = [part.get(name) for part in parts if isinstance(part, Mapping)
              for name in (key, *KEYS.other_names[key])]  # fmt: skip
    return next((value for value in values if isinstance(value, int)), None)


def read_groups(config: Any) -> list[Group]:
    """Read the layers of a configuration, and group layers with the same settings.

    Where a model changes its frequencies beyond some length, its layers appear twice: once for
    texts up to this length, and once for longer texts.
    """
    alike = [(x, "") for x in checkpoints.groups(config)]
    if switch := next((x.layer.switch for x, _ in alike if x.layer.switch), None):
        beyond = checkpoints.groups(config, switch + 1)
        alike += [(x, f" beyond {format_number(switch)} positions") for x in beyond]
    parts, lengths, groups = {x.layer.part for x, _ in alike}, [length for _, length in alike], []
    for x, length in alike:
        kind = f"{x.layer.part} {x.layer.kind}" if len(parts) > 1 else x.layer.kind
        name, count = f"the only {kind} layer", format_number(len(x.which))
        if len(x.which) > 1:
            is_alone = lengths.count(length) == 1
            name = f"all {count} layers" if is_alone else f"the {count} {kind} layers"
        if x.layer.stage is not None:
            name += f" of stage {x.layer.stage}"
        groups.append(Group(name + length, x.which, x.layer, length != ""))
    return groups


def describe_group(group: Group) -> Diagnosis:
    """Return a group's configured position encoding in the form of a diagnosis."""
    layer = group.layer
    d = Diagnosis("offsets" if layer.sides else group.scheme, sure=True)
    if group.scheme == "rotary" and layer.frequencies.size > 1:
        rule = identify(layer.frequencies)
        d.factor, d.picture = rule.factor or _measure_factor(layer), rule.picture
        d.base, d.width, d.amplitude = layer.base, layer.turned, layer.amplitude
        d.layout, d.order, d.exponent = layer.layout or None, "turned", "2i/d"
        d.scaling = DATA["scaling_names"][layer.scaling]
    d.details["asked"] = group.name
    d.note("asked", layers=group.name)
    if layer.sides:
        d.note("offsets", count=layer.rows, heads=layer.row_width, sides=describe_sides(layer))
    return d


def describe_sides(layer: Layer) -> str:
    """Return between which patches a layer has a bias for each offset, such as "7 × 7 patches"."""
    rows, columns = layer.sides or (0, 0)
    has_class_token = (layer.rows or 0) > (2 * rows - 1) * (2 * columns - 1)
    more = " and a class token" if has_class_token else ""
    return f"{format_number(rows)} × {format_number(columns)} patches{more}"


def _measure_factor(layer: Layer) -> float | None:
    """Return how much slower the slowest pair turns because of a scaling, or None."""
    if not layer.base or layer.scaling not in ("yarn", "llama3", "linear"):
        return None
    n = layer.frequencies.size
    plain = layer.base ** -(1 - 1 / n)
    return round_significant(plain / float(layer.frequencies[n - 1]), 5)


def name_rule(group: Group) -> str:
    """Return a group's base and scaling for use in a sentence, or its scheme."""
    required = describe_group(group)
    if required.base is None:
        return required.scheme
    scaling = required.scaling or "none"
    factor = f" by {format_number(required.factor)}" if (required.factor or 1.0) != 1 else ""
    more = "" if scaling == "none" else f", {DATA['scalings'][scaling]}{factor}"
    return f"base {format_number(required.base)}{more}"


def note_fit(d: Diagnosis, groups: Sequence[Group]) -> None:
    """Add a note that says which groups of layers the numbers fit."""
    fitting = d.details["fits"] = " and ".join(group.name for group in groups)
    d.details["fits_groups"] = [group.name for group in groups]
    d.note("fits", layers=fitting)


def find_groups_without_numbers(groups: Sequence[Group], fitting: Collection[str]) -> list[Group]:
    """Return the rotary groups whose frequencies were found in no tensor of the model.

    `fitting` has the names of the groups that some tensor fits. If no rotary group of a part fits,
    the part's frequencies are not stored, so nothing is missing there. Frequencies for texts beyond
    some length are never missing, because they are computed when such a text comes, and those of
    dynamic scaling replace the others then.
    """
    missing = []
    rotary = [x for x in groups if x.scheme == "rotary" and x.layer.part != "vision"
              and x.layer.scaling != "dynamic"]  # fmt: skip
    for group in rotary:
        part = [x for x in rotary if x.layer.part == group.layer.part and x.name in fitting]
        has_numbers = any(np.array_equal(x.layer.frequencies, group.layer.frequencies)
                          for x in part)  # fmt: skip
        if part and not has_numbers and not group.is_for_long:
            missing.append(group)
    return missing
