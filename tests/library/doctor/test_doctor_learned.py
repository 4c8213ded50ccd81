"""Test what the doctor says of learned tables: their shape, and rows that are not original."""

import json
import subprocess
import sys

import numpy as np
import pytest

from pe_lib.doctor import examine, identify
from pe_lib.doctor._formats import round_to

rng = np.random.default_rng(2027)
FORMS = ("float64", "float32", "float16", "bfloat16")


def smooth_table(rows, width, noise=0.0):
    """Return a table whose rows change slowly, as those of trained models do."""
    walk = np.cumsum(rng.normal(0, 0.1, (rows + 8, width)), axis=0)
    mean = np.stack([walk[k : k + 8].mean(axis=0) for k in range(rows)])
    return mean + rng.normal(0, noise, mean.shape)


def fading_table(rows, width):
    """Return a table that was trained less and less towards its end."""
    share = np.linspace(1, 0, rows)[:, None] ** 0.5
    return share * smooth_table(rows, width) + (1 - share) * rng.normal(0, 0.02, (rows, width))


def stretch(x, rows, rule):
    """Return x stretched to this many rows, by PyTorch's rules or with means put between rows."""
    new = np.zeros((rows, x.shape[1]))
    for k in range(rows):
        place = {
            "centres": (k + 0.5) * len(x) / rows - 0.5,
            "corners": k * (len(x) - 1) / (rows - 1),
            "between": k * len(x) / rows,
        }[rule]
        place = min(max(place, 0.0), len(x) - 1.0)
        left = min(int(place), len(x) - 2)
        new[k] = (1 - (place - left)) * x[left] + (place - left) * x[left + 1]
    return new


X = smooth_table(64, 48)
NOISE = rng.normal(0, 0.02, (64, 48))
HEALTHY = {
    "smooth": smooth_table(256, 48),
    "very smooth": np.cumsum(smooth_table(256, 48), axis=0),
    "smooth with noise": smooth_table(256, 48, 0.05),
    "random": rng.normal(0, 0.02, (256, 48)),
    "fading": fading_table(512, 96),
    "few rows": smooth_table(12, 32),
    "narrow": smooth_table(128, 6),
    "a few rows at the end": np.concatenate([smooth_table(128, 48), NOISE[:4]]),
    "an own row at the beginning": np.concatenate([NOISE[:1], smooth_table(196, 48)]),
    "turns slowly": np.sin(np.outer(np.arange(300), rng.uniform(0, 0.02, 48)) + np.arange(48) ** 2),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_tables_stay_healthy(name, form):
    x = round_to(HEALTHY[name], form)
    d = identify(x)
    assert d.problems == [], str(d)
    report = examine({"wpe.weight": x}, gpt2(*x.shape))
    assert report.healthy and "fits all 2 layers" in str(report), str(report)


def gpt2(rows, width):
    return {"model_type": "gpt2", "n_embd": width, "n_head": 1, "n_layer": 2, "n_positions": rows}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("factor", [2, 3, 4, 8])
@pytest.mark.parametrize("rule", ["centres", "corners", "between"])
def test_stretched_tables_are_named(rule, factor, form):
    # In bfloat16, rounding hides the lines between rows that are almost the same.
    for original in (NOISE,) if form == "bfloat16" else (X, NOISE):
        x = round_to(stretch(original, 64 * factor, rule), form)
        for d in (identify(x), examine({"wpe.weight": x}, gpt2(*x.shape)).entries[0].diagnosis):
            assert (d.problems, d.sure) == (["stretched"], False), str(d)
            assert f"from 64 to {64 * factor:,} rows" in str(d) and "Or: " in str(d), str(d)


@pytest.mark.parametrize("reserved", [1, 2])
def test_rows_before_the_positions_may_not_be_stretched(reserved):
    x = np.concatenate([NOISE[:reserved], stretch(X, 128, "centres")])
    assert identify(x).problems == ["stretched"]


def test_means_put_between_rows_may_end_with_the_last_row():
    x = np.zeros((127, 48))
    for k in range(127):
        x[k] = (X[k // 2] + X[(k + 1) // 2]) / 2
    assert identify(x.astype(np.float32)).problems == ["stretched"]


LAST = np.tile(X[-1], (40, 1))
INSERTED = np.concatenate([X[:30], X[29:]])
COPIED = {
    "again": (np.concatenate([X, X]), "repeats the 64 rows before"),
    "again and again": (np.concatenate([X, X, X, X[:9]]), "repeats the 64 rows before"),
    "again after own rows": (np.concatenate([NOISE[:2], X, X]), "repeats the 64 rows before"),
    "the last row again": (np.concatenate([X, LAST]), "All rows after it are this row, too."),
    "each row twice": (np.repeat(X, 2, axis=0), "each new row took its nearest one"),
    "each row three times": (np.repeat(X, 3, axis=0), "each new row took its nearest one"),
    "some rows twice": (X[np.arange(96) * 64 // 96], "each new row took its nearest one"),
    "one row twice": (INSERTED, "row 30, which is row 29 again. It stands there twice"),
    "three rows": (np.concatenate([X[:20], X[4:7], X[20:]]), "row 20, which is row 4 again."),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", COPIED)
def test_copied_rows_are_named_even_if_the_configuration_fits(name, form):
    x, words = COPIED[name]
    x = round_to(x, form)
    report = examine({"wpe.weight": x}, gpt2(*x.shape))
    for d in (identify(x), report.entries[0].diagnosis):
        assert (d.problems, d.sure) == (["same_rows_of_table"], False), str(d)
        assert words in str(d) and "Or: The rows may have been copied on purpose" in str(d), str(d)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [0.002, 0.02, 0.5])
@pytest.mark.parametrize("count", [16, 300])
def test_rows_that_were_never_trained_are_named(count, size, form):
    head, tail = smooth_table(200, 64), rng.normal(0, size, (count, 64))
    x = round_to(np.concatenate([head, tail]), form)
    for d in (identify(x), examine({"wpe.weight": x}, gpt2(*x.shape)).entries[0].diagnosis):
        assert (d.problems, d.sure) == (["untrained"], False), str(d)
        assert f"The last {count} rows, from row 200 on, look untrained" in str(d), str(d)


# --- The shape that a configuration asks for ---

SIZES = {"hidden_size": 64, "num_attention_heads": 2, "num_hidden_layers": 2,
         "max_position_embeddings": 40}  # fmt: skip
BART = {"d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2,
        "decoder_attention_heads": 2, "max_position_embeddings": 40}  # fmt: skip
# For each model, the name of its table and the shape that its class gives the table.
SHAPES = {
    "bert": ("embeddings.position_embeddings.weight", SIZES, (40, 64)),
    "roberta": ("embeddings.position_embeddings.weight", SIZES, (40, 64)),
    "xlm-roberta": ("embeddings.position_embeddings.weight", {**SIZES, "pad_token_id": 4},
                    (40, 64)),
    "albert": ("embeddings.position_embeddings.weight", {**SIZES, "embedding_size": 16}, (40, 16)),
    "electra": ("embeddings.position_embeddings.weight", SIZES, (40, 128)),
    "rembert": ("embeddings.position_embeddings.weight", {**SIZES, "input_embedding_size": 8},
                (40, 8)),
    "mobilebert": ("embeddings.position_embeddings.weight", {**SIZES, "embedding_size": 16},
                   (40, 64)),
    "distilbert": ("embeddings.position_embeddings.weight",
                   {"dim": 64, "n_heads": 2, "n_layers": 2, "max_position_embeddings": 40},
                   (40, 64)),
    "opt": ("model.decoder.embed_positions.weight", {**SIZES, "word_embed_proj_dim": 16},
            (42, 64)),
    "biogpt": ("embed_positions.weight", SIZES, (42, 64)),
    "bart": ("decoder.embed_positions.weight", BART, (42, 64)),
    "blenderbot": ("encoder.embed_positions.weight", BART, (40, 64)),
    "gpt2": ("wpe.weight", {"n_embd": 64, "n_head": 2, "n_layer": 2, "n_positions": 40}, (40, 64)),
    "gpt_bigcode": ("wpe.weight", {"n_embd": 64, "n_head": 2, "n_layer": 2, "n_positions": 40},
                    (40, 64)),
    "clip_text_model": ("embeddings.position_embedding.weight", SIZES, (40, 64)),
    "vit": ("embeddings.position_embeddings",
            {**SIZES, "image_size": 96, "patch_size": 16}, (37, 64)),
}  # fmt: skip


def examine_table(kind, shape):
    name, sizes, _ = SHAPES[kind]
    table = rng.normal(0, 0.02, shape).astype(np.float32)
    return examine({name: table}, {"model_type": kind, **sizes})


@pytest.mark.parametrize("kind", SHAPES)
def test_a_table_has_the_rows_and_columns_that_the_model_needs(kind):
    rows, width = SHAPES[kind][2]
    report = examine_table(kind, (rows, width))
    assert report.status == "healthy", str(report)
    assert examine_table(kind, (rows - 1, width)).problems == ["length_differs"]
    assert examine_table(kind, (rows + 1, width)).problems == ["length_differs"]
    assert examine_table(kind, (rows, width + 4)).problems == ["table_width_differs"]
    assert examine_table(kind, (width, rows)).problems == ["table_transposed"]
    both = {"length_differs", "table_width_differs"}
    assert {*examine_table(kind, (rows + 9, width + 4)).problems} == both


@pytest.mark.parametrize("kind", ["roberta", "xlm-roberta", "opt", "biogpt", "bart"])
def test_a_table_without_its_first_rows_is_named(kind):
    _, sizes, (rows, width) = SHAPES[kind]
    first = {"roberta": 2, "xlm-roberta": 5}.get(kind, 2)
    report = examine_table(kind, (rows - first, width))
    assert report.problems == ["first_rows_missing"], str(report)
    assert f"There are {rows - first} rows, but the model needs {rows}" in str(report)
    # llama.cpp leaves these rows out.
    table = rng.normal(0, 0.02, (rows - first, width)).astype(np.float32)
    assert examine({"position_embd.weight": table}, {"model_type": kind, **sizes}).healthy


T5 = {"model_type": "t5", "d_model": 64, "d_kv": 16, "num_heads": 8, "num_layers": 2,
      "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128}  # fmt: skip


@pytest.mark.parametrize("part", ["encoder", "decoder"])
def test_the_table_of_buckets_has_the_configured_shape(part):
    name = f"{part}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    problems = {(32, 8): [], (32, 12): ["bucket_heads_differ"], (64, 8): ["bucket_count_differs"],
                (8, 32): ["table_transposed"]}  # fmt: skip
    for shape, expected in problems.items():
        for x in (rng.normal(0, 3, shape), np.cumsum(rng.normal(0, 0.3, shape), axis=0)):
            report = examine({name: x.astype(np.float32)}, T5)
            assert report.problems == expected, str(report)
    # A bucket that no text uses may equal another.
    x = rng.normal(0, 3, (32, 8))
    x[16] = x[0]
    assert examine({name: x}, T5).healthy


def test_a_table_of_buckets_is_known_by_its_shape_alone():
    report = examine({"bias": rng.normal(0, 3, (32, 8))}, T5)
    assert report.problems == [], str(report)


def test_equal_rows_before_the_first_position_are_healthy():
    name, sizes, (rows, width) = SHAPES["opt"]
    x = rng.normal(0, 0.02, (rows, width))
    x[1] = x[0]
    assert examine({name: x}, {"model_type": "opt", **sizes}).healthy


# --- Damage that the numbers of a table show ---


def test_codes_memory_and_single_long_rows_are_named():
    table = np.cumsum(np.random.default_rng(3).normal(size=(256, 64)), axis=0) / 16
    codes = np.round(table / np.abs(table).max() * 127)
    assert "codes" in identify(codes).problems
    assert "codes" not in identify(np.abs(codes)).problems  # counts of something
    memory = np.random.default_rng(4).uniform(-38, 38, (256, 64))
    assert identify((10**memory).astype("f4")).problems == ["never_filled"]
    long = table.copy()
    long[100] *= 100
    d = identify(long)
    assert d.problems == ["row_too_long"] and "first of them row 100," in str(d), str(d)
    first = table.copy()
    first[0] *= 100  # many models attend to the first token without looking for anything
    assert identify(first).problems == [] and identify(table).problems == []


def test_a_long_table_in_a_file_is_compared_by_its_own_length(tmp_path):
    table = np.random.default_rng(5).normal(0, 0.02, (16384, 1024)).astype("f2")
    np.savez(tmp_path / "model.npz", **{"wpe.weight": table})
    config = {"model_type": "gpt2", "n_embd": 1024, "n_layer": 2, "n_head": 8}
    for length, problems in ((16384, []), (8192, ["length_differs"])):
        settings = tmp_path / f"{length}.json"
        settings.write_text(json.dumps({**config, "n_positions": length}), "utf-8")
        command = [sys.executable, "-m", "pe_lib.doctor", tmp_path / "model.npz", "--json",
                   "--against", settings]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert f'"problems": {json.dumps(problems)}' in done.stdout, done.stdout
        assert "Only the first 8,192 of 16,384 rows were read." in done.stdout


def test_columns_of_zeros_are_named():
    rng = np.random.default_rng(8)
    smooth = np.cumsum(rng.normal(0, 0.02, (512, 64)), axis=0)
    for first, last, problems in ((32, 64, ["zero_columns"]), (0, 8, ["zero_columns"]),
                                  (60, 63, []), (5, 6, [])):  # fmt: skip
        x = smooth.copy()
        x[:, first:last] = 0
        d = identify(x)
        assert d.problems == problems, str(d)
        assert not problems or f"Columns {first} to {last - 1} of 64 are zero" in str(d)
    angles = np.outer(np.arange(512), 1e4 ** -(np.arange(32) / 32))
    for keep in (32, 48):
        cos, sin = (np.tile(f(angles), 2) for f in (np.cos, np.sin))
        cos[:, keep:] = sin[:, keep:] = 0
        d = identify(cos, sin)
        assert "zero_columns" in d.problems and not d.sure, str(d)
    # Columns that do not turn have cosines of 1.
    angles[:, 20:] = 0
    assert identify(np.cos(angles), np.sin(angles)).problems == []
