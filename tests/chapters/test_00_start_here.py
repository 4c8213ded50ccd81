"""What chapter 0 claims of a shuffle, on other words than its own, and its table of contents."""

import re
from pathlib import Path

import numpy as np
import pytest
from cells import executed, said

from pe_lib import encode
from pe_lib.course.attention import attention
from tools.notebooks import ROOT


@pytest.fixture(scope="module")
def chapter():
    return executed("00-start-here")


def test_a_shuffle_is_noticed_on_the_right_axis_only(chapter):
    rng = np.random.default_rng(7)
    x, order = rng.standard_normal((5, 8)), rng.permutation(5)
    positions = chapter["table"][:5], np.tile(chapter["table"][1], (5, 1))
    for added, noticed in zip(positions, (True, False), strict=True):
        before, after = attention(*[x + added] * 3)[order], attention(*[x[order] + added] * 3)
        assert (np.abs(after - before).max() > 1e-3) == noticed


def test_the_answers_at_the_end_are_right(chapter):
    layer, places, words = chapter["attention"], encode(range(2), 2), chapter["dog_man"]
    for moved in (words + places, words + places[1]):  # positions travel with the rows, or are one
        np.testing.assert_allclose(layer(moved[::-1]), layer(moved)[::-1], atol=1e-12)
    late = layer(words) + places, layer(words[::-1]) + places
    np.testing.assert_allclose(late[0][1] - late[1][0], places[1] - places[0], atol=1e-12)
    second = layer(late[0])[1] - places[1], layer(late[1])[0] - places[0]
    assert np.abs(second[0] - second[1]).max() > 0.01  # beyond its own place
    shared, swapped = [0, 1, 2, 2, 3, 4, 5], [0, 1, 3, 2, 4, 5, 6]  # positions counted in words
    x, added = chapter["X"], chapter["table"][shared]
    np.testing.assert_allclose(layer(x[swapped] + added), layer(x + added)[swapped], atol=1e-12)


def test_the_table_of_chapters_has_all_of_them():
    """Those of the contents, in their order; and what else there is, among the appendices."""
    text = said("00-start-here", "## The questions of this course")
    contents = re.findall(r"file: chapters/([\w-]+)", (ROOT / "_toc.yml").read_text("utf-8"))
    numbered = [name for name in contents if name[:2].isdigit()]
    listed = re.findall(r"^\| \[\d+ .+?\]\(([\w-]+)\.ipynb\)", text, re.MULTILINE)
    assert ["00-start-here", *listed] == numbered
    linked = {Path(name).stem for name in re.findall(r"\]\(([\w.-]+)\)", text)}
    assert linked >= {name for name in contents if name.startswith("appendix-")}
