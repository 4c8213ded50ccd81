"""What the appendix and the README say of speed is what was measured."""

import json
import re

import numpy as np

from pe_lib import _hands, encode
from tools.notebooks import ROOT

MEASURED = json.loads((ROOT / "chapters" / "data" / "library.json").read_text("utf-8"))
STEADY = MEASURED["steady"]


def test_sines_are_computed_for_the_turns_that_the_text_names(monkeypatch):
    asked, exact = [], _hands._exact
    monkeypatch.setattr(_hands, "_exact", lambda t, w: asked.extend(t.tolist()) or exact(t, w))
    for positions in (range(4096), np.arange(4096)[::3], 4095):
        _hands._sines.cache_clear()
        asked.clear()
        encode(positions, 64)
        assert sorted(asked) == [1, 2, 4, 64]
    encode(range(64**2, 64**2 + 2), 64)
    assert sorted(asked) == [1, 1, 2, 2, 4, 4, 64, 64, 64**2]


def test_the_table_in_the_readme_is_the_measurement():
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
