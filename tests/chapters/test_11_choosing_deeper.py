"""Test the claims on the Deeper page of chapter 11."""

import json

import numpy as np
from cells import CHAPTERS

from pe_lib.checkpoints import layers
from pe_lib.grid import encode_grid, grid_kernel, resized
from tests.recorded import read_recording

NAME = "11-choosing-deeper"


def test_the_slowest_pairs_do_not_come_round_in_training():
    most = []
    for path in (CHAPTERS / "data" / "checkpoints").glob("*.json"):
        model = json.loads(path.read_text("utf-8"))
        turning = {(x.turned, x.base) for x in layers(model["config"]) if x.turned and x.base}
        if turning and model.get("trained"):
            turns = [model["trained"] / (2 * np.pi * b ** (1 - 2 / d)) for d, b in turning]
            most.append(max(turns))
    assert max(most) < 1 and np.mean(np.array(most) < 1 / 6) > 0.75


def test_a_table_is_resized_in_two_dimensions(chapter):
    """Test that the page resizes a table as the library does, which has its own tests."""
    table = np.random.default_rng(8).standard_normal((4, 3, 5))
    new = chapter["resized"](table, chapter["centres"](4, 7), chapter["centres"](3, 8))
    library = resized(table.reshape(12, 5), (4, 3), (7, 8), "bilinear")
    np.testing.assert_allclose(library.reshape(7, 8, 5), new, atol=1e-12)


def test_a_step_has_one_score_from_every_place(chapter):
    r, c = np.random.default_rng(9).integers(0, 1000, (2, 200))
    for angle in (0.0, chapter["ANGLES"]):
        here, there = (encode_grid(r + a, c + b, 64, 100, angle) for a, b in [(0, 0), (3, -5)])
        assert np.ptp((here * there).sum(axis=1)) < 1e-9
    # Check with complex numbers that rotary scores are relative on three axes, too.
    rng, scores = np.random.default_rng(11), []
    f, (q, k) = rng.normal(size=(8, 3)), rng.normal(size=(2, 16)).view(complex)
    for start in ([0, 0, 0], [7, 5, -4], [300, 2, 90]):
        places = np.array(start), np.add(start, [2, -1, 3])
        query, key = (x * np.exp(1j * f @ p) for x, p in zip((q, k), places, strict=True))
        scores.append((query * key.conj()).real.sum())
    assert np.ptp(scores) < 1e-10


def test_random_directions_do_as_well_as_the_golden_ratio(chapter):
    def gap(angle):
        along, across = grid_kernel([0, 3], [5, 4], 64, 100, angle) / 32
        return abs(along - across)

    rng = np.random.default_rng(1)
    drawn = [gap(rng.uniform(0, np.pi / 2, 16)) for _ in range(200)]
    assert gap(chapter["ANGLES"]) < np.median(drawn) < gap(0.0) / 2


def test_the_places_of_words_and_pictures(chapter):
    """Test the positions of M-RoPE against a count by hand, and the question below it."""
    places = np.transpose(chapter["token_places"]([3, (2, 3), 2]))
    assert places.tolist() == [
        [0, 1, 2, 3, 3, 3, 3, 3, 3, 6, 7],
        [0, 1, 2, 3, 3, 3, 4, 4, 4, 6, 7],
        [0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7],
    ]
    assert chapter["token_places"]([4, (5, 2), 1])[-1] == (9, 9, 9)


def test_parameters_outside_text_config_are_ignored():
    config = read_recording("checkpoints/qwen3.5-27b")["config"]
    slower = {**config["text_config"]["rope_parameters"], "rope_theta": 1e9}

    def bases(config):
        return {x.base for x in layers(config) if x.turned}

    assert bases(config) == bases({**config, "rope_parameters": slower}) == {1e7}
    inside = {**config["text_config"], "rope_parameters": slower}
    assert bases({**config, "text_config": inside}) == {1e9}


def test_many_directions_reproduce_each_stripe_in_part(chapter):
    """Test that the page measures the same stripes as the chapter does for its two choices."""
    down, right, explained = chapter["down"], chapter["right"], chapter["explained"]
    for angle, column, diagonal in ((0.0, 0.88, 0.0), (np.pi / 4, 0.12, 0.88)):
        assert round(explained(right, angle), 2) == column
        assert round(explained((down - right) / np.sqrt(2), angle), 2) == diagonal
    for away in (right, (down - right) / np.sqrt(2)):
        assert round(explained(away, chapter["ANGLES"]), 2) == 0.54
