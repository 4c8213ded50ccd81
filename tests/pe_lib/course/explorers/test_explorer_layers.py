"""The explorer of layers: JavaScript judges as Python does, and both as counted by hand."""

import json
from typing import Any

import numpy as np
import pytest
import traitlets
from test_explorers import from_module

from pe_lib.biases import t5_buckets
from pe_lib.checkpoints import Layer
from pe_lib.course.explorers import LayersExplorer
from pe_lib.course.explorers.layers import FURTHEST, MODELS, marks, reach, said, verdict
from tools.layers import kind as kind_of
from tools.layers import models

KINDS = [
    pytest.param(kind, one["length"], id=f"{model}-{name}")
    for model, one in MODELS.items() for name, kind in one["kinds"].items()
]  # fmt: skip


def places(length: int) -> list[tuple[int, int]]:
    """Queries and keys near and far, on both sides of windows, chunks and buckets."""
    queries = [q for q in (1, 63, 300, 511, 2_047, 8_191, 8_192, 100_000) if q < length]
    back = [1, 2, 8, 11, 63, 64, 65, 90, 91, 127, 128, 1_023, 1_024, 5_000, 30_000]
    return [(q, q - n) for q in queries for n in back if n <= q]


def of(scheme: str) -> list[dict[str, Any]]:
    return [k for one in MODELS.values() for k in one["kinds"].values() if k["scheme"] == scheme]


@pytest.mark.parametrize(("kind", "length"), KINDS)
def test_javascript_judges_as_python_does(kind: dict[str, Any], length: int) -> None:
    asked = places(length)
    found = from_module(
        "layers",
        f"((kind) => {json.dumps(asked)}.map(([q, k]) => m.verdict(kind, q, k)))"
        f"({json.dumps(kind)})",
    )
    assert [tuple(one) for one in found] == [verdict(kind, q, k) for q, k in asked]


@pytest.mark.parametrize(("kind", "length"), KINDS)
def test_javascript_says_what_python_says(kind: dict[str, Any], length: int) -> None:
    long, shorter, shortest = from_module("layers", f"m.labels({json.dumps(kind)}, 12)")
    assert (long, shorter) == (f"12 layers: {said(kind)}", f"12: {said(kind)}")
    assert shortest in (shorter, shorter.replace(f", {kind['scaling']} scaling", ""))


def test_a_key_is_seen_as_far_as_a_mask_says() -> None:
    for kind in (kind for one in MODELS.values() for kind in one["kinds"].values()):
        q, k = np.arange(8_300)[:, None], np.arange(8_300)
        seen = k <= q
        if kind["window"]:
            seen &= q - k < kind["window"]
        if kind["chunk"]:
            seen &= q // kind["chunk"] == k // kind["chunk"]
        for query in (0, 1, 64, 127, 1_024, 4_999, 8_191, 8_192, 8_299):
            assert reach(kind, query) == seen[query].sum() - 1


@pytest.mark.parametrize("kind", of("rotary"))
def test_a_pair_that_tells_falls_at_every_step(kind: dict[str, Any]) -> None:
    for w, mark in zip(kind["values"], marks(kind), strict=True):
        if mark > 100_000:
            continue
        scores = np.cos(w * np.arange(int(mark) + 3))
        assert (np.diff(scores[: int(mark) + 1]) < 0).all()  # up to the mark
        assert scores[-1] > scores[-2]  # and soon after it no more


def test_a_head_that_tells_leaves_a_thousandth() -> None:
    for kind in of("alibi"):
        for distance in (1, 8, 500, 1_771, 2_000):
            left = np.exp(-np.array(kind["values"]) * distance)
            state, words = verdict(kind, 2_047, 2_047 - distance)
            telling = int(np.sum(left >= 1e-3))
            assert words.startswith(
                f"tells it: {telling} of" if telling else f"sees it; none of {left.size} heads"
            )
            assert state == ("tells" if telling else "seen")


def test_a_bucket_is_that_of_t5() -> None:
    (kind,) = of("t5")
    found = t5_buckets(-np.arange(512))
    for distance in range(1, 512):
        (alike,) = np.nonzero(found == found[distance])
        first, last = f"{alike[0]:,}", f"{alike[-1]:,}"
        expected = ("roughly", f"roughly: {first} to {last} are one bucket")
        if len(alike) == 1:
            expected = ("tells", "tells it: a bucket of its own")
        if alike[-1] == 511:
            expected = ("seen", f"sees it: {first} and more are one bucket")
        assert verdict(kind, 511, 511 - distance) == expected


@pytest.mark.parametrize("model", MODELS)
def test_layers_are_counted_and_summed_up(model: str) -> None:
    one = MODELS[model]
    for query, key in places(one["length"])[::7]:
        counted = LayersExplorer(model=model, query=query, key=key).count()
        assert sum(counted.values()) == len(one["order"])
        call = f"((one) => [m.count(one, {query}, {key}), m.summary(m.count(one, {query}, {key}))])"
        found, (told, rest) = from_module("layers", f"{call}({json.dumps(one)})")
        assert {name: n for name, n in found.items() if n} == counted
        tells = counted.pop("tells", 0)
        all_, some = len(one["order"]), f"{tells} of {len(one['order'])} layers"
        begins = {0: "no layer can tell", all_: f"all {all_} layers"}.get(tells, some)
        assert told.startswith(begins)
        assert sorted(int(word) for word in rest.split() if word.isdigit()) == sorted(
            counted.values()
        )


def test_the_quickest_of_the_telling_pairs_is_named() -> None:
    one = MODELS["Gemma 3 1B"]
    call = "m.meaning(one, 10000, 10000 - n)"
    near, far = from_module("layers", f"((one) => [100, 5000].map((n) => {call}))"
                                      f"({json.dumps(one)})")  # fmt: skip
    quickest = {
        (name, n): max(w for w in one["kinds"][name]["values"] if w * n <= np.pi)
        for name in "AB" for n in (100, 5_000)
    }  # fmt: skip
    told = [f"{quickest[name, 100]:.2g} ({name})" for name in "AB"]
    assert f"turns {told[0]}, {told[1]} radians a position." in near[0]
    assert f"turns {quickest['B', 5_000]:.2g} radians a position." in far[0]
    weak = from_module("layers", f"m.meaning({json.dumps(MODELS['BLOOM 176B'])}, 600, 100)")[0]
    slopes = MODELS["BLOOM 176B"]["kinds"]["A"]["values"]
    least, most = (float(f"{500 * slope:.2g}") for slope in (min(slopes), max(slopes)))
    assert f"Heads take off {least:g} to {most:g}." in weak
    far = from_module("layers", f"m.meaning({json.dumps(MODELS['BLOOM 176B'])}, 2047, 0)")[0]
    assert far.startswith("Heads take off 8 to 2000. One tells up to 6.9")  # where none tells, too


def test_the_axis_goes_there_and_back() -> None:
    distances = [1, 2, 3, 10, 127, 5_000, 1_000_000, FURTHEST]
    assert from_module("layers", f"{distances}.map((d) => m.back(m.along(d)))") == distances
    assert from_module("layers", "[m.back(-1), m.back(2)]") == [1, FURTHEST]
    steps = "[[1, 1], [1, -1], [10, 10], [127, -1]].map((s) => m.further(...s))"
    assert from_module("layers", steps) == [2, 0, 100, 101]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [((10, 5), (10, 5)), ((10, 12), (10, 9)), ((600, 3), (511, 3)), ((0, 0), (1, 0)),
     ((-4, -4), (1, 0)), ((7.6, 2.2), (8, 2))],
)  # fmt: skip
def test_typed_positions_are_brought_inside(wanted: Any, expected: Any) -> None:
    found = from_module("layers", f"m.inside({wanted[0]}, {wanted[1]}, 512)")
    assert (found["query"], found["key"]) == expected


def test_another_model_keeps_the_distance_where_it_fits() -> None:
    call = "[32768, 512, 40].map((n) => m.moved({ query: 10000, key: 9900 }, n))"
    found = [(one["query"], one["key"]) for one in from_module("layers", call)]
    assert found == [(10_000, 9_900), (511, 411), (39, 0)]


def test_what_the_story_says_is_so() -> None:
    steps = LayersExplorer.stories["main"].states(LayersExplorer().state())
    gemma, ticks, near, chunk, t5 = (LayersExplorer(**state) for _, state in steps)
    assert MODELS["Gemma 3 1B"]["order"] == ("AAAAAB" * 5)[:26]
    assert {name: v[0] for name, v in gemma.verdicts().items()} == {"A": "unseen", "B": "tells"}
    assert ticks.state() == gemma.state()
    assert near.count() == {"tells": 26}
    assert MODELS["Llama 4 Scout"]["order"] == "AAAB" * 12
    assert {name: v[0] for name, v in chunk.verdicts().items()} == {"A": "unseen", "B": "seen"}
    assert chunk.kinds()["A"]["chunk"] == 8_192 and chunk.kinds()["B"]["scheme"] == "none"
    assert t5.verdicts()["A"][1] == "roughly: 64 to 90 are one bucket"
    assert t5.kinds()["A"]["values"][-1] == 91


def test_the_task_has_one_answer() -> None:
    kinds, every = MODELS["gpt-oss 20B"]["kinds"].values(), []
    for distance in range(1, 400):
        if all(verdict(kind, 1_000, 1_000 - distance)[0] == "tells" for kind in kinds):
            every.append(distance)
    assert every == list(range(1, 128))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": "BERT"}, "model"),
        ({"model": "GPT-2", "query": 1_024, "key": 3},
         "query must be below the 1,024 positions of GPT-2, got 1,024"),
        ({"query": 100, "key": 100}, "key must be below query = 100, got 100"),
        ({"query": 0, "key": 0}, "query"),
        ({"key": -1}, "key"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        LayersExplorer(**given)


@pytest.mark.parametrize("model", MODELS)
def test_caption_and_picture_show_every_kind(model: str) -> None:
    explorer = LayersExplorer(model=model, query=500, key=400)
    stack, bands = explorer.picture().axes
    order = MODELS[model]["order"]
    assert len(stack.patches) == 2 * len(order)  # a frame and what is filled
    written = [text.get_text() for text in bands.texts]
    for name, (_, words) in explorer.verdicts().items():
        assert words in written and words in explorer.caption()
        assert f"{name}, {order.count(name)} layer" in explorer.caption()


def test_what_is_stored_is_what_the_configurations_say() -> None:
    """To seven digits, which are more than a picture shows; `python -m tools.layers` writes it."""
    made = models()
    assert list(made) == list(MODELS)
    for name, one in MODELS.items():
        kinds = made[name].pop("kinds")
        assert made[name] == {"length": one["length"], "order": one["order"]}
        assert list(kinds) == list(one["kinds"])
        for letter, kind in one["kinds"].items():
            np.testing.assert_allclose(kinds[letter]["values"], kind["values"], rtol=2e-7)
            assert {**kinds[letter], "values": 0} == {**kind, "values": 0}


def test_a_layer_of_an_unknown_scheme_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no picture is made of scheme 'convolution'"):
        kind_of(Layer("convolution"))
