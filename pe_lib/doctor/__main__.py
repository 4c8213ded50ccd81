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

import numpy as np

from pe_lib.doctor import _files
from pe_lib.doctor._config import Wanted, asked, configured
from pe_lib.doctor._examine import Entry, Report, examine, inspected


def main(arguments: list[str] | None = None) -> int:
    """Diagnose files; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m pe_lib.doctor",
        description="Numbers in, diagnosis out: what a table of positions, a cache, inv_freq, "
        "a bias, a configuration or a whole model is, and what is wrong with it.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a folder, "
                        ".npy .npz .csv .txt .json .safetensors .gguf")  # fmt: skip
    parser.add_argument("--against", metavar="CONFIG", help="the config.json that it should obey")
    parser.add_argument(
        "--tensor", metavar="NAME", help="which tensor, by its name or a part of it"
    )
    parser.add_argument("--json", action="store_true", help="one line of JSON for each diagnosis")
    given = parser.parse_args(arguments)
    try:
        want = asked(_files.parsed(Path(given.against))) if given.against else None
    except _files.ERRORS as error:
        return _unread(given.against, error, given.json)
    status = 0
    for name in given.files:
        try:
            report = _report(Path(name), given.tensor, want)
            print(_lines(name, report) if given.json else f"{name}\n{report}\n")
            status = max(status, int(not report.healthy))
        except _files.ERRORS as error:
            status = _unread(name, error, given.json)
    return status


def _unread(name: str, error: Exception, as_json: bool) -> int:
    why = _files.line(error)
    if as_json:
        print(json.dumps({"file": name, "status": 2, "error": why}, ensure_ascii=False))
    print(f"{name}: {why}", file=sys.stderr)
    return 2


def _lines(name: str, report: Report) -> str:
    found = [{"status": int(not x["healthy"]), **x} for x in report.as_dicts()]
    return "\n".join(
        json.dumps({"file": name, **x}, ensure_ascii=False, allow_nan=False, default=float)
        for x in found or [{"status": 0, "notes": report.notes}]
    )


def _report(path: Path, tensor: str | None, want: Wanted | None) -> Report:
    """What a file or a folder holds, compared with `want`, or with a folder's own configuration."""
    if path.is_dir():
        folder = _files.Folder(path)
        if tensor is None and want is None and folder.config is not None:
            return examine(folder)
        return inspected(_files.chosen(folder, tensor), want or Wanted(), guess=True)
    if path.suffix.lower() != ".json":
        return inspected(_files.chosen(_files.tensors(path), tensor), want or Wanted(), guess=True)
    data = _files.parsed(path)
    if isinstance(data, dict) and not (data and all(isinstance(x, list) for x in data.values())):
        return Report([Entry(x.name, configured(x), [*x.layers], 1)
                       for x in asked(data).groups])  # fmt: skip
    arrays = {}
    for name, values in (data if isinstance(data, dict) else {path.stem: data}).items():
        arrays[name] = np.asarray(values)
        if arrays[name].dtype.kind not in "iuf":  # strings, or true and false
            raise _files.refuse("no_numbers")
    found = arrays if tensor is None else _files.chosen(arrays, tensor)
    return inspected(found, want or Wanted(), guess=True)


if __name__ == "__main__":
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the pipe has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)
