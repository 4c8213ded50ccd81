"""What can be rebuilt: rules of few numbers, each as rows and columns."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _formats
from pe_lib.doctor._proof import HALVES, Floats, Recipe, Rounding, Rows


@dataclass
class Waves(Recipe):
    """Everything that turns: column c of row r is

        amplitude · sin(direction · (r + first) · w[pair[c]]), or the cosine where cosine[c]

    A cache is the columns of cosines, and then those of sines.
    """

    w: Floats  # (n,) radians per position
    pair: Rows  # (columns,)
    cosine: NDArray[np.bool_]  # (columns,)
    first: float
    direction: int
    amplitude: float
    cache: bool = False
    measured: bool = False  # whether its base was, and is no number that somebody chose

    def __post_init__(self) -> None:
        self.size = np.full(self.pair.size, abs(self.amplitude))

    def roundings(self, values: Rounding) -> list[Rounding]:
        if values.form in HALVES:
            out = [values, replace(values, rough="float32")]
        else:
            out = [values] + [replace(values, where=where, rough="float32")
                              for where in ("frequencies", "angles")]  # fmt: skip
        for rough in HALVES:
            out += [replace(values, where=where, rough=rough)
                    for where in ("frequencies", "positions")]  # fmt: skip
            out += [replace(values, where="angles", rough=rough, steps=steps)
                    for steps in ("tw", "w", "", "t")]  # fmt: skip
        return out

    def entries(self, rows: Any, rounding: Rounding, nudge: float) -> tuple[Floats, Floats]:
        t = np.asarray(rows, np.float64) + self.first
        angle = angles(t, self.w, rounding, nudge)
        sines, cosines = self.direction * np.sin(angle), np.cos(angle)
        wanted = np.where(self.cosine, cosines[:, self.pair], sines[:, self.pair])
        exact = rounding.rough == "float32" and rounding.where == "frequencies"
        theta = np.abs(t)[:, None] * self.w
        slack = (replace(rounding, rough="") if exact else rounding).slack(1.0, theta)
        unit = _formats.UNIT[rounding.form]  # of what was measured: a size is known no better,
        if self.amplitude != 1:
            slack = slack + unit
        elif self.measured:  # and a base better, from all values; slow pairs hardly see it
            slack = slack + 0.05 * unit * np.minimum(theta, 1.0)
        return self.amplitude * wanted, abs(self.amplitude) * slack[:, self.pair]

    def shaped(self, x: Floats) -> Any:
        return tuple(np.split(x, 2, axis=1)) if self.cache else x


def angles(t: Floats, w: Floats, rounding: Rounding, nudge: float) -> Floats:
    """Angles (rows, n) of positions t with frequencies w, rounded on the way."""
    where, form = rounding.where, rounding.rough
    if where == "values" or (where == "angles" and form == "float32"):
        return t[:, None] * w
    if where == "frequencies" or "w" in rounding.steps:
        w = _formats.rounded(w * (1 + nudge), form)
    if where == "positions" or "t" in rounding.steps:
        t = _formats.rounded(t, form)
    with np.errstate(invalid="ignore"):
        found = t[:, None] * w
        if where == "angles":
            found = _formats.rounded(found * (1 + nudge), form)
    return np.where(np.isfinite(found), found, np.nan)  # beyond float16


@dataclass
class Grid(Recipe):
    """Two axes: half of the columns knows a patch's row, the other its column."""

    down: Waves
    along: Waves
    columns: int
    rows_first: bool
    before: int  # rows before the first patch

    def __post_init__(self) -> None:
        self.size = np.concatenate([self.down.size, self.along.size])
        self.pair = np.concatenate([self.down.pair, self.along.pair + self.down.w.size])

    def roundings(self, values: Rounding) -> list[Rounding]:
        return self.down.roundings(values)

    def entries(self, rows: Any, rounding: Rounding, nudge: float) -> tuple[Floats, Floats]:
        patch = np.asarray(rows) - self.before
        parts = [self.down.entries(patch // self.columns, rounding, nudge),
                 self.along.entries(patch % self.columns, rounding, nudge)]  # fmt: skip
        a, b = parts if self.rows_first else parts[::-1]
        return np.concatenate([a[0], b[0]], axis=1), np.concatenate([a[1], b[1]], axis=1)


@dataclass
class Numbers(Recipe):
    """Given numbers in one row or more: frequencies, slopes, or a row that repeats itself."""

    row: Floats  # (columns,)
    listed: bool = True  # one row: a list
    ramp: float = 0.0  # how much more float32 may be off, as a share: a ramp takes some more steps

    def __post_init__(self) -> None:
        self.of_size(np.where(self.row == 0, 1.0, np.abs(self.row)))

    def roundings(self, values: Rounding) -> list[Rounding]:
        """Numbers that any format holds; computed in float32; or in half precision."""
        halves = values.form in HALVES
        forms = (values.form,) if halves else ("float32", *HALVES)
        out = [replace(values, where="frequencies", rough=form) for form in forms]
        return [replace(values, form="float64"), *out, *([values] if halves else [])]

    def entries(self, rows: Any, rounding: Rounding, nudge: float) -> tuple[Floats, Floats]:
        row = self.row
        ramp = self.ramp * self.size if rounding.rough == "float32" else 0.0
        if rounding.half:
            row = _formats.rounded(row * (1 + nudge), rounding.rough)
            rounding = replace(rounding, form="float32")
        # a power and a factor, as of one radian
        slack = rounding.slack(self.size, 1.0) + ramp
        each = np.zeros((len(rows), 1))
        return row + each, slack + each

    def shaped(self, x: Floats) -> Any:
        return x[0] if self.listed else x


@dataclass
class Offsets(Recipe):
    """A matrix (heads, T, S) of which entry [t, s] knows s - t alone; masked entries are 0.

    Row h·T + t of all heads' rows, one after the other, are its rows.
    """

    at_offset: Floats  # (heads, T + S - 1), the numbers of offsets 1 - T … S - 1
    shape: tuple[int, int, int]

    def __post_init__(self) -> None:
        largest = float(np.nanmax(np.abs(self.at_offset)))
        self.of_size(np.full(self.shape[2], largest or 1.0))

    def roundings(self, values: Rounding) -> list[Rounding]:
        """As kept, or as products of rounded numbers."""
        return [values, replace(values, rough="float32"), replace(values, noise=2.0**-9)]

    def entries(self, rows: Any, rounding: Rounding, nudge: float) -> tuple[Floats, Floats]:
        head, t = np.asarray(rows) // self.shape[1], np.asarray(rows) % self.shape[1]
        offset = np.arange(self.shape[2]) - t[:, None] + self.shape[1] - 1
        wanted = self.at_offset[head[:, None], offset]
        return wanted, np.broadcast_to(rounding.slack(np.abs(wanted), 0.0), wanted.shape)

    def shaped(self, x: Floats) -> Any:
        return x.reshape(-1, *self.shape[1:])


@dataclass
class Knots(Recipe):
    """Rows on straight lines between those of a shorter table, at `place`."""

    knots: Floats  # (rows before, columns)
    place: Floats  # (rows,)

    def __post_init__(self) -> None:
        self.of_size(np.full(self.knots.shape[1], float(np.abs(self.knots).max())))

    def roundings(self, values: Rounding) -> list[Rounding]:
        """As kept; a line through two rounded rows may be ten times as far off."""
        return [values, replace(values, noise=2 * _formats.UNIT[values.form])]

    def entries(self, rows: Any, rounding: Rounding, nudge: float) -> tuple[Floats, Floats]:
        place = self.place[rows]
        k = np.minimum(np.floor(place), len(self.knots) - 2).astype(np.int64)
        share = (place - k)[:, None]
        wanted = self.knots[k] * (1 - share) + self.knots[k + 1] * share
        slack = rounding.slack(self.size, 0.0) + _formats.UNIT[rounding.form] * self.size
        return wanted, np.broadcast_to(slack, wanted.shape)
