"""Lead a learner through the questions of all sheets, from easy to hard.

A run mixes the sheets. It asks the easy questions of a chapter while the learner is at the medium
questions of chapters that came before.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cache

from pe_lib.course.grading.progress import Progress
from pe_lib.course.grading.sheet import Question, load, names

# A question that is one level harder has the same turn as an easy question from a chapter that
# comes this many chapters later.
WAIT = 4


@cache
def run_order() -> tuple[Question, ...]:
    """Return the questions of all sheets in the order in which a run asks them.

    Two questions in a row come from different sheets, as long as there are any.
    """
    waiting = sorted(
        (question for name in names() for question in load(name).questions.values()),
        key=lambda question: int(question.sheet[:2]) + WAIT * (question.level - 1),
    )
    order: list[Question] = []
    while waiting:
        last = order[-1].sheet if order else ""
        sheet, count = Counter(question.sheet for question in waiting).most_common(1)[0]
        # If more than half of the remaining questions are from one sheet, a question from this
        # sheet must be next. Otherwise the last questions of the run would all come from this
        # sheet.
        is_due = 2 * count > len(waiting) and sheet != last
        place = next(
            (
                n
                for n, question in enumerate(waiting)
                if (question.sheet == sheet if is_due else question.sheet != last)
            ),
            0,
        )
        order.append(waiting.pop(place))
    return tuple(order)


def next_question(skipped: Iterable[Question] = ()) -> Question | None:
    """Return the next question of the run that is not solved, or None if all are solved.

    A question counts as solved if one check has given all its points. The questions in `skipped`
    come last.
    """
    best = Progress().best
    unsolved = [
        question
        for question in run_order()
        if best.get((question.sheet, question.name), 0) < question.total
    ]
    later = set(skipped)
    return min(unsolved, key=lambda question: question in later, default=None)
