"""What chapter 6 prints, trained again: thresholds over five seeds, and the recording it shows."""

import json
from itertools import pairwise, product

import numpy as np
import pytest
from cells import CHAPTERS, functions, printed, said

from pe_lib import encode
from pe_lib.course.explorers import TrainingExplorer
from pe_lib.course.model import Transformer, accuracy, tasks, train
from tools import experiments

RECORDING = json.loads((CHAPTERS / "data" / "training.json").read_text("utf-8"))
RUNS = json.loads((CHAPTERS / "data" / "seeds.json").read_text("utf-8"))["table"]
TABLES = json.loads((CHAPTERS / "data" / "tables.json").read_text("utf-8"))
STARTS = {(s["start"], s["kind"], s["causal"]): s["runs"] for s in TABLES["starts"]}
SHARED = {(s["kind"], s["causal"]): s["runs"] for s in TABLES["shared"]}
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


def test_rows_begin_as_long_as_the_sinusoids_where_nothing_else_is_said():
    for seed in SEEDS:
        started = Transformer(8, 8, "learned", seed=seed).parameters["positions"]
        assert np.linalg.norm(started, axis=1).mean() == pytest.approx(4, abs=0.2)  # encode: 4


def test_guessing_beyond():
    assert f"{(15 + 8 / 8) / 23:.2f} {(15 + 32 / 8) / 47:.2f}" == "0.70 0.40"
    means = {s: np.mean(v, axis=0).round(2).tolist() for s, v in RECORDING["lengths"].items()}
    assert means == {"learned": [1.0, 0.71, 0.43], "sinusoidal": [1.0, 0.80, 0.52]}


def test_the_forward_pass_of_the_page_is_the_librarys(resized):
    rng = np.random.default_rng(3)
    for max_length, length in ((16, 16), (48, 9), (5, 1)):
        model = Transformer(
            8, 8, "learned", max_length=max_length, seed=length, dtype=np.float64
        )  # fmt: skip
        for value in model.parameters.values():
            value += rng.normal(size=value.shape) / 3  # thresholds begin at 0
        tokens = rng.integers(8, size=(4, length))
        np.testing.assert_allclose(
            resized["forward"](tokens, model.parameters), model(tokens), atol=1e-9
        )


def test_the_norm_reads_the_proportion_of_word_and_position(resized):
    norm = resized["norm"]
    for size, degrees in ((0, 0), (0.1, 6), (1, 45)):
        x = np.array([1 + size, 1 - size])
        assert np.linalg.norm(norm(x)) == pytest.approx(np.sqrt(2), abs=1e-5)
        turned = np.degrees(np.arctan2(1, 1) - np.arctan2(*norm(x)[::-1]))
        assert round(turned) == degrees
    assert "turned by 6 degrees" in said(CHAPTER, "Part of a circle with three arrows")
    *_, second, third = printed(CHAPTER, "a * word + b * place").splitlines()
    assert second.split("]")[1] == third.split("]")[1]


def steps_to(runs, enough=0.99):
    """The step of each run at which this share is right for the first time, None if never."""
    found = [np.flatnonzero(np.array(run["right"]) >= enough) for run in runs]
    return [int(TABLES["settings"]["every"] * at[0]) if at.size else None for at in found]


def test_tables_start_as_they_are_said_to():
    for start, (words, rows) in experiments.STARTS.items():
        assert [words, rows] == TABLES["settings"]["starts"][start]
        trained, frozen, waves = (
            experiments.started(kind, start, False, 2) for kind in experiments.KINDS
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


def test_frozen_rows_stay():
    model = experiments.started("frozen", "ours", False, 0)
    before = model.scheme.added({}, 48).copy()
    train(model, tasks.previous(), steps=5, progress=False)
    np.testing.assert_array_equal(model.scheme.added({}, 48), before)


@pytest.mark.parametrize(
    ("kind", "start", "causal", "seed", "steps"),
    [
        ("frozen", "ours", False, 1, 120),
        ("frozen", "small", False, 0, 120),
        ("trained", "small", True, 3, 200),
        ("trained", "GPT-2", True, 2, 60),
        ("sinusoidal", "BERT", False, 4, 100),
        ("trained", "tiny", False, 4, 80),
    ],
)
def test_a_sample_of_the_recorded_starts_is_trained_again(kind, start, causal, seed, steps):
    again = experiments.start_run(kind, start, causal, seed, steps)
    recorded = STARTS[start, kind, causal][seed]
    looks = len(again["right"])
    np.testing.assert_allclose(again["right"], recorded["right"][:looks], atol=0.12)
    if (kind, start) == ("trained", "small"):
        assert 0.8 < again["cosine"][0] < 0.95
        assert all(near > far for near, far in pairwise(again["cosine"][:9]))


def test_what_is_said_of_the_five_starts():
    words = said(CHAPTER, "Five starts from top to bottom")
    for start, shown in [("ours", ": trained {} to {}, frozen {} to {}, sinusoidal {} to {}."),
                         ("BERT", ": {} to {}, {} to {}, {} to {}."),
                         ("GPT-2", ": {} to {}, {} to {}, {} to {}.")]:  # fmt: skip
        steps = [steps_to(STARTS[start, kind, False]) for kind in experiments.KINDS]
        assert shown.format(*(end(s) for s in steps for end in (min, max))) in words
        _, frozen, waves = steps
        assert all(a < b for a, b in zip(frozen, waves, strict=True))
    small = steps_to(STARTS["small", "trained", False])
    assert f"trained {min(small)} to {max(small)}, the two others never in 600" in words
    tiny = steps_to(STARTS["tiny", "trained", False])
    assert f"rows 0.0004: trained {min(tiny)} to {max(tiny)}, the two others never" in words
    for start, kind in product(("small", "tiny"), ("frozen", "sinusoidal")):
        found = STARTS[start, kind, False]
        assert steps_to(found) == [None] * 5
        assert max(max(run["right"]) for run in found) < 0.3
        assert all(run["right"][-1] <= 0.271 for run in found)
    tokens = np.random.default_rng(0).integers(8, size=(4000, 16))
    commonest = np.array([np.bincount(row, minlength=8).argmax() for row in tokens])
    assert (tokens[:, :-1] == commonest[:, None]).mean() == pytest.approx(0.26, abs=0.01)
    grown = [run["length"] for run in STARTS["small", "trained", False]]
    grown = [after / before for before, after in grown]
    words = said(CHAPTER, "Now training the table is what does it")
    assert f"{min(grown):.0f} to {max(grown):.0f} times as long" in words
    fixed = [STARTS[*case, True] for case in product(("small", "tiny"), ("frozen", "sinusoidal"))]
    ends = [run["right"][-1] for found in fixed for run in found]
    assert f"under a causal mask both end at {min(ends):.2f} to {max(ends):.2f}" in words.lower()
    assert f"under a mask {max(ends):.2f};" in said(CHAPTER, "## What the experiments show")
    assert "5,000 steps do not help" in words
    for found in TABLES["long"]:
        assert all(len(run) == 11 and max(run) < 0.3 for run in found["right"])


def test_how_much_longer_frozen_rows_take_where_published_models_begin():
    times = []
    for start in ("BERT", "GPT-2"):
        trained, frozen = (steps_to(STARTS[start, kind, False]) for kind in ("trained", "frozen"))
        times += [slow / quick for slow, quick in zip(frozen, trained, strict=True)]
    shown = f"in {min(times):.1f} to {max(times) + 1e-9:.1f} times as many"
    assert shown == "in 1.2 to 2.3 times as many"
    for of in ("Two things are at work", "## What people get wrong"):
        assert shown in said(CHAPTER, of)


def test_the_pace_of_the_table_alone():
    """What small rows need, with its own rate halved and doubled; and how the rows grow."""
    words = said(CHAPTER, "Two things are at work")
    gears = {found["gear"]: found["runs"] for found in TABLES["gears"]}
    half, double = steps_to(gears[0.5]), steps_to(gears[2])
    assert f"takes {min(half)} to {max(half)} steps" in words
    assert f"twice the rate {min(double)} to {max(double)}, five seeds each" in words
    plain = STARTS["small", "trained", False]
    assert all(a["right"] == b["right"] for a, b in zip(gears[1], plain, strict=True))
    assert all(a > b > c for a, b, c in zip(half, steps_to(plain), double, strict=True))
    size = np.array([run["size"] for run in gears[1]])[:, (0, 15, 30)]
    shown = [f"{end:.2f}" for column in size.T for end in (column.min(), column.max())]
    assert shown == ["0.02", "0.02", "0.06", "0.07", "0.24", "0.33"]
    assert "150 steps from 0.02 to 0.06 or 0.07, and 150 more to 0.24 to 0.33" in words
    again = experiments.geared_run(2, 1, steps=100)
    np.testing.assert_allclose(again["right"], gears[2][1]["right"][:11], atol=0.1)
    np.testing.assert_allclose(again["size"], gears[2][1]["size"][:11], rtol=0.3)


def test_slow_training_does_not_make_short_rows_smooth_nor_fast_training_long_ones_rough():
    words = said(CHAPTER, "Without a mask the gradients are alike")
    tiny, small = TABLES["rates"]
    assert (tiny["start"], tiny["rate"]) == ("tiny", 0.0003)
    assert (small["start"], small["rate"]) == ("small", 0.01)
    for found, steps_say, likeness_says in (
        (tiny, "the last start takes {} to {} steps", "stay unlike, {:.2f} to {:.2f};"),
        (small, "the second takes {}, and they are", "alike, {:.2f} to {:.2f} (five"),
    ):
        steps, near = steps_to(found["runs"]), [run["cosine"][0] for run in found["runs"]]
        assert steps_say.format(min(steps), max(steps)) in words
        likeness = likeness_says.format(min(near), max(near)).replace("-0.00", "0.00")
        assert likeness.replace("-", "−") in words
        again = experiments.start_run("trained", found["start"], True, 0, 60, found["rate"])
        np.testing.assert_allclose(again["right"], found["runs"][0]["right"][:7], atol=0.12)


def test_what_is_said_of_neighbours():
    near = {
        key[::2]: np.array([run["cosine"] for run in found])
        for key, found in STARTS.items()
        if key[1] == "trained"
    }
    words = said(CHAPTER, "Four small charts of the mean cosine")
    smooth = near.pop(("small", True))
    assert smooth[:, 0].min() > 0.86 and smooth[:, 0].max() < 0.9
    assert (np.diff(smooth[:, :9]) < 0).all()
    assert f"{smooth[:, 0].mean():.2f} for neighbours" in words
    assert f"{smooth[:, 8].mean():.2f} at a distance of 9".replace("-", "−") in words
    rest = np.concatenate([found[:, 0] for found in near.values()])
    assert f"{rest.min():.2f} {rest.max():.2f}" == "-0.29 0.41"  # as the table of lessons says
    for start in ("BERT", "GPT-2", "tiny"):
        ends = near[start, True][:, 0]
        assert -0.28 < ends.min() <= ends.max() < 0.02
        assert max(steps_to(STARTS[start, "trained", True])) <= 30
    steps = steps_to(STARTS["small", "trained", True])
    assert [min(steps), max(steps)] == [120, 140]
    long = np.concatenate([near["ours", causal][:, :9] for causal in (False, True)])
    small = near["small", False][:, :9]
    for low, high in ((long.min(), long.max()), (small.min(), small.max())):
        assert f"between {low:.2f} and {high:.2f}".replace("-", "−") in words
    rows = encode(range(16), 32) / 4
    ends = [np.diag(rows @ rows.T, apart).mean() for apart in (1, 9)]
    assert f"falls from {ends[0]:.2f} to {ends[1]:.2f} in each" in words


def test_a_mask_makes_the_first_gradients_of_near_rows_alike():
    lines = printed(CHAPTER, "pull(mask, size)").splitlines()
    plain, *both = [[float(part) for part in line.split()[-3:]] for line in lines[1:]]
    assert max(plain) - min(plain) < 0.05
    for masked in both:  # "tiny" no less than "small"
        assert masked[0] > 0.93 > masked[1] > 0.8 > masked[2]


def whole(run):
    return (15 * np.array(run["old"]) + 8 * np.array(run["new"])) / 23


def test_what_is_said_of_training_on():
    right = {
        way: np.array([whole(run[way]) for run in TABLES["resized"]])
        for way in (*experiments.WAYS, "afresh")
    }
    back = {
        way: [int(5 * np.flatnonzero(run >= 0.99)[0]) for run in found]
        for way, found in right.items() if way != "clamp"
    }  # fmt: skip
    ends = {way: (min(steps), max(steps)) for way, steps in back.items()}
    assert ends == {
        "untrained": (50, 85), "wrap": (85, 100), "interpolate": (30, 40), "afresh": (95, 115),
    }  # fmt: skip
    for way in ("untrained", "wrap", "afresh"):
        assert all(a < b for a, b in zip(back["interpolate"], back[way], strict=True))
    sooner = [b - a for a, b in zip(back["wrap"], back["afresh"], strict=True)]
    assert f"{min(sooner)} to {max(sooner)} steps of 95 to 115" in said(CHAPTER, "So interpolating")
    clamp = right["clamp"]
    assert f"{clamp[:, -1].min():.2f} {clamp[:, -1].max():.2f}" == "0.79 0.89"
    assert (clamp[:, 23:] < right["afresh"][:, 23:]).all()
    assert f"{right['wrap'][:, 10].min():.2f} {right['wrap'][:, 10].max():.2f}" == "0.75 0.79"
    ends = right["interpolate"][:, 0]
    assert f"{ends.min():.2f} to {ends.max():.2f} in the five" in said(CHAPTER, "In figure 6.13")


def test_a_sample_of_training_on_is_done_again():
    again, recorded = experiments.resize_run(1, steps=40), TABLES["resized"][1]
    for way, found in again.items():
        np.testing.assert_allclose(whole(found), whole(recorded[way])[:9], atol=0.1)


def test_rows_that_start_equal_have_equal_gradients_on_the_mean(trained):
    model = Transformer(8, 8, "learned", max_length=24)
    model.parameters = {
        name: value.copy() for name, value in trained["learned", 0].parameters.items()
    }
    table = model.parameters["positions"]
    for way, alike in [("clamp", [range(16, 23)]), ("wrap", [(t, t + 16) for t in range(1, 7)])]:
        model.parameters["positions"] = experiments.resized(table, way, 24)
        data = tasks.previous()(np.random.default_rng(3), 4096, 24)
        pulls = model.loss_and_gradients(*data)[1]["positions"]
        pulls /= np.linalg.norm(pulls, axis=1, keepdims=True)
        for rows in alike:
            assert (pulls[[*rows]] @ pulls[[*rows]].T).min() > 0.9


def test_what_is_said_of_trained_positions_in_longer_texts():
    means = {
        key: {name: np.array([np.mean(run[name], axis=-1) for run in found])
              for name in ("right", "beyond", "alike")}
        for key, found in SHARED.items()
    }  # fmt: skip
    words = said(CHAPTER, "Three charts. Two over the length")
    for kind in ("trained", "sinusoidal"):
        found = means[kind, False]
        beyond = found["beyond"][:, 3]
        assert f"between {beyond.min():.2f} and {beyond.max():.2f}" in words
        assert (np.diff(found["beyond"]) > 0).all() and not found["beyond"][:, 0].any()
        masked = means[kind, True]
        assert not masked["beyond"].any()
        np.testing.assert_allclose(masked["alike"], masked["right"][:, 3], atol=1e-6)
    learned, waves = means["trained", False], means["sinusoidal", False]
    assert learned["right"].min() > 0.99 and (waves["right"][:, 0] > 0.999).all()
    assert f"{waves['right'].min():.2f} {waves['right'][:, 3].max():.2f}" == "0.92 0.99"
    alike = [found["alike"] for found in (learned, waves)]
    assert [f"{part.min():.2f} {part.max():.2f}" for part in alike] == ["0.73 0.84", "0.40 0.82"]
    assert (np.diff(waves["right"]) <= 0).all() and (np.diff(waves["right"])[:, 1:] < 0).all()
    told = said(CHAPTER, "Weight that goes astray to 32 words")
    gone = learned["beyond"][:, 3]
    assert f"which give away {gone.min():.2f} to {gone.max():.2f}, keep 0.99" in told
    for found in (learned, waves):
        given = np.argsort(found["beyond"][:, 3])
        assert (np.diff(found["alike"][given]) < 0).all()
    ends = [(waves["alike"][n], waves["beyond"][n, 3]) for n in given[[0, -1]]]
    shown = "from {:.2f} where sinusoids give away {:.2f} to {:.2f} where they give away {:.2f}"
    assert shown.format(*np.ravel(ends)) in told
    runs = [run for kind in ("trained", "sinusoidal") for run in SHARED[kind, False]]
    wrong, that = np.sum([run["wrong"] for run in runs], axis=0)
    assert f"of {wrong:,} wrong answers of all ten models, all but {wrong - that} are" in told
    astray = [np.mean(run["astray"]) for run in runs]
    assert f"as much weight, {min(astray):.2f} to {max(astray):.2f}" in told
    position = np.mean([run["right"][3] for run in SHARED["sinusoidal", False]], axis=0)
    assert f"between {position.min():.2f} and {position.max():.2f}, lowest" in words
    assert position.argmin() == 14


def test_a_sample_of_longer_texts_is_read_again():
    for kind in ("trained", "sinusoidal"):
        again, recorded = experiments.shared_run(kind, False, 3), SHARED[kind, False][3]
        for name, within in (("right", 0.05), ("beyond", 0.08), ("alike", 0.15)):
            assert np.mean(again[name]) == pytest.approx(np.mean(recorded[name]), abs=within)


def test_under_a_mask_later_words_change_nothing():
    model = experiments.started("trained", "ours", True, 0)
    tokens = np.random.default_rng(0).integers(8, size=(3, 48))
    np.testing.assert_allclose(model(tokens)[:, :16], model(tokens[:, :16]), atol=1e-5)


def test_the_table_of_lessons():
    words = said(CHAPTER, "## What the experiments show")
    assert TABLES["date"] in words
    # the shares of whole texts are stored with three digits: too few to round them once more
    lengths = {s: [np.mean(run["right"]) for run in RUNS[s]] for s in RUNS}
    shown = "sinusoids {:.2f} to {:.2f}, table {:.2f} to {:.2f}"
    ends = [end(lengths[s]) for s in ("sinusoidal", "learned") for end in (min, max)]
    assert shown.format(*ends) in words


def test_the_commonest_word_is_right_once_in_five():
    tokens = np.random.default_rng(0).integers(8, size=(4000, 48))
    commonest = np.array([np.bincount(row, minlength=8).argmax() for row in tokens])
    assert (tokens[:, :-1] == commonest[:, None]).mean() == pytest.approx(0.2, abs=0.01)
