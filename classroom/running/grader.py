"""Grading one submission: it runs in a process of its own, and is tried and judged in this one."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classroom.running import jail
from classroom.running.reading import MEGABYTE, Notebook, read
from classroom.running.terms import Grade, Terms
from classroom.running.wire import ENDED, LostError, Wire
from pe_lib.course.grading.agreement import is_same_outcome, read_right_with_commas
from pe_lib.course.grading.borrowed import allowed_names
from pe_lib.course.grading.check import judge_all
from pe_lib.course.grading.limits import TooSlow
from pe_lib.course.grading.outcome import Outcome, attempt, compute_outcome
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import SHEETS, Question

MOST_WORDS = 1_000  # letters of what it says of itself
FEW = 2  # an answer that is right for more students' numbers is no sign of anything
PUBLIC = 0  # the seed of the course's own pages and notebooks
NOT_YOURS = "The numbers are not those that were handed to you."
RIGHT_FOR = "Right for the numbers of {}, not for those that are graded."


@dataclass
class Run:
    """What came of a notebook: outcomes by question and seed, what went wrong in cells, by number.

    `ended` says why it ended before it was tried to the end, '' if it wasn't, and `cell` in which
    cell that was, 0 if in none.
    """

    tried: dict[str, dict[int, Outcome]]
    wrong: dict[int, str]
    ended: str = ""
    cell: int = 0


def grade_one(path: Path, terms: Terms, hide: tuple[Path, ...] = ()) -> Grade:
    """Run and grade one submission, which sees neither the folders in `hide` nor the sheets.

    Never raises for what the submission does. For the main thread of a process, since answers are
    tried under a time limit here; what they call of the submission runs in a process of its own.
    """
    try:
        notebook = read(path)
    except ValueError as error:
        return Grade(reasons=[str(error)])
    run = _run(notebook, terms, (*(hide or (path.parent,)), SHEETS))
    questions = terms.content.questions
    grade = Grade({name: judge_all(questions[name], found) for name, found in run.tried.items()})
    if borrowed := [name for name, got in grade.results.items() if got.relation == "borrowed"]:
        grade.flags.append(f"calls the library for what it should write: {', '.join(borrowed)}")
    if stopped := run.ended or next(iter(run.wrong.values()), ""):
        grade.reasons.append(stopped)
    _explain(grade, notebook, run, terms)
    return grade


def _run(notebook: Notebook, terms: Terms, hide: tuple[Path, ...]) -> Run:
    """Run a notebook, once more without each cell that ends its process."""
    end, left_out = time.monotonic() + terms.total, dict[int, str]()
    while True:
        run = Run({}, {**left_out})
        with jail.started(terms.jail, end, hide) as wire:
            try:
                _fill(run, wire, notebook, terms)
            except LostError as error:
                run.ended = f"{error}"
                if time.monotonic() >= end:
                    run.ended = f"it ran for more than {terms.total:.3g} seconds"
        if not run.cell or run.ended != ENDED:
            return run
        left_out[run.cell] = f"cell {run.cell} was left out, since with it {ENDED}"


def _fill(run: Run, wire: Wire, notebook: Notebook, terms: Terms) -> None:
    """Put into the run what comes of each cell, then of each answer. Raises LostError."""
    setup = f'{terms.content.setup}\nfrom pe_lib.course.grading import Sheet\nsheet = Sheet("")'
    wire.call("begin", _numbers(notebook, terms), terms.seconds, terms.memory * MEGABYTE)
    for cell, source in enumerate([setup, *notebook.cells]):
        if cell not in run.wrong:
            run.cell = cell
            wrong = _said(wire, "run", cell, source)
            if isinstance(wrong, TooSlow):
                wrong = f"cell {cell} ran for more than {terms.seconds:g} seconds"
            if wrong:
                run.wrong[cell] = str(wrong)[:MOST_WORDS]
    run.cell = 0
    for name, question in terms.content.questions.items():
        run.tried[name] = _tried(wire, question, terms)


def _numbers(notebook: Notebook, terms: Terms) -> dict[str, Any]:
    """The numbers that the notebook shows, which in an exam stand in its cells.

    They are those of each question that is answered by a value.
    """
    seed = terms.seed if notebook.seed is None or terms.people else notebook.seed
    asked = (q for q in terms.content.questions.values() if q.kind != "code")
    return {question.name: vars(question.given_numbers(seed)) for question in asked}


def _tried(wire: Wire, question: Question, terms: Terms) -> dict[int, Outcome]:
    """The outcome of a question on each seed. Raises LostError when the process has ended."""
    words = question.answer, question.setup, question.starter, *sorted(allowed_names(question))
    found = _said(wire, "answer", *words)
    there = isinstance(found, list) and len(found) == 3 and found[0] is True
    names, as_found = ({question.answer: found[1]}, found[2] is True) if there else ({}, False)
    tried, got = dict[int, Outcome](), Outcome()
    for seed in terms.seeds(question):
        if not any(getattr(v, "kind", "") == "slow" for values in got.values() for v in values):
            read_so = read_right_with_commas(question, names.get(question.answer), seed)
            answer = names if read_so is None else {question.answer: read_so}
            got = attempt(question, answer, seed, terms.seconds, as_found)
        if wire.lost:
            raise wire.lost
        tried[seed] = got
    return tried


def _said(wire: Wire, function: str, *words: Any) -> Any:
    """What the submission's process says, or the error that it makes of it."""
    try:
        return wire.call(function, *words)
    except LostError:
        raise
    except (Exception, TooSlow) as error:
        return error


# --- Why an answer got nothing: what the notebook says of itself. Points stay what they are ---


def _explain(grade: Grade, notebook: Notebook, run: Run, terms: Terms) -> None:
    """Put into the grade, and into its results, what is to be known of the notebook."""
    content, results = terms.content, grade.results.values()
    if terms.people and terms.seed not in terms.people.values():
        grade.reasons.append(
            "no student of the roster is in its name, so that nobody knows its numbers"
        )
    _by_other_numbers(grade, notebook, run, terms)
    missing = _absent(grade, notebook, run)
    seed = terms.people.get(notebook.student or "") if terms.people else notebook.seed
    most = 2 * len(missing) > len(content.questions)
    other = most and not content.name.startswith(notebook.sheet)
    if other:
        grade.reasons = [f"it is sheet {notebook.sheet}, not {content.name}"]
    elif not missing and [r.status for r in results] == ["open"] * len(content.questions):
        grade.reasons.append("it is blank: no answer was begun")
    elif seed not in (None, terms.seed):
        grade.reasons.append("it shows other numbers than those that are graded")
        again = f"seed {seed}: to count them, grade it by itself with `--seed {seed}`"
        grade.flags.append(f"shows the numbers of {notebook.student if terms.people else again}")
    foreign = other or len(missing) == len(content.questions)
    if missing and not other:
        names = ", ".join(missing)
        grade.reasons.append(f"no cell defines {'an answer to this sheet' if foreign else names}")
    if foreign and not grade.score:
        grade.results.clear()


def _absent(grade: Grade, notebook: Notebook, run: Run) -> list[str]:
    """The answers that no cell defines; where one is absent since a cell went wrong, say so."""
    missing = []
    for name, result in grade.results.items():
        question = result.question
        values = [v for got in run.tried[name].values() for one in got.values() for v in one]
        if not all(getattr(value, "kind", "") == "absent" for value in values):
            continue
        named = re.compile(rf"\b{question.answer}\b")
        why = [said for n, said in run.wrong.items() if n and named.search(notebook.cells[n - 1])]
        status, text = "open", f"No cell of the notebook defines `{question.answer}`."
        if why:
            words = f"{why[-1][:1].upper()}{why[-1][1:].rstrip('.')}"
            status, text = "not run", f"{words}. So there is no `{question.answer}`."
        else:
            missing.append(f"`{question.answer}`")
        grade.results[name] = Result(question, status, text)
    return missing


def _by_other_numbers(grade: Grade, notebook: Notebook, run: Run, terms: Terms) -> None:
    """Where a wrong answer is right for numbers that its learner may have seen: say so."""
    others, public = Counter[str](), {"the course's pages": PUBLIC}
    if notebook.seed:
        public["its notebook"] = notebook.seed
    for name, result in grade.results.items():
        question = result.question
        if question.kind == "code" or result.status != "wrong" or not question.given_code:
            continue
        got, code, fits = run.tried[name][terms.seed], question.solution.code, list[str]()
        for who, seed in (terms.people or public).items():
            if is_same_outcome(
                question, got, compute_outcome(question, question.run_answer(code, seed), seed)
            ):
                fits.append(who)
        if 0 < len(fits) <= FEW and not result.mistake:
            others.update(fits if terms.people else ())
            text = NOT_YOURS if terms.people else RIGHT_FOR.format(fits[-1])
            grade.results[name] = Result(question, "wrong", text)
    for who, count in others.most_common():
        answers = "answers are" if count > 1 else "answer is"
        grade.flags.append(f"{count} {answers} right for {who}'s numbers")
