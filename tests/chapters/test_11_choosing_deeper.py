"""Test the claims on the Deeper page of chapter 11."""

import json

import numpy as np
from cells import CHAPTERS

from pe_lib.checkpoints import layers
from pe_lib.grid import resized

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
