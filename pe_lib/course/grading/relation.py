"""Describe how a learner's wrong numbers are related to the correct numbers.

A relation is described only if no known mistake of a sheet fits. The description of numbers and
sets does not depend on the question, and does not give the right value away. A chapter's page uses
the same words (_ext/quizzing/relation.mjs), because both modules read relations.toml.
"""

import itertools
import math
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

Numbers = Sequence[float]
TABLE = tomllib.loads(Path(__file__).with_name("relations.toml").read_text("utf-8"))
VAGUE: list[str] = TABLE["vague"]
SECOND_CHANGES: list[str] = TABLE["second_changes"]
RELATED: list[dict[str, Any]] = TABLE["numbers"]  # the chapters' web pages read this table as well
MOST_DECIMALS = 6  # a number with more decimals is a computed result, which nobody has typed
CLOSE = 2e-4  # the tolerance with which rules made of a question's numbers have to hold
OF_QUESTION = "a number from the question and not yet the answer"
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"
)  # fmt: skip
IN_WORDS: dict[str, str] = {row["name"]: row["words"] for row in RELATED} | TABLE["words"]
FUNCTIONS: dict[str, Callable[[float], float]] = {"exp": math.exp, "log": math.log}


class Relation(NamedTuple):
    """A relation between wrong and correct values, with a description for the learner.

    The name selects the description in the teacher's table.
    """

    name: str
    text: str


@dataclass(frozen=True)
class Rule:
    """A formula that turns a correct number into a wrong number, such as 2 · number + 1."""

    name: str
    words: str
    advice: str = ""
    times: float = 1
    plus: float = 0
    power: float | None = None
    function: str | None = None
    # if true, the learner's number must equal the rule's number exactly
    whole: bool = False

    def __post_init__(self) -> None:
        if self.function not in (None, *FUNCTIONS):
            raise ValueError(
                f"relations.toml, {self.name}: there is no function {self.function!r};"
                f" there are {', '.join(FUNCTIONS)}"
            )

    def apply(self, right: float) -> float:
        """Return the wrong number that this rule computes from the correct number."""
        base = right if self.power is None else math.pow(right, self.power)
        if self.function is not None:
            base = FUNCTIONS[self.function](right)
        return self.times * base + self.plus

    def explains(self, yours: float, right: float, tolerance: float) -> bool:
        """Return whether this rule turns the correct number into the learner's number.

        The learner's number may differ from the rule's number by at most 0.2 % of that number, and
        by at most 0.2 % of `plus`. Otherwise any number that is merely small would fit.
        """
        try:
            expected = self.apply(right)
        except (ValueError, OverflowError):
            return False
        if right == 0:
            return False
        if self.function is not None and abs(expected) < 1e-6:
            # exp of a large negative number is almost 0, so a learner's 0 would seem to come from
            # exp
            return False
        if self.power is not None and abs(expected - right) < 0.02 * abs(right):
            # near 1, a number and its powers are almost the same, so the rule would fit by chance
            return False
        if self.whole:
            return yours == expected
        limit = min(tolerance, 1e-3) * (1 + abs(expected))
        smaller = min(abs(expected), abs(self.plus or expected))
        return abs(yours - expected) <= min(limit, 2e-3 * smaller + 1e-12)


def read_rules(rows: Iterable[dict[str, Any]]) -> list[Rule]:
    """Read the rows of relations.toml as rules, and raise ValueError for an unknown field."""
    field_names = [field.name for field in fields(Rule)]
    rules = []
    for row in rows:
        if unknown := set(row) - set(field_names):
            raise ValueError(
                f"relations.toml, {row.get('name')}: no field is called"
                f" {', '.join(sorted(unknown))}; there are {', '.join(field_names)}"
            )
        rules.append(Rule(**row))
    return rules


RULES = read_rules(RELATED)


def is_near(actual: float, expected: float, tolerance: float) -> bool:
    """Return whether two numbers are close enough to count as the same answer.

    >>> is_near(0.30001, 0.3, 1e-4), is_near(0.302, 0.3, 1e-4)
    (True, False)
    """
    return actual == expected or abs(actual - expected) <= tolerance * (1 + abs(expected))


def is_rounding_of(yours: Numbers, expected: Numbers, tolerance: float) -> bool:
    """Return whether the learner gave the expected numbers, but rounded them to fewer decimals.

    The numbers must have enough digits for this not to happen by chance.

    >>> is_rounding_of([6.28, 1.57, 0.39, 0.1], [6.28319, 1.5708, 0.3927, 0.09817], 1e-4)
    True
    >>> is_rounding_of([0.1], [0.09817], 1e-4)
    False
    """
    counts = [count for count in map(count_digits, yours) if count[1] <= MOST_DECIMALS]
    places = max((places for _, places in counts), default=0)
    if places < 1 or sum(digits for digits, _ in counts) < (3 if len(yours) == 1 else 5):
        return False
    return len(yours) == len(expected) and all(
        is_near(y, e, tolerance) or abs(y - e) <= 0.501 * float(f"1e-{places}")
        for y, e in zip(yours, expected, strict=True)
    )


def count_digits(number: float) -> tuple[int, int]:
    """Return how many significant digits and how many decimals a number has.

    The second number is negative if the number is a multiple of ten.

    >>> count_digits(0.025), count_digits(1200.0)
    ((2, 3), (2, -2))
    """
    decimal = Decimal(repr(float(number))).normalize().as_tuple()
    return len(decimal.digits), -int(decimal.exponent)


def relate_numbers(
    yours: Numbers, right: Numbers, tolerance: float, of_question: Numbers = ()
) -> Relation:
    """Describe how a list of wrong numbers is related to a list of correct numbers.

    At least one number must differ. `of_question` lists the numbers that the question shows.

    >>> relate_numbers([-0.5], [0.5, 2], 1e-4)
    Relation(name='count', text='The question asks for 2 numbers, and you gave 1.')
    >>> relate_numbers([3, 9], [3, 4.5], 1e-4).text.partition(".")[0]
    '1 of your 2 numbers is right'
    """
    if len(yours) != len(right):
        expected = "one number" if len(right) == 1 else f"{len(right)} numbers"
        text = f"The question asks for {expected}, and you gave {len(yours)}."
        return Relation("count", f"{text} {_compare_ends(yours, right, tolerance)}".strip())
    if not all(map(math.isfinite, yours)):
        return Relation("not_finite", "Your answer is infinite. The right one is a finite number.")
    wrong = [n for n in range(len(right)) if not is_near(yours[n], right[n], tolerance)]
    if permutation := _relate_permutation(yours, right, wrong, tolerance):
        return permutation
    right_count = len(right) - len(wrong)
    first = name_number(wrong[0]) if len(right) > 1 else "Your number"
    others = "Each of your other numbers" if right_count else "Each of your numbers"
    which = first if len(wrong) == 1 else others
    mine, theirs = [yours[n] for n in wrong], [right[n] for n in wrong]
    relation = relate_each(which, mine, theirs, tolerance, of_question)
    if not relation and len(wrong) > 1:
        relations = (
            relate_each(name_number(n), [yours[n]], [right[n]], tolerance, of_question)
            for n in wrong
        )
        alone = list(filter(None, relations))
        # a relation that holds for less than half of the wrong numbers may hold by chance
        alone = alone if 2 * len(alone) >= len(wrong) else []
        text = " ".join(single.text for single in alone)
        relation = Relation(alone[0].name, text) if alone else None
    relation = relation or _compare_sizes(first, yours[wrong[0]], right[wrong[0]])
    verb = "is" if right_count == 1 else "are"
    lead = f"{right_count} of your {len(right)} numbers {verb} right. " if right_count else ""
    return Relation(relation.name, lead + relation.text)


def _compare_ends(yours: Numbers, right: Numbers, tolerance: float) -> str:
    """Say that some numbers begin or end with the right ones, or are some of them, or return ''.

    >>> _compare_ends([3, 4], [3, 4, 5], 1e-5)
    'Yours are the first 2 of them, and they are right. Give the others as well.'
    >>> _compare_ends([8, 9, 5], [5], 1e-5), _compare_ends([8], [5, 6], 1e-5)
    ('Your last number is right, so leave out the others.', '')
    """
    count = min(len(yours), len(right))
    if not count:
        return ""
    for name, cut in (("first", slice(count)), ("last", slice(-count, None))):
        pairs = zip(yours[cut], right[cut], strict=True)
        if not all(is_near(mine, expected, tolerance) for mine, expected in pairs):
            continue
        many = name if count == 1 else f"{name} {count}"
        if len(yours) > count:
            some = "number is" if count == 1 else "numbers are"
            return f"Your {many} {some} right, so leave out the others."
        if count == 1:
            return f"Yours is the {name} of them, and it is right. Give the others as well."
        return f"Yours are the {many} of them, and they are right. Give the others as well."
    return ""


def _relate_permutation(
    yours: Numbers, right: Numbers, wrong: list[int], tolerance: float
) -> Relation | None:
    """Return a relation if the answer has the correct numbers in another order, and else None."""
    pairs = zip(sorted(yours), sorted(right), strict=True)
    if len(right) < 2 or not all(is_near(y, r, tolerance) for y, r in pairs):
        return None
    if len(wrong) > 2:
        text = "You gave the right numbers, but in another order than the question asks for."
        return Relation("order", text)
    text = f"You gave the right numbers, but {_name_both(*wrong)} have changed places."
    return Relation("swapped", text)


def _name_both(first: int, second: int) -> str:
    if second < len(ORDINALS):
        return f"the {ORDINALS[first]} and the {ORDINALS[second]} number"
    return f"the numbers at places {first + 1} and {second + 1}"


def name_number(place: int, owner: str = "Your") -> str:
    """Name one of several numbers in words. The first number has place 0.

    >>> name_number(1), name_number(11)
    ('Your second number', 'Your number at place 12')
    """
    if place < len(ORDINALS):
        return f"{owner} {ORDINALS[place]} number"
    return f"{owner} number at place {place + 1}"


def relate_sets(yours: Numbers, right: Numbers, tolerance: float) -> Relation:
    """Describe how a wrong set of numbers is related to the correct set.

    >>> relate_sets([4, 5, 6], [3, 4, 5], 1e-5).text
    'Each of your numbers is one too large. Check where your counting begins, and how you round.'
    >>> relate_sets([4, 9], [3, 4, 5], 1e-5).text
    '1 of your 2 numbers fits, and the other does not. 2 numbers are missing.'
    """
    mine, expected = sorted(set(yours)), sorted(set(right))

    def count_outside(values: Numbers, others: Numbers) -> int:
        return sum(
            not any(is_near(value, other, tolerance) for other in others) for value in values
        )

    extra, missing = count_outside(mine, expected), count_outside(expected, mine)
    if not mine:
        return Relation("empty", "Your answer contains no number, but there are numbers that fit.")
    if len(mine) == len(expected) > 1 and (
        relation := relate_each("Each of your numbers", mine, expected, tolerance)
    ):
        return relation
    fit, noun = len(mine) - extra, "number" if len(mine) == 1 else "numbers"
    if not extra:
        more = "one more number does" if missing == 1 else f"{missing} more numbers do"
        text = f"Every number that you gave fits, but {more} as well."
        if mine == expected[: len(mine)]:
            which = "It is larger than yours" if missing == 1 else "They are all larger than yours"
            return Relation("too_early", f"{text} {which}, so you stopped too early.")
        return Relation("missing", text)
    if not missing:
        other = "one of yours does" if extra == 1 else f"{extra} of yours do"
        text = f"You found every number that fits, but {other} not fit."
        if expected == mine[: len(expected)]:
            which = "It is" if extra == 1 else "They are"
            return Relation("too_late", f"{text} {which} too large, so you stopped too late.")
        return Relation("extra", text)
    lack = "One number is" if missing == 1 else f"{missing} numbers are"
    if not fit:
        none = "Your number does not fit" if extra == 1 else "None of your numbers fits"
        return Relation("mixed", f"{none}. {lack} missing.")
    verb, other = "fits" if fit == 1 else "fit", "other does" if extra == 1 else "others do"
    text = f"{fit} of your {len(mine)} {noun} {verb}, and the {other} not. {lack} missing."
    return Relation("mixed", text)


def relate_each(
    which: str, yours: Numbers, right: Numbers, tolerance: float, of_question: Numbers = ()
) -> Relation | None:
    """Return a relation that each of several wrong numbers has to its correct number.

    Return None if no simple relation holds.

    >>> relate_each("Your number", [45.0], [math.pi / 4], 1e-4).name
    'degrees'
    """
    pairs = list(zip(yours, right, strict=True))
    is_whole = all(r == math.floor(r) for r in right)

    def first_that_holds(rules: Iterable[Rule], limit: float = tolerance) -> Relation | None:
        for rule in rules:
            if (is_whole or not rule.whole) and all(rule.explains(*pair, limit) for pair in pairs):
                return Relation(rule.name, f"{which} is {rule.words}. {rule.advice}".strip())
        return None

    telling = filter(_is_telling, of_question)
    advice = "You still have to compute something from it."
    alone = [Rule("given", OF_QUESTION, advice, times=0, plus=number) for number in telling]
    if relation := first_that_holds([*alone, *RULES]):
        return relation
    if not is_whole and (relation := _relate_rounding(which, pairs)):
        return relation
    if is_whole and all(
        math.floor(y + 0.5) == r and abs(y - r) <= max(0.05, 2e-3 * abs(r)) for y, r in pairs
    ):
        text = f"{which} becomes right when it is rounded to a whole number. Round it."
        return Relation("unrounded", text)
    # Some right values, such as wavelengths, are multiples of 2π themselves. Then a difference by a
    # multiple of 2π is no sign of a wrong number of turns.
    if all(_is_turns(y - r) and not _is_turns(r) for y, r in pairs):
        text = f"{which} differs from the right value by a multiple of 2π."
        return Relation(
            "turns_off",
            f"{text} If it is an angle, it is off by whole turns, so check how you count them.",
        )
    # Many rules are made of the numbers in a question, so one of them may hold roughly by chance.
    return first_that_holds(_rules_of_question(of_question), min(tolerance, CLOSE))


def _is_turns(angle: float) -> bool:
    """Return whether a number is a multiple of 2π, but not 0 and not very large."""
    turns = angle / (2 * math.pi)
    return 0.5 < abs(turns) < 1e4 and abs(turns - math.floor(turns + 0.5)) < 1e-4


def _rules_of_question(of_question: Numbers) -> Iterator[Rule]:
    """Yield rules that explain a wrong number by one or two numbers that stand in the question.

    >>> next(_rules_of_question([14.5])).words
    'the right value times 14.5, which is a number in the question'
    """
    for number in filter(_is_telling, of_question):
        by = f"{number:.10g}, which is a number in the question"
        for words, times, plus in (
            (f"the right value times {by}", number, 0),
            (f"the right value divided by {by}", 1 / number, 0),
            (f"the right value plus {by}", 1, number),
            (f"the right value minus {by}", 1, -number),
            (f"the right value times the root of {by}", abs(number) ** 0.5, 0),
            (f"the right value divided by the root of {by}", abs(number) ** -0.5, 0),
        ):
            yield Rule("by_given", words, "Check where you use it.", times, plus)
    for a, b in itertools.permutations(of_question, 2):
        for sign, value in (("+", a + b), ("−", a - b), ("·", a * b), ("/", a / b if b else 0)):
            if _has_digits(value):
                words = f"{a:.10g} {sign} {b:.10g}, made of two numbers in the question"
                yield Rule("put_together", words, times=0, plus=value)


def _has_digits(value: float) -> bool:
    """Return whether a number has enough digits to show that it was made of two other numbers.

    A number with few digits may agree with a sum or a product by chance.
    """
    if abs(value) >= 10:
        return value != math.floor(value) or abs(value) >= 100
    return abs(10 * value - math.floor(10 * value + 0.5)) > 1e-6


def _relate_rounding(which: str, pairs: list[tuple[float, float]]) -> Relation | None:
    """Return a relation if the learner has given too few digits of each correct number."""
    counts = [count_digits(y) for y, _ in pairs]
    places = max(0, *(decimals for _, decimals in counts))
    unit, to = float(f"1e-{places}"), f"{places} {'decimal' if places == 1 else 'decimals'}"
    lacks = [(abs(r) - abs(y)) / unit if y * r > 0 else math.inf for y, r in pairs]
    # Many numbers round to the same single digit. So the message says only that the number may be
    # rounded.
    if max(digits for digits, _ in counts) < 2:
        if not places or not all(abs(lack) <= 0.501 for lack in lacks):
            return None
        text = f"{which} may be the right value, rounded to {to}."
        return Relation("rounded", f"{text} Give all the digits that the question asks for.")
    if not all(-0.501 <= lack < 0.999_999 for lack in lacks):
        return None
    to = to if places else "a whole number"
    text = f"{which} is the right value, but rounded or cut to {to}. Give more digits."
    return Relation("rounded", text)


def _is_telling(value: float) -> bool:
    """Return whether a number is so unusual that an answer hardly contains it by chance.

    Small whole numbers appear in both questions and answers all the time.
    """
    return value != math.floor(value) or abs(value) >= 10


def _compare_sizes(which: str, yours: float, right: float) -> Relation:
    """Say whether a wrong number has the wrong sign, or by how much it is too large or too small.

    The website knows only ten digits of `right`, so ratios are increased very slightly.

    >>> _compare_sizes("Your number", 35, 346).text
    'Your number is too small. The right value is about 10 times as large.'
    >>> _compare_sizes("Your number", 300, 346).text
    'Your number is too small. It is off by 10 or more, but by less than 100.'
    """
    if yours * right < 0 or not yours or not right:
        side = "above 0" if right > 0 else "below 0" if right < 0 else "0"
        return Relation("side", f"{which} should be {side}.")
    ratio, is_large = abs(yours / right), abs(yours) > abs(right)
    name = "large" if is_large else "small"
    too = f"{which} is too {name}" + (" in size" if right < 0 else "")
    times = min(ratio if is_large else 1 / ratio, 1e9)
    if times >= 2 - 1e-6:
        power = 10 ** (len(str(math.floor(times * (1 + 1e-9)))) - 1)
        rounded = math.floor(times * (1 + 1e-6) + 0.5)
        many = f"about {rounded}" if times < 10 - 1e-8 else f"at least {power:,}"
        if is_large:
            return Relation(name, f"{too}. It is {many} times the right value.")
        return Relation(name, f"{too}. The right value is {many} times as large.")
    share = math.floor(100 * abs(ratio - 1) * (1 + 1e-6) + 0.5)
    why = "Either you rounded a number on the way, or the method is slightly wrong."
    # if the right value is a position or counts things, a distance says more than a percentage
    if right == math.floor(right):
        distance = _describe_distance(abs(yours - right), abs(right))
        text = " ".join(filter(None, [f"{too}.", distance, "" if share else why]))
        return Relation(name if share else "near", text)
    if share:
        return Relation(name, f"{too}, by about {share} %.")
    return Relation("near", f"{too}, by less than 1 %. {why}")


def _describe_distance(distance: float, size: float) -> str:
    """Say between which two powers of ten a number's distance from the right value lies."""
    if distance < 10:
        return "It is off by less than 10." if size >= 20 else ""
    power = 10 ** (len(str(math.floor(distance))) - 1)
    return f"It is off by {power:,} or more, but by less than {10 * power:,}."
