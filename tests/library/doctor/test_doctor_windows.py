"""Test the index of a window, tables of biases for its offsets, and Swin V2's coordinates."""

from itertools import product
from math import log2

import numpy as np
import pytest

from pe_lib.doctor import examine, identify


def build_index(sizes, factors=None):
    """Return the index of a window's offsets, patch by patch. An axis has a factor and a size."""
    factors = factors or [int(np.prod([2 * n - 1 for n in sizes[a + 1 :]]))
                          for a in range(len(sizes))]  # fmt: skip
    patches = [*product(*map(range, sizes))]
    return np.array([[sum((p - q + n - 1) * factor for p, q, n, factor
                          in zip(one, other, sizes, factors, strict=True))
                      for other in patches] for one in patches])  # fmt: skip


@pytest.mark.parametrize("sizes", [(2, 4, 4), (3, 5, 5), (8, 3, 3), (2, 7, 7)])
def test_the_index_of_a_window_on_three_axes_is_known(sizes):
    index = build_index(sizes)
    window = " × ".join(map(str, sizes))
    for d in (identify(index), examine({"relative_position_index": index}).entries[0].diagnosis):
        assert (d.scheme, d.sure, d.problems) == ("index", True, []) and window in str(d), str(d)


def test_an_index_with_shared_or_negative_numbers_is_named():
    shared = build_index((3, 5, 5), (14, 9, 1))  # 3 · 5 - 1 in place of 9 · 9
    negative = build_index((4, 3), (7, 1)) - 10
    for index, problem in ((shared, "index_shared"), (negative, "index_moved")):
        for report in (identify(index), examine({"relative_position_index": index})):
            assert report.problems == [problem], str(report)


def test_other_matrices_of_integers_are_no_wrong_index():
    rng = np.random.default_rng(0)
    offsets = np.subtract.outer(np.arange(36), np.arange(36))
    grid = np.array([*product(range(6), range(6))])
    apart = np.abs(grid[:, None] - grid)
    for x in (offsets, offsets + 35, apart.sum(axis=2), rng.integers(0, 121, (36, 36)),
              rng.permutation(144).reshape(12, 12)):  # fmt: skip
        assert not {*identify(x).problems} & {"index_shared", "index_moved"}
    distances = apart[..., 0] * 6 + apart[..., 1]  # LeViT's index
    assert examine({"relative_position_index": distances}).problems == []


def make_coordinates(window, trained=None, log=True, form="f4"):
    """Return Swin V2's table of coordinates for a window, entry by entry."""
    size = 2 * window - 1
    table = np.zeros((1, size, size, 2))
    for i, j, axis in np.ndindex(size, size, 2):
        share = ((i, j)[axis] - window + 1) / ((trained or window) - 1)
        logarithm = np.sign(share) * log2(8 * abs(share) + 1) / 3
        table[0, i, j, axis] = logarithm if log else share
    return table.astype(form)


@pytest.mark.parametrize("sizes", [(7, None), (8, None), (16, 8), (12, 16), (4, None)])
def test_coordinates_are_known(sizes):
    for log, form in ((True, "f4"), (False, "f4"), (True, "f2")):
        table = make_coordinates(*sizes, log, form)
        for x in (table, table[0]):
            report = examine({"relative_coords_table": x})
            assert report.status == "healthy" and identify(x).scheme == "coordinates", str(report)
        assert ("logarithms" if log else "evenly") in str(identify(table))


def test_coordinates_are_no_learned_table():
    wrong = make_coordinates(8) ** 3
    assert examine({"x.relative_coords_table": wrong}).problems == []
    assert identify(wrong).scheme != "coordinates"


# Tables and indices beside a configuration

SWIN = {"model_type": "swin", "image_size": 224, "patch_size": 4, "window_size": 7, "embed_dim": 96,
        "depths": [2, 2, 6, 2], "num_heads": [3, 6, 12, 24], "hidden_size": 768}  # fmt: skip
BEIT = {"model_type": "beit", "image_size": [64, 96], "patch_size": 16, "num_hidden_layers": 2,
        "use_relative_position_bias": True}  # fmt: skip
CLAP = {"model_type": "clap", "text_config": {"model_type": "clap_text_model"},
        "audio_config": {"model_type": "clap_audio_model"}}  # fmt: skip
STAGES = ((2, 3), (2, 6), (6, 12), (2, 24))  # the layers and heads of each stage of Swin
TABLE = "attention.self.relative_position_bias_table"


def count_offsets(rows, columns):
    """Return how many different offsets occur between a query's and a key's patch."""
    patches = [*product(range(rows), range(columns))]
    return len({(r - s, c - k) for r, c in patches for s, k in patches})


def make_biases(rows, heads):
    return np.random.default_rng(rows + heads).normal(0, 0.5, (rows, heads)).astype("f4")


def test_the_biases_of_each_stage_fit_the_configuration():
    count = count_offsets(7, 7)
    tensors = {f"encoder.layers.{stage}.blocks.{i}.{TABLE}": make_biases(count, heads)
               for stage, (depth, heads) in enumerate(STAGES) for i in range(depth)}  # fmt: skip
    tensors["encoder.layers.3.blocks.1.attention.self.relative_position_index"] = build_index(
        (7, 7)
    )
    report = examine(tensors, SWIN)
    assert report.status == "healthy" and report.problems == [], str(report)
    for stage, (depth, _) in enumerate(STAGES):
        assert f"fits the {depth} chunked layers of stage {stage}" in str(report)


@pytest.mark.parametrize(
    ("rows", "heads", "problems", "words"),
    [
        (count_offsets(12, 12), 6, ["offset_count_differs"], "7 × 7 patches, with 169 offsets"),
        (count_offsets(7, 7) + 3, 6, ["offset_count_differs"], "There are 172 rows"),
        (count_offsets(7, 7), 3, ["bucket_heads_differ"], "3 heads, but the configuration has 6"),
        (count_offsets(7, 7), 12, ["bucket_heads_differ"], "12 heads"),
        (count_offsets(8, 8), 8, ["offset_count_differs", "bucket_heads_differ"], "225 rows"),
        (6, count_offsets(7, 7), ["table_transposed"], "169 rows of 6"),
    ],
)
def test_the_biases_of_another_window_or_stage_are_named(rows, heads, problems, words):
    report = examine({f"encoder.layers.1.blocks.0.{TABLE}": make_biases(rows, heads)}, SWIN)
    assert report.problems == problems and words in str(report), str(report)


def test_biases_without_the_number_of_a_stage_fit_any_stage():
    for heads, problems in ((12, []), (24, []), (8, ["bucket_heads_differ"])):
        report = examine({TABLE: make_biases(count_offsets(7, 7), heads)}, SWIN)
        assert report.problems == problems and ("3 or 6 or 12 or 24" in str(report)) == (heads == 8)


def add_class_token(index):
    """Return an index with BEiT's numbers for a class token before the patches."""
    index = np.pad(index, ((1, 0), (1, 0)))
    index[0], index[:, 0], index[0, 0] = (index.max() + k for k in (1, 2, 3))
    return index


INDICES = {
    "its window": (build_index((7, 7)), SWIN, True),
    "its window as a list": (build_index((7, 7)).reshape(-1), SWIN, True),
    "a larger window": (build_index((8, 8)), SWIN, False),
    "a window on three axes": (build_index((2, 7, 7)), SWIN, False),
    "a class token": (add_class_token(build_index((7, 7))), SWIN, False),
    "BEiT's": (add_class_token(build_index((4, 6))), BEIT, True),
    "BEiT's on its side": (add_class_token(build_index((6, 4))), BEIT, False),
    "BEiT's without its class token": (build_index((4, 6)), BEIT, False),
}


@pytest.mark.parametrize("name", INDICES)
def test_an_index_is_compared_with_the_configured_window(name):
    index, config, fits = INDICES[name]
    report = examine({"relative_position_index": index}, config)
    assert report.problems == ([] if fits else ["index_window_differs"]), str(report)
    assert (report.status == "healthy") == fits
    assert examine({"relative_position_index": index}).problems == []


def test_the_biases_of_other_towers_are_compared():
    beit = f"encoder.layer.1.attention.{TABLE}"
    clap = f"audio_model.audio_encoder.layers.2.blocks.5.{TABLE}"
    for name, rows, heads, config in ((beit, count_offsets(4, 6) + 3, 12, BEIT),
                                      (clap, count_offsets(8, 8), 16, CLAP)):  # fmt: skip
        report = examine({name: make_biases(rows, heads)}, config)
        assert report.status == "healthy" and "fits" in str(report), str(report)
        report = examine({name: make_biases(rows - 3, heads)}, config)
        assert report.problems == ["offset_count_differs"], str(report)


def test_a_table_of_positions_is_not_compared_with_biases():
    tables = {"position_embeddings.weight": make_biases(512, 6),
              "backbone.pos_embed": make_biases(50, 3)}  # fmt: skip
    for name, table in tables.items():
        assert examine({name: table}, SWIN).problems == []
    assert examine({"table": lambda: make_biases(512, 6)}, SWIN).problems == [
        "offset_count_differs"
    ]
