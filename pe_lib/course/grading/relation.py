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
        return Relation("not_finite", "An infinite number is not wanted.")
    if len(right) > 1 and (found := _order(yours, right, tolerance)):
        return found
    if len(right) == 1 and any(_is_telling(y) and near(yours[0], y, 1e-9) for y in given):
        return Relation("given", "Yours is a number that the question gives, not the answer.")
    first = "Yours" if len(right) == 1 else f"Number {wrong[0] + 1}"
    fine, lead = len(right) - len(wrong), ""
    which = first if len(wrong) == 1 else "Each of the others" if fine else "Each"
    if fine:
        total = len(right)
        lead = f"{fine} of {total} {'is' if fine == 1 else 'are'} right."
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
        return Relation("empty", "Yours is empty.")
    if not extra:
        more = "one more does" if missing == 1 else f"{missing} more do"
        return Relation("missing", f"Each of yours fits, but {more}, too.")
    odd = f"{_said(extra[0])} does not"
    if len(extra) > 1:
        odd = f"{_said(extra[0])} and {len(extra) - 1} more do not"
    if not missing:
        return Relation("extra", f"All that fit are there, but {odd}.")
    if len(mine) == len(wanted) > 1 and (
        found := of_each("Each of yours", mine, wanted, tolerance)
        or of_each("Each of yours", mine[::-1], wanted, tolerance)
    ):
        return found
    if not hits:
        return Relation("none", "None of yours fits.")
    fit = f"{hits} {'fits' if hits == 1 else 'fit'}"
    lack = "one is missing" if missing == 1 else f"{missing} are missing"
    return Relation("mixed", f"Of yours, {fit}; {odd}, and {lack}.")


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
        return Relation("sign", f"{which} is right but for its sign.")
    if whole:
        for step, name, words in _BY_ONE:
            if all(y == r + step for y, r in pairs):
                return Relation(name, f"{which} {words}")
        if all(
            math.floor(y + 0.5) == r and abs(y - r) <= max(0.05, 2e-3 * abs(r)) for y, r in pairs
        ):
            return Relation("unrounded", f"{which} is right once it is rounded to a whole number.")
    elif found := _rounded(which, pairs):
        return found
    if all(right):
        for name, factor, words in FACTORS:
            if all_are([factor * r for r in right]):
                return Relation(name, f"{which} is {words} the right value.")
    if any(yours):
        for name, change, words in CHANGES:
            if all_are([_or_nan(change, r) for r in right]):
                return Relation(name, f"{which} is {words}.")
    if not whole and all(min(abs(y), abs(r)) <= 2 * math.pi for y, r in pairs):
        turns = [(y - r) / (2 * math.pi) for y, r in pairs]
        off = [abs(t - math.floor(t + 0.5)) for t in turns]
        if all(abs(t) > 0.5 and o < limit / 6 for t, o in zip(turns, off, strict=True)):
            return Relation("turns", f"{which} is off by whole turns, multiples of 2π.")
    if len(pairs) > 1:
        if all_are([r + yours[0] - right[0] for r in right]):
            by = yours[0] - right[0]
            if not whole or by != math.floor(by):
                return Relation("shifted", f"{which} is off by the same number.")
            too = "too large" if by > 0 else "too small"
            return Relation("shifted", f"{which} is {_said(abs(by))} {too}.")
        if all(right) and any(yours) and all_are([r * yours[0] / right[0] for r in right]):
            text = f"{which} is off by the same factor: the proportions are right."
            return Relation("scaled", text)
    return None


_BY_ONE = (
    (1, "one_more", "is one too large. Look again at where counting begins."),
    (-1, "one_less", "is one too small. Look again at where counting begins."),
)
_WHOLE = {2: "twice", 3: "three times", 4: "four times"}
_PARTS = {2: "half", 3: "a third of", 4: "a quarter of"}
_STEPS = (2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 32, 64, 128, 256, 512, 1024)
# what each is of the right value
FACTORS = (
    [("twice" if k == 2 else "factor", k, _WHOLE.get(k, f"{k} times")) for k in _STEPS]
    + [("half" if k == 2 else "factor", 1 / k, _PARTS.get(k, f"1/{k} of")) for k in _STEPS]
    + [("power_of_ten", float(f"1e{k}"), f"{10**k:,} times") for k in range(1, 10)]
    + [("power_of_ten", float(f"1e-{k}"), f"1/{10**k:,} of") for k in range(1, 10)]
    + [
        ("turn", 2 * math.pi, "2π times"),
        ("turn", 1 / (2 * math.pi), "1/(2π) of"),
        ("pi", math.pi, "π times"),
        ("pi", 1 / math.pi, "1/π of"),
        ("degrees", 180 / math.pi, "180/π times, as degrees are for radians,"),
        ("radians", math.pi / 180, "π/180 of, as radians are for degrees,"),
        ("root_two", math.sqrt(2), "√2 times"),
        ("root_two", math.sqrt(0.5), "1/√2 of"),
        ("minus_twice", -2.0, "minus twice"),
        ("minus_half", -0.5, "minus half"),
    ]
)
CHANGES = [
    ("inverse", lambda r: 1 / r, "1 divided by the right value"),
    ("complement", lambda r: 1 - r, "1 minus the right value"),
    ("squared", lambda r: r * r, "the square of the right value"),
    ("root", math.sqrt, "the square root of the right value"),
    ("logarithm", math.log, "the natural logarithm of the right value"),
    ("logarithm", math.log2, "the base-2 logarithm of the right value"),
    ("logarithm", math.log10, "the base-10 logarithm of the right value"),
    ("exponential", math.exp, "e to the power of the right value"),
    ("exponential", lambda r: 2.0**r, "2 to the power of the right value"),
    ("sine_cosine", lambda r: math.sqrt(1 - r * r), "to the right value as a sine to its cosine"),
    ("sine_cosine", lambda r: -math.sqrt(1 - r * r), "to the right value as a sine to its cosine"),
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
        if digits < 2:  # any number is near one that has one digit
            return Relation(
                "rounded",
                f"{which} may be right, but rounded to {_counted(places)}: give all digits that are"
                " asked for.",
            )
        to = _counted(places) if places else "a whole number"
        return Relation("rounded", f"{which} is right, but rounded to {to}. Give more digits.")
    if digits > 1 and all(0 < abs(r) - abs(y) < unit and r * y > 0 for y, r in pairs):
        after = _counted(places) if places else "a whole number"
        more = "Give more digits, and round the last."
        return Relation("cut", f"{which} is right, but cut off after {after}. {more}")
    return None


def _counted(places: int) -> str:
    return f"{places} {'decimal' if places == 1 else 'decimals'}"


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
        return Relation(
            "swapped",
            f"These are the right numbers, but numbers {one} and {other} have changed places.",
        )
    if alike(yours, right[::-1]):
        return Relation("reversed", "These are the right numbers, in reversed order.")
    return Relation("order", "These are the right numbers, in another order.")


def _count(yours: Numbers, right: Numbers, tolerance: float) -> str:
    wanted = "One number is" if len(right) == 1 else f"{len(right)} numbers are"
    text = f"{wanted} wanted; you gave {len(yours)}."
    few, rest = sorted((yours, right), key=len)
    if not few or not all(any(near(a, b, tolerance) for b in rest) for a in few):
        return text
    whose = "yours" if few is right else "those wanted"
    return f"{text} {'It is' if len(few) == 1 else 'They are'} among {whose}."


def _size(which: str, yours: float, right: float) -> Relation:
    """Sign and order of magnitude: what can always be said."""
    if yours * right < 0 or not (yours and right):
        if not right:
            return Relation("side", f"{which} is too {'large' if yours > 0 else 'small'}.")
        return Relation("side", f"{which} should be {'above' if right > 0 else 'below'} 0.")
    ratio, large = abs(yours / right), abs(yours) > abs(right)
    name = "large" if large else "small"
    too = f"too {name} in size" if right < 0 else f"too {name}"
    times = (ratio if large else 1 / ratio) * (1 + 1e-6)  # a page has ten digits of what is right
    if times >= 2:
        how = "about twice" if times < 2.5 else f"about {math.floor(times + 0.5)} times"
        if times >= 10:
            power = 10
            while power * 10 <= times and power < 10**9:
                power *= 10
            how = f"more than {power:,} times"
        far = f", {how} the right value" if large else f"; the right value is {how} as large"
        return Relation(name, f"{which} is {too}{far}.")
    share = 100 * abs(ratio - 1) * (1 + 1e-6)
    if share >= 1:
        return Relation(name, f"{which} is about {math.floor(share + 0.5)} % {too}.")
    part = "0.01" if share < 0.01 else "0.1" if share < 0.1 else "1"
    return Relation(
        "near",
        f"{which} is less than {part} % {too}. Either something was rounded on the way, or the"
        " method is off by a little.",
    )


def _said(value: float) -> str:
    """To six digits, as JavaScript writes it."""
    short = repr(float(f"{value:.6g}")).removesuffix(".0")
    if "e" in short and 1e-6 <= abs(value) < 1e21:
        return format(Decimal(short), "f")
    return short.replace("e-0", "e-")
