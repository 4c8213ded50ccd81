"""What chapter 6 claims over seeds, from what was recorded, and its resizing by hand."""

import json
from itertools import product

import numpy as np
import pytest
from cells import CHAPTERS, functions, said

from pe_lib.course.model import tasks, train
from tools.experiments import tables

RUNS = json.loads((CHAPTERS / "data" / "seeds.json").read_text("utf-8"))["table"]
TABLES = json.loads((CHAPTERS / "data" / "tables.json").read_text("utf-8"))
STARTS = {(s["start"], s["kind"], s["causal"]): s["runs"] for s in TABLES["starts"]}
SHARED = {(s["kind"], s["causal"]): s["runs"] for s in TABLES["shared"]}
CHAPTER, SEEDS = "06-learned-embeddings", range(5)


def span(values, digits=2):
    """As the text writes what seeds gave."""
    low, high = min(values), max(values)
    return f"{low:.{digits}f} to {high:.{digits}f}".replace("-0.00", "0.00").replace("-", "−")


def steps_to(runs, enough=0.99):
    """The step of each run at which this share is right for the first time, None if never."""
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
        ours = tables.resized(trained, way, 24)  # with which it was recorded
        np.testing.assert_allclose(resized[way](trained, 16, 24), ours, atol=1e-6)


def test_what_its_figures_say():
    """The descriptions, from the recording that the figures draw."""
    for scheme, (low, high) in {"learned": (60, 80), "sinusoidal": (160, 210)}.items():
        for run in RUNS[scheme]:
            assert low <= 4 * np.argmax(np.array(run["loss"]) < 0.1) <= high
    moved = np.array([run["moved"] for run in RUNS["learned"]])
    assert not moved[:, 16:].any()
    assert f"by {span(moved[:, :16].ravel())}" in said(CHAPTER, "Five lines over 48 rows")
    each = {s: np.array([run["right"] for run in RUNS[s]]) for s in RUNS}
    text = said(CHAPTER, "share of right answers at each position of sequences of 48")
    assert f"{span(each['sinusoidal'][:, :15].mean(axis=0))} on the mean" in text
    assert f"down to {each['sinusoidal'][:, :15].min():.2f}" in text
    assert each["learned"].mean(axis=0)[:15].min() > 0.98
    text = said(CHAPTER, "Four small charts of the share of right answers")
    for way in tables.WAYS:
        share = np.mean([run["resized"][way] for run in RUNS["learned"]])
        assert f"{way}, {share:.2f}" in text.lower()
    text = said(CHAPTER, "## What the experiments show")
    sines, table = (span([np.mean(run["right"]) for run in RUNS[s]])
                    for s in ("sinusoidal", "learned"))  # fmt: skip
    assert f"sinusoids {sines}, table {table}" in text


def test_tables_start_as_they_are_said_to_and_frozen_ones_stay():
    for start, (words, rows) in tables.STARTS.items():
        assert [words, rows] == TABLES["settings"]["starts"][start]
        trained, frozen, waves = (tables.started(kind, start, False, 2) for kind in tables.KINDS)
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


def test_what_is_said_of_the_five_starts():
    text = said(CHAPTER, "Five starts from top to bottom")
    for start, shown in [("ours", ": trained {}, frozen {}, sinusoidal {}."),
                         ("BERT", ": {}, {}, {}."), ("GPT-2", ": {}, {}, {}.")]:  # fmt: skip
        steps = [steps_to(STARTS[start, kind, False]) for kind in tables.KINDS]
        assert shown.format(*(span(some, 0) for some in steps)) in text
        assert all(a < b for a, b in zip(*steps[1:], strict=True))  # frozen before sinusoidal
    small, tiny = (steps_to(STARTS[s, "trained", False]) for s in ("small", "tiny"))
    assert f"trained {span(small, 0)}, the two others never in 600" in text
    assert f"rows 0.0004: trained {span(tiny, 0)}, the two others never" in text
    for start, kind in product(("small", "tiny"), ("frozen", "sinusoidal")):
        assert max(max(run["right"]) for run in STARTS[start, kind, False]) < 0.3
    for found in TABLES["long"]:  # nor in 5,000
        assert all(len(run) == 11 and max(run) < 0.3 for run in found["right"])
    times = []
    for start in ("BERT", "GPT-2"):
        trained, frozen = (steps_to(STARTS[start, kind, False]) for kind in ("trained", "frozen"))
        times += [slow / quick for slow, quick in zip(frozen, trained, strict=True)]
    assert f"in {span(np.array(times) + 1e-9, 1)} times as many" in said(
        CHAPTER, "Two things are at work"
    )


def test_what_is_said_of_trained_positions_in_longer_texts():
    means = {
        key: {name: np.array([np.mean(run[name], axis=-1) for run in found])
              for name in ("right", "beyond", "alike")}
        for key, found in SHARED.items()
    }  # fmt: skip
    text = said(CHAPTER, "Three charts. Two over the length")
    for kind in ("trained", "sinusoidal"):
        beyond = means[kind, False]["beyond"]
        assert f"between {span(beyond[:, 3]).replace('to', 'and')}" in text
        assert (np.diff(beyond) > 0).all() and not means[kind, True]["beyond"].any()
    learned, waves = means["trained", False], means["sinusoidal", False]
    assert learned["right"].min() > 0.99 and (waves["right"][:, 0] > 0.999).all()
    assert (np.diff(waves["right"]) <= 0).all() and waves["right"].min() > 0.915
    text = said(CHAPTER, "Weight that goes astray to 32 words")
    assert f"which give away {span(learned['beyond'][:, 3])}, keep 0.99" in text
    for found in (learned, waves):  # the more is given away, the less is right
        assert (np.diff(found["alike"][np.argsort(found["beyond"][:, 3])]) < 0).all()
    runs = [run for kind in ("trained", "sinusoidal") for run in SHARED[kind, False]]
    wrong, that = np.sum([run["wrong"] for run in runs], axis=0)
    assert f"of {wrong:,} wrong answers of all ten models, all but {wrong - that} are" in text
    assert f"as much weight, {span([np.mean(run['astray']) for run in runs])}" in text
