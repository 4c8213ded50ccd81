"""Facts and definitions of chapter 1, against the library and by plain counting."""

import re

import nbformat
import numpy as np
import pytest
from cells import CHAPTERS, executed

from pe_lib import encode
from pe_lib.course.attention import attention
from pe_lib.course.explorers import OrderExplorer


@pytest.fixture(scope="module")
def chapter():
    return executed("01-why-order-matters")


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


def test_the_checklist(chapter):
    failed = {
        name: {wish for wish, ok in chapter["score"](f).items() if not ok}
        for name, f in chapter["ideas"].items()
    }
    assert failed == {
        "integers": {"bounded", "linear offset"},
        "normalised": {"any length", "linear offset"},
        "binary": {"equal steps", "any length", "linear offset"},
        "random": {"bounded", "equal steps", "any length", "deterministic", "linear offset"},
        "sinusoidal": set(),
    }


def test_binary_steps_reach_a_new_high_at_each_power_of_two(chapter):
    steps = np.abs(np.diff(chapter["binary"](np.arange(33), 6), axis=0)).sum(axis=1)
    highs = [t + 1 for t in range(32) if all(steps[t] > before for before in steps[:t])]
    assert highs == [1, 2, 4, 8, 16, 32]
    assert np.sqrt([steps.min(), steps.max()]) == pytest.approx([1, 2.4], abs=0.05)


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
    assert np.abs(masked - p @ chapter["attention"](x, *weights, causal=True)).max() > 1
    np.testing.assert_allclose(chapter["first"], chapter["last"], atol=1e-12)
    assert np.abs(chapter["first_p"] - chapter["last_p"]).max() > 0.1


def test_the_answers_at_the_end_are_right(chapter):
    text = (CHAPTERS / "01-why-order-matters.ipynb").read_text("utf-8")
    assert f"{1 / (1 + np.exp(1 / np.sqrt(2))):.4f}, by symmetry" in text
    assert f"{15:05b} becomes {16:05b}" in text
    assert np.abs(np.diff(chapter["binary"]([15, 16], 5), axis=0)).sum() == 5
    x, p = chapter["X"], chapter["P"]
    np.testing.assert_array_equal(x.max(axis=0), (p @ x).max(axis=0))
    assert f"{1 / (101 - 1)}." in text


def test_row_numbers_leave_one_word(chapter):
    own = np.exp(chapter["own"] / np.sqrt(8))
    assert (own / own.sum())[-30:].max() < 0.004
    assert chapter["weights"][:-1].sum() < 1e-6


def test_the_explorers_tasks_have_the_answers_given():
    least = []
    for k in range(6):
        order = list(range(7))
        order[k], order[k + 1] = order[k + 1], order[k]
        least.append(OrderExplorer(order=order, positions=True).changes().min())
    assert f"{min(least):.2f}" == "0.01"

    last_two = [0, 1, 2, 3, 4, 6, 5]
    masked = OrderExplorer(order=last_two, causal=True).changes()
    assert masked[:5].max() < 1e-12 and masked[5:].min() > 0.1
    assert OrderExplorer(order=last_two, pooled=True).changes()[0] < 1e-12
    assert OrderExplorer(order=last_two, pooled=True, positions=True).changes()[0] > 0.01


def test_the_check_to_paste_finds_missing_positions(chapter):
    notebook = nbformat.read(CHAPTERS / "01-why-order-matters.ipynb", 4)
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    check = re.search(r"```python\n(.*?assert.*?)```", prose, re.DOTALL)[1]
    vectors = np.random.default_rng(0).standard_normal((60, 8))

    def passes(model, length):
        try:
            exec(check, {"np": np, "model": model, "words": np.arange(length)})
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
        assert passes(lambda words: layer(vectors[words]), length)
        assert not passes(lambda words: layer(vectors[words], causal=True), length)
        assert not passes(positioned, length)
        assert not passes(lambda words: mirrored(vectors[words]), length)
