"""Why an honest answer got nothing: the notebook shows other numbers than those that are graded."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

from classroom.running.shown import Shown
from classroom.running.terms import Grade, Reason, Terms
from pe_lib.course.grading.agreement import alike
from pe_lib.course.grading.check import judge
from pe_lib.course.grading.notebook import another
from pe_lib.course.grading.outcome import Failure, Outcome, outcome
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import Content, Question

AGAIN = 20  # so many times `sheet.again` is looked at
FEW = 2  # an answer that is right for more students' numbers is no sign of anything
# What a student reads: another's id or seed, and who worked with whom, are the teacher's alone
NOT_YOURS = "The numbers are not those that were handed to you."
NOT_THE_CLASS_S = (
    "You worked with other numbers than your class's, perhaps in the public notebook; ask your"
    " teacher."
)
RIGHT_FOR_OTHERS = "Right for the numbers that the notebook shows, not for your class's."
PUBLIC = 0  # the seed of the course's own pages and notebooks

Tried = dict[str, dict[int, Outcome]]  # by question and seed


def explain(grade: Grade, shown: Shown, tried: Tried, terms: Terms, cells: dict[int, str]) -> None:
    """Put into the grade, and into its results, what the notebook says of itself.

    `tried` holds the outcomes by question and seed, `cells` what went wrong in a cell, by its
    number. Points stay what they are.
    """
    grade.shown, content = shown, terms.content
    questions = content.questions.values()
    values = {q: tried[q.name][terms.seed] for q in questions
              if q.kind != "code" and terms.seed in tried.get(q.name, {})}  # fmt: skip
    absent = [q for q in questions if q.name in grade.results and _is_absent(tried[q.name])]
    missing = shown.missing(content)
    if terms.people and terms.seed not in terms.people.values():
        grade.add("no student of the roster is in its name, so that nobody knows its numbers")
    others = Counter(
        who
        for question, outcome_ in values.items()
        for who in _by_other_numbers(grade, question, outcome_, terms)
    )
    grade.flags += tuple(
        f"{count} {'answers are' if count > 1 else 'answer is'} right for {who}'s numbers"
        for who, count in others.most_common()
    )
    if other := shown.other_sheet(content):
        grade.foreign = True
        grade.reasons = [Reason(f"it is sheet {other.name}, not {content.name}")]
    elif shown.is_blank(content):
        grade.add("it is blank: no answer was begun")
    else:
        seed = terms.people.get(shown.student or "") if terms.people else shown.seed
        if seed not in (None, terms.seed):
            _by_own_numbers(grade, seed or 0, values, terms)
        if len(missing) == len(content.questions):
            grade.foreign = True
            grade.add("no cell defines an answer to this sheet")
        elif missing:
            names = ", ".join(f"`{question.answer}`" for question in missing)
            grade.add(f"no cell defines {names}" + _renamed(shown, content))
    for question in missing:
        if question.name in grade.results:
            text = f"No cell of the notebook defines `{question.answer}`."
            grade.results[question.name] = Result(question, "open", text)
    for question in absent:
        why = [cells[n] for n in shown.cells.get(question.answer, ()) if n in cells]
        if why and question not in missing:
            words = f"{why[-1][:1].upper()}{why[-1][1:].rstrip('.')}"
            text = f"{words}. So there is no `{question.answer}`."
            grade.results[question.name] = Result(question, "not run", text)


def _is_absent(tried: dict[int, Outcome]) -> bool:
    """Whether there was no answer to try, on whichever numbers."""
    values = (value for got in tried.values() for part in got.values() for value in part)
    return all(isinstance(value, Failure) and value.kind == "absent" for value in values)


def _by_other_numbers(grade: Grade, question: Question, got: Outcome, terms: Terms) -> list[str]:
    """Where a wrong answer is right for numbers that its learner may have seen: say so.

    Returns whose numbers they are, if they are those of other students.
    """
    result = grade.results.get(question.name)
    if not (result and result.status == "wrong" and not result.mistake and question.given_code):
        return []
    times = range(1, AGAIN + 1) if grade.shown and question.name in grade.shown.again else ()
    seen = {another(terms.seed, n): f'`sheet.again("{question.name}")`' for n in times}
    fits = [who for who, seed in terms.people.items() if _fits(question, got, seed)]
    if 0 < len(fits) <= FEW:
        grade.results[question.name] = Result(question, "wrong", NOT_YOURS)
        return fits
    for seed, words in ({PUBLIC: "the course's pages"} | seen).items():
        if _fits(question, got, seed):
            text = f"Right for the numbers of {words}, not for those that are graded."
            grade.results[question.name] = Result(question, "wrong", text)
            break
    return []


def _by_own_numbers(grade: Grade, seed: int, got: dict[Question, Outcome], terms: Terms) -> None:
    """What it would get on the numbers of that seed, which are those that its learner saw."""
    results = dict(grade.results)
    for question, outcome_ in got.items():
        own = results[question.name] = judge(question, outcome_, seed)
        if not question.given_code or grade.results[question.name].status != "wrong":
            continue
        if own.status == "right":
            own = Result(question, "wrong", NOT_YOURS if terms.people else RIGHT_FOR_OTHERS)
        grade.results[question.name] = replace(own, good=())
    grade.own = sum(result.score for result in results.values())
    words = (
        f"it shows the numbers of {terms.whose(seed)}, not of {terms.whose(terms.seed)}: by those"
        f" it has {grade.own:g} of {terms.content.total:g} points"
        + ("" if terms.people else f"; to count them, grade it with `--seed {seed}`")
    )
    aloud = NOT_YOURS if terms.people else NOT_THE_CLASS_S
    grade.add(words, aloud[0].lower() + aloud[1:].rstrip("."))  # as a part of a sentence


def _renamed(shown: Shown, content: Content) -> str:
    """Where an answer stands under a name that differs in case only."""
    known = {name.casefold().replace("_", ""): name for name in shown.defined}
    for question in shown.missing(content):
        if name := known.get(question.answer.casefold().replace("_", "")):
            return f", but one defines `{name}`"
    return ""


def _fits(question: Question, got: Outcome, seed: int) -> bool:
    return alike(question, got, _solved(question, seed))


@cache
def _solved(question: Question, seed: int) -> Outcome:
    """What the solution gives, without what the mistakes give."""
    return outcome(question, question.defined(question.solution.code, seed), seed)
