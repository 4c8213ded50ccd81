"""What a configuration asks for, as `pe_lib.checkpoints` reads it, and whether numbers obey it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log
from typing import Any

import numpy as np

from pe_lib import checkpoints
from pe_lib.checkpoints import Layer
from pe_lib.doctor import _formats
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Floats, Indices
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import DATA, format_bound, format_number, round_significant
from pe_lib.doctor._orders import repeated_pairs
from pe_lib.doctor._proof import HALVES, Rounding
from pe_lib.doctor._tensors import layer_number

Arrays = Sequence[Any]  # one array, or cosines and sines

# Powers of a base up to 1e8, in float32, are off by ln(base)/2^24, about 1e-6; the least mistake
# there is, another rounding, by 2^-11.
EXACT = 1e-5
INTENDED = ("padding_row", "same_rows_of_table")  # of a learned table of the configured length
# the type of layer that a buffer of several is for, and what DeepSeek-V4 calls two of them
TYPED = re.compile(r"(?:^|[._/])(?!original_|long_)([a-z]+)_\w*inv_freq$")
TYPES = {"main": "sliding", "compress": "compressed"}
VISION = r"vision|visual|image"


@dataclass(frozen=True, eq=False)
class Group:
    """Layers of one part of a model that do the same with positions."""

    name: str  # "the 22 sliding layers"
    layers: Sequence[int]  # numbers within their part, from 0
    layer: Layer

    @property
    def scheme(self) -> str:
        return "rotary" if self.layer.scheme == "rotary_axes" else self.layer.scheme


@dataclass
class Requirements:
    """What a configuration asks for, by the part of the model that a name belongs to."""

    text: list[Group] = field(default_factory=list)
    within: dict[str, list[Group]] = field(default_factory=dict)  # models within, by their names

    def of(self, name: str) -> tuple[list[Group], list[Group]]:
        """The groups that a tensor of this name may belong to, and all others of its part."""
        inner = (x for pattern, x in self.within.items() if re.search(pattern, name))
        everything = found = next(inner, self.text)
        if typed := TYPED.search(name):
            found = [x for x in found if x.layer.kind == TYPES.get(typed[1], typed[1])]
        found = [x for x in found if re.search(rf"(^|[._/]){x.layer.part}", name)] or found
        found = [x for x in found if layer_number(name) in x.layers] or found
        return found, [x for x in everything if x not in found and x.layer.part != "vision"]


def read_requirements(config: Any) -> Requirements:
    """What a configuration asks for. Raises what `pe_lib.checkpoints.layers` raises."""
    text = read_groups(config)
    wanted, parts = Requirements(text), {"text", *(x.layer.part for x in text)} - {"vision"}
    for key in sorted(config, key="vision_config".__eq__):  # last: its pattern is the widest
        inner, name = config[key], key.removesuffix("_config")
        if name == key or name in parts or not isinstance(inner, Mapping):
            continue
        pattern = VISION if name == "vision" else rf"^{name}(_model)?\."
        try:
            wanted.within[pattern] = read_groups(inner)
        except ValueError:  # a model that is not known
            wanted.within[pattern] = []
    return wanted


def read_groups(config: Any) -> list[Group]:
    """The layers of a configuration, alike ones together; also as they are beyond a switch."""
    found = [(x, "") for x in checkpoints.groups(config)]
    if switch := next((x.layer.switch for x, _ in found if x.layer.switch), None):
        long = checkpoints.groups(config, switch + 1)
        found += [(x, f" beyond {format_number(switch)} positions") for x in long]
    parts, times, made = {x.layer.part for x, _ in found}, [when for _, when in found], []
    for x, when in found:
        kind = f"{x.layer.part} {x.layer.kind}" if len(parts) > 1 else x.layer.kind
        name, count = f"the only {kind} layer", format_number(len(x.which))
        if len(x.which) > 1:
            name = f"all {count} layers" if times.count(when) == 1 else f"the {count} {kind} layers"
        made.append(Group(name + when, x.which, x.layer))
    return made


def describe_group(group: Group) -> Diagnosis:
    """What the layers of a group are asked to do, in the words of a diagnosis."""
    layer = group.layer
    d = Diagnosis(group.scheme, sure=True)
    if group.scheme == "rotary" and layer.frequencies.size > 1:
        seen = identify(layer.frequencies)
        d.factor, d.picture = seen.factor, seen.picture
        d.base, d.width, d.amplitude = layer.base, layer.turned, layer.amplitude
        d.layout, d.order, d.exponent = layer.layout or None, "turned", "2i/d"
        d.scaling = DATA["scaling_names"][layer.scaling]
    d.details["notes"] = [f"Asked for by a configuration, for {group.name}."]
    return d


def compare_with_groups(
    d: Diagnosis, arrays: Arrays, wanted: Sequence[Group], others: Sequence[Group] = ()
) -> Diagnosis:
    """A diagnosis `d` of `arrays`, where a configuration asks for one of the groups `wanted`.

    Numbers that a group gives back are right, whatever else was thought of them; where no group
    does, problems say how they differ from the nearest, or whose of the `others` they are.
    """
    forms = [(group, matching_format(arrays, group.layer, d)) for group in wanted]
    right = [(group, form) for group, form in forms if form]
    if right:
        first, form = right[0]
        coarse, trained = form in HALVES, form == "rows"
        d.scheme = "learned" if trained and first.scheme == "rotary" else first.scheme
        kept = [x for x in d.problems if (coarse and "half" in x)
                or (x not in INTENDED if trained else x == "printed")]  # fmt: skip
        d.drop(*(x for x in d.problems if x not in kept))
        d.sure, d.alternatives = not trained, []
        if coarse and not kept:
            d.problem("half_precision_frequencies", form=form)
        fitting = d.details["fits"] = " and ".join(group.name for group, _ in right)
        d.details.setdefault("notes", []).append(f"As configured: fits {fitting}.")
        return d
    whose = [group for group in others if matching_format(arrays, group.layer, d)]
    turns = d.scheme in ("rotary", "geometric", "unknown")
    same = [x for x in wanted if x.scheme == d.scheme or (turns and x.scheme == "rotary")]
    if whose:
        d.drop(*d.problems)
        d.problem("other_layers", found=whose[0].name, wanted=wanted[0].name)
        return d
    if not same:
        schemes = dict.fromkeys(group.scheme for group in wanted)
        d.problem("scheme_differs", found=d.scheme, wanted=" or ".join(schemes))
        return d
    layer, alibi = same[0].layer, d.scheme == "alibi"
    want = layer.buckets or layer.rows or (0 if layer.slopes is None else layer.slopes.size)
    found = d.details.get("heads", want) if alibi else len(arrays[0])
    if turns or (d.scheme == "sinusoidal" and want <= found <= want + layer.first_position):
        _report_differences(d, arrays, same)
    elif found != want:
        name = "width_differs" if alibi else "length_differs"
        d.problem(name, found=format_number(found), wanted=format_number(want))
    return d


def matching_format(arrays: Arrays, layer: Layer, d: Diagnosis) -> str | None:
    """The format to whose rounding a layer gives these numbers back; None if it does not.

    "rows" says that of a learned table the length is right.
    """
    with np.errstate(invalid="ignore"):  # what lay in memory may be a signalling NaN
        x, *rest = (np.asarray(array, np.float64) for array in arrays)
    w, n = layer.frequencies, layer.frequencies.size
    if rest:
        return _match_cache(x, rest[0], layer, np.arange(x.shape[-2] if x.ndim > 1 else 0))
    if x.ndim == 1:  # of several axes, some programs keep those of each once
        axes = [] if layer.axes is None else [w[layer.axes == axis] for axis in set(layer.axes)]
        rules = [w, *axes] if layer.slopes is None else [layer.slopes]
        tried = [
            (rule, form) for rule in rules for form in ("float64", _formats.narrowest_format(x))
        ]
        return next((form for rule, form in tried if x.shape == rule.shape and x.size
                     and Rounding(form).explains(x, rule, EXACT * rule).all()), None)  # fmt: skip
    x = x.reshape(-1, x.shape[-1])
    if layer.scheme == "t5" and d.scheme == "t5":
        return "rows" if len(x) == layer.buckets else None
    if layer.rows is None or not layer.rows <= len(x) <= layer.rows + layer.first_position:
        return None
    if layer.scheme in ("learned", "rotary_axes"):  # nothing else is known of it
        return "rows" if d.scheme in ("learned", "unknown", "sinusoidal") else None
    if layer.scheme != "sinusoidal" or x.shape[1] != 2 * n:
        return None
    t = np.flatnonzero(x.any(axis=1))  # the row of padding is zero, no other is
    y = x[t]
    both = (y[:, :n], y[:, n:]) if layer.layout == "halves" else (y[:, 0::2], y[:, 1::2])
    return _match_cache(both[1], both[0], layer, t) if len(x) - t.size <= 1 else None


def _match_cache(cos: Floats, sin: Floats, layer: Layer, t: Indices) -> str | None:
    """Whether cosines and sines (…, T, n or 2n) are those of a layer at positions t (T,)."""
    n = layer.frequencies.size
    if cos.shape != sin.shape or cos.ndim < 2 or n == 0 or cos.shape[-1] not in (n, 2 * n):
        return None
    both = np.stack([cos, sin]).reshape(2, -1, *cos.shape[-2:])
    angles = t[:, None] * layer.frequencies
    right = layer.amplitude * np.stack([np.cos(angles), np.sin(angles)])[:, None]
    slack, rounding = (
        layer.amplitude * EXACT * (1 + angles),
        Rounding(_formats.narrowest_format(both)),
    )
    for layout in (None,) if cos.shape[-1] == n else ("halves", "interleaved"):
        pair = repeated_pairs(cos.shape[-1], layout)
        if rounding.explains(both, right[..., pair], slack[:, pair]).all():
            return "float32"
    return None


def _report_differences(d: Diagnosis, arrays: Arrays, same: Sequence[Group]) -> None:
    """How frequencies, or cosines and sines, differ from those of the nearest group."""
    if len(arrays) == 2:
        amplitude = float(np.hypot(*arrays).mean())
        for layer in (group.layer for group in same):
            if matching_format(arrays[::-1], layer, d):
                d.problem("swapped")
                return
            if amplitude > 0 and matching_format(arrays, replace(layer, amplitude=amplitude), d):
                wanted = format_number(layer.amplitude)
                d.problem("amplitude_differs", found=format_number(amplitude), wanted=wanted)
                return
    alone = len(arrays) == 1 and d.scheme != "sinusoidal"
    with np.errstate(invalid="ignore"):
        measured = arrays[0] if alone else d.picture.get("frequencies", [])
        w = np.asarray(measured, np.float64).reshape(-1)
    alike = [group for group in same if group.layer.frequencies.size == w.size]
    if not alike:
        widths = dict.fromkeys(format_number(group.layer.turned) for group in same)
        found = format_number(2 * w.size if w.size else d.width)
        d.problem("width_differs", found=found, wanted=" or ".join(widths))
        return

    def apart(group: Group) -> Floats:  # as shares, from 0 to 2
        right = group.layer.frequencies
        return np.abs(w - right) / np.maximum(np.maximum(np.abs(w), right), 1e-300)

    group = min(alike, key=lambda group: apart(group).mean())
    want, off = describe_group(group), apart(group)
    at = int(np.argmax(off >= off.max() * (1 - 1e-9)))  # the first of those that are off alike
    right = float(group.layer.frequencies[at])
    times = float(w[at]) / right if right > 0 else 0.0
    faster = format_number(round_significant(times, 3)) if times > 0 else "0"
    evidence = f"pair {format_number(at)} turns {faster} times as fast"
    # the base as told, too: with another exponent it is the exponent that differs
    usual = [base for base, exponent in d.readings if exponent in ("2i/d", d.exponent)]
    if want.base and d.base and not any(abs(log(b / want.base)) < 1e-3 for b in usual):
        d.problem(
            "base_differs", evidence, found=format_number(d.base), wanted=format_number(want.base)
        )
    by = [(x.scaling or "none", x.factor or 1.0) for x in (d, want)]
    if d.sure and (by[0][0] != by[1][0] or abs(log(by[0][1] / by[1][1])) > 1e-3):
        found, wanted = (name + (f" by {format_number(s)}" if s != 1 else "") for name, s in by)
        d.problem("scaling_differs", evidence, found=found, wanted=wanted)
    if not d.problems and d.exponent not in ("4i/d", "i/d"):  # told already
        d.problem(
            "frequencies_differ",
            evidence,
            share=format_bound(abs(times - 1)),
            pair=format_number(at),
        )
