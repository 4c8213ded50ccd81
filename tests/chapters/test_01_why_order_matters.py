"""Facts and definitions of chapter 1, against the library and by plain counting."""

import re
from math import exp, sqrt

import numpy as np
import pytest
from cells import executed, printed, said

from pe_lib import encode
from pe_lib.course.attention import attention
from pe_lib.course.explorers import OrderExplorer
from pe_lib.course.model import Transformer

NAME = "01-why-order-matters"


@pytest.fixture(scope="module")
def chapter():
    return executed(NAME)


@pytest.mark.parametrize("causal", [False, True])
def test_its_attention_is_the_library_s(chapter, causal):
    x, weights = chapter["X"], chapter["W"]
    expected = attention(*(x @ w for w in weights), causal=causal)
    np.testing.assert_allclose(
        chapter["attention"](x, *weights, causal=causal), expected, atol=1e-12
    )


def test_its_binary_digits_are_python_s(chapter):
    for t, digits in enumerate(chapter["binary"](np.arange(64), 6)):
        assert "".join(map(str, digits[::-1])) == f"{t:06b}"


def test_the_example_by_hand():
    powers = [exp(1 / sqrt(2)), exp(1 / sqrt(2)), 1.0]
    weights = [power / sum(powers) for power in powers]
    output = [weights[0] + weights[1], weights[1] + weights[2]]
    text = said(NAME, "## By hand")
    for value in (powers[0], sum(powers), *weights, *output):
        assert f"{value:.4f}" in text


def test_the_checklist(chapter):
    failed = {
        name: {wish for wish, ok in chapter["score"](f).items() if not ok}
        for name, f in chapter["ideas"].items()
    }
    assert failed == {
        "the same": {"unique", "any length", "near is near"},
        "random": {"any length", "equal steps", "deterministic", "linear offset", "near is near"},
        "integers": {"bounded", "linear offset"},
        "fractions": {"any length", "linear offset"},
        "binary": {"equal steps", "any length", "linear offset", "near is near"},
        "chapter 2": set(),
    }


def test_a_constant_beside_them_mends_what_it_is_said_to_mend(chapter):
    ones, miss, ideas = np.ones((1000, 1)), chapter["miss"], chapter["ideas"]
    for name in ("integers", "fractions"):
        assert miss(np.hstack([ideas[name](1000), ones])) < 1e-9 < miss(ideas[name](1000))
    binary = ideas["binary"](1000)
    assert miss(np.hstack([binary, ones, 0 * ones])) > 0.4
    more = chapter["binary"](np.arange(1100), 11) * 1.0
    assert chapter["distinct"](more) and not chapter["near"](more)


def test_near_is_near_by_a_loop(chapter):
    def slowly(rows):
        for t, row in enumerate(rows):
            far = {s: sum((row - other) ** 2) for s, other in enumerate(rows) if s != t}
            doors = [far.pop(s) for s in (t - 1, t + 1) if s in far]
            if min(far.values()) <= max(doors) + 1e-9:
                return False
        return True

    tables = [f(40) for f in chapter["ideas"].values()]
    tables += [encode(range(40), width) for width in (2, 4, 6, 8, 10, 12)]
    found = [chapter["near"](rows) for rows in tables]
    assert found == [slowly(rows) for rows in tables]
    assert True in found and False in found


def test_from_twelve_numbers_on_neighbours_are_nearest_among_a_thousand(chapter):
    for width in range(2, 513, 2):
        far = np.linalg.norm(encode(range(1000), width) - encode(0, width), axis=1)
        assert (far[2:].min() > far[1]) == (width >= 12)
        assert (far[6] < far[1]) == (width <= 10)
    for width in (10, 12, 64):
        assert chapter["near"](encode(range(1000), width)) == (width >= 12)


def test_the_distance_does_not_grow_for_ever():
    far = np.linalg.norm(encode(range(32), 16) - encode(8, 16), axis=1)
    assert far[13] < far[12] and far[7] == pytest.approx(far[9])
    assert sorted(far)[3] > 1.7  # of all but 8 and its neighbours


def test_binary_steps_reach_a_new_high_at_each_power_of_two(chapter):
    steps = np.abs(np.diff(chapter["binary"](np.arange(33), 6), axis=0)).sum(axis=1)
    highs = [t + 1 for t in range(32) if all(steps[t] > before for before in steps[:t])]
    assert highs == [1, 2, 4, 8, 16, 32]
    assert np.sqrt([steps.min(), steps.max()]) == pytest.approx([1, 2.4], abs=0.05)
    assert list(steps[6:8]) == [1, 4]  # from 6 to 7, from 7 to 8


def test_each_step_of_the_proof_holds(chapter):
    p, x = chapter["P"], chapter["X"]
    q, k, v = (x @ w for w in chapter["W"])
    np.testing.assert_array_equal(p @ x, x[chapter["order"]])
    np.testing.assert_array_equal(p.T @ p, np.eye(7))
    for w, moved in zip(chapter["W"], (q, k, v), strict=True):
        np.testing.assert_allclose((p @ x) @ w, p @ moved, atol=1e-12)
    np.testing.assert_allclose((p @ q) @ (p @ k).T, p @ (q @ k.T) @ p.T, atol=1e-12)
    s, softmax = chapter["S"], chapter["softmax"]
    np.testing.assert_allclose(softmax(p @ s @ p.T), p @ softmax(s) @ p.T, atol=1e-12)


def test_what_a_shuffle_changes_and_what_not(chapter):
    """The three cases; that the printed zeros are zeros up to rounding."""
    x, p, weights = chapter["X"], chapter["P"], chapter["W"]
    np.testing.assert_allclose(chapter["after"], chapter["before"][chapter["order"]], atol=1e-12)
    assert np.abs(chapter["after"] - chapter["before"]).max() > 0.5
    np.testing.assert_allclose(*chapter["means"], atol=1e-12)
    masked = chapter["attention"](p @ x, *weights, causal=True)
    gap = np.abs(masked - p @ chapter["attention"](x, *weights, causal=True)).max()
    assert f"does the output change, by up to {gap:.4f}." in said(NAME, "Only with the mask")
    twice = chapter["twice"]
    np.testing.assert_allclose(twice[0], twice[2], atol=1e-12)
    assert np.abs(twice[0] - twice[1]).max() > 0.01
    strips = list(chapter["strips"].values())
    np.testing.assert_allclose(strips[0], strips[1], atol=1e-12)
    assert np.abs(strips[2] - strips[3]).max() > 0.1


def test_the_rows_of_the_stack_become_alike_and_the_gap_shrinks(chapter):
    x = chapter["X"] + encode(range(7), 8)
    apart = [chapter["stack"](x, layers).std(axis=0).max() for layers in (1, 2, 4, 16)]
    assert apart == sorted(apart, reverse=True) and apart[-1] < 0.01 < 1 < apart[0]
    gaps = [chapter["shuffled_gap"](layers, encode(range(7), 8)) for layers in (1, 2, 4)]
    assert gaps == sorted(gaps, reverse=True)


def test_a_stack_is_as_blind_as_a_layer(chapter):
    """For other words and shuffles than the chapter's, and not once positions are added."""
    stack = chapter["stack"]
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x, order = rng.standard_normal((7, 8)), np.roll(rng.permutation(7), 1)
        for layers in (1, 2, 4):
            blind = stack(x[order], layers) - stack(x, layers)[order]
            seeing = stack(x[order] + encode(range(7), 8), layers)
            seeing -= stack(x + encode(range(7), 8), layers)[order]
            assert np.abs(blind).max() < 1e-10 < 1e-3 < np.abs(seeing).max()


def test_the_mask_stays_while_the_scores_move(chapter):
    scores, moved, mask = chapter["S3"], chapter["turned"], chapter["M"]
    for looks in range(3):
        for seen in range(3):
            assert moved[2 - looks, 2 - seen] == pytest.approx(scores[looks, seen])
    assert not np.isfinite(scores + mask)[0, 2] and np.isfinite(moved + mask)[2, 0]
    needed = chapter["P3"] @ chapter["softmax"](scores + mask) @ chapter["P3"].T
    assert np.abs(chapter["softmax"](moved + mask) - needed).max() > 0.1


def test_the_answers_at_the_end_are_right(chapter):
    x, order = chapter["X"], np.array([4, 0, 3, 1, 5, 2, 6])  # the last word stays

    def layer(rows, **kwargs):
        return chapter["attention"](rows, *chapter["W"], **kwargs)

    def over_the_words(rows):
        rows = layer(rows)
        return (rows - rows.mean(axis=0)) / rows.std(axis=0)

    np.testing.assert_allclose(over_the_words(x[order]), over_the_words(x)[order], atol=1e-10)

    dogs = layer(x[[2, 3, 2]])
    np.testing.assert_allclose(dogs[0], dogs[2], atol=1e-12)
    second = layer(dogs + encode(range(3), 8))
    assert np.abs(second[0] - second[2]).max() > 1e-3

    turned = np.array([1, 0, 2, 3, 4, 5, 6])
    assert np.abs(layer(x)[0] - layer(x[turned])[0]).max() > 0.1
    behind = np.array([0, 3, 2, 5, 1, 6, 4])
    np.testing.assert_allclose(layer(x)[0], layer(x[behind])[0], atol=1e-12)

    one, there = layer(x, causal=True), layer(x[order], causal=True)
    np.testing.assert_allclose(one[-1], there[-1], atol=1e-12)
    assert np.abs(layer(one, causal=True)[-1] - layer(there, causal=True)[-1]).max() > 0.01

    drawn = ([*np.random.default_rng(seed).permutation(3)] for seed in range(99))
    same_order = next(seed for seed, order in enumerate(drawn) if order == [0, 1, 2])
    stays = chapter["order_gap"](lambda w: encode(range(len(w)), 8), np.arange(3), seed=same_order)
    assert stays == 0

    digits = chapter["binary"]([0, 1, 2, 1024], 10)
    np.testing.assert_array_equal(digits[0], digits[3])
    assert list(np.abs(np.diff(digits[:3], axis=0)).sum(axis=1)) == [1, 2]
    assert np.abs(digits[2] - digits[0]).sum() == 1  # and from 2 to 1 it is two
    assert chapter["miss"](digits[:3] * 1.0, k=1) > 0.7  # none makes 1 out of zeros


def test_positions_appended_leave_one_word(chapter):
    lines = printed(NAME, "# the root of 9").split("\n")[:-1]
    assert len(lines) == 5
    assert all(float(line.split()[0]) < 0.05 and line.endswith("1.000000") for line in lines)
    assert "none of these is above 0.004" in said(NAME, "Two bar charts")
    assert chapter["plain"][-30:].max() < 0.004
    assert chapter["weights"][:-1].sum() < 1e-6
    t, words = np.arange(1001), np.random.default_rng(0).standard_normal((1001, 8))
    scores = (words @ words.T + np.outer(t, t)) / 3
    weights = chapter["softmax"](scores - scores.max(axis=1, keepdims=True))
    assert (weights[:, -1] > 0.99).sum() > 950  # nearly every other word looks there, too


def test_what_a_matrix_between_positions_is_good_for(chapter):
    """It finds the word there among different vectors of one length, and not of any."""

    def found(rows, k=3):
        move = np.linalg.lstsq(rows[:-k], rows[k:])[0]
        best = (rows[:-k] @ move @ rows.T).argmax(axis=1)
        return (best == np.arange(k, len(rows))).mean()

    assert found(encode(range(1000), 16)) == 1
    counted = np.stack([np.arange(1000.0), np.ones(1000)], axis=1)
    assert chapter["miss"](counted) < 1e-9 and found(counted) < 0.01


def test_random_vectors_have_a_matrix_for_as_many_as_their_numbers(chapter):
    rng = np.random.default_rng(0)
    for positions in range(17, 23):  # three fewer are moved
        missed = chapter["miss"](rng.uniform(-1, 1, (positions, 16)))
        assert (missed < 1e-9) == (positions - 3 <= 16)


def test_fractions_have_another_matrix_for_each_length():
    def move(length):
        rows = np.stack([np.arange(length) / (length - 1), np.ones(length)], axis=1)
        return np.linalg.lstsq(rows[:-3], rows[3:])[0]

    for length in (1000, 1030):
        np.testing.assert_allclose(move(length), [[1, 0], [3 / (length - 1), 1]], atol=1e-9)


def test_a_distance_alone_does_not_show_when_the_text_is_reversed(chapter):
    for length in (5, 16):
        backwards = np.arange(length)[::-1]
        for scheme, noticed in (("alibi", False), ("sinusoidal", True), ("rotary", True)):
            net = Transformer(50, 50, scheme, layers=2, seed=1)
            words = np.random.default_rng(1).permutation(50)[:length]
            there, back = net([words])[0], net([words[backwards]])[0]
            gap = np.abs(back - there[backwards]).max() / np.abs(there).max()
            assert (gap > 1e-4) == noticed


def test_the_explorers_tasks_have_the_answers_given():
    least = []
    for k in range(6):
        order = list(range(7))
        order[k], order[k + 1] = order[k + 1], order[k]
        least.append(OrderExplorer(order=order, positions=True).changes().min())
    shown = re.search(r"smallest bar is (\S+) or (\S+)\.\s", said(NAME, "smallest bar"))
    assert shown.groups() == (f"{min(least):.3f}", f"{max(least):.2f}")

    last_two = [0, 1, 2, 3, 4, 6, 5]
    masked = OrderExplorer(order=last_two, causal=True).changes()
    assert masked[:5].max() < 1e-12 and masked[5:].min() > 0.1
    assert OrderExplorer(order=last_two, pooled=True).changes()[0] < 1e-12
    assert OrderExplorer(order=last_two, pooled=True, positions=True).changes()[0] > 0.01


def test_the_check_to_paste_fails_where_positions_are_missing(chapter):
    check = re.search(r"```python\n(.*?assert.*?)```", said(NAME, "assert gap"), re.DOTALL)[1]
    vectors = np.random.default_rng(0).standard_normal((60, 8))

    def passes(model, length):
        names = {"order_gap": chapter["order_gap"], "model": model, "words": np.arange(length)}
        try:
            exec(check, names)
        except AssertionError:
            return False
        return True

    def layer(x, **kwargs):
        return chapter["attention"](x, *chapter["W"], **kwargs)

    def mirrored(x):  # a bias that sees only how far apart words are
        places = np.arange(len(x))
        power = np.exp(x @ x.T - np.abs(places[:, None] - places))
        return power / power.sum(axis=1, keepdims=True) @ x

    def positioned(words):
        return layer(vectors[words] + encode(range(len(words)), 8))

    for length in (5, 6, 7, 60):
        assert not passes(lambda words: layer(vectors[words]), length)
        assert passes(lambda words: layer(vectors[words], causal=True), length)
        assert passes(positioned, length)
        assert passes(lambda words: mirrored(vectors[words]), length)


@pytest.mark.parametrize("length", [5, 16, 50])
def test_the_tolerance_lies_between_the_two_gaps(chapter, length):
    """In float32, over seeds: rounding alone, and the weakest positions."""
    gap = chapter["order_gap"]

    def gaps(scheme, **kwargs):
        for seed in range(20):
            net = Transformer(50, 50, scheme, layers=2, seed=seed, **kwargs)
            words = np.random.default_rng(seed).permutation(50)[:length]
            yield gap(lambda w, net=net: net([w])[0], words)

    for scheme in ("none", "relative"):  # whose bias starts at zero
        assert max(gaps(scheme)) < 1e-6
    for scheme in ("sinusoidal", "learned", "rotary"):
        assert min(gaps(scheme)) > 0.1
    assert min(gaps("alibi")) > 0.01
    assert min(gaps("none", causal=True)) > 0.1


def test_what_is_printed_of_the_gaps_is_what_the_text_says(chapter):
    rows = dict(line.split(": ") for line in printed(NAME, "found[name] = gap").splitlines())
    assert rows["none"] == "0.000 to 0.000"
    smallest = {name: float(row.split()[0]) for name, row in rows.items() if name != "none"}
    assert min(smallest, key=smallest.get) == "alibi" and smallest["alibi"] == 0.065
    assert [round(2.0**-bits, 4) for bits in (11, 8)] == [0.0005, 0.0039]
