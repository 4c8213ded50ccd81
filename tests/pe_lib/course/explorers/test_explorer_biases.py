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
    found = from_module("distances", "Array.from({ length: 16 }, (_, n) => m.slopes(n + 1))")
    for heads, slopes in enumerate(found, start=1):
        np.testing.assert_allclose(slopes, alibi_slopes(heads), rtol=1e-14)


def test_javascript_buckets_equal_pe_libs() -> None:
    cases = list(product(range(4, 66, 2), (40, 48, 128, 512), (True, False)))
    found = from_module(
        "distances",
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
    states = [BiasesExplorer(**given, query=query).state()
              for given in SETTINGS for query in (0, 40, 67)]  # fmt: skip
    found = node(
        f"import * as m from {url!r}; console.log(JSON.stringify({json.dumps(states)}"
        ".map((s) => { const offsets = Array.from({ length: 301 }, (_, n) => n - 150),"
        " weights = m.weights(s); return [m.biases(s, offsets), weights, m.nine(weights)]; })))"
    )
    for state, (biases, weights, nine) in zip(states, found, strict=True):
        explorer = BiasesExplorer(**state)
        expected = explorer.bias(np.arange(-150, 151))
        np.testing.assert_allclose(biases, expected, rtol=0, atol=1e-9)
        np.testing.assert_allclose(weights, explorer.weights(), rtol=0, atol=1e-9)
        sums = np.cumsum(np.sort(explorer.weights())[::-1])
        assert sums[nine - 1] >= 0.9 - 1e-9 and (nine == 1 or sums[nine - 2] < 0.9)


def test_biases_and_weights_by_hand() -> None:
    explorer = BiasesExplorer(heads=8, head=1, query=30)
    assert explorer.bias([-2, -1, 0]).tolist() == [-1, -0.5, 0]
    share = [math.exp(-k / 2) for k in range(31)]
    np.testing.assert_allclose(explorer.weights()[30::-1], np.array(share) / sum(share))
    assert not explorer.weights()[31:].any()  # behind the mask
    t5 = BiasesExplorer(scheme="t5", causal=False)
    assert t5.bias([-100, -8, -7, 0, 1, 7, 8, 100]).round(9).tolist() == [
        -1.5, -0.8, -0.7, 0, -0.1, -0.7, -0.8, -1.5]  # fmt: skip


def test_words_are_set_in_lines() -> None:
    found = from_module("biases", "m.lines([30, 40, 50, 20], 5, 100, 20)")
    assert [(word["x"], word["y"]) for word in found] == [(0, 0), (35, 0), (0, 20), (55, 20)]


def test_the_answers_to_the_tasks_are_right() -> None:
    def near(**given: Any) -> float:
        explorer = BiasesExplorer(query=67, **given)
        return float(explorer.weights()[-11:].sum())

    assert [round(near(head=head), 3) for head in (1, 3, 8)] == [0.996, 0.747, 0.18]
    both = BiasesExplorer(causal=False, query=34).weights()
    np.testing.assert_allclose(both[1:34], both[:34:-1])
    offsets = np.arange(-150, 151)
    begins = {
        causal: np.abs(offsets)[e.bias(offsets) == e.bias(-150)].min()
        for causal in (True, False)
        for e in [BiasesExplorer(scheme="t5", causal=causal)]
    }
    assert begins == {True: 113, False: 91}
    for causal, first, last in [(True, -20, -19), (False, -22, -16)]:
        t5 = BiasesExplorer(scheme="t5", causal=causal)
        before = offsets[offsets <= 0]
        same = before[t5.bias(before) == t5.bias(-20)]
        assert (same[0], same[-1]) == (first, last)
    assert [round(float(s), 5) for s in alibi_slopes(6)[4:]] == [0.5, 0.125]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scheme": "magic"}, "scheme"),
        ({"heads": 17}, "heads"),
        ({"heads": 4, "head": 5}, "head must be at most heads = 4, got 5"),
        ({"buckets": 7}, "must be even.*got 7"),
        ({"buckets": 66}, "buckets"),
        ({"max_distance": 39}, "max_distance"),
        ({"offset": 151}, "offset"),
        ({"query": 68}, "query must be at most 67, got 68"),
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
    said = BiasesExplorer(query=67).caption()
    assert "head 3 of 8: slope 0.125, words up to the query. From “day.”" in said
    assert "get 0.747 of the attention" in said
    assert "T5, 32 buckets, largest distance 128, words on both" in BiasesExplorer(
        scheme="t5", causal=False).caption()  # fmt: skip
    top, bottom = BiasesExplorer().picture().axes
    np.testing.assert_array_equal(
        top.lines[0].get_ydata(), BiasesExplorer().bias(np.arange(-150, 1))
    )
    heights = [bar.get_height() for bar in bottom.patches]
    np.testing.assert_array_equal(heights, BiasesExplorer().weights())
