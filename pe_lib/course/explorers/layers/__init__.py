"""The layers of a real model, and which of them can tell how far apart two tokens are."""

from __future__ import annotations

import json
from collections import Counter
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import traitlets as t
from matplotlib.figure import Figure

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer

# Of each model its length, its layers from below as letters, and what each letter stands for: made
# by tools/layers.py from the configurations that the table of models holds.
MODELS: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("layers.json").read_text("utf-8")
)

FAINT = log(1_000)  # what a head of ALiBi takes off when a thousandth of the weight is left
FURTHEST = 10_000_000  # positions back, where the axis ends
TICK = {"rotary": "half a turn of a pair", "alibi": "a head takes off 6.9", "t5": "a bucket begins"}


class LayersExplorer(Explorer):
    """Which layers of `model` can tell the distance of `query` and `key`, and how.

    Positions count from 0, and the key is the earlier one: 0 <= key < query < the model's length.
    A turned pair tells a distance if it makes less than half a turn within it: its part of the
    score, the cosine of the angle, then falls at every step up to there. A head of ALiBi tells it
    while it takes off less than ln 1000; a bucket of T5 unless it is the last. Layers of one kind
    share a letter. Used in chapter 12. Raises TraitError for another model and other positions.
    """

    kind = "layers"

    model = t.Enum(list(MODELS), "Gemma 3 1B").tag(sync=True, explorer=True)
    query = t.Int(10_000, min=1, max=FURTHEST).tag(sync=True, explorer=True)
    key = t.Int(5_000, min=0, max=FURTHEST - 1).tag(sync=True, explorer=True)

    @t.validate("query")
    def _within_the_model(self, proposal: t.Bunch) -> int:
        length = MODELS[self.model]["length"]
        if proposal.value >= length:
            raise t.TraitError(
                f"query must be below the {length:,} positions of {self.model},"
                f" got {proposal.value:,}"
            )
        return int(proposal.value)

    @t.validate("key")
    def _before_the_query(self, proposal: t.Bunch) -> int:
        if proposal.value >= self.query:
            raise t.TraitError(f"key must be below query = {self.query:,}, got {proposal.value:,}")
        return int(proposal.value)

    @classmethod
    def about(cls) -> dict[str, Any]:
        """Its script has to know the models, too."""
        return super().about() | {"models": MODELS}

    def kinds(self) -> dict[str, dict[str, Any]]:
        """What each letter of the model stands for."""
        kinds: dict[str, dict[str, Any]] = MODELS[self.model]["kinds"]
        return kinds

    def verdicts(self) -> dict[str, tuple[str, str]]:
        """Of each kind, as `verdict` has it."""
        return {name: verdict(kind, self.query, self.key) for name, kind in self.kinds().items()}

    def count(self) -> dict[str, int]:
        """How many layers there are of each verdict."""
        verdicts = self.verdicts()
        return dict(Counter(verdicts[name][0] for name in MODELS[self.model]["order"]))

    def caption(self) -> str:
        order = MODELS[self.model]["order"]
        lines = []
        for name, kind in self.kinds().items():
            count = order.count(name)
            layers = f"{count} {'layer' if count == 1 else 'layers'}"
            lines.append(f"{name}, {layers} ({said(kind)}): {self.verdicts()[name][1]}")
        return f"{self.model}, a key {self.distance():,} positions back. {'; '.join(lines)}."

    def picture(self) -> Figure:
        fig: Figure
        order, kinds, verdicts = MODELS[self.model]["order"], self.kinds(), self.verdicts()
        fig, (stack, bands) = figures.subplots(6.5, 3.2, 1, 2, width_ratios=[len(kinds), 12])
        blue, grid = figures.PALETTE["blue"], figures.PALETTE["grid"]
        fills = {"tells": blue, "roughly": blue, "seen": "none", "unseen": grid, "apart": grid}
        for layer, name in enumerate(order):
            state, left = verdicts[name][0], list(kinds).index(name) - 0.4
            rim = grid if fills[state] == grid else blue
            stack.barh(layer, 0.8, left=left, color="none", edgecolor=rim, lw=0.6)
            stack.barh(layer, 0.4 if state == "roughly" else 0.8, left=left, color=fills[state])
        stack.set_xticks(range(len(kinds)), list(kinds))
        stack.set(xlim=(-0.6, len(kinds) - 0.4), yticks=[], xlabel=f"{len(order)} layers")
        for row, (name, kind) in enumerate(kinds.items()):
            state, words = verdicts[name]
            on = np.array(marks(kind)) >= (self.distance() if state == "tells" else np.inf)
            shown = np.clip(marks(kind), 1, FURTHEST)
            end = reach(kind, self.query)
            if end and state != "apart":
                bands.barh(row, end - 1, left=1, height=0.36, color="none", edgecolor=grid)
            bands.vlines(shown[~on], row - 0.08, row + 0.08, figures.PALETTE["muted"], lw=0.6)
            bands.vlines(shown[on], row - 0.18, row + 0.18, blue, lw=1.2)
            bands.text(1, row - 0.26, f"{name}: {said(kind)}", size=8)
            bands.text(1, row + 0.36, words, size=8)
        bands.axvline(self.distance(), color=figures.PALETTE["orange"])
        ticks = [1, 100, 10_000, 1_000_000]
        bands.set(xscale="log", xlim=(0.9, 1.1 * FURTHEST), ylim=(len(kinds) - 0.4, -0.6))
        mark = next((TICK[kind["scheme"]] for kind in kinds.values() if kind["values"]), "")
        bands.set(yticks=[], xlabel=f"positions back · tick: {mark}" if mark else "positions back")
        bands.set_xticks(ticks, ["1", "100", "10,000", "1 million"])
        bands.minorticks_off()
        return fig

    def distance(self) -> int:
        """Positions from the key to the query."""
        return self.query - self.key


def seeing(kind: dict[str, Any]) -> str:
    """How far a layer sees, if not all."""
    if kind["chunk"]:
        return f"chunks of {kind['chunk']:,}"
    if not kind["window"]:
        return ""
    if kind["sides"] == 1:
        return f"sees {kind['window']:,}"
    return f"sees ±{kind['window'] - 1:,}"


def said(kind: dict[str, Any]) -> str:
    """What a layer does, in words."""
    scaled = f"{kind['scaling']} scaling" if kind["scaling"] else ""
    return ", ".join(filter(None, (kind["says"], scaled, seeing(kind))))


def reach(kind: dict[str, Any], query: int) -> int:
    """The largest distance at which a key is seen: of n positions the last is the query's own."""
    if kind["chunk"]:
        return query % int(kind["chunk"])
    return min(query, int(kind["window"]) - 1) if kind["window"] else query


def marks(kind: dict[str, Any]) -> list[float]:
    """Up to which distance each pair or head tells, or where each bucket begins."""
    values = np.array(kind["values"])
    if kind["scheme"] == "rotary":
        values = np.pi / values
    if kind["scheme"] == "alibi":
        values = FAINT / values
    marked: list[float] = values.tolist()
    return marked


def verdict(kind: dict[str, Any], query: int, key: int) -> tuple[str, str]:
    """Whether layers of a kind can tell the distance by themselves, and why in words.

    "tells", "roughly", "seen" but not told, "unseen", or "apart" where there are no scores.
    """
    distance, scheme = query - key, kind["scheme"]
    if scheme == "recurrent":
        return "apart", "compares no two tokens: hands on a state"
    if distance > reach(kind, query):
        if kind["chunk"]:
            return "unseen", "does not see it: another chunk"
        return "unseen", "does not see it"
    if scheme == "none":
        return "seen", "sees it; no positions of its own"
    if scheme == "learned":
        return "seen", "sees it; positions are in the input"
    found = marks(kind)
    if scheme == "t5":
        bucket = sum(first <= distance for first in found)
        if bucket == len(found):
            first = f"{found[-1]:,.0f}"
            return "seen", f"sees it: {first} and more are one bucket"
        first, last = f"{found[bucket - 1]:,.0f}", f"{found[bucket] - 1:,.0f}"
        if first == last:
            return "tells", "tells it: a bucket of its own"
        return "roughly", f"roughly: {first} to {last} are one bucket"
    n, of = sum(mark >= distance for mark in found), len(found)
    if scheme == "rotary":
        if n:
            return "tells", f"tells it: {n} of {of} pairs"
        return "seen", f"sees it; none of {of} pairs tells it alone"
    if n:
        return "tells", f"tells it: {n} of {of} heads"
    return "seen", f"sees it; none of {of} heads tells it alone"
