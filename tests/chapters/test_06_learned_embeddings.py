"""Test chapter 6: its functions for resizing, its recordings, and claims that no cell prints."""

import numpy as np
import pytest
from cells import functions

from pe_lib.course.model import Transformer, tasks, train
from tests.recorded import recorded
from tools.experiments import controls, models, published, schemes, tables

TABLES = recorded("tables")
STARTS = {(s["start"], s["kind"], s["causal"]): s["runs"] for s in TABLES["starts"]}
SHARED = {(s["kind"], s["causal"]): s["runs"] for s in TABLES["shared"]}
CHAPTER = "06-learned-embeddings"


def steps_to(runs, enough=0.99):
    """For each run, return the first step whose accuracy is at least `enough`, or None."""
    found = [np.flatnonzero(np.array(run["right"]) >= enough) for run in runs]
    return [int(TABLES["settings"]["every"] * at[0]) if at.size else None for at in found]


def test_resizing_by_hand():
    resized = functions(CHAPTER, np=np)
    table = np.array([[0.0], [10.0], [20.0], [99.0], [98.0]])
    expected = {
        "untrained": [0, 10, 20, 99, 98],
        "clamp": [0, 10, 20, 20, 20],
        "wrap": [0, 10, 20, 0, 10],
        "interpolate": [0, 5, 10, 15, 20],
    }
    trained = np.random.default_rng(0).standard_normal((48, 4))
    for way, rows in expected.items():
        assert resized[way](table, 3, 5).ravel().tolist() == rows
        ours = tables.resize_table(trained, way, 24)  # used for the recording
        np.testing.assert_allclose(resized[way](trained, 16, 24), ours, atol=1e-6)


def test_tables_start_as_they_are_said_to_and_frozen_ones_stay():
    for start, (words, rows) in tables.STARTS.items():
        assert [words, rows] == TABLES["settings"]["starts"][start]
        trained, frozen, waves = (
            tables.new_as_started(kind, start, False, 2) for kind in models.KINDS
        )
        table = trained.parameters["positions"]
        assert table.std() == pytest.approx(rows, rel=0.05)
        assert trained.parameters["embedding"].std() == pytest.approx(words, rel=0.15)
        np.testing.assert_array_equal(frozen.scheme.added({}, 48), table)
        assert np.sqrt((waves.scheme.added({}, 48) ** 2).mean()) == pytest.approx(rows, rel=1e-3)
        for model in (frozen, waves):
            assert "positions" not in model.parameters
            for name, value in model.parameters.items():
                np.testing.assert_array_equal(value, trained.parameters[name])
    train(frozen, tasks.previous(), steps=5, progress=False)
    np.testing.assert_array_equal(frozen.scheme.added({}, 48), table)


def test_a_text_that_begins_elsewhere_gives_its_gradient_to_its_own_rows():
    """Compare the gradients of two used rows and an unused row with finite differences."""
    task = tasks.previous()
    model = Transformer(8, 8, "learned", max_length=12, d_model=4, dtype=np.float64, seed=1)
    model.scheme = schemes.Anywhere(model.parameters["positions"], range(7), 3, controls.BATCH)
    tokens, targets = task(np.random.default_rng(0), controls.BATCH, 4)

    def loss():
        model.scheme.rng = np.random.default_rng(7)  # every call draws the same starts
        return model.loss_and_gradients(tokens, targets)

    _, gradients = loss()
    table = model.parameters["positions"]
    for row in (2, 9, 11):
        change = np.zeros(4)
        for column in range(4):
            sides = []
            for step in (1e-5, -2e-5):
                table[row, column] += step
                sides.append(loss()[0])
            table[row, column] += 1e-5
            change[column] = (sides[0] - sides[1]) / 2e-5
        np.testing.assert_allclose(gradients["positions"][row], change, atol=1e-8)
        # The last start is 6 and texts have four words, so rows from 10 on get no gradient.
        assert change.any() == (row < 10)


def test_a_published_table():
    wave = np.stack([np.cos(np.arange(100)), np.sin(np.arange(100))], axis=1)
    found = published.describe_table(wave)
    np.testing.assert_allclose(found["by offset"], np.cos(np.arange(64)), atol=1e-3)
    np.testing.assert_allclose(sum(found["directions"]), 1, atol=1e-3)
    # The result equals the input circle around its mean, but may be rotated or mirrored.
    x, y = np.array(found["along"])
    np.testing.assert_allclose(np.hypot(x, y), np.hypot(*(wave - wave.mean(0)).T), atol=2e-3)


def test_numbers_of_its_recordings_that_no_cell_prints():
    never = [run["right"] for start in ("small", "tiny") for kind in ("frozen", "sinusoidal")
             for run in STARTS[start, kind, False]]  # fmt: skip
    # The runs in TABLES["long"] took 5,000 steps, and are not accurate either.
    never += [run for found in TABLES["long"] for run in found["right"]]
    assert all(max(right) < 0.3 for right in never)
    trained = {start: steps_to(STARTS[start, "trained", False]) for start in ("BERT", "GPT-2")}
    frozen = {start: steps_to(STARTS[start, "frozen", False]) for start in trained}
    times = [b / a for s in trained for a, b in zip(trained[s], frozen[s], strict=True)]
    assert (round(min(times), 1), round(max(times) + 1e-9, 1)) == (1.2, 2.3)
    runs = [run for kind in ("trained", "sinusoidal") for run in SHARED[kind, False]]
    assert np.sum([run["wrong"] for run in runs], axis=0).tolist() == [23_554, 23_554 - 21]
    x, y, z = np.array(recorded("published")["along"])
    place = x + 1j * y
    steps = np.angle(place[1:] / place[:-1], deg=True)
    assert (steps > 0).all() and round(steps[1:6].sum()) == 351
    assert (z.argmax(), z.argmin(), *z[[210, 458]].round(2)) == (210, 458, 0.25, -0.25)
