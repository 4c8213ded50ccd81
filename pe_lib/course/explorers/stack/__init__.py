"""Eight layers of a real model: which turn, which see a window, which have no positions."""

from __future__ import annotations

from typing import Any

import traitlets as t
from matplotlib.figure import Figure

from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer
from pe_lib.course.explorers.stack.stacks import STACKS

LAYERS = 8  # shown; how many a model has is not
NEAREST, FURTHEST = 10, 100_000  # positions back


class StackExplorer(Explorer):
    """Which layers of `model` see a word that stands `distance` positions back, 10 to 100,000.

    A layer that sees n positions sees its own and those up to n − 1 back. Raises TraitError for
    another model and for a distance outside.
    """

    kind = "stack"

    model = t.Enum(list(STACKS), "LLaMA 7B").tag(sync=True, explorer=True)
    distance = t.Int(100, min=NEAREST, max=FURTHEST).tag(sync=True, explorer=True)

    @classmethod
    def about(cls) -> dict[str, Any]:
        """Its script has to know the layers, too."""
        return super().about() | {"stacks": STACKS}

    def layers(self) -> list[tuple[bool, int | None]]:
        """Of each layer, from below: whether it turns, and how many positions it sees."""
        group = STACKS[self.model]["group"]
        return [tuple(group[n % len(group)]) for n in range(LAYERS)]

    def seeing(self) -> list[bool]:
        """Whether each layer sees the word."""
        return [sees is None or self.distance < sees for _, sees in self.layers()]

    def caption(self) -> str:
        count, model = sum(self.seeing()), STACKS[self.model]
        return (
            f"{self.model}: {model['says']}. A word {self.distance:,} positions back is seen by"
            f" {count or 'none'} of the {LAYERS} layers drawn."
        )

    def picture(self) -> Figure:
        fig: Figure
        fig, ax = figures.subplots(4.4, 2.8)
        for row, ((turns, sees), found) in enumerate(
            zip(self.layers(), self.seeing(), strict=True)
        ):
            end = FURTHEST if sees is None else sees - 1
            colour = figures.PALETTE["blue" if found else "grid"]
            ax.barh(row, end - NEAREST, left=NEAREST, height=0.6, color=colour)
            ax.text(
                0.8 * NEAREST,
                row,
                "turns" if turns else "no positions",
                ha="right",
                va="center",
                size=8,
            )
        ax.axvline(self.distance, color=figures.PALETTE["orange"])
        ticks = [10**n for n in range(1, 6)]
        ax.set(xscale="log", xlim=(NEAREST, FURTHEST), yticks=[], xlabel="positions back")
        ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        ax.minorticks_off()
        ax.spines["left"].set_visible(False)
        return fig
