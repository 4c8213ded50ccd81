"""Test the index of a window on three axes, wrong indices, and Swin V2's coordinates."""

from itertools import product
from math import log2

import numpy as np
import pytest

from pe_lib.doctor import examine, identify


def build_index(sizes, factors=None):
    """Return the index of a window's offsets, patch by patch. An axis has a factor and a size."""
    factors = factors or [int(np.prod([2 * n - 1 for n in sizes[a + 1 :]]))
                          for a in range(len(sizes))]  # fmt: skip
    patches = [*product(*map(range, sizes))]
    return np.array([[sum((p - q + n - 1) * factor for p, q, n, factor
                          in zip(one, other, sizes, factors, strict=True))
                      for other in patches] for one in patches])  # fmt: skip


@pytest.mark.parametrize("sizes", [(2, 4, 4), (3, 5, 5), (8, 3, 3), (2, 7, 7)])
def test_the_index_of_a_window_on_three_axes_is_known(sizes):
    index = build_index(sizes)
    window = " × ".join(map(str, sizes))
    for d in (identify(index), examine({"relative_position_index": index}).entries[0].diagnosis):
        assert (d.scheme, d.sure, d.problems) == ("index", True, []) and window in str(d), str(d)


def test_an_index_with_shared_or_negative_numbers_is_named():
    shared = build_index((3, 5, 5), (14, 9, 1))  # 3 · 5 - 1 in place of 9 · 9
    negative = build_index((4, 3), (7, 1)) - 10
    for index, problem in ((shared, "index_shared"), (negative, "index_moved")):
        for report in (identify(index), examine({"relative_position_index": index})):
            assert report.problems == [problem], str(report)


def test_other_matrices_of_integers_are_no_wrong_index():
    rng = np.random.default_rng(0)
    offsets = np.subtract.outer(np.arange(36), np.arange(36))
    grid = np.array([*product(range(6), range(6))])
    apart = np.abs(grid[:, None] - grid)
    for x in (offsets, offsets + 35, apart.sum(axis=2), rng.integers(0, 121, (36, 36)),
              rng.permutation(144).reshape(12, 12)):  # fmt: skip
        assert not {*identify(x).problems} & {"index_shared", "index_moved"}
    distances = apart[..., 0] * 6 + apart[..., 1]  # LeViT's index
    assert examine({"relative_position_index": distances}).problems == []


def make_coordinates(window, trained=None, log=True, form="f4"):
    """Return Swin V2's table of coordinates for a window, entry by entry."""
    size = 2 * window - 1
    table = np.zeros((1, size, size, 2))
    for i, j, axis in np.ndindex(size, size, 2):
        share = ((i, j)[axis] - window + 1) / ((trained or window) - 1)
        logarithm = np.sign(share) * log2(8 * abs(share) + 1) / 3
        table[0, i, j, axis] = logarithm if log else share
    return table.astype(form)


@pytest.mark.parametrize("sizes", [(7, None), (8, None), (16, 8), (12, 16), (4, None)])
def test_coordinates_are_known(sizes):
    for log, form in ((True, "f4"), (False, "f4"), (True, "f2")):
        table = make_coordinates(*sizes, log, form)
        for x in (table, table[0]):
            report = examine({"relative_coords_table": x})
            assert report.status == "healthy" and identify(x).scheme == "coordinates", str(report)
        assert ("logarithms" if log else "evenly") in str(identify(table))


def test_coordinates_are_no_learned_table():
    wrong = make_coordinates(8) ** 3
    assert examine({"x.relative_coords_table": wrong}).problems == []
    assert identify(wrong).scheme != "coordinates"
