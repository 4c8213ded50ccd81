"""What the appendix and the README say of speed is what was measured, and the method is right."""

import ast
import json
import re
from typing import Any

import numpy as np
import pytest
from cells import executed

from pe_lib import encode, frequencies
from tools.notebooks import ROOT, read

MEASURED = json.loads((ROOT / "benchmarks" / "results" / "library.json").read_text("utf-8"))
CHAPTER = read(ROOT / "chapters" / "appendix-speed.ipynb")


@pytest.mark.parametrize("count", [1, 10, 101, 2500])
def test_blocks_give_the_table_that_the_library_computes_one_by_one(count: int) -> None:
    (source,) = [c.source for c in CHAPTER.cells if "def by_blocks" in c.source]
    (function,) = [n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)]
    namespace: dict[str, Any] = {"np": np, "encode": encode, "frequencies": frequencies}
    exec(ast.unparse(function), namespace)
    one_by_one = [encode(t, 12) for t in range(count)]
    np.testing.assert_allclose(namespace["by_blocks"](count, 12), one_by_one, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("way", "ours", "low", "high"),  # as the alternative text of the figure puts it
    [
        ("fill", "ours, float32", 0.4, 0.6),
        ("numpy, float32", "ours, float32", 2.5, 3.5),
        ("PyTorch tutorial", "ours, float32", 4.5, 5.5),
        ("numpy, float64", "ours, float64", 14, 16),
    ],
)
def test_the_figure_is_described_as_it_was_measured(
    way: str, ours: str, low: float, high: float
) -> None:
    times = MEASURED["milliseconds"]["1000000 × 64"]
    assert low <= times[way] / times[ours] <= high


def test_every_bar_is_a_multiple_of_ours_in_the_same_precision() -> None:
    times = MEASURED["milliseconds"]["1000000 × 64"]
    multiple = executed("appendix-speed")["multiple"]
    assert multiple == {
        way: pytest.approx(time / times["ours, float64" if way[-2:] == "64" else "ours, float32"])
        for way, time in times.items()
    }


def test_both_comparisons_of_numpy_in_float64_are_shown() -> None:
    times = MEASURED["milliseconds"]["1000000 × 64"]
    (cell,) = [c for c in CHAPTER.cells if c.source.startswith("slow = ")]
    assert cell.outputs[0].text.splitlines() == [
        f"numpy, float64: {times['numpy, float64'] / times[ours]:.1f} times {ours}"
        for ours in ("ours, float64", "ours, float32")
    ]


def test_the_table_in_the_readme_is_the_measurement() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| ([^|]+) \| ([\d,]+) \| ?([^|]*) \|$", text, re.MULTILINE)
    assert len(rows) == 7
    for name, time, error in rows:
        way = "fill" if name.startswith("filling") else name
        assert int(time.replace(",", "")) == round(MEASURED["milliseconds"]["1000000 × 64"][way])
        if way != "fill":
            assert f"{MEASURED['errors'][way]['1,000,000']:.0e}" == error


def test_the_text_says_what_the_errors_are() -> None:
    errors = {way: row["1,000,000"] for way, row in MEASURED["errors"].items()}
    assert errors["ours, float32"] <= 2.0**-25 * 1.001
    for way in ("numpy, float32", "PyTorch tutorial", "positional-encodings"):
        assert 0.005 < errors[way] < 0.1  # wrong in the second decimal
    assert np.spacing(np.float32(1e6)) == 0.0625
