"""Layers that are alike, together, and a table of them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from pe_lib.checkpoints._config import Given
from pe_lib.checkpoints._layer import Layer
from pe_lib.checkpoints._stack import read


@dataclass(frozen=True, eq=False)
class Group:
    """Layers that do the same with positions: `which`, from 0 in their part, and what each does."""

    which: tuple[int, ...]
    layer: Layer


class Groups(list[Group]):
    """In the order of the first layer of each; prints as a table, with its `notes` below."""

    def __init__(self, found: Iterable[Group], notes: Iterable[str] = ()) -> None:
        super().__init__(found)
        self.notes = tuple(notes)

    def __repr__(self) -> str:
        rows = [HEAD, *(row(group) for group in self)]
        used = [i for i in range(len(HEAD)) if i < 3 or any(r[i] for r in rows[1:])]
        widths = [max(len(r[i]) for r in rows) for i in used]
        cells = [[r[i].ljust(n) for i, n in zip(used, widths, strict=True)] for r in rows]
        lines = ["  ".join(line).rstrip() for line in cells]
        return "\n".join([*lines, *(f"({note})" for note in self.notes)])


HEAD = ("layers", "number", "kind", "positions", "turned", "base", "scaling", "slowest", "window",
        "amplitude", "scores")  # fmt: skip


def row(group: Group) -> tuple[str, ...]:
    one = group.layer
    turns = one.frequencies[one.frequencies > 0]
    return (
        ranges(group.which),
        str(len(group.which)),
        one.kind if one.part == "decoder" else f"{one.kind}, {one.part}",
        one.scheme,
        f"{2 * turns.size} of {one.width}" if one.turned else "",
        f"{one.base:,.10g}" if one.base else "",
        "" if one.scaling == "default" else one.scaling,
        f"{turns.min():.3g}" if turns.size else "",
        f"{one.window:,}" if one.window else "",
        f"{one.amplitude:.5g}" if one.amplitude != 1 else "",
        f"{one.softmax_scale:.5g}/√{one.width}" if one.softmax_scale != 1 else "",
    )


def ranges(which: Sequence[int]) -> str:
    """0–4, 6–10, …: runs, or a first, a step and a last where they are evenly apart."""
    if len(which) > 2 and len(steps := set(np.diff(which).tolist())) == 1 and steps != {1}:
        return f"{which[0]}, {which[1]} … {which[-1]}"
    said = [f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs(which)]
    return ", ".join(said if len(said) <= 4 else [*said[:2], "…", said[-1]])


def runs(numbers: Iterable[int]) -> list[list[int]]:
    """Rising numbers, those without a gap together: [[0, 1, 2], [5]] of [0, 1, 2, 5]."""
    apart = groupby(enumerate(numbers), lambda at: at[1] - at[0])
    return [[n for _, n in run] for _, run in apart]


def groups(config: Given, length: int | None = None) -> Groups:
    """The layers that are alike, together: a list of `Group`, which prints as a table.

    `config` is what `layers` takes. A group has `which`, the numbers of its layers, counted from 0
    in each part (encoder, decoder), and `layer`, a `Layer`. Raises as `layers` does. Its `notes`
    say which keys speak of positions and change nothing.

    >>> groups({"model_type": "cohere2", "hidden_size": 4096, "num_attention_heads": 32,
    ...         "num_hidden_layers": 8})
    layers    number  kind     positions  turned      base    slowest   window
    0–2, 4–6  6       sliding  rotary     128 of 128  10,000  0.000115  4,096
    3, 7      2       full     none
    """
    made, notes = read(config, length)
    found: dict[tuple[object, ...], tuple[Layer, list[int]]] = {}
    seen: Counter[str] = Counter()
    for layer in made:
        found.setdefault(layer.key(), (layer, []))[1].append(seen[layer.part])
        seen[layer.part] += 1
    return Groups((Group(tuple(which), layer) for layer, which in found.values()), notes)
