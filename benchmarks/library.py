"""How fast the library encodes, turns and decodes, and how exact: python benchmarks/library.py.

Everything is measured in one run, interleaved, so that a noisy minute hits all alike: each figure
is a median. Peers that are not installed are left out and named. The limit is the memory: filling
an array of the same size, which computes nothing.

Where memory comes from decides much: by default glibc gives the pages of a large array back when it
is freed, and the next array of that size pays for new ones, page by page. So tables of encodings
are measured twice, with glibc as it is and, "steady", told to keep what it has.

Writes chapters/data/library.json beside the printed tables.
"""

import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import mpmath
import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from pe_lib import (  # noqa: E402
    _hands,
    encode,
    kernel,
    position_from_encoding,
    positions_from_value,
    shift,
)
from pe_lib.grid import encode_grid  # noqa: E402
from pe_lib.rotary import rotate  # noqa: E402

STEADY = {"MALLOC_MMAP_THRESHOLD_": str(2**32), "MALLOC_TRIM_THRESHOLD_": str(2**33)}
SIZES = [
    (64, 64), (50, 512), (256, 256), (512, 512), (4096, 512), (65_536, 512), (1_000_000, 64),
]  # fmt: skip
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


def first_call(length: int, d_model: int) -> object:
    """As often as not a table is made once: nothing is kept from the table before."""
    _hands._sines.cache_clear()
    return encode(range(length), d_model, dtype=np.float32)


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


def ways() -> dict[str, Way]:
    return {
        "ours, float32": lambda length, d: encode(range(length), d, dtype=np.float32),
        "ours, float32, first": first_call,
        "ours, float64": lambda length, d: encode(range(length), d),
        "numpy, float32": numpy_way(np.float32),
        "numpy, float64": numpy_way(np.float64),
        **peers(),
        "Python loop": python_loop,
        "fill": fill,
    }


def medians(calls: dict[str, Callable[[], object]], rounds: int = 9) -> dict[str, float]:
    """Seconds each takes, all of them in turn; quick ones as the mean of some milliseconds."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(-1, rounds):  # the first is not counted
        for name, call in calls.items():
            count, start = 0, time.perf_counter()
            while count == 0 or time.perf_counter() - start < 0.003:
                call()
                count += 1
            if turn >= 0:
                taken[name].append((time.perf_counter() - start) / count)
    return {name: statistics.median(times) for name, times in taken.items()}


def encoding() -> dict[str, dict[str, float]]:
    """Milliseconds for each size and way."""
    result = {}
    for length, d_model in SIZES:
        chosen = ways()
        if length * d_model > LOOP_LIMIT:
            del chosen["Python loop"]
        calls = {name: partial(way, length, d_model) for name, way in chosen.items()}
        seconds = medians(calls, 9 if length * d_model > 10**6 else 35)
        result[f"{length} × {d_model}"] = {k: 1000 * v for k, v in seconds.items()}
    return result


def inputs() -> dict[str, float]:
    """Milliseconds for 4096 × 512 in float32: positions of every kind, and plain numpy's table."""
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
    calls: dict[str, Callable[[], object]] = {
        name: partial(encode, kind, 512, dtype=np.float32) for name, kind in kinds.items()
    }
    calls["plain numpy, a range"] = partial(numpy_way(np.float32), 4096, 512)
    return {name: 1000 * seconds for name, seconds in medians(calls, 25).items()}


def turning() -> dict[str, dict[str, float]]:
    """Milliseconds of what else works on tables, and of the same by hand."""
    rng = np.random.default_rng(0)
    heads = rng.standard_normal((8, 1024, 64))
    table, t = encode(rng.integers(0, 1000, 8192), 64), np.arange(1024)
    w = 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    rows, columns = np.arange(64)[:, None], np.arange(64)

    def rotate_by_hand() -> object:
        angle, result = np.outer(t, w), np.empty_like(heads)
        c, s, a, b = np.cos(angle), np.sin(angle), heads[..., 0::2], heads[..., 1::2]
        result[..., 0::2], result[..., 1::2] = c * a - s * b, s * a + c * b
        return result

    def shift_by_hand() -> object:
        angle, result = 3 * w, np.empty_like(table)
        c, s, a, b = np.cos(angle), np.sin(angle), table[..., 0::2], table[..., 1::2]
        result[..., 0::2], result[..., 1::2] = c * a + s * b, c * b - s * a
        return result

    def grid_by_hand() -> object:
        pairs = 10_000.0 ** (-np.arange(0, 384, 2) / 384)
        half = np.empty((64, 384))
        half[:, 0::2], half[:, 1::2] = (f(np.outer(np.arange(64), pairs)) for f in (np.sin, np.cos))
        result = np.empty((64, 64, 768))
        result[..., :384], result[..., 384:] = half[:, None], half
        return result

    def kernel_by_hand() -> object:
        return np.cos(np.outer(np.arange(10_000), w)).sum(axis=1)

    pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "rotate, 8 × 1024 × 64": (lambda: rotate(heads, t), rotate_by_hand),
        "shift, 8192 × 64": (lambda: shift(table, 3), shift_by_hand),
        "encode_grid, 64 × 64 × 768": (lambda: encode_grid(rows, columns, 768), grid_by_hand),
        "kernel, 10,000 offsets, d_model 64": (lambda: kernel(range(10_000), 64), kernel_by_hand),
    }
    found = {}
    for name, (ours, by_hand) in pairs.items():
        seconds = medians({"ours": ours, "by hand": by_hand}, 25)
        found[name] = {way: 1000 * taken for way, taken in seconds.items()}
    return found


def exactness() -> dict[str, dict[str, float]]:
    """The largest error at d_model = 64 in ten rows before each position, against 50 digits."""
    result: dict[str, dict[str, float]] = {}
    for position in (10**4, 10**5, 10**6):
        truth = np.array([exact_row(t, 64) for t in range(position - 10, position)])
        for name, way in ways().items():
            if name in ("ours, float32, first", "Python loop", "fill"):
                continue
            table = np.asarray(way(position, 64), np.float64)
            error = np.abs(table[-10:] - truth).max()
            result.setdefault(name, {})[f"{position:,}"] = float(error)
    return result


def units() -> dict[str, float]:
    """The largest error in units that the docstring of `encode` speaks of, over 2,000 entries."""
    rng = np.random.default_rng(0)
    eps, single, double = 2.0**-52, 0.0, 0.0
    for run in (range(4096), range(-1000, 1000), range(-(10**6), 10**6), range(0, 10**6, 101)):
        for d_model in (64, 512):
            full = encode(run, d_model)
            rounded = full.astype(np.float32)
            assert (encode(run, d_model, dtype=np.float32) == rounded).all()
            near = [-1, 0, 1, 2, 3, 5] if 0 in run and run[0] < 0 else []
            for t in [*near, *(run[k] for k in rng.integers(0, len(run), 8).tolist())]:
                row = run.index(t)
                for entry in rng.integers(0, d_model, 24).tolist():
                    true = exact_entry(t, d_model, entry)
                    off = float(abs(mpmath.mpf(full[row, entry].item()) - true))
                    double = max(double, off / (eps * max(1, abs(t))))
                    off = float(abs(mpmath.mpf(rounded[row, entry].item()) - true))
                    single = max(single, off * 2**24)
    return {
        "float32, in units of the last place below 1": single,
        "float64, in eps·max(1, |t|)": double,
    }


def exact_row(position: int, d_model: int) -> list[float]:
    """One encoding, computed with 50 digits."""
    return [float(exact_entry(position, d_model, entry)) for entry in range(d_model)]


def exact_entry(position: int, d_model: int, entry: int) -> mpmath.mpf:
    with mpmath.workdps(50):
        angle = position / mpmath.mpf(10_000) ** (mpmath.mpf(entry - entry % 2) / d_model)
        return mpmath.cos(angle) if entry % 2 else mpmath.sin(angle)


def memory() -> dict[str, float]:
    """The most that is held at once, as a multiple of the table, float32."""
    found = {}
    for length, d_model in ((65_536, 512), (1_000_000, 64)):
        tracemalloc.start()
        table = encode(range(length), d_model, dtype=np.float32)
        found[f"{length} × {d_model}"] = tracemalloc.get_traced_memory()[1] / table.nbytes
        tracemalloc.stop()
    return found


def decoding() -> dict[str, float]:
    """Rows per second from float32: the library, and a search through 40,000 positions."""
    table = encode(range(40_000), 64, dtype=np.float32)
    noisy = table + np.random.default_rng(0).normal(0, 0.2, table.shape).astype(np.float32)
    some = table[::2000]
    calls: dict[str, tuple[int, Callable[[], object]]] = {
        "noise 0.2, d_model 64": (len(noisy), lambda: position_from_encoding(noisy)),
        "brute force, d_model 64": (len(some), lambda: (some @ table.T).argmax(axis=1)),
    }
    seconds = medians({name: call for name, (_, call) in calls.items()})
    return {name: count / seconds[name] for name, (count, _) in calls.items()}


def searching() -> dict[str, float]:
    """Milliseconds to find all positions below a limit that share one value, with two decimals."""
    calls = {
        f"below {stop:,}": partial(positions_from_value, 0.5, 0, 64, max_position=stop, atol=0.005)
        for stop in (10_000, 1_000_000)
    }
    return {name: 1000 * seconds for name, seconds in medians({**calls}, 3).items()}


def importing() -> dict[str, float]:
    """Milliseconds of `import pe_lib` in a process of its own, with numpy's part and without."""
    code = (
        "from time import perf_counter as now; a = now(); import numpy; b = now(); import pe_lib;"
        "c = now(); print(c - a, c - b)"
    )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", code]
    taken = []
    for _ in range(26):
        run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
        taken.append([1000 * float(seconds) for seconds in run.stdout.split()])
    taken = taken[1:]  # the first compiles
    names = ("with numpy", "without numpy")
    return dict(zip(names, map(statistics.median, zip(*taken, strict=True)), strict=True))


def steady() -> dict[str, dict[str, dict[str, float]]]:
    """`encoding`, `inputs` and `turning` of a process whose allocator keeps its memory."""
    environment = {**os.environ, **STEADY}
    run = subprocess.run(
        [sys.executable, __file__, "--tables"], env=environment, stdout=subprocess.PIPE, check=True
    )
    found: dict[str, dict[str, dict[str, float]]] = json.loads(run.stdout)
    return found


def tables() -> dict[str, object]:
    return {"milliseconds": encoding(), "inputs": inputs(), "turning": turning()}


def table(rows: dict[str, dict[str, float]], form: str) -> None:
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    print(f"{'':36}" + "".join(f"{column:>16}" for column in columns))
    for name, row in rows.items():
        cells = (form.format(row[c]) if c in row else "" for c in columns)
        print(f"{name:36}" + "".join(f"{cell:>16}" for cell in cells))
    print()


def by_way(times: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """A row for each way, a column for each size."""
    names = dict.fromkeys(name for row in times.values() for name in row)
    return {name: {s: row[name] for s, row in times.items() if name in row} for name in names}


def processor() -> str:
    """Its name, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def main() -> None:
    if "--tables" in sys.argv:
        sys.stdout, printed = sys.stderr, sys.stdout
        json.dump(tables(), printed)
        return
    found: dict[str, object] = {
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "date": time.strftime("%Y-%m"),
        }
    }
    both = {"as it is": tables(), "steady": steady()}
    for allocator, measured in both.items():
        print(f"encoding, milliseconds (fill: float32, no arithmetic); allocator {allocator}")
        table(by_way(measured["milliseconds"]), "{:.3f}")
        print(f"the same as multiples of plain numpy in float32; allocator {allocator}")
        plain = {
            size: {name: value / row["numpy, float32"] for name, value in row.items()}
            for size, row in measured["milliseconds"].items()
        }
        table(by_way(plain), "{:.2f}")
        print(f"positions of every kind, 4096 × 512 in float32, milliseconds; {allocator}")
        table({name: {"": value} for name, value in measured["inputs"].items()}, "{:.2f}")
        print(f"turning and comparing, milliseconds; allocator {allocator}")
        table(measured["turning"], "{:.2f}")
    found |= both["as it is"]
    found["steady"] = both["steady"]
    one_by_one = {
        "errors": (exactness, "largest error at d_model = 64, up to position", "{:.1e}"),
        "units": (units, "largest error over some 2,000 entries", "{:.2f}"),
        "memory": (memory, "most memory at once, as a multiple of the table", "{:.3f}"),
        "rows_per_second": (decoding, "decoding, rows per second", "{:,.0f}"),
        "searching": (searching, "all positions of one value, milliseconds", "{:.2f}"),
        "importing": (importing, "import pe_lib, milliseconds", "{:.0f}"),
    }
    for name, (measure, title, form) in one_by_one.items():
        found[name] = measure()
        print(title)
        nested = name == "errors"
        table(found[name] if nested else {k: {"": v} for k, v in found[name].items()}, form)

    recorded = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    (ROOT / "chapters" / "data" / "library.json").write_text(recorded, "utf-8")


if __name__ == "__main__":
    main()
