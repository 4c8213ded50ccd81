"""What every explorer keeps, whatever its kind: limits, stories, words, pictures and outputs."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest
import traitlets

from pe_lib.course import explorers as ex
from pe_lib.course.explorers import MIME, _printed
from pe_lib.course.explorers._bundle import scene
from tests.recorded import given

KINDS = ex.kinds()

# By kind: what is given, and what is said of it. What one trait allows is tried for all.
REFUSED = """
attention | vectors=[[1.0, 2.0]] | vectors must hold two numbers
attention | chosen=3 | chosen must be below 3, got 3
biases | heads=4, head=5 | head must be at most heads = 4, got 5
biases | buckets=7 | must be even.*got 7
chooser | answers=["yes", "no"] | no question is left
chooser | answers=["no", "constructor"] | answers to
circuit | text={**TEXT, **{"words": [8] * 16}} | 16 words from 0 to 7
circuit | text={**TEXT, **{"untrained": {"maps": ["AA=="], "answers": [1] * 16}}} | 2 maps of 256
context | factor=1.3 | factor must be a multiple of 0.25, got 1.3
heatmap | positions=10, position=10 | position must be below positions = 10, got 10
hands | position=32 | position must be at most 31, got 32
layers | model="GPT-2", query=1024, key=3 | query must be below the 1,024 positions
leak | order=[15, *range(15)] | order
offset | d_model=12 | d_model.*not the int 12
order | words=["a"], vectors=[[1.0, 2.0, 3.0]] | vectors must hold a row
order | word=7 | word must be below 7, got 7
phase | position=400 | position must be below positions = 400, got 400
phase | read=[4] | read must hold pairs 0 to 3
schemes | recording=RECORDING, layers=2 | no setting was recorded with task 'order'
spectrum | d_model=6 | d_model must be a power of two, got 6
training | recording={}, seed=None | seed must be 0 to 9 where no recording is given
"""

# What captions say in a state: numbers that a person can check
CAPTIONS = """
attention | chosen=1 | 0.54 to not
chooser | answers=["no", "set"] | What does the model read? a set. No positions.
circuit | position=14 | It answers h: before it stands f.
context | method="ntk", length=8192 | read 8,192 of 8,192, NTK-aware: 22 pairs
counter | position=6 | 2π · 6.5 divided by 16, 8, 4 and 2, are 0.56, −0.92, −0.71, 1.00
grid | scheme="coordinates" | patches score from 0.00 to 0.96
hands | position=5 | −0.96, 0.28, 1.00, −0.01
heatmap | d_model=8, positions=10, position=5, dim=1 | the value 0.2837
layers | model="Mistral 7B v0.1" | A, 32 layers (turned, base 10,000, sees 4,096): does not see it.
leak | shuffle=1, layers=2 | changes by
offset | between="nothing" | other positions score the same
offset | between="random" | anything within a range of
order | place=6.0 | “the old bites a young man dog”
order | causal=True, view="scores" | dog sees the, old, dog: weights 0.16, 0.29, 0.55.
phase | position=11, digits=3 | 5 (11, 55, 300, 344, 388)
phase | position=137, digits=1, read=[0, 1, 2, 3], story="nearest" | 99.7 → 137.3 → 137.2 → 137.0.
rotary | vectors="peak" | The largest is 64.0, at offset 40.
schemes | task="previous", causal=True, layers=2, length=48 | rotary 0.88; alibi 0.81; relative 0.72
spectrum | d_model=512, position=150 | Of 256 pairs, 95 are hollow and shaded
training | look=4 | Step 64 of 400, with texts of 16 words. learned: 93 % right
training | look=25, row=30 | has not moved
"""

# A change of one value takes along what would lie outside; and what follows from what is given
FOLLOWED = """
biases | heads=8, head=7 | heads=4 | head=4
heatmap | d_model=64, position=60, dim=60 | d_model=8, positions=10 | position=9, dim=7
phase | position=300 | positions=100 | position=99
spectrum | length=2048, position=2000 | length=100 | position=99
"""

# A story is not told of what it does not know
OWN = """
order | words=["one", "two", "three"]
biases | words=["one", "two", "three"] * 20
"""


def rows(table: str) -> list[Any]:
    return [pytest.param(*line.split(" | "), id=line[:40]) for line in table.strip().splitlines()]


def values(text: str) -> dict[str, Any]:
    some = [one for one in given("schemes")["recording"]["settings"] if one["layers"] == 1]
    known = {"TEXT": given("circuit")["text"],
             "RECORDING": {**given("schemes")["recording"], "settings": some}}  # fmt: skip
    return eval(f"dict({text})", known)


def make(kind: str, text: str = "") -> ex.Explorer:
    return ex.of_kind(kind)(**given(kind) | values(text))


@pytest.mark.parametrize(("kind", "text", "message"), rows(REFUSED))
def test_what_does_not_fit_is_refused_by_name(kind: str, text: str, message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        make(kind, text)


@pytest.mark.parametrize("kind", KINDS)
def test_each_trait_keeps_its_limits(kind: str) -> None:
    for name, trait in ex.of_kind(kind).about()["traits"].items():
        wrong: list[Any] = {"bool": ["maybe"], "enum": ["magic"]}.get(trait["type"], [])
        wrong += [trait["min"] - 1] if trait.get("min") is not None else []
        wrong += [2 * trait["max"] + 2] if trait.get("max") is not None else []
        wrong += [3] if trait["type"] == "even" else []
        for value in wrong:
            with pytest.raises(traitlets.TraitError, match=name):
                ex.of_kind(kind)(**given(kind) | {name: value})
    with pytest.raises(traitlets.TraitError, match="story must be one of"):
        make(kind, 'story="other"')


@pytest.mark.parametrize(("kind", "text", "said"), rows(CAPTIONS))
def test_the_caption_says_the_state(kind: str, text: str, said: str) -> None:
    assert said in make(kind, text).caption()


@pytest.mark.parametrize(("kind", "text", "change", "expected"), rows(FOLLOWED))
def test_what_depends_follows(kind: str, text: str, change: str, expected: str) -> None:
    one = make(kind, text)
    for name, value in values(change).items():
        setattr(one, name, value)
    assert {name: getattr(one, name) for name in values(expected)} == values(expected)


@pytest.mark.parametrize(("kind", "text"), rows(OWN))
def test_a_story_is_not_told_of_what_it_does_not_know(kind: str, text: str) -> None:
    assert make(kind, text).story == "" and make(kind).story


@pytest.mark.parametrize("kind", KINDS)
def test_an_output_holds_state_picture_and_sentence(kind: str) -> None:
    one = make(kind)
    bundled = one._repr_mimebundle_()
    assert bundled is not None
    data, _ = bundled
    assert data[MIME] == {"kind": kind, "state": one.state(), "caption": one.caption()}
    assert data["text/plain"].startswith(f"{type(one).__name__}(")
    assert data["text/plain"].endswith(one.caption()) and len(data["text/plain"]) < 3_000
    ElementTree.fromstring(data["image/svg+xml"])  # as a page takes it in
    alt = re.search(r'^<svg role="img" aria-label="([^"]+)"', data["image/svg+xml"])
    assert alt and re.findall(r"\w+", alt[1])[:5] == re.findall(r"\w+", one.caption())[:5]


def test_without_node_a_scene_says_that_its_picture_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_printed, "node", lambda: None)
    bundled = make("counter")._repr_mimebundle_()
    assert bundled is not None
    data, _ = bundled
    assert "image/svg+xml" not in data and "printed by node" in data["text/plain"]
    assert data[MIME]["state"] == make("counter").state()  # what a page needs is there


@pytest.mark.parametrize("kind", KINDS)
def test_stories_are_told_anew_in_a_bundle_of_one_module(kind: str) -> None:
    made, parts = ex.of_kind(kind), scene(kind).read_text("utf-8").split("parts:")
    for name, story in made.stories.items():
        states = [made(**state) for _, state in story.states(make(kind, f"story={name!r}").state())]
        assert len({*map(repr, states)}) == len({repr(one.state()) for one in states})
        for look in {step.look for step in story.steps} - {""}:
            assert re.search(rf"\b{look}\b", parts[1])
    source = ex.bundle(kind)
    assert not re.search(r"^\s*import\b", source, re.MULTILINE)
    assert len(re.findall(r"^export ", source, re.MULTILINE)) == 1
