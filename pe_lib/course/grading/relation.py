"""How a wrong value is related to the right one: a name, and a sentence that is true of the two.

It speaks where no known mistake of a sheet fits. What it says of numbers and sets holds whatever
the question, gives no value away, and is said on a chapter's page in the same words
(_ext/quizzing/relation.mjs); both read relations.toml.
"""

import itertools
import math
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

Numbers = Sequence[float]
TABLE = tomllib.loads(Path(__file__).with_name("relations.toml").read_text("utf-8"))
VAGUE: list[str] = TABLE["vague"]
RELATED: list[dict[str, Any]] = TABLE["numbers"]
GIVEN = "a number that the question gives, not the answer"
IN_WORDS: dict[str, str] = {r["name"]: r["words"] for r in RELATED} | TABLE["words"]


class Relation(NamedTuple):
    """The relation's name, as a table of results has it, and what a learner is told."""

    name: str
    text: str


def near(one: float, other: float, tolerance: float) -> bool:
    """Whether two numbers count as the same answer.

    >>> near(0.30001, 0.3, 1e-4), near(0.302, 0.3, 1e-4)
    (True, False)
    """
    return one == other or abs(one - other) <= tolerance * (1 + abs(other))


def of_numbers(yours: Numbers, right: Numbers, tolerance: float, given: Numbers = ()) -> Relation:
    """Of numbers in their order, which must differ. `given` are those of the question.

    >>> of_numbers([-0.5], [0.5], 1e-4)
    Relation(name='sign', text='Yours is right but for its sign.')
    >>> of_numbers([3, 8], [3, 4], 1e-4).text
    '1 of 2 is right. Number 2 is twice the right value.'
    """
    if len(yours) != len(right):
        wanted = "One number is" if len(right) == 1 else f"{len(right)} numbers are"
        return Relation("count", f"{wanted} wanted; you gave {len(yours)}.")
    if not all(map(math.isfinite, yours)):
        return Relation("not_finite", "An infinite number is not wanted.")
    wrong = [n for n in range(len(right)) if not near(yours[n], right[n], tolerance)]
    pairs = zip(sorted(yours), sorted(right), strict=True)
    if len(right) > 1 and all(near(y, r, tolerance) for y, r in pairs):
        if len(wrong) > 2:
            return Relation("order", "These are the right numbers, in another order.")
        places = f"numbers {wrong[0] + 1} and {wrong[1] + 1} have changed places"
        return Relation("swapped", f"These are the right numbers, but {places}.")
    first, fine = f"Number {wrong[0] + 1}" if len(right) > 1 else "Yours", len(right) - len(wrong)
    which = first if len(wrong) == 1 else "Each of the others" if fine else "Each"
    mine, theirs = [yours[n] for n in wrong], [right[n] for n in wrong]
    found = of_each(which, mine, theirs, tolerance, given)
    if not found and len(wrong) > 1:
        each = (of_each(f"Number {n + 1}", [yours[n]], [right[n]], tolerance, given) for n in wrong)
        alone = list(filter(None, each))
        found = Relation(alone[0].name, " ".join(one.text for one in alone)) if alone else None
    found = found or _size(first, yours[wrong[0]], right[wrong[0]])
    lead = f"{fine} of {len(right)} {'is' if fine == 1 else 'are'} right. " if fine else ""
    return Relation(found.name, lead + found.text)


def of_sets(yours: Numbers, right: Numbers, tolerance: float) -> Relation:
    """Of numbers in any order. The two must differ.

    >>> of_sets([4, 5, 6], [3, 4, 5], 1e-5).text
    'Each of yours is one too large: look at where counting begins, or at what is rounded.'
    >>> of_sets([4, 9], [3, 4, 5], 1e-5).text
    'Of yours, 1 fits and 1 does not; 2 are missing.'
    """
    mine, wanted = sorted(set(yours)), sorted(set(right))

    def outside(values: Numbers, others: Numbers) -> int:
        return sum(not any(near(value, other, tolerance) for other in others) for value in values)

    extra, missing = outside(mine, wanted), outside(wanted, mine)
    if not mine:
        return Relation("empty", "Yours is empty.")
    if len(mine) == len(wanted) > 1 and (
        found := of_each("Each of yours", mine, wanted, tolerance)
    ):
        return found
    do, fit = "does" if extra == 1 else "do", len(mine) - extra
    if not extra:
        more = "one more does" if missing == 1 else f"{missing} more do"
        text = f"Each of yours fits, but {more}, too."
        if mine == wanted[: len(mine)]:
            return Relation("too_early", f"{text} They are larger than yours: you stop too early.")
        return Relation("missing", text)
    if not missing:
        text = f"All that fit are there, but {extra} of yours {do} not fit."
        if wanted == mine[: len(wanted)]:
            return Relation("too_late", f"{text} They are larger than those: you stop too late.")
        return Relation("extra", text)
    lack = f"{missing} {'is' if missing == 1 else 'are'} missing"
    said = f"Of yours, {fit or 'none'} {'fit' if fit > 1 else 'fits'} and {extra} {do} not; {lack}."
    return Relation("mixed", said)


def of_each(
    which: str, yours: Numbers, right: Numbers, tolerance: float, given: Numbers = ()
) -> Relation | None:
    """What is true of each number and the right one in its place; None if nothing simple is.

    >>> of_each("Yours", [45.0], [math.pi / 4], 1e-4).name
    'degrees'
    """
    pairs = list(zip(yours, right, strict=True))
    whole = all(r == math.floor(r) for r in right)

    def first(rows: Iterable[dict[str, Any]]) -> Relation | None:
        for row in rows:
            if (whole or not row.get("whole")) and all(
                _is_so(row, *pair, tolerance) for pair in pairs
            ):
                return Relation(row["name"], f"{which} is {row['words']}.")
        return None

    telling = list(filter(_is_telling, given))
    alone = [{"name": "given", "times": 0, "plus": g, "words": GIVEN} for g in telling]
    if found := first([*alone, *RELATED]) or (None if whole else _rounded(which, pairs)):
        return found
    if whole and all(
        math.floor(y + 0.5) == r and abs(y - r) <= max(0.05, 2e-3 * abs(r)) for y, r in pairs
    ):
        return Relation("unrounded", f"{which} is right once it is rounded to a whole number.")
    turns = [(y - r) / (2 * math.pi) for y, r in pairs]
    if all(0.5 < abs(n) < 1e4 and abs(n - math.floor(n + 0.5)) < 1e-4 for n in turns):
        return Relation("turns_off", f"{which} is off by whole turns, multiples of 2π.")
    return first(_by_given(given))


def _is_so(row: dict[str, Any], yours: float, right: float, tolerance: float) -> bool:
    """By less than 0.2 %, too, of it and of what is added: what is only small is not alike."""
    try:
        base = right if "power" not in row else math.pow(right, row["power"])
        if "function" in row:
            base = getattr(math, row["function"])(right)
        wanted = row.get("times", 1) * base + row.get("plus", 0)
    except (ValueError, OverflowError):
        return False
    if "power" in row and abs(wanted - right) < 0.02 * abs(right):
        return False  # near 1 all powers are alike
    limit = min(tolerance, 1e-3) * (1 + abs(wanted))
    small = min(abs(wanted), abs(row.get("plus") or wanted))
    return right != 0 and abs(yours - wanted) <= (
        0 if row.get("whole") else min(limit, 2e-3 * small + 1e-12)
    )


def _by_given(given: Numbers) -> Iterator[dict[str, Any]]:
    """Rows like those of the table: off by a number that the question gives, or two of them.

    >>> next(_by_given([14.5]))["words"]
    'the right value times 14.5, a number of the question'
    """
    for g in filter(_is_telling, given):
        of_it = f"{g:.10g}, a number of the question"
        for words, times, plus in (
            (f"the right value times {of_it}", g, 0),
            (f"the right value divided by {of_it}", 1 / g, 0),
            (f"the right value plus {of_it}", 1, g),
            (f"the right value minus {of_it}", 1, -g),
            (f"the right value times the root of {of_it}", abs(g) ** 0.5, 0),
            (f"the right value divided by the root of {of_it}", abs(g) ** -0.5, 0),
        ):
            yield {"name": "by_given", "times": times, "plus": plus, "words": words}
    for a, b in itertools.permutations(given, 2):
        for sign, value in (("+", a + b), ("−", a - b), ("·", a * b), ("/", a / b if b else 0)):
            if value != math.floor(value) or abs(value) >= 100:
                words = f"{a:.10g} {sign} {b:.10g}, two numbers of the question"
                yield {"name": "put_together", "times": 0, "plus": value, "words": words}


def _rounded(which: str, pairs: list[tuple[float, float]]) -> Relation | None:
    """Where too few digits, rounded or cut off, explain all that is wrong."""
    written = [Decimal(repr(float(y))).normalize().as_tuple() for y, _ in pairs]
    places = max(max(-int(number.exponent), 0) for number in written)
    unit, to = float(f"1e-{places}"), f"{places} {'decimal' if places == 1 else 'decimals'}"
    lacks = [(abs(r) - abs(y)) / unit if y * r > 0 else math.inf for y, r in pairs]
    if max(len(number.digits) for number in written) < 2:  # any number is near one of one digit
        if not places or not all(abs(lack) <= 0.501 for lack in lacks):
            return None
        text = f"{which} may be right, but rounded to {to}: give all digits that are asked for."
        return Relation("rounded", text)
    if not all(-0.501 <= lack < 0.999_999 for lack in lacks):
        return None
    to = to if places else "a whole number"
    return Relation("rounded", f"{which} is right, but rounded or cut to {to}. Give more digits.")


def _is_telling(value: float) -> bool:
    """Small whole numbers are given and wanted by chance."""
    return value != math.floor(value) or abs(value) >= 10


def _size(which: str, yours: float, right: float) -> Relation:
    """Sign and order of magnitude: what can always be said."""
    if yours * right < 0 or not yours or not right:
        way = "above 0" if right > 0 else "below 0" if right < 0 else "0"
        return Relation("side", f"{which} should be {way}.")
    ratio, large = abs(yours / right), abs(yours) > abs(right)
    name = "large" if large else "small"
    too = f"{which} is too {name}" + (" in size" if right < 0 else "")
    times = (ratio if large else 1 / ratio) * (1 + 1e-6)  # a page has ten digits of what is right
    if times >= 2:
        power = 10 ** (len(f"{min(times, 1e9):.0f}") - 1)
        many = f"about {math.floor(times + 0.5)}" if times < 9.5 else f"more than {power:,}"
        how = f", {many} times the right value" if large else ""
        return Relation(name, f"{too}{how or f': the right value is {many} times as large'}.")
    share = math.floor(100 * abs(ratio - 1) * (1 + 1e-6) + 0.5)
    if share:
        return Relation(name, f"{too}, by about {share} %.")
    why = "Either something was rounded on the way, or the method is off by a little."
    return Relation("near", f"{too}, by less than 1 %. {why}")
