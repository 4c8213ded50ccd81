"""Test attention masks: how they say what is masked, which keys each query sees, and padding.

All arrays are computed here, query by query, without the library.
"""

import numpy as np
import pytest

from pe_lib.doctor import examine, identify

T = 24
LEAST = float(np.finfo(np.float32).min)
# Numbers that mask a key in an additive mask. Swin's windows use -100.
LOWS = [-np.inf, LEAST, -65504.0, -1e9, -1e4, -100.0]


def make_mask(rule, rows=T, columns=T):
    """Return which keys s each query t sees: (rows, columns)."""
    return np.array([[bool(rule(t, s)) for s in range(columns)] for t in range(rows)])


def add(seen, low=-np.inf):
    return np.where(seen, 0.0, low)


ENDS = np.array([10, 17, T])  # where the texts in a packed row end
TEXT = np.searchsorted(ENDS, np.arange(T), side="right")  # the number of each token's text

# For each kind of mask: which keys a query sees, and words that describe it.
KINDS = {
    "causal": (lambda t, s: s <= t, "Keys after the query are masked, so the mask is causal."),
    "window": (lambda t, s: t - 5 < s <= t, "those 5 or more before it"),
    "both sides": (lambda t, s: abs(s - t) <= 4, "up to 4 positions before or after"),
    "unequal sides": (lambda t, s: -6 < s - t <= 2, "up to 5 positions before and 2 after it"),
    "prefix": (lambda t, s: s <= max(t, 8), "sees the first 9 keys"),
    "packed": (lambda t, s: s <= t and TEXT[s] == TEXT[t],
               "of 3 texts that are packed into one row (10, 7, 7)"),
    "packed, window": (lambda t, s: t - 5 < s <= t and TEXT[s] == TEXT[t], "(10, 7, 7)"),
    "chunks": (lambda t, s: s <= t and s // 8 == t // 8, "(8 each)"),
    "packed, both sides": (lambda t, s: TEXT[s] == TEXT[t], "of 3 groups (10, 7, 7)"),
    "groups apart": (lambda t, s: s % 3 == t % 3, "of 3 groups (8 each)"),
    "padding behind": (lambda t, s: s <= t and s < 20,
                       "4 keys are masked, the first of them key 20"),
    "padding before, itself seen": (lambda t, s: s == t if t < 5 else 5 <= s <= t, "texts"),
    "padding before, all seen": (lambda t, s: t < 5 or 5 <= s <= t,
                                 "5 keys are masked, the first of them key 0"),
    "padding and a window": (lambda t, s: s < 20 and (t - 6 < s <= t), "those 6 or more"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_these_masks_are_healthy(kind):
    rule, words = KINDS[kind]
    seen = make_mask(rule)
    for x in (*(add(seen, low) for low in LOWS), 1.0 * seen, seen, 1.0 * ~seen, ~seen):
        for shape in ((T, T), (1, 1, T, T)):
            d = identify(x.reshape(shape))
            assert (d.scheme, d.sure, d.problems) == ("mask", True, []), str(d)
            assert words in str(d), str(d)
            has_ones = x.max() == 1
            assert ("1 means masked" in str(d)) == (has_ones and (x == ~seen).all())


@pytest.mark.parametrize("kind", ["causal", "window", "band", "prefix", "packed"])
@pytest.mark.parametrize("low", [-1.0, -0.5, -10.0, -30.0])
def test_weak_masks_are_named(kind, low):
    rule = KINDS["both sides" if kind == "band" else kind][0]
    d = identify(add(make_mask(rule), low))
    assert d.problems == ["mask_weak"] and f"Masked keys get only {low:g}" in str(d)
    assert "Or: The mask may be multiplied" in str(d)


@pytest.mark.parametrize("high", [1e9, np.inf, 65504.0, -LEAST])
def test_masks_of_the_wrong_sign_are_named(high):
    for kind in ("causal", "window", "packed"):
        d = identify(add(make_mask(KINDS[kind][0]), high))
        assert (d.scheme, d.problems) == ("mask", ["mask_sign"]), str(d)


@pytest.mark.parametrize("pads", [1, 5])
def test_queries_that_see_no_key_are_named_if_their_softmax_is_no_number(pads):
    seen = make_mask(lambda t, s: pads <= s <= t)
    assert not seen[:pads].any()
    d = identify(add(seen)[None, None])
    assert d.problems == ["mask_empty_rows"]
    assert f"all of their entries are -inf: {pads}, the first of them in row 0" in str(d)
    for x in (add(seen, LEAST), add(seen, -1e9), seen, 1.0 * seen):
        d = identify(x)
        assert d.sure and not d.problems, str(d)
        assert f"Queries that see no key: {pads}, the first of them in row 0" in str(d)
    square = np.arange(T) >= pads
    d = identify(add(square & square[:, None], LEAST))
    assert d.sure and not d.problems and f"{pads} keys are masked" in str(d), str(d)
    mixed = add(make_mask(lambda t, s: s <= t)) + np.where(np.arange(T) < pads, LEAST, 0)
    assert identify(mixed).problems == [], "their entries are not all infinite"


def test_the_texts_of_a_batch_may_be_padded_differently():
    lengths = [T, 18, 11, 2]
    for side in ("right", "left"):
        masks = np.stack([make_mask(KINDS["causal"][0])] * 4)
        for k in range(4):
            masks[k, :, slice(lengths[k], T) if side == "right" else slice(T - lengths[k])] = False
        for x in (add(masks, LEAST), masks):
            d = identify(x[:, None])
            assert (d.scheme, d.sure, d.problems) == ("mask", True, []), str(d)
            assert "In 3 of 4 masks, keys are masked for all queries, up to 22." in str(d)
    wrong = masks.copy()
    wrong[2] = make_mask(lambda t, s: s <= t + 1)
    assert identify(add(wrong, LEAST)[:, None]).problems == ["mask_ahead"]


@pytest.mark.parametrize("side", ["right", "left"])
def test_padding_masks_are_known(side):
    lengths = np.array([24, 11, 17, 5])
    keys = np.arange(T) if side == "right" else T - 1 - np.arange(T)
    seen = keys < lengths[:, None]
    for x in (seen, 1 * seen, 1.0 * seen, add(seen, LEAST)[:, None, None]):
        d = identify(x)
        assert (d.scheme, d.sure, d.problems) == ("mask", True, []), str(d)
        assert f"between 5 and 24 of 24 keys, and the padding stands on the {side}" in str(d)
        assert examine({"attention_mask": x}).healthy


def test_the_name_of_a_padding_mask_is_enough():
    holes = np.ones((2, T), int)
    holes[1, 5:9] = 0
    for x in (np.ones((2, T), int), np.ones((1, T), bool), np.ones(T, int), holes):
        report = examine({"attention_mask": x})
        assert report.healthy and report.entries[0].diagnosis.scheme == "mask", str(report)


def test_other_zeros_and_ones_are_no_masks():
    rng = np.random.default_rng(0)
    for x in (np.eye(12), 1 - np.eye(12), rng.integers(0, 2, (9, 30)), rng.integers(0, 2, (20, 20)),
              np.eye(12)[rng.permutation(12)], np.tile(np.arange(8) < 5, (6, 1))):  # fmt: skip
        d = identify(1.0 * x)
        assert not (d.scheme == "mask" and d.sure), str(d)


def test_fewer_queries_than_keys_are_the_first_the_last_or_others():
    for first, words in ((0, "Its rows are the first 8 of 40 queries"),
                         (32, "Its rows are the last 8 of 40 queries"),
                         (20, "Its rows are queries 20 to 27 of 40.")):  # fmt: skip
        seen = np.arange(40) <= np.arange(8)[:, None] + first
        for x in (add(seen), add(seen, LEAST), seen):
            d = identify(x)
            assert d.sure and not d.problems and words in str(d), str(d)


def test_the_last_two_queries_are_enough_for_an_additive_mask():
    for low in LOWS:
        d = identify(add(np.arange(10) <= np.arange(2)[:, None] + 8, low))
        assert d.sure and not d.problems and "the last 2 of 10 queries" in str(d), str(d)


def test_a_query_beyond_the_last_key_is_named():
    d = identify(add(np.arange(40) <= np.arange(8)[:, None] + 33))
    assert d.problems == ["mask_ahead"] and "keys after its own: 1." in str(d)


def test_a_large_mask_is_read_in_seconds():
    places = np.arange(4096)
    texts = places // 1000
    seen = (places <= places[:, None]) & (texts == texts[:, None])
    d = identify(add(seen, LEAST))
    assert d.sure and "of 3 texts" in str(d), str(d)
    assert "Only the first 2,048 of 4,096 rows were read." in str(d)
    assert "aligned" not in str(d)


def test_a_mask_that_shows_everything_is_healthy_unless_the_model_is_causal():
    for x in (np.zeros((2, 1, T, T)), np.ones((1, 1, T, T), bool)):
        assert examine({"attention_mask": x}).healthy
        assert examine({"attention_mask": x}, BERT).status == "healthy"
        assert examine({"attention_mask": x}, LLAMA).problems == ["mask_open"]


# --- Beside a configuration ---

MISTRAL = {"model_type": "mistral", "hidden_size": 64, "num_attention_heads": 2,
           "num_key_value_heads": 1, "num_hidden_layers": 4, "sliding_window": 5}  # fmt: skip
LLAMA = {key: x for key, x in MISTRAL.items() if key != "sliding_window"}
LLAMA["model_type"] = "llama"
GEMMA = {"model_type": "gemma2", "hidden_size": 64, "num_attention_heads": 2, "head_dim": 32,
         "num_key_value_heads": 1, "num_hidden_layers": 4, "sliding_window": 5}  # fmt: skip
BERT = {"model_type": "bert", "hidden_size": 64, "num_attention_heads": 2, "num_hidden_layers": 4}
# For each kind of mask: the problem that it has beside each configuration.
COMPARED = [
    (MISTRAL, "window", None), (MISTRAL, "causal", "window_missing"),
    (MISTRAL, "both sides", "mask_both_sides"), (LLAMA, "causal", None),
    (LLAMA, "window", "window_unasked"), (LLAMA, "both sides", "mask_both_sides"),
    (LLAMA, "packed", None), (GEMMA, "window", None), (GEMMA, "causal", None),
    (BERT, "packed, both sides", None), (LLAMA, "unequal sides", "mask_both_sides"),
    ({**MISTRAL, "sliding_window": 7}, "window", "window_differs"),
    ({**MISTRAL, "sliding_window": 4096}, "causal", None),
    ({**GEMMA, "sliding_window": 9}, "window", "window_differs"),
]  # fmt: skip


@pytest.mark.parametrize(("config", "kind", "problem"), COMPARED)
def test_masks_are_compared_with_the_configuration(config, kind, problem):
    seen = make_mask(KINDS[kind][0])[None, None]
    for x in (add(seen, LEAST), seen):
        report = examine({"attention_mask": x}, config)
        assert report.problems == ([problem] if problem else []), str(report)
        assert problem or (report.status == "healthy" and "this fits" in str(report))


# --- One or a few rows that do not follow the rule of the others ---

N = 48
LATER = np.searchsorted([16, 24], np.arange(N), side="right")
RULES = {
    "causal": lambda t, s: s <= t,
    "window": lambda t, s: t - 6 < s <= t,
    "both sides": lambda t, s: abs(s - t) <= 4,
    "unequal sides": lambda t, s: -6 < s - t <= 2,
    "prefix": lambda t, s: s <= max(t, 11),
    "packed": lambda t, s: s <= t and LATER[s] == LATER[t],
    "packed, window": lambda t, s: t - 5 < s <= t and LATER[s] == LATER[t],
    "packed, both sides": lambda t, s: LATER[s] == LATER[t],
    "padding behind": lambda t, s: s <= t and s < 42,
    "padding before": lambda t, s: t < 5 or 5 <= s <= t,
}
# What a wrong row may see instead.
WRONG = {
    "all keys": lambda row, t: row | True,
    "no key": lambda row, t: row & False,
    "a hole": lambda row, t: row & (np.arange(N) != t),
    "one key too many": lambda row, t: row | (np.arange(N) == np.argmin(row)),
    "keys at random": lambda row, t: np.random.default_rng(t).random(N) < 0.5,
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("how", WRONG)
@pytest.mark.parametrize("rows", [[20], [9, 30], [23, 24]])
def test_rows_that_do_not_follow_the_rule_of_the_others_are_named(rule, how, rows):
    seen = make_mask(RULES[rule], N, N)
    assert identify(add(seen)).problems == []
    for row in rows:
        seen[row] = WRONG[how](seen[row], row)
    for x in (add(seen), add(seen, LEAST), seen):
        d = identify(x)
        assert d.problems[:1] == ["mask_rows"] and d.passed(), str(d)
        assert d.exceptions["rows"] == rows and f": {', '.join(map(str, rows))}." in str(d), str(d)


@pytest.mark.parametrize("size", [3, 5, 12])
def test_blocks_of_queries_that_see_one_another_are_healthy(size):
    """Test images in a text, whose patches see one another in PaliGemma, Gemma 3 and others."""
    for starts in ([10], [10, 30]):
        blocks = [range(start, start + size) for start in starts]
        seen = make_mask(
            lambda t, s, blocks=blocks: s <= t or any(s in x and t in x for x in blocks), N, N
        )
        for x in (add(seen), seen):
            d = identify(x)
            assert d.sure and d.problems == [] and "patches of an image" in str(d), str(d)
        if size > 3:  # the other rows of a block stay right beside a wrong one
            seen[11] = np.arange(N) <= 11
            assert identify(add(seen)).problems == []


def test_rows_of_a_causal_mask_are_no_texts_with_padding():
    seen = make_mask(RULES["causal"], N, N)
    for row in range(4, 44, 5):
        seen[row] = seen[row + 2]
    for x in (add(seen), seen, ~seen):
        d = identify(x)
        assert not d.sure and "texts" not in str(d), str(d)


def test_a_mask_that_shows_the_future_alone_is_inverted():
    after = make_mask(lambda t, s: s > t)
    for low in LOWS:
        d = identify(add(after, low))
        assert d.problems == ["mask_inverted"] and d.sure, str(d)
    for x in (
        add(~after),
        1.0 * after,
        after,
        1.0 * ~after,
    ):  # with ones and zeros, 1 may be masked
        assert identify(x).problems == [], str(identify(x))


def test_a_window_in_packed_texts_may_be_a_leak():
    ends = np.searchsorted([53], np.arange(64), side="right")
    places = np.arange(64)
    same = (ends == ends[:, None]) & (places <= places[:, None])
    narrow = same & (places > places[:, None] - 33)
    for seen in (narrow, add(narrow), add(same)):
        d = identify(seen)
        assert d.sure and not d.problems and "(53, 11)" in str(d), str(d)
    for seen, has_window in ((narrow, True), (same, False)):
        assert ("at most the last 33" in str(identify(seen))) == has_window
        assert ("leak" in str(identify(seen))) == has_window


def test_the_numbers_of_packed_texts_may_be_in_a_padding_mask():
    report = examine({"attention_mask": np.repeat([[1, 2, 3, 0]], [5, 6, 4, 3], axis=1)})
    assert report.status == "healthy" and "numbers up to 3" in str(report), str(report)
