"""Test that tables of sinusoids are compared with configurations of models that add them.

Each table is computed entry by entry, as the models' own programs describe it.
"""

from math import cos, sin

import numpy as np
import pytest

from pe_lib.doctor import examine, identify

WIDTH = 32
SIZES = {"d_model": WIDTH, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
         "decoder_attention_heads": 4}  # fmt: skip
XLM = {"model_type": "xlm", "emb_dim": WIDTH, "n_heads": 4, "n_layers": 2,
       "max_position_embeddings": 64, "sinusoidal_embeddings": True}  # fmt: skip
MAE = {"model_type": "vit_mae", "hidden_size": WIDTH, "num_attention_heads": 4,
       "num_hidden_layers": 2, "image_size": 56, "patch_size": 8, "decoder_hidden_size": 16,
       "decoder_num_attention_heads": 2, "decoder_num_hidden_layers": 1}  # fmt: skip
VIDEO = {**MAE, "model_type": "videomae", "num_frames": 4, "tubelet_size": 2}


def write_halves(rows, base=1e4, shorter=False, first=0, padding=None):
    """Return sinusoids with all sines first, whose exponent may be fairseq's i/(d/2-1)."""
    n, table = WIDTH // 2, np.zeros((rows, WIDTH), np.float32)
    for t in range(rows):
        for i in range(n):
            angle = (t + first) / base ** (i / (n - 1) if shorter else i / n)
            table[t, i], table[t, n + i] = sin(angle), cos(angle)
    if padding is not None:
        table[padding] = 0
    return table


def write_pairs(rows, base=1e4, width=WIDTH):
    """Return sinusoids with a sine and its cosine side by side, as XLM writes them."""
    table = np.zeros((rows, width), np.float32)
    for t in range(rows):
        for j in range(width):
            angle = t / base ** (2 * (j // 2) / width)
            table[t, j] = cos(angle) if j % 2 else sin(angle)
    return table


def write_grid(side, base=1e4, width=WIDTH, columns_first=True, pairs=False):
    """Return ViTMAE's sinusoids: a class row of zeros, then each patch's column and row."""
    n = width // 4
    table = np.zeros((side * side + 1, width), np.float32)
    for k in range(side * side):
        row, column = divmod(k, side)
        for half, t in enumerate((column, row) if columns_first else (row, column)):
            for i in range(n):
                angle, begin = t / base ** (i / n), half * 2 * n
                at, step = (begin + 2 * i, 1) if pairs else (begin + i, n)
                table[k + 1, at], table[k + 1, at + step] = sin(angle), cos(angle)
    return table


@pytest.mark.parametrize(
    ("kind", "shorter", "offset"),
    [("marian", False, 0), ("pegasus", False, 0), ("m2m_100", True, 2), ("nllb-moe", True, 2),
     ("fsmt", True, 2), ("speech_to_text", True, 2)],
)  # fmt: skip
def test_sinusoids_of_an_encoder_are_compared(kind, shorter, offset):
    lengths = ("max_position_embeddings", "max_source_positions", "max_target_positions")
    config = {"model_type": kind, **SIZES, **dict.fromkeys(lengths, 120)}
    if kind != "speech_to_text":
        config = {key: value for key, value in config.items() if key not in lengths[1:]}
    padding, rows = 1 if offset else None, 120 + offset
    right = write_halves(rows, shorter=shorter, padding=padding)
    tables = {
        "": right,
        "base_differs": write_halves(rows, 1000.0, shorter, padding=padding),
        "exponent_differs": write_halves(rows, shorter=not shorter, padding=padding),
        "first_position": write_halves(rows, shorter=shorter, first=2),
        "length_differs": right[:60],
        "columns_differ": np.roll(right, WIDTH // 2, axis=1),
    }
    for problem, table in tables.items():
        report = examine({"model.encoder.embed_positions.weights": table}, config)
        assert report.problems == ([problem] if problem else []), f"{kind} {problem}: {report}"
        assert report.status == ("found" if problem else "healthy")


def test_a_table_that_began_as_sinusoids_may_have_been_trained():
    rng = np.random.default_rng(0)
    drift = np.cumsum(rng.normal(0, 0.003, (64, WIDTH)), axis=0)
    tables = {
        "": [write_pairs(64), write_pairs(64).astype(np.float16), write_pairs(64) + drift],
        "base_differs": [write_pairs(64, 1000.0)],
        "columns_differ": [write_halves(64)],
        "length_differs": [write_pairs(40)],
        "table_width_differs": [write_pairs(64, width=16)],
        "all_zero": [np.zeros((64, WIDTH))],
    }
    for problem, candidates in tables.items():
        for table in candidates:
            report = examine({"position_embeddings.weight": table.astype(np.float32)}, XLM)
            assert report.problems == ([problem] if problem else []), f"{problem}: {report}"
    assert "If the table was trained further" in str(
        examine({"position_embeddings.weight": write_pairs(64) + drift}, XLM)
    )


def test_a_learned_table_may_hold_sinusoids_of_any_kind():
    config = {**XLM, "sinusoidal_embeddings": False}
    for table in (write_pairs(64), write_halves(64, 500.0), write_halves(64, shorter=True)):
        assert examine({"position_embeddings.weight": table}, config).status == "healthy"
    report = examine({"position_embeddings.weight": write_pairs(40)}, config)
    assert report.problems == ["length_differs"]


def test_a_masked_autoencoder_encodes_the_grid():
    name = "vit.embeddings.position_embeddings"
    right = write_grid(7)
    tables = {
        "": right,
        "base_differs": write_grid(7, 100.0),
        "grid_order": write_grid(7, columns_first=False),
        "columns_differ": write_grid(7, pairs=True),
        "grid_missing": write_pairs(50),
        "first_rows_missing": right[1:],
        "length_differs": write_grid(9),
        "all_zero": np.zeros_like(right),
    }
    for problem, table in tables.items():
        for shaped in (table, table[None]):
            report = examine({name: shaped}, MAE)
            assert report.problems == ([problem] if problem else []), f"{problem}: {report}"
    decoder = write_grid(7, width=16)
    report = examine({name: right, "decoder.decoder_pos_embed": decoder[None]}, MAE)
    assert report.status == "healthy" and "decoder" in str(report)


def test_an_autoencoder_of_videos_counts_the_patches_of_all_frames():
    name = "videomae.embeddings.position_embeddings"
    for problem, table in (
        ("", write_pairs(98)),
        ("length_differs", write_pairs(49)),
        ("base_differs", write_pairs(98, 500.0)),
    ):
        report = examine({name: table[None]}, VIDEO)
        assert report.problems == ([problem] if problem else []), f"{problem}: {report}"


def test_time_steps_of_diffusion_are_known_in_both_orders():
    """Test the float32 program of diffusers, which takes the power through a logarithm."""
    n, steps = 160, np.arange(981, 0, -20, dtype=np.float32)
    exponent = np.float32(-np.log(10000)) * np.arange(n, dtype=np.float32) / np.float32(n)
    angles = steps[:, None] * np.exp(exponent)
    parts = [np.sin(angles), np.cos(angles)]
    for order in (parts, parts[::-1]):
        d = identify(np.concatenate(order, axis=1))
        assert (d.scheme, d.base, d.sure, d.problems) == ("sinusoidal", 1e4, True, []), str(d)
        assert "981, then 961" in str(d)
