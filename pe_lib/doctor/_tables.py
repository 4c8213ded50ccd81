"""Tables with a row for each position: sinusoidal in any order, on a grid, or learned."""

from math import log

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor import _caches, _fill, _formats, _learned, _numbers, _pairs, _rows
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._numbers import bound, told

Floats = NDArray[np.float64]

# layout, and whether the cosine comes first in its pair
ORDERS = (("interleaved", False), ("sines_first", False), ("cosines_first", False),
          ("interleaved", True))  # fmt: skip


def split(x: Floats, layout: str, swapped: bool) -> tuple[Floats, Floats]:
    """Sines and cosines of a table (T, d), (T, d/2) each."""
    n = x.shape[1] // 2
    if layout == "interleaved":
        return (x[:, 1::2], x[:, 0::2]) if swapped else (x[:, 0::2], x[:, 1::2])
    return (x[:, :n], x[:, n:]) if layout == "sines_first" else (x[:, n:], x[:, :n])


def table(x: Floats) -> Diagnosis:
    """The diagnosis of a table (T, d)."""
    d = Diagnosis()
    bad = _rows.corrupt(d, x)
    finite = np.isfinite(x)
    if not np.where(finite, x, 0.0).any():
        d.scheme, d.sure, d.residual = "none", True, 0.0
        if finite.all():
            d.problem("all_zero")
        return d
    rows = _rows.longest(~bad)
    if rows.size < 2:
        return d
    y = x[rows[0] : rows[-1] + 1]
    if (y == y[0]).all():
        d.scheme, d.residual = "none", 0.0
        d.sure = True
        d.problem("same_rows")
        return d
    if _caches.repeats(y) and np.abs(y[0] / (np.abs(y).max() or 1.0) - 1).max() < 1e-2:
        return _cosines_alone(d, y, rows)
    found = pairs(y, rows)
    cut = _first_copy(y) if found is None or found[0].noise else 0
    if cut >= 8:
        shorter = pairs(y[:cut], rows[:cut])
        if shorter and not shorter[0].noise:
            found = shorter
            shorter[0].bad_rows = [int(r) for r in rows[cut:]]
    if found and _pairs._quality(found[0])[0] and _own(Diagnosis(), y, rows, _most(found[0])):
        found = None
    if found:
        fit, layout, swapped = found
        d.scheme, d.layout = "sinusoidal", layout
        n = y.shape[1] // 2
        _fill.fit(d, fit, n, len(x))
        if swapped:
            d.problem("cosine_before_sine")
        if y.shape[1] % 2:
            _odd(d, fit, y.shape[1])
        if layout == "cosines_first":
            d.alternatives.append("A rotary cache with cosines and sines side by side.")
        if fit.bad_rows:
            _copies(d, y, rows, fit)
        return d
    own = _own(d, y, rows)
    if own:
        return d
    if _grid(d, y, rows, len(x), bad):
        return d
    _learned.table(d, x, bad)
    return d


def pairs(y: Floats, rows: NDArray[np.int64]) -> tuple[_pairs.Fit, str, bool] | None:
    """The order of columns in which pairs stay on a circle and a rule gives them back."""
    if y.shape[1] < 2:
        return None
    if y.shape[1] % 2:
        y = y[:, :-1]
    some = y[:: max(1, len(y) // 256)]
    rough = []
    for layout, swapped in ORDERS[:3:1] if y.shape[1] > 2 else ORDERS[:1]:
        s, c = split(some, layout, swapped)
        squares = s**2 + c**2
        size = float(np.median(squares))
        if size > 0 and layout != "cosines_first":
            rough.append((float(np.sqrt(((squares / size - 1) ** 2).mean())), layout))
    best: tuple[_pairs.Fit, str, bool] | None = None
    for uneven, layout in sorted(rough):
        if uneven > 0.7:
            continue
        other = ("interleaved", True) if layout == "interleaved" else ("cosines_first", False)
        for name, swapped in ((layout, False), other):
            fit = _pairs.fit(*split(y, name, swapped), False, rows)
            if fit is None or fit.noise > 3 * _pairs.LOST:
                continue
            if best is None or _badness(fit) < _badness(best[0]):
                best = (fit, name, swapped)
            if not fit.noise and fit.direction == 1 and abs(fit.first) < 1e4:
                return best
        if best and best[0].noise < 0.05:
            return best
    return best


def _most(fit: _pairs.Fit) -> float:
    """How much a frequency for each dimension may leave, to be believed instead of this fit."""
    return min(0.08, max(fit.noise, 0.01))


def _badness(fit: _pairs.Fit) -> tuple[float, float]:
    return (fit.noise, abs(fit.first) + (fit.direction < 0))


def _odd(d: Diagnosis, fit: _pairs.Fit, width: int) -> None:
    """An odd width: the last sine stands alone, and the exponent's d is that width."""
    d.width = width
    d.problem("odd_width", width=told(width))
    if fit.spacing.exponent == "2i/d" or fit.spacing.readings:
        w = fit.spacing.w
        fall = log(w[0] / w[-1]) / max(1, w.size - 1)
        base, digits = _numbers.chosen(float(np.exp(fall * width / 2)), 1e-5)
        if digits <= 3:
            d.base, d.exponent = base, "2i/d"
            d.readings.insert(0, (base, "2i/d"))


def _first_copy(y: Floats) -> int:
    """The first row that is the one before it, or row 0, again; 0 if there is none."""
    again = (y[1:] == y[:-1]).all(axis=1) | (y[1:] == y[0]).all(axis=1)
    return int(np.argmax(again)) + 1 if again.any() else 0


def _copies(d: Diagnosis, y: Floats, rows: NDArray[np.int64], fit: _pairs.Fit) -> None:
    """Rows off the rule that are other rows again: the last one (clamped), or from the start."""
    row = fit.bad_rows[0]
    at = row - int(rows[0])
    mend = "Compute these rows anew."
    if at > 0 and (y[at] == y[at - 1]).all():
        mend = f"They are copies of row {told(row - 1)}: positions were clamped there."
    elif (y[at] == y[0]).all():
        mend = "They begin again from row 0: positions were wrapped."
    for finding in d.findings:
        if finding.name == "rows_off":
            finding.mend = mend


def _cosines_alone(d: Diagnosis, y: Floats, rows: NDArray[np.int64]) -> Diagnosis:
    """A cache's cosines without its sines: |sine| from the circle, its sign cannot be seen."""
    layout = _caches.repeats(y)
    c = _caches.once(y, layout)
    size = float(np.abs(c[0]).mean())
    d.layout, d.width, d.amplitude = layout, y.shape[1], size if abs(size - 1) > 3e-3 else 1.0
    w = np.zeros(c.shape[1])
    for j in range(w.size):  # x[t+1] + x[t-1] = 2 cos(w) x[t]
        m = c[1:-1, j]
        v = float((m * (c[2:, j] + c[:-2, j])).sum() / (2 * (m * m).sum()))
        w[j] = float(np.arccos(min(1.0, max(-1.0, v))))
        lag = 1
        while lag < len(c):  # cos(w lag) at the row itself: the angle nearest to the last guess
            a = float(np.arccos(min(1.0, max(-1.0, c[lag, j] / size))))
            whole = np.floor((w[j] * lag + np.pi) / (2 * np.pi)) * 2 * np.pi
            near = [whole + a, whole - a, whole + 2 * np.pi - a]
            guess = min(near, key=lambda g: abs(g - w[j] * lag))
            if abs(np.sin(guess)) > 0.3:
                w[j] = guess / lag
            lag *= 2
    angles = np.outer(np.arange(len(c)), w)
    found = _pairs.fit(np.sin(angles) * size, c, True, rows)
    if found and found.noise < _pairs.LOST:
        d.scheme = "rotary"
        _fill.fit(d, found, c.shape[1], len(y))
        d.layout, d.direction = layout, None
        d.precision, d.where = _formats.held(c), "values"
        d.alternatives.append("Cosines alone do not show the direction: give the sines, too.")
    return d


def _own(d: Diagnosis, y: Floats, rows: NDArray[np.int64], most: float = 0.08) -> bool:
    """A frequency of its own in each dimension: base^(-j/d) or base^(-2j/d) in dimension j."""
    length, width = y.shape
    if width < 4:
        return False
    some = _pairs._some(length, 96)
    t = rows[some].astype(np.float64)
    z = y[some]
    j = np.arange(width)
    kinds = {
        "interleaved": j % 2 == 0,
        "sines_first": j < (width + 1) // 2,
        "cosines_first": j >= width // 2,
    }
    form = _formats.held(y)
    unit = _formats.UNIT[form]
    best: tuple[float, str, float, float, float, float] | None = None
    size, firsts = _starts(y, rows)
    if not firsts:
        return False
    columns = np.unique(np.concatenate([j[:16], j[:: max(1, width // 32)], j[-8:]]))
    few = t[:48]
    rough: list[tuple[float, int, str, float, float, float]] = []
    for layout, sine in kinds.items():  # by dimensions 1 and 2, which turn fast enough to tell
        for step in (1.0, 2.0):
            for base in dict.fromkeys([*_numbers.BASES, *_own_base(y, step, width)]):
                for first in firsts:
                    off = 0.0
                    for k in (1, 2):
                        a = (few + first) * base ** (-step * k / width)
                        p = np.sin(a) if sine[k] else np.cos(a)
                        off += float(((z[:48, k] / size - p) ** 2).mean())
                    rough.append((off, len(rough), layout, step, base, first))
    rough.sort()
    for _, _, layout, step, base, first in rough[:24]:
        a = (few[:, None] + first) * base ** (-step * columns / width)
        p = np.where(kinds[layout][columns], np.sin(a), np.cos(a))
        off = float(np.sqrt(((z[:48, columns] / size - p) ** 2).mean()))
        if best is None or off < best[0]:
            best = (off, layout, step, base, first, size)
    if best is None or best[0] >= most:
        return False
    _, layout, step, base, first, size = best
    base = _numbers.chosen(base, 1e-6)[0]
    if step == 1 and base == 1e8:  # the same: 10,000 is more usual
        step, base = 2.0, 1e4
    elif step == 2 and base == 100:
        step, base = 1.0, 1e4
    w = base ** (-step * j / width)
    a = (t[:, None] + first) * w
    apart = np.abs(z / size - np.where(kinds[layout], np.sin(a), np.cos(a)))
    noise = float(np.sqrt((apart**2).mean()))
    residual = float(apart.max())
    d.scheme, d.layout, d.exponent, d.base, d.width = "sinusoidal", layout, "own", base, width
    d.readings = [(base, "own")]
    other = "2j/d" if step == 1 else "j/d"
    other_base = base ** (0.5 if step == 1 else 2.0)
    d.details["own_exponent"] = "j/d" if step == 1 else "2j/d"
    d.alternatives.append(
        f"Exponent {other} in each dimension j with base {told(other_base)}: the same frequencies."
    )
    d.scaling, d.factor, d.first_position, d.direction, d.amplitude = "none", 1.0, first, 1, size
    d.residual, d.precision, d.where = residual, form, "values"
    evidence = f"largest residual {bound(residual)}"
    d.problem("own_frequencies", evidence)
    allowed = 2 * unit + 5e-7 * a
    if (apart <= 2 * unit + 4e-16 * (a + 8)).all():
        pass
    elif form in ("float32", "float64") and (apart <= allowed).all():
        d.precision, d.where = "float32", "angles"
    elif not (apart <= allowed).all():
        for half in ("float16", "bfloat16"):
            halved = _formats.rounded(w, half)
            place = _formats.rounded(t + first, half)
            for where, angle in (
                ("frequencies", (t[:, None] + first) * halved),
                ("angles", _formats.rounded(place[:, None] * halved, half)),
                ("angles", _formats.rounded((t[:, None] + first) * halved, half)),
                ("angles", _formats.rounded((t[:, None] + first) * w, half)),
            ):
                p = np.where(kinds[layout], np.sin(angle), np.cos(angle))
                if (np.abs(z / size - p) <= allowed).mean() > 0.97:
                    d.precision, d.where = half, where
                    d.problem(f"half_precision_{where}", evidence, form=half)
                    break
            if d.where != "values":
                break
        else:
            if noise > 2 * unit:
                d.problem("noise", evidence, noise=told(_numbers.significant(noise, 2)))
    if first:
        d.problem("first_position", evidence, first=told(first))
    if size != 1.0:
        if abs(size - 2) < 0.01:
            d.problem("added_twice", evidence)
        else:
            d.problem("amplitude", evidence, amplitude=told(size), other="")
    d.sure = apart.size >= 64 and noise < 0.005
    d.picture = {"frequencies": w.tolist(), "rule": w.tolist()}
    return True


def _starts(y: Floats, rows: NDArray[np.int64]) -> tuple[float, list[float]]:
    """The amplitude, and where row 0 can be if dimension 0 turns by 1 radian; else []."""
    t = rows[:256].astype(np.float64)
    x = y[:256, 0]
    s, c = np.sin(t), np.cos(t)
    ss, cc, sc = float((s * s).sum()), float((c * c).sum()), float((s * c).sum())
    xs, xc = float((x * s).sum()), float((x * c).sum())
    det = ss * cc - sc * sc
    a, b = (xs * cc - xc * sc) / det, (xc * ss - xs * sc) / det
    size = float(np.sqrt(a * a + b * b))
    if float(((x - a * s - b * c) ** 2).mean()) >= 0.03 * size * size:
        return size, []
    size = 1.0 if abs(size - 1) < 0.02 else size
    found = []
    for phase in (float(np.arctan2(b, a)), float(np.arctan2(b, a)) - np.pi / 2):  # sine or cosine
        for first in range(-4, 1025):
            apart = (first - phase) / (2 * np.pi)
            if abs(apart - np.floor(apart + 0.5)) < 0.01 + 0.02 * (abs(first) < 4):
                found.append(float(first))
    return size, sorted(set(found), key=abs)


def _own_base(y: Floats, step: float, width: int) -> list[float]:
    """The base that the second dimension's frequency says, if it is a wave."""
    out = []
    for j in (1, 2):
        m = y[1:-1, j]
        total = float((m * m).sum())
        if total > 0:
            v = float((m * (y[2:, j] + y[:-2, j])).sum()) / (2 * total)
            if -1 < v < 1:
                w = float(np.arccos(v))
                exponent = -log(w) * width / (step * j)
                if 0.5 < exponent < 30:
                    out.append(_numbers.chosen(float(np.exp(exponent)), 1e-3)[0])
                    out.append(float(np.exp(exponent)))
    return out


def _grid(
    d: Diagnosis, y: Floats, rows: NDArray[np.int64], length: int, bad: NDArray[np.bool_]
) -> bool:
    """Two axes: one half of the columns knows the row, the other the column."""
    count, width = y.shape
    if width % 4 or count < 4:
        return False
    half = width // 2
    near = 1e-6 * float(np.abs(y).max())

    def run(z: Floats) -> int:
        """After how many rows the first changes."""
        other = np.abs(z - z[0]).max(axis=1) > near
        return int(np.argmax(other)) if other.any() else count

    first, second = y[:, :half], y[:, half:]
    for slow, fast, order in ((first, second, "rows first"), (second, first, "columns first")):
        columns = run(slow)
        if columns < 2 or count % columns or count // columns < 2:
            continue
        blocks = slow.reshape(-1, columns, half)
        if np.abs(blocks - blocks[:, :1]).max() > near:
            continue
        repeated = fast.reshape(-1, columns, half)
        if np.abs(repeated - repeated[:1]).max() > near:
            continue
        down, along = blocks[:, 0], repeated[0]
        found = pairs(along, np.arange(columns)), pairs(down, np.arange(len(down)))
        if found[0] is None and found[1] is None:
            continue
        fit, layout, swapped = found[0] or found[1]  # type: ignore[misc]
        if columns < len(down) and found[1]:
            fit, layout, swapped = found[1]
        d.scheme, d.layout = "sinusoidal", layout
        _fill.fit(d, fit, half // 2, max(columns, len(down)))
        d.sure = d.sure or (fit.noise == 0 and fit.spacing.evidence >= 1.5 and y.size >= 64)
        d.width = width
        d.details["axes"] = [len(down), columns]
        d.details["order"] = order
        d.details["axis_width"] = half
        if swapped:
            d.problem("cosine_before_sine")
        if int(rows[0]) == 1 and "padding_row" in d.problems:
            d.problems.remove("padding_row")
            d.findings = [f for f in d.findings if f.name != "padding_row"]
            d.problem("class_row")
        d.details["notes"] = [
            f"On a grid of {told(len(down))} rows and {told(columns)} columns: the first half of "
            f"the entries is the {'row' if order == 'rows first' else 'column'}, base and width "
            f"are those of one axis of {told(half)} entries."
        ]
        return True
    return False
