"""Measure the speed and the accuracy of the library's encoding, rotation and decoding.

python -m benchmarks.library prints the measurements and writes no file. With --record it writes
them into chapters/data/library.json as well, from which the appendix on speed and the README take
their numbers. The appendix compares the library with PyTorch's tutorial, so a recording needs both
packages in PEERS and is refused without them.

All implementations are measured in turn, so that a busy minute slows all of them alike, and each
figure is a median. Filling an array of the same size shows the limit that the memory sets.

By default glibc gives the memory of a large array back to the system when the array is freed, and
the next array of that size pays for new pages. This module has glibc keep the memory.
"""

import argparse
import json
import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import mpmath
import numpy as np

from pe_lib import _hands, encode, kernel, position_from_encoding, shift
from pe_lib._console import keep_output_printable
from pe_lib.grid import encode_grid
from pe_lib.rotary import rotate

RECORDING = Path(__file__).parents[1] / "chapters" / "data" / "library.json"
STEADY = {"MALLOC_MMAP_THRESHOLD_": str(2**32), "MALLOC_TRIM_THRESHOLD_": str(2**33)}
SIZES = [
    (64, 64), (50, 512), (256, 256), (512, 512), (4096, 512), (65_536, 512), (1_000_000, 64),
]  # fmt: skip
# maps each module that the library is compared with to the package that contains it
PEERS = {"torch": "torch", "positional_encodings": "positional-encodings"}
Call = Callable[[], object]
Implementation = Callable[[int, int], object]
Table = dict[str, dict[str, float]]


def encode_plainly(length: int, d_model: int, dtype: type = np.float32) -> object:
    """Encode positions with plain numpy code, as most people would write it."""
    positions = np.arange(length, dtype=dtype)[:, None]
    pairs = np.arange(0, d_model, 2, dtype=dtype)
    angle = positions * (10_000.0 ** (-pairs / d_model)).astype(dtype)
    result = np.empty((length, d_model), dtype)
    result[:, 0::2], result[:, 1::2] = np.sin(angle), np.cos(angle)
    return result


def encode_first(length: int, d_model: int) -> object:
    """Encode positions with an empty library cache, as the first call in a program does."""
    _hands._tables.cache_clear()
    return encode(range(length), d_model, dtype=np.float32)


def missing_peers() -> list[str]:
    """Return the names of packages that the comparison needs but that are not installed."""
    return [package for module, package in PEERS.items() if find_spec(module) is None]


def import_peers() -> dict[str, Implementation]:
    """Return other people's implementations by name, or {} if any package is missing."""
    if missing := missing_peers():
        print(f"Measured without {' and '.join(missing)}, which are not installed.")
        return {}
    import torch
    from positional_encodings.torch_encodings import PositionalEncoding1D

    def encode_as_tutorial(length: int, d_model: int) -> object:
        """Encode positions as PyTorch's sequence-to-sequence tutorial does."""
        table = torch.zeros(length, d_model)
        position = torch.arange(length, dtype=torch.float).unsqueeze(1)
        term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10_000.0) / d_model))
        table[:, 0::2] = torch.sin(position * term)
        table[:, 1::2] = torch.cos(position * term)
        return table

    return {
        "PyTorch tutorial": encode_as_tutorial,
        "positional-encodings": lambda n, d: PositionalEncoding1D(d)(torch.empty(1, n, d))[0],
    }


IMPLEMENTATIONS: dict[str, Implementation] = {
    "ours, float32": lambda length, d: encode(range(length), d, dtype=np.float32),
    "ours, float32, first": encode_first,
    "ours, float64": lambda length, d: encode(range(length), d),
    "numpy, float32": encode_plainly,
    "numpy, float64": partial(encode_plainly, dtype=np.float64),
    **import_peers(),
    "fill": lambda length, d: np.empty((length, d), np.float32).fill(1),
}


def median_milliseconds(calls: dict[str, Call], rounds: int) -> dict[str, float]:
    """Return the median time that each function takes to run, in milliseconds.

    All calls are measured in turn, so that a noisy minute slows all of them alike. A quick call is
    repeated for 3 ms, and its times are averaged.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds + 1):
        for name, call in calls.items():
            count, start = 0, time.perf_counter()
            while count == 0 or time.perf_counter() - start < 0.003:
                call()
                count += 1
            times[name].append(1000 * (time.perf_counter() - start) / count)
    warm = {name: measured[1:] for name, measured in times.items()}
    return {name: statistics.median(measured) for name, measured in warm.items()}


def measure_encoding() -> Table:
    """Measure how long each implementation takes to compute tables of several sizes."""
    return {
        f"{length} × {d_model}": median_milliseconds(
            {
                name: partial(implementation, length, d_model)
                for name, implementation in IMPLEMENTATIONS.items()
            },
            9 if length * d_model > 10**6 else 35,
        )
        for length, d_model in SIZES
    }


def measure_inputs() -> dict[str, float]:
    """Measure how long `encode` takes for a 4096 × 512 table in float32, for several inputs.

    The positions are given in different forms, such as a range, integers or fractions.
    """
    t, rng = np.arange(4096), np.random.default_rng(0)
    kinds = {
        "a range": range(4096),
        "int64": t,
        "int32": t.astype(np.int32),
        "float64": t.astype(np.float64),
        "(4096, 1)": t[:, None],
        "down to 0": t[::-1],
        "across 0": range(-2048, 2048),
        "ids of a batch, 8 × 512": np.tile(t[:512], (8, 1)),
        "every second": range(0, 2 * 4096, 2),
        "every third": range(0, 3 * 4096, 3),
        "ids, shuffled": rng.permutation(4096),
        "ids below a million": rng.integers(0, 10**6, 4096),
        "half positions": t / 2,
        "any fractions": np.linspace(0, 1, 4096),
    }
    calls: dict[str, Call] = {
        name: partial(encode, kind, 512, dtype=np.float32) for name, kind in kinds.items()
    }
    return median_milliseconds(
        calls | {"plain numpy, a range": partial(encode_plainly, 4096, 512)}, 25
    )


def measure_operations() -> Table:
    """Measure how long other operations take in the library and in plain numpy."""
    rng = np.random.default_rng(0)
    heads = rng.standard_normal((8, 1024, 64))
    table, t = encode(rng.integers(0, 1000, 8192), 64), np.arange(1024)
    w = 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    rows, columns = np.arange(64)[:, None], np.arange(64)
    halves = np.s_[..., :32], np.s_[..., 32:]

    def rotate_by_hand(
        x: np.ndarray, t: Any, pairs: Any = (np.s_[..., 0::2], np.s_[..., 1::2])
    ) -> object:
        """Rotate each pair of entries by its angle at position t.

        `pairs` contains two indices, which select the first and the second entry of each pair.
        """
        (first, second), angle, result = pairs, np.multiply.outer(t, w), np.empty_like(x)
        c, s, a, b = np.cos(angle), np.sin(angle), x[first], x[second]
        result[first], result[second] = c * a - s * b, s * a + c * b
        return result

    def grid_by_hand() -> object:
        half = np.asarray(encode_plainly(64, 384, np.float64))
        result = np.empty((64, 64, 768))
        result[..., :384], result[..., 384:] = half[:, None], half
        return result

    def kernel_by_hand() -> object:
        return np.cos(np.outer(np.arange(10_000), w)).sum(axis=1)

    pairs: dict[str, tuple[Call, Call]] = {
        "rotate, 8 × 1024 × 64": (lambda: rotate(heads, t), lambda: rotate_by_hand(heads, t)),
        "rotate in halves": (
            lambda: rotate(heads, t, layout="halves"),
            lambda: rotate_by_hand(heads, t, halves),
        ),
        "shift, 8192 × 64": (lambda: shift(table, 3), lambda: rotate_by_hand(table, -3)),
        "encode_grid, 64 × 64 × 768": (lambda: encode_grid(rows, columns, 768), grid_by_hand),
        "kernel, 10,000 offsets, d_model 64": (lambda: kernel(range(10_000), 64), kernel_by_hand),
    }
    return {
        name: median_milliseconds({"ours": ours, "by hand": by_hand}, 25)
        for name, (ours, by_hand) in pairs.items()
    }


def measure_errors() -> Table:
    """Return the largest error of each implementation just below positions 10⁴, 10⁵ and 10⁶.

    The encodings have d_model = 64, and are compared with encodings computed with 50 digits.
    """
    errors: Table = {}
    for position in (10**4, 10**5, 10**6):
        truth = np.array([exact_row(t, 64) for t in range(position - 10, position)])
        for name, implementation in IMPLEMENTATIONS.items():
            if name not in ("ours, float32, first", "fill"):
                last = np.asarray(implementation(position, 64), np.float64)[-10:]
                errors.setdefault(name, {})[f"{position:,}"] = float(np.abs(last - truth).max())
    return errors


def exact_row(position: int, d_model: int) -> list[float]:
    """Compute the encoding of one position to 50 digits."""
    with mpmath.workdps(50):
        angles = [
            position / mpmath.mpf(10_000) ** (mpmath.mpf(2 * i) / d_model)
            for i in range(d_model // 2)
        ]
        return [float(wave(angle)) for angle in angles for wave in (mpmath.sin, mpmath.cos)]


def measure_decoding() -> dict[str, float]:
    """Return how many float32 encodings per second the library decodes to positions.

    The library is compared with a search through 40,000 positions.
    """
    table = encode(range(40_000), 64, dtype=np.float32)
    noisy = table + np.random.default_rng(0).normal(0, 0.2, table.shape).astype(np.float32)
    few = table[::2000]
    calls: dict[str, tuple[int, Call]] = {
        "no noise, d_model 64": (len(table), lambda: position_from_encoding(table)),
        "noise 0.2, d_model 64": (len(noisy), lambda: position_from_encoding(noisy)),
        "brute force, d_model 64": (len(few), lambda: (few @ table.T).argmax(axis=1)),
    }
    milliseconds = median_milliseconds({name: call for name, (_, call) in calls.items()}, 9)
    return {name: 1000 * count / milliseconds[name] for name, (count, _) in calls.items()}


def describe_machine() -> dict[str, object]:
    """Return the versions of the software and the name of the processor, if it is known."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": names[0] if names else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "date": time.strftime("%Y-%m"),
    }


def measure() -> dict[str, Any]:
    """Run all measurements and return the results. This takes about half a minute."""
    return {
        "machine": describe_machine(),
        "steady": {
            "milliseconds": measure_encoding(),
            "inputs": measure_inputs(),
            "turning": measure_operations(),
        },
        "errors": measure_errors(),
        "rows_per_second": measure_decoding(),
    }


def record(measurements: dict[str, Any]) -> None:
    """Write the measurements into the file that the appendix on speed reads."""
    text = json.dumps(measurements, indent=1, ensure_ascii=False) + "\n"
    RECORDING.write_text(text, "utf-8")
    print(f"Recorded in {RECORDING}. The appendix on speed shows it after: make notebooks")


def main() -> None:
    keep_output_printable()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help=f"write {RECORDING.name} as well")
    options = parser.parse_args()
    if options.record and (missing := missing_peers()):
        raise SystemExit(
            f"Nothing was recorded: {' and '.join(missing)} must be installed, because the "
            "appendix on speed shows PyTorch beside the library. `make speed` installs both."
        )
    # glibc reads these variables only when a process starts, so the benchmark starts itself anew
    if not STEADY.items() <= os.environ.items():
        os.execve(sys.executable, sys.orig_argv, os.environ | STEADY)
    measurements = measure()
    print(json.dumps(measurements, indent=1, ensure_ascii=False))
    if options.record:
        record(measurements)


if __name__ == "__main__":
    main()
