"""Test that masks of encoders, which read a text on both sides, are compared with their models."""

import numpy as np
import pytest

from pe_lib.doctor import examine

TOKENS, SIDE = 96, 16
MODERN = {
    "model_type": "modernbert",
    "local_attention": 2 * SIDE,
    "global_attn_every_n_layers": 3,
    "num_hidden_layers": 6,
    "hidden_size": 64,
    "num_attention_heads": 4,
}
BERT = {
    "model_type": "bert",
    "num_hidden_layers": 2,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "max_position_embeddings": 512,
}


def build_mask(is_seen):
    """Return an additive mask (1, 1, T, T), by a naive loop over queries and keys."""
    mask = np.full((1, 1, TOKENS, TOKENS), np.finfo(np.float32).min, np.float32)
    for t in range(TOKENS):
        for s in range(TOKENS):
            if is_seen(t, s):
                mask[0, 0, t, s] = 0
    return mask


@pytest.mark.parametrize(
    ("is_seen", "problem"),
    [
        (lambda t, s: abs(t - s) <= SIDE, None),
        (lambda t, s: abs(t - s) < SIDE, "band_differs"),
        (lambda t, s: abs(t - s) <= 2 * SIDE, "band_differs"),
        (lambda t, s: 0 <= t - s <= SIDE, "mask_causal"),
        (lambda t, s: s <= t, "mask_causal"),
    ],
)
def test_the_local_mask_of_an_encoder(is_seen, problem):
    report = examine({"attention_mask": build_mask(is_seen)}, MODERN)
    assert report.problems == ([problem] if problem else []), str(report)
    if problem == "band_differs":
        assert f"the configuration says {SIDE}" in str(report)


def test_a_causal_mask_is_wrong_for_bert_but_not_for_a_decoder():
    mask = build_mask(lambda t, s: s <= t)
    report = examine({"attention_mask": mask}, BERT)
    assert report.problems == ["mask_causal"] and "used as a decoder" in str(report)
    assert not examine({"attention_mask": mask}, BERT | {"is_decoder": True}).problems


def test_the_masks_of_a_model_with_encoder_and_decoder_are_both_right():
    both = {"model_type": "bart", "d_model": 64, "encoder_attention_heads": 4,
            "decoder_attention_heads": 4, "encoder_layers": 2, "decoder_layers": 2,
            "max_position_embeddings": 512}  # fmt: skip
    for is_seen in (lambda t, s: s <= t, lambda t, s: s < TOKENS - 5):
        assert not examine({"attention_mask": build_mask(is_seen)}, both).problems


@pytest.mark.parametrize(
    ("is_seen", "problem"),
    [
        (lambda t, s: s <= t, None),
        (lambda t, s: t - 6 < s <= t, None),
        (lambda t, s: s < t, "mask_strict"),
        (lambda t, s: s <= t + 1, "mask_ahead"),
    ],
)
def test_a_square_attention_mask_is_one_of_queries_and_keys(is_seen, problem):
    x = np.array([[is_seen(t, s) for s in range(40)] for t in range(40)])
    report = examine({"attention_mask": x})
    assert report.problems == ([problem] if problem else []), str(report)
    assert "texts, each has" not in str(report)


def test_a_square_batch_of_padded_texts_remains_one():
    rng = np.random.default_rng(5)
    for lengths in (rng.integers(1, 25, 24), np.full(24, 24) - (np.arange(24) == 7) * 5):
        x = np.array([[int(s < length) for s in range(24)] for length in lengths])
        report = examine({"attention_mask": x})
        assert not report.problems and "texts" in str(report), str(report)
