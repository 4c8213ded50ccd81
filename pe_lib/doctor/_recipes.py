"""What can be rebuilt: rules of few numbers, each as rows and columns."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _formats
from pe_lib.doctor._proof import HALVES, Floats, Recipe, Rounding, Rows


@dataclass
class Waves(Recipe):
    """Everything that turns: column c of row r, which is position t = r + first, is

        amplitude · sin(direction · t · w[pair[c]]), or the cosine where cosine[c]

    A cache is the columns of cosines, and then those of sines. On a grid r counts patches, and t is
    a patch's row for the pairs `down`, and its column for all others.
    """

    w: Floats  # (n,) radians per position
    pair: Rows  # (columns,)
    cosine: NDArray[np.bool_]  # (columns,)
    first: float
    direction: int
    amplitude: float
    cache: bool = False
    measured: bool = False  # whether its base was, and is no number that somebody chose
    columns: int = 0  # of the grid
    before: int = 0  # rows before its first patch
    down: NDArray[np.bool_] | None = None  # (n,)

    def __post_init__(self) -> None:
        self.size = np.full(self.pair.size, self.amplitude)

    def roundings(self, values: Rounding) -> list[Rounding]:
        single = ("values",) if values.form in HALVES else ("frequencies", "angles")
        ways = [("float32", where) for where in single]
        ways += [(form, where) for form in HALVES
                 for where in ("frequencies", "positions", "angles")]  # fmt: skip
        return [values, *(replace(values, where=where, rough=form) for form, where in ways)]

    def places(self, rows: Any) -> Floats:
        """The positions of rows, (rows, 1); on a grid (rows, n)."""
        r = np.asarray(rows, np.float64)[:, None] - self.before
        if self.down is not None:
            r = np.where(self.down, r // self.columns, r % self.columns)
        return r + self.first

    def entries(self, rows: Any, rounding: Rounding, nudge: float) -> tuple[Floats, Floats]:
        t, w, where, form = self.places(rows), self.w, rounding.where, rounding.rough
        theta = np.abs(t) * w
        if where == "frequencies" or (where == "angles" and rounding.half):
            w = _formats.rounded(w * (1 + nudge), form)
        if where in ("positions", "angles") and rounding.half:
            t = _formats.rounded(t, form)
        with np.errstate(invalid="ignore"):
            angle = t * w
            if where == "angles" and rounding.half:
                angle = _formats.rounded(angle * (1 + nudge), form)
        angle = np.where(np.isfinite(angle), angle, np.nan)  # beyond float16
        sines, cosines = self.direction * np.sin(angle), np.cos(angle)
        wanted = np.where(self.cosine, cosines[:, self.pair], sines[:, self.pair])
        exact = form == "float32" and where == "frequencies"
        slack = (replace(rounding, rough="") if exact else rounding).slack(1.0, theta)
        unit = _formats.UNIT[rounding.form]  # of what was measured: a size is known no better,
        if self.amplitude != 1:
            slack = slack + unit
        elif self.measured:  # and a base better, from all values; slow pairs hardly see it
            slack = slack + 0.05 * unit * np.minimum(theta, 1.0)
        return self.amplitude * wanted, self.amplitude * slack[:, self.pair]

    def shaped(self, x: Floats) -> Any:
        if self.given:
            return x.T if self.given == "transposed" else -x
        return tuple(np.split(x, 2, axis=1)) if self.cache else x


@dataclass
class Given(Recipe):
    """Numbers by themselves: a list of frequencies or slopes; rows; the heads of a bias."""

    wanted: Floats  # (rows, columns): of a list one row, of a bias head after head
    heads: int | None = None  # of a bias
    listed: bool = False

    def __post_init__(self) -> None:
        columns = self.wanted.shape[1]
        largest = np.full(columns, float(np.abs(self.wanted).max()))
        size = np.abs(self.wanted[0]) if self.listed else largest
        self.size, self.pair = np.where(size == 0, 1.0, size), np.arange(columns)

    def roundings(self, values: Rounding) -> list[Rounding]:
        """Numbers that any format holds; of a list computed in float32, or in half precision; of
        others as kept, or products of rounded numbers."""
        if not self.listed:
            ways = [values, replace(values, rough="float32"), replace(values, rough=values.form)]
            return [replace(values, form="float64"), *ways]
        halves = values.form in HALVES
        forms = (values.form,) if halves else ("float32", *HALVES)
        out = [replace(values, where="frequencies", rough=form) for form in forms]
        return [replace(values, form="float64"), *out, *([values] if halves else [])]

    def entries(self, rows: Any, rounding: Rounding, nudge: float) -> tuple[Floats, Floats]:
        wanted = self.wanted[rows]
        if not self.listed:
            more = 3 * _formats.UNIT[rounding.rough] if rounding.half else 0.0
            return wanted, rounding.slack(np.abs(wanted), 0.0) + more * np.abs(wanted)
        if rounding.half:
            wanted = _formats.rounded(wanted * (1 + nudge), rounding.rough)
            rounding = replace(rounding, form="float32")
        # a power, a factor and a ramp are as an angle of four radians
        return wanted, rounding.slack(np.abs(wanted), 4.0)

    def shaped(self, x: Floats) -> Any:
        if self.listed:
            return x[0]
        return x if self.heads is None else x.reshape(self.heads, -1, x.shape[1])
