"""Diagnose files from the command line, and print the diagnoses as text or as JSON.

    python -m pe_lib.doctor FILE… [--against config.json] [--tensor NAME] [--json]

A FILE holds one array or several (.npy .npz .csv .txt .json), or is a model (.safetensors .gguf),
a config.json, or a folder as it was downloaded. Tensors are compared with the configuration that
`--against` names. Without this option, the tensors of a folder are compared with its config.json,
and the tensors of other files with the only config.json among the FILEs.

The exit status is 0 if everything is as configured, or no problem was found. It is 1 if a problem
was found, or if the doctor does not know the numbers. It is 2 if a file cannot be read, or if
nothing in a folder was read.

With --json each tensor, or group of layers, gets one line: `file`, `status` (as above), `unread`
(files of a folder that were not read), `tensor` (its name), `count` (the number of equal tensors),
`layers` (their numbers), `healthy`, and the keys of `Diagnosis`. Where nothing was diagnosed, the
line has `file`, `status`, and `unread` with `notes`, or `error` in one line.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from pe_lib._console import has_unicode_output, keep_output_printable
from pe_lib.doctor import _files
from pe_lib.doctor._config import read_requirements
from pe_lib.doctor._examine import examine
from pe_lib.doctor._folder import open_tensors


def main(arguments: list[str] | None = None) -> int:
    """Diagnose the given files, print the diagnoses, and return the command's exit status."""
    options = _parse(arguments)
    config = None
    path = options.against or _only_config(options.files)
    if path:
        try:
            config = _files.read_json(Path(path))
            read_requirements(config)
        except Exception as error:  # reading a damaged file may raise any exception
            if options.against:
                return _report_error(path, error, options.json)
            # The configuration is one of the given files, too, so the loop below diagnoses it.
            config = None
    return max([_diagnose(name, config, options) for name in options.files])


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m pe_lib.doctor",
        description="Numbers in, diagnosis out: what a table of positions, a cache, inv_freq, "
        "a bias, a configuration or a whole model is, and what is wrong with it.",
    )
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE",
        help="a folder, .npy .npz .csv .txt .json .safetensors .gguf")  # fmt: skip
    add("--against", metavar="CONFIG",
        help="the configuration that the tensors should obey; without it, the config.json of a "
        "folder, or the only one among the files")  # fmt: skip
    add("--tensor", metavar="NAME", help="which tensor, by its name or a part of it")
    add("--json", action="store_true", help="one line of JSON for each diagnosis")
    return parser.parse_args(arguments)


def _only_config(names: list[str]) -> str | None:
    """Return the only config.json among the given files, or None if there are none or several."""
    configs = [name for name in names if Path(name).name == _files.CONFIG]
    return configs[0] if len(configs) == 1 and len(names) > 1 else None


def _diagnose(name: str, config: Any, options: argparse.Namespace) -> int:
    """Diagnose a file or folder, print the diagnosis, and return the exit status for it."""
    try:
        tensors = open_tensors(Path(name), options.tensor)
        own = tensors.config  # the folder's config.json, or the given file itself if it is a file
        if config is None or (own is not None and not options.against):
            # `examine` reads the configuration of tensors by itself
            config = None if tensors else own
        report = examine(tensors, config)
    except Exception as error:  # reading a damaged file may raise any exception
        return _report_error(name, error, options.json)
    report.notes += tensors.notes
    status = int(not report.healthy)
    if not options.json:
        print(f"{name}\n{report}\n")
        return status
    about = {"file": name, "unread": list(tensors.unread)}
    for x in report.as_dicts():
        print(_line(about | {"status": int(not x["healthy"])} | x))
    if not report.entries:
        print(_line(about | {"status": 0, "notes": report.notes}))
    return status


def _report_error(name: str, error: Exception, as_json: bool) -> int:
    """Print a one-line explanation of why a file cannot be read, and return exit status 2."""
    reason = _files.error_line(error)
    if as_json:
        print(_line({"file": name, "status": 2, "error": reason}))
    print(f"{name}: {reason}", file=sys.stderr)
    return 2


def _line(entry: dict[str, Any]) -> str:
    """Format a report entry as one line of JSON, in ASCII if the console cannot print Unicode."""
    ascii_only = not has_unicode_output()  # in JSON, every character can be escaped
    return json.dumps(entry, ensure_ascii=ascii_only, allow_nan=False, default=float)


if __name__ == "__main__":
    keep_output_printable()
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the program that reads our output has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)
