"""How fast the library encodes and decodes, and how exact: python benchmarks/library.py.

Everything is measured in one run, interleaved, so that a noisy minute hits all alike: each figure
is a median of ROUNDS. Peers that are not installed are left out and named. The limit is the memory:
filling an array of the same size, which computes nothing.

Writes benchmarks/results/library.json and .svg beside the printed tables.
"""

import json
import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import mpmath
import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from pe_lib import encode, position_from_encoding  # noqa: E402
from pe_lib.course import figures  # noqa: E402

ROUNDS = 9
SIZES = [(512, 512), (4096, 512), (65_536, 512), (1_000_000, 64)]
LOOP_LIMIT = 300_000  # entries: more takes a plain Python loop too long
Way = Callable[[int, int], object]


def numpy_way(dtype: type) -> Way:
    """Vectorised numpy as most people write it, all in one precision."""

    def table(length: int, d_model: int) -> object:
        positions = np.arange(length, dtype=dtype)[:, None]
        pairs = np.arange(0, d_model, 2, dtype=dtype)
        angle = positions * (10_000.0 ** (-pairs / d_model)).astype(dtype)
        result = np.empty((length, d_model), dtype)
        result[:, 0::2], result[:, 1::2] = np.sin(angle), np.cos(angle)
        return result

    return table


def python_loop(length: int, d_model: int) -> object:
    """Entry by entry."""
    table = []
    for t in range(length):
        row = []
        for j in range(0, d_model, 2):
            angle = t / 10_000.0 ** (j / d_model)
            row += [math.sin(angle), math.cos(angle)]
        table.append(row)
    return table


def fill(length: int, d_model: int) -> object:
    """The limit: the same bytes, all equal."""
    result = np.empty((length, d_model), np.float32)
    result.fill(1)
    return result


def copy(length: int, d_model: int) -> object:
    """The other limit: the same bytes from another place."""
    return SOURCE[: length * d_model].copy()


SOURCE = np.ones(max(length * d_model for length, d_model in SIZES), np.float32)


def peers() -> dict[str, Way]:
    """Other people's ways, where they are installed."""
    found: dict[str, Way] = {}
    try:
        import torch
    except ImportError:
        print("not installed, left out: torch (and positional-encodings, which needs it)")
        return found

    def tutorial(length: int, d_model: int) -> object:
        """The module of PyTorch's sequence-to-sequence tutorial, its arithmetic alone."""
        table = torch.zeros(length, d_model)
        position = torch.arange(length, dtype=torch.float).unsqueeze(1)
        term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10_000.0) / d_model))
        table[:, 0::2] = torch.sin(position * term)
        table[:, 1::2] = torch.cos(position * term)
        return table

    found["PyTorch tutorial"] = tutorial
    try:
        from positional_encodings.torch_encodings import PositionalEncoding1D
    except ImportError:
        print("not installed, left out: positional-encodings")
        return found

    def package(length: int, d_model: int) -> object:
        return PositionalEncoding1D(d_model)(torch.empty(1, length, d_model))[0]

    found["positional-encodings"] = package
    return found


def medians(ways: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Seconds each way takes, all ways in turn, `rounds` times."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in taken.items()}


def encoding(ways: dict[str, Way]) -> dict[str, dict[str, float]]:
    """Milliseconds for each size and way."""
    result = {}
    for length, d_model in SIZES:
        chosen = dict(ways)
        if length * d_model > LOOP_LIMIT:
            del chosen["Python loop"]
        calls = {name: partial(way, length, d_model) for name, way in chosen.items()}
        seconds = medians(calls)
        result[f"{length} × {d_model}"] = {k: 1000 * v for k, v in seconds.items()}
    return result


def exactness(ways: dict[str, Way]) -> dict[str, dict[str, float]]:
    """The largest error at d_model = 64 in ten rows before each position, against 50 digits."""
    result: dict[str, dict[str, float]] = {}
    for position in (10**4, 10**5, 10**6):
        truth = np.array([exact_row(t, 64) for t in range(position - 10, position)])
        for name, way in ways.items():
            if name in ("Python loop", "fill", "copy"):
                continue
            table = np.asarray(way(position, 64), np.float64)
            error = np.abs(table[-10:] - truth).max()
            result.setdefault(name, {})[f"{position:,}"] = float(error)
    return result


def exact_row(position: int, d_model: int) -> list[float]:
    """One encoding, computed with 50 digits."""
    with mpmath.workdps(50):
        angles = [position / mpmath.mpf(10_000) ** (mpmath.mpf(j) / d_model)
                  for j in range(0, d_model, 2)]  # fmt: skip
        return [float(f(angle)) for angle in angles for f in (mpmath.sin, mpmath.cos)]


def decoding() -> dict[str, float]:
    """Rows per second at d_model = 64: the library, and a search through 40,000 positions."""
    table = encode(range(40_000), 64, dtype=np.float32)
    rows = np.tile(table, (5, 1))
    some = rows[::2000]
    seconds = medians(
        {
            "position_from_encoding": lambda: position_from_encoding(rows),
            "brute force": lambda: (some @ table.T).argmax(axis=1),
        }
    )
    counts = {"position_from_encoding": len(rows), "brute force": len(some)}
    return {name: counts[name] / seconds[name] for name in seconds}


def draw(times: dict[str, dict[str, float]], path: Path) -> None:
    """Bars: how many times as long as the library each way takes, for the largest tables."""
    fig, axes = figures.subplots(7.5, 3.2, 1, 2)
    for ax, size in zip(axes, list(times)[-2:], strict=True):
        ours = times[size]["ours, float32"]
        ratios = {name: value / ours for name, value in times[size].items()}
        names = sorted(ratios, key=ratios.__getitem__)
        ax.barh(names, [ratios[name] for name in names], color=figures.PALETTE["blue"])
        ax.set(xscale="log", title=size, xlabel="time, as a multiple of ours in float32")
        for row, name in enumerate(names):
            ax.text(ratios[name] * 1.05, row, f"{ratios[name]:.1f}", va="center", fontsize=8)
        ax.set_xlim(right=3 * max(ratios.values()))
    path.write_text(figures.svg(fig, "Bars of the measured times, see the table"), "utf-8")


def table(rows: dict[str, dict[str, float]], form: str) -> None:
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    print(f"{'':24}" + "".join(f"{column:>16}" for column in columns))
    for name, row in rows.items():
        cells = (form.format(row[c]) if c in row else "" for c in columns)
        print(f"{name:24}" + "".join(f"{cell:>16}" for cell in cells))
    print()


def processor() -> str:
    """Its name, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def main() -> None:
    ways: dict[str, Way] = {
        "ours, float32": lambda length, d: encode(range(length), d, dtype=np.float32),
        "ours, float64": lambda length, d: encode(range(length), d),
        "numpy, float32": numpy_way(np.float32),
        "numpy, float64": numpy_way(np.float64),
        **peers(),
        "Python loop": python_loop,
        "fill": fill,
        "copy": copy,
    }
    times = encoding(ways)
    by_way = {
        name: {size: row[name] for size, row in times.items() if name in row} for name in ways
    }
    print("encoding, milliseconds (fill and copy: float32, no arithmetic)")
    table(by_way, "{:.2f}")
    errors = exactness(ways)
    print("largest error at d_model = 64, up to position")
    table(errors, "{:.1e}")
    rates = decoding()
    print("decoding at d_model = 64, rows per second")
    table({name: {"": rate} for name, rate in rates.items()}, "{:,.0f}")

    results = ROOT / "benchmarks" / "results"
    results.mkdir(exist_ok=True)
    machine = {
        "processor": processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "date": time.strftime("%Y-%m"),
    }
    found = {"machine": machine, "milliseconds": times, "errors": errors, "rows_per_second": rates}
    (results / "library.json").write_text(
        json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8"
    )
    draw(times, results / "library.svg")


if __name__ == "__main__":
    main()
