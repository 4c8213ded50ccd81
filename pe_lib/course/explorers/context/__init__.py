"""A text that grows past those of training: where the clocks' hands get to, and a fitted score."""

from __future__ import annotations

import numpy as np
import traitlets as t
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pe_lib import context
from pe_lib.course import figures
from pe_lib.course.explorers._base import Explorer
from pe_lib.sinusoidal import frequencies

D_HEAD, TRAINED, SAMPLES = 128, 2048, 256
METHODS = {
    "none": "unscaled",
    "interpolation": "position interpolation",
    "ntk": "NTK-aware",
    "dynamic": "dynamic NTK",
    "yarn": "YaRN",
}


class ContextExplorer(Explorer):
    """A rotary head of 128 dimensions, trained on 2,048 positions, reads a text that grows.

    `score` holds the 64 cosine and 64 sine coefficients of a score that was fitted at the offsets
    below 2,048 with the frequencies of base 10,000, or nothing: then the clocks alone are shown and
    the frequencies are left as they are. `method` is "none", "interpolation", "ntk",
    "dynamic" or "yarn", `factor` (1 to 16, in quarters) the new length over the old, `length` how
    far the text has come, at most to the new length, and `pair` (0 to 63) the one that is read out.
    Built in chapter 10. Raises TraitError, which names it, for a value outside.
    """

    kind = "context"

    method = t.Enum([*METHODS], "none").tag(sync=True, explorer=True)
    factor = t.Float(4.0, min=1, max=16).tag(sync=True, explorer=True)
    length = t.Int(TRAINED, min=0, max=16 * TRAINED).tag(sync=True, explorer=True)
    pair = t.Int(50, min=0, max=D_HEAD // 2 - 1).tag(sync=True, explorer=True)
    score = t.List(t.Float()).tag(sync=True, explorer=True)

    @t.validate("score")
    def _whole_or_none(self, proposal: t.Bunch) -> list[float]:
        if len(proposal.value) not in (0, D_HEAD):
            raise t.TraitError(f"score must hold {D_HEAD} numbers, got {len(proposal.value)}")
        return list(proposal.value)

    @t.validate("factor")
    def _in_quarters(self, proposal: t.Bunch) -> float:
        if proposal.value * 4 % 1:
            raise t.TraitError(f"factor must be a multiple of 0.25, got {proposal.value}")
        return float(proposal.value)

    def scaled(self, factor: float | None = None) -> NDArray[np.float64]:
        """The frequencies of a text `factor` times as long: shape (64,), radians per position."""
        s = self.factor if factor is None else factor
        if self.method == "interpolation":
            return context.interpolated(D_HEAD, s)
        if self.method in ("ntk", "dynamic"):
            return context.ntk_aware(D_HEAD, s)
        if self.method == "yarn":
            return context.by_parts(D_HEAD, s, TRAINED)
        return frequencies(D_HEAD)

    def reached(self) -> int:
        """How long the text is by now: no longer than `factor` times 2,048."""
        return min(self.length, int(self.factor * TRAINED))

    def offsets(self) -> NDArray[np.float64]:
        """257 offsets, evenly spaced from 0 to the new length."""
        return np.linspace(0, self.factor * TRAINED, SAMPLES + 1)

    def scores(self) -> NDArray[np.float64]:
        """The score at each of the offsets: shape (257,).

        "dynamic" scales at each offset for a text that ends there; "yarn" multiplies the score by
        the square of its temperature.
        """
        offsets = self.offsets()
        w = self.scaled()
        if self.method == "dynamic":
            w = np.stack([self.scaled(max(1.0, k / TRAINED)) for k in offsets])
        angles = offsets[:, None] * w
        scale = context.temperature(self.factor) ** 2 if self.method == "yarn" else 1.0
        fitted = np.array(self.score or [0.0] * D_HEAD)
        score: NDArray[np.float64] = scale * np.hstack([np.cos(angles), np.sin(angles)]) @ fitted
        return score

    def largest(self) -> tuple[float, float | None]:
        """The largest size of the score at offsets below 2,048, and from there on, if any are."""
        return self._largest(self.factor * TRAINED)

    def new(self, length: float | None = None) -> int:
        """How many pairs have been at angles that never occurred in training.

        They made less than a turn in it, and turn further in a text of `length`: the whole new
        length, if it is not given.
        """
        long = self.factor * TRAINED if length is None else length
        now = max(1.0, long / TRAINED) if self.method == "dynamic" else self.factor
        arc = TRAINED * frequencies(D_HEAD)
        return int(((arc < 2 * np.pi) & (long * self.scaled(now) > arc * (1 + 1e-9))).sum())

    def caption(self) -> str:
        long = self.reached()
        inside, beyond = self._largest(long)
        new = self.new(long)
        read = (
            f"A head of 64 pairs, trained on 2,048 positions, has read {long:,} of"
            f" {self.factor * TRAINED:,.0f}, {METHODS[self.method]}: {new}"
            f" {'pair has' if new == 1 else 'pairs have'} been at new angles."
        )
        if not self.score:
            return read
        there = "" if beyond is None else f", and up to {beyond:,.2f} from there on"
        return (
            f"{read} At the offsets drawn, the fitted score is up to {inside:,.2f} in size below"
            f" 2,048{there}."
        )

    def picture(self) -> Figure:
        fig: Figure
        fig, axes = figures.subplots(6.8 if self.score else 3.4, 3.1, 1, 2 if self.score else 1)
        left = axes[0] if self.score else axes
        for colour, width, starts, stops in self._arcs():
            left.plot(*_arcs(starts, stops), color=figures.PALETTE[colour], linewidth=width)
        left.set(xlim=(-0.6, 7.6), ylim=(7.6, -0.6), aspect="equal", xticks=[], yticks=[])
        left.set_title("pairs 0 to 63, eight in a row", size=9)
        left.spines[:].set_visible(False)
        if not self.score:
            return fig
        right = axes[1]
        seen = self.offsets() <= self.reached()
        right.plot(self.offsets()[seen], self.scores().round(3)[seen])
        right.axvline(TRAINED, color=figures.PALETTE["orange"], linestyle="--")
        right.set_yscale("symlog", linthresh=1)
        right.set(ylim=(-2e4, 2e4), xlim=(0, self.factor * TRAINED),
                  xlabel="offset (positions)", ylabel="score")  # fmt: skip
        return fig

    def _largest(self, long: float) -> tuple[float, float | None]:
        seen = self.offsets() <= long
        size, inside = np.abs(self.scores()), self.offsets() < TRAINED
        outside = size[seen & ~inside] if long > TRAINED else size[:0]
        return float(size[seen & inside].max()), float(outside.max()) if outside.size else None

    def _arcs(self) -> list[tuple[str, float, NDArray[np.float64], NDArray[np.float64]]]:
        """Of all clocks the rims, what was seen in training, and what is new: colour and angles."""
        turn, long = 2 * np.pi, self.reached()
        now = max(1.0, long / TRAINED) if self.method == "dynamic" else self.factor
        seen = np.minimum(TRAINED * frequencies(D_HEAD), turn)
        swept = np.clip(long * self.scaled(now), seen, turn)
        return [("grid", 1, 0 * seen, 0 * seen + turn), ("blue", 2.5, 0 * seen, seen),
                ("orange", 2.5, seen, swept)]  # fmt: skip


def _arcs(starts: NDArray[np.float64], stops: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of 64 clocks, eight in a row, arcs from angle to angle as one line with gaps: x and y."""
    angles = np.linspace(starts, stops, 24).T
    places = np.arange(D_HEAD // 2)[:, None]
    x, y = places % 8 + 0.36 * np.sin(angles), places // 8 - 0.36 * np.cos(angles)
    gap = np.full((D_HEAD // 2, 1), np.nan)
    return np.stack([np.hstack([v, gap]).ravel().round(4) for v in (x, y)])
