"""Test the claims of chapter 2 by methods that the chapter does not use."""

import math
import re

import numpy as np
import pytest
from cells import functions, read_output, read_text

from pe_lib import encode
from tests.recorded import read_recording
from tools.experiments import carried

DEEPER = "02-the-formula-deeper"


def test_every_bit_is_the_sign_of_its_sine():
    for t in range(1024):
        signs = [math.sin(2 * math.pi * (t + 0.5) / 2 ** (b + 1)) < 0 for b in range(9, -1, -1)]
        assert "".join(str(int(sign)) for sign in signs) == f"{t:010b}"


@pytest.mark.peers
def test_the_pytorch_code_in_the_text_runs_and_agrees():
    torch = pytest.importorskip("torch", reason="torch is not installed: run: make peers")
    text = read_text("02-the-formula", "class AddPositions")
    (snippet,) = re.findall(r"```python\n(import torch.+?)```", text, re.DOTALL)
    names = {}
    exec(snippet, names)
    table = names["sinusoidal_table"](5000, 64)
    assert table.dtype == torch.float32
    np.testing.assert_allclose(table.numpy(), encode(range(5000), 64), rtol=0, atol=6e-8)
    layer = names["AddPositions"](64, 5000)
    x = torch.randn(3, 17, 64, generator=torch.Generator().manual_seed(0))
    expected = x.numpy() + encode(range(17), 64)
    np.testing.assert_allclose(layer(x).numpy(), expected, rtol=0, atol=1e-6)
    assert not list(layer.parameters()) and not layer.state_dict()


@pytest.mark.parametrize("scale", [1.0, 0.05, 0.001])
def test_a_matrix_leaves_each_word_recognisable_at_each_position(scale):
    """Test 20 of 2,000 words at all positions with a matrix computed from positions only."""
    words = np.random.default_rng(7).normal(0, scale, size=(2000, 512))
    places = encode(range(100), 512)
    directions = np.linalg.qr(places.T)[0]
    sums = words[:20, None] + places
    cleaned = sums - sums @ directions @ directions.T
    assert ((cleaned @ words.T).argmax(axis=-1) == np.arange(20)[:, None]).all()


def read_counts(notebook, code):
    """Return the number of words that a reader names with each seed, by the size of embeddings."""
    lines = [line.split() for line in read_output(notebook, code).splitlines()]
    return {float(size): [int(count) for count in counts] for size, *counts in lines}


def test_the_learned_matrix_names_all_2000_words_and_the_dot_product_few():
    by_matrix = read_counts("02-the-formula", "counts = [\n        name_by_matrix")
    assert list(by_matrix.values()) == [[2000] * 3] * 6
    by_product = read_counts(DEEPER, "counts = [\n        name_by_product")
    assert by_product[1] == [2000] * 3
    assert max(by_product[0.1]) < 1000 and max(by_product[0.02]) < 20


def test_positions_fill_42_directions():
    """Test the rank by pivoted Gram-Schmidt instead of singular values."""
    rows = encode(range(100), 512)
    first, count = np.linalg.norm(rows, ord=2), 0
    while (lengths := np.linalg.norm(rows, axis=1)).max() > 1e-6 * first:
        axis = rows[lengths.argmax()] / lengths.max()
        rows -= np.outer(rows @ axis, axis)
        count += 1
    assert abs(count - 42) <= 1
    assert "42 filled, 470 free" in read_output("02-the-formula", "matrix_rank")


def test_the_page_says_how_many_positions_remain_after_four_layers():
    table = read_output(DEEPER, "names.items()")
    after_fourth = [[], []]
    for line in table.splitlines():
        after_fourth["without" in line].append(int(line.split()[-1]))
    text = read_text(DEEPER, "Can we still read the position after four layers?")
    kept, replaced = after_fourth
    assert len(kept) == 3 and f"{min(kept)} to {max(kept)} percent" in text
    assert replaced == [6] * 3 and "only 6 percent" in text


def test_the_best_reader_names_a_third_of_the_positions_under_long_words():
    lines = [line.split() for line in read_output(DEEPER, "best linear").splitlines()[1:]]
    best = {(int(line[0]), int(line[1])): (int(line[-3]), int(line[-1])) for line in lines}
    assert all(0.32 < named / 2000 < 0.37 for named in best[2000, 4])
    assert 4 * math.sqrt(512) / 16 > 5
    text = read_text("02-the-formula", "five times as long")
    assert "identifies only about a third of the positions" in text


def test_the_residual_connection_carries_positions_in_the_recording():
    data = read_recording("carried")
    assert data["steps"] == 300
    for kept, replaced in zip(data["residual"], data["replaced"], strict=True):
        assert kept["right"] > 0.99 and replaced["right"] < 0.2
        assert 0.645 <= kept["stream"][4] <= 0.725 and replaced["stream"][2] < 0.1
        assert 0.695 <= kept["attention"][0] <= 0.835 and replaced["attention"][0] < 0.3
        assert all(a < b for a, b in zip(kept["attention"][2:], kept["stream"][3:], strict=True))
    steps = {float(scale): [n for n, _ in runs] for scale, runs in data["starts"].items()}
    assert max(steps[0.02]) < min(steps[1.0]) and max(steps[0.1]) < min(steps[1.0])


@pytest.mark.parametrize("seed", range(3))
def test_untrained_attention_reveals_less_than_a_third_of_the_positions(seed):
    assert max(carried.measure_carried(True, seed, steps=0)["attention"]) < 1 / 3


def test_the_distance_often_falls_after_43_positions_but_grows_on_the_whole():
    rows = encode(range(5001), 512)
    apart = np.linalg.norm(rows - rows[0], axis=1)
    steps = np.diff(apart)
    assert (steps[:43] > 0).all() and (steps[43:] < 0).mean() > 0.25
    means = apart[1:].reshape(5, 1000).mean(axis=1)
    assert (np.diff(means) > 0).all()


def test_dropout_keeps_the_mean_and_changes_a_third_of_the_length():
    """Test that dropout changes a vector by a share p / (1 - p) of its squared length."""
    name_after_dropout = functions(DEEPER, np=np, encode=encode)["name_after_dropout"]
    word, place, alone = name_after_dropout(64, 0, 0)
    assert (word, alone) == (1, 1) and place < 0.6
    rows = encode(range(100), 512)
    keep = np.random.default_rng(0).random((200, 100, 512)) >= 0.1
    change = np.linalg.norm(rows * keep / 0.9 - rows, axis=-1)
    assert change.mean() / 16 == pytest.approx(math.sqrt(0.1 / 0.9), abs=0.002)
