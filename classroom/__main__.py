"""Run a command for teachers. To list the commands, run `python -m classroom --help`."""

from __future__ import annotations

import argparse
import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from classroom.exam import hand_out
from classroom.marks import report
from classroom.marks.roster import read_roster
from classroom.packages import gradescope, moodle, plain
from classroom.running import folder, sandbox, secret_seeds
from classroom.running.terms import Terms
from pe_lib._console import keep_output_printable
from pe_lib.course.grading import sheet

TYPES = {"Path": Path, "str": str, "int": int, "float": float}
COMMANDS_FILE = Path(__file__).with_name("commands.toml")


def grade(options: argparse.Namespace) -> str:
    """Grade a folder of notebooks, write the results to files, and return a summary."""
    content = sheet.load(options.sheet)
    if not options.folder.is_dir():
        raise ValueError(f"{options.folder} is not a folder")
    limits = (options.seconds, options.total, options.memory)
    # in an exam, the secret seeds are computed from the key
    teacher_seeds = options.secret or [] if options.key else options.secret
    folder_of_results = options.out.with_suffix("")
    seeds = secret_seeds.choose_seeds(teacher_seeds, folder_of_results)
    terms = Terms(content, options.seed, seeds, *limits)
    print(sandbox.KINDS[terms.sandbox], file=sys.stderr)
    roster = read_roster(options.roster) if options.roster else None
    report.check(options.out, terms, roster, options.column)
    if options.key:
        if roster is None:
            raise ValueError("--key is for an exam, which needs --roster as well")
        paths = folder.find_submissions(options.folder)
        terms = hand_out.exam_terms(terms, roster, hand_out.read_key(options.key), paths)
    jobs = options.jobs or os.cpu_count() or 1
    grades = folder.grade_folder(options.folder, terms, jobs, sys.stderr)
    site = options.site or os.environ.get("SITE_URL", "")
    text = report.write(options.out, grades, terms, roster, options.column, site)
    if options.key:
        return text
    return f"{text}\n{secret_seeds.write_seeds(seeds, folder_of_results)}"


def write_exam(options: argparse.Namespace) -> str:
    """Write the notebooks and the library for an exam, and return a message about these files."""
    roster, key = read_roster(options.roster), hand_out.read_key(options.key, create=True)
    return hand_out.write(sheet.load(options.sheet), roster, key, options.out)


def write_gradescope(options: argparse.Namespace) -> str:
    """Write a package for Gradescope, and return a message about what to do next."""
    seeds = secret_seeds.choose_seeds(options.secret, options.out)
    text = gradescope.write(sheet.load(options.sheet), options.out, options.seed, seeds)
    return f"{text} {secret_seeds.write_seeds(seeds, options.out)}"


def write_moodle(options: argparse.Namespace) -> str:
    """Write a quiz for Moodle, and return a message about what to do next."""
    return moodle.write(sheet.load(options.sheet), options.out, options.seed)


def write_notebook(options: argparse.Namespace) -> str:
    """Write a class's notebook and a wheel of the course, and return a message about both files."""
    return plain.write(sheet.load(options.sheet), options.out, options.seed)


COMMANDS = {
    "grade": grade,
    "exam": write_exam,
    "gradescope": write_gradescope,
    "moodle": write_moodle,
    "notebook": write_notebook,
}


def make_parser() -> argparse.ArgumentParser:
    """Return a parser for the command line, as commands.toml defines it."""
    table = tomllib.loads(COMMANDS_FILE.read_text("utf-8"))
    parser = argparse.ArgumentParser("python -m classroom", description="Exercises for a class.")
    parsers = parser.add_subparsers(required=True, dest="command")
    for name, command in table["commands"].items():
        command_parser = parsers.add_parser(name, help=command["help"])
        for flag, settings in command["arguments"].items():
            where = f"{COMMANDS_FILE.name}, {name} {flag}"
            settings = settings or look_up(flag, table["shared"], where)
            text = settings["help"].format(sheets=", ".join(sheet.names()))
            kind = look_up(settings["type"], TYPES, where)
            command_parser.add_argument(flag, **settings | {"type": kind, "help": text})
    return parser


def look_up(word: str, table: Mapping[str, Any], where: str) -> Any:
    """Return the value of a word in a dictionary, or raise ValueError if the word is not in it."""
    if word not in table:
        raise ValueError(f"{where}: {word!r} is unknown; known are {', '.join(table)}")
    return table[word]


def describe_os_error(error: OSError) -> str:
    """Describe an error of the operating system in a sentence that teachers understand."""
    if isinstance(error, FileExistsError):
        return (
            f"{error.filename} is there already and is not overwritten; give --out another folder"
        )
    return f"{error.filename}: {error.strerror}" if error.filename else f"{error}"


def main() -> None:
    """Run the command on the command line, and print its message or its error."""
    keep_output_printable()
    options = make_parser().parse_args()
    try:
        print(COMMANDS[options.command](options))
    except ValueError as error:
        raise SystemExit(f"{error}") from None
    except OSError as error:
        raise SystemExit(describe_os_error(error)) from None
    except KeyboardInterrupt:
        raise SystemExit("Stopped. Nothing was written.") from None


if __name__ == "__main__":
    main()
