"""Facts and definitions of chapter 0, against the library and by plain arithmetic."""

import re
from math import exp, sqrt
from pathlib import Path

import numpy as np
import pytest
from cells import CHAPTERS, executed, printed, said

from pe_lib import encode
from pe_lib.course.attention import attention
from tools.notebooks import ROOT


@pytest.fixture(scope="module")
def chapter():
    return executed("00-start-here")


def test_its_attention_is_the_library_s(chapter):
    x = np.random.default_rng(5).standard_normal((6, 4))
    np.testing.assert_allclose(chapter["attention"](x), attention(x, x, x), atol=1e-12)


def test_the_example_by_hand():
    scores = [1 / sqrt(2), 0]
    powers = [exp(score) for score in scores]
    weights = [power / sum(powers) for power in powers]
    shown = [f"{v:.4f}" for v in (scores[0], powers[0], sum(powers), *weights)]
    assert shown == ["0.7071", "2.0281", "3.0281", "0.6698", "0.3302"]
    text = said("00-start-here", "## By hand")
    assert all(number in text for number in shown)


def test_scores_are_divided_by_the_root_of_the_number_of_entries(chapter):
    """Of the entries, not of the size, which is 1 for both words of the example."""
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
    assert f"On the right axis outputs change by up to {gap:.4f}, on the wrong one" in text
    assert printed("00-start-here", "changed by a shuffle").endswith(
        "wrong: 0.0000 changed by a shuffle\n"
    )


def test_the_numbers_in_the_cells_add_up_but_for_their_last_digit(chapter):
    """In one column they do not, which is why the words say that they are rounded."""
    shown = [row.round(2) for row in chapter["strips"].values()]
    off = np.abs(shown[0] + shown[1] - shown[2]).round(9)
    assert off.max() == 0.01


def test_learned_matrices_change_outputs_and_not_what_a_swap_does(chapter):
    """With values the outputs leave the line between the words; order is as lost as without."""
    rows = chapter["dog_man"]
    for seed in range(5):
        w = np.random.default_rng(seed).standard_normal((3, 2, 2))
        there, back = (attention(*(x @ m for m in w)) for x in (rows, rows[::-1]))
        np.testing.assert_allclose(there, back[::-1], atol=1e-12)
        assert np.abs(there.sum(axis=1) - 1).max() > 0.1  # the line is x + y = 1


def test_the_answers_at_the_end_are_right(chapter):
    layer, places = chapter["attention"], encode(range(2), 2)
    rows = chapter["dog_man"] + places
    np.testing.assert_allclose(rows.round(2), [[1, 1], [0.84, 1.54]])
    np.testing.assert_allclose(layer(rows[::-1]), layer(rows)[::-1], atol=1e-12)

    shifted = chapter["dog_man"] + places[1]
    np.testing.assert_allclose(layer(shifted[::-1]), layer(shifted)[::-1], atol=1e-12)
    assert np.abs(layer(shifted) - layer(chapter["dog_man"])).max() > 0.1

    late = layer(chapter["dog_man"]) + places, layer(chapter["dog_man"][::-1]) + places
    np.testing.assert_allclose(late[0][1] - late[1][0], places[1] - places[0], atol=1e-12)
    second = layer(late[0])[1] - places[1], layer(late[1])[0] - places[0]
    assert np.abs(second[0] - second[1]).max() > 0.01  # beyond its own place
    bites = np.array([[1.0, 0], [1, 1], [0, 1]])  # dog bites man
    middle = [(layer(rows) + encode(range(3), 2))[1] for rows in (bites, bites[::-1])]
    np.testing.assert_allclose(*middle, atol=1e-12)

    table = chapter["table"]
    assert table.shape == (100, 8)
    with pytest.raises(ValueError, match="broadcast"):
        np.zeros((200, 5, 8)) + table[:200, None]
    alone = np.zeros((1, 5, 8)) + table[:1, None]
    np.testing.assert_array_equal(alone[0], np.tile(table[0], (5, 1)))

    whole = ["Dolphins", "leap", "gracefully", "over", "waves", "."]
    assert chapter["tokens"].index("waves") == whole.index("waves") + 1 == 5
    shared = [0, 1, 2, 2, 3, 4, 5]  # the position of each token, counted in words
    x = chapter["X"] + table[shared]
    swapped = [0, 1, 3, 2, 4, 5, 6]
    after = layer(chapter["X"][swapped] + table[shared])
    np.testing.assert_allclose(after, layer(x)[swapped], atol=1e-12)


def test_the_outputs_stand_where_the_figure_s_words_say(chapter):
    text = said("00-start-here", "nearly meet")
    for output in chapter["other"]:
        assert "({:.2f}, {:.2f})".format(*output) in text
    assert chapter["one"].mean(axis=0) == pytest.approx([0.9, 1.3], abs=0.03)
    assert np.linalg.norm(np.diff(chapter["one"], axis=0)) < 0.05
    assert np.linalg.norm(np.diff(chapter["other"], axis=0)) > 1.5


def test_the_table_of_chapters_has_all_of_them():
    """Those of the contents, in their order; and what else there is, among the appendices."""
    text = said("00-start-here", "## The questions of this course")
    contents = re.findall(r"file: chapters/([\w-]+)", (ROOT / "_toc.yml").read_text("utf-8"))
    numbered = [name for name in contents if name[:2].isdigit()]
    listed = re.findall(r"^\| \[\d+ .+?\]\(([\w-]+)\.ipynb\)", text, re.MULTILINE)
    assert ["00-start-here", *listed] == numbered
    linked = {Path(name).stem for name in re.findall(r"\]\(([\w.-]+)\)", text)}
    assert linked >= {name for name in contents if name.startswith("appendix-")}
