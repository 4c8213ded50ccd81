"""What a configuration asks for, as `pe_lib.checkpoints` reads it, and whether numbers obey it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import checkpoints
from pe_lib.checkpoints import Layer
from pe_lib.doctor import _formats
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._held import number
from pe_lib.doctor._identify import identify
from pe_lib.doctor._numbers import bound, significant, told
from pe_lib.doctor._orders import repeated
from pe_lib.doctor._proof import HALVES

Floats = NDArray[np.float64]
Arrays = Sequence[Any]  # one array, or cosines and sines

# Powers of a base up to 1e8, in float32, are off by ln(base)/2^24, about 1e-6; the least mistake
# there is, another rounding, by 2^-11.
EXACT = 1e-5
SCALINGS = {"default": "none", "mrope": "none", "dynamic": "none", "": "none"}
MEANT = ("padding_row", "same_rows_of_table")  # of a learned table of the configured length
# the type of layer that a buffer of several is for, and what DeepSeek-V4 calls two of them
TYPED = re.compile(r"(?:^|[._/])(?!original_|long_)([a-z]+)_\w*inv_freq$")
TYPES = {"main": "sliding", "compress": "compressed"}
SIGHT = re.compile(r"vision|visual|image")


@dataclass(frozen=True, eq=False)
class Group:
    """Layers of one part of a model that do the same with positions."""

    name: str  # "the 22 sliding layers"
    layers: tuple[int, ...]  # numbers within their part, from 0
    kinds: tuple[str, ...]
    layer: Layer

    @property
    def scheme(self) -> str:
        return "rotary" if self.layer.scheme == "rotary_axes" else self.layer.scheme


@dataclass
class Wanted:
    """What a configuration asks for, by the part of the model that a name belongs to."""

    text: list[Group] = field(default_factory=list)
    sight: list[Group] | None = None  # of a model that also sees

    @property
    def groups(self) -> list[Group]:
        return [*self.text, *(self.sight or [])]

    def of(self, name: str) -> tuple[list[Group], list[Group]]:
        """The groups that a tensor of this name may belong to, and all groups of its part."""
        sees = self.sight is not None and SIGHT.search(name)
        everything = (self.sight or []) if sees else self.text
        typed = TYPED.search(name)
        kind = TYPES.get(typed[1], typed[1]) if typed else None
        found = [x for x in everything if kind is None or kind in x.kinds]
        found = [x for x in found if re.search(rf"(^|[._/]){x.layer.part}", name)] or found
        return [x for x in found if number(name) in x.layers] or found, everything


def asked(config: Mapping[str, Any]) -> Wanted:
    """What a configuration asks for. Raises what `pe_lib.checkpoints.layers` raises."""
    text = groups(config)
    if not isinstance(config.get("vision_config"), Mapping):
        return Wanted(text)
    try:
        return Wanted(text, groups(config["vision_config"]))
    except ValueError:  # an image tower that is not known
        return Wanted(text, [])


def groups(config: Mapping[str, Any]) -> list[Group]:
    """The layers of a configuration, alike ones together; also as they are beyond a switch."""
    short = checkpoints.layers(config)
    switch = next((layer.switch for layer in short if layer.switch), None)
    found = _grouped(short, "")
    if switch:
        long = checkpoints.layers(config, switch + 1)
        found += _grouped(long, f" beyond {told(switch)} positions")
    return found


def _grouped(layers: list[Layer], when: str) -> list[Group]:
    alike: dict[tuple[Any, ...], list[tuple[int, Layer]]] = {}
    parts = list(dict.fromkeys(layer.part for layer in layers))
    for part in parts:
        for i, layer in enumerate(x for x in layers if x.part == part):
            slopes = b"" if layer.slopes is None else layer.slopes.tobytes()
            key = (part, layer.scheme, layer.frequencies.tobytes(), layer.amplitude, slopes)
            alike.setdefault(key, []).append((i, layer))
    found = []
    for (part, *_), members in alike.items():
        kinds = tuple(dict.fromkeys(layer.kind for _, layer in members))
        count = len(members)
        words = [part] if len(parts) > 1 else []
        words += kinds if len(kinds) == 1 else ()
        which = " ".join([*words, "layers" if count > 1 else "layer"])
        name = f"the {told(count) if count > 1 else 'only'} {which}"
        if count == len(layers) > 1:
            name = f"all {told(count)} layers"
        found.append(Group(name + when, tuple(i for i, _ in members), kinds, members[0][1]))
    return found


def configured(group: Group) -> Diagnosis:
    """What the layers of a group are asked to do, in the words of a diagnosis."""
    layer = group.layer
    d = Diagnosis(scheme=group.scheme)
    if group.scheme == "rotary" and layer.frequencies.size > 1:
        d = identify(layer.frequencies)
        d.problems, d.findings, d.alternatives, d.precision, d.where = [], [], [], None, None
        d.scheme, d.base, d.width, d.amplitude = "rotary", layer.base, layer.turned, layer.amplitude
        d.scaling = SCALINGS.get(layer.scaling, layer.scaling)
        d.exponent, d.readings = "2i/d", [] if layer.base is None else [(layer.base, "2i/d")]
        d.layout, d.residual, d.details = layer.layout or None, None, {}
    d.sure = True
    d.details["notes"] = [f"Asked for by a configuration, for {group.name}."]
    return d


def against(d: Diagnosis, arrays: Arrays, wanted: Sequence[Group]) -> Diagnosis:
    """A diagnosis `d` of `arrays`, where a configuration asks for one of the groups `wanted`.

    Numbers that a group gives back are right, whatever else was thought of them; where no group
    does, problems say how they differ from the nearest.
    """
    forms = [(group, explained(arrays, group.layer, d)) for group in wanted]
    right = [(group, form) for group, form in forms if form]
    if right:
        scheme, form = right[0][0].scheme, right[0][1]
        coarse, trained = form in HALVES, form == "rows"
        d.scheme = scheme if scheme != "rotary" or not trained else "learned"
        d.findings = [x for x in d.findings if (coarse and "half" in x.name)
                      or (x.name not in MEANT if trained else x.name == "printed")]  # fmt: skip
        d.problems = [x.name for x in d.findings]
        d.sure, d.alternatives = not trained, []
        if coarse and not d.problems:
            d.problem("half_precision_frequencies", form=form)
        fitting = d.details["fits"] = " and ".join(group.name for group, _ in right)
        d.details.setdefault("notes", []).append(f"As configured: fits {fitting}.")
        return d
    turns = d.scheme in ("rotary", "geometric", "unknown")
    same = [x for x in wanted if x.scheme == d.scheme or (turns and x.scheme == "rotary")]
    if not same:
        schemes = dict.fromkeys(group.scheme for group in wanted)
        d.problem("scheme_differs", found=d.scheme, wanted=" or ".join(schemes))
    elif turns:
        _turned(d, arrays, same)
    elif d.scheme in ("learned", "sinusoidal", "t5"):
        layer = same[0].layer
        rows = layer.buckets if d.scheme == "t5" else layer.rows
        d.problem("length_differs", found=told(len(arrays[0])), wanted=told(rows))
    elif d.scheme == "alibi" and same[0].layer.slopes is not None:
        heads, found = same[0].layer.slopes.size, d.details.get("heads")
        if found not in (None, heads):
            d.problem("width_differs", found=told(found), wanted=told(heads))
    return d


def explained(arrays: Arrays, layer: Layer, d: Diagnosis) -> str | None:
    """The format to whose rounding a layer gives these numbers back; None if it does not.

    "rows" says that of a learned table the length is right.
    """
    with np.errstate(invalid="ignore"):  # what lay in memory may be a signalling NaN
        x, *rest = (np.asarray(array, np.float64) for array in arrays)
    w, n = layer.frequencies, layer.frequencies.size
    if rest:
        return _cache(x, rest[0], layer, d)
    if x.ndim == 1:  # of several axes, some programs keep those of each once
        axes = [] if layer.axes is None else [w[layer.axes == axis] for axis in set(layer.axes)]
        rules = [w, *axes] if layer.slopes is None else [layer.slopes]
        return next(filter(None, (_near(x, rule) for rule in rules if rule.size)), None)
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
    sines, cosines = slice(0, None, 2), slice(1, None, 2)
    if layer.layout == "halves":
        sines, cosines = slice(0, n), slice(n, None)
    padded = len(x) - t.size <= 1
    return _cache(x[t, cosines], x[t, sines], layer, d, t) if padded else None


def _near(x: Floats, w: Floats) -> str | None:
    if x.shape != w.shape:
        return None
    off, form = np.abs(x - w), _formats.held(x)
    if (off <= EXACT * np.abs(w)).all():
        return "float32"
    # half a unit of the last place, and below 6e-5 float16 has fixed steps of 2^-24
    unit = np.maximum(_formats.UNIT[form] * np.abs(w), 2.0**-25 if form == "float16" else 0)
    return form if form in HALVES and (off <= unit + EXACT * w).all() else None


def _cache(
    cos: Floats, sin: Floats, layer: Layer, d: Diagnosis, rows: NDArray[np.int64] | None = None
) -> str | None:
    """Whether cosines and sines (…, T, n or 2n) are those of a layer at `rows`, or from 0 on."""
    n = layer.frequencies.size
    if cos.shape != sin.shape or cos.ndim < 2 or n == 0 or cos.shape[-1] not in (n, 2 * n):
        return None
    both = np.stack([cos, sin]).reshape(2, -1, *cos.shape[-2:])
    coarse = any("half" in name for name in d.problems)
    off = _formats.UNIT["bfloat16"] if coarse else EXACT
    t = np.arange(cos.shape[-2]) if rows is None else rows
    angles = t[:, None] * layer.frequencies
    right = layer.amplitude * np.stack([np.cos(angles), np.sin(angles)])[:, None]
    allowed = layer.amplitude * (_formats.UNIT[_formats.held(both)] + off * (1 + angles))
    for layout in (None,) if cos.shape[-1] == n else ("halves", "interleaved"):
        pair = repeated(cos.shape[-1], layout)
        if (np.abs(both - right[..., pair]) <= allowed[:, pair]).all():
            return "bfloat16" if coarse else "float32"
    return None


def _turned(d: Diagnosis, arrays: Arrays, same: Sequence[Group]) -> None:
    """How frequencies, or cosines and sines, differ from those of the nearest group."""
    if len(arrays) == 2 and _changed(d, arrays, same):
        return
    measured = arrays[0] if len(arrays) == 1 else d.picture.get("frequencies", [])
    with np.errstate(invalid="ignore"):
        w = np.asarray(measured, np.float64).reshape(-1)
    alike = [group for group in same if group.layer.frequencies.size == w.size]
    if not alike:
        widths = dict.fromkeys(told(group.layer.turned) for group in same)
        found = told(2 * w.size if w.size else d.width)
        d.problem("width_differs", found=found, wanted=" or ".join(widths))
        return
    group = min(alike, key=lambda group: _apart(w, group.layer.frequencies).mean())
    want, apart = configured(group), _apart(w, group.layer.frequencies)
    at = int(np.argmax(apart >= apart.max() * (1 - 1e-9)))  # the first of those that are off alike
    right = group.layer.frequencies[at]
    times = told(significant(float(w[at] / right), 3)) if w[at] > 0 and right > 0 else "0"
    evidence = f"pair {told(at)} turns {times} times as fast"
    before = len(d.problems)
    # the base as told, too: with another exponent it is the exponent that differs
    usual = [base for base, exponent in d.readings if exponent in ("2i/d", d.exponent)]
    if want.base and d.base and not any(abs(log(b / want.base)) < 1e-3 for b in usual):
        d.problem("base_differs", evidence, found=told(d.base), wanted=told(want.base))
    factors = [x.factor or 1.0 for x in (d, want)]
    if d.sure and (d.scaling != want.scaling or abs(log(factors[0] / factors[1])) > 1e-3):
        found, wanted = (f"{x.scaling or 'none'}{f' by {told(s)}' if s != 1 else ''}"
                         for x, s in zip((d, want), factors, strict=True))  # fmt: skip
        d.problem("scaling_differs", evidence, found=found, wanted=wanted)
    if len(d.problems) == before and d.exponent not in ("4i/d", "i/d"):  # told already
        share = bound(float(np.expm1(apart[at])))
        d.problem("frequencies_differ", evidence, share=share, pair=told(at))


def _changed(d: Diagnosis, arrays: Arrays, same: Sequence[Group]) -> bool:
    """Whether cosines and sines are a group's, exchanged or with another amplitude."""
    with np.errstate(invalid="ignore"):
        cos, sin = (np.asarray(x, np.float64) for x in arrays)
    amplitude = float(np.hypot(cos, sin).mean())
    for layer in (group.layer for group in same):
        if explained([sin, cos], layer, d):
            d.problem("swapped")
        elif amplitude > 0 and explained(arrays, replace(layer, amplitude=amplitude), d):
            d.problem("amplitude_differs", found=told(amplitude), wanted=told(layer.amplitude))
        else:
            continue
        return True
    return False


def _apart(w: Floats, right: Floats) -> Floats:
    """|ln(w / right)| of each pair; of a pair that stands still in one of them, 1."""
    both = (w > 0) & (right > 0)
    ratio = np.where(both, w, 1.0) / np.where(both, right, 1.0)
    return np.where(both, np.abs(np.log(ratio)), ((w > 0) != (right > 0)).astype(float))
