"""For teachers: python -m classroom --help"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from classroom.exam import hand_out
from classroom.marks import report, roster
from classroom.packages import gradescope, moodle, plain
from classroom.running import folder, jail
from classroom.running.terms import Terms
from pe_lib.course.grading import sheet


def grade(options: argparse.Namespace) -> str:
    content = sheet.load(options.sheet)
    if not options.folder.is_dir():
        raise ValueError(f"{options.folder} is not a folder")
    limits = (options.seconds, options.total, options.memory)
    terms = Terms(content, options.seed, tuple(options.secret), *limits)
    print(jail.KINDS[terms.jail], file=sys.stderr)
    known = roster.read(options.roster) if options.roster else None
    report.check(options.out, terms, known, options.column)
    if options.key:
        if known is None:
            raise ValueError("--key is for an exam, and that needs --roster, too")
        paths = folder.submissions(options.folder)
        terms = hand_out.of_exam(terms, known, hand_out.key(options.key), paths)
    grades = folder.grade_folder(options.folder, terms, options.jobs, sys.stderr)
    return report.write(options.out, grades, terms, known, options.column, options.site)


def package(options: argparse.Namespace) -> str:
    content, out = sheet.load(options.sheet), options.out
    if options.command == "exam":
        known, key = roster.read(options.roster), hand_out.key(options.key, new=True)
        return hand_out.write(content, known, key, out)
    if options.command == "gradescope":
        return gradescope.write(content, out, options.seed, tuple(options.secret))
    write = plain.write if options.command == "notebook" else moodle.write
    return write(content, out, options.seed)


def parser() -> argparse.ArgumentParser:
    names, site = ", ".join(sheet.names()), os.environ.get("SITE_URL", "")
    secret: Any = ("--secret", int, [], "seeds to try functions on besides, that nobody knows")
    seed = ("--seed", int, 0, "chooses the numbers of the class's notebook")
    out = ("--out", Path, ..., "the folder to write into")
    which = ("sheet", str, ..., f"which sheet: {names}")
    main = argparse.ArgumentParser("python -m classroom", description="Exercises for a class.")
    commands = main.add_subparsers(required=True, dest="command")
    for name, run, words, options in (
        ("grade", grade, "grade a folder of notebooks into a table", (
            ("folder", Path, ..., "the notebooks, at any depth"),
            ("--sheet", str, ..., f"which sheet they answer: {names}"), seed, secret,
            ("--out", Path, Path("scores.csv"), "the table; a folder is put beside it"),
            ("--roster", Path, None, "a CSV of the class, from Moodle, Canvas or you"),
            ("--key", Path, None, "of an exam, where numbers differ for everybody"),
            ("--column", str, "", "the assignment's title in Canvas' gradebook"),
            ("--site", str, site, "the course's address, for links"),
            ("--seconds", float, 5, "for one cell, or one part (5)"),
            ("--total", float, 60, "seconds for a submission (60)"),
            ("--memory", int, 2048, "megabytes for a submission (2048)"),
            ("--jobs", int, os.cpu_count() or 1, "at a time"))),
        ("notebook", package, "write a notebook with a class's numbers, and the course",
         (which, out, seed)),
        ("gradescope", package, "make an autograder for Gradescope", (which, out, seed, secret)),
        ("moodle", package, "write the questions without code for Moodle", (which, out, seed)),
        ("exam", package, "write notebooks whose numbers differ for everybody",
         (which, out, ("--roster", Path, ..., "a CSV of the class"),
          ("--key", Path, ..., "made if it isn't there; keep it"))),
    ):  # fmt: skip
        command = commands.add_parser(name, help=words)
        command.set_defaults(run=run)
        for flag, kind, default, said in options:
            more: dict[str, Any] = {"nargs": "*"} if default == [] else {}
            if flag.startswith("--"):
                more |= {"required": True} if default is ... else {"default": default}
            command.add_argument(flag, type=kind, help=said, **more)
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
