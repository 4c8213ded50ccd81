"""Test that healthy models of transformers that were called ill are healthy, without torch.

Each case has the tensor's name and the formula of the model's class, written here again.
"""

import numpy as np
import pytest
from test_doctor_checkpoints import LLAMA, read_stored_config

from pe_lib.doctor import examine

rng = np.random.default_rng(2026)
TEXT = {**LLAMA, "head_dim": 128}


def space(base, width):
    """Return frequencies that are evenly spaced on a logarithmic scale, from 1 downwards."""
    return (base ** (-np.arange(0, width, 2) / width)).astype(np.float32)


def draw(*shape):
    """Draw a table of small random numbers, as a learned table begins."""
    return rng.normal(0, 0.02, shape).astype(np.float32)


def with_zero(x, row):
    x = np.array(x)
    x[row] = 0
    return x


def fairseq(rows, width, padding=1):
    """Return fairseq's sinusoids, with the row of the padding token zero."""
    half = width // 2
    angles = np.outer(np.arange(rows), np.exp(-np.log(1e4) / (half - 1) * np.arange(half)))
    return with_zero(np.concatenate([np.sin(angles), np.cos(angles)], 1), padding).astype("f4")


def offsets(length, width):
    """Return the sinusoids of a conformer, from offset length - 1 down to 1 - length."""
    angles = np.outer(np.arange(length - 1, -length, -1), 1e4 ** (-np.arange(0, width, 2) / width))
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(-1, width).astype("f4")


def patches(rows, columns, width):
    """Return the angles that Pixtral keeps as `inv_freq`: half of the pairs for each axis."""
    w = space(1e4, width)
    down, across = np.divmod(np.arange(rows * columns), columns)
    angles = np.concatenate([np.outer(down, w[::2]), np.outer(across, w[1::2])], axis=1)
    return np.tile(angles, 2).astype("f4")


ERNIE = space(5e5, 128)
SEEN = {"model_type": "audio_text", "text_config": TEXT, "audio_config": {"model_type": "other"}}
AUDIO = {"model_type": "llava", "text_config": TEXT, "vision_config": {"model_type": "other"}}
HEALTHY = {
    "glmasr": ("audio_tower.rotary_emb.inv_freq", space(1e4, 32), SEEN),
    "pe_audio": ("audio_encoder.rotary_emb.inv_freq", space(2e4, 128), SEEN),
    "musicflamingo": ("pos_emb.inv_freq", space(1200, 256), SEEN),
    "voxtral_realtime": ("audio_tower.encoder.rotary_emb.inv_freq", space(1e6, 64), SEEN),
    "vibevoice": ("acoustic_tokenizer.rotary_emb.inv_freq", space(1e4, 64), SEEN),
    "qwen2_5_omni": ("thinker.model.visual.rotary_pos_emb.inv_freq", space(1e4, 112),
                     {"model_type": "qwen2_5_omni", "thinker_config": AUDIO}),
    "grounding-dino": ("query_position_embeddings.weight", draw(900, 256),
                       {"model_type": "bert", "hidden_size": 64, "num_attention_heads": 2,
                        "num_hidden_layers": 2, "max_position_embeddings": 512}),
    "kosmos-2": ("text_model.model.embed_positions.weights", fairseq(300, 64), None),
    "altclip": ("roberta.embeddings.position_embeddings.weight", with_zero(draw(514, 64), 1),
                None),
    "prophetnet": ("encoder.position_embeddings.weight", with_zero(draw(512, 64), 0), None),
    "wav2vec2-conformer": ("encoder.embed_positions.pe", offsets(200, 64), None),
    "fastspeech2": ("encoder.pos_enc.pe", offsets(500, 32)[None], None),
    "mlcd": ("class_pos_emb", draw(1, 40), None),
    "edgetam": ("no_memory_positional_encoding", draw(1, 1, 256), None),
    "SAM": ("vision_encoder.pos_embed", draw(1, 16, 16, 32), None),
    "kimi_k25": ("patch_embed.pos_emb", draw(64, 64, 48), None),
    "pixtral": ("patch_positional_embedding.inv_freq", patches(16, 16, 64), None),
    "mistral_large4": ("patch_positional_embedding.inv_freq",
                       np.concatenate([space(1e4, 128)[0::2], space(1e4, 128)[1::2]]), None),
    "ernie4_5_vl_moe": ("language_model.rotary_emb.inv_freq",
                        np.concatenate([ERNIE[:44:2], ERNIE[1:44:2], ERNIE[44:]]), None),
    "olmo_hybrid": ("rotary_emb.inv_freq", space(1e4, 128),
                    {"model_type": "mamba", "hidden_size": 64, "num_hidden_layers": 2}),
    "an odd width": ("rotary_emb.inv_freq", space(1e6, 73), None),
}  # fmt: skip


@pytest.mark.parametrize("name", HEALTHY)
def test_what_was_called_ill_is_healthy(name):
    tensor, values, config = HEALTHY[name]
    readable = None if config is SEEN else config
    if config is SEEN:
        # The part that the library reads is the text; the audio part is of an unknown kind.
        readable = {**AUDIO, "audio_config": SEEN["audio_config"]}
    report = examine({tensor: values}, readable)
    assert report.healthy and report.problems == [], str(report)


def test_a_list_that_runs_backwards_is_in_no_order():
    for w in (space(1e4, 128)[::-1], rng.permutation(space(1e4, 128))):
        assert not examine({"rotary_emb.inv_freq": w}).healthy


def test_a_tower_is_compared_with_its_own_configuration_alone():
    text = {"language_model.rotary_emb.inv_freq": space(5e5, 128)}
    tower = {"vision_tower.rotary_emb.inv_freq": space(1e4, 32)}
    assert examine(text | tower, AUDIO).healthy
    wrong = {"language_model.rotary_emb.inv_freq": space(1e4, 128)}
    assert examine(wrong | tower, AUDIO).problems == ["base_differs"]


def test_frequencies_of_several_axes_may_stand_in_another_order():
    """Test the order in which ERNIE 4.5 VL keeps its frequencies, and one of noise."""
    config = read_stored_config("qwen2.5-vl-7b")
    w = space(1e6, 128)
    reordered = np.concatenate([w[:44:2], w[1:44:2], w[44:]])
    assert examine({"language_model.rotary_emb.inv_freq": reordered}, config).healthy
    other = np.concatenate([w[:44:2] * 1.01, w[1:44:2], w[44:]])
    assert not examine({"language_model.rotary_emb.inv_freq": other}, config).healthy


@pytest.mark.parametrize("damage", ["nan", "zeros", "reversed"])
def test_a_tower_that_no_configuration_describes_is_examined_all_the_same(damage):
    w = space(1e4, 32)
    values = {"nan": w * np.nan, "zeros": w * 0, "reversed": w[::-1]}[damage]
    assert not examine({"vision_tower.rotary_emb.inv_freq": values}, AUDIO).healthy


def test_settings_of_quantisation_are_no_part_of_a_model():
    config = {**LLAMA, "quantization_config": {"quant_method": "fp8", "fmt": "e4m3"}}
    report = examine({"rotary.inv_freq": space(1e4, 128)}, config)
    assert report.problems == ["base_differs"]
