"""What the layers of a model do with positions, in words for one row of a table."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from pe_lib.checkpoints import Layer
from pe_lib.checkpoints._scaling import SCALINGS

KINDS = {  # of layers that mix words and compute no scores
    "mamba": "state space",
    "linear": "linear attention",
    "conv": "short convolution",
}
APART = ("mlp", "moe")  # layers of their own that mix no words
TURNED = ("rotary", "rotary_axes")


def positions(layers: Sequence[Layer]) -> str:
    """The schemes, layer by layer: "rotary; every 4th layer none"."""
    mixing = [layer for layer in layers if layer.kind not in APART]
    return by_part(mixing, lambda part: pattern([name(layer) for layer in part]))


def turned(layers: Sequence[Layer]) -> str:
    """Entries of a head that turn, of all: pairs of frequency 0 stand still."""

    def value(layer: Layer) -> str:
        return f"{2 * np.count_nonzero(layer.frequencies):,} of {layer.width:,}"

    return by_kind(layers, value)


def bases(layers: Sequence[Layer]) -> str:
    return by_kind(layers, lambda layer: "" if layer.base is None else f"{layer.base:,.0f}")


def scalings(layers: Sequence[Layer]) -> str:
    """The rule, and by how much the slowest pair is slower than base and width alone make it."""

    def value(layer: Layer) -> str:
        scaling = SCALINGS[layer.scaling]
        if not scaling.title or not scaling.title_has_factor or layer.base is None:
            return scaling.title
        slowest = layer.base ** (2 / layer.turned - 1)
        return f"{scaling.title}, {slowest / layer.frequencies[-1]:.3g}"

    return by_kind(layers, value)


def windows(layers: Sequence[Layer], longest: int | None = None) -> str:
    """How many keys a query sees in layers that do not see all of the `longest` text."""
    attending = [layer for layer in layers if layer.kind not in (*KINDS, *APART)]
    found = Counter(
        window(layer) for layer in attending if layer.window and layer.window < (longest or np.inf)
    )
    if found.total() == len(attending):
        return ", ".join(found)
    return ", ".join(f"{words} in {n} of {len(attending)}" for words, n in found.items())


def window(layer: Layer) -> str:
    if layer.kind == "chunked":
        return f"{'blocks' if layer.part == 'vision' else 'chunks'} of {layer.window:,}"
    return f"{(layer.window or 1) - 1:,} each way" if layer.two_sided else f"{layer.window:,}"


def name(layer: Layer) -> str:
    if layer.kind in KINDS:
        return KINDS[layer.kind]
    return {
        "rotary": "rotary",
        "rotary_axes": f"rotary, {len(layer.axis_names)} axes",
        "learned": f"learned table, {layer.rows or 0:,} rows"
        + f" from row {layer.first_position}" * bool(layer.first_position),
        "alibi": "ALiBi",
        "t5": f"{layer.buckets} buckets",
    }.get(layer.scheme, layer.scheme)


def pattern(names: Sequence[str]) -> str:
    """What most layers have, then which of them have something else.

    >>> pattern(["rotary", "rotary", "none"] * 4)
    'rotary; every 3rd layer none'
    >>> pattern(["none", "rotary", "rotary", "rotary"])
    'rotary; none in 1 of 4'
    """
    (most, _), *rest = Counter(names).most_common()
    words = [most]
    for other, count in rest:
        nth = len(names) // count
        regular = all((one == other) == ((i + 1) % nth == 0) for i, one in enumerate(names))
        words.append(
            f"every {ordinal(nth)} layer {other}"
            if regular and count > 1
            else f"{other} in {count} of {len(names)}"
        )
    return "; ".join(words)


def ordinal(n: int) -> str:
    return "other" if n == 2 else f"{n}{'rd' if n == 3 else 'th'}"


def by_part(layers: Sequence[Layer], said: Callable[[list[Layer]], str]) -> str:
    """The same of each part, if there are several: "encoder: …; decoder: …"."""
    parts = {layer.part: [one for one in layers if one.part == layer.part] for layer in layers}
    found = {part: said(some) for part, some in parts.items()}
    if len(set(found.values())) == 1:
        return next(iter(found.values()))
    return "; ".join(f"{part}: {words}" for part, words in found.items())


def by_kind(layers: Sequence[Layer], value: Callable[[Layer], str]) -> str:
    """A value of turned layers; where layers with a window have another, theirs comes second."""
    turning = [layer for layer in layers if layer.scheme in TURNED]
    full = dict.fromkeys(value(layer) for layer in turning if not layer.window)
    rest = [value(layer) for layer in turning if layer.window]
    less = [words or "none" for words in dict.fromkeys(rest) if words not in full]
    said = " or ".join(words for words in full if words)
    if not full:
        return " or ".join(word for word in dict.fromkeys(rest) if word)
    return f"{said or 'none'}; with a window {' or '.join(less)}" if less else said
