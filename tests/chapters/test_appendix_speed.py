"""Test that the appendix and the README state speeds that agree with the stored measurements."""

import numpy as np

from pe_lib import _hands, encode
from tests.recorded import read_recording

MEASURED = read_recording("library")
STEADY = MEASURED["steady"]


def test_sines_are_computed_for_the_turns_that_the_text_names(monkeypatch):
    asked, compute = [], _hands._compute_rotations
    monkeypatch.setattr(
        _hands, "_compute_rotations", lambda t, w: asked.extend(t.tolist()) or compute(t, w)
    )
    for positions in (range(4096), np.arange(4096)[::3], 4095):
        _hands._tables.cache_clear()
        asked.clear()
        encode(positions, 64)
        assert sorted(asked) == [1, 2, 4, 64]
    encode(range(64**2, 64**2 + 2), 64)
    assert sorted(asked) == [1, 1, 2, 2, 4, 4, 64, 64, 64**2]


def test_what_is_promised_in_a_sentence_is_what_was_measured():
    """Test the promises: exact to the last place, and faster than numpy from size 256 × 256 on."""
    sizes = ["256 × 256", "512 × 512", "4096 × 512", "65536 × 512", "1000000 × 64"]
    assert sizes == list(STEADY["milliseconds"])[2:]
    for size in sizes:
        times = STEADY["milliseconds"][size]
        assert times["ours, float32"] < times["numpy, float32"], size
    half_a_place = np.spacing(np.float32(0.75)) / 2
    assert MEASURED["errors"]["ours, float32"]["1,000,000"] < 1.01 * half_a_place
    plain = STEADY["inputs"]["plain numpy, a range"]
    quick = "a range", "int64", "int32", "float64", "(4096, 1)", "ids of a batch, 8 × 512"
    assert all(STEADY["inputs"][name] < plain for name in (*quick, "down to 0", "ids, shuffled"))
