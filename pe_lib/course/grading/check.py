"""An outcome held against the solution's and against what each known mistake gives."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from pe_lib.course.grading.agreement import agree, alike, meant, pieces, same
from pe_lib.course.grading.borrowed import BorrowedError
from pe_lib.course.grading.difference import case, difference
from pe_lib.course.grading.outcome import Failure, Outcome, Value, attempt, known, outcome
from pe_lib.course.grading.relation import VAGUE
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Question
from pe_lib.course.grading.slips import slip, tells, unused
from pe_lib.course.grading.trivial import trivial

NEVER_TRIED = {"absent", "missing", "untouched", "of_another_kind"}
OTHERS_RIGHT = re.compile(r"^(?:The|Your|Both|All)\b[^.?!]*\b(?:is|are) right(?: now)?\. ")


def grade(question: Question, names: dict[str, Any], seed: int = 0, seconds: float = 5.0) -> Result:
    """Check the answer that `names` holds under the question's name for it."""
    if (read := meant(question, names.get(question.answer), seed)) is not None:
        said = f"Read as {', '.join(f'{number:.15g}' for number in read)}."
        return replace(judge(question, outcome(question, read), seed), hint=said)
    got = attempt(question, names, seed, seconds)
    result = judge(question, got, seed)
    if result.relation in VAGUE:
        if words := slip(question, got, seed):
            said = f"With one slip a right way gives just this: {words}."
            result = replace(result, hint=said, mistake="", relation="slip")
        elif not result.mistake and (words := unused(question, names.get(question.answer))):
            result = replace(result, hint=f"{words} {result.hint}", relation="unused")
    if not result.relation:
        return result
    step = f'`sheet.hint("{question.name}")` has a step towards it.'
    return replace(result, step=step)


def judge(question: Question, got: Outcome, seed: int = 0) -> Result:
    """The result for an outcome, whoever computed it."""
    return judge_all(question, {seed: got})


def judge_all(question: Question, tried: dict[int, Outcome]) -> Result:
    """The result for the outcomes on several seeds: right is what is right on all of them."""
    seeds = list(tried)
    got = _joined(tried.values())
    kinds = {getattr(value, "kind", "") for values in got.values() for value in values}
    if len(kinds) == 1 and kinds <= NEVER_TRIED:
        text = getattr(next(iter(got.values()))[0], "text", "")
        return Result(question, "wrong" if kinds == {"of_another_kind"} else "open", text)
    if kinds == {"none"}:
        text = f"`{question.answer}` returns `None`. Give its value back with `return`; to print it"
        text += " or to change an argument is not enough."
        return Result(question, "open", text)
    answers = {
        name: _joined(known(question, seed)[name] for seed in seeds)
        for name in known(question, seeds[0])
    }
    right = answers["solution"]
    good = tuple(part for part in question.points if agree(question, got[part], right[part]))
    if len(good) == len(question.points):
        return Result(question, "right", good=good)
    idle = trivial(question, seeds[0]) if good else {}
    nothing = next((words for words, parts in idle.items() if parts.issuperset(good)), "")
    counted = () if nothing else good
    status = "partly" if counted else "wrong"
    if borrowed := _borrowed(got):
        return Result(question, status, borrowed, "", counted, relation="borrowed")
    typed = _as_typed(question, got, answers)
    for mistake in question.mistakes:
        made = answers[mistake.name]
        if any(alike(question, one, made) and _fails_so(one, made) for one in (got, typed)):
            return Result(question, status, mistake.text, mistake.name, counted)
    known_as, explained, wholly = _by_parts(question, got, answers)
    if wholly:
        return Result(question, status, explained, known_as, counted)
    said = []
    if alike(question, got, answers.get("starter")):
        said.append("On every case tried it does what it did when you found it.")
    elif good and not counted:
        said.append(f"`{good[0]}` is right, as it is with {nothing}: it counts with another part.")
    part = next(part for part in question.points if part not in good)
    pairs = list(zip(got[part], right[part], strict=True))
    fine = [same(question, *pair) for pair in pairs]
    first = fine.index(False)
    wrong = [pair for pair, ok in zip(pairs, fine, strict=True) if not ok]
    text, relation, compared = difference(question, part, wrong, None if known_as else seeds[0])
    said.append(text)
    if question.kind == "code":
        said.append(_tried_on(question, part, seeds[first // question.draws], fine))
        alike_in_all = [
            all(isinstance(one, np.ndarray) and same(question, values[0], one) for one in values)
            for values in (got[part], right[part])
        ]
        if fine[0] and relation != "stopped":
            if 2 * sum(fine) <= len(fine) and relation not in ("imprecise", "rounded", "whole"):
                said.append("It is right for the first: is a number fixed that should be given?")
            relation = "shown"
        elif alike_in_all == [True, False]:
            relation = "same_for_all"
            said.append("It gives the same in all cases, whatever its arguments are.")
    if known_as and relation in VAGUE:
        return Result(question, status, explained, known_as, counted, compared, "partial")
    told = " ".join(filter(None, said))
    return Result(question, status, told, "", counted, compared, relation)


def _by_parts(
    question: Question, got: Outcome, answers: dict[str, Outcome]
) -> tuple[str, str, bool]:
    """Where one mistake alone explains a part that is wrong, or a number: name, text, if all are.

    Where they are several, all are said, each with its part, and without what its text says of the
    others. Only values that nobody gives by chance tell: a number that isn't small and whole.
    Where some are left, a mistake is told only if it is nowhere wrong where the answer is right,
    and of a single number never that it has changed places with another.
    """
    mine, right = pieces(question, got), pieces(question, answers["solution"])
    made = {mistake.name: pieces(question, answers[mistake.name]) for mistake in question.mistakes}
    made = {
        name: one
        for name, one in made.items()
        if len(one) == len(right) == len(mine)
        and not _reordered(question, answers[name], answers["solution"])
    }
    if not made:
        return "", "", False

    def possible(name: str) -> bool:
        cases = (zip(mine[p], made[name][p], right[p], strict=True) for p in right)
        every = (one for case in cases for one in case)
        return not any(same(question, a, c) and not same(question, b, c) for a, b, c in every)

    wrong = [piece for piece in right if not agree(question, mine[piece], right[piece])]
    found = {}
    for piece in (piece for piece in wrong if any(map(tells, mine[piece]))):
        fits = [name for name, one in made.items() if agree(question, mine[piece], one[piece])]
        if len(fits) == 1:
            found[piece] = fits[0]
    whole = len(found) == len(wrong)
    if not whole:
        found = {piece: name for piece, name in found.items() if possible(name)}
    texts = {m.name: OTHERS_RIGHT.sub("", m.text) for m in question.mistakes}
    lead = "Number {}" if question.kind == "numbers" else "`{}`"
    told = [
        f"{', '.join(lead.format(p) for p in found if found[p] == name)}: {texts[name]}"
        for name in dict.fromkeys(found.values())
    ]
    return next(iter(found.values()), ""), " ".join(told), whole


def _reordered(question: Question, one: Outcome, other: Outcome) -> bool:
    """Whether they are the same numbers, in another order."""
    both = [outcome["answer"][0] for outcome in (one, other)] if question.kind == "numbers" else []
    values = [sorted(np.ravel(value)) for value in both if isinstance(value, np.ndarray)]
    return len(values) == 2 and values[0] == values[1]


def _borrowed(got: Outcome) -> str:
    """What to say of an answer that calls the library for what it is asked to build, or ''."""
    failures = (v for values in got.values() for v in values if isinstance(v, Failure))
    return next((one.text for one in failures if one.kind == BorrowedError.__name__), "")


def _fails_so(got: Outcome, made: Outcome) -> bool:
    """Whether a program that only fails does so with the words of the mistake.

    Of the kind of an error there is more than one cause, unless other values agree as well.
    """
    pairs = [pair for part in made for pair in zip(got[part], made[part], strict=True)]
    errors = [
        (a.text, b.text) for a, b in pairs if isinstance(a, Failure) and isinstance(b, Failure)
    ]
    return len(errors) < len(pairs) or all(a.split(", in line")[0] == b for a, b in errors)


def _joined(outcomes: Iterable[Outcome]) -> Outcome:
    """Outcomes on several seeds as one, with the draws of each seed one after the other."""
    every = list(outcomes)
    return {part: tuple(value for one in every for value in one[part]) for part in every[0]}


def _tried_on(question: Question, part: str, seed: int, fine: list[bool]) -> str:
    """The first case that went wrong, and how many did not."""
    name = case(question, part, seed, fine.index(False) % question.draws)
    said = [f"Tried with {name}."] if name else []
    if any(fine):
        said.append(f"Right on {sum(fine)} of {len(fine)} cases.")
    return " ".join(said)


def _as_typed(question: Question, got: Outcome, answers: dict[str, Outcome]) -> Outcome:
    """Where whole numbers are asked for: the outcome rounded, as one types it on the page.

    They are where the mistakes are whole, too: √(d/2) may be so by chance.
    """
    if question.kind not in ("number", "numbers"):
        return got
    value, *known = (one["answer"][0] for one in (got, *answers.values()))
    if not isinstance(value, np.ndarray) or not all(map(_whole, known)):
        return got
    return {"answer": (np.asarray(np.floor(value + 0.5)),)}


def _whole(value: Value) -> bool:
    if isinstance(value, np.ndarray):
        return np.array_equal(value, np.round(value), equal_nan=True)
    return isinstance(value, Failure)
