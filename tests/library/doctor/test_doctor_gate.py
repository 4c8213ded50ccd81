"""Test that the doctor is certain only about arrays that it can rebuild."""

import doctor_bank as bank
import numpy as np
import pytest

import pe_lib
from pe_lib import context
from pe_lib.doctor import _formats, _proof, compare, identify, probe

rng = np.random.default_rng(11)
T = np.arange(256)
W = 1e4 ** (-np.arange(32) / 32)
TABLE = bank.join_waves(np.sin(np.outer(T, W)), np.cos(np.outer(T, W)), "interleaved")
CACHE = tuple(np.concatenate([f(np.outer(T, W))] * 2, 1) for f in (np.cos, np.sin))


def change(x, rows, values):
    out = np.array(x)
    out[rows] = values
    return out


DAMAGED = {
    "a row negated": (100, lambda x: -x[100]),
    "rows of noise": (slice(50, 55), lambda x: rng.uniform(-1, 1, (5, x.shape[1]))),
    "a tail clamped": (slice(90, None), lambda x: x[89]),
    "one entry": ((7, 9), lambda x: 5.0),
}


@pytest.mark.parametrize("form", ["float64", "float32", "bfloat16"])
@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_listed(name, form):
    rows, make = DAMAGED[name]
    expected = np.zeros(TABLE.shape, bool)
    expected[rows] = True
    for values in (TABLE, CACHE):
        parts = [
            change(x, rows, make(x)) for x in (values if isinstance(values, tuple) else [values])
        ]
        parts = [bank.to(form, x) for x in parts]
        d = identify(*parts)
        listed = {*d.exceptions["rows"], *(row for row, _ in d.exceptions["entries"])}
        assert d.sure and d.problems and listed == {*np.flatnonzero(expected.any(axis=1)).tolist()}


def test_a_diagnosis_gives_the_array_back():
    np.testing.assert_allclose(identify(TABLE).rebuild(), TABLE, atol=1e-12)
    np.testing.assert_allclose(identify(TABLE).rebuild([300]), pe_lib.encode([300], 64), atol=1e-12)
    cos, sin = identify(*CACHE).rebuild(range(10, 20))
    np.testing.assert_allclose(cos, CACHE[0][10:20], atol=1e-12)
    np.testing.assert_allclose(sin, CACHE[1][10:20], atol=1e-12)
    np.testing.assert_allclose(identify(W).rebuild(), W, rtol=1e-12)
    lines = bank.alibi(4, 12)
    expected_array = np.isfinite(lines)
    np.testing.assert_allclose(identify(lines).rebuild()[expected_array], lines[expected_array])
    patches = bank.grid(5, 7, 32, 1e4, "interleaved")
    np.testing.assert_allclose(identify(patches).rebuild(), patches, atol=1e-12)
    layout = identify(pe_lib.encode(range(64), 32, layout="halves")).layout
    assert np.array_equal(pe_lib.encode(3, 8, layout=layout), pe_lib.encode(3, 8, layout="halves"))
    with pytest.raises(ValueError, match="has no recipe"):
        identify(rng.normal(size=(20, 6))).rebuild()


def test_no_rule_passes_around_the_gate(monkeypatch):
    """Test that a diagnosis is never certain if its recipe does not reproduce the array."""
    monkeypatch.setattr(_proof, "is_explained", lambda *values: False)
    for values in ((TABLE,), CACHE, (W,), (bank.alibi(4, 12),), (bank.buckets(40),), (W * 0,)):
        assert not identify(*values).sure


def test_every_item_of_a_batch_is_looked_at():
    nothing = np.full_like(CACHE[0], np.nan)
    d = identify(*(np.stack([x, nothing]) for x in CACHE))
    assert d.problems == ["items_differ"] and d.exceptions["items"] == [1]
    d = identify(np.stack([TABLE, TABLE, pe_lib.encode(T, 64, 5e5)]))
    assert d.exceptions["items"] == [2] and "base 500,000" in d.findings[0].seen
    assert not identify(np.stack([TABLE] * 3)).problems


LINES = {
    "counted": np.arange(12.0).reshape(3, 4),
    "lines": np.outer(T, rng.normal(size=16)) + rng.normal(size=16),
    "slopes of nobody": -np.outer([0.3, 0.2, 0.1], np.arange(30))[:, None],
    "distances": np.abs(np.subtract.outer(T[:30], T[:30])) * 1.0,
}


@pytest.mark.parametrize("name", LINES)
def test_lines_are_no_slopes(name):
    assert not identify(LINES[name]).sure


@pytest.mark.parametrize("low", [-np.inf, -1e9, float(np.finfo(np.float32).min)])
def test_masks_are_masks(low):
    expected_array = np.tril(np.ones((24, 24)))
    d = identify(np.where(expected_array > 0, 0.0, low)[None, None])
    assert (d.scheme, d.sure, d.problems) == ("mask", True, [])
    d = identify(np.triu(expected_array, -4))
    assert d.sure and d.details["window"] == 5
    assert identify(expected_array.T).problems == ["bias_transposed"]


LOST = bank.alibi(8, 16)
HEADLESS = change(LOST, 2, np.where(np.isfinite(LOST[2]), 0, -np.inf))
ONES = change(TABLE, (slice(None), 63), 1.0)
# For each array: whether the diagnosis is certain, the position scheme, and the problems.
VERDICTS = {
    "a head of ALiBi is zero": (HEADLESS, True, "alibi", ["heads_off"]),
    "its first head is": (change(bank.alibi(4, 16, False), 0, 0), True, "alibi", ["heads_off"]),
    "a head of noise": (change(bank.alibi(8, 16, False), 7, rng.normal(size=(16, 16))), True,
                        "alibi", ["heads_off"]),
    "halves of 0.3 as slopes": (0.3 * 0.5 ** np.arange(8), False, "alibi", ["slopes_scaled"]),
    "three times the slopes": (3 * np.array(bank.slopes(8)), False, "alibi", ["slopes_scaled"]),
    "and as a bias": (0.6 * bank.alibi(8, 12), False, "alibi", ["slopes_scaled"]),
    "times the root of a width": (8 * bank.alibi(8, 12), True, "alibi", ["slopes_scaled"]),
    "numpy's logspace": (np.logspace(0, -3, 32), False, "geometric", []),
    "one frequency is zero": (change(W, 31, 0), True, "rotary", ["pairs_off"]),
    "a column of ones": (ONES, True, "sinusoidal", ["pairs_off"]),
    "a column halved": (TABLE * np.where(np.arange(64) == 62, 0.5, 1), True, "sinusoidal",
                        ["pairs_off"]),
    "a decay": (1e-3 * 0.95 ** np.arange(100), False, "geometric", []),
    "a discount": (0.99 ** np.arange(500), False, "geometric", []),
    "halves": (0.5 ** np.arange(12), False, "geometric", []),
    "in half precision": (bank.to("float16", 0.8 ** np.arange(40)), False, "geometric",
                          ["half_precision_frequencies"]),
}  # fmt: skip


@pytest.mark.parametrize("name", VERDICTS)
def test_verdicts_that_were_wrong(name):
    x, sure, scheme, problems = VERDICTS[name]
    d = identify(x)
    assert (d.sure, d.scheme, d.problems) == (sure, scheme, problems), str(d)


def test_frequencies():
    d = identify(W * 2)
    assert d.problems == ["frequencies_multiplied"] and "2 times those of base 10,000" in str(d)
    for form in ("float64", "float32"):
        d = identify(bank.to(form, change(W, 5, np.nan)))
        assert d.sure and d.exceptions["pairs"] == [5] and d.problems == ["not_finite"]
    for base, other in ((100.0, "i/d"), (1e8, "4i/d")):
        d = identify(pe_lib.encode(T, 64, base))
        assert d.problems == ["either_exponent"] and (1e4, other) in d.readings
        assert (d.base, d.exponent) == (base, "2i/d")
    for scaled in (9800.0, 10_100.0, 40_889.94):
        for form in bank.FORMS:
            d = identify(bank.to(form, pe_lib.encode(T, 64, scaled)))
            assert d.sure and d.exponent == "2i/d" and abs(d.base / scaled - 1) < 1e-3, d


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_columns_and_rows_in_another_order(layout):
    x = pe_lib.encode(T, 32, 5e5, layout=layout)
    d = identify(x[:, ::-1])
    assert d.problems == ["columns_reversed"] and (d.base, d.layout) == (5e5, layout) and d.sure
    down = bank.join_waves(*(f(np.outer(np.arange(30, -31, -1), W)) for f in (np.sin, np.cos)), "s")
    assert identify(down).problems == ["counted_down"]


def rotate(x, t, layout="interleaved", base=1e4):
    return pe_lib.rotary.rotate(x, t, base, layout)


def test_two_functions():
    assert compare(rotate, rotate) and compare(TABLE, TABLE)
    assert str(compare(rotate, lambda x, t: rotate(x, t, "halves"))) == (
        "b's layout is halves, and a's is interleaved.")  # fmt: skip
    assert compare(rotate, lambda x, t: rotate(x, t % 64)).names == ["breaks"]
    with pytest.raises(TypeError, match="both"):
        compare(rotate, TABLE)


FUNCTIONS = {
    "wraps": (lambda x, t: rotate(x, t % 64), "From position 64 on"),
    "clamps": (lambda x, t: rotate(x, min(t, 2047)), "it is that of position 2,047 again"),
    "changes": (lambda x, t: rotate(x, t if t < 3000 else t / 2), "From position 3,000 on"),
    "ends": (lambda x, t: x + TABLE[t], "Position 256 and later ones raise IndexError."),
    "last part": (lambda x, t: np.concatenate([x[..., :48], rotate(x[..., 48:], t)], -1),
                  "The last 16 of 64 entries turn."),
    "complex": (lambda x, t: (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * t * W),
                "All 64 entries turn."),
    "mixed": (lambda x, t: x * np.repeat(np.cos(t * W), 2) + np.concatenate(
        [-x[..., 32:], x[..., :32]], -1) * np.repeat(np.sin(t * W), 2),
        "rotate_half gets a cache of the other layout"),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_asked_at_far_positions(name):
    function, sentence = FUNCTIONS[name]
    calls = []

    def count_calls(x, t):
        calls.append(t)
        return function(x, t)

    d = probe(count_calls, 64)
    assert sentence in str(d) and d.sure and len(calls) < 80
    assert bool(d.problems) == (name in ("wraps", "clamps", "changes", "mixed"))


def test_a_function_of_more_is_told_how_it_can_be_one_of_two():
    with pytest.raises(ValueError, match=r"lambda x, t: rotate\(x, cos\[t\], sin\[t\]\)"):
        probe(lambda q, k, cos, sin: (q * cos, k * sin))


@pytest.mark.parametrize("form", ["bfloat16", "float16"])
def test_a_constant_column_passes_only_if_rounding_makes_it_one(form):
    """Test that constant columns of ones and zeros are a mistake unless rounding explains them."""
    x = bank.to(form, pe_lib.encode(range(64), 64, 1e6))
    hidden = np.flatnonzero((x == x[0]).all(axis=0))
    assert f"Columns that {form} makes the same in all rows: {hidden.size}, the first of" in str(
        identify(x)
    )
    for column in range(35, 64):
        y = x.copy()
        y[:, column] = column % 2
        d = identify(y)
        assert (column in hidden) == np.array_equal(x, y)
        assert bool(d.problems) == (column not in hidden) or not d.sure, (column, str(d))


def test_rows_that_are_all_the_same_are_no_positions_unless_they_may_be_a_bias():
    assert identify(np.tile(TABLE[:1], (40, 1))).sure
    for row in (np.ones(8), -0.5 * np.arange(40), np.arange(8.0), np.arange(8) < 5):
        for rows in (5, row.size):
            d = identify(np.tile(1.0 * row, (rows, 1)))
            assert (d.sure, d.problems) == (False, ["same_rows"])


def test_in_half_precision_a_base_made_by_ntk_is_one_of_many():
    w = context.ntk_aware(128, 4)
    assert identify(w).sure
    for form in ("bfloat16", "float16"):
        assert not identify(_formats.round_to(w, form)).sure
