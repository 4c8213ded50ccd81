"""Diagnose files from the command line, and print the diagnoses as text, as JSON or for GitHub.

    pe-doctor FILE… [--against CONFIG] [--tensor NAME] [--format text|json|github]

`python -m pe_lib.doctor` is the same command. A FILE holds one array or several (.npy .npz .csv
.txt .json), or is a model (.safetensors .gguf), a config.json, a folder as it was downloaded, or
the name of a model in the local cache of the hub. Tensors are compared with the configuration that
`--against` names, which may be a folder or such a name, too. Without this option, the tensors of a
folder are compared with its config.json, and the tensors of other files with the only config.json
among the FILEs.

The exit status says what the command found:

    0  healthy: everything is as configured, or no problem was found
    1  a problem was found, or the doctor does not know the numbers
    2  unreadable: a file cannot be read, or no tensor in a folder was read
    3  nothing compared: no array of positions was read, or none could be compared with the
       configuration

With several files, the exit status is the worst of their statuses. From worst to best, they are
2, 1, 3 and 0.

With `--format json`, or `--json`, each tensor, or group of layers, gets one line: `file`, `status`
(as above), `verdict` (the status in words, where "unknown" is told from "found"), `unread` (files
of a folder that were not read), `tensor` (its name), `count` (the number of equal tensors),
`layers` (their numbers), `healthy`, and the keys of `Diagnosis`. Where nothing was diagnosed, the
line has `file`, `status`, `verdict`, and `unread` with `notes`, or `error` in one line.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from pe_lib import __version__
from pe_lib._console import has_unicode_output, keep_output_printable
from pe_lib.checkpoints._config import UnknownKindError
from pe_lib.doctor import _files, _places
from pe_lib.doctor._examine import Entry, Report, examine
from pe_lib.doctor._folder import Files, open_tensors
from pe_lib.doctor._numbers import DATA
from pe_lib.doctor._requirements import read_requirements

# The exit status of each verdict, from the best verdict to the worst.
EXIT = {"healthy": 0, "not compared": 3, "unknown": 1, "found": 1, "unreadable": 2}
# The kind of annotation with which GitHub marks a file, for each verdict.
LEVELS = {"healthy": "notice", "not compared": "warning", "unknown": "warning", "found": "error"}
MODULE = "python -m pe_lib.doctor"
EPILOG = """\
examples:
  %(prog)s inv_freq.npy --against config.json   one array beside a configuration
  %(prog)s path/to/model                        a model's folder as it was downloaded
  %(prog)s owner/name --format github           a model in the hub's local cache, in a workflow

exit status:
  0  healthy           everything is as configured, or no problem was found
  1  found, unknown    a problem was found, or the doctor does not know the numbers
  2  unreadable        a file cannot be read, or no tensor in a folder was read
  3  nothing compared  no array of positions was read, or none could be compared
"""


def main(arguments: list[str] | None = None) -> int:
    """Diagnose the given files, print the diagnoses, and return the command's exit status."""
    options = _parse(arguments)
    config = None
    name = options.against or _only_config(options.files)
    if name:
        try:
            config = _files.read_json(_places.find_config(name))
            read_requirements(config)
        except UnknownKindError:
            pass  # each report says that it was compared with nothing, and why
        except Exception as error:  # reading a damaged file may raise any exception
            if options.against:
                return EXIT[_report_error(name, error, options.format)]
            # The configuration is one of the given files, too, so the loop below diagnoses it.
            config = None
    verdicts = {_diagnose(name, config, options) for name in options.files}
    return EXIT[max(verdicts, key=[*EXIT].index)]


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    own_name = Path(sys.argv[0]).name
    parser = argparse.ArgumentParser(
        prog=own_name if own_name.startswith("pe-doctor") else MODULE,
        description="Numbers in, diagnosis out: what a table of positions, a cache, inv_freq, "
        "a bias, a configuration or a whole model is, and what is wrong with it.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE",
        help="a folder, .npy .npz .csv .txt .json .safetensors .gguf, or the name of a model in "
        "the hub's local cache")  # fmt: skip
    add("--against", metavar="CONFIG",
        help="the configuration that the tensors should obey: a file, a model's folder, or the "
        "name of a model in the hub's local cache; without it, the config.json of a folder, or the "
        "only one among the files")  # fmt: skip
    add("--tensor", metavar="NAME", help="which tensor, by its name or a part of it")
    add("--format", choices=["text", "json", "github"], default="text",
        help="text to read, one line of JSON for each diagnosis, or annotations in a GitHub "
        "workflow")  # fmt: skip
    add("--json", dest="format", action="store_const", const="json", help="the same as --format "
        "json")  # fmt: skip
    add("--version", action="version", version=f"pe-lib {__version__}")
    return parser.parse_args(arguments)


def _only_config(names: list[str]) -> str | None:
    """Return the only config.json among the given files, or None if there are none or several."""
    configs = [name for name in names if Path(name).name == _files.CONFIG]
    return configs[0] if len(configs) == 1 and len(names) > 1 else None


def _diagnose(name: str, config: Any, options: argparse.Namespace) -> str:
    """Diagnose a file or folder, print the diagnosis, and return the verdict in words."""
    only = None if options.against or config is None else _only_config(options.files)
    try:
        tensors = open_tensors(_places.find_path(name), options.tensor)
        own = tensors.config  # the folder's config.json, or the given file itself if it is a file
        if config is None or (own is not None and not options.against):
            # A model's tensors come with their own configuration, which `examine` reads.
            config = None if tensors else own
        report = _examine_beside(tensors, config)
    except Exception as error:  # reading a damaged file may raise any exception
        return _report_error(name, error, options.format)
    report.notes += tensors.notes
    report.is_reference = name == only and report.has_groups
    verdict = report.status
    if options.format == "json":
        _print_json(name, report, verdict, list(tensors.unread))
    elif options.format == "github":
        _print_annotations(name, report, verdict)
    else:
        print(f"{name}\n{report}\n")
    return verdict


def _examine_beside(tensors: Files, config: Any) -> Report:
    """Examine tensors beside a configuration, or alone if its kind of model cannot be read."""
    try:
        return examine(tensors, config)
    except UnknownKindError as error:
        tensors.config = None
        report = examine(tensors)
        report.notes.insert(0, str(DATA["report"]["no_config"].format(why=error)))
        report.has_config, report.has_groups = True, False
        return report


def _print_json(name: str, report: Report, verdict: str, unread: list[str]) -> None:
    """Print one line of JSON for each entry of a report, or one line for a report without any."""
    for entry, x in zip(report.entries, report.as_dicts(), strict=True):
        own = _judge_entry(entry, verdict)
        about = {"file": name, "status": EXIT[own], "verdict": own, "unread": unread}
        print(_line(about | x))
    if not report.entries:
        about = {"file": name, "status": EXIT[verdict], "verdict": verdict, "unread": unread}
        print(_line(about | {"notes": report.notes}))


def _judge_entry(entry: Entry, verdict: str) -> str:
    """Return the verdict on one entry. A healthy entry gets the verdict of the whole report."""
    if entry.healthy:
        return verdict if verdict == "not compared" else "healthy"
    return "found" if entry.diagnosis.problems else "unknown"


def _print_annotations(name: str, report: Report, verdict: str) -> None:
    """Print what GitHub shows beside a file: each problem, or one line if there is none."""
    if verdict == "not compared":
        print(_annotate(LEVELS[verdict], name, verdict, str(report).splitlines()[-1]))
    if verdict == "healthy":
        are_sure = all(entry.diagnosis.sure for entry in report.entries)
        text = DATA["summary"]["healthy"] if are_sure else str(report)
        print(_annotate(LEVELS[verdict], name, verdict, text))
    for entry in report.entries:
        own = _judge_entry(entry, verdict)
        if own == "unknown":
            print(_annotate(LEVELS[own], name, entry.title, str(entry.diagnosis)))
        for finding in entry.diagnosis.findings:
            title = f"{entry.title}: {finding.name}"
            print(_annotate(LEVELS[own], name, title, str(finding)))


def _annotate(level: str, name: str, title: str, text: str) -> str:
    """Return a GitHub workflow command that shows a message, with special characters escaped.

    >>> _annotate("error", "a,b.npy", "base_differs", "100 %\\nis more")
    '::error file=a%2Cb.npy,title=base_differs::100 %25%0Ais more'
    """

    def escape(value: str, signs: str) -> str:
        for sign in signs:
            value = value.replace(sign, f"%{ord(sign):02X}")
        return value

    file, title = (escape(value, "%\r\n:,") for value in (name, title))
    return f"::{level} file={file},title={title}::{escape(text, '%' + chr(13) + chr(10))}"


def _report_error(name: str, error: Exception, form: str) -> str:
    """Print in one line why a file cannot be read, and return the verdict "unreadable"."""
    reason, verdict = _files.error_line(error), "unreadable"
    if form == "json":
        about = {"file": name, "status": EXIT[verdict], "verdict": verdict}
        print(_line(about | {"error": reason}))
    elif form == "github":
        print(_annotate("error", name, verdict, reason))
    print(f"{name}: {reason}", file=sys.stderr)
    return verdict


def _line(entry: dict[str, Any]) -> str:
    """Format a report entry as one line of JSON, in ASCII if the console cannot print Unicode."""
    ascii_only = not has_unicode_output()  # in JSON, every character can be escaped
    return json.dumps(entry, ensure_ascii=ascii_only, allow_nan=False, default=float)


def run() -> int:
    """Run the command in a terminal, even if the program that reads its output ends early."""
    keep_output_printable()
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the program that reads our output has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    return code


if __name__ == "__main__":
    sys.exit(run())
