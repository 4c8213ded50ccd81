"""For teachers: python -m classroom --help"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from classroom.exam import hand_out, seeds
from classroom.marks import report, roster, table
from classroom.packages import gradescope, moodle, plain
from classroom.running import folder, jail
from classroom.running.terms import Terms
from pe_lib.course.grading import sheet

PACKAGES = {
    "notebook": (plain.write, "write a notebook with a class's numbers, and the course"),
    "gradescope": (gradescope.write, "make an autograder for Gradescope"),
    "moodle": (moodle.write, "write the questions without code for Moodle"),
}


def grade(options: argparse.Namespace) -> str:
    content = sheet.load(options.sheet)
    if not options.folder.is_dir():
        raise ValueError(f"{options.folder} is not a folder")
    limits = (options.seconds, options.total, options.memory)
    terms = Terms(content, options.seed, tuple(options.secret), *limits)
    print(jail.KINDS[terms.jail], file=sys.stderr)
    report.folder_of(options.out)
    known = report.roster_for(options.roster, options.column)
    table.refuse_another(options.out, terms)
    if options.key:
        if known is None:
            raise ValueError("--key is for an exam, and that needs --roster, too")
        paths = folder.submissions(options.folder)
        terms = seeds.of_exam(terms, known, seeds.key(options.key), paths)
    grades = folder.grade_folder(options.folder, terms, options.jobs, sys.stderr)
    return report.write(options.out, grades, terms, known, options.column, options.site)


def package(options: argparse.Namespace) -> str:
    write, _ = PACKAGES[options.command]
    more = {"secrets": tuple(options.secret)} if options.command == "gradescope" else {}
    return write(sheet.load(options.sheet), options.out, options.seed, **more)


def exam(options: argparse.Namespace) -> str:
    """Everybody's notebook with numbers of their own, and the library without solutions."""
    known = roster.read(options.roster)
    made = seeds.key(options.key, new=True)
    return hand_out.write(sheet.load(options.sheet), known, made, options.out)


def parser() -> argparse.ArgumentParser:
    names = ", ".join(sheet.names())
    main = argparse.ArgumentParser("python -m classroom", description="Exercises for a class.")
    commands = main.add_subparsers(required=True, dest="command")
    one = commands.add_parser("grade", help="grade a folder of notebooks into a table")
    one.set_defaults(run=grade)
    made = {name: commands.add_parser(name, help=words) for name, (_, words) in PACKAGES.items()}
    for command in made.values():
        command.set_defaults(run=package)
    for command in (one, *made.values()):
        words = "chooses the numbers of the class's notebook"
        command.add_argument("--seed", type=int, default=0, help=words)
    last = commands.add_parser("exam", help="write notebooks whose numbers differ for everybody")
    last.set_defaults(run=exam)
    last.add_argument("--roster", type=Path, required=True, help="a CSV of the class")
    last.add_argument("--key", type=Path, required=True, help="made if it isn't there; keep it")
    for command in (*made.values(), last):
        command.add_argument("sheet", help=f"which sheet: {names}")
        command.add_argument("--out", type=Path, required=True, help="the folder to write into")
    for command in (one, made["gradescope"]):
        words = "seeds that functions are tried on besides; nobody should know them"
        command.add_argument("--secret", type=int, nargs="*", default=[], help=words)
    one.add_argument("folder", type=Path, help="the notebooks, at any depth")
    one.add_argument("--sheet", required=True, help=f"which sheet they answer: {names}")
    one.add_argument(
        "--out", type=Path, default=Path("scores.csv"), help="the table; a folder is put beside it"
    )
    one.add_argument("--roster", type=Path, help="a CSV of the class, from Moodle, Canvas or you")
    one.add_argument("--key", type=Path, help="of an exam, where numbers differ for everybody")
    one.add_argument("--column", default="", help="the assignment's title in Canvas' gradebook")
    one.add_argument(
        "--site", default=os.environ.get("SITE_URL", ""), help="the course's address, for links"
    )
    one.add_argument("--seconds", type=float, default=5, help="for one cell, or one part (5)")
    one.add_argument("--total", type=float, default=60, help="seconds for a submission (60)")
    one.add_argument("--memory", type=int, default=2048, help="megabytes for a submission (2048)")
    one.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at a time")
    return main


def main() -> None:
    options = parser().parse_args()
    try:
        print(options.run(options))
    except (ValueError, OSError) as error:
        raise SystemExit(f"{error}") from None
    except KeyboardInterrupt:
        raise SystemExit("Stopped. Nothing was written.") from None


if __name__ == "__main__":
    main()
