"""Put layers that treat positions alike into groups, and print the groups as a table."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from pe_lib.checkpoints._config import ConfigOrPath
from pe_lib.checkpoints._layer import Layer
from pe_lib.checkpoints._stack import read_layers


@dataclass(frozen=True, eq=False)
class Group:
    """A group of layers that treat positions in the same way.

    `which` holds the layers' numbers, counted from 0 in each part of the model, and `layer`
    describes every layer of the group.
    """

    which: tuple[int, ...]
    layer: Layer


class Groups(list[Group]):
    """A list of groups of layers. It prints as a table, with `notes` below the table.

    The groups are sorted by their first layers.
    """

    def __init__(self, found: Iterable[Group], notes: Iterable[str] = ()) -> None:
        super().__init__(found)
        self.notes = tuple(notes)

    def __repr__(self) -> str:
        rows = [HEAD, *(format_row(group) for group in self)]
        used = [i for i in range(len(HEAD)) if i < 3 or any(row[i] for row in rows[1:])]
        widths = [max(len(row[i]) for row in rows) for i in used]
        lines = []
        for row in rows:
            cells = [row[i].ljust(width) for i, width in zip(used, widths, strict=True)]
            lines.append("  ".join(cells).rstrip())
        return "\n".join([*lines, *(f"({note})" for note in self.notes)])


HEAD = (
    "layers",
    "number",
    "kind",
    "positions",
    "turned",
    "base",
    "scaling",
    "slowest",
    "window",
    "amplitude",
    "scores",
)


def format_row(group: Group) -> tuple[str, ...]:
    """Return the cells in a group's row, one for each column in `HEAD`."""
    layer = group.layer
    rotating = layer.frequencies[layer.frequencies > 0]
    return (
        ranges(group.which),
        str(len(group.which)),
        layer.kind if layer.part == "decoder" else f"{layer.kind}, {layer.part}",
        layer.scheme,
        f"{2 * rotating.size} of {layer.width}" if layer.turned else "",
        f"{layer.base:,.10g}" if layer.base else "",
        "" if layer.scaling == "default" else layer.scaling,
        f"{rotating.min():.3g}" if rotating.size else "",
        f"{layer.window:,}" if layer.window else "",
        f"{layer.amplitude:.5g}" if layer.amplitude != 1 else "",
        f"{layer.softmax_scale:.5g}/√{layer.width}" if layer.softmax_scale != 1 else "",
    )


def ranges(which: Sequence[int]) -> str:
    """Write layer numbers in short form, such as "0–4, 6" or, for equal steps, "5, 11 … 23".

    >>> ranges([0, 1, 2, 3, 4, 6]), ranges([5, 11, 17, 23])
    ('0–4, 6', '5, 11 … 23')
    """
    if len(which) > 2 and len(steps := set(np.diff(which).tolist())) == 1 and steps != {1}:
        return f"{which[0]}, {which[1]} … {which[-1]}"
    texts = [f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in find_runs(which)]
    return ", ".join(texts if len(texts) <= 4 else [*texts[:2], "…", texts[-1]])


def find_runs(numbers: Iterable[int]) -> list[list[int]]:
    """Split ascending numbers into runs of consecutive numbers.

    >>> find_runs([0, 1, 2, 5])
    [[0, 1, 2], [5]]
    """
    by_difference = groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    return [[number for _, number in run] for _, run in by_difference]


def groups(config: ConfigOrPath, length: int | None = None) -> Groups:
    """Return a configuration's layers as a list of groups of equal layers, which prints as a table.

    `config` and the errors are those of `layers`. A `Group` has `which`, the numbers of its layers,
    counted from 0 in each part (encoder, decoder), and `layer`, a `Layer`. The `notes` of the list
    say which keys concern positions but change nothing.

    >>> groups({"model_type": "cohere2", "hidden_size": 4096, "num_attention_heads": 32,
    ...         "num_hidden_layers": 8})
    layers    number  kind     positions  turned      base    slowest   window
    0–2, 4–6  6       sliding  rotary     128 of 128  10,000  0.000115  4,096
    3, 7      2       full     none
    """
    stack, notes = read_layers(config, length)
    by_key: dict[tuple[object, ...], tuple[Layer, list[int]]] = {}
    counts: Counter[str] = Counter()
    for layer in stack:
        _, numbers = by_key.setdefault(layer.key(), (layer, []))
        numbers.append(counts[layer.part])
        counts[layer.part] += 1
    return Groups((Group(tuple(numbers), layer) for layer, numbers in by_key.values()), notes)
