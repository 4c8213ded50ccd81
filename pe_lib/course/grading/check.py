"""Judge an answer by comparing its values with the values of the solution and of known mistakes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pe_lib.course.grading.agreement import (
    is_same_outcome,
    is_same_part,
    is_same_value,
    read_right_otherwise,
    split_pieces,
)
from pe_lib.course.grading.arrays import Pair
from pe_lib.course.grading.borrowed import BorrowedError
from pe_lib.course.grading.combined import Combination, combine_arrays, combine_numbers
from pe_lib.course.grading.difference import describe_case, describe_difference
from pe_lib.course.grading.numbers import describe_grouping
from pe_lib.course.grading.outcome import (
    Failure,
    Outcome,
    Value,
    attempt,
    compute_outcome,
    reference_outcomes,
)
from pe_lib.course.grading.relation import VAGUE, is_rounding_of, name_number
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Question, Variant
from pe_lib.course.grading.slips import (
    A_PART,
    describe_unused_arguments,
    find_slip,
    find_slip_in_mistake,
    is_evidence,
    is_telling,
)
from pe_lib.course.grading.trivial import idle_answers

NEVER_TRIED = {"absent", "missing", "untouched", "of_another_kind"}
# Matches claims in a mistake's text like "The cosines are right". Such a claim may be untrue for an
# answer that contains the mistake in one part only.
OTHERS_RIGHT = re.compile(
    r"^(?:The|Your|Both|All)\b[^.?!]*\b(?:is|are) right(?: now)?\. (?:But (\w))?"
)


@dataclass(frozen=True)
class Trial:
    """The values of an answer, and those of the solution and of all known mistakes."""

    question: Question
    seeds: list[int]
    actual: Outcome
    references: dict[str, Outcome]

    @property
    def solution(self) -> Outcome:
        return self.references["solution"]

    @cached_property
    def right_parts(self) -> tuple[str, ...]:
        """The parts of the question that the answer gets right for every set of random numbers."""
        return tuple(
            part
            for part in self.question.points
            if is_same_part(self.question, self.actual[part], self.solution[part])
        )

    @cached_property
    def idle_answer(self) -> str:
        """A description of a trivial function that is right wherever the answer is right.

        The description is '' if no part is right, or no trivial function gets these parts right.
        """
        if not self.right_parts:
            return ""
        idle = idle_answers(self.question, self.seeds[0])
        return next(
            (text for text, parts in idle.items() if parts.issuperset(self.right_parts)), ""
        )

    @property
    def wrong_result(self) -> Result:
        """The result for a wrong answer, with points for the right parts but no explanation.

        No points are given if a trivial function gets the same parts right.
        """
        counted = () if self.idle_answer else self.right_parts
        return Result(self.question, "partly" if counted else "wrong", good=counted)


@dataclass(frozen=True)
class PartialExplanation:
    """An explanation that covers some of the errors in an answer, each by a known mistake."""

    mistake: str = ""  # the name of the first known mistake that is part of the explanation
    text: str = ""
    is_complete: bool = False  # whether all errors in the answer are explained


def grade(question: Question, names: dict[str, Any], seed: int = 0, seconds: float = 5.0) -> Result:
    """Find the answer to a question among the names that a learner has defined, and grade it."""
    answer = names.get(question.answer)
    if (reading := read_right_otherwise(question, answer, seed)) is not None:
        text = f"Read as {', '.join(f'{number:.15g}' for number in reading)}."
        return replace(judge(question, compute_outcome(question, reading), seed), hint=text)
    result = _grade_as_read(question, names, seed, seconds)
    grouping = describe_grouping(question.kind, answer)
    if grouping and result.status == "wrong":
        return replace(result, hint=f"{grouping} {result.hint}")
    return result


def _grade_as_read(question: Question, names: dict[str, Any], seed: int, seconds: float) -> Result:
    """Grade the learner's answer, reading commas and other marks in the most common way."""
    answer = names.get(question.answer)
    outcome = attempt(question, names, seed, seconds)
    result = judge(question, outcome, seed)
    if result.relation in (*VAGUE, "double"):
        result = _explain_by_slip(result, question, outcome, seed)
        unused = describe_unused_arguments(question, answer)
        if unused and not result.mistake and result.relation not in ("slip", "double"):
            result = replace(result, hint=f"{unused} {result.hint}", relation="unused")
    if not result.relation:
        return result
    step = f'For the next step, run `sheet.hint("{question.name}")`.'
    return replace(result, step=step)


def _explain_by_slip(result: Result, question: Question, outcome: Outcome, seed: int) -> Result:
    """If a slip in a solution or in a known mistake gives an answer's values, say so in the result.

    A known mistake in a part of the answer says more than a slip that cannot be shown.
    """
    slip = find_slip(question, outcome, seed)
    is_explained = bool(result.mistake) or result.relation == "double"
    if slip and not (is_explained and A_PART in slip):
        text = (
            f"A correct solution gives exactly your result if {slip}."
            " Check whether you made this mistake."
        )
        return replace(result, hint=text, mistake="", relation="slip")
    if is_explained:
        return result
    mistake, slip = find_slip_in_mistake(question, outcome, seed)
    if not mistake:
        combination = _combine_with_mistake(question, outcome, seed)
        both = _describe_combination(question, combination) if combination else ""
        return replace(result, hint=both, relation="double") if both else result
    if not slip:
        return replace(result, hint=mistake.text, mistake=mistake.name, relation="")
    text = (
        f"Two mistakes together give exactly your result. First: {mistake.text}"
        f" Second: your solution behaves as if {slip}."
    )
    return replace(result, hint=text, relation="double")


def _combine_with_mistake(question: Question, outcome: Outcome, seed: int) -> Combination | None:
    """Find the mistake that gives a function's values after one change, or return None.

    The values are not compared where they already agree with the mistake.
    """
    if question.kind != "code":
        return None
    pairs: dict[str, list[Pair]] = {}
    for mistake in question.mistakes:
        expected = reference_outcomes(question, seed)[mistake.name]
        both = [
            pair for part in outcome for pair in zip(outcome[part], expected[part], strict=True)
        ]
        different = [pair for pair in both if not is_same_value(question, *pair)]
        arrays = [
            (a, b) for a, b in different if isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
        ]
        is_usable = len(arrays) == len(different) and is_evidence([a for a, _ in arrays])
        pairs[mistake.name] = arrays if is_usable else []
    return combine_arrays(pairs, question.tolerance)


def judge(question: Question, outcome: Outcome, seed: int = 0) -> Result:
    """Return the result for an answer that was tried on a single set of random numbers."""
    return judge_all(question, {seed: outcome})


def judge_all(question: Question, outcomes: dict[int, Outcome]) -> Result:
    """Return the result for an answer that was tried on several sets of random numbers.

    A part counts as right only if it is right for all seeds.
    """
    seeds = list(outcomes)
    actual = _join_outcomes(outcomes.values())
    if result := _judge_without_values(question, actual):
        return result
    references = {
        name: _join_outcomes(reference_outcomes(question, seed)[name] for seed in seeds)
        for name in reference_outcomes(question, seeds[0])
    }
    trial = Trial(question, seeds, actual, references)
    if len(trial.right_parts) == len(question.points):
        return Result(question, "right", good=trial.right_parts)
    return _explain(trial)


def _judge_without_values(question: Question, actual: Outcome) -> Result | None:
    """Return the result for an answer that was left unchanged or that returned None.

    For any other answer, return None.
    """
    kinds = {getattr(value, "kind", "") for values in actual.values() for value in values}
    if len(kinds) == 1 and kinds <= NEVER_TRIED:
        text = getattr(next(iter(actual.values()))[0], "text", "")
        return Result(question, "wrong" if kinds == {"of_another_kind"} else "open", text)
    if kinds == {"none"}:
        text = (
            f"`{question.answer}` returns `None`. Give the value back with `return`, because"
            " printing it or changing an argument is not enough."
        )
        return Result(question, "open", text)
    return None


def _explain(trial: Trial) -> Result:
    """Explain a wrong answer by its most likely cause.

    The causes are tried in this order: a forbidden call, a known mistake, known mistakes in single
    pieces, and the difference from the right value.
    """
    result = trial.wrong_result
    if text := _describe_library_call(trial.actual):
        return replace(result, hint=text, relation="borrowed")
    if mistake := _find_mistake(trial):
        return replace(result, hint=mistake.text, mistake=mistake.name)
    partial = _explain_pieces(trial)
    if partial.is_complete:
        return replace(result, hint=partial.text, mistake=partial.mistake)
    if diagnosis := _find_mistake_of_values(trial):
        mistake, failure = diagnosis
        return replace(result, hint=f"{mistake.text} {failure}", mistake=mistake.name)
    return _explain_difference(trial, result, partial)


def _describe_library_call(actual: Outcome) -> str:
    """Describe a forbidden call of the library in an answer, or return '' if there is none."""
    failures = (v for values in actual.values() for v in values if isinstance(v, Failure))
    return next((f.text for f in failures if f.kind == BorrowedError.__name__), "")


def _find_mistake(trial: Trial) -> Variant | None:
    """Return the known mistake that gives the answer's values, at least after rounding."""
    question, rounded = trial.question, _round_outcome(trial.question, trial.actual)
    for mistake in question.mistakes:
        expected = trial.references[mistake.name]
        outcomes = [trial.actual, rounded] if _wants_whole(trial, expected) else [trial.actual]
        if any(
            is_same_outcome(question, actual, expected) and _fails_alike(actual, expected)
            for actual in outcomes
        ):
            return mistake
    if rounded_mistake := _find_rounded_mistake(trial):
        return rounded_mistake
    if not question.wants_whole:
        return None
    # if a question asks for a whole number, a learner who makes a mistake rounds its result
    return next(
        (
            mistake
            for mistake in question.mistakes
            if _is_large(expected := _round_outcome(question, trial.references[mistake.name]))
            and is_same_outcome(question, trial.actual, expected)
        ),
        None,
    )


def _find_rounded_mistake(trial: Trial) -> Variant | None:
    """Return the known mistake that gives the answer's numbers after rounding, if only one does.

    A learner rounds as the question asks. If a mistake gives small numbers, its values before and
    after rounding may differ by more than the tolerance.
    """
    question = trial.question
    if question.kind not in ("number", "numbers"):
        return None
    yours = trial.actual["answer"][0]
    if not isinstance(yours, np.ndarray) or not np.isfinite(yours).all():
        return None

    def fits(outcome: Outcome) -> bool:
        value = outcome["answer"][0]
        return isinstance(value, np.ndarray) and is_rounding_of(
            np.ravel(yours).tolist(), np.ravel(value).tolist(), question.tolerance
        )

    if fits(trial.solution):
        return None
    fitting = [mistake for mistake in question.mistakes if fits(trial.references[mistake.name])]
    return fitting[0] if len(fitting) == 1 else None


def _is_large(outcome: Outcome) -> bool:
    """Return whether the numbers in an answer are too large to be correct by chance."""
    value = outcome["answer"][0]
    return isinstance(value, np.ndarray) and bool((np.abs(value) >= 10).all())


def _find_mistake_of_values(trial: Trial) -> tuple[Variant, str] | None:
    """Find the known mistake in a function that also fails in some cases, if only one mistake fits.

    Such a function has two faults. With `i / (n - 1)` in an exponent, for example, it divides by 0
    if there is one pair. Return the mistake and a description of the failure. Return None unless
    the function returns values in most cases, and at least two of them are wrong.
    """
    question = trial.question
    if question.kind != "code":
        return None
    places = [(part, n) for part, values in trial.actual.items() for n in range(len(values))]

    def agrees(place: tuple[str, int], outcome: Outcome) -> bool:
        part, n = place
        return is_same_value(question, trial.actual[part][n], outcome[part][n])

    def fails(place: tuple[str, int]) -> bool:
        part, n = place
        return _is_failure(trial.actual[part][n]) and not agrees(place, trial.solution)

    failing = [place for place in places if fails(place)]
    rest = [place for place in places if place not in failing]
    wrong = [place for place in rest if not agrees(place, trial.solution)]
    is_known = any(is_telling(trial.actual[part][n]) for part, n in wrong)
    if not failing or 2 * len(failing) > len(rest) or len(wrong) < 2 or not is_known:
        return None
    fitting = [
        mistake
        for mistake in question.mistakes
        if all(agrees(place, trial.references[mistake.name]) for place in rest)
    ]
    if len(fitting) != 1:
        return None
    part, n = failing[0]
    pair = trial.actual[part][n], trial.solution[part][n]
    seed, draw = trial.seeds[n // question.draws], n % question.draws
    text, _, _ = describe_difference(question, part, [pair], None)
    case = describe_case(question, part, seed, draw)
    return fitting[0], " ".join(filter(None, [text, case and f"This was tried with {case}."]))


def _is_failure(value: Value) -> bool:
    """Return whether a function gave no usable value, as it raised an error or returned NaN."""
    return isinstance(value, Failure) or (
        isinstance(value, np.ndarray) and bool(np.isnan(value).any())
    )


def _fails_alike(actual: Outcome, expected: Outcome) -> bool:
    """Return whether an answer stops with the same error messages as a known mistake.

    Two errors of the same kind may have different causes. So the messages are compared if there are
    no values that agree as well.
    """
    pairs = [pair for part in expected for pair in zip(actual[part], expected[part], strict=True)]
    errors = [
        (a.text, b.text) for a, b in pairs if isinstance(a, Failure) and isinstance(b, Failure)
    ]
    return len(errors) < len(pairs) or all(a.split(", in line")[0] == b for a, b in errors)


def _wants_whole(trial: Trial, expected: Outcome) -> bool:
    """Return whether an answer may be rounded before it is compared with a known mistake's value.

    The question asks for them if it says so, or if the solution and all mistakes give whole
    numbers. The solution's value alone, √(d/2) for example, may be whole by chance.
    """
    if trial.question.kind not in ("number", "numbers"):
        return False
    references = [expected] if trial.question.wants_whole else trial.references.values()
    return all(_is_whole(outcome["answer"][0]) for outcome in references)


def _round_outcome(question: Question, actual: Outcome) -> Outcome:
    """Return an answer's values. If the question asks for numbers, round them to whole numbers."""
    if question.kind not in ("number", "numbers"):
        return actual
    value = actual["answer"][0]
    if not isinstance(value, np.ndarray):
        return actual
    return {"answer": (np.asarray(np.floor(value + 0.5)),)}


def _is_whole(value: Value) -> bool:
    if isinstance(value, np.ndarray):
        return np.array_equal(value, np.round(value), equal_nan=True)
    return isinstance(value, Failure)


def _explain_pieces(trial: Trial) -> PartialExplanation:
    """Explain each wrong part or wrong number by the known mistake that gives it, if only one does.

    Small whole numbers are not explained, because learners can arrive at them by chance. A mistake
    counts only if it is right wherever the answer is right. A mistake that only reorders the
    numbers does not explain a single number.
    """
    question = trial.question
    mine, right = split_pieces(question, trial.actual), split_pieces(question, trial.solution)
    mistakes = {
        name: pieces
        for name in (mistake.name for mistake in question.mistakes)
        if len(pieces := split_pieces(question, trial.references[name])) == len(right) == len(mine)
        and not _is_reordering(question, trial.references[name], trial.solution)
    }
    if not mistakes:
        return PartialExplanation()

    def can_be(name: str) -> bool:
        parts = (zip(mine[p], mistakes[name][p], right[p], strict=True) for p in right)
        return not any(
            is_same_value(question, actual, expected)
            and not is_same_value(question, slip, expected)
            for part in parts
            for actual, slip, expected in part
        )

    wrong = [piece for piece in right if not is_same_part(question, mine[piece], right[piece])]
    causes = {}
    for piece in wrong:
        if any(map(is_telling, mine[piece])):
            fitting = [
                name
                for name, pieces in mistakes.items()
                if is_same_part(question, mine[piece], pieces[piece])
            ]
            if len(fitting) == 1:
                causes[piece] = fitting[0]
    causes = {piece: name for piece, name in causes.items() if can_be(name)}
    if 3 * len(causes) < len(wrong):  # a few of many wrong numbers agree with a mistake by chance
        return PartialExplanation()
    is_complete = len(causes) == len(wrong)
    text = _describe_causes(question, causes)
    return PartialExplanation(next(iter(causes.values()), ""), text, is_complete)


def _describe_causes(question: Question, causes: dict[str, str]) -> str:
    """Describe known mistakes, and say which pieces of the answer each of them explains."""
    texts = {
        mistake.name: OTHERS_RIGHT.sub(_start_with, mistake.text) for mistake in question.mistakes
    }
    sentences = []
    for name in dict.fromkeys(causes.values()):
        pieces = [piece for piece, cause in causes.items() if cause == name]
        which = _name_pieces(question, pieces)
        verb = "agrees" if len(pieces) == 1 else "agree"
        sentences.append(f"{which} {verb} with this mistake: {texts[name]}")
    return " ".join(sentences)


def _start_with(match: re.Match[str]) -> str:
    """Return the first letter of the sentence that remains, in upper case.

    `match` covers a claim that is removed from the text of a mistake.
    """
    return (match[1] or "").upper()


def _name_pieces(question: Question, pieces: list[str]) -> str:
    """Name some pieces of an answer in words, as in "Your first number and your second number"."""
    if question.kind != "numbers":
        return " and ".join(
            f"Your `{piece}`" if n == 0 else f"`{piece}`" for n, piece in enumerate(pieces)
        )
    places = [int(piece) - 1 for piece in pieces]
    return " and ".join(name_number(n, "your" if k else "Your") for k, n in enumerate(places))


def _is_reordering(question: Question, actual: Outcome, expected: Outcome) -> bool:
    """Return whether two answers consist of the same numbers in different orders."""
    if question.kind != "numbers":
        return False
    values = [outcome["answer"][0] for outcome in (actual, expected)]
    numbers = [sorted(np.ravel(value)) for value in values if isinstance(value, np.ndarray)]
    return len(numbers) == 2 and numbers[0] == numbers[1]


def _explain_difference(trial: Trial, result: Result, partial: PartialExplanation) -> Result:
    """Explain how the first wrong part of an answer differs from the correct values."""
    question = trial.question
    sentences = []
    if is_same_outcome(question, trial.actual, trial.references.get("starter")):
        sentences.append(
            "In every case that was tried, it still does what it did before you changed it."
        )
    elif trial.idle_answer:
        part, idle = trial.right_parts[0], trial.idle_answer
        sentences.append(
            f"`{part}` is right, but {idle} gets it right as well."
            " So this part counts only if another part is right as well."
        )
    part = next(part for part in question.points if part not in trial.right_parts)
    pairs = list(zip(trial.actual[part], trial.solution[part], strict=True))
    is_right = [is_same_value(question, *pair) for pair in pairs]
    wrong = [pair for pair, right in zip(pairs, is_right, strict=True) if not right]
    seed = None if partial.mistake else trial.seeds[0]
    text, relation, comparison = describe_difference(question, part, wrong, seed)
    sentences.append(text)
    if question.kind == "code":
        relation, more = _describe_cases(trial, part, is_right, relation)
        sentences += more
    if partial.mistake and relation in VAGUE:
        return replace(
            result,
            hint=partial.text,
            mistake=partial.mistake,
            comparison=comparison,
            relation="partial",
        )
    if relation in VAGUE and (both := _explain_by_two(trial)):
        return replace(result, hint=both, relation="double")
    hint = " ".join(filter(None, sentences))
    return replace(result, hint=hint, comparison=comparison, relation=relation)


def _explain_by_two(trial: Trial) -> str:
    """Explain wrong numbers by a known mistake and one more change, or return ''."""
    question = trial.question
    values = {
        name: outcome["answer"][0]
        for name, outcome in {"": trial.actual, **trial.references}.items()
        if question.kind in ("number", "numbers")
    }
    numbers = {
        name: np.ravel(value).tolist()
        for name, value in values.items()
        if isinstance(value, np.ndarray)
    }
    if "" not in numbers:
        return ""
    yours, right = numbers.pop(""), numbers.pop("solution")
    combination = combine_numbers(yours, right, numbers, question.tolerance)
    return _describe_combination(question, combination) if combination else ""


def _describe_combination(question: Question, combination: Combination) -> str:
    first = next(m.text for m in question.mistakes if m.name == combination.mistake)
    second = combination.change[0].lower() + combination.change[1:]
    return f"Two mistakes together may give your result. First: {first} Second: {second}"


def _describe_cases(
    trial: Trial, part: str, is_right: list[bool], relation: str
) -> tuple[str, list[str]]:
    """Say for which arguments a function is wrong, and in how many cases it is right.

    Return the relation with the description, or a more specific relation if the cases show one.
    """
    question, first_wrong = trial.question, is_right.index(False)
    seed, draw = trial.seeds[first_wrong // question.draws], first_wrong % question.draws
    case = describe_case(question, part, seed, draw)
    sentences = [f"This was tried with {case}."] if case else []
    if any(is_right):
        sentences.append(f"It is right in {sum(is_right)} of {len(is_right)} cases.")
    if is_right[0] and relation != "stopped":
        is_seldom = 2 * sum(is_right) <= len(is_right)
        if is_seldom and relation not in ("imprecise", "rounded", "whole"):
            sentences.append(
                "The first case is right. Check whether you wrote a number instead of an argument."
            )
        return "shown", sentences
    if _is_constant(question, trial.actual) and not _is_constant(question, trial.solution):
        sentences.append("It gives the same result in all cases, whatever its arguments are.")
        return "same_for_all", sentences
    return relation, sentences


def _is_constant(question: Question, outcome: Outcome) -> bool:
    """Return whether a function gives the same results in all cases, whatever its arguments are.

    One part may be constant for another reason, such as a difference that is always 0.
    """
    return all(
        isinstance(value, np.ndarray) and is_same_value(question, values[0], value)
        for values in outcome.values()
        for value in values
    )


def _join_outcomes(outcomes: Iterable[Outcome]) -> Outcome:
    """Join the outcomes of one answer for several seeds into a single outcome."""
    outcomes = list(outcomes)
    return {
        part: tuple(value for outcome in outcomes for value in outcome[part])
        for part in outcomes[0]
    }
