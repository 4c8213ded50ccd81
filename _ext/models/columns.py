"""Write the cells in the table of models that describe how a model's layers encode positions."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from pe_lib.checkpoints import Layer
from pe_lib.checkpoints._scaling import SCALINGS

WITHOUT_SCORES = {  # types of layers that mix tokens without attention scores
    "mamba": "state space",
    "linear": "linear attention",
    "conv": "short convolution",
}
APART = ("mlp", "moe")  # types of layers that do not mix tokens at all
ROTARY = ("rotary", "rotary_axes")


# The cells


def positions(layers: Sequence[Layer]) -> str:
    """Describe the position schemes of the layers, as in "rotary; every 4th layer none"."""
    mixing = [layer for layer in layers if layer.kind not in APART]
    return join_parts(mixing, lambda part: pattern([name_scheme(layer) for layer in part]))


def rotated_entries(layers: Sequence[Layer]) -> str:
    """Return how many entries of a head are rotated, and how many entries the head has.

    Entries with frequency 0 do not count as rotated.
    """

    def count_entries(layer: Layer) -> str:
        return f"{2 * np.count_nonzero(layer.frequencies):,} of {layer.width:,}"

    return join_kinds(layers, count_entries)


def bases(layers: Sequence[Layer]) -> str:
    """Return the rotary base of each kind of layer as text."""
    return join_kinds(layers, lambda layer: "" if layer.base is None else f"{layer.base:,.0f}")


def scalings(layers: Sequence[Layer]) -> str:
    """Name the type of RoPE scaling, and say by how much it slows the slowest pair down."""

    def name_scaling(layer: Layer) -> str:
        scaling = SCALINGS[layer.scaling]
        if not scaling.title or not scaling.title_has_factor or layer.base is None:
            return scaling.title
        slowest = layer.base ** (2 / layer.turned - 1)
        return f"{scaling.title}, {slowest / layer.frequencies[-1]:.3g}"

    return join_kinds(layers, name_scaling)


def windows(layers: Sequence[Layer], longest: int | None = None) -> str:
    """Return a text with the sizes of all windows that are smaller than `longest`."""
    attending = [layer for layer in layers if layer.kind not in (*WITHOUT_SCORES, *APART)]
    counts = Counter(
        name_window(layer)
        for layer in attending
        if layer.window and layer.window < (longest or np.inf)
    )
    if counts.total() == len(attending):
        return ", ".join(counts)
    return ", ".join(f"{name} in {count} of {len(attending)}" for name, count in counts.items())


# One layer


def name_window(layer: Layer) -> str:
    """Return a text that says how many keys a query sees in a layer that has a window."""
    if layer.kind == "chunked":
        return f"{'blocks' if layer.part == 'vision' else 'chunks'} of {layer.window:,}"
    return f"{(layer.window or 1) - 1:,} each way" if layer.two_sided else f"{layer.window:,}"


def name_scheme(layer: Layer) -> str:
    """Return the name by which the table calls the position scheme of a layer."""
    if layer.kind in WITHOUT_SCORES:
        return WITHOUT_SCORES[layer.kind]
    first_row = f" from row {layer.first_position}" if layer.first_position else ""
    names = {
        "rotary": "rotary",
        "rotary_axes": f"rotary, {len(layer.axis_names)} axes",
        "learned": f"learned table, {layer.rows or 0:,} rows{first_row}",
        "alibi": "ALiBi",
        "t5": f"{layer.buckets} buckets",
        "offsets": f"{layer.rows or 0:,} offsets",
        "none": "none",
        "sinusoidal": "sinusoidal",
        "convolution": "convolution",
    }
    return names[layer.scheme]


# Several layers


def pattern(names: Sequence[str]) -> str:
    """Describe which layers have which name, beginning with the most frequent name.

    >>> pattern(["rotary", "rotary", "none"] * 4)
    'rotary; every 3rd layer none'
    >>> pattern(["none", "rotary", "rotary", "rotary"])
    'rotary; none in 1 of 4'
    """
    (most_frequent, _), *others = Counter(names).most_common()
    phrases = [most_frequent]
    for other, count in others:
        step = len(names) // count
        is_regular = all((name == other) == ((i + 1) % step == 0) for i, name in enumerate(names))
        if is_regular and count > 1:
            phrases.append(f"every {ordinal(step)} layer {other}")
        else:
            phrases.append(f"{other} in {count} of {len(names)}")
    return "; ".join(phrases)


def ordinal(n: int) -> str:
    """Return the word that follows "every" in English, such as "other", "3rd" or "4th"."""
    return "other" if n == 2 else f"{n}{'rd' if n == 3 else 'th'}"


def join_parts(layers: Sequence[Layer], describe: Callable[[list[Layer]], str]) -> str:
    """Join texts about the parts of a model. If the texts differ, say which part each describes."""
    parts: dict[str, list[Layer]] = {}
    for layer in layers:
        parts.setdefault(layer.part, []).append(layer)
    texts = {part: describe(some) for part, some in parts.items()}
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return "; ".join(f"{part}: {text}" for part, text in texts.items())


def join_kinds(layers: Sequence[Layer], describe: Callable[[Layer], str]) -> str:
    """Join texts about rotary layers, of which those with a window may have a text of their own."""
    rotary = [layer for layer in layers if layer.scheme in ROTARY]
    full = dict.fromkeys(describe(layer) for layer in rotary if not layer.window)
    windowed = dict.fromkeys(describe(layer) for layer in rotary if layer.window)
    if not full:
        return " or ".join(text for text in windowed if text)
    of_full = " or ".join(text for text in full if text)
    others = [text or "none" for text in windowed if text not in full]
    return f"{of_full or 'none'}; with a window {' or '.join(others)}" if others else of_full
