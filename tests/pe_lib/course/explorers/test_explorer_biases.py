"""The biases explorer: JavaScript equals pe_lib, and its task has the answers given."""

import json
import math
from itertools import product
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import from_module, node

from pe_lib.biases import alibi_slopes, t5_buckets
from pe_lib.course.explorers import BiasesExplorer
from pe_lib.course.explorers._bundle import HERE

SETTINGS: list[dict[str, Any]] = [
    *({"scheme": "alibi", "heads": heads, "head": head, "causal": causal}
      for heads, head in [(1, 1), (3, 3), (8, 1), (8, 8), (12, 10), (16, 5)]
      for causal in (True, False)),
    *({"scheme": "t5", "buckets": buckets, "max_distance": most, "causal": causal}
      for buckets, most in [(4, 40), (6, 48), (32, 128), (64, 40), (64, 512)]
      for causal in (True, False)),
]  # fmt: skip


def test_javascript_slopes_equal_pe_libs() -> None:
    found = from_module("biases", "Array.from({ length: 16 }, (_, n) => m.slopes(n + 1))")
    for heads, slopes in enumerate(found, start=1):
        np.testing.assert_allclose(slopes, alibi_slopes(heads), rtol=1e-14)


def test_javascript_buckets_equal_pe_libs() -> None:
    cases = list(product(range(4, 66, 2), (40, 48, 128, 512), (True, False)))
    found = from_module(
        "biases",
        f"{json.dumps(cases)}.map(([n, most, causal]) => {{"
        " const firsts = m.borders(causal ? n : n / 2, most);"
        " return Array.from({ length: 1201 },"
        " (_, k) => m.bucket(k - 600, n, causal, firsts)); })",
    )
    for (buckets, most, causal), got in zip(cases, found, strict=True):
        expected = t5_buckets(np.arange(-600, 601), buckets, most, not causal)
        np.testing.assert_array_equal(got, expected, err_msg=f"{buckets}, {most}, {causal}")


def test_javascript_biases_and_weights_equal_pe_libs() -> None:
    url = (HERE / "biases.mjs").as_uri()
    states = [BiasesExplorer(**given).state() for given in SETTINGS]
    found = node(
        f"import * as m from {url!r}; console.log(JSON.stringify({json.dumps(states)}"
        ".map((s) => [m.offsets(s.causal), m.biases(s), m.weights(s)])))"
    )
    for given, (offsets, biases, weights) in zip(SETTINGS, found, strict=True):
        explorer = BiasesExplorer(**given)
        assert offsets == explorer.offsets().tolist()
        np.testing.assert_allclose(biases, explorer.bias(), rtol=0, atol=1e-9)
        np.testing.assert_allclose(weights, explorer.weights(), rtol=0, atol=1e-9)


def test_biases_and_weights_by_hand() -> None:
    explorer = BiasesExplorer(heads=8, head=1)
    assert explorer.bias()[-3:].tolist() == [-1, -0.5, 0]
    share = [math.exp(-k / 2) for k in range(151)]
    np.testing.assert_allclose(explorer.weights()[::-1], np.array(share) / sum(share))
    t5 = BiasesExplorer(scheme="t5", causal=False)
    by_offset = dict(zip(t5.offsets().tolist(), t5.bias().tolist(), strict=True))
    assert [round(by_offset[k], 9) for k in (-100, -8, -7, 0, 1, 7, 8, 100)] == [
        -1.5, -0.8, -0.7, 0, -0.1, -0.7, -0.8, -1.5]  # fmt: skip


def test_the_answers_to_the_task_are_right() -> None:
    def near(**given: Any) -> float:
        explorer = BiasesExplorer(**given)
        return float(explorer.weights()[np.abs(explorer.offsets()) <= 10].sum())

    assert [round(near(head=head), 3) for head in (1, 3, 8)] == [0.996, 0.747, 0.094]
    both = BiasesExplorer(causal=False)
    np.testing.assert_array_equal(both.weights(), both.weights()[::-1])
    found = {
        causal: np.abs(e.offsets())[e.bucket() == e.bucket()[0]].min()
        for causal in (True, False)
        for e in [BiasesExplorer(scheme="t5", causal=causal)]
    }
    assert found == {True: 113, False: 91}
    t5 = BiasesExplorer(scheme="t5")
    assert t5.offsets()[t5.bucket() == t5.bucket()[130]].tolist() == [-20, -19]
    both = BiasesExplorer(scheme="t5", causal=False)
    mine = both.offsets()[both.bucket() == both.bucket()[130]]
    assert mine.tolist() == list(range(-22, -15))
    assert [round(float(s), 5) for s in alibi_slopes(6)[4:]] == [0.5, 0.125]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scheme": "magic"}, "scheme"),
        ({"heads": 17}, "heads"),
        ({"heads": 4, "head": 5}, "head must be at most heads = 4, got 5"),
        ({"buckets": 7}, "buckets must be even, got 7"),
        ({"buckets": 66}, "buckets"),
        ({"max_distance": 39}, "max_distance"),
        ({"offset": 151}, "offset"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        BiasesExplorer(**given)


def test_fewer_heads_take_the_chosen_one_along() -> None:
    explorer = BiasesExplorer(heads=8, head=7)
    explorer.heads = 4
    assert explorer.head == 4
    assert BiasesExplorer(heads=2).head == 2


def test_the_caption_says_how_much_stays_near() -> None:
    assert "head 3 of 8: slope 0.125, keys up to the query" in BiasesExplorer().caption()
    assert "get 0.747 of the attention" in BiasesExplorer().caption()
    assert "T5, 32 buckets, largest distance 128, keys on both" in BiasesExplorer(
        scheme="t5", causal=False).caption()  # fmt: skip
    top = BiasesExplorer().picture().axes[0].lines[0]
    np.testing.assert_array_equal(top.get_ydata(), BiasesExplorer().bias())
