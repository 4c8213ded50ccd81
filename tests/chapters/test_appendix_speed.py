"""What the appendix and the README say of speed is what was measured, and the method is right."""

import ast
import json
import re
from math import cos, sin
from typing import Any

import numpy as np
import pytest
from cells import executed

from pe_lib import _hands, encode, frequencies
from tools.notebooks import ROOT, read

MEASURED = json.loads((ROOT / "benchmarks" / "results" / "library.json").read_text("utf-8"))
STEADY = MEASURED["steady"]
CHAPTER = read(ROOT / "chapters" / "appendix-speed.ipynb")
TEXT = " ".join(cell.source for cell in CHAPTER.cells)


@pytest.mark.parametrize("positions", [[0], [1, 63, 64], [4095, 4096, 262_143], [*range(2500)]])
def test_digits_give_the_table_that_the_formula_gives(positions: list[int]) -> None:
    (source,) = [c.source for c in CHAPTER.cells if "def by_digits" in c.source]
    namespace: dict[str, Any] = {"np": np, "frequencies": frequencies}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            exec(ast.unparse(node), namespace)
    naive = [[f(t * w) for w in frequencies(12) for f in (sin, cos)] for t in positions]
    found = namespace["by_digits"](np.array(positions), 12)
    np.testing.assert_allclose(found, naive, rtol=0, atol=1e-9)


def test_sines_are_computed_for_the_turns_that_the_text_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float] = []
    exact = _hands._exact
    monkeypatch.setattr(_hands, "_exact", lambda t, w: asked.extend(t.tolist()) or exact(t, w))
    for positions in (range(4096), np.arange(4096)[::3], 4095):
        _hands._sines.cache_clear()
        asked.clear()
        encode(positions, 64)
        assert sorted(asked) == [1, 2, 4, 64]
    encode(range(64**2, 64**2 + 2), 64)
    assert sorted(asked) == [1, 1, 2, 2, 4, 4, 64, 64, 64**2]


def test_hands_stand_where_the_alternative_text_says() -> None:
    clock = [turn * 0.01 / (2 * np.pi) % 1 * 12 for turn in (8, 896, 4096, 5000)]
    assert 0 < clock[0] < 0.25 and abs(clock[1] - 5) < 0.25
    assert 6 < clock[2] < 6.5 and 11 < clock[3] < 12
    assert sum(clock[:3]) % 12 == pytest.approx(clock[3])


@pytest.mark.parametrize("times", [MEASURED["milliseconds"], STEADY["milliseconds"]])
def test_the_figure_of_sizes_is_described_as_it_was_measured(times: dict[str, Any]) -> None:
    ratio = {
        size: {way: value / row["numpy, float32"] for way, value in row.items()}
        for size, row in times.items()
    }
    ours = {size: row["ours, float32"] for size, row in ratio.items()}
    for size, most in ((64 * 64, 2), (50 * 512, 2), (256 * 256, 1)):  # what the library aims at
        assert max(ours[s] for s in ours if np.prod([*map(int, s.split(" × "))]) >= size) <= most
    assert 0.2 <= ours["1000000 × 64"] <= 0.3
    for row in ratio.values():
        assert row["PyTorch tutorial"] > 1 and 4 < row["numpy, float64"] < 12
        assert row["fill"] == min(row.values())
    first = {size: row["ours, float32, first"] for size, row in ratio.items()}
    assert 2.9 <= first["64 × 64"] <= 3.4 and abs(first["256 × 256"] - 1.3) < 0.04
    assert max(row for size, row in first.items() if size not in [*first][:3]) < 0.8


def test_the_figure_of_inputs_is_described_as_it_was_measured() -> None:
    inputs = STEADY["inputs"]
    ratio = {name: value / inputs["plain numpy, a range"] for name, value in inputs.items()}
    assert len(ratio) == 15  # fourteen kinds and plain numpy
    assert 0.14 <= ratio.pop("ids of a batch, 8 × 512") <= 0.18
    even = ["a range", "int64", "int32", "float64", "(4096, 1)", "down to 0", "across 0",
            "every second", "half positions"]  # fmt: skip
    for name in even:
        assert 0.36 <= ratio.pop(name) <= 0.45
    assert ratio.pop("every third") == pytest.approx(2 / 3, abs=0.05)
    assert ratio.pop("ids, shuffled") == pytest.approx(5 / 6, abs=0.05)
    assert ratio.pop("ids below a million") == pytest.approx(1.5, abs=0.1)
    assert 2.7 <= ratio.pop("any fractions") < 3
    assert [*ratio] == ["plain numpy, a range"]
    rates = MEASURED["rows_per_second"]
    assert rates["clean, d_model 64"] > 8 * rates["clean, d_model 512"]


def test_what_is_aimed_at_was_measured() -> None:
    single, double = MEASURED["units"].values()
    assert 0.4 < single <= 0.501 and 0.3 < double <= 0.52
    assert max(MEASURED["memory"].values()) <= 1.05
    assert MEASURED["importing"]["with numpy"] <= 60
    assert MEASURED["importing"]["without numpy"] <= 10
    for row in STEADY["turning"].values():
        assert row["ours"] <= 1.1 * row["by hand"]


def test_the_table_in_the_readme_is_the_measurement() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| ([^|]+) \| ([\d,]+) \| ?([^|]*) \|$", text, re.MULTILINE)
    assert len(rows) == 7
    for name, time, error in rows:
        way = "fill" if name.startswith("filling") else name
        assert int(time.replace(",", "")) == round(STEADY["milliseconds"]["1000000 × 64"][way])
        if way != "fill":
            assert f"{MEASURED['errors'][way]['1,000,000']:.0e}" == error
    for way in ("ours, float32", "ours, float32, first"):
        ratio = {s: row[way] / row["numpy, float32"] for s, row in STEADY["milliseconds"].items()}
        numbers = [f"{ratio[s]:.1f}" for s in ("64 × 64", "50 × 512", "256 × 256", "1000000 × 64")]
        assert re.search(".*?".join(map(re.escape, numbers)), text), numbers
    clean = MEASURED["rows_per_second"]["clean, d_model 64"]
    assert f"A row is decoded in {1e9 / clean:.0f} ns if it is clean" in text
    assert MEASURED["machine"]["processor"].split("(")[0].split()[0] in text


def test_the_text_says_what_the_errors_are() -> None:
    errors = {way: row["1,000,000"] for way, row in MEASURED["errors"].items()}
    assert errors["ours, float32"] <= 2.0**-25 * 1.001
    for way in ("numpy, float32", "PyTorch tutorial", "positional-encodings"):
        assert 0.005 < errors[way] < 0.1  # wrong in the second decimal
    assert np.spacing(np.float32(1e6)) == 0.0625


def test_the_same_position_has_the_same_bits() -> None:
    assert executed("appendix-speed")["table"].shape == (3000, 64)
    (cell,) = [c for c in CHAPTER.cells if "entries that differ" in c.source]
    assert [line.split()[-1] for line in cell.outputs[0].text.splitlines()] == ["0"] * 3
