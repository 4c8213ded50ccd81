"""What chapter 6 prints, trained again: thresholds over five seeds, and the recording it shows."""

import json

import numpy as np
import pytest
from cells import CHAPTERS, functions, printed, said

from pe_lib import encode
from pe_lib.course.explorers import TrainingExplorer
from pe_lib.course.model import Transformer, accuracy, tasks, train
from tools import experiments

RECORDING = json.loads((CHAPTERS / "data" / "training.json").read_text("utf-8"))
RUNS = json.loads((CHAPTERS / "data" / "seeds.json").read_text("utf-8"))["table"]
CHAPTER, SEEDS = "06-learned-embeddings", range(5)


@pytest.fixture(scope="module")
def resized():
    """The chapter's functions, among them its four ways to resize a table."""
    return functions(CHAPTER, np=np)


@pytest.fixture(scope="module")
def runs():
    """Model and history of each scheme and seed."""
    found = {}
    for scheme in ("learned", "sinusoidal"):
        for seed in SEEDS:
            model = Transformer(8, 8, scheme, max_length=48, seed=seed)
            history = train(model, tasks.previous(), steps=400, seed=seed, progress=False)
            found[scheme, seed] = model, history
    return found


@pytest.fixture(scope="module")
def trained(runs):
    return {key: model for key, (model, _) in runs.items()}


def test_both_solve_the_task_inside_and_not_beyond(trained):
    for (scheme, seed), model in trained.items():
        shares = [accuracy(model, tasks.previous(), length) for length in (16, 24, 48)]
        assert shares[0] > 0.98 and shares[1] < 0.9 and shares[2] < 0.65
        recorded = RECORDING["lengths"][scheme][seed]
        np.testing.assert_allclose(shares, recorded, atol=0.08)


def test_sinusoids_are_right_where_they_were_trained(trained):
    tokens, targets = tasks.previous()(np.random.default_rng(7), 512, 48)
    for seed in SEEDS:
        right = (trained["sinusoidal", seed](tokens).argmax(axis=-1) == targets).mean(axis=0)
        assert right[1:16].mean() > 0.85 and right[16:].mean() < 0.5 and right[20:].mean() < 0.5


def test_tables_are_not_smooth_and_unseen_rows_stay(trained):
    for seed in SEEDS:
        table = trained["learned", seed].parameters["positions"]
        start = Transformer(8, 8, "learned", max_length=48, seed=seed).parameters["positions"]
        np.testing.assert_array_equal(table[16:], start[16:])
        moved = np.linalg.norm(table[:16] - start[:16], axis=1)
        assert moved.all()
        assert 0.15 < moved.mean() / np.linalg.norm(start[:16], axis=1).mean() < 0.3
        rows = table[:16] / np.linalg.norm(table[:16], axis=1, keepdims=True)
        assert abs((rows[1:] * rows[:-1]).sum(axis=1).mean()) < 0.1


def test_four_ways_to_resize(trained, resized):
    both = 9 / 16  # right by chance with the wrong one of two words, and always with the right one
    by_hand = {
        "untrained": [1] * 15 + [1 / 8] * 8,
        "clamp": [1] * 15 + [1 / 8] * 8,
        "wrap": [both] * 8 + [1] * 7 + [1 / 8] + [both] * 7,
    }
    for seed in SEEDS:
        model, whole = trained["learned", seed], {}
        kept = model.parameters["positions"]
        recorded = RUNS["learned"][seed]["resized"]
        for way in (*by_hand, "interpolate"):
            table = resized[way](kept, 16, 24)
            assert table.shape == (24, 32)
            np.testing.assert_allclose(experiments.resized(kept, way, 24), table, atol=1e-6)
            model.parameters["positions"] = table.astype(np.float32)
            right = np.array(experiments.right_at(model, 24))
            whole[way] = right.mean()
            assert whole[way] == pytest.approx(np.mean(recorded[way]), abs=0.1)
            if way in by_hand:
                np.testing.assert_allclose(right, by_hand[way], atol=0.25)
                for part in (slice(15), slice(15, 23)):
                    wanted = np.mean(by_hand[way][part])
                    assert right[part].mean() == pytest.approx(wanted, abs=0.08)
        model.parameters["positions"] = kept
        assert whole.pop("interpolate") < min(whole.values())
    words = said(CHAPTER, "Four small charts of the share of right answers")
    for way in experiments.WAYS:
        share = np.mean([run["resized"][way] for run in RUNS["learned"]])
        assert f"{way.capitalize()}, {share:.2f}" in words or f"{way}, {share:.2f}" in words


def test_resizing_by_hand(resized):
    table = np.array([[0.0], [10.0], [20.0], [99.0], [98.0]])
    expected = {
        "untrained": [0, 10, 20, 99, 98],
        "clamp": [0, 10, 20, 20, 20],
        "wrap": [0, 10, 20, 0, 10],
        "interpolate": [0, 5, 10, 15, 20],
    }
    for way, rows in expected.items():
        assert resized[way](table, 3, 5).ravel().tolist() == rows


def test_the_recording_is_what_training_gives():
    for recorded in RECORDING["runs"]:
        again = experiments.training(recorded["scheme"], steps=48)
        np.testing.assert_allclose(again["loss"], recorded["loss"][:12], atol=0.02)
        np.testing.assert_allclose(again["right"], recorded["right"][:4], atol=0.05)


def test_the_recorded_seeds_are_what_training_gives(runs):
    for (scheme, seed), (model, history) in runs.items():
        recorded = RUNS[scheme][seed]
        loss = history.loss.reshape(-1, 4).mean(axis=1)
        np.testing.assert_allclose(loss[:12], recorded["loss"][:12], atol=0.03)
        right = experiments.right_at(model, 48)
        assert np.mean(right) == pytest.approx(np.mean(recorded["right"]), abs=0.05)
        if scheme == "learned":
            table = model.parameters["positions"]
            start = Transformer(8, 8, scheme, max_length=48, seed=seed).parameters["positions"]
            moved = np.linalg.norm(table - start, axis=1) / np.linalg.norm(start, axis=1)
            np.testing.assert_allclose(moved, recorded["moved"], atol=0.05)


def test_what_its_figures_say():
    """The descriptions, from the recording that the figures draw."""
    for scheme, (low, high) in {"learned": (60, 80), "sinusoidal": (160, 210)}.items():
        for run in RUNS[scheme]:
            assert low <= 4 * np.argmax(np.array(run["loss"]) < 0.1) <= high
            assert run["loss"][0] > np.log(8)
    moved = np.array([run["moved"] for run in RUNS["learned"]])
    assert not moved[:, 16:].any() and moved[:, :16].mean() == pytest.approx(0.2, abs=0.03)
    by = f"by {moved[:, :16].min():.2f} to {moved.max():.2f}"
    assert by in said(CHAPTER, "Five lines over 48 rows")
    right = {s: np.array([run["right"] for run in RUNS[s]]).mean(axis=0) for s in RUNS}
    each = np.array([run["right"] for run in RUNS["sinusoidal"]])
    assert right["learned"][:15].min() > 0.98
    words = said(CHAPTER, "share of right answers at each position of sequences of 48")
    low, high = right["sinusoidal"][:15].min(), right["sinusoidal"][:15].max()
    assert f"{low:.2f} to {high:.2f} on the mean" in words
    assert f"down to {each[:, :15].min():.2f}" in words
    widest = np.ptp(each[:, 16:], axis=0).argmax() + 16
    assert f"from {each[:, widest].min():.2f} to {each[:, widest].max():.2f}" in words
    assert right["learned"][15:].mean() == pytest.approx(1 / 6, abs=0.02)
    assert right["sinusoidal"][16:].min() > 0.19 and right["sinusoidal"][16:].max() < 0.5
    words = said(CHAPTER, "after 50 more steps of training there")
    tuned = {w: [run["tuned"][w] for run in RUNS["learned"]] for w in experiments.WAYS}
    assert min(tuned.pop("interpolate")) > 0.99
    for way, found in tuned.items():
        assert f"{way.capitalize()}: from {min(found):.2f} to {max(found):.2f}" in words


def test_neighbours_in_the_maps():
    words = said(CHAPTER, "Two maps of 16 by 16 cosines")
    end = TrainingExplorer(recording=RECORDING, look=len(RECORDING["runs"][0]["right"]) - 1)
    for n in (0, 1):
        near = np.diag(2 * end.map(n, "similarity") - 1, 1).mean()
        assert f"{near:.2f}" in words
    rows = encode([3, 4], 32) / 4  # an encoding of 32 numbers has the length 4
    assert f"{rows[0] @ rows[1]:.2f}" == "0.96"


def test_what_is_printed_side_by_side():
    measured, computed = printed(CHAPTER, "measured = ").splitlines()
    assert measured.split()[1] == computed.split()[1]
    *right, moved = printed(CHAPTER, "moved:").splitlines()
    assert right == ["right at 16: 100%"] * 2  # more than 0.995, in words: solved
    assert moved.split() == ["moved:", *map(str, range(16))]


def test_the_answers(resized):
    answers = said(CHAPTER, "## Check yourself")
    assert f"{2048 * 512:,}." in answers
    assert f"= {(15 + 32 / 8) / 47:.2f}$" in answers
    table = np.random.default_rng(0).standard_normal((48, 4))
    kept = {
        way: np.array_equal(resized[way](table, 16, 24)[:16], table[:16])
        for way in experiments.WAYS
    }
    assert kept == {"untrained": True, "clamp": True, "wrap": True, "interpolate": False}


def test_what_the_recording_shows():
    """The learned table looks one back in every row from step 64 on, sinusoids from step 128 on."""
    learned, sinusoidal = RECORDING["runs"]
    assert learned["loss"][20] < 0.1 and sinusoidal["loss"][20] > 1  # the mean of four steps each
    for n, first in enumerate((64, 128)):
        looks = range(len(learned["right"]))
        shown = [TrainingExplorer(recording=RECORDING, look=look) for look in looks]
        attention = [explorer.map(n, "attention") for explorer in shown]
        complete = [(map[1:].argmax(axis=1) == np.arange(15)).all() for map in attention]
        assert complete == [explorer.step() >= first for explorer in shown]


def test_the_learned_table_needs_fewer_steps(runs):
    def first(history):
        smooth = np.convolve(history.loss, np.ones(20) / 20, "valid")
        return int(np.argmax(smooth < 0.1))

    for seed in SEEDS:
        sooner, later = (first(runs[scheme, seed][1]) for scheme in ("learned", "sinusoidal"))
        assert 0 < sooner < later < 200
        started = Transformer(8, 8, "learned", seed=seed).parameters["positions"]
        assert np.linalg.norm(started, axis=1).mean() == pytest.approx(4, abs=0.2)  # encode: 4
    for seed in (1, 2):  # those that need fewest and most
        model = Transformer(8, 8, "learned", max_length=48, seed=seed)
        model.parameters["positions"] /= np.float32(35)
        history = train(model, tasks.previous(), steps=400, seed=seed, progress=False)
        assert model.parameters["positions"][16:].std() == pytest.approx(0.02, abs=0.001)
        assert 280 < first(history) < 360


def test_guessing_beyond():
    assert f"{(15 + 8 / 8) / 23:.2f} {(15 + 32 / 8) / 47:.2f}" == "0.70 0.40"
    means = {s: np.mean(v, axis=0).round(2).tolist() for s, v in RECORDING["lengths"].items()}
    assert means == {"learned": [1.0, 0.71, 0.43], "sinusoidal": [1.0, 0.80, 0.52]}


def test_interpolating_is_a_start(trained, resized):
    for seed in SEEDS:
        ends = {}
        for way in ("untrained", "interpolate", "clamp", "wrap"):
            model = Transformer(8, 8, "learned", max_length=24, seed=seed)
            start = trained["learned", seed].parameters
            start = {name: value.copy() for name, value in start.items()}
            table = resized[way](start["positions"], 16, 24)
            model.parameters.update(start, positions=table.astype(np.float32))
            train(model, tasks.previous(), steps=50, length=24, seed=seed + 10, progress=False)
            ends[way] = accuracy(model, tasks.previous(), 24)
        assert max(ends["clamp"], ends["wrap"]) < 0.83
        assert 0.85 < ends["untrained"] < ends["interpolate"]


def test_with_more_steps_only_clamped_rows_lag(trained):
    start = {name: value.copy() for name, value in trained["learned", 0].parameters.items()}
    for way in experiments.WAYS:
        model = Transformer(8, 8, "learned", max_length=24)
        table = experiments.resized(start["positions"], way, 24)
        model.parameters = {name: value.copy() for name, value in start.items()}
        model.parameters["positions"] = table
        train(model, tasks.previous(), steps=100, length=24, seed=10, progress=False)
        assert (accuracy(model, tasks.previous(), 24) > 0.98) == (way != "clamp")
