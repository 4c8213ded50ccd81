"""Ask the next unsolved question in a terminal: `python -m pe_lib.course.grading next`."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace

from pe_lib._console import keep_output_printable
from pe_lib.course.grading.afterwards import find_afterwards
from pe_lib.course.grading.check import grade
from pe_lib.course.grading.notebooks import format_points, level_name
from pe_lib.course.grading.progress import record
from pe_lib.course.grading.run import next_question
from pe_lib.course.grading.sheet import Question, load

HOW = "Your answer, or hint, skip or stop: "
DONE = "You have solved every question of the course."


def describe(question: Question) -> str:
    """Return a question as text, with its sheet, its level, its points and its choices."""
    head = f"{question.sheet[:2]} {load(question.sheet).title} · {level_name(question)}"
    choices = [f"  {key}: {text}" for key, text in question.choices.items()]
    return "\n".join(
        [f"{question.title} ({head} · {format_points(question)})", "", question.format_prompt()]
        + (["", *choices] if choices else [])
    )


def describe_place(question: Question) -> str:
    """Tell a learner where to find a question that asks for code, which a terminal cannot check."""
    return (
        f"The question wants code. Open exercises/{question.sheet}.ipynb and go to"
        f" {question.title!r}, which ends with sheet.check({question.name!r})."
    )


def tell_afterwards(question: Question, read: Callable[[str], str]) -> None:
    """Print why an answer is right, and a follow-up question, whose answer appears after Enter."""
    if texts := find_afterwards(question):
        *before, answer = texts.lines()
        print("\n".join(before))
        read("Think, then press Enter: ")
        print(answer)


def ask(question: Question, read: Callable[[str], str] = input) -> str:
    """Ask a question until it is answered, and return 'right', 'skip' or 'stop'."""
    hints = list(question.hints)
    while True:
        text = read(HOW).strip()
        if text in ("skip", "stop"):
            return text
        if text == "hint":
            print(hints.pop(0) if hints else "There is no further hint.")
            continue
        result = grade(question, {question.answer: text or ...})
        if problem := record(result, 0):
            print(problem)
        step = "Type hint for a step towards it." if result.step else ""
        print(replace(result, step=step))
        if result.status == "right":
            tell_afterwards(question, read)
            return "right"


def run(read: Callable[[str], str] | None) -> None:
    """Ask all unsolved questions, one after another. Without `read`, print only the first."""
    skipped: list[Question] = []
    while question := next_question(skipped):
        if question in skipped:
            print("These were all unsolved questions, apart from those that you skipped.")
            return
        print(f"\n{describe(question)}\n")
        if question.kind == "code":
            print(describe_place(question))
            how = "skip" if read and read("skip or stop: ").strip() == "skip" else "stop"
        else:
            how = ask(question, read) if read else "stop"
        if how == "stop":
            return
        if how == "skip":
            skipped.append(question)
    print(DONE)


def main(arguments: list[str] | None = None) -> None:
    """Run the command that is given on the command line."""
    keep_output_printable()
    parser = argparse.ArgumentParser(prog="python -m pe_lib.course.grading", description=__doc__)
    parser.add_argument("command", choices=["next"], help="ask the next question not yet solved")
    parser.parse_args(arguments)
    try:
        run(input if sys.stdin.isatty() else None)
    except (EOFError, KeyboardInterrupt):
        print()


if __name__ == "__main__":
    main()
