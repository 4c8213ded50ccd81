"""What chapter 6 prints, trained again: thresholds over five seeds, and the recording it shows."""

import json

import numpy as np
import pytest
from cells import CHAPTERS, functions

from pe_lib.model import Transformer, accuracy, tasks, train
from tools import experiments

RECORDING = json.loads((CHAPTERS / "data" / "training.json").read_text("utf-8"))
SEEDS = range(5)


@pytest.fixture(scope="module")
def resized():
    """The chapter's functions, among them its four ways to resize a table."""
    return functions("06-learned-embeddings", np=np)


@pytest.fixture(scope="module")
def trained():
    models = {}
    for scheme in ("learned", "sinusoidal"):
        for seed in SEEDS:
            model = Transformer(8, 8, scheme, max_length=48, seed=seed)
            train(model, tasks.previous(), steps=400, seed=seed, progress=False)
            models[scheme, seed] = model
    return models


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
        assert right[1:16].mean() > 0.85 and right[20:].mean() < 0.5


def test_tables_are_not_smooth_and_unseen_rows_stay(trained):
    for seed in SEEDS:
        table = trained["learned", seed].parameters["positions"]
        start = Transformer(8, 8, "learned", max_length=48, seed=seed).parameters["positions"]
        np.testing.assert_array_equal(table[16:], start[16:])
        assert (table[:16] != start[:16]).any(axis=1).all()
        rows = table[:16] / np.linalg.norm(table[:16], axis=1, keepdims=True)
        assert abs((rows[1:] * rows[:-1]).sum(axis=1).mean()) < 0.2


def test_four_ways_to_resize(trained, resized):
    for seed in SEEDS:
        model, shares = trained["learned", seed], {}
        kept = model.parameters["positions"]
        for way in ("untrained", "clamp", "wrap", "interpolate"):
            table = resized[way](kept, 16, 24)
            assert table.shape == (24, 32)
            model.parameters["positions"] = table.astype(np.float32)
            shares[way] = accuracy(model, tasks.previous(), 24)
        model.parameters["positions"] = kept
        worst = shares.pop("interpolate")
        assert all(0.65 < share < 0.75 for share in shares.values())
        assert worst < min(shares.values())


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


def test_guessing_beyond():
    assert f"{(15 + 8 / 8) / 23:.2f} {(15 + 32 / 8) / 47:.2f}" == "0.70 0.40"
    means = {s: np.mean(v, axis=0).round(2).tolist() for s, v in RECORDING["lengths"].items()}
    assert means["learned"][1:] == pytest.approx([0.71, 0.42], abs=0.011)
    assert means["sinusoidal"][1:] == pytest.approx([0.80, 0.52], abs=0.011)


def test_interpolating_is_a_start(resized):
    for seed in SEEDS:
        ends = {}
        for way in ("untrained", "interpolate"):
            model = Transformer(8, 8, "learned", max_length=24, seed=seed)
            train(model, tasks.previous(), steps=400, seed=seed, progress=False)
            table = resized[way](model.parameters["positions"], 16, 24)
            model.parameters["positions"] = table.astype(np.float32)
            train(model, tasks.previous(), steps=50, length=24, seed=seed + 10, progress=False)
            ends[way] = accuracy(model, tasks.previous(), 24)
        assert 0.85 < ends["untrained"] < ends["interpolate"]
