"""What chapter 6 prints, trained again: thresholds over five seeds, and the recording it shows."""

import json

import numpy as np
import pytest
from cells import CHAPTERS, functions

from pe_lib.course.explorers import TrainingExplorer
from pe_lib.course.model import Transformer, accuracy, tasks, train
from tools import experiments

RECORDING = json.loads((CHAPTERS / "data" / "training.json").read_text("utf-8"))
SEEDS = range(5)


@pytest.fixture(scope="module")
def resized():
    """The chapter's functions, among them its four ways to resize a table."""
    return functions("06-learned-embeddings", np=np, task=tasks.previous())


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
        assert abs((rows[1:] * rows[:-1]).sum(axis=1).mean()) < 0.2


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
        for way in (*by_hand, "interpolate"):
            table = resized[way](kept, 16, 24)
            assert table.shape == (24, 32)
            right = resized["right_with"](model, table, 24)
            whole[way] = right.mean()
            if way in by_hand:
                np.testing.assert_allclose(right, by_hand[way], atol=0.25)
                for part in (slice(15), slice(15, 23)):
                    wanted = np.mean(by_hand[way][part])
                    assert right[part].mean() == pytest.approx(wanted, abs=0.08)
        assert model.parameters["positions"] is kept
        assert whole.pop("interpolate") < min(whole.values())


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
    for seed in SEEDS:
        first = {}
        for scheme in ("learned", "sinusoidal"):
            smooth = np.convolve(runs[scheme, seed][1].loss, np.ones(20) / 20, "valid")
            first[scheme] = int(np.argmax(smooth < 0.1))
        assert 0 < first["learned"] < first["sinusoidal"]


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
