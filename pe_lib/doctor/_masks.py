"""Diagnose attention masks, which say for each query the keys that it sees.

In nearly every mask, each query sees one run of keys, from some first key to some last key. So a
rule for the first and the last key of each row describes the whole mask.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pe_lib.doctor import _fill
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._formats import Booleans, Floats, Indices
from pe_lib.doctor._numbers import format_number
from pe_lib.doctor._proof import FixedValues

STRONG = -100.0  # adding this number or a lower one masks a key, as in Swin's windows
LEAST_SQUARE = 8  # a smaller square mask is read as a batch of texts
LARGE = 1e4  # a mask with numbers of at least this size has the wrong sign
FAULTY = ("transposed", "strict", "ahead", "inverted")  # these patterns are mistakes
CODES = ("weak", "shown", "marked")  # these masks have two small numbers, which may be any code
CAUSAL = ("causal", "window", "packed")  # in these patterns each query's last key is its own
LEAST_PADDED = 24  # with fewer entries, rows of ones and zeros may be any code
MOST_LENGTHS = 8  # a note lists at most this many lengths of packed texts
MOST_NOTES = 4  # if masks differ, at most this many are described
# In a mask of at least LEAST_QUERIES queries, one in QUERIES_PER_LOST may not follow the rule.
LEAST_QUERIES, QUERIES_PER_LOST = 8, 12
LEAST_CODES = 16  # the same for masks of two small numbers
RISING = 0.5  # at least this share of queries see one key more than the one before
LEAST_BLOCK = 3  # so many neighbouring queries that see one another may be an image's


@dataclass
class _Reading:
    """One way to read numbers as masks."""

    seen: Booleans  # (masks, T, S): true where the query sees the key
    # "additive" for 0 and large negative numbers, "weak" for 0 and a small negative number,
    # "positive" for 0 and a large positive number, "shown" if 1 means seen, or "marked" if 1 means
    # masked
    coding: str


@dataclass
class _Pattern:
    """The rule of one mask (T, S)."""

    name: str
    rebuilt: Booleans  # (T, S): the mask that the rule gives
    shift: int = 0  # the position of the first query
    window: int | None = None  # how many keys a query sees at most, if there is a limit
    padded: int = 0  # how many keys before or after the text no query sees
    first_padded: int = 0
    words: dict[str, Any] = field(default_factory=dict)  # the numbers in the pattern's sentence
    lost: list[int] = field(default_factory=list)  # the rows that do not follow the rule

    @property
    def key(self) -> str:
        """Return a text that is the same for all masks with the same rule."""
        values = [
            f"{self.words.get(name)}" for name in ("window", "prefix", "lengths", "back", "ahead")
        ]
        return " ".join([self.name, f"{self.window} {self.shift}", *values])


@dataclass
class _Runs:
    """The run of keys that each query of a mask (T, S) sees."""

    seen: Booleans
    counts: Indices  # (T,): how many keys the query sees
    first: Indices  # (T,): the first key that the query sees
    last: Indices  # (T,): the last key that the query sees
    # the first and the last key that is no padding
    low: int
    high: int

    def fit(self, t: Indices, first: Indices, last: Indices) -> bool:
        """Return whether the queries at positions t (T,) see the keys from `first` to `last`.

        Queries that are padding may as well see no key, or all keys.
        """
        is_run = self.counts == self.last - self.first + 1
        follows = is_run & (self.first == first) & (self.last == np.minimum(last, self.high))
        return bool((follows | self.free(t)).all())

    def free(self, t: Indices) -> Booleans:
        """Return which queries (T,) are padding and see no key, or all keys."""
        is_text = (t >= self.low) & (t <= self.high)
        is_free = (self.counts == 0) | (self.counts == self.seen.shape[1])
        return np.asarray(~is_text & is_free)


def list_readings(x: Floats) -> list[_Reading]:
    """List the ways to read numbers (masks, T, S) as masks. The list is empty for other numbers."""
    low, high = float(x.min()), float(x.max())
    if low == high:
        return []
    if high == 0 and ((x == 0) | (x <= STRONG)).all():
        return [_Reading(np.asarray(x == 0), "additive")]
    if not ((x == low) | (x == high)).all():
        return []
    if low == 0 and high >= LARGE:
        return [_Reading(np.asarray(x == 0), "positive")]
    if (low, high) == (0.0, 1.0):
        return [_Reading(np.asarray(x == 1), "shown"), _Reading(np.asarray(x == 0), "marked")]
    return [_Reading(np.asarray(x == 0), "weak")] if high == 0 else []


def diagnose_masks(x: Floats) -> Diagnosis | None:
    """Diagnose masks (masks, T, S), one for each head or for each text of a batch.

    Masks with a single row (masks, 1, S) are the same for all queries, as padding masks are.
    Returns None for numbers that may be another code.
    """
    readings = list_readings(x)
    for diagnose in (_diagnose_patterns, _diagnose_padding):
        diagnoses = [d for reading in readings if (d := diagnose(x, reading)) is not None]
        healthy = [d for d in diagnoses if d.sure and not d.problems]
        if healthy or diagnoses:
            return (healthy or diagnoses)[0]
    return _describe_masks(readings[0]) if readings else None


def _diagnose_patterns(x: Floats, reading: _Reading) -> Diagnosis | None:
    """Diagnose masks (masks, T, S) that all follow a rule for each query, or return None."""
    is_code = reading.coding in CODES
    least = (3, LEAST_CODES) if is_code else (2, LEAST_QUERIES)
    patterns = _find_patterns(reading.seen, *least) if x.shape[1] > 1 else []
    # Rows of two small numbers that are all the same may be any code.
    if not patterns or (is_code and (x == x[:, :1]).all()):
        return None
    d = _report_patterns(reading, patterns)
    _report_empty_rows(d, x, reading, patterns)
    _report_size(d, x, reading.coding)
    return d


def _diagnose_padding(x: Floats, reading: _Reading) -> Diagnosis | None:
    """Diagnose padding masks, each with one row for all queries, or return None."""
    if 1 not in x.shape[:2] or reading.coding == "weak":
        return None
    visible = reading.seen.reshape(-1, x.shape[2])
    # Queries see one key more in each row, and the texts of a batch are in no such order.
    steps = np.abs(np.diff(visible.sum(axis=1)))
    if len(visible) >= LEAST_QUERIES and (steps == 1).mean() >= RISING:
        return None
    d = _find_padding(visible, reading.coding)
    if d is not None:
        _report_size(d, x, reading.coding)
    return d


def _report_size(d: Diagnosis, x: Floats, coding: str) -> None:
    """Report masks whose numbers are too small, or have the wrong sign."""
    if coding == "weak":
        low = float(x.min())
        d.problem("mask_weak", value=low, share=float(100 * np.exp(low)))
    elif coding == "positive":
        high = float(x.max())
        d.problem("mask_sign", value=format_number(high) if np.isfinite(high) else "infinity")


def diagnose_named_mask(x: Any) -> Diagnosis | None:
    """Diagnose a mask (…, S) that has the name of an attention mask, even if it masks no key.

    Returns None for a mask (…, T, S) of queries and keys that masks some keys.
    """
    y = np.asarray(x, np.float64)
    if y.ndim > 2:
        return _diagnose_open_mask(y)
    if y.ndim == 2 and _follows_diagonals(y):
        return None
    visible = y.reshape(-1, y.shape[-1])
    are_texts = bool((visible == np.floor(visible)).all() and 1 < visible.max() < y.shape[-1])
    is_mask = are_texts or bool(((visible == 0) | (visible == 1)).all())
    if not is_mask or visible.min() < 0 or not visible.any():
        return None
    d = _find_padding(np.asarray(visible > 0), "named")
    # Some programs number the texts that are packed into a row.
    if d is not None and are_texts:
        d.note("numbered_texts", count=int(visible.max()))
    return d


def _follows_diagonals(x: Floats) -> bool:
    """Return whether a mask (T, S) is square and moves by one key from each query to the next.

    A batch of as many padded texts as tokens has rows that are alike, or lengths that jump.
    """
    if x.shape[0] != x.shape[1] or len(x) < LEAST_SQUARE:
        return False
    moves = (x[1:] != x[:-1]).any(axis=1).mean()
    return bool(moves >= 0.8 and (x[1:, 1:] == x[:-1, :-1]).mean() >= 0.9)


def _diagnose_open_mask(x: Floats) -> Diagnosis | None:
    """Diagnose a mask (…, T, S) that shows all keys, whose entries are all 0 or all 1."""
    if not (x == 0).all() and not (x == 1).all():
        return None
    values = x.reshape(-1, x.shape[-1])
    d = Diagnosis(details={"mask": "none", "keys": x.shape[-1]})
    if x.shape[-2] > 1:
        d.rules = [["none", None, x.shape[-1]]]
    _fill.fill_literal(d, "mask", FixedValues(values), values)
    d.note("none")
    return d


def _find_patterns(seen: Booleans, least: int, least_near: int) -> list[_Pattern]:
    """Return the pattern of each mask (masks, T, S), or an empty list if a mask has none.

    Masks of fewer than `least` queries have none. In masks of at least `least_near` queries, a few
    rows may be wrong.
    """
    patterns: list[_Pattern] = []
    for k in range(len(seen)):
        is_same = k > 0 and bool((seen[k] == seen[k - 1]).all())
        pattern = patterns[-1] if is_same else _find_pattern(seen[k], least)
        if pattern is None and seen.shape[1] >= least_near:
            pattern = _find_nearest(seen[k])
        if pattern is None:
            return []
        patterns.append(pattern)
    return patterns


def _find_pattern(seen: Booleans, least: int) -> _Pattern | None:
    """Return the rule of one mask (T, S), or None. A rule without mistakes is preferred."""
    rows, columns = seen.shape
    counts = seen.sum(axis=1)
    most = int(counts.max())
    if rows < least or most < 2 or (most == 2 and rows < 4 and least > 2):
        return None  # a mask that shows only one diagonal is just an identity matrix
    first, last = seen.argmax(axis=1), columns - 1 - seen[:, ::-1].argmax(axis=1)
    begin = int(np.argmax(counts > 0))
    most_shift = columns - rows
    shifts = [most_shift, 0, min(int(last[begin]) - begin, most_shift)] if most_shift > 0 else [0]
    mistakes: list[_Pattern] = []
    for low, high in _list_bounds(seen, counts):
        runs = _Runs(seen, counts, first, last, low, high)
        for shift in dict.fromkeys(shifts):
            for pattern in _list_patterns(runs, shift):
                if pattern.name not in FAULTY:
                    return pattern
                mistakes.append(pattern)
    return mistakes[0] if mistakes else None


def _list_bounds(seen: Booleans, counts: Indices) -> list[tuple[int, int]]:
    """List what may be the first and the last key that is no padding.

    Queries before the text may have been allowed to see all keys, so that each query sees some.
    Then only the later queries show which keys are padding.
    """
    lead = int(np.argmax(counts < seen.shape[1]))
    bounds = []
    for begin in dict.fromkeys([0, lead]):
        keys = np.flatnonzero(seen[begin:].any(axis=0))
        if begin == 0 or (keys.size and keys[0] >= lead):
            bounds.append((int(keys[0]), int(keys[-1])))
    return bounds


def _list_patterns(runs: _Runs, shift: int) -> Iterator[_Pattern]:
    """Yield the rules that give a mask whose first query stands at position `shift`."""
    rows, columns = runs.seen.shape
    low, high = runs.low, runs.high
    t, keys = np.arange(rows) + shift, np.arange(columns)
    text = np.flatnonzero((t >= low) & (t <= high))
    if text.size > 1:
        for pattern, first, last in _propose_runs(runs, t, text):
            if runs.fit(t, first, last):
                run = (keys >= first[:, None]) & (keys <= np.minimum(last, high)[:, None])
                pattern.rebuilt = np.where(runs.free(t)[:, None], runs.seen, run)
                _set_padding(pattern, runs, t)
                yield pattern
        if rows == columns and (groups := _find_groups(runs, t, text)):
            yield groups
    before = keys < t[:, None]
    if low == 0 and (runs.seen == before).all():
        yield _Pattern("strict", before, shift)
    after = keys > t[:, None]
    if rows == columns and (runs.seen == after).all():
        yield _Pattern("inverted", after, shift)


def _propose_runs(
    runs: _Runs, t: Indices, text: Indices
) -> Iterator[tuple[_Pattern, Indices, Indices]]:
    """Yield patterns, with the first and the last key (T,) that each query sees in them.

    `text` lists the queries that are no padding.
    """
    low = runs.low + 0 * t
    high = runs.high + 0 * t
    back = int((t - runs.first)[text].max())
    ahead = int((runs.last - t)[text].max())
    end = int(runs.last[text[0]])

    def name(kind: str, limit: int | None, words: dict[str, Any]) -> _Pattern:
        return _Pattern(kind, runs.seen, int(t[0]), limit, words=words)

    is_open = back >= int(t[text[-1]]) - runs.low  # whether the last query sees all keys before it
    yield name("none", None, {}), low, high
    yield name("causal", None, {}), low, t
    if not is_open and back > 0:
        yield name("window", back + 1, {"window": back + 1}), np.maximum(low, t - back), t
        first, last = np.maximum(low, t - back), np.minimum(high, t + ahead)
        if back == ahead:
            yield name("band", back, {"window": back}), first, last
        elif ahead > 0:
            yield name("sides", ahead, {"back": back, "ahead": ahead}), first, last
    if end > t[text[0]]:
        yield name("prefix", None, {"prefix": end + 1 - runs.low}), low, np.maximum(t, end)
    if (ends := _find_blocks(runs, t)) is not None:
        yield name("blocks", None, {}), low, ends
    starts, first = _find_starts(runs, t, text, back)
    if 1 < len(starts) <= text.size // 2:
        lengths = np.diff(np.asarray([*starts, int(t[text[-1]]) + 1]))
        limit = back + 1 if back + 1 < lengths.max() else None
        words = {"count": len(starts), "lengths": _describe_lengths(lengths)}
        yield name("packed", limit, words), first, t
    is_narrow = ahead < int(high[0]) - int(t[text[0]])
    limit = ahead + 1 if is_narrow else None
    yield name("transposed", limit, {}), t, np.minimum(high, t + ahead)
    if ahead > 0 and is_narrow:
        yield name("ahead", None, {"ahead": ahead}), low, np.minimum(high, t + ahead)


def _find_blocks(runs: _Runs, t: Indices) -> Indices | None:
    """Return the last key (T,) of each query if blocks of queries see one another, or None.

    In some models, the patches of an image see one another, and words see only earlier tokens.
    """
    last, blocks, k = t + 0, 0, 0
    while k < len(t):
        length = int(runs.last[k] - t[k]) + 1
        if length >= LEAST_BLOCK:
            last[k : k + length] = runs.last[k]
            blocks += 1
        k += max(1, length)
    return last if blocks else None


def _find_starts(runs: _Runs, t: Indices, text: Indices, back: int) -> tuple[list[int], Indices]:
    """Return where packed texts begin, and the first key (T,) that each query sees in them.

    A text begins at each query that sees no key before its own.
    """
    starts, first = [runs.low], runs.low + 0 * t
    for k in text.tolist():
        at = int(t[k])
        if runs.first[k] == at and at > runs.low:
            starts.append(at)
        first[k] = max(starts[-1], at - back)
    return starts, first


def _find_groups(runs: _Runs, t: Indices, text: Indices) -> _Pattern | None:
    """Return the pattern of a mask in which each query sees its own group of keys, or None."""
    part = runs.seen[runs.low : runs.high + 1, runs.low : runs.high + 1]
    group = part.argmax(axis=1)
    same = group[:, None] == group
    names, outside = np.unique(group), (t < runs.low) | (t > runs.high)
    if not 1 < names.size <= text.size // 2 or not (part == same).all():
        return None
    if (outside & ~runs.free(t)).any():
        return None
    lengths = np.asarray([int((group == k).sum()) for k in names.tolist()])
    words = {"count": names.size, "lengths": _describe_lengths(lengths)}
    pattern = _Pattern("groups", runs.seen, 0, None, words=words)
    _set_padding(pattern, runs, t)
    return pattern


def _find_nearest(seen: Booleans) -> _Pattern | None:
    """Return the usual rule that all but a few rows of a mask (T, S) follow, or None."""
    rows, columns = seen.shape
    counts, most = seen.sum(axis=1), rows // QUERIES_PER_LOST + 1
    first, last = seen.argmax(axis=1), columns - 1 - seen[:, ::-1].argmax(axis=1)
    keys, best, lows, highs = np.arange(columns), None, [0], [columns - 1]
    are_runs = (counts == last - first + 1).mean() > 0.5  # whether most queries see a run of keys
    if int(np.median(counts)) < 2 or not are_runs:
        return None
    # Queries that follow no rule may see padding, and those of padding may see all keys.
    for least in (1, most):
        shared = np.flatnonzero(seen[counts < columns].sum(axis=0) > least)
        lows += shared[:1].tolist()
        highs += shared[-1:].tolist()
    for low, high in dict.fromkeys([(low, high) for low in lows for high in highs]):
        for shift in dict.fromkeys([columns - rows, 0]) if columns >= rows else ():
            t = np.arange(rows) + shift
            runs = _Runs(seen, counts, first, last, low, high)
            for pattern in _propose_usual(runs, t):
                inside = pattern.rebuilt & (keys >= low) & (keys <= high)
                rebuilt = np.where(runs.free(t)[:, None], seen, inside)
                lost = np.flatnonzero((rebuilt != seen).any(axis=1)).tolist()
                is_best = len(lost) <= most and (best is None or len(lost) < len(best.lost))
                if is_best and not _is_block(runs, t, lost):
                    best, pattern.rebuilt, pattern.lost = pattern, rebuilt, lost
                    _set_padding(pattern, runs, t)
    return best


def _propose_usual(runs: _Runs, t: Indices) -> Iterator[_Pattern]:
    """Yield usual rules for a mask, with the settings that most of its queries (T,) have."""
    keys, at, words = np.arange(runs.seen.shape[1]), t[:, None], dict[str, Any]()
    inner = (t >= runs.low) & (t <= runs.high) & (runs.counts > 0)
    causal = keys <= at
    yield _Pattern("causal", causal, int(t[0]))
    back = _most_common((t - runs.first)[inner & (runs.first > runs.low)])
    ahead = _most_common((runs.last - t)[inner & (runs.last < runs.high)])
    if back > 0:
        words = {"window": back + 1}
        yield _Pattern("window", causal & (keys >= at - back), int(t[0]), back + 1, words=words)
    if back > 0 and ahead > 0:
        band = (keys >= at - back) & (keys <= at + ahead)
        name = "band" if back == ahead else "sides"
        words = {"window": back} if back == ahead else {"back": back, "ahead": ahead}
        yield _Pattern(name, band, int(t[0]), back, words=words)
    end = _most_common(runs.last[inner & (runs.last > t)])
    if end > runs.low:
        words = {"prefix": end + 1 - runs.low}
        yield _Pattern("prefix", keys <= np.maximum(at, end), int(t[0]), words=words)
    for limit in [len(t), back] if back > 0 else [len(t)]:
        starts, begin = _find_likely_starts(runs, t, limit)
        if len(starts) > 1:
            lengths = np.diff(np.asarray([*starts, int(t[-1]) + 1]))
            words = {"count": len(starts), "lengths": _describe_lengths(lengths)}
            window = back + 1 if limit == back else None
            packed = causal & (keys >= begin[:, None])
            yield _Pattern("packed", packed, int(t[0]), window, words=words)
    if len(t) == keys.size:
        # The group of a key is the one of most queries that see it.
        group = np.asarray([_most_common(runs.first[runs.seen[:, k]]) for k in keys.tolist()])
        names = np.unique(group)
        if 1 < names.size <= len(t) // 2:
            lengths = np.asarray([int((group == k).sum()) for k in names.tolist()])
            words = {"count": names.size, "lengths": _describe_lengths(lengths)}
            yield _Pattern("groups", group[:, None] == group, 0, words=words)


def _most_common(numbers: Indices) -> int:
    """Return the most common of some whole numbers, or -1 if there are none."""
    kinds = np.unique(numbers).tolist()
    return int(max(kinds, key=lambda kind: int((numbers == kind).sum()))) if kinds else -1


def _find_likely_starts(runs: _Runs, t: Indices, back: int) -> tuple[list[int], Indices]:
    """Return where packed texts begin, and the first key (T,) that each query would see in them.

    Queries see at most `back` keys before their own, and the first keys of a few may be wrong.
    """

    def find_first(starts: list[int]) -> Indices:
        begin = np.where(np.asarray(starts) <= t[:, None], np.asarray(starts), runs.low)
        return np.asarray(np.maximum(begin.max(axis=1), t - back), np.int64)

    kinds = [k for k in np.unique(runs.first).tolist() if runs.low < k]
    starts = [runs.low, *(k for k in kinds if int((runs.first == k).sum()) > 1)]
    first = find_first(starts)
    for start in starts[1:] if len(starts) <= len(t) // 2 else ():
        other = find_first([k for k in starts if k != start])
        if (other != runs.first).sum() < (first != runs.first).sum():
            starts, first = [k for k in starts if k != start], other
    return starts, first


def _is_block(runs: _Runs, t: Indices, lost: list[int]) -> bool:
    """Return whether lost rows may be those of an image, whose queries see one another."""
    ends = runs.last[lost]
    ends = ends[(ends > t[lost]) & (ends < runs.seen.shape[1] - 1)]
    return bool(ends.size > np.unique(ends).size)


def _describe_lengths(lengths: Indices) -> str:
    """Describe the lengths of packed texts in a phrase."""
    if (lengths == lengths[0]).all():
        return f"{format_number(int(lengths[0]))} each"
    more = ", …" if lengths.size > MOST_LENGTHS else ""
    return ", ".join(format_number(int(n)) for n in lengths[:MOST_LENGTHS]) + more


def _set_padding(pattern: _Pattern, runs: _Runs, t: Indices) -> None:
    """Store how many keys a mask never shows, except keys that are later than all queries."""
    end = runs.seen.shape[1] - 1
    if pattern.name in (*CAUSAL, "prefix", "ahead"):
        end = min(end, max(int(t[-1]), runs.high))
    pattern.padded = runs.low + end - runs.high
    pattern.first_padded = 0 if runs.low else runs.high + 1


def _report_patterns(reading: _Reading, patterns: list[_Pattern]) -> Diagnosis:
    """Return the diagnosis of masks that follow these patterns."""
    masks, rows, columns = reading.seen.shape
    first = patterns[0]
    d = Diagnosis(details={"mask": first.name, "heads": masks})
    rebuilt = np.concatenate([pattern.rebuilt for pattern in patterns], axis=1)
    recipe = FixedValues(np.where(rebuilt, 1.0, 0.0), heads=masks)
    actual = np.concatenate([*reading.seen], axis=1)
    _fill.fill_literal(d, "mask", recipe, np.where(actual, 1.0, 0.0))
    _report_lost_rows(d, reading.seen, patterns)
    if first.name == "window":
        d.details["mask"] = "causal"
    if first.window is not None and first.name in ("window", "transposed"):
        d.details["window"] = first.window
    d.details["keys"] = columns
    most = int(reading.seen.sum(axis=2).max())
    d.rules = [[x.name, x.window, most] for x in {x.key: x for x in patterns}.values()]
    if reading.coding == "marked":
        d.note("marked")
    for pattern in patterns:
        _report_mistake(d, pattern)
    _note_rules(d, patterns)
    _note_padding(d, patterns)
    if columns > rows and first.name in CAUSAL:
        _note_first_query(d, rows, columns, first.shift)
    return d


def _report_lost_rows(d: Diagnosis, seen: Booleans, patterns: list[_Pattern]) -> None:
    """Report the rows of masks (masks, T, S) that do not follow the rule of the other rows."""
    places = [(k, row) for k, pattern in enumerate(patterns) for row in pattern.lost]
    if not places:
        return
    rows = sorted({row for _, row in places})
    d.exceptions["rows"] = rows
    k, row = places[0]
    more = ", …" if len(rows) > MOST_NOTES else ""
    which = ", ".join(format_number(row) for row in rows[:MOST_NOTES]) + more
    key = int(np.argmax(seen[k][row] != patterns[k].rebuilt[row]))
    sees = "sees" if seen[k][row][key] else "does not see"
    d.problem("mask_rows", rows=which, row=row, sees=sees, key=key)


def _report_mistake(d: Diagnosis, pattern: _Pattern) -> None:
    """Report a mask whose pattern is a mistake."""
    if pattern.name == "transposed":
        d.problem("bias_transposed")
    elif pattern.name == "strict":
        d.problem("mask_strict")
    elif pattern.name == "inverted":
        d.problem("mask_inverted")
    elif pattern.name == "ahead":
        d.problem("mask_ahead", **pattern.words)


def _note_rules(d: Diagnosis, patterns: list[_Pattern]) -> None:
    """Add a note for each different rule, but at most the first few."""
    rules = {x.key: x for x in patterns}
    kept = [x for x in rules.values() if x.name != "none" or not x.padded]
    for pattern in kept[:MOST_NOTES]:
        if pattern.name not in ("strict", "ahead", "inverted"):
            d.note(pattern.name, **pattern.words)
        if pattern.name == "packed" and pattern.window is not None:
            d.note("packed_window", window=pattern.window)
    if len(kept) > MOST_NOTES:
        d.note("more_masks", count=len(kept) - MOST_NOTES)


def _note_padding(d: Diagnosis, patterns: list[_Pattern]) -> None:
    """Add a note on keys that no query sees."""
    padded = [pattern for pattern in patterns if pattern.padded]
    if not padded:
        return
    first = padded[0]
    if all((x.padded, x.first_padded) == (first.padded, first.first_padded) for x in patterns):
        d.note("padded_keys", count=first.padded, first=first.first_padded)
    else:
        most = max(x.padded for x in padded)
        d.note("padded_masks", count=len(padded), all=len(patterns), most=most)


def _note_first_query(d: Diagnosis, rows: int, columns: int, shift: int) -> None:
    """Say which queries the rows of a causal mask with more keys than queries are."""
    if shift == columns - rows:
        d.first_position = float(shift)
        d.note("last_queries", count=rows, all=columns)
    elif shift == 0:
        d.note("first_queries", count=rows, all=columns)
    else:
        d.first_position = float(shift)
        d.note("middle_queries", first=shift, last=shift + rows - 1, all=columns)


def _report_empty_rows(
    d: Diagnosis, x: Floats, reading: _Reading, patterns: list[_Pattern]
) -> None:
    """Report queries that see no key. If all their entries are infinite, the softmax is NaN."""
    empty = ~reading.seen.any(axis=2)
    if not empty.any() or any(pattern.name in ("strict", "inverted") for pattern in patterns):
        return
    lost = empty & (x == float("-inf")).all(axis=2)
    rows = lost if lost.any() else empty
    row = np.argwhere(rows)[0].tolist()[1]
    words = {"count": int(rows.sum()), "row": row}
    if lost.any():
        d.problem("mask_empty_rows", **words)
    else:
        d.note("empty_rows", **words)


def _find_padding(seen: Booleans, coding: str) -> Diagnosis | None:
    """Diagnose a padding mask (texts, S), which shows the first or the last keys of each text.

    A mask with the name of a padding mask may also show other keys.
    """
    texts, keys = seen.shape
    counts = seen.sum(axis=1)
    first, last = seen.argmax(axis=1), keys - 1 - seen[:, ::-1].argmax(axis=1)
    are_runs = bool((counts == last - first + 1).all())
    is_named = coding == "named"
    side = "right" if are_runs and (first == 0).all() else ""
    if are_runs and not side and (last == keys - 1).all():
        side = "left"
    is_empty = bool((counts == 0).any())
    is_same = counts.min() == counts.max()
    if not is_named and (not side or is_empty or is_same or texts < 2 or counts.max() < 2):
        return None
    d = Diagnosis(details={"mask": "padding"})
    values = np.where(seen, 1.0, 0.0)
    _fill.fill_literal(d, "mask", FixedValues(values), values)
    d.sure = coding not in CODES or seen.size >= LEAST_PADDED
    words = {"count": texts, "least": int(counts.min()), "most": int(counts.max()), "keys": keys}
    if (counts == keys).all():
        d.note("none")
    elif side:
        d.note("padding_mask", side=side, **words)
    else:
        d.note("other_padding", **words)
    if coding in ("shown", "marked") and side:
        d.other("marked", side="left" if side == "right" else "right")
    return d


def _describe_masks(reading: _Reading) -> Diagnosis | None:
    """Describe masks (masks, T, S) that follow no rule, or return None for other numbers."""
    visible, later = reading.seen, later_keys(*reading.seen.shape[1:])
    masks, rows, columns = visible.shape
    if rows < 2 or columns < 2:
        return None
    wrong = visible == later
    hides_later, shows_earlier = bool((~visible | ~later).all()), bool((visible | later).all())
    # Two small numbers may be any code, unless they show nearly what a causal mask shows.
    if reading.coding in CODES and not hides_later and not shows_earlier:
        return None
    d = Diagnosis("mask", seen=np.concatenate([*np.where(visible, 1.0, 0.0)], axis=1))
    count = visible.sum(axis=2)
    d.note("other_mask", least=int(count.min()), most=int(count.max()), keys=columns)
    if 0 < wrong.sum() <= masks * columns // 4:
        row, column = np.argwhere(wrong)[0][1:].tolist()
        d.note("near_causal", count=int(wrong.sum()), row=row, column=column)
    elif count.any() and hides_later:
        d.note("later_masked")
    elif shows_earlier:
        d.note("earlier_seen")
    return d


def read_band(hidden: Booleans, offsets: Indices, place: Indices) -> tuple[str, Booleans] | None:
    """Return the name and the visible offsets of a mask that depends on offsets alone, or None.

    `place` (T, S) is the index of each entry's offset in `offsets`. The visible ones form a band.
    """
    diagonals = np.arange(1 - hidden.shape[1], hidden.shape[2])
    visible = np.asarray([not np.diagonal(hidden[:1], int(k), 1, 2).any() for k in diagonals])
    if not visible.any() or (hidden == visible[place]).any():
        return None
    low, high = int(offsets[visible].min()), int(offsets[visible].max())
    if int(visible.sum()) != high - low + 1:
        return None
    is_open = low == int(offsets.min())  # whether each query sees all keys before it
    names = {
        "none": visible.all(), "causal": high == 0, "transposed": low == 0,
        "strict": high == -1 and is_open, "ahead": is_open and high > 0, "band": low == -high,
    }  # fmt: skip
    name = next((name for name, is_right in names.items() if is_right), None)
    return None if name is None else (name, visible)


def later_keys(rows: int, columns: int) -> Booleans:
    """Return which keys (T, S) come after their query, if the last query has the last key."""
    return np.asarray(np.arange(columns) - np.arange(rows)[:, None] > columns - rows)
