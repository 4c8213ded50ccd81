"""Test position ids: padding, restarts, several axes, and tables that do not begin at row 0."""

import numpy as np
import pytest

from pe_lib.doctor import examine, identify

ROBERTA = {"model_type": "roberta", "hidden_size": 768, "num_attention_heads": 12,
           "num_hidden_layers": 12, "max_position_embeddings": 514}  # fmt: skip
BERT = {**ROBERTA, "model_type": "bert", "max_position_embeddings": 512}
OPT = {"model_type": "opt", "hidden_size": 64, "num_attention_heads": 2,
       "num_hidden_layers": 2, "max_position_embeddings": 2048}  # fmt: skip
GPT2 = {"model_type": "gpt2", "n_embd": 64, "n_head": 2, "n_layer": 2, "n_positions": 1024}
LLAMA = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 2,
         "num_hidden_layers": 2}  # fmt: skip


def text(first, count, pad=None, pads=0):
    return [pad] * pads + [*range(first, first + count)]


COUNTED = np.array([text(0, 32), text(0, 32)])
# For each kind of ids: the array, its first position, and words that describe it.
KINDS = {
    "one text": (np.array([text(0, 40)]), 0, "The row has ids 0–39."),
    "two alike": (COUNTED, 0, "All 2 rows have ids 0–31."),
    "padding on the left": (np.array([text(0, 20, 1, 12), text(0, 32)]), 0,
                            "Row 0 has ids 1 (12 times), then 0–19."),
    "one token of padding": (np.array([text(0, 31, 1, 1), text(0, 32)]), 0, "with padding: 1"),
    "padding with zeros": (np.array([text(0, 20, 0, 12), text(0, 32)]), 0, "up to 12 tokens"),
    "packed": (np.array([[*text(0, 20), *text(0, 12)]]), 0, "ids 0–19, then 0–11."),
    "a shard": (np.array([[*text(0, 8), *text(56, 8)]]), 0, "ids 0–7, then 56–63."),
    "later tokens": (np.array([text(57, 9)]), 57, "ids 57–65."),
    "M-RoPE": (np.stack([[text(0, 9) + [9] * 12 + text(13, 5)], [text(0, 9) + [9] * 4 + [10] * 4 +
               [11] * 4 + text(13, 5)], [text(0, 9) + [9, 10, 11, 12] * 3 + text(13, 5)]]), 0,
               "ids for 3 axes"),
    "three padded texts": (np.array([text(0, 40), text(0, 33, 1, 7), text(0, 21, 1, 19)]), 0,
                           "with padding: 2"),
    "padding on the right": (np.array([text(0, 30), text(0, 24) + [1] * 6]), 0, "then 1 (6 times)"),
    "padding that goes on": (np.array([text(0, 30), text(0, 24) + [23] * 6]), 0, "0–23"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_ids_are_described(kind):
    ids, first, words = KINDS[kind]
    given = examine({"position_ids": ids}).entries[0].diagnosis
    for d, sure in ((identify(ids), False), (given, True)):
        assert (d.scheme, d.sure, d.problems) == ("ids", sure, []), str(d)
        assert d.first_position == first and words in str(d), str(d)
    assert examine({"position_ids": ids}).healthy


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float32])
def test_ids_begin_where_the_table_begins(dtype):
    for config, first, problems in (
        (ROBERTA, 0, ["ids_begin"]), (ROBERTA, 2, []), (BERT, 0, []), (GPT2, 0, []),
        (OPT, 0, []), (LLAMA, 0, []), (LLAMA, 57, []),
    ):  # fmt: skip
        for ids in (COUNTED + first, np.array([text(first, 20, 1, 12), text(first, 32)])):
            report = examine({"position_ids": ids.astype(dtype)}, config)
            assert report.problems == problems, str(report)
            assert problems or "fits" in str(report)
    report = examine({"position_ids": COUNTED.astype(dtype)}, ROBERTA)
    assert "begin at 0, but they must begin at 2" in str(report)


def test_an_encoder_reads_its_first_token_at_its_first_row():
    for config, first, problems in (
        (BERT, 2, ["ids_late"]), (BERT, 1, ["ids_late"]), (BERT, 40, []),
        (ROBERTA, 3, ["ids_late"]), (GPT2, 2, []), (OPT, 1, []),
    ):  # fmt: skip
        report = examine({"position_ids": COUNTED + first}, config)
        assert report.problems == problems, str(report)


def test_ids_end_where_the_table_ends():
    for config, last in ((ROBERTA, 513), (BERT, 511), (GPT2, 1023)):
        first = 2 if config is ROBERTA else 0
        assert examine({"position_ids": np.arange(first, last + 1)[None]}, config).healthy
        report = examine({"position_ids": np.arange(first, last + 2)[None]}, config)
        assert report.problems == ["ids_beyond"] and f"at row {last:,}" in str(report)


def test_ids_in_a_model_are_no_input():
    """Test a buffer that old checkpoints of RoBERTa hold, which counts from 0 and is not used."""
    tensors = {"roberta.embeddings.position_ids": np.arange(514)[None]}
    assert examine(tensors, ROBERTA).problems == []


LONG = np.arange(3000)
# For each mistake in ids: the array and the name of the problem.
MISTAKES = {
    "a position twice": (np.array([[*range(100), *range(99, 255)]]), "ids_repeated"),
    "twice in a padded text": (np.array([[1] * 9 + [*range(40)] + [*range(39, 90)],
                                         text(0, 100)]), "ids_repeated"),
    "a position skipped": (np.array([[*range(100), *range(101, 256)]]), "ids_skipped"),
    "float16": (LONG.astype(np.float16)[None], "half_precision_positions"),
    "float16, as integers": (LONG.astype(np.float16).astype(int)[None], "half_precision_positions"),
    "bfloat16": (np.array([[round(k / 2) * 2 if k > 256 else k for k in range(500)]]),
                 "half_precision_positions"),
    "int8": (np.arange(200).astype(np.int8)[None], "ids_overflow"),
    "int16": (np.arange(32700, 32900).astype(np.int16)[None], "ids_overflow"),
    "int8, as int64": (np.arange(200).astype(np.int8).astype(int)[None], "ids_overflow"),
    "uint8": (np.arange(300).astype(np.uint8)[None], "ids_overflow"),
    "descending": (np.arange(40)[::-1][None], "ids_descending"),
    "zeros": (np.zeros((2, 40), int), "ids_constant"),
    "ones": (np.ones((1, 40)), "ids_constant"),
    "negative padding": (np.array([text(0, 26, -1, 4), text(0, 30)]), "ids_negative"),
}  # fmt: skip


@pytest.mark.parametrize("kind", MISTAKES)
def test_mistakes_in_ids_are_named(kind):
    ids, problem = MISTAKES[kind]
    report = examine({"position_ids": ids})
    assert report.problems == [problem], str(report)
    certain = problem in ("half_precision_positions", "ids_overflow")
    assert certain != ("Or:" in str(report)), str(report)


def test_ids_of_packed_texts_of_256_tokens_do_not_overflow():
    ids = np.array([[*range(256), *range(256), *range(40)]])
    assert examine({"position_ids": ids}).healthy
    assert examine({"position_ids": ids.astype(np.uint8)}).problems == ["ids_overflow"]


def test_the_places_of_patches_are_no_rows_of_ids():
    grid = np.array([(r, c) for r in range(6) for c in range(5)])
    assert not {*examine({"pos_ids": grid}).problems} & {"ids_constant", "ids_descending"}


def test_other_integers_are_no_ids():
    rng = np.random.default_rng(0)
    for x in (rng.integers(0, 9, (20, 8)), np.eye(12, dtype=int), np.tri(9, dtype=int),
              rng.integers(0, 50_000, (2, 40)), np.zeros((4, 9), int)):  # fmt: skip
        assert identify(x).scheme != "ids"


TABLES = {"bert": (BERT, 512), "roberta": (ROBERTA, 514), "gpt2": (GPT2, 1024)}


@pytest.mark.parametrize("kind", TABLES)
def test_ids_in_a_buffer_count_up_to_the_last_row_of_the_table(kind):
    config, rows = TABLES[kind]
    noise = np.random.default_rng(0).integers(-(2**60), 2**60, rows)
    for ids, problems in ((np.arange(rows), []), (np.arange(1, rows + 1), ["ids_beyond"]),
                          (np.arange(2 * rows), ["ids_beyond"]), (noise, ["ids_unordered"]),
                          (np.zeros(rows, int), ["ids_unordered"])):  # fmt: skip
        report = examine({"embeddings.position_ids": ids[None]}, config)
        assert report.problems == problems and report.healthy == (not problems), str(report)


def test_ids_of_an_image_tower_are_compared_with_no_text():
    clip = {"model_type": "clip", "text_config": {**BERT}, "vision_config": {"model_type": "x"}}
    ids = {"vision_model.embeddings.position_ids": np.arange(700)[None]}
    assert examine(ids, clip).problems == []


def round_to_bits(k, bits):
    """Round a whole number to so many binary digits, with ties to even."""
    step = 2 ** max(0, int(k).bit_length() - bits)
    return round(k / step) * step


@pytest.mark.parametrize("bits", [8, 11])
@pytest.mark.parametrize(("first", "count"), [(0, 6000), (3000, 800), (8000, 900)])
def test_ids_that_rose_in_half_precision_are_named_without_a_name(bits, first, count):
    row = np.array([round_to_bits(k, bits) for k in range(first, first + count)])
    for ids in (row, row[None], row[None].astype("f4"), np.stack([row, row])):
        d = identify(ids)
        assert d.scheme == "ids" and not d.sure, str(d)
        assert d.problems == ["half_precision_positions"] and "padding" not in str(d), str(d)
        assert examine({"position_ids": np.atleast_2d(ids)}).problems == d.problems


def test_a_row_that_counts_down_or_not_at_all_is_named_without_a_name():
    down = identify(np.arange(40)[::-1][None])
    assert down.problems == ["ids_descending"] and "39 down to 0" in str(down)
    for number in (0, 7):
        d = identify(np.full((1, 40), number))
        assert d.problems == ["ids_constant"] and not d.sure and "types of tokens" in str(d)
    ones = identify(np.ones((1, 40), int))  # most masks of one text
    assert ones.problems == [] and "a mask that hides no token" in str(ones)


def test_other_integers_in_a_row_are_no_wrong_frequencies():
    rng = np.random.default_rng(0)
    texts = [1] * 7 + [2] * 5 + [3] * 9 + [0] * 3  # the number of each token's text
    for row in (texts, rng.integers(0, 32_000, 40), rng.integers(-100, 100, 40)):
        for ids in (np.array(row), np.array([row])):
            d = identify(ids)
            assert (d.sure, d.problems) == (False, []), str(d)


def test_the_ids_of_one_decoding_step_are_read():
    for ids in ([[5]], [[5], [7]], [[0], [0], [0]]):
        report = examine({"position_ids": np.array(ids)}, GPT2)
        assert report.status == "healthy" and f"{ids[0][0]}" in str(report)
    assert examine({"position_ids": np.array([[5], [1024]])}, GPT2).problems == ["ids_beyond"]
    assert examine({"position_ids": np.array([[5], [-1]])}).problems == ["ids_negative"]


def test_a_gap_of_several_positions_is_named():
    for gap, problems in ((0, []), (1, ["ids_skipped"]), (4, ["ids_skipped"]), (60, [])):
        ids = np.array([[*range(130), *range(130 + gap, 256 + gap)]])
        for report in (identify(ids), identify(ids[0]), examine({"position_ids": ids})):
            assert report.problems == problems, str(report)
            assert ("no token has id 130" in str(report)) == bool(problems)
            assert ("the ids 130 to 189 are missing" in str(report)) == (gap == 60)


def test_several_long_gaps_are_parts_of_a_text_and_no_mistake():
    ids = np.array([[*range(40), *range(90, 130), *range(200, 240)]])
    report = examine({"position_ids": ids})
    assert not report.problems and "missing" not in str(report)


@pytest.mark.parametrize(
    ("starts", "problems"),
    [
        ([0, 1, 1], ["ids_later_texts"]),
        ([1, 0, 0, 0], ["ids_later_texts"]),
        ([0, 0, 0], []),
        ([1, 1, 1], []),
        ([5, 0, 0], []),  # the first text goes on from another row
        ([1, 0], []),
        ([0, 1, 0], []),
    ],
)
def test_packed_texts_begin_at_the_same_id(starts, problems):
    ids = np.array([[*(t for start in starts for t in range(start, start + 30))]])
    for report in (identify(ids), examine({"position_ids": ids})):
        assert report.problems == problems, str(report)


def test_one_column_of_integers_may_be_a_decoding_step():
    d = identify(np.array([[37], [52], [8], [120]]))
    assert (d.scheme, d.sure, d.problems) == ("ids", False, []) and "of 4 texts" in str(d)
    with pytest.raises(ValueError, match="shape"):
        identify(np.array([[0.3], [0.1]]))


def make_image_ids(parts):
    """Return ids (3, 1, T) of words, given by their number, and of images (rows, columns)."""
    ids, following = [], 0
    for part in parts:
        if isinstance(part, int):
            new = [(following + k,) * 3 for k in range(part)]
        else:
            rows, columns = part
            new = [
                (following, following + row, following + column)
                for row in range(rows)
                for column in range(columns)
            ]
        ids += new
        following = max(max(token) for token in new) + 1
    return np.array(ids).T[:, None]


IMAGES = {
    "an image": [9, (3, 4), 6],
    "a square": [9, (4, 4), 6],
    "an image at the end": [5, (6, 2)],
    "an image at the beginning": [(2, 5), 12],
    "images beside each other": [7, (3, 3), (4, 2), 5],
    "a single row": [7, (1, 6), 5],
    "a single column": [7, (6, 1), 5],
    "a single patch": [7, (1, 1), 5],
    "words alone": [20],
}


@pytest.mark.parametrize("kind", IMAGES)
def test_ids_of_images_are_healthy(kind):
    ids = make_image_ids(IMAGES[kind])
    others = make_image_ids([ids.shape[2]])  # in a batch of two texts
    for x in (ids, ids[:, 0], np.concatenate([ids, others], axis=1), ids.astype(np.float32)):
        report = examine({"position_ids": x})
        assert report.problems == [], str(report)


@pytest.mark.parametrize("kind", ["an image", "a square", "images beside each other"])
def test_exchanged_axes_of_an_image_are_named(kind):
    ids = make_image_ids(IMAGES[kind])[[0, 2, 1]]
    report = examine({"position_ids": ids})
    assert report.problems == ["image_exchanged"], str(report)
    if kind == "an image":
        assert "image in columns 9 to 20" in str(report)
        assert "counts 4 patches from left to right, and the third counts 3 rows" in str(report)


def test_text_after_an_image_that_counts_its_patches_is_named():
    ids = make_image_ids([9, (3, 4), 6])
    ids[:, :, 21:] += 8  # 12 patches in place of the largest id plus 1, which is 4 further
    report = examine({"position_ids": ids})
    assert report.problems == ["image_counted"], str(report)
    assert "goes on with id 21" in str(report) and "the next one is 13" in str(report)


def test_text_after_an_image_that_counts_it_as_one_token_is_named():
    ids = make_image_ids([9, (3, 4), 6])
    ids[:, :, 21:] -= 3
    report = examine({"position_ids": ids})
    assert report.problems == ["image_overlapped"], str(report)
    assert "goes on with id 10" in str(report) and "the next one is 13" in str(report)


@pytest.mark.parametrize(("axis", "name"), [(0, "first"), (1, "second"), (2, "third")])
def test_an_axis_that_stands_still_in_words_is_named(axis, name):
    ids = make_image_ids([9, (3, 4), 20])
    ids[axis, :, 21:] = 13
    report = examine({"position_ids": ids})
    assert report.problems == ["axis_stands"], str(report)
    assert f"the {name} axis stays at 13 from column 21 on, for 20 tokens" in str(report)


def test_padding_on_three_axes_is_healthy():
    ids = make_image_ids([9, (3, 4), 6])
    for side in ((0, 0), (0, 0), (5, 0)), ((0, 0), (0, 0), (0, 5)):
        report = examine({"position_ids": np.pad(ids, side, constant_values=1)})
        assert report.problems == [], str(report)
