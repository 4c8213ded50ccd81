"""What chapter 7 prints, trained again: thresholds over five seeds, and the table it shows."""

import json
from itertools import pairwise

import numpy as np
import pytest
from cells import CHAPTERS, functions, printed, said

from pe_lib.course.explorers import LeakExplorer
from pe_lib.course.model import Transformer, accuracy, schemes, tasks, train
from pe_lib.course.model.transformer import norm, softmax
from tools import experiments, skipping

CHAPTER = "07-skipping-positions"
RECORDING = json.loads((CHAPTERS / "data" / "lengths.json").read_text("utf-8"))
SKIPPING = json.loads((CHAPTERS / "data" / "skipping.json").read_text("utf-8"))
SEEDS = json.loads((CHAPTERS / "data" / "seeds.json").read_text("utf-8"))

SETTINGS = {
    (cell["task"], cell["scheme"], cell["causal"], cell["layers"]): np.array(cell["right"])
    for cell in RECORDING["settings"]
}  # (seeds, lengths 16, 20 … 48)
AT_24, AT_48 = RECORDING["lengths"].index(24), -1
FAR = {s: np.array([run["right"] for run in runs]) for s, runs in SKIPPING["far"].items()}
BEYOND = {s: right[:, 15:].mean(axis=1) for s, right in FAR.items()}  # of ten seeds each
ADDED = ("sinusoidal", "learned")


@pytest.mark.parametrize(
    ("setting", "seed", "lowest", "highest"),
    [
        (("order", "none", False, 1), 0, 0.4, 0.6),
        (("order", "alibi", False, 1), 1, 0.4, 0.6),
        (("order", "none", True, 1), 2, 0.98, 1.0),
        (("order", "sinusoidal", False, 1), 3, 0.98, 1.0),
        (("counting", "none", False, 1), 4, 0.97, 1.0),
        (("counting", "sinusoidal", False, 1), 1, 0.97, 1.0),
        (("previous", "none", True, 1), 2, 0.3, 0.45),
        (("previous", "none", True, 2), 3, 0.9, 1.0),
    ],
)
def test_the_table_and_one_of_its_five_seeds_again(setting, seed, lowest, highest):
    five = SETTINGS[setting]
    assert len(five) == 5 and lowest <= five[:, 0].min() and five[:, 0].max() <= highest
    again = experiments.setting(*setting, seeds=[seed])["right"][0]
    assert lowest <= again[0] <= highest
    assert (five.min(axis=0) - 0.08 <= again).all() and (again <= five.max(axis=0) + 0.08).all()


def recorded(*setting):
    """The mean over seeds, at each of the lengths."""
    return SETTINGS[setting].mean(axis=0)


def test_what_a_bag_allows():
    """The commonest other word, and the commonest so far, against models without positions."""
    tokens = np.random.default_rng(0).integers(8, size=(20_000, 16))
    words = tokens[..., None] == np.arange(8)
    others = (words.sum(axis=1, keepdims=True) - words).max(axis=-1)[:, 1:] / 15
    before = words.cumsum(axis=1).max(axis=-1)[:, :-1] / np.arange(1, 16)
    assert f"{others.mean():.2f} {before.mean():.2f}" == "0.27 0.39"
    for layers in (1, 2):
        none = recorded("previous", "none", False, layers)[0]
        assert f"{none:.2f}" == "0.26" and none < others.mean()
        assert f"{recorded('order', 'none', False, 1)[0]:.2f}" == "0.50"
    assert before.mean() - 0.02 < recorded("previous", "none", True, 1)[0] < before.mean()


def test_with_positions_the_word_before_is_learned_better():
    shares = [f"{FAR[scheme][:, :15].mean():.2f}" for scheme in schemes.SCHEMES]
    assert "0.93 against 0.97 for ALiBi and 1.00 for the others" in said(
        CHAPTER, "people get wrong"
    )
    assert dict(zip(schemes.SCHEMES, shares, strict=True)) == {
        "none": "0.93", "sinusoidal": "1.00", "learned": "1.00", "rotary": "1.00",
        "alibi": "0.97", "relative": "1.00",
    }  # fmt: skip


def test_at_48_it_misses_25_of_48():
    share = recorded("counting", "none", False, 1)[AT_48]
    assert f"right in {share:.2f}" in said(CHAPTER, "six have it right")
    counting = tasks.counting()
    model = Transformer(8, 2, "none", pooled=True)
    train(model, counting, steps=400, progress=False)
    tokens, targets = counting(np.random.default_rng(0), 2_000, 48)
    right, praise = model(tokens).argmax(axis=-1) == targets, (tokens < 4).sum(axis=1)
    assert right[praise == 25].mean() < 0.1 and right[praise != 25].mean() > 0.99


def test_without_a_mask_the_length_is_lost_too():
    for layers in (1, 2, 4):
        model = Transformer(2, 2, "none", layers=layers, pooled=True, dtype=np.float64)
        short = model([[0, 1]])
        for longer in ([0, 0, 1, 1], [1, 0, 0, 1]):
            np.testing.assert_allclose(model([longer]), short, atol=1e-12)


def test_with_one_word_only_nothing_leaks():
    for layers in (1, 2, 4):
        model = Transformer(8, 8, "none", causal=True, layers=layers, dtype=np.float64)
        assert np.ptp(model.hidden([[5] * 32])[-1], axis=1).max() < 1e-10


def test_random_weights_are_far_from_equal():
    for seed in range(5):
        model = Transformer(8, 8, "none", causal=True, seed=seed)
        tokens = np.random.default_rng(seed).integers(8, size=(64, 32))
        low, high = np.quantile(model.attention(tokens)[0][:, :, -1], [0.05, 0.95])
        assert high > 5 * low


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_the_answers_to_the_leak_explorer(layers):
    def last(causal, encoded):
        explorer, changes = LeakExplorer(causal=causal, layers=layers, encoded=encoded), []
        for shuffle in range(1, 100, 7):
            explorer.shuffle = shuffle
            changes.append(explorer.changes()[-1])
        return np.array(changes)

    assert (last(False, False) < 1e-12).all()
    assert (last(True, False) < 1e-12).all() if layers == 1 else (last(True, False) > 0.01).all()
    assert (last(False, True) > 0.01).all() and (last(True, True) > 0.01).all()
    flat = LeakExplorer(causal=False, layers=layers)
    assert flat.probe() < 0.2 and flat.variances().max() < 2 * flat.variances().min()
    falling = LeakExplorer(causal=True, layers=layers)
    assert falling.probe() > 0.8 and falling.variances()[0] > 4 * falling.variances()[-1]


def test_bidirectional_alibi_with_two_slopes_knows_who_bites(monkeypatch):
    even = schemes.Alibi.bias

    def twice_for_words_before(self, parameters, length):
        return even(self, parameters, length) * (1 + np.tri(length, k=-1))

    monkeypatch.setattr(schemes.Alibi, "bias", twice_for_words_before)
    order = tasks.order()
    for seed in range(3):
        model = Transformer(order.vocabulary, 2, "alibi", pooled=True, seed=seed)
        train(model, order, steps=400, seed=seed, progress=False)
        assert accuracy(model, order) > 0.85
    assert f"{recorded('order', 'alibi', True, 1)[0]:.2f}" == "1.00"


def test_for_a_set_only_what_is_added_does_harm():
    right = {scheme: SETTINGS["counting", scheme, False, 1] for scheme in schemes.SCHEMES}
    words = said(CHAPTER, "six have it right") + said(CHAPTER, "Dots, five for each of six schemes")
    assert min(five[:, 0].min() for five in right.values()) >= 0.98
    for column in (AT_24, AT_48):
        for scheme in ADDED:
            at = right[scheme][:, column]
            assert f"{at.min():.2f} to {at.max():.2f}" in words, scheme
        calm = [right[s][:, column] for s in schemes.SCHEMES if s not in ADDED]
        assert f"{min(at.min() for at in calm):.2f}" in words
    words = said(CHAPTER, "Performance collapses")
    for column, place in ((AT_24, "24 words"), (AT_48, "48")):
        none, sine = (right[s][:, column].mean() for s in ("none", "sinusoidal"))
        assert f"{none:.2f} against {sine:.2f} at {place}" in words
    assert np.mean([at.mean() for at in calm]) > right["sinusoidal"][:, AT_48].mean() + 0.1


def test_its_probe_and_its_change_of_the_last_output():
    names = functions(CHAPTER, np=np, Transformer=Transformer)
    for seed in range(5):
        one, two = names["changes"](1, seed), names["changes"](2, seed)
        assert one[-1] < 1e-12 < 0.1 < two[-1] < two[:-1].min() and one[:-1].min() > 0.1
        share, error = names["probe"](True, seed)
        assert 0.375 < share < 0.445 and 5.75 < error < 6.15
        share, error = names["probe"](False, seed)
        assert abs(share) < 0.05 and 7.95 < error < 8.05
    assert np.abs(np.arange(32) - 15.5).mean() == 8
    rng = np.random.default_rng(0)  # as the figure's shuffle
    rng.integers(8, size=(32, 16))
    stays = np.flatnonzero(rng.permutation(15) == np.arange(15))
    assert stays == names["changes"](1, 0)[:15].argmin() == 8
    assert "off by 5.8 to 6.1 positions" in said(CHAPTER, "That is the third answer")
    level = names["read"](False, 0)[0].reshape(200, 32).mean(axis=0)
    np.testing.assert_allclose(level, 15.5, atol=0.5)
    rising = names["read"](True, 0)[0].reshape(200, 32).mean(axis=0)
    assert rising[8] - rising[0] > 2 * (rising[31] - rising[8]) > 0 and rising[31] < 25


def test_a_probe_with_products_reads_off_more():
    """How small the leak is depends on the probe: the same texts, all products of two numbers."""
    pairs = np.triu_indices(32)

    def read(causal, seed):
        model = Transformer(8, 8, "none", causal=causal, dtype=float, seed=seed)
        rng, found = np.random.default_rng(seed), []
        for sequences in (400, 200):
            tokens = rng.integers(8, size=(sequences, 32))
            x = model.hidden(tokens)[-1].reshape(-1, 32)
            found.append(np.hstack([x, x[:, pairs[0]] * x[:, pairs[1]], np.ones((len(x), 1))]))
        x, fresh = found
        ridge = 1e-9 * len(x) * np.eye(x.shape[1])
        weights = np.linalg.solve(x.T @ x + ridge, x.T @ np.tile(np.arange(32.0), 400))
        return np.abs(fresh @ weights - np.tile(np.arange(32.0), 200)).mean()

    errors = [read(True, seed) for seed in range(5)]
    words = said(CHAPTER, "That is the third answer")
    assert f"comes down to {min(errors):.1f} to {max(errors):.1f}" in words
    assert read(False, 0) > 8


def test_two_sentences_get_one_answer():
    for layers in (1, 2, 4):
        model = Transformer(3, 2, "none", layers=layers, pooled=True, dtype=np.float64)
        np.testing.assert_allclose(model([[0, 2, 1]]), model([[1, 2, 0]]), atol=1e-12)
    for line in printed(CHAPTER, "[[dog, bites, man]]").splitlines():
        one, other = line.split(": ")[1].split(" and ")
        assert one == other
    rows = Transformer(3, 2, "none", dtype=np.float64).hidden([[0, 2, 1], [1, 2, 0]])[-1]
    np.testing.assert_allclose(rows[0], rows[1][::-1], atol=1e-12)


def test_what_is_printed_is_near_the_formulas():
    for line in printed(CHAPTER, "position  variance").splitlines()[1:]:
        t, found, expected = map(float, line.split())
        assert found == pytest.approx(1 / (t + 1), rel=0.05) and f"{1 / (t + 1):.3f}" in line
        assert expected == pytest.approx(1 / (t + 1), abs=5e-4)
    for line in printed(CHAPTER, "by (7.2)").splitlines():
        formula, found = float(line.split()[4].strip(",")), float(line.split()[-1])
        assert found == pytest.approx(formula, abs=0.02)
    assert printed(CHAPTER, "size = order").split()[1::3] == ["0.5", "1.0"]


def test_the_recorded_curves():
    ends = {name: [loss[-1] for loss in five] for name, five in SEEDS["order"].items()}
    np.testing.assert_allclose(ends["no mask, no positions"], np.log(2), atol=0.01)
    for name in ("no mask, sinusoidal", "causal mask, no positions"):
        assert max(ends[name]) < 0.01
        assert max(loss[20] for loss in SEEDS["order"][name]) < 0.1
    for name, scheme, causal in [
        ("no mask, no positions", "none", False),
        ("causal mask, no positions", "none", True),
    ]:
        again = experiments.order(scheme, causal, 3)
        np.testing.assert_allclose(again[:6], SEEDS["order"][name][3][:6], atol=0.03)
        assert again[-1] == pytest.approx(ends[name][3], abs=0.02)


def test_the_forward_pass_with_other_weights():
    """With none it is the model's; even weights are those of queries that are all zero."""
    tokens, _ = tasks.previous()(np.random.default_rng(3), 4, 12)
    even = skipping.fixed(12)["even"]
    for layers in (1, 2):
        model = Transformer(8, 8, "none", causal=True, layers=layers, seed=5)
        np.testing.assert_allclose(skipping.forward(model, tokens, {}), model(tokens), atol=1e-5)
        found = skipping.forward(model, tokens, {layers - 1: even})
        model.parameters[f"query{layers - 1}"][:] = 0
        np.testing.assert_allclose(found, model(tokens), atol=1e-5)
    for weights in skipping.fixed(12).values():
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)
        assert (np.triu(weights, 1) == 0).all()


@pytest.mark.parametrize(("scheme", "seed"), [("none", 3), ("learned", 1), ("alibi", 7)])
def test_trained_again_it_goes_as_far_as_recorded(scheme, seed):
    again = skipping.by_position(scheme, seed)
    recorded = SKIPPING["far"][scheme][seed]
    for name in recorded:
        near, far = np.array(again[name]) - recorded[name], slice(15, None)
        assert np.abs(near.mean()) < 0.06 and np.abs(near[far].mean()) < 0.08


def test_trained_again_the_controls_and_the_swaps():
    for name in skipping.CONTROLS:
        again = np.mean(skipping.control(name, 4))
        assert again == pytest.approx(np.mean(SKIPPING["controls"][name][4]), abs=0.03)
    again, recorded = skipping.inside(6), SKIPPING["inside"][6]
    for name, share in recorded["swapped"].items():
        assert again["swapped"][name] == pytest.approx(share, abs=0.12), name
    for state in ("looks", "untrained"):
        np.testing.assert_allclose(again[state], recorded[state], atol=0.15)
    for state, rows in recorded["sharpest"].items():
        np.testing.assert_allclose(again["sharpest"][state], rows, atol=0.05)
    for scheme in ADDED:
        again, recorded = (
            skipping.repaired(skipping.trained(scheme, 2)),
            SKIPPING["repaired"][scheme][2],
        )
        for name, share in recorded.items():
            assert again[name] == pytest.approx(share, abs=0.06), name


def test_the_controls_stand_where_a_bag_stands():
    means = {name: np.mean(right, axis=1) for name, right in SKIPPING["controls"].items()}
    words = said(CHAPTER, "Four rows of ten dots")
    for name, share in [("untrained", 1 / 8), ("no mask", 0.27), ("one layer", 0.39)]:
        assert len(means[name]) == 10
        np.testing.assert_allclose(means[name], share, atol=0.02)
        assert f"{means[name].min():.2f} to {means[name].max():.2f}" in words
    known = FAR["none"][:, :15].mean(axis=1)
    assert f"{known.min():.2f} to {known.max():.2f}" in words and known.min() > 0.85


def test_what_is_said_of_the_swaps():
    words = said(CHAPTER, "Read the lines one by one")
    runs = [run["swapped"] for run in SKIPPING["inside"]]
    found = {name: np.array([run[name] for run in runs]) for name in runs[0]}
    for name, shares in found.items():
        assert f"{shares.mean():.2f}" in words, name
    tokens, targets = tasks.previous()(np.random.default_rng(1000), 512, 16)
    own = (tokens == targets)[:, 1:].mean()  # what naming itself is worth
    np.testing.assert_allclose(found["layer 1 itself"], own, atol=6e-4)
    assert found["both even"].min() > 0.39 + 0.1  # more than a bag
    assert found["layer 2 even"].max() < found["as trained"].min() - 0.2
    assert (found["layer 1 even"] < found["as trained"]).all()
    mean_of_means = (np.tri(3) / [[1], [2], [3]]).mean(axis=0)
    for share in mean_of_means:
        assert f"{share:.2f}" in words


def test_what_is_said_of_where_they_look():
    looks = np.array([run["looks"] for run in SKIPPING["inside"]])  # seeds, layers, which, 1 to 15
    even = 1 / np.arange(2, 17)
    assert np.abs(looks[:, 0] - even).mean(axis=(0, 1)).max() < 0.05  # layer 1
    assert (looks[:, 1, 0, 3:] > 2 * even[3:]).all()  # layer 2, the word before
    untrained = np.array([run["untrained"] for run in SKIPPING["inside"]])
    np.testing.assert_allclose(untrained.mean(axis=0), [[even, even]] * 2, atol=0.07)
    words, mean = said(CHAPTER, "Two panels, weight over"), looks.mean(axis=0)
    for share in (mean[1, 1, 0], mean[1, 1, 14], mean[1, 0, 0], mean[1, 0].max(), mean[1, 0, 14]):
        assert f"{share:.2f}" in words
    assert f"at position {mean[1, 0].argmax() + 1} " in words


def test_single_rows_of_layer_1_are_nearly_even():
    """The mean over texts is even in any case, so it is the largest weight of each row."""
    runs = [run["sharpest"] for run in SKIPPING["inside"]]
    words = said(CHAPTER, "It looks like our construction")
    ranges = {}
    for state in ("trained", "untrained"):
        largest = [run[state][0][0] for run in runs]
        ranges[state] = min(largest), max(largest)
        assert f"{min(largest):.2f} to {max(largest):.2f}" in words
    assert ranges["trained"][1] < 2 / 16 < 2.3 / 16 < ranges["untrained"][0]


def test_with_the_pointer_put_back_they_are_right_again():
    words = said(CHAPTER, "Pointed at the word before")
    runs = SKIPPING["repaired"]
    lowest = min(run["before"] for scheme in ADDED for run in runs[scheme])
    assert f"{lowest:.2f} of the answers at the least (ten seeds of each)" in words
    for scheme in ADDED:
        assert len(runs[scheme]) == 10
        for run, share in zip(runs[scheme], BEYOND[scheme], strict=True):
            assert run["as trained"] == pytest.approx(share, abs=0.02) and run["before"] > 0.9
            assert run["both even"] == pytest.approx(0.22, abs=0.03)


def test_beyond_the_training_length():
    dots = said(CHAPTER, "six schemes, the share right at positions 16 to 47")
    words = said(CHAPTER, "Two of six.")
    tokens, _ = tasks.previous()(np.random.default_rng(1), 4_000, 48)
    counts = (tokens[..., None] == np.arange(8)).cumsum(axis=1).max(axis=-1)[:, :-1]
    bag = (counts / np.arange(1, 48)).mean(axis=0)
    assert f"{bag[15:].mean():.2f}" == "0.22"
    for scheme, shares in BEYOND.items():
        assert len(shares) == 10
        assert f"{scheme} {shares.min():.2f} to {shares.max():.2f}" in dots
    assert [s for s in BEYOND if BEYOND[s].mean() < bag[15:].mean()] == list(ADDED)
    assert (BEYOND["learned"] < 0.22).all()
    assert (BEYOND["sinusoidal"] < bag[15:].mean()).sum() == 9 and "nine of them" in words
    late = np.concatenate([FAR[scheme][:, 19:].mean(axis=1) for scheme in ADDED])
    assert (late < bag[19:].mean()).all()
    assert f"{late.min():.2f} to {late.max():.2f}" in words
    ahead = [BEYOND[scheme].min() for scheme in ("rotary", "alibi", "relative")]
    assert BEYOND["none"].max() < min(ahead) and f"right in {BEYOND['none'].mean():.2f}" in words
    rotary, alibi = BEYOND["rotary"], BEYOND["alibi"]
    assert rotary.min() < alibi.min() and alibi.max() < rotary.max()
    for shares in (rotary, alibi):
        assert f"{shares.min():.2f} to {shares.max():.2f}" in words
    words = said(CHAPTER, "Why worse than counting")
    back = {s: np.mean([run["pointer"] for run in SKIPPING["far"][s]], axis=0) for s in ADDED}
    assert f"{back['learned'][14]:.2f}" in words and f"{back['learned'][19]:.2f}" in words
    assert abs(back["learned"][19] - 1 / 21) < 0.015  # "about what even weights would give"
    assert max(b[19] for b in back.values()) < 0.06 and min(b[14] for b in back.values()) > 0.5
    largest = [run["largest"][29] for s in ADDED for run in SKIPPING["far"][s]]
    assert f"{min(largest):.2f} to {max(largest):.2f}" in words and min(largest) > 2 / 31


def test_the_answers_to_the_table():
    end = {s: SETTINGS["previous", s, True, 2][:, AT_48] for s in schemes.SCHEMES}
    ranked = sorted(end, key=lambda scheme: -end[scheme].mean())
    words = said(CHAPTER, "put the schemes in order")
    assert ", ".join(f"{s} {end[s].mean():.2f}" for s in ranked) in words
    overlap = [(a, b) for a, b in pairwise(ranked)
               if end[b].max() > end[a].min()]  # fmt: skip
    assert overlap == [("rotary", "alibi")]
    for scheme in ("rotary", "alibi"):
        assert f"{end[scheme].min():.2f} to {end[scheme].max():.2f}" in words
    for scheme in schemes.SCHEMES:  # the first five of the ten seeds of the figure
        np.testing.assert_allclose(end[scheme], BEYOND[scheme][:5], atol=0.02)


def test_the_head_built_by_hand():
    """Against a loop over words, and what the chapter prints of it."""
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
    tokens, _ = tasks.previous()(np.random.default_rng(0), 2_000, 65)
    words = np.eye(8)[tokens]
    sums = words.cumsum(axis=1)
    query, key = norm(sums - words)[0], norm(sums)[0]
    short = {t: 1 - (query[:, t] * key[:, t - 2]).sum(axis=-1).mean() / 8 for t in (8, 16, 32, 64)}
    prose = said(CHAPTER, "For neighbours")
    for t, text in [
        (16, f"{short[16]:.3f} short of 1 at position 16"),
        (32, f"{short[32]:.3f} at 32"),
        (64, f"{short[64]:.3f} at 64"),
    ]:
        assert text in prose and short[t] < short[t // 2] / 3
    tokens, targets = tasks.previous()(np.random.default_rng(2), 3, 9)
    sharp = by_hand(tokens, 1e4).argmax(axis=-1) == targets
    assert sharp[:, 1:].all()
    rows = [line.split() for line in printed(CHAPTER, "built = {}").splitlines()[1:]]
    near, beyond = np.array(rows, dtype=float).T[1:]
    assert (np.diff(near) >= 0).all() and (np.diff(beyond) > 0).all() and near[-1] == 1
    trained = FAR["none"].mean(axis=0)
    assert (
        near[1] - 0.06 < trained[:15].mean() < near[2]
        and beyond[1] < trained[15:].mean() < beyond[2]
    )
    assert printed(CHAPTER, "asked @ seen").split() == ["a", "0.71", "b", "1.00", "c", "0.82"]
    for t, share in [(1, "0.71"), (15, "0.97"), (47, "0.99")]:
        assert f"{np.sqrt(t / (t + 1)):.2f}" == share


def test_the_variance_falls_under_a_mask_alone():
    names = functions(CHAPTER, np=np, Transformer=Transformer)
    for seed in range(5):
        falling, level = (names["variances"](causal, seed) for causal in (True, False))
        assert 0.125 < falling[31] / falling[0] < 0.185 and falling[3] < 0.45 * falling[0]
        np.testing.assert_allclose(level / level[0], 1, atol=0.1)


def test_what_is_said_of_who_bites():
    lines = printed(CHAPTER, 'for scheme in ("none", "sinusoidal"):\n    right').splitlines()
    for line, scheme in zip(lines, ("none", "sinusoidal"), strict=True):
        five = SETTINGS["order", scheme, False, 1][:, 0]
        assert line.endswith(f"5 seeds: {five.min():.2f} to {five.max():.2f}")


def test_the_answers():
    model = Transformer(3, 3, "none", causal=True, dtype=np.float64)
    abc, bac = model([[0, 1, 2]])[0], model([[1, 0, 2]])[0]
    changed = np.abs(bac[[1, 0, 2]] - abc).max(axis=1)
    assert (changed[:2] > 1e-3).all() and changed[2] < 1e-12
    deep = Transformer(3, 3, "none", layers=10, dtype=np.float64)
    there, back = deep([[0, 1, 2]])[0], deep([[1, 0, 2]])[0]
    np.testing.assert_allclose(back, there[[1, 0, 2]], atol=1e-12)
    assert recorded("order", "relative", False, 1)[0] > 0.99


def test_the_mean_of_what_is_seen():
    """(7.1) and (7.2) from the weights alone, exactly."""
    weights = np.tri(64) / np.arange(1, 65)[:, None]
    covariance = weights @ weights.T  # of independent values with variance 1
    t = np.arange(64)
    np.testing.assert_allclose(np.diag(covariance), 1 / (t + 1))
    deviation = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(deviation, deviation)
    for s in (31, 16, 1):
        assert correlation[32, s] == pytest.approx(np.sqrt((s + 1) / 33))
