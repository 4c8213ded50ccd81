"""How a wrong value is related to the right one: a name, and a sentence that is true of the two.

It speaks where no known mistake of a sheet fits. What it says of numbers and sets holds whatever
the question, gives no value away, and is said on a chapter's page in the same words
(_ext/quizzing/relation.mjs).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from pe_lib.course.texts import Marked, many, mark, say

Numbers = Sequence[float]


@dataclass(frozen=True)
class Relation:
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
        return Relation("count", _count(yours, right, tolerance))
    wrong = [n for n in range(len(right)) if not near(yours[n], right[n], tolerance)]
    if not all(map(math.isfinite, yours)):
        return Relation("not_finite", say("An infinite number is not wanted."))
    if len(right) > 1 and (found := _order(yours, right, tolerance)):
        return found
    if len(right) == 1 and any(_is_telling(y) and near(yours[0], y, 1e-9) for y in given):
        text = say("Yours is a number that the question gives, not the answer.")
        return Relation("given", text)
    first = say("Yours") if len(right) == 1 else say("Number {n}", n=wrong[0] + 1)
    fine, lead = len(right) - len(wrong), ""
    which = first if len(wrong) == 1 else say("Each of the others") if fine else say("Each")
    if fine:
        total = len(right)
        lead = many("{n} of {total} is right.", "{n} of {total} are right.", fine, total=total)
        lead += " "
    found = of_each(which, [yours[n] for n in wrong], [right[n] for n in wrong], tolerance)
    if found:
        return Relation(found.name, lead + found.text)
    size = _size(first, yours[wrong[0]], right[wrong[0]])
    return Relation(size.name, lead + size.text)


def of_sets(yours: Numbers, right: Numbers, tolerance: float) -> Relation:
    """Of numbers in any order. The two must differ.

    >>> of_sets([4, 5, 6], [3, 4, 5], 1e-5).text
    'Each of yours is one too large. Look again at where counting begins.'
    """
    mine, wanted = sorted(set(yours)), sorted(set(right))

    def inside(value: float, values: Numbers) -> bool:
        return any(near(value, other, tolerance) for other in values)

    extra = [value for value in mine if not inside(value, wanted)]
    hits, missing = len(mine) - len(extra), sum(not inside(value, mine) for value in wanted)
    if not mine:
        return Relation("empty", say("Yours is empty."))
    if not extra:
        return Relation("missing", many(
            "Each of yours fits, but one more does, too.",
            "Each of yours fits, but {n} more do, too.", missing,
        ))  # fmt: skip
    odd = say("{value} does not", value=_said(extra[0]))
    if len(extra) > 1:
        odd = say("{value} and {n} more do not", value=_said(extra[0]), n=len(extra) - 1)
    if not missing:
        return Relation("extra", say("All that fit are there, but {odd}.", odd=odd))
    if len(mine) == len(wanted) > 1 and (
        found := of_each(say("Each of yours"), mine, wanted, tolerance)
        or of_each(say("Each of yours"), mine[::-1], wanted, tolerance)
    ):
        return found
    if not hits:
        return Relation("none", say("None of yours fits."))
    fit = many("{n} fits", "{n} fit", hits)
    lack = many("one is missing", "{n} are missing", missing)
    return Relation(
        "mixed", say("Of yours, {fit}; {odd}, and {lack}.", fit=fit, odd=odd, lack=lack)
    )


def of_each(which: str, yours: Numbers, right: Numbers, tolerance: float) -> Relation | None:
    """What is true of each number and the right one in its place; None if nothing simple is.

    >>> of_each("Yours", [45.0], [math.pi / 4], 1e-4).name
    'degrees'
    """
    pairs = list(zip(yours, right, strict=True))
    limit = min(tolerance, 1e-3)

    def all_are(wanted: list[float]) -> bool:
        """By less than 0.2 %, too: what is only small is not alike."""
        return all(
            math.isfinite(w) and abs(y - w) <= min(limit * (1 + abs(w)), 2e-3 * abs(w) + 1e-12)
            for y, w in zip(yours, wanted, strict=True)
        )

    whole = all(r == math.floor(r) for r in right)
    if any(right) and all_are([-r for r in right]):
        return Relation("sign", say("{which} is right but for its sign.", which=which))
    if whole:
        for step, name, sentence in _BY_ONE:
            if all(y == r + step for y, r in pairs):
                return Relation(name, say(sentence, which=which))
        if all(
            math.floor(y + 0.5) == r and abs(y - r) <= max(0.05, 2e-3 * abs(r)) for y, r in pairs
        ):
            text = say("{which} is right once it is rounded to a whole number.", which=which)
            return Relation("unrounded", text)
    elif found := _rounded(which, pairs):
        return found
    if all(right):
        for name, factor, sentence in FACTORS:
            if all_are([factor * r for r in right]):
                return Relation(name, say(sentence, which=which))
    if any(yours):
        for name, change, sentence in CHANGES:
            if all_are([_or_nan(change, r) for r in right]):
                return Relation(name, say(sentence, which=which))
    if not whole and all(min(abs(y), abs(r)) <= 2 * math.pi for y, r in pairs):
        turns = [(y - r) / (2 * math.pi) for y, r in pairs]
        off = [abs(t - math.floor(t + 0.5)) for t in turns]
        if all(abs(t) > 0.5 and o < limit / 6 for t, o in zip(turns, off, strict=True)):
            text = say("{which} is off by whole turns, multiples of 2π.", which=which)
            return Relation("turns", text)
    if len(pairs) > 1:
        if all_are([r + yours[0] - right[0] for r in right]):
            by = yours[0] - right[0]
            if not whole or by != math.floor(by):
                return Relation("shifted", say("{which} is off by the same number.", which=which))
            too = _too_large() if by > 0 else _too_small()
            text = say("{which} is {by} {too}.", which=which, by=_said(abs(by)), too=too)
            return Relation("shifted", text)
        if all(right) and any(yours) and all_are([r * yours[0] / right[0] for r in right]):
            text = say("{which} is off by the same factor: the proportions are right.", which=which)
            return Relation("scaled", text)
    return None


_BY_ONE = (
    (1, "one_more", mark("{which} is one too large. Look again at where counting begins.")),
    (-1, "one_less", mark("{which} is one too small. Look again at where counting begins.")),
)
_WHOLE = {
    2: mark("{which} is twice the right value."),
    3: mark("{which} is three times the right value."),
    4: mark("{which} is four times the right value."),
}
_PARTS = {
    2: mark("{which} is half the right value."),
    3: mark("{which} is a third of the right value."),
    4: mark("{which} is a quarter of the right value."),
}
_STEPS = (2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 32, 64, 128, 256, 512, 1024)
_DEGREES = mark("{which} is 180/π times, as degrees are for radians, the right value.")
_RADIANS = mark("{which} is π/180 of, as radians are for degrees, the right value.")


def _times(k: str) -> Marked:
    return mark("{which} is {k} times the right value.", k=k)


def _part(k: str) -> Marked:
    return mark("{which} is 1/{k} of the right value.", k=k)


FACTORS = (
    [("twice" if k == 2 else "factor", k, _WHOLE.get(k, _times(f"{k}"))) for k in _STEPS]
    + [("half" if k == 2 else "factor", 1 / k, _PARTS.get(k, _part(f"{k}"))) for k in _STEPS]
    + [("power_of_ten", float(f"1e{k}"), _times(f"{10**k:,}")) for k in range(1, 10)]
    + [("power_of_ten", float(f"1e-{k}"), _part(f"{10**k:,}")) for k in range(1, 10)]
    + [
        ("turn", 2 * math.pi, _times("2π")),
        ("turn", 1 / (2 * math.pi), _part("(2π)")),
        ("pi", math.pi, _times("π")),
        ("pi", 1 / math.pi, _part("π")),
        ("degrees", 180 / math.pi, _DEGREES),
        ("radians", math.pi / 180, _RADIANS),
        ("root_two", math.sqrt(2), _times("√2")),
        ("root_two", math.sqrt(0.5), _part("√2")),
        ("minus_twice", -2.0, mark("{which} is minus twice the right value.")),
        ("minus_half", -0.5, mark("{which} is minus half the right value.")),
    ]
)
_SINE_COSINE = mark("{which} is to the right value as a sine to its cosine.")
CHANGES = [
    ("inverse", lambda r: 1 / r, mark("{which} is 1 divided by the right value.")),
    ("complement", lambda r: 1 - r, mark("{which} is 1 minus the right value.")),
    ("squared", lambda r: r * r, mark("{which} is the square of the right value.")),
    ("root", math.sqrt, mark("{which} is the square root of the right value.")),
    ("logarithm", math.log, mark("{which} is the natural logarithm of the right value.")),
    ("logarithm", math.log2, mark("{which} is the base-2 logarithm of the right value.")),
    ("logarithm", math.log10, mark("{which} is the base-10 logarithm of the right value.")),
    ("exponential", math.exp, mark("{which} is e to the power of the right value.")),
    ("exponential", lambda r: 2.0**r, mark("{which} is 2 to the power of the right value.")),
    ("sine_cosine", lambda r: math.sqrt(1 - r * r), _SINE_COSINE),
    ("sine_cosine", lambda r: -math.sqrt(1 - r * r), _SINE_COSINE),
]


def _or_nan(change: object, value: float) -> float:
    try:
        return float(change(value))  # type: ignore[operator]
    except (ValueError, OverflowError, ZeroDivisionError):
        return math.nan


def _rounded(which: str, pairs: list[tuple[float, float]]) -> Relation | None:
    """Where giving too few decimals explains all that is wrong."""
    written = [_decimals(y) for y, _ in pairs]
    places, digits = max(p for p, _ in written), max(d for _, d in written)
    if digits < 2 and (not places or not all(y for y, _ in pairs)):
        return None
    unit = float(f"1e-{places}")
    if all(abs(y - r) <= 0.501 * unit for y, r in pairs):
        # any number is near one that has one digit
        text = _perhaps_rounded(which, places) if digits < 2 else _rounded_to(which, places)
        return Relation("rounded", text)
    if digits > 1 and all(0 < abs(r) - abs(y) < unit and r * y > 0 for y, r in pairs):
        return Relation("cut", _cut_after(which, places))
    return None


def _perhaps_rounded(which: str, places: int) -> str:
    return many(
        "{which} may be right, but rounded to {n} decimal: give all digits that are asked for.",
        "{which} may be right, but rounded to {n} decimals: give all digits that are asked for.",
        places, which=which,
    )  # fmt: skip


def _rounded_to(which: str, places: int) -> str:
    if not places:
        return say(
            "{which} is right, but rounded to a whole number. Give more digits.", which=which
        )
    return many(
        "{which} is right, but rounded to {n} decimal. Give more digits.",
        "{which} is right, but rounded to {n} decimals. Give more digits.",
        places, which=which,
    )  # fmt: skip


def _cut_after(which: str, places: int) -> str:
    if not places:
        return say(
            "{which} is right, but cut off after a whole number."
            " Give more digits, and round the last.", which=which,
        )  # fmt: skip
    return many(
        "{which} is right, but cut off after {n} decimal. Give more digits, and round the last.",
        "{which} is right, but cut off after {n} decimals. Give more digits, and round the last.",
        places, which=which,
    )  # fmt: skip


def _is_telling(value: float) -> bool:
    """Small whole numbers are given and wanted by chance."""
    return value != math.floor(value) or abs(value) >= 10


def _decimals(value: float) -> tuple[int, int]:
    """How many decimals a number is written with, and how many digits that count."""
    _, digits, exponent = Decimal(repr(float(value))).normalize().as_tuple()
    places = max(-int(exponent), 0)
    return places, len(digits) + max(int(exponent), 0)


def _order(yours: Numbers, right: Numbers, tolerance: float) -> Relation | None:
    """Where the right numbers stand in another order."""

    def alike(one: Numbers, other: Numbers) -> bool:
        return all(near(a, b, tolerance) for a, b in zip(one, other, strict=True))

    if not alike(sorted(yours), sorted(right)):
        return None
    wrong = [n for n in range(len(right)) if not near(yours[n], right[n], tolerance)]
    if len(wrong) == 2:
        one, other = wrong[0] + 1, wrong[1] + 1
        return Relation("swapped", say(
            "These are the right numbers, but numbers {one} and {other} have changed places.",
            one=one, other=other,
        ))  # fmt: skip
    if alike(yours, right[::-1]):
        return Relation("reversed", say("These are the right numbers, in reversed order."))
    return Relation("order", say("These are the right numbers, in another order."))


def _count(yours: Numbers, right: Numbers, tolerance: float) -> str:
    text = many(
        "One number is wanted; you gave {given}.", "{n} numbers are wanted; you gave {given}.",
        len(right), given=len(yours),
    )  # fmt: skip
    few, rest = sorted((yours, right), key=len)
    if not few or not all(any(near(a, b, tolerance) for b in rest) for a in few):
        return text
    if len(yours) > len(right):
        where = many("It is among yours.", "They are among yours.", len(right))
    else:
        where = many("It is among those wanted.", "They are among those wanted.", len(yours))
    return f"{text} {where}"


def _size(which: str, yours: float, right: float) -> Relation:
    """Sign and order of magnitude: what can always be said."""
    if yours * right < 0 or not (yours and right):
        if not right:
            too = _too_large() if yours > 0 else _too_small()
            return Relation("side", say("{which} is {too}.", which=which, too=too))
        if right > 0:
            return Relation("side", say("{which} should be above 0.", which=which))
        return Relation("side", say("{which} should be below 0.", which=which))
    ratio, large = abs(yours / right), abs(yours) > abs(right)
    name, in_size = "large" if large else "small", right < 0
    too = _too_large(in_size) if large else _too_small(in_size)
    times = (ratio if large else 1 / ratio) * (1 + 1e-6)  # a page has ten digits of what is right
    if times >= 2:
        how, k = ("twice" if times < 2.5 else "about"), f"{math.floor(times + 0.5)}"
        if times >= 10:
            power = 10
            while power * 10 <= times and power < 10**9:
                power *= 10
            how, k = "more", f"{power:,}"
        return Relation(name, say(_FAR[how, name], which=which, too=too, k=k))
    share = 100 * abs(ratio - 1) * (1 + 1e-6)
    if share >= 1:
        part = math.floor(share + 0.5)
        text = say("{which} is about {part} % {too}.", which=which, part=part, too=too)
        return Relation(name, text)
    return Relation("near", say(
        "{which} is less than {part} % {too}. Either something was rounded on the way, or the"
        " method is off by a little.",
        which=which, part="0.01" if share < 0.01 else "0.1" if share < 0.1 else "1", too=too,
    ))  # fmt: skip


def _too_large(in_size: bool = False) -> str:
    return say("too large in size") if in_size else say("too large")


def _too_small(in_size: bool = False) -> str:
    return say("too small in size") if in_size else say("too small")


_FAR = {
    ("twice", "large"): mark("{which} is {too}, about twice the right value."),
    ("about", "large"): mark("{which} is {too}, about {k} times the right value."),
    ("more", "large"): mark("{which} is {too}, more than {k} times the right value."),
    ("twice", "small"): mark("{which} is {too}; the right value is about twice as large."),
    ("about", "small"): mark("{which} is {too}; the right value is about {k} times as large."),
    ("more", "small"): mark("{which} is {too}; the right value is more than {k} times as large."),
}


def _said(value: float) -> str:
    """To six digits, as JavaScript writes it."""
    short = repr(float(f"{value:.6g}")).removesuffix(".0")
    if "e" in short and 1e-6 <= abs(value) < 1e21:
        return format(Decimal(short), "f")
    return short.replace("e-0", "e-")
