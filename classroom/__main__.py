"""For teachers: python -m classroom --help"""

from __future__ import annotations

import argparse
import os
import sys
import tomllib
from pathlib import Path

from classroom.exam import hand_out
from classroom.marks import report, roster
from classroom.packages import gradescope, moodle, plain
from classroom.running import folder, jail
from classroom.running.terms import Terms
from pe_lib._console import keep_output_printable
from pe_lib.course.grading import sheet

TYPES = {"Path": Path, "str": str, "int": int, "float": float}
TYPED = tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))


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
    jobs, site = options.jobs or os.cpu_count() or 1, options.site or os.environ.get("SITE_URL", "")
    grades = folder.grade_folder(options.folder, terms, jobs, sys.stderr)
    return report.write(options.out, grades, terms, known, options.column, site)


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
    main = argparse.ArgumentParser("python -m classroom", description="Exercises for a class.")
    parsers = main.add_subparsers(required=True, dest="command")
    for name, command in TYPED["commands"].items():
        one = parsers.add_parser(name, help=command["help"])
        for flag, own in command["arguments"].items():
            about = own or TYPED["shared"][flag]
            said = about["help"].format(sheets=", ".join(sheet.names()))
            one.add_argument(flag, **about | {"type": TYPES[about["type"]], "help": said})
    return main


def main() -> None:
    keep_output_printable()
    options = parser().parse_args()
    try:
        print(grade(options) if options.command == "grade" else package(options))
    except (ValueError, OSError) as error:
        raise SystemExit(f"{error}") from None
    except KeyboardInterrupt:
        raise SystemExit("Stopped. Nothing was written.") from None


if __name__ == "__main__":
    main()
