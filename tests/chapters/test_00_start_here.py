"""Facts and definitions of chapter 0, against the library and by plain arithmetic."""

from math import exp, sqrt

import numpy as np
import pytest
from cells import CHAPTERS, executed, printed

from pe_lib import encode
from pe_lib.course.attention import attention


@pytest.fixture(scope="module")
def chapter():
    return executed("00-start-here")


def test_its_attention_is_the_library_s(chapter):
    x = np.random.default_rng(5).standard_normal((6, 4))
    np.testing.assert_allclose(chapter["attention"](x), attention(x, x, x), atol=1e-12)


def test_the_example_by_hand():
    scores = [1 / sqrt(2), 2 / sqrt(2)]
    powers = [exp(score) for score in scores]
    shown = [f"{v:.4f}" for v in (*scores, *powers, sum(powers), powers[0] / sum(powers))]
    assert shown == ["0.7071", "1.4142", "2.0281", "4.1133", "6.1414", "0.3302"]
    text = (CHAPTERS / "00-start-here.ipynb").read_text("utf-8")
    assert all(number in text for number in shown)


def test_scores_are_divided_by_the_root_of_the_number_of_entries(chapter):
    """Of the entries, not of the size: for *good*, [1, 1], the two are the same."""
    text = (CHAPTERS / "00-start-here.ipynb").read_text("utf-8")
    assert "the root of the number of entries" in text
    x = np.array([[3.0, 0, 0, 1], [1, 2, 2, 5]])
    scores = [[sum(a * b for a, b in zip(q, k, strict=True)) / 2 for k in x] for q in x]
    weights = [[exp(s) / sum(map(exp, row)) for s in row] for row in scores]
    expected = [[sum(w * v[j] for w, v in zip(row, x, strict=True)) for j in range(4)]
                for row in weights]  # fmt: skip
    np.testing.assert_allclose(chapter["attention"](x), expected, atol=1e-12)


def test_the_wrong_axis_is_noticed_by_nothing_but_a_shuffle(chapter):
    x, wrong, right = chapter["x"], chapter["wrong"], chapter["right"]
    assert wrong.shape == right.shape == (3, 5, 8)
    assert x.shape == (2, 5, 8)  # the last test of the chapter has its own
    added = wrong - right + chapter["table"][:5]
    for sentence in range(3):
        expected = np.tile(chapter["table"][sentence], (5, 1))
        np.testing.assert_allclose(added[sentence], expected, atol=1e-12)


def test_a_shuffle_is_noticed_on_the_right_axis_only(chapter):
    rng = np.random.default_rng(7)
    x, order = rng.standard_normal((5, 8)), rng.permutation(5)
    positions = chapter["table"][:5], np.tile(chapter["table"][1], (5, 1))
    for added, noticed in zip(positions, (True, False), strict=True):
        before = chapter["attention"](x + added)[order]
        after = chapter["attention"](x[order] + added)
        assert (np.abs(after - before).max() > 1e-3) == noticed
    text = (CHAPTERS / "00-start-here.ipynb").read_text("utf-8")
    before = chapter["attention"](chapter["right"][1])[chapter["order"]]
    words = (chapter["right"][1] - chapter["table"][:5])[chapter["order"]]
    gap = np.abs(chapter["attention"](words + chapter["table"][:5]) - before).max()
    assert f"outputs by up to {gap:.4f}, beyond" in text
    assert printed("00-start-here", "changed by a shuffle").endswith(
        "wrong: 0.0000 changed by a shuffle\n"
    )


def test_the_numbers_in_the_cells_add_up_but_for_their_last_digit(chapter):
    """In one column they do not, which is why the words say that they are rounded."""
    shown = [row.round(2) for row in chapter["strips"].values()]
    off = np.abs(shown[0] + shown[1] - shown[2]).round(9)
    assert off.max() == 0.01


def test_the_answers_at_the_end_are_right(chapter):
    rows = chapter["not_good"]
    powers = [exp(rows[0] @ row / sqrt(2)) for row in rows]
    assert powers[1] / sum(powers) == 0.5
    assert attention(rows, rows, rows)[0] == pytest.approx([1, 0.5])
    assert encode(range(40), 512).shape == (40, 512)
    whole = ["Dolphins", "leap", "gracefully", "over", "waves", "."]
    assert chapter["tokens"].index("waves") == whole.index("waves") + 1 == 5


def test_the_outputs_stand_where_the_figure_s_words_say(chapter):
    text = (CHAPTERS / "00-start-here.ipynb").read_text("utf-8")
    for output in chapter["other"]:
        assert "({:.2f}, {:.2f})".format(*output) in text
    assert chapter["one"].mean(axis=0) == pytest.approx([1.65, 1.4], abs=0.03)
    assert np.linalg.norm(np.diff(chapter["one"], axis=0)) < 0.12
    assert np.linalg.norm(np.diff(chapter["other"], axis=0)) > 0.7
