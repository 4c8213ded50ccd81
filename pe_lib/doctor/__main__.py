"""`python -m pe_lib.doctor FILE… [--against config.json] [--tensor NAME] [--json]`.

A FILE is an array or several (.npy .npz .csv .txt .json), a model (.safetensors .gguf), a
config.json, or a folder as it was downloaded, whose tensors are compared with its config.json.

Exit status 0: as configured, or nothing wrong found; 1: something found, or nothing that I know;
2: cannot read. With --json one line each tensor or group of layers: `file`, `status` (as above),
`tensor` (its name), `count` (how many hold the same), `layers` (their numbers), `healthy`, and
the keys of `Diagnosis`; where there is none, `file`, `status` and `notes`, or `error` in one line.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from pe_lib._console import has_unicode_output, keep_output_printable
from pe_lib.doctor import _files
from pe_lib.doctor._config import asked
from pe_lib.doctor._examine import examine


def main(arguments: list[str] | None = None) -> int:
    """Diagnose files; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m pe_lib.doctor",
        description="Numbers in, diagnosis out: what a table of positions, a cache, inv_freq, "
        "a bias, a configuration or a whole model is, and what is wrong with it.",
    )
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE",
        help="a folder, .npy .npz .csv .txt .json .safetensors .gguf")  # fmt: skip
    add("--against", metavar="CONFIG", help="the config.json that it should obey")
    add("--tensor", metavar="NAME", help="which tensor, by its name or a part of it")
    add("--json", action="store_true", help="one line of JSON for each diagnosis")
    given = parser.parse_args(arguments)
    against, status = None, 0

    def unread(name: str, error: Exception) -> int:
        why = _files.line(error)
        if given.json:
            print(_line({"file": name, "status": 2, "error": why}))
        print(f"{name}: {why}", file=sys.stderr)
        return 2

    if given.against:
        try:
            against = _files.parsed(Path(given.against))
            asked(against)
        except Exception as error:
            return unread(given.against, error)
    for name in given.files:
        try:  # a damaged file may make its reader raise anything
            model = _files.opened(Path(name), given.tensor)
            alone = None if model else model.config
            report = examine(model, alone if against is None else against)
        except Exception as error:
            status = unread(name, error)
            continue
        status = max(status, int(not report.healthy))
        found = [{"status": int(not x["healthy"]), **x} for x in report.as_dicts()]
        lines = [{"file": name, **x} for x in found or [{"status": 0, "notes": report.notes}]]
        print("\n".join(map(_line, lines)) if given.json else f"{name}\n{report}\n")
    return status


def _line(said: dict[str, Any]) -> str:
    ascii_only = not has_unicode_output()  # JSON has an escape for every sign
    return json.dumps(said, ensure_ascii=ascii_only, allow_nan=False, default=float)


if __name__ == "__main__":
    keep_output_printable()
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the pipe has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)
