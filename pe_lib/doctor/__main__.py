"""`python -m pe_lib.doctor FILE… [--against config.json] [--tensor NAME] [--json]`.

Exit status 0: as configured, or nothing wrong found; 1: something found, or nothing that I know;
2: cannot read.
"""

import argparse
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from pe_lib.doctor import _config, _files
from pe_lib.doctor._diagnosis import Diagnosis
from pe_lib.doctor._identify import identify


def main(arguments: list[str] | None = None) -> int:
    """Diagnose files; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m pe_lib.doctor",
        description="Numbers in, diagnosis out: what a table of positions, a cache, inv_freq, "
        "a bias or a configuration is, and what is wrong with it.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE",
                        help=".npy .npz .csv .json .safetensors .gguf")  # fmt: skip
    parser.add_argument("--against", metavar="CONFIG", help="the config.json that it should obey")
    parser.add_argument(
        "--tensor", metavar="NAME", help="which tensor, by its name or a part of it"
    )
    parser.add_argument("--json", action="store_true", help="one line of JSON for each diagnosis")
    given = parser.parse_args(arguments)
    status, want = 0, None
    if given.against:
        try:
            want = _wanted(Path(given.against))
        except ValueError as error:
            print(f"{given.against}: {error}", file=sys.stderr)
            return 2
    for name in given.files:
        try:
            found = list(_diagnoses(Path(name), given.tensor, want))
        except (ValueError, TypeError) as error:
            line = " ".join(str(error).split())[:300]
            print(f"{name}: {line}", file=sys.stderr)
            status = 2
            continue
        except (MemoryError, RecursionError):
            print(f"{name}: too large for the memory there is", file=sys.stderr)
            status = 2
            continue
        for place, d in found:
            if given.json:
                print(json.dumps({"file": name, "tensor": place, **json.loads(d.to_json())},
                                 ensure_ascii=False))  # fmt: skip
            else:
                print(f"{name}{f': {place}' if place else ''}\n{d}\n")
            status = max(status, int(bool(d.problems) or not _known(d)))
    return status


def _known(d: Diagnosis) -> bool:
    """Whether there is nothing to look at: a rule that holds, or a learned table without faults."""
    return d.sure or d.scheme == "learned"


def _wanted(path: Path) -> _config.Wanted:
    data = _files.parsed(path)
    if not isinstance(data, dict):
        raise _files.UnreadableError("not a configuration")
    return _config.read(data)


def _diagnoses(path: Path, tensor: str | None, want: Any) -> list[tuple[str, Diagnosis]]:
    """Each array of a file that is positions, diagnosed; the same ones once."""
    if path.suffix.lower() == ".json":
        data = _files.parsed(path)
        if _config.is_config(data):
            d = _config.diagnosis(_config.read(data))
            return [("", d)]
        if isinstance(data, dict) and tensor is not None:
            data = data[_files.pick(list(data), tensor)[0]]
        d = identify({k: _array(v) for k, v in data.items()} if isinstance(data, dict)
                     else _array(data))  # fmt: skip
        return [("", _config.against(d, want) if want else d)]
    found = _files.tensors(path, tensor)
    out: list[tuple[str, Diagnosis]] = []
    seen: dict[bytes, str] = {}
    for name, values, length in _together(found):
        key = b"".join(np.ascontiguousarray(x).tobytes()[: 1 << 20] for x in values)
        if key in seen:
            continue
        seen[key] = name
        d = identify(values[0], values[1]) if len(values) == 2 else _one(name, values[0])
        out.append((name, _config.against(d, want, length) if want else d))
    return out


def _array(values: Any) -> Any:
    """A list of JSON as an array: no strings, no True, and of one shape."""
    try:
        x = np.asarray(values)
    except ValueError:
        raise _files.UnreadableError("lists of different lengths") from None
    if x.dtype.kind not in "iuf":
        raise _files.UnreadableError("holds what is no number")
    return x


def _one(name: str, x: Any) -> Diagnosis:
    """One array, whose name may say what its numbers cannot."""
    if re.search(r"cos_sin_cache$", name) and x.ndim == 2 and x.shape[1] % 2 == 0:
        half = x.shape[1] // 2
        return identify(x[:, :half], x[:, half:])
    d = identify(x)
    if re.search(r"relative_attention_bias", name) and d.scheme in ("learned", "unknown"):
        d.scheme, d.layout = "t5", None
        d.details["buckets"] = int(x.shape[0])
    return d


def _together(found: list[_files.Tensor]) -> list[tuple[str, list[Any], int]]:
    """Cosines and sines that belong together, by their names; everything else alone."""
    by = {t.name: t for t in found}
    out, used = [], set()
    for name, t in by.items():
        if name in used:
            continue
        for a, b in (("cos", "sin"), ("sin", "cos")):
            other = re.sub(f"(^|[._/]|freqs_){a}(?=$|[._/]|_cached|_cache)", rf"\g<1>{b}", name)
            if other != name and other in by and by[other].shape == t.shape:
                pair = (t, by[other]) if a == "cos" else (by[other], t)
                used |= {name, other}
                out.append(
                    (f"{pair[0].name}, {pair[1].name}", [x.values for x in pair], t.shape[0])
                )
                break
        else:
            used.add(name)
            out.append((name, [t.values], t.shape[0] if t.shape else 0))
    return out


if __name__ == "__main__":
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the pipe has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)
