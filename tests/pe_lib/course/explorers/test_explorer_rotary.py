"""The rotary explorer: JavaScript equals pe_lib, and its task has the answers given."""

import json
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import node

from pe_lib import kernel
from pe_lib.course.explorers import RotaryExplorer
from pe_lib.course.explorers._bundle import HERE
from pe_lib.course.explorers.offset import scrambled

SETTINGS = [
    (vectors, query, key, shift)
    for vectors in ("ones", "random", "peak")
    for query, key, shift in [(7, 3, 0), (7, 3, 1000), (0, 250, 5000), (250, 0, 16.5)]
]


def by_complex_numbers(query: Any, key: Any, offset: int) -> float:
    """A pair is a complex number, and its share Re(q k* e^(i w offset))."""
    q, k = (np.asarray(v, float).view(complex) for v in (query, key))
    turn = np.exp(1j * offset * 10_000.0 ** (-np.arange(32) / 32))
    return float((q * k.conj() * turn).real.sum())


def test_scores_are_sums_over_the_pairs() -> None:
    for vectors, query, key, shift in SETTINGS:
        explorer = RotaryExplorer(vectors=vectors, query=query, key=key, shift=shift)
        expected = [by_complex_numbers(*explorer.pair(), k) for k in range(-250, 251)]
        np.testing.assert_allclose(explorer.curve(), expected, rtol=0, atol=1e-9)
        assert explorer.score() == pytest.approx(expected[query - key + 250], abs=1e-9)


def test_javascript_vectors_and_scores_equal_pe_libs() -> None:
    url = (HERE / "rotary.mjs").as_uri()
    found = node(
        f"import * as m from {url!r}; console.log(JSON.stringify({json.dumps(SETTINGS)}.map("
        "([vectors, query, key, shift]) => { const [q, k] = m.pair(vectors);"
        " const shares = m.shares(m.rotate(q, query + shift), m.rotate(k, key + shift));"
        " return {q: [...q], k: [...k], shares, score: m.total(shares), curve: m.curve(q, k)}; })))"
    )
    for (vectors, query, key, shift), got in zip(SETTINGS, found, strict=True):
        explorer = RotaryExplorer(vectors=vectors, query=query, key=key, shift=shift)
        q, k = explorer.pair()
        np.testing.assert_allclose(got["q"], q, rtol=0, atol=1e-12)
        np.testing.assert_allclose(got["k"], k, rtol=0, atol=1e-12)
        assert got["score"] == pytest.approx(explorer.score(), abs=1e-9)
        np.testing.assert_allclose(got["curve"], explorer.curve(), rtol=0, atol=1e-9)
        first = by_complex_numbers([*q[:2], *[0] * 62], [*k[:2], *[0] * 62], query - key)
        assert got["shares"][0] == pytest.approx(first, abs=1e-9)


def test_the_vectors_are_what_their_names_say() -> None:
    for vectors in ("ones", "random", "peak"):
        lengths = np.linalg.norm(RotaryExplorer(vectors=vectors).pair(), axis=1)
        np.testing.assert_allclose(lengths, 8)
    assert (RotaryExplorer(vectors="ones").pair() == 1).all()
    random, peak = (RotaryExplorer(vectors=name).pair() for name in ("random", "peak"))
    np.testing.assert_array_equal(random[0], peak[0])
    numbers = scrambled(128, start=8)
    np.testing.assert_allclose(random[1] / np.linalg.norm(random[1]),
                               numbers[64:] / np.linalg.norm(numbers[64:]))  # fmt: skip


def test_the_answers_to_the_task_are_right() -> None:
    ones, random, peak = (RotaryExplorer(vectors=v).curve() for v in ("ones", "random", "peak"))
    offsets = np.arange(-250, 251)
    # all ones: twice the kernel of the sinusoids, 64 at 0 and about 23 at 200, alike on both sides
    np.testing.assert_allclose(ones, 2 * kernel(offsets, 64), atol=1e-9)
    assert ones[250] == pytest.approx(64) and round(ones[450]) == 23
    assert offsets[peak.argmax()] == 40 and peak.max() == pytest.approx(64)
    np.testing.assert_allclose(peak[290:], peak[290:79:-1])  # alike on both sides of 40
    assert np.abs(random).max() < 64 / 2 and min(ones.min(), peak.min()) > -32  # in the picture
    assert round(float(ones[254]), 2) == 47.87 and round(float(peak[210]), 1) == 29.2
    assert RotaryExplorer(query=7, key=3).score() == pytest.approx(
        RotaryExplorer(query=7, key=3, shift=1000).score(), abs=1e-9
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"query": 250.5}, "query"),
        ({"key": -1}, "key"),
        ({"shift": 5001}, "shift"),
        ({"vectors": "magic"}, "vectors"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        RotaryExplorer(**given)


def test_the_caption_and_the_picture_say_where_the_top_is() -> None:
    assert "at 1007 and a key at 1003" in RotaryExplorer(shift=1000).caption()
    assert "The largest is 64.0, at offset 40." in RotaryExplorer(vectors="peak").caption()
    assert "offset −4" in RotaryExplorer(query=3, key=7).caption()
    curve, place = RotaryExplorer(vectors="peak").picture().axes[0].lines
    np.testing.assert_allclose(curve.get_ydata(), RotaryExplorer(vectors="peak").curve())
    assert place.get_xdata() == [4]
