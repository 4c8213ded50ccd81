"""What chapter 7 claims over seeds, from what was recorded, and its heads and masks by loops."""

import json

import numpy as np
import pytest
from cells import CHAPTERS, functions, said

from pe_lib.biases import alibi_bias
from pe_lib.course.model import Transformer, schemes, tasks
from pe_lib.course.model.transformer import norm, softmax
from tools.experiments import controls, skipping
from tools.experiments.schemes import Sloped

CHAPTER = "07-skipping-positions"


def recorded(name):
    return json.loads((CHAPTERS / "data" / f"{name}.json").read_text("utf-8"))


RECORDING, SKIPPING, CONTROLS = recorded("lengths"), recorded("skipping"), recorded("controls")
SETTINGS = {
    (cell["task"], cell["scheme"], cell["causal"], cell["layers"]): np.array(cell["right"])
    for cell in RECORDING["settings"]
}  # (seeds, lengths 16, 20 … 48)
AT_24, AT_48 = RECORDING["lengths"].index(24), -1
FAR = {s: np.array(runs) for s, runs in SKIPPING["far"].items()}
BEYOND = {s: right[:, 15:].mean(axis=1) for s, right in FAR.items()}  # of ten seeds each
ADDED = ("sinusoidal", "learned")


def span(shares):
    """As the text writes what seeds gave."""
    return f"{min(shares):.2f} to {max(shares):.2f}"


def test_what_a_bag_allows():
    """The commonest other word, and the commonest so far, against models without positions."""
    tokens = np.random.default_rng(0).integers(8, size=(20_000, 16))
    words = tokens[..., None] == np.arange(8)
    others = ((words.sum(axis=1, keepdims=True) - words).max(axis=-1)[:, 1:] / 15).mean()
    before = (words.cumsum(axis=1).max(axis=-1)[:, :-1] / np.arange(1, 16)).mean()
    assert f"{others:.2f} {before:.2f}" == "0.27 0.39"
    assert SETTINGS["previous", "none", False, 2].mean(axis=0)[0] < others
    assert before - 0.02 < SETTINGS["previous", "none", True, 1].mean(axis=0)[0] < before
    assert f"{SETTINGS['order', 'none', False, 1].mean(axis=0)[0]:.2f}" == "0.50"
    means = {name: np.mean(right, axis=1) for name, right in SKIPPING["controls"].items()}
    text = said(CHAPTER, "Four rows of ten dots")
    for name, share in [("untrained", 1 / 8), ("no mask", others), ("one layer", before)]:
        np.testing.assert_allclose(means[name], share, atol=0.02)
        assert len(means[name]) == 10 and span(means[name]) in text
    assert span(FAR["none"][:, :15].mean(axis=1)) in text


def test_for_a_set_only_what_is_added_does_harm():
    right = {scheme: SETTINGS["counting", scheme, False, 1] for scheme in schemes.SCHEMES}
    words = said(CHAPTER, "six have it right") + said(CHAPTER, "Dots, five for each of six schemes")
    assert min(five[:, 0].min() for five in right.values()) >= 0.98
    for column in (AT_24, AT_48):
        assert all(span(right[scheme][:, column]) in words for scheme in ADDED)
        calm = [right[s][:, column] for s in schemes.SCHEMES if s not in ADDED]
        assert f"{min(at.min() for at in calm):.2f}" in words
    assert np.mean([at.mean() for at in calm]) > right["sinusoidal"][:, AT_48].mean() + 0.1


def test_fixed_weights_take_the_place_of_a_layer_s_from_a_position_on():
    model = Transformer(8, 8, "none", causal=True, layers=2, seed=5)
    tokens, _ = tasks.previous()(np.random.default_rng(3), 4, 12)
    before = skipping.fixed(12)["before"]
    first, second = (
        layer["weights"]
        for layer in model.forward(tokens, skipping.instead({1: before}, 5))[1]["layers"]
    )
    np.testing.assert_array_equal(first, model.attention(tokens)[0])
    np.testing.assert_array_equal(second[:, :, :5], model.attention(tokens)[1][:, :, :5])
    assert (second[:, :, 5:] == before[5:]).all()
    for weights in skipping.fixed(12).values():
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)
        assert (np.triu(weights, 1) == 0).all()


def test_the_controls_are_what_they_are_called():
    """A begin token in front and the answers behind it; slopes as ALiBi's, other than its own."""
    tokens, targets = controls.BEGUN(np.random.default_rng(4), 3, 9)
    assert (tokens[:, 0] == 8).all() and tokens[:, 1:].max() < 8
    assert (targets[:, :2] == -1).all()
    for text, answers in zip(tokens, targets, strict=True):
        assert answers[2:].tolist() == text[1:-1].tolist()
    ours = Sloped(1 / 16, 1 / 256).bias({}, 12)
    np.testing.assert_allclose(ours, alibi_bias(length=12, heads=2, causal=False))


def test_the_begin_token_s_share_is_the_position():
    """What ten seeds made of (7.3)."""
    runs = {(c["layers"], c["causal"]): np.array(c["right"]) for c in CONTROLS["begun"]}
    near = {key: right[:, :15].mean(axis=1) for key, right in runs.items()}
    none = FAR["none"][:, :15].mean(axis=1)
    assert (near[2, True] > none.max()).sum() == 8 and near[1, True].max() < 0.4
    assert near[2, False].max() < 0.27
    late = runs[2, True][:, 15:].mean(axis=1)
    assert f"{span(late)} against {span(BEYOND['none'])}" in said(CHAPTER, "In eight of ten seeds")


def test_beyond_the_training_length():
    tokens, _ = tasks.previous()(np.random.default_rng(1), 4_000, 48)
    counts = (tokens[..., None] == np.arange(8)).cumsum(axis=1).max(axis=-1)[:, :-1]
    bag = (counts / np.arange(1, 48)).mean(axis=0)
    text = said(CHAPTER, "eleven rows of dots")
    assert [s for s in BEYOND if BEYOND[s].mean() < bag[15:].mean()] == list(ADDED)
    ahead = [BEYOND[scheme].min() for scheme in ("rotary", "alibi", "relative")]
    assert BEYOND["none"].max() < min(ahead)
    shifted = {
        c["kind"]: np.array(c["right"])[:, 15:].mean(axis=1)
        for c in CONTROLS["shifted"] if c["layers"] == 2 and c["last"] == 32
    }  # fmt: skip
    slopes = {tuple(c["slopes"]): np.array(c["right"])[:, 15:].mean(axis=1)
              for c in CONTROLS["slopes"]}  # fmt: skip
    for shares in [*BEYOND.values(), *shifted.values(), slopes[1 / 2, 1 / 16]]:
        assert span(shares) in text
    assert shifted["sinusoidal"].min() > BEYOND["rotary"].mean() > BEYOND["sinusoidal"].max()
    assert min(min(at) for pair, at in slopes.items() if pair[0] > 1 / 16) > BEYOND["alibi"].max()


def test_what_breaks_is_the_pointing():
    for scheme in ADDED:
        for run, share in zip(SKIPPING["repaired"][scheme], BEYOND[scheme], strict=True):
            assert run["as trained"] == pytest.approx(share, abs=0.02) and run["before"] > 0.9
    text = said(CHAPTER, "Pointed at the word before")
    forced = {name: [run[name] for run in CONTROLS["pointed"]] for name in CONTROLS["pointed"][0]}
    assert min(forced["before"]) > 0.99
    sharper = [np.mean(forced[f"queries x {c}"]) for c in (1, 1.5, 2, 3)]
    assert f"from {sharper[0]:.2f} to {max(sharper):.2f}" in text


def test_what_lasts_to_2_000_steps_and_what_does_not():
    late = {s: np.array(r)[:, 15:].mean(axis=1) for s, r in CONTROLS["longer"].items()}
    scores = "rotary", "alibi", "relative"  # by their medians after 400 steps, the best first
    assert max(late[s].max() for s in ADDED) < late["none"].min()
    assert late["none"].max() < min(late[s].min() for s in scores)
    assert sorted(scores, key=lambda s: -np.median(BEYOND[s])) == list(scores)
    assert np.median(late["rotary"]) < min(np.median(late[s]) for s in ("alibi", "relative"))
    assert late["begin token"].max() < late["none"].min()


def test_the_probe_reads_a_clock_and_not_the_token_itself():
    """Other seeds than the chapter's, and what the token alone would give, which is left out."""
    r2 = functions(CHAPTER, np=np, Transformer=Transformer)["r2"]
    for seed in (11, 12):
        with_mask, clock = r2(True, seed, False), r2(True, seed, True)
        assert 0.3 < with_mask < 0.45 < 0.48 < clock < 0.8
        assert max(abs(r2(False, seed, begin)) for begin in (False, True)) < 0.03


def test_the_head_built_by_hand():
    """Against a loop over words."""
    known = {"np": np, "norm": norm, "softmax": softmax, "Transformer": Transformer}
    by_hand = functions(CHAPTER, **known)["by_hand"]
    tokens, targets = tasks.previous()(np.random.default_rng(2), 3, 9)
    found = by_hand(tokens, 20.0)
    for text, row in zip(np.eye(8)[tokens], found, strict=True):
        for t in range(1, 9):
            past = sum(text[:t])
            means = [sum(text[: s + 1]) / (s + 1) for s in range(t + 1)]
            cosines = [past @ m / np.linalg.norm(past) / np.linalg.norm(m) for m in means]
            power = np.exp(20 * np.array(cosines))
            expected = sum(w * word for w, word in zip(power / power.sum(), text, strict=False))
            np.testing.assert_allclose(row[t], expected, atol=1e-4)
    sharp = by_hand(tokens, 1e4).argmax(axis=-1) == targets
    assert sharp[:, 1:].all()
