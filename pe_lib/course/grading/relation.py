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
RELATED: list[dict[str, Any]] = TABLE["numbers"]  # the chapters' web pages read this table as well
OF_QUESTION = "a number that the question gives, not the answer"
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
    times: float = 1
    plus: float = 0
    power: float | None = None
    function: str | None = None
    # whether the rule must hold exactly, with no tolerance for rounding
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
        if self.power is not None and abs(expected - right) < 0.02 * abs(right):
            return False  # the powers of a number near 1 are almost the same number
        if self.whole:
            return yours == expected
        limit = min(tolerance, 1e-3) * (1 + abs(expected))
        smaller = min(abs(expected), abs(self.plus or expected))
        return abs(yours - expected) <= min(limit, 2e-3 * smaller + 1e-12)


def read_rules(rows: Iterable[dict[str, Any]]) -> list[Rule]:
    """Read the rules in relations.toml, and raise ValueError for an unknown field."""
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


def relate_numbers(
    yours: Numbers, right: Numbers, tolerance: float, of_question: Numbers = ()
) -> Relation:
    """Describe how a list of wrong numbers is related to a list of correct numbers.

    At least one number must differ. `of_question` lists the numbers that the question shows.

    >>> relate_numbers([-0.5], [0.5], 1e-4)
    Relation(name='sign', text='Yours is right but for its sign.')
    >>> relate_numbers([3, 8], [3, 4], 1e-4).text
    '1 of 2 is right. Number 2 is twice the right value.'
    """
    if len(yours) != len(right):
        expected = "One number is" if len(right) == 1 else f"{len(right)} numbers are"
        return Relation("count", f"{expected} wanted; you gave {len(yours)}.")
    if not all(map(math.isfinite, yours)):
        return Relation("not_finite", "An infinite number is not wanted.")
    wrong = [n for n in range(len(right)) if not is_near(yours[n], right[n], tolerance)]
    if permutation := _relate_permutation(yours, right, wrong, tolerance):
        return permutation
    right_count = len(right) - len(wrong)
    first = f"Number {wrong[0] + 1}" if len(right) > 1 else "Yours"
    which = first if len(wrong) == 1 else "Each of the others" if right_count else "Each"
    mine, theirs = [yours[n] for n in wrong], [right[n] for n in wrong]
    relation = relate_each(which, mine, theirs, tolerance, of_question)
    if not relation and len(wrong) > 1:
        relations = (
            relate_each(f"Number {n + 1}", [yours[n]], [right[n]], tolerance, of_question)
            for n in wrong
        )
        alone = list(filter(None, relations))
        text = " ".join(single.text for single in alone)
        relation = Relation(alone[0].name, text) if alone else None
    relation = relation or _compare_sizes(first, yours[wrong[0]], right[wrong[0]])
    verb = "is" if right_count == 1 else "are"
    lead = f"{right_count} of {len(right)} {verb} right. " if right_count else ""
    return Relation(relation.name, lead + relation.text)


def _relate_permutation(
    yours: Numbers, right: Numbers, wrong: list[int], tolerance: float
) -> Relation | None:
    """Return a relation if the answer has the correct numbers in another order, and else None."""
    pairs = zip(sorted(yours), sorted(right), strict=True)
    if len(right) < 2 or not all(is_near(y, r, tolerance) for y, r in pairs):
        return None
    if len(wrong) > 2:
        return Relation("order", "These are the right numbers, in another order.")
    places = f"numbers {wrong[0] + 1} and {wrong[1] + 1} have changed places"
    return Relation("swapped", f"These are the right numbers, but {places}.")


def relate_sets(yours: Numbers, right: Numbers, tolerance: float) -> Relation:
    """Describe how a wrong set of numbers is related to the correct set.

    >>> relate_sets([4, 5, 6], [3, 4, 5], 1e-5).text
    'Each of yours is one too large: look at where counting begins, or at what is rounded.'
    >>> relate_sets([4, 9], [3, 4, 5], 1e-5).text
    'Of yours, 1 fits and 1 does not; 2 are missing.'
    """
    mine, expected = sorted(set(yours)), sorted(set(right))

    def count_outside(values: Numbers, others: Numbers) -> int:
        return sum(
            not any(is_near(value, other, tolerance) for other in others) for value in values
        )

    extra, missing = count_outside(mine, expected), count_outside(expected, mine)
    if not mine:
        return Relation("empty", "Yours is empty.")
    if len(mine) == len(expected) > 1 and (
        relation := relate_each("Each of yours", mine, expected, tolerance)
    ):
        return relation
    do, fit = "does" if extra == 1 else "do", len(mine) - extra
    if not extra:
        more = "one more does" if missing == 1 else f"{missing} more do"
        text = f"Each of yours fits, but {more}, too."
        if mine == expected[: len(mine)]:
            return Relation("too_early", f"{text} They are larger than yours: you stop too early.")
        return Relation("missing", text)
    if not missing:
        text = f"All that fit are there, but {extra} of yours {do} not fit."
        if expected == mine[: len(expected)]:
            return Relation("too_late", f"{text} They are larger than those: you stop too late.")
        return Relation("extra", text)
    lack = f"{missing} {'is' if missing == 1 else 'are'} missing"
    text = f"Of yours, {fit or 'none'} {'fit' if fit > 1 else 'fits'} and {extra} {do} not; {lack}."
    return Relation("mixed", text)


def relate_each(
    which: str, yours: Numbers, right: Numbers, tolerance: float, of_question: Numbers = ()
) -> Relation | None:
    """Return a relation that holds between each wrong number and the correct number for it.

    Return None if no simple relation holds.

    >>> relate_each("Yours", [45.0], [math.pi / 4], 1e-4).name
    'degrees'
    """
    pairs = list(zip(yours, right, strict=True))
    is_whole = all(r == math.floor(r) for r in right)

    def first_that_holds(rules: Iterable[Rule]) -> Relation | None:
        for rule in rules:
            if (is_whole or not rule.whole) and all(
                rule.explains(*pair, tolerance) for pair in pairs
            ):
                return Relation(rule.name, f"{which} is {rule.words}.")
        return None

    telling = filter(_is_telling, of_question)
    alone = [Rule("given", OF_QUESTION, times=0, plus=number) for number in telling]
    if relation := first_that_holds([*alone, *RULES]):
        return relation
    if not is_whole and (relation := _relate_rounding(which, pairs)):
        return relation
    if is_whole and all(
        math.floor(y + 0.5) == r and abs(y - r) <= max(0.05, 2e-3 * abs(r)) for y, r in pairs
    ):
        return Relation("unrounded", f"{which} is right once it is rounded to a whole number.")
    turns = [(y - r) / (2 * math.pi) for y, r in pairs]
    if all(0.5 < abs(n) < 1e4 and abs(n - math.floor(n + 0.5)) < 1e-4 for n in turns):
        return Relation("turns_off", f"{which} is off by whole turns, multiples of 2π.")
    return first_that_holds(_rules_of_question(of_question))


def _rules_of_question(of_question: Numbers) -> Iterator[Rule]:
    """Yield rules that compute a wrong number from one or two of the question's own numbers.

    >>> next(_rules_of_question([14.5])).words
    'the right value times 14.5, a number of the question'
    """
    for number in filter(_is_telling, of_question):
        by = f"{number:.10g}, a number of the question"
        for words, times, plus in (
            (f"the right value times {by}", number, 0),
            (f"the right value divided by {by}", 1 / number, 0),
            (f"the right value plus {by}", 1, number),
            (f"the right value minus {by}", 1, -number),
            (f"the right value times the root of {by}", abs(number) ** 0.5, 0),
            (f"the right value divided by the root of {by}", abs(number) ** -0.5, 0),
        ):
            yield Rule("by_given", words, times, plus)
    for a, b in itertools.permutations(of_question, 2):
        for sign, value in (("+", a + b), ("−", a - b), ("·", a * b), ("/", a / b if b else 0)):
            if value != math.floor(value) or abs(value) >= 100:
                words = f"{a:.10g} {sign} {b:.10g}, two numbers of the question"
                yield Rule("put_together", words, times=0, plus=value)


def _relate_rounding(which: str, pairs: list[tuple[float, float]]) -> Relation | None:
    """Return a relation if each wrong number is the correct number with too few digits."""
    decimals = [Decimal(repr(float(y))).normalize().as_tuple() for y, _ in pairs]
    places = max(max(-int(number.exponent), 0) for number in decimals)
    unit, to = float(f"1e-{places}"), f"{places} {'decimal' if places == 1 else 'decimals'}"
    lacks = [(abs(r) - abs(y)) / unit if y * r > 0 else math.inf for y, r in pairs]
    # many numbers round to the same single digit, so the message is less certain in this case
    if max(len(number.digits) for number in decimals) < 2:
        if not places or not all(abs(lack) <= 0.501 for lack in lacks):
            return None
        text = f"{which} may be right, but rounded to {to}: give all digits that are asked for."
        return Relation("rounded", text)
    if not all(-0.501 <= lack < 0.999_999 for lack in lacks):
        return None
    to = to if places else "a whole number"
    return Relation("rounded", f"{which} is right, but rounded or cut to {to}. Give more digits.")


def _is_telling(value: float) -> bool:
    """Return whether a number from the question is unlikely to be in an answer by chance.

    Small whole numbers appear in both questions and answers all the time.
    """
    return value != math.floor(value) or abs(value) >= 10


def _compare_sizes(which: str, yours: float, right: float) -> Relation:
    """Compare two numbers by their signs and orders of magnitude."""
    if yours * right < 0 or not yours or not right:
        side = "above 0" if right > 0 else "below 0" if right < 0 else "0"
        return Relation("side", f"{which} should be {side}.")
    ratio, is_large = abs(yours / right), abs(yours) > abs(right)
    name = "large" if is_large else "small"
    too = f"{which} is too {name}" + (" in size" if right < 0 else "")
    # the website knows only ten digits of `right`, so the factor is increased very slightly
    times = (ratio if is_large else 1 / ratio) * (1 + 1e-6)
    if times >= 2:
        power = 10 ** (len(f"{min(times, 1e9):.0f}") - 1)
        many = f"about {math.floor(times + 0.5)}" if times < 9.5 else f"more than {power:,}"
        how = f", {many} times the right value" if is_large else ""
        return Relation(name, f"{too}{how or f': the right value is {many} times as large'}.")
    share = math.floor(100 * abs(ratio - 1) * (1 + 1e-6) + 0.5)
    if share:
        return Relation(name, f"{too}, by about {share} %.")
    why = "Either something was rounded on the way, or the method is off by a little."
    return Relation("near", f"{too}, by less than 1 %. {why}")
