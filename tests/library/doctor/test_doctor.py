"""Test that the doctor can round numbers, find rules, compare arrays, and probe functions."""

from decimal import Decimal

import doctor_bank as bank
import numpy as np
import pytest
from test_doctor_checkpoints import LLAMA

import pe_lib
from pe_lib import biases, context, rotary
from pe_lib.doctor import _config, _numbers, _requirements, compare, identify, probe

rng = np.random.default_rng(0)


def test_numbers_in_sentences_are_near_and_short():
    for x in 10.0 ** rng.uniform(-12, 14, 500) * rng.choice([-1, 1], 500):
        text = _numbers.format_number(float(x))
        assert abs(float(text.replace(",", "")) / x - 1) <= 0.50001e-4, (x, text)
        assert len(text) < 22
    for x in 10.0 ** rng.uniform(-8, 3, 200):
        limit = float(_numbers.format_bound(float(x)).removeprefix("below ").replace(",", ""))
        assert x <= Decimal(limit) * Decimal("1.0") <= x * 5.01


def test_the_librarys_own_arrays():
    """Test that the doctor finds the base, layout and scaling of the library's own arrays."""
    d = identify(pe_lib.encode(range(7, 90), 48, 5e5, dtype=np.float32, layout="halves"))
    assert (d.base, d.layout, d.first_position, d.precision) == (5e5, "halves", 7, "float32")
    d = identify(context.ntk_aware(128, 4))
    assert d.details["ntk"] == {"base": 1e4, "factor": 4} and "NTK" in d.alternatives[0]
    d = identify(context.yarn(128, 4, 4096, truncate=False))
    assert (d.scaling, d.factor, d.details["rounded_ends"], d.sure) == ("yarn", 4, False, True)
    d = identify(pe_lib.grid.encode_grid(np.arange(9)[:, None], range(11), 32, 100).reshape(99, 32))
    assert d.details["axes"] == [9, 11] and d.sure
    for layout in ("interleaved", "halves"):
        d = probe(lambda x, t, layout=layout: rotary.rotate(x, t, 1e6, layout), 32)
        assert (d.layout, d.direction, d.base, d.sure) == (layout, 1, 1e6, True)
        assert d.details["relative"]


def test_partial_and_odd_probes():
    d = probe(lambda x, t: rotary.rotate(x, -t - 3, turned=32), 64)
    assert (d.direction, d.first_position, d.details["turned"]) == (-1, 3, 32)
    d = probe(lambda x, t: x + pe_lib.encode(t, 64))
    assert d.scheme == "sinusoidal" and d.details["added"]
    assert probe(lambda x, t: x).scheme == "none"
    stretched = probe(lambda x, t: rotary.rotate(x, t) * (1 + t), 16)
    assert not stretched.details.get("relative", False)
    with pytest.raises(ValueError, match="KeyError"):
        probe(lambda x, t: {}["nothing"])


A = pe_lib.encode(range(64), 32)
HALVES = np.concatenate([A[:, 0::2], A[:, 1::2]], 1)
PAIR = np.stack([A[:, 1::2], A[:, 0::2]], -1).reshape(64, 32)
FLIPPED = A * np.tile([-1, 1], 16)
LEARNED = rng.standard_normal((30, 8))
COMPARED = {
    "same": (A, A.copy(), "b is a, to the last bit."),
    "rounded": (A, bank.to("bfloat16", A), "b is a rounded to bfloat16."),
    "halves": (A, HALVES, "b's layout is halves, and a's is interleaved."),
    "cosines": (HALVES, np.roll(HALVES, 16, 1),
                "b's order is cosine first, and a's is sine first."),
    "pair": (A, PAIR, "b's order is cosine first, and a's is sine first."),
    "clockwise": (A, FLIPPED, "b's direction is -1, and a's is 1."),
    "back": (A, pe_lib.encode(range(-3, 61), 32),
             "b is a shifted by -3 rows: b's row 3 is a's row 0."),
    "reversed": (A, A[::-1], "b is a with its rows in reverse order."),
    "rows": (A, A[:40], "b is the first 40 rows of a."),
    "base": (A, pe_lib.encode(range(64), 32, 5e5), "b's base is 500,000, and a's is 10,000."),
    "factor": (pe_lib.frequencies(64), pe_lib.frequencies(64, 1e6) / 4,
               "b's base is 1,000,000, and a's is 10,000.\n"
               "b's scaling is linear, and a's is none.\n"
               "b's factor is 4, and a's is 1."),
    "hole": (A, np.where(np.arange(64)[:, None] == 9, 0, A),
             "b is a, except for rows of zeros: 1, the first of them row 9."),
    "alibi": (biases.alibi_slopes(8), pe_lib.frequencies(16),
              "b is rotary embeddings, and a is ALiBi."),
    "counted": (np.arange(100.0), np.arange(100.0) + 1, "b is a with 1 added to every entry."),
    "near bases": (*(bank.to("bfloat16", pe_lib.encode(range(64), 64, b)) for b in (1e4, 10_100)),
                   "b's base is 10,100, and a's is 10,000."),
    "heads": (bank.alibi(8, 12, False), bank.alibi(16, 12, False, form="float32"),
              "b's heads is 16, and a's is 8.\n"
              "The shapes differ: a has shape 8 × 12 × 12, and b has shape 16 × 12 × 12.\n"
              "In the part that both have, 96 of 1,152 entries agree; "
              "the first difference is at (0, 0, 1)."),
    "last rows": (LEARNED, LEARNED[10:], "b is the last 20 rows of a."),
    "first numbers": (LEARNED[:, 0], LEARNED[:20, 0], "b is the first 20 numbers of a."),
    "last numbers": (LEARNED[10:, 0], LEARNED[:, 0], "a is the last 20 numbers of b."),
    "rows and columns": (LEARNED, LEARNED[:20, :6],
                         "The shapes differ: a has 30 rows of 8 entries, and b has 20 rows of "
                         "6 entries.\nIn the part that both have, all 120 entries agree."),
    "longer list": (pe_lib.frequencies(64), pe_lib.frequencies(32),
                    "b's width is 32, and a's is 64.\n"
                    "The shapes differ: a has 32 numbers, and b has 16 numbers.\n"
                    "In the part that both have, 1 of 16 entries agree; "
                    "the first difference is at index 1."),
    "cosines and sines": ((A, A), (A[:40, :16], A[:40, :16]),
                          "The shapes differ: a has cosines and sines of shape 64 × 32, and b has "
                          "cosines and sines of shape 40 × 16.\n"
                          "In the part that both have, all 1,280 entries agree."),
    "far": (bank.buckets(64), bank.buckets(64, 32, 256),
            "b's max distance is 256, and a's is 128."),
    "window": (np.tril(np.ones((9, 9))), np.triu(np.tril(np.ones((9, 9))), -3),
               "b's window is 4, and a's is none."),
    "a row": (A, np.where(np.arange(64)[:, None] == 3, -A, A),
              "b is a, except for some rows: 1, the first of them row 3."),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARED)
def test_how_two_arrays_differ(name):
    a, b, expected = COMPARED[name]
    comparison = compare(a, b)
    assert str(comparison) == expected and comparison.sure and comparison.same == (name == "same")


def test_what_cannot_be_compared_is_said():
    comparison = compare(rng.standard_normal((30, 8)), rng.standard_normal((30, 8)))
    assert not comparison.sure and "I know no rule that leads from a to b; " in str(comparison)


def test_of_unequal_shapes_that_no_rule_explains_the_common_part_is_compared():
    longer = rng.standard_normal((30, 8))
    shorter = longer[:20].copy()
    shorter[4] = np.nan
    difference = compare(longer, shorter)
    assert not difference.sure and difference.names == ["unknown", "shape"]
    assert difference.sentences[-2:] == [
        "The shapes differ: a has 30 rows of 8 entries, and b has 20 rows of 8 entries.",
        "In the part that both have, 152 of 160 entries agree; "
        "the first difference is at row 4, column 0.",
    ]
    assert "b has 8 numbers." in compare(longer, longer[0]).sentences[-1]


def test_very_long_arrays_are_the_same_only_if_what_was_not_read_is_the_same():
    """Test that only 64 MB of an array are examined, but all of it is compared for equality."""
    zeros = np.zeros((70_000, 128), np.float32)
    late = zeros.copy()
    late[-1, -1] = 1
    assert compare(zeros, zeros.copy()).same
    difference = compare(zeros, late)
    assert not difference.same and not difference.sure
    assert "b is a in its first 65,536 rows of 70,000" in str(difference)
    shorter = compare(zeros, late[:68_000])
    assert not shorter.same and "a has 70,000 rows of 128 entries" in str(shorter)


BAD = [
    np.ones((3, 3), complex),
    [[1, 2], [3]],
    np.ones((0, 8)),
    np.ones((2, 2, 2, 2, 2)),
    (np.ones((3, 4)), np.ones((4, 3))),
    {"cos": np.ones((3, 4)), "sin": np.ones((3, 4))},
    np.zeros((2, 70_000)),
    np.ma.masked_array([1.0, 2.0], [True, False]),
]


@pytest.mark.parametrize("values", BAD)
def test_bad_input_is_one_line(values):
    with pytest.raises((TypeError, ValueError)) as caught:
        identify(values)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 250


def test_what_is_long_is_read_in_part():
    """Test a view with a billion entries, which would not fit into memory as a copy."""
    row = np.broadcast_to(pe_lib.encode(0, 512), (2_000_000, 512))
    assert identify(row).problems == ["same_rows"]


PLAIN = 5e5 ** (-np.arange(64) / 64)
LLAMA_3 = {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4,
           "original_max_position_embeddings": 8192}  # fmt: skip


@pytest.mark.parametrize(
    ("w", "problem"),
    [
        (1e4 ** (-np.arange(64) / 64), "base_differs"),
        (PLAIN, "scaling_differs"),
        (5e5 ** (-np.arange(32) / 32), "width_differs"),
        (bank.llama3(128, 16, 8192, 5e5), "scaling_differs"),
        (bank.llama3(128, 8, 4096, 5e5), "trained_length_differs"),
    ],
)
def test_held_against_a_configuration(w, problem):
    groups = _requirements.read_groups({**LLAMA, "rope_scaling": LLAMA_3})
    assert problem in _config.compare_with_groups(identify(w), [w], groups).problems


@pytest.mark.parametrize(
    ("values", "digits"),
    [
        (np.round(pe_lib.encode(range(40), 16), 4), "4 decimals"),
        (np.round(pe_lib.encode(range(256), 64), 8), "8 decimals"),
        (np.round(pe_lib.encode(range(256), 64), 6).astype(np.float32), "6 decimals"),
        (np.round(1e4 ** (-np.arange(8) / 8), 6), "6 decimals"),
        (np.array([float(f"{5e5 ** (-i / 64):.4e}") for i in range(64)]), "5 digits"),
    ],
)
def test_numbers_that_were_printed_are_told_from_noise(values, digits):
    d = identify(values)
    assert d.problems == ["printed"] and digits in d.findings[0].seen, str(d)
    assert d.sure and (d.base == 1e4 or "digits" in digits), "no rounding of angles"
    noisy = identify(values * (1 + 1e-3 * rng.standard_normal(values.shape)))
    assert "printed" not in noisy.problems
