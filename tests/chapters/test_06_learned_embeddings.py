"""Test chapter 6: its functions for resizing, its recordings, and claims that no cell prints."""

import numpy as np
import pytest
from cells import functions

from pe_lib.course.model import Transformer, tasks, train
from tests.recorded import read_recording
from tools.experiments import controls, frozen, models, published, schemes, tables

TABLES, FROZEN = read_recording("tables"), read_recording("frozen")
STARTS = {(s["start"], s["kind"], s["causal"]): s["runs"] for s in TABLES["starts"]}
SHARED = {(s["kind"], s["causal"]): s["runs"] for s in TABLES["shared"]}
CHAPTER = "06-learned-embeddings"


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
    cured = [case["right"] for case in read_recording("controls")["shifted"]
             if (case["last"], case["layers"]) == (32, 1)]  # fmt: skip
    assert len(cured) == 3 and np.mean(np.array(cured)[..., 15:], axis=-1).min() >= 0.85
    shifted = {(c["kind"], c["last"]): np.array(c["right"])[:, :15].mean(axis=1)
               for c in read_recording("controls")["shifted"] if c["layers"] == 1}  # fmt: skip
    assert (shifted["trained", 32] < shifted["trained", 0]).all()
    assert shifted["sinusoidal", 32].mean() < shifted["sinusoidal", 0].mean()
    runs = [run for kind in ("trained", "sinusoidal") for run in SHARED[kind, False]]
    assert np.sum([run["wrong"] for run in runs], axis=0).tolist() == [23_554, 23_554 - 21]
    x, y, z = np.array(read_recording("published")["along"])
    place = x + 1j * y
    steps = np.angle(place[1:] / place[:-1], deg=True)
    assert (steps > 0).all() and round(steps[1:6].sum()) == 351
    assert (z.argmax(), z.argmin(), *z[[210, 458]].round(2)) == (210, 458, 0.25, -0.25)


def test_weight_decay_shrinks_what_it_is_told_to_and_adam_does_the_rest():
    """Compare a decaying step with a plain step on the same batch: AdamW is Adam plus a shrink."""
    task = tasks.previous()
    plain, decayed = (tables.new_as_started("frozen", "small", False, 3) for _ in range(2))
    before = plain.parameters["embedding"].copy()
    train(plain, task, steps=1, rate=frozen.RATE, progress=False)
    train(frozen.Decaying(decayed, 0.1, ["embedding"]), task, steps=1, rate=frozen.RATE,
          progress=False)  # fmt: skip
    for name, value in plain.parameters.items():
        less = frozen.RATE * 0.1 * before if name == "embedding" else 0
        np.testing.assert_allclose(decayed.parameters[name], value - less, atol=1e-6)


def first_steps(runs, every):
    """Return the first step at which each run has 99 of 100 right, or None."""
    reached = [np.flatnonzero(np.array(right) >= 0.99) for right in runs]
    return [every * int(at[0]) if at.size else None for at in reached]


def test_the_same_frozen_rows_fail_beside_long_embeddings_and_work_beside_short_ones():
    long, short = (tables.new_as_started("frozen", start, False, 1) for start in ("small", "BERT"))
    np.testing.assert_array_equal(long.scheme.added({}, 48), short.scheme.added({}, 48))
    steps = {start: first_steps([run["right"] for run in STARTS[start, "frozen", False]], 10)
             for start in ("small", "BERT")}  # fmt: skip
    assert steps == {"small": [None] * 5, "BERT": [50, 50, 70, 50, 60]}


def test_small_frozen_rows_arrive_if_the_words_shrink():
    decays = {(c["decay"], c["which"]): c["runs"] for c in FROZEN["decays"]}
    for which in ("all", "words"):
        for run in decays[0.1, which]:
            (step,) = first_steps([run["right"]], 100)
            assert 3000 < step < 4500 and run["words"][step // 100] < 0.5
    for case in ((0.1, "but words"), (0.01, "all")):
        assert first_steps([run["right"] for run in decays[case]], 100) == [None] * 2


def test_fast_hands_carry_the_rise_and_likeness_does_not_explain_the_speed():
    runs = FROZEN["returning"]["10000"]
    rise = {name: [np.mean(run[name][32:40]) for run in runs] for name in ("right", "fast", "slow")}
    dip = [np.mean(run["right"][25:29]) for run in runs]
    assert min(rise["right"]) > 2 * max(dip) and min(rise["fast"]) > 0.6 > 0.25 > max(rise["slow"])
    for run in runs:  # in texts of 64 words the rise stands at the same place
        assert np.mean(run["longer"][32:40]) > 1.5 * np.mean(run["longer"][25:29])
    rows = FROZEN["rows"]
    steps = {name: first_steps([r["right"] for r in found], 10) for name, found in rows.items()}
    assert steps["base 3"] == [70] * 5 and sum(step is None for step in steps["shuffled"]) == 4
    assert rows["shuffled"][0]["cosine"] < rows["base 10,000"][0]["cosine"]


def test_narrow_and_crowded_frozen_rows():
    steps = first_steps(FROZEN["narrow"], 100)
    assert steps == [3000, 1200, 2600, None, None, None]
    waves = read_recording("controls")["widths"][2]
    assert (waves["width"], waves["kind"]) == (8, "sinusoidal")
    assert max(first_steps(waves["right"], 50)) == 1000
    assert None not in first_steps(FROZEN["crowded"], 100)


def test_a_table_that_begins_as_sinusoids():
    runs = FROZEN["begun as waves"]
    steps = first_steps([run["right"] for run in runs], 10)
    assert (min(steps), max(steps)) == (120, 140)
    assert all(not np.any(run["moved"][16:]) for run in runs)
