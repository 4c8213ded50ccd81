"""Grade one submission. The submission runs in a process of its own, and is judged in this one."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from classroom.running import library, sandbox
from classroom.running.reading import MEGABYTE, Notebook, read_notebook
from classroom.running.terms import Grade, Terms
from classroom.running.wire import ENDED, LostError, Wire
from pe_lib.course.grading.afterwards import FOLDER as AFTERWARDS
from pe_lib.course.grading.agreement import is_same_outcome, read_right_otherwise
from pe_lib.course.grading.borrowed import BorrowedError, allowed_names
from pe_lib.course.grading.check import NEVER_TRIED, judge_all
from pe_lib.course.grading.limits import TooSlow
from pe_lib.course.grading.outcome import Failure, Outcome, attempt, compute_outcome
from pe_lib.course.grading.result import Result
from pe_lib.course.grading.sheet import SHEETS, Question

# submissions must not see these folders, which contain solutions and explanations
SOLUTIONS = (SHEETS, AFTERWARDS)
LONGEST_ERROR = 1_000  # longer error messages are cut to this many characters
# If an answer is right for the numbers of more students than this, nobody can tell from whom it may
# have been copied. So the teacher is not told.
MOST_OWNERS = 2
PUBLIC_SEED = 0  # the website shows the numbers of this seed
NOT_YOURS = "The numbers are not those that were handed to you."
RIGHT_FOR = "Right for the numbers of {}, not for those that are graded."


@dataclass
class Run:
    """What happened when a notebook ran: outcomes of answers, errors, and why it ended too early.

    `outcomes` contains the outcomes of the answers by question and seed, and `errors` contains
    error messages by the number of the cell. If the process ended early, `end_reason` says why, and
    `cell` is the number of the cell that was running, or 0. `functions` names the questions whose
    answer is a function that still has to be tried with a copy of the library.
    """

    outcomes: dict[str, dict[int, Outcome]]
    errors: dict[int, str]
    end_reason: str = ""
    cell: int = 0
    functions: set[str] = field(default_factory=set)


def grade_one(path: Path, terms: Terms, hidden: tuple[Path, ...] = ()) -> Grade:
    """Run and grade one submission, which can read neither solutions nor the folders in `hidden`.

    No exception from the submission leaves this function. This function must run in the main thread
    of a process, because the answers are tried under a time limit. The submission's own functions
    run in the submission's process.
    """
    try:
        notebook = read_notebook(path)
    except ValueError as error:
        return Grade(reasons=[str(error)])
    questions = terms.content.questions
    run = _run_with_each_library(notebook, terms, (*(hidden or (path.parent,)), *SOLUTIONS))
    grade = Grade({name: judge_all(questions[name], o) for name, o in run.outcomes.items()})
    results = grade.results.items()
    if names := [name for name, result in results if result.relation == "borrowed"]:
        grade.flags.append(f"calls the library for what it should write: {', '.join(names)}")
    if reason := run.end_reason or next(iter(run.errors.values()), ""):
        grade.reasons.append(reason)
    _explain(grade, notebook, run, terms)
    return grade


def _run_with_each_library(notebook: Notebook, terms: Terms, hidden: tuple[Path, ...]) -> Run:
    """Run a notebook with the library, and again with each reduced copy that questions need.

    Answers that are values may come from the library. A function is tried in a process that has
    nothing of the library but what its question allows.
    """
    questions = terms.content.questions
    first = _run_notebook(notebook, terms, hidden, list(questions.values()))
    for allowed, group in library.group_questions(questions.values()).items():
        functions = [q for q in group if q.name in first.functions]
        if not functions:
            continue
        copy = library.write_copy(allowed)
        run = _run_notebook(notebook, terms, hidden, functions, copy)
        for question in functions:
            if outcomes := run.outcomes.get(question.name):
                text = _find_borrowed_cell(question, outcomes, run, notebook)
                failure = (Failure(BorrowedError.__name__, text),) * question.draws
                no_points: Outcome = dict.fromkeys(question.points, failure)
                if text:
                    outcomes = dict.fromkeys(outcomes, no_points)
                first.outcomes[question.name] = outcomes
        first.end_reason = first.end_reason or run.end_reason
    return Run(
        # the outcomes are in the order of the sheet
        {name: first.outcomes[name] for name in questions if name in first.outcomes},
        first.errors,
        first.end_reason,
        first.cell,
    )


def _was_never_tried(outcomes: dict[int, Outcome]) -> bool:
    """Return whether nothing could be tried, as an answer is missing, untouched or no function."""
    parts = [part for outcome in outcomes.values() for part in outcome.values()]
    return all(getattr(value, "kind", "") in NEVER_TRIED for part in parts for value in part)


def _find_borrowed_cell(
    question: Question, outcomes: dict[int, Outcome], run: Run, notebook: Notebook
) -> str:
    """Find the cell that failed to define an answer because it called a forbidden function.

    Return the cell's error message, or '' if there is no such cell.
    """
    if not _was_never_tried(outcomes):
        return ""
    mention = re.compile(rf"\b{question.answer}\b")
    errors = (
        error
        for cell, error in run.errors.items()
        if cell and BorrowedError.__name__ in error and mention.search(notebook.cells[cell - 1])
    )
    return next(errors, "").partition(f"{BorrowedError.__name__}: ")[2]


def _run_notebook(
    notebook: Notebook,
    terms: Terms,
    hidden: tuple[Path, ...],
    questions: list[Question],
    copy: Path | None = None,
) -> Run:
    """Run a notebook in a new process, and try its answers to the given questions.

    If a cell ends the process, run the notebook again without this cell, in the time that is left.
    """
    end, left_out = time.monotonic() + terms.total, dict[int, str]()
    while True:
        run = Run({}, {**left_out})
        with sandbox.start_submission(terms.sandbox, end, hidden, copy) as wire:
            try:
                _run_cells(run, wire, notebook, terms)
                for question in questions:
                    if not copy and _is_function_to_try(wire, question):
                        run.functions.add(question.name)
                    else:
                        run.outcomes[question.name] = _try_answer(wire, question, terms)
            except LostError as error:
                run.end_reason = f"{error}"
                if time.monotonic() >= end:
                    run.end_reason = f"it ran for more than {terms.total:.3g} seconds"
        if not run.cell or run.end_reason != ENDED:
            return run
        left_out[run.cell] = f"cell {run.cell} was left out, since with it {ENDED}"


def _run_cells(run: Run, wire: Wire, notebook: Notebook, terms: Terms) -> None:
    """Run the setup code and all cells of a notebook, and record the errors of the cells.

    Raise LostError if the process ends.
    """
    setup = f'{terms.content.setup}\nfrom pe_lib.course.grading import Sheet\nsheet = Sheet("")'
    wire.call("begin", _shown_numbers(notebook, terms), terms.seconds, terms.memory * MEGABYTE)
    for cell, source in enumerate([setup, *notebook.cells]):
        if cell not in run.errors:
            run.cell = cell
            error = _call_or_error(wire, "run", cell, source)
            if isinstance(error, TooSlow):
                error = f"cell {cell} ran for more than {terms.seconds:g} seconds"
            if error:
                run.errors[cell] = str(error)[:LONGEST_ERROR]
    run.cell = 0


def _shown_numbers(notebook: Notebook, terms: Terms) -> dict[str, Any]:
    """Return the random numbers that the notebook shows, for each question without code.

    In an exam, the cells of the notebook contain these numbers.
    """
    seed = terms.seed if notebook.seed is None or terms.student_seeds else notebook.seed
    questions = (q for q in terms.content.questions.values() if q.kind != "code")
    return {question.name: vars(question.given_numbers(seed)) for question in questions}


def _try_answer(wire: Wire, question: Question, terms: Terms) -> dict[int, Outcome]:
    """Return an answer's outcome for each seed. Raise LostError if the process has ended."""
    names, is_untouched = _read_answer(wire, question)
    outcomes, latest = dict[int, Outcome](), Outcome()
    for seed in terms.seeds(question):
        # if an answer is too slow with one seed, it counts as too slow with the remaining seeds
        if not _has_kind(latest, "slow"):
            typed_value = read_right_otherwise(question, names.get(question.answer), seed)
            answer = names if typed_value is None else {question.answer: typed_value}
            latest = attempt(question, answer, seed, terms.seconds, is_untouched)
        if wire.lost:
            raise wire.lost
        outcomes[seed] = latest
    return outcomes


def _read_answer(wire: Wire, question: Question) -> tuple[dict[str, Any], bool]:
    """Get an answer from the submission's process, and whether it is unchanged starter code.

    The answer comes in a dictionary, which is empty if there is no answer.
    """
    request = question.answer, question.setup, question.starter, *sorted(allowed_names(question))
    reply = _call_or_error(wire, "answer", *request)
    if isinstance(reply, list) and len(reply) == 3 and reply[0] is True:
        return {question.answer: reply[1]}, reply[2] is True
    return {}, False


def _is_function_to_try(wire: Wire, question: Question) -> bool:
    """Return whether the answer to a question is a function on which the learner has worked."""
    if question.kind != "code":
        return False
    names, is_untouched = _read_answer(wire, question)
    return callable(names.get(question.answer)) and not is_untouched


def _has_kind(outcome: Outcome, kind: str) -> bool:
    """Return whether an outcome contains a failure of this kind."""
    return any(getattr(v, "kind", "") == kind for values in outcome.values() for v in values)


def _call_or_error(wire: Wire, function: str, *arguments: Any) -> Any:
    """Call a function in the submission's process, and return its value or its error."""
    try:
        return wire.call(function, *arguments)
    except LostError:
        raise
    except (Exception, TooSlow) as error:
        return error


# --- Explanations for the teacher and the student, which do not change any points ---


def _explain(grade: Grade, notebook: Notebook, run: Run, terms: Terms) -> None:
    """Add to a grade the reasons why answers got no points, and hints for the teacher."""
    content, results = terms.content, grade.results.values()
    if terms.student_seeds and terms.seed not in terms.student_seeds.values():
        grade.reasons.append(
            "no student of the roster is in its name, so nobody knows which numbers it has"
        )
    _recognise_other_numbers(grade, notebook, run, terms)
    missing = _find_missing_answers(grade, notebook, run)
    seed = notebook.seed
    if terms.student_seeds:
        seed = terms.student_seeds.get(notebook.student or "")
    most_are_missing = 2 * len(missing) > len(content.questions)
    is_other_sheet = most_are_missing and not content.name.startswith(notebook.sheet)
    if is_other_sheet:
        grade.reasons = [f"it is sheet {notebook.sheet}, not {content.name}"]
    elif not missing and [r.status for r in results] == ["open"] * len(content.questions):
        grade.reasons.append("it is blank: no answer was begun")
    elif seed not in (None, terms.seed):
        grade.reasons.append("it shows other numbers than those that are graded")
        public = f"seed {seed}: to count them, grade it by itself with `--seed {seed}`"
        owner = notebook.student if terms.student_seeds else public
        grade.flags.append(f"shows the numbers of {owner}")
    has_no_answer = is_other_sheet or len(missing) == len(content.questions)
    if missing and not is_other_sheet:
        names = "an answer to this sheet" if has_no_answer else ", ".join(missing)
        grade.reasons.append(f"no cell defines {names}")
    if has_no_answer and not grade.score:
        grade.results.clear()


def _find_missing_answers(grade: Grade, notebook: Notebook, run: Run) -> list[str]:
    """Find the answers that no cell defines, and say in their results why they are missing.

    An answer whose cell failed is not returned, because its result already names the error.
    """
    missing = []
    for name, result in grade.results.items():
        question = result.question
        parts = [part for outcome in run.outcomes[name].values() for part in outcome.values()]
        if not all(getattr(value, "kind", "") == "absent" for part in parts for value in part):
            continue
        mention = re.compile(rf"\b{question.answer}\b")
        errors = [
            error
            for cell, error in run.errors.items()
            if cell and mention.search(notebook.cells[cell - 1])
        ]
        if errors:
            sentence = f"{errors[-1][:1].upper()}{errors[-1][1:].rstrip('.')}"
            text = f"{sentence}. So there is no `{question.answer}`."
            grade.results[name] = Result(question, "not run", text)
        elif magic := _find_magic_cell(notebook, mention):
            text = f"`{question.answer}` is defined only below `%%{magic}`, which keeps no names."
            grade.results[name] = Result(question, "not run", f"{text} Leave that line out.")
        else:
            missing.append(f"`{question.answer}`")
            text = f"No cell of the notebook defines `{question.answer}`."
            grade.results[name] = Result(question, "open", text)
    return missing


def _find_magic_cell(notebook: Notebook, mention: re.Pattern[str]) -> str:
    """Return the cell magic, such as timeit, that keeps a cell from defining an answer, or ''."""
    for cell in notebook.cells:
        magic = re.match(r"get_ipython\(\)\.run_cell_magic\('(\w+)'", cell)
        if magic and mention.search(cell):
            return magic[1]
    return ""


def _recognise_other_numbers(grade: Grade, notebook: Notebook, run: Run, terms: Terms) -> None:
    """Mark wrong answers that would be right for another student's or the website's numbers."""
    owners, public_seeds = Counter[str](), {"the course's pages": PUBLIC_SEED}
    if notebook.seed:
        public_seeds["its notebook"] = notebook.seed
    for name, result in grade.results.items():
        question = result.question
        if question.kind == "code" or result.status != "wrong" or not question.given_code:
            continue
        answer, code = run.outcomes[name][terms.seed], question.solution.code
        matches = [
            owner
            for owner, seed in (terms.student_seeds or public_seeds).items()
            if is_same_outcome(
                question, answer, compute_outcome(question, question.run_answer(code, seed), seed)
            )
        ]
        if 0 < len(matches) <= MOST_OWNERS and not result.mistake:
            owners.update(matches if terms.student_seeds else ())
            text = NOT_YOURS if terms.student_seeds else RIGHT_FOR.format(matches[-1])
            grade.results[name] = Result(question, "wrong", text)
    for owner, count in owners.most_common():
        answers = "answers are" if count > 1 else "answer is"
        grade.flags.append(f"{count} {answers} right for {owner}'s numbers")
