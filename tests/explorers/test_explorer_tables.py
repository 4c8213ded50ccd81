"""What explorers hold: layers, weights, recordings and advice are what they were made from."""

import json
import re

import numpy as np
import pytest

from pe_lib import checkpoints, encode
from pe_lib.biases import t5_buckets
from pe_lib.course import explorers as ex
from pe_lib.course.explorers._choices import ADVICE, FIRST, QUESTIONS, SCHEMES
from pe_lib.course.explorers._stacks import STACKS
from pe_lib.course.explorers.chooser import ends
from pe_lib.course.explorers.layers import MODELS, marks, reach, verdict
from pe_lib.course.explorers.leak import LENGTH, sequences, shuffled
from tests.recorded import DATA, given
from tools import experiments
from tools.layers import kind as kind_of
from tools.layers import models

KINDS = [kind for one in MODELS.values() for kind in one["kinds"].values()]


def test_circuit_without_a_recording_looks_everywhere() -> None:
    even = np.tri(16) / np.arange(1, 17)[:, None]
    for weights in ex.CircuitExplorer().weights():
        np.testing.assert_allclose(weights, even, atol=0.5 / 255 + 1e-9)


def test_layers_see_as_far_as_a_mask_says() -> None:
    k = np.arange(8_300)
    for kind in KINDS:
        for q in (0, 1, 64, 127, 1_024, 4_999, 8_191, 8_192, 8_299):
            seen = k <= q
            if kind["window"]:
                seen &= q - k < kind["window"]
            if kind["chunk"]:
                seen &= q // kind["chunk"] == k // kind["chunk"]
            assert reach(kind, q) == seen.sum() - 1


def test_layers_tell_what_can_be_told() -> None:
    for kind in KINDS:
        if kind["scheme"] == "rotary":  # a pair's score falls at every step up to its mark
            for w, mark in zip(kind["values"], marks(kind), strict=True):
                if mark <= 10_000:
                    scores = np.cos(w * np.arange(int(mark) + 3))
                    assert (np.diff(scores[: int(mark) + 1]) < 0).all() and scores[-1] > scores[-2]
        if kind["scheme"] == "alibi":  # a head leaves a thousandth
            for n in (1, 8, 500, 1_771, 2_000):
                telling = int(np.sum(np.exp(-np.array(kind["values"]) * n) >= 1e-3))
                says = f"tells it: {telling} of" if telling else "sees it; none of"
                assert verdict(kind, 2_047, 2_047 - n)[1].startswith(says)
        if kind["scheme"] == "t5":
            buckets = t5_buckets(-np.arange(512))
            for n in range(1, 512):
                alike = np.flatnonzero(buckets == buckets[n])
                state = "tells" if len(alike) == 1 else "seen" if alike[-1] == 511 else "roughly"
                assert verdict(kind, 511, 511 - n)[0] == state
                assert len(alike) == 1 or f"{alike[0]:,} " in verdict(kind, 511, 511 - n)[1]


def test_stored_layers_are_those_of_the_configurations() -> None:
    """To seven digits, which are more than a picture shows; `python -m tools.layers` writes it."""
    made = models()
    assert list(made) == list(MODELS)
    for name, one in MODELS.items():
        kinds = made[name].pop("kinds")
        assert made[name] == {"length": one["length"], "order": one["order"]}
        for letter, kind in one["kinds"].items():
            np.testing.assert_allclose(kinds[letter]["values"], kind["values"], rtol=2e-7)
            assert {**kinds[letter], "values": 0} == {**kind, "values": 0}
    with pytest.raises(ValueError, match="no picture is made of scheme 'convolution'"):
        kind_of(checkpoints.Layer("convolution"))


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("layers", [1, 3])
def test_leak(causal: bool, layers: int) -> None:
    """Variance by entry, and what a fitted line leaves over, not a correlation."""
    one = ex.LeakExplorer(causal=causal, layers=layers)
    added = np.array([one.run(tokens)[1] for tokens in sequences()])
    np.testing.assert_allclose(one.variances(), added.var(axis=0).mean(axis=1))
    x, y = np.log(one.variances()), np.log(np.arange(1, LENGTH + 1))
    line = np.column_stack([x, np.ones(LENGTH)])
    rest = y - line @ np.linalg.lstsq(line, y, rcond=None)[0]
    assert one.probe() == pytest.approx(1 - rest.var() / y.var(), abs=1e-9)
    assert all(sorted(shuffled(n)) == [*range(16)] and shuffled(n)[15] == 15 for n in range(100))
    assert one.standing().tolist() == [*range(16)]


def test_recordings_are_whole() -> None:
    recording = given("schemes")["recording"]
    assert recording["lengths"] == list(range(16, 49, 4))
    assert len(recording["settings"]) == 3 * 2 * 2 * 6
    assert {np.shape(one["right"]) for one in recording["settings"]} == {(5, 9)}
    halfway = ex.SchemesExplorer(recording=recording, length=18.0)
    ends = [shares[:, :2].mean() for shares in halfway.chosen().values()]
    np.testing.assert_allclose([shares.mean() for shares in halfway.now().values()], ends)
    recording = given("training")["recording"]
    assert recording["steps"] == recording["every"] * 25 == 400
    first = ex.TrainingExplorer(recording=recording)
    for n, run in enumerate(recording["runs"]):
        assert (len(run["right"]), len(run["loss"])) == (26, 100)
        np.testing.assert_allclose(first.map(n, "attention").sum(axis=1), 1, atol=16 * 0.5 / 255)
    table, step = encode(range(48), 32), recording["runs"][1]["reach"] / 255
    plane = experiments.plane(table[None])[0]
    np.testing.assert_allclose(first.places(1)[0], plane, atol=1.01 * step)


def test_the_plane_is_the_one_in_which_rows_move_most() -> None:
    rng = np.random.default_rng(0)
    first, axes = rng.standard_normal((48, 32)), np.linalg.qr(rng.standard_normal((32, 2)))[0].T
    moved = rng.standard_normal((48, 2)) @ axes
    found = experiments.plane(np.stack([first, first + moved]))
    expected = np.linalg.norm(moved, axis=1)
    np.testing.assert_allclose(np.linalg.norm(found[1] - found[0], axis=1), expected)


# The line of chapter 10's table that each piece of advice is taken from
LINES = {"loaded": 0, "set": 1, "numbers": 2, "directions": 3, "one size": 3, "many sizes": 3,
         "video": 4, "smallest": 5, "both sides": 6, "further": 7, "the rest": 8}  # fmt: skip


def headings_and_table(stem: str) -> tuple[set[str], list[list[str]]]:
    """The addresses of a chapter's sections, and the rows of chapter 10's table."""
    cells = json.loads((DATA.parent / f"{stem}.ipynb").read_text("utf-8"))
    texts = ["".join(c["source"]) for c in cells["cells"] if c["cell_type"] == "markdown"]
    lines = [line for text in texts for line in text.splitlines()]
    titles = {line.lstrip("# ").lower() for line in lines if line.startswith("#")}
    table = [text for text in texts if "stop at the first line" in text]
    rows = [line for text in table for line in text.splitlines() if line.startswith("|")][2:]
    cut = [[part.strip() for part in row.strip("|").split(" | ")] for row in rows]
    return {re.sub(r"[^a-z0-9]+", "-", title).strip("-") for title in titles}, cut


def test_the_chooser_advises_what_the_chapter_does() -> None:
    """In the words and the order of its table; each reason is a section."""
    _, table = headings_and_table("10-choosing")
    assert set(ends(FIRST)) == set(ADVICE) == set(LINES)
    assert set(LINES.values()) == set(range(len(table)))
    for end, advice in ADVICE.items():
        _, advised, why = table[LINES[end]]
        assert advice["says"].rstrip(".").lower() in advised.lower()
        named = {int(number) for number in re.findall(r"\d+", re.sub(r"\(.*?\)", "", why))}
        assert named <= {int(stem[:2]) for _, stem, _ in advice["reasons"]}
        for _, stem, section in advice["reasons"]:
            assert section in headings_and_table(stem)[0]
    for at, question in QUESTIONS.items():  # each no leads on to a later line
        lines = [min(LINES[end] for end in ends(to)) for _, to in question["answers"].values()]
        assert min(lines) == min(LINES[end] for end in ends(at))


def test_the_chooser_names_the_schemes_that_it_advises() -> None:
    words = {"none": "no positions", "sinusoidal": "sinusoids", "learned": "learned table",
             "relative": "bias", "alibi": "ALiBi, which", "rotary": "rotary"}  # fmt: skip
    for end, advice in ADVICE.items():
        said = advice["says"].lower().replace("learned frequency vectors", "rotary")
        named = {scheme for scheme, word in words.items() if word.lower() in said}
        assert set(advice["schemes"]) == (named or set(SCHEMES)), end


@pytest.mark.parametrize("model", STACKS)
def test_a_stack_is_as_its_checkpoint(model: str) -> None:
    stack = STACKS[model]
    file = DATA / "checkpoints" / f"{stack['stored']}.json"
    stored = checkpoints.layers(json.loads(file.read_text("utf-8"))["config"])
    group = [[layer.scheme == "rotary", layer.window] for layer in stored]
    assert group == stack["group"] * (len(stored) // len(stack["group"]))
