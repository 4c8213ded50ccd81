"""What chapter 6 claims over seeds, from what was recorded, and its resizing by hand."""

import json
from itertools import product

import numpy as np
import pytest
from cells import CHAPTERS, functions, said

from pe_lib.course.model import Transformer, tasks, train
from tools.experiments import controls, published, schemes, tables


def recorded(name):
    return json.loads((CHAPTERS / "data" / f"{name}.json").read_text("utf-8"))


RUNS = recorded("seeds")["table"]
TABLES, CONTROLS = recorded("tables"), recorded("controls")
STARTS = {(s["start"], s["kind"], s["causal"]): s["runs"] for s in TABLES["starts"]}
SHARED = {(s["kind"], s["causal"]): s["runs"] for s in TABLES["shared"]}
SHIFTED = {
    (s["kind"], s["last"]): np.array(s["right"]) for s in CONTROLS["shifted"] if s["layers"] == 1
}
WIDTHS = {(s["kind"], s["width"]): np.array(s["right"])[:, -1] for s in CONTROLS["widths"]}
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
        CHAPTER, "Rows that *cannot* move"
    )


def test_frozen_rows_need_room():
    for kind in tables.KINDS:
        assert min(WIDTHS[kind, width].min() for width in (16, 32)) > 0.99, kind
    assert (WIDTHS["frozen", 8] >= 0.99).sum() == 1 and WIDTHS["trained", 8].min() > 0.99
    assert span(WIDTHS["frozen", 8]) in said(CHAPTER, "With 8 numbers, half as many")


def test_faster_waves_learn_faster():
    first = {b: np.argmax(np.array(runs) >= 0.99, axis=1) for b, runs in CONTROLS["bases"].items()}
    assert first["30"].max() < first["300"].min() and first["300"].max() <= first["10000"].max()
    waves = np.exp(1j * np.outer(np.arange(16), 30.0 ** (-np.arange(16) / 16)))
    near = (waves[1:] * waves[:-1].conj()).real.mean()
    assert f"a cosine of {near:.2f}, the same model" in said(CHAPTER, "With base 30")


def test_the_fall_stands_where_the_visits_end():
    for kind in tables.KINDS:
        for last in (0, 8):
            right, end = SHIFTED[kind, last].mean(axis=0), last + 15  # the first is position 1
            assert right[end - 5 : end].mean() > right[end + 3 :].mean() + 0.25
        assert SHIFTED[kind, 32][:, 15:].mean(axis=1).min() > 0.85
    text = said(CHAPTER, "Three charts, one for each kind")
    for kind in tables.KINDS:
        far = SHIFTED[kind, 32][:, 15:].mean(axis=1)
        assert f"{kind} {span(far)}" in text


def test_what_is_missing_is_not_the_positions():
    """Short texts at rows that only late starts visit; and a fit to sixteen rows picks far out."""
    assert min(np.mean(r) for runs in CONTROLS["late"].values() for r in runs) > 0.99
    angles = np.outer(np.arange(48), 10_000.0 ** (-np.arange(16) / 16))
    rows = np.hstack([np.sin(angles), np.cos(angles)])
    right = []
    for cut in (1e-10, 1e-3):
        fitted = np.linalg.pinv(rows[1:16], rcond=cut) @ rows[:15]
        right.append(((rows[1:] @ fitted @ rows.T).argmax(axis=1) == range(47)).sum())
    assert right == [47, 25]


def test_visited_rows_are_lost_behind_a_hole():
    holed, alone = np.array(CONTROLS["holed"]["whole"]), np.array(CONTROLS["holed"]["behind"])
    (closed,) = [np.array(s["right"])[:, 15:] for s in CONTROLS["shifted"]
                 if (s["kind"], s["last"], s["layers"]) == ("sinusoidal", 32, 2)]  # fmt: skip
    assert holed[:, :15].mean(axis=1).min() > 0.99 and alone.mean(axis=1).min() > 0.99
    assert holed[:, 15:].mean(axis=1).max() < 0.4
    assert span(closed.mean(axis=1)) in said(CHAPTER, "Alone, rows 32 to 47")


def test_a_text_that_begins_elsewhere_gives_its_gradient_to_its_own_rows():
    """Against a small change of each number of a row that was visited, and of one that was not."""
    task = tasks.previous()
    model = Transformer(8, 8, "learned", max_length=12, d_model=4, dtype=np.float64, seed=1)
    model.scheme = schemes.Anywhere(model.parameters["positions"], range(7), 3, controls.BATCH)
    tokens, targets = task(np.random.default_rng(0), controls.BATCH, 4)

    def loss():
        model.scheme.rng = np.random.default_rng(7)  # the same starts each time
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
        assert change.any() == (row < 10)  # the last start is 6, and a text has four words


def test_what_is_said_of_training_on():
    """Interpolated rows are back first at each length and seed, clamped ones after all."""

    def back(run, length):
        right = 15 * np.array(run["old"]) + (length - 16) * np.array(run["new"])
        found = np.flatnonzero(right / (length - 1) >= 0.99)
        return 5 * found[0] if found.size else 1000

    for length, runs in CONTROLS["resized"].items():
        for run in runs:
            steps = {way: back(found, int(length)) for way, found in run.items()}
            others = [steps[way] for way in steps if way != "interpolate"]
            assert steps["interpolate"] < min(others)
            assert steps["clamp"] == max(steps.values())


def test_a_published_table(tmp_path):
    """A file as the format says, written by hand, read back; and what is said of the real one."""
    rows = np.arange(12, dtype="<f4").reshape(3, 4) - 5
    head = json.dumps({"other": {}, "rows": {"shape": [3, 4], "data_offsets": [8, 56]}}).encode()
    file = tmp_path / "model.safetensors"
    file.write_bytes(len(head).to_bytes(8, "little") + head + bytes(8) + rows.tobytes())
    np.testing.assert_array_equal(published.tensor(file, "rows"), rows)
    wave = np.stack([np.cos(np.arange(100)), np.sin(np.arange(100))], axis=1)
    found = published.described(wave)
    np.testing.assert_allclose(found["by offset"], np.cos(np.arange(64)), atol=1e-3)
    np.testing.assert_allclose(sum(found["directions"]), 1, atol=1e-3)
    x, y = np.array(found["along"])  # turned, or mirrored, the same circle about its mean
    np.testing.assert_allclose(np.hypot(x, y), np.hypot(*(wave - wave.mean(0)).T), atol=2e-3)
    real = recorded("published")
    near, text = real["by offset"], said(CHAPTER, "Two charts of a published table")
    for offset in (1, 3, 6, 9, 12):
        assert f"{near[offset]:.2f}" in text
    assert near[6] > near[3] and near[12] > near[9]
    assert np.flatnonzero(np.array(real["lengths"]) > 0.6).tolist() == [0, 127, 510, 511]


def test_what_is_said_of_the_helix():
    x, y, z = np.array(recorded("published")["along"])
    place = x + 1j * y
    steps = np.angle(place[1:] / place[:-1], deg=True)
    text, after = said(CHAPTER, "go round it once"), said(CHAPTER, "A ring, and 87 times round it")
    assert (steps > 0).all() and round(steps.sum() / 360) == 87
    assert f"{steps[1:6].sum():.0f}° in five steps" in text
    plain = np.delete(steps, [0, 126, 127, 509, 510])  # not to or from a row of unusual length
    assert f"from {plain.min():.0f}° to {plain.max():.0f}°" in after
    far = abs(place) / np.median(abs(place))
    assert far.argmin() == 0 and far[0] < 0.2 and far[1:].min() > 0.5
    assert f"{z.max():.2f} at row {z.argmax()}" in text and f"to row {z.argmax()}, " in after
    assert f"−{-z.min():.2f} at row {z.argmin()}." in text and abs(z[:64]).max() < 0.1


def test_what_is_said_of_trained_positions_in_longer_texts():
    means = {
        key: {name: np.array([np.mean(run[name], axis=-1) for run in found])
              for name in ("right", "beyond", "alike")}
        for key, found in SHARED.items()
    }  # fmt: skip
    for kind in ("trained", "sinusoidal"):
        assert not means[kind, True]["beyond"].any()
        found = means[kind, False]  # the more is given away, the less is right
        assert (np.diff(found["alike"][np.argsort(found["beyond"][:, 3])]) < 0).all()
    runs = [run for kind in ("trained", "sinusoidal") for run in SHARED[kind, False]]
    wrong, that = np.sum([run["wrong"] for run in runs], axis=0)
    text = said(CHAPTER, "Weight that goes astray")
    assert f"of {wrong:,} wrong answers of all ten models, all but {wrong - that} are" in text
    assert f"about as much, {span([np.mean(run['astray']) for run in runs])}" in text
