"""Configurations: against loops from the papers, recorded numbers, both spellings, bad input."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pe_lib.biases import alibi_slopes
from pe_lib.checkpoints import Layer, layers

SIZES = {"hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 4}
LLAMA = {"model_type": "llama", **SIZES}
LLAMA_31 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192}  # fmt: skip
DEEPSEEK = {
    "model_type": "deepseek_v3", "num_hidden_layers": 3, "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64, "rope_theta": 10_000, "max_position_embeddings": 163_840,
    "rope_scaling": {"type": "yarn", "factor": 40, "beta_fast": 32, "beta_slow": 1,
                     "mscale": 1.0, "mscale_all_dim": 1.0,
                     "original_max_position_embeddings": 4096},
}  # fmt: skip
GPT_OSS = {"model_type": "gpt_oss", "num_hidden_layers": 4, "rope_theta": 150_000, "head_dim": 64,
           "rope_scaling": {"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0,
                            "beta_slow": 1.0, "truncate": False,
                            "original_max_position_embeddings": 4096}}  # fmt: skip
SCOUT = {"model_type": "llama4_text", "num_hidden_layers": 4, "head_dim": 128, "rope_theta": 5e5,
         "attention_chunk_size": 8192,
         "rope_scaling": {**LLAMA_31, "factor": 16.0, "high_freq_factor": 1.0}}  # fmt: skip
GEMMA_3 = {"model_type": "gemma3_text", "num_hidden_layers": 12, "sliding_window": 1024,
           "query_pre_attn_scalar": 168, "head_dim": 128,
           "rope_scaling": {"rope_type": "linear", "factor": 8.0}}  # fmt: skip
PHI_35 = {
    "model_type": "phi3", "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4,
    "max_position_embeddings": 131_072, "original_max_position_embeddings": 4096,
    "sliding_window": 262_144, "rope_theta": 1e4,
    "rope_scaling": {"type": "su", "short_factor": [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7],
                     "long_factor": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 32.0, 64.0]},
}  # fmt: skip
QWEN_VL = {"model_type": "qwen3_vl", "text_config": {
    "model_type": "qwen3_vl_text", "num_hidden_layers": 2, "head_dim": 128, "rope_theta": 5e6,
    "rope_scaling": {"mrope_interleaved": True, "mrope_section": [24, 20, 20],
                     "rope_type": "default"}}}  # fmt: skip


def plain(width, base=10_000.0):
    return np.array([math.pow(base, -2 * i / width) for i in range(width // 2)])


def ramp(width, ends, factor):
    """Kept up to the first pair, divided by the factor from the second on, on a line between."""
    return np.interp(range(width // 2), ends, [1, 1 / factor])


def same(one, other):
    for a, b in zip(one, other, strict=True):
        for name in Layer.__dataclass_fields__:
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


# what models do


def turning(width, base):
    """At how many pairs a head has turned 32 times and once in 4,096 positions."""
    return [width / 2 * math.log(4096 / (2 * math.pi * r)) / math.log(base) for r in (32, 1)]


STRETCH = 2 * 6000 / 2048 - 1  # the factor of dynamic at 6,000 positions
LOCAL = {"window": 1024, "kind": "sliding"}
GEMMA_4 = {"model_type": "gemma4_text", "num_hidden_layers": 6}
SIDES = {"image_size": 560, "patch_size": 14}
IMAGE = {"hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 1}
BERT = {"model_type": "bert", "hidden_size": 768, "num_attention_heads": 12,
        "num_hidden_layers": 2, "max_position_embeddings": 512}  # fmt: skip
T5 = {"model_type": "t5", "d_kv": 64, "num_layers": 2, "d_model": 512,
      "relative_attention_num_buckets": 32}  # fmt: skip
WHISPER = {"model_type": "whisper", "d_model": 384, "encoder_layers": 1, "decoder_layers": 1,
           "encoder_attention_heads": 6, "decoder_attention_heads": 6,
           "max_source_positions": 1500, "max_target_positions": 448}  # fmt: skip
TOWER = {"model_type": "qwen2_5_vl", "depth": 2, "hidden_size": 1280, "num_heads": 16,
         "patch_size": 14, "window_size": 112, "fullatt_block_indexes": [1]}  # fmt: skip
DYNAMIC = {**LLAMA, "max_position_embeddings": 2048,
           "rope_scaling": {"type": "dynamic", "factor": 2.0}}  # fmt: skip
VIT = {"model_type": "vit", **IMAGE, "image_size": 224, "patch_size": 16}
FLUX = {"_class_name": "FluxTransformer2DModel", "num_layers": 1, "num_single_layers": 1,
        "attention_head_dim": 128, "axes_dims_rope": [16, 56, 56]}  # fmt: skip
PHI_SHORT, PHI_LONG = (PHI_35["rope_scaling"][f"{n}_factor"] for n in ("short", "long"))
PHI = {"switch": 4096, "amplitude": math.sqrt(1 + math.log(32) / math.log(4096))}
WAV = {"model_type": "wav2vec2", **IMAGE, "num_conv_pos_embeddings": 128}

# configuration, length, which layer; its frequencies if there are any, and what else it says
FACTS = [
    (LLAMA, None, 3, plain(128),
     {"scheme": "rotary", "turned": 128, "width": 128, "start": 0, "layout": "halves",
      "window": None, "amplitude": 1, "softmax_scale": 1}),
    (DEEPSEEK, None, 0, plain(64) * ramp(64, [10, 23], 40),  # floor(10.47) and ceil(22.51)
     {"width": 192, "start": 128, "turned": 64, "amplitude": 1, "layout": "interleaved",
      "softmax_scale": (1 + 0.1 * math.log(40)) ** 2, "scaling": "yarn"}),
    (GPT_OSS, None, 0, None, {"window": 128, "sink": True}),
    (GPT_OSS, None, 1, plain(64, 150_000) * ramp(64, turning(64, 150_000), 32),
     {"window": None, "amplitude": 1 + 0.1 * math.log(32)}),
    (SCOUT, None, 0, plain(128, 5e5) * np.where(np.arange(64) < 35, 1, 1 / 16),
     {"scheme": "rotary", "kind": "chunked", "window": 8192, "growth": None}),
    (SCOUT, None, 3, None,
     {"scheme": "none", "kind": "full", "window": None, "growth": (0.1, 8192, 1)}),
    (GEMMA_3, None, 0, plain(128), LOCAL),
    (GEMMA_3, None, 5, plain(128, 1e6) / 8,
     {"window": None, "kind": "full", "softmax_scale": math.sqrt(128 / 168)}),
    # a quarter of the pairs turns where all is seen
    (GEMMA_4, None, 5, plain(512, 1e6) * (np.arange(256) < 64),
     {"width": 512, "turned": 512, "softmax_scale": math.sqrt(512)}),
    (PHI_35, 4096, 0, plain(16) / PHI_SHORT, PHI),
    (PHI_35, 4097, 0, plain(16) / PHI_LONG, PHI),
    (DYNAMIC, 6000, 0, plain(128, 10_000 * STRETCH ** (128 / 126)), {}),
    (QWEN_VL, None, 0, None,
     {"scheme": "rotary_axes", "axis_names": ("time", "height", "width"),
      "axes": [0, 1, 2] * 20 + [0] * 4}),  # height and width have 20 pairs each, time the rest
    (BERT, None, 0, None, {"scheme": "learned", "rows": 512, "first_position": 0}),
    ({**BERT, "model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 1}, None, 0,
     None, {"rows": 512, "first_position": 2}),
    ({"model_type": "bloom", "hidden_size": 1024, "n_head": 16, "n_layer": 2}, None, 0, None,
     {"slopes": alibi_slopes(16).tolist()}),
    ({"model_type": "falcon", "alibi": True, **SIZES}, None, 0, None,  # divides them as its scores
     {"slopes": (alibi_slopes(32) / math.sqrt(128)).tolist()}),
    (T5, None, 0, None,
     {"part": "encoder", "buckets": 32, "max_distance": 128, "two_sided": True,
      "softmax_scale": 8}),
    (WHISPER, None, 0, [1e4 ** (-i / 191) for i in range(192)], {"scheme": "sinusoidal"}),
    (WHISPER, None, 1, None, {"scheme": "learned"}),
    (WAV, None, 0, None, {"scheme": "convolution", "max_distance": 64}),
    (VIT, None, 0, None, {"rows": 197}),
    (TOWER, None, 0, None, {"window": 64}),
    (TOWER, None, 1, [*plain(40)] * 2,
     {"window": None, "width": 80, "axes": [0] * 20 + [1] * 20, "axis_names": ("row", "column")}),
    (FLUX, None, 0, [*plain(16), *plain(56), *plain(56)], {}),
    # image towers that add a table: sides of images over sides of patches, squared
    *(
        ({"model_type": kind, **IMAGE, **more}, None, 0, None, {"scheme": "rotary_axes", "rows": n})
        for kind, more, n in [
            ("sam3_vit_model", {**SIDES, "pretrain_image_size": 336}, 24**2),
            ("llama4_vision_model", SIDES, 40**2 + 1),  # one for its class token
            ("glm4v", SIDES, 40**2), ("qwen3_5_vision", {}, 48**2), ("pixtral", SIDES, None),
            ("qwen3_vl", {"patch_size": 16, "num_position_embeddings": 2209}, 47**2),
        ]
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("config", "length", "index", "w", "facts"),
    FACTS,
    ids=[f"{row[0].get('model_type', row[0].get('_class_name'))} {row[2]}" for row in FACTS],
)
def test_layers_of_models(config, length, index, w, facts):
    layer = layers(config, length)[index]
    assert not layer.frequencies.flags.writeable
    if w is not None:
        np.testing.assert_allclose(layer.frequencies, w, rtol=1e-12)
    for name, want in facts.items():
        got = getattr(layer, name)
        got = got.tolist() if isinstance(got, np.ndarray) else got
        assert got == (pytest.approx(want) if isinstance(want, float) else want), name


@pytest.mark.parametrize(
    ("changes", "turned"),
    [({"model_type": "gpt_neox"}, 32), ({"model_type": "gpt_neox", "rotary_pct": 1.0}, 128),
     ({"model_type": "gptj", "rotary_dim": 64}, 64), ({"model_type": "glm4"}, 64)],
)  # fmt: skip
def test_partial_widths_have_the_frequencies_of_a_narrower_head(changes, turned):
    layer = layers({**SIZES, "rope_theta": 10_000, **changes})[0]
    assert layer.turned == turned and layer.width == 128
    np.testing.assert_allclose(layer.frequencies, plain(turned), rtol=1e-14)


@pytest.mark.parametrize(
    "config, kinds, schemes",
    [
        ({"model_type": "smollm3", **SIZES, "no_rope_layers": [0, 1, 1, 0]}, "full " * 4,
         "none rotary rotary none"),
        ({"model_type": "cohere2", **SIZES}, "sliding sliding sliding full",
         "rotary rotary rotary none"),
        ({"model_type": "qwen3_next", **SIZES}, "linear linear linear full",
         "none none none rotary"),
        ({"model_type": "nemotron_h", "head_dim": 128, "hybrid_override_pattern": "M-M*"},
         "mamba mlp mamba full", "none " * 4),
        ({"model_type": "jamba", **SIZES, "attn_layer_period": 4, "attn_layer_offset": 1},
         "mamba full mamba mamba", "none " * 4),
        ({"model_type": "qwen2", **SIZES, "use_sliding_window": True, "max_window_layers": 3},
         "full full full sliding", "rotary " * 4),
        ({**DEEPSEEK, "model_type": "kimi_linear",
          "linear_attn_config": {"full_attn_layers": [2], "kda_layers": [1, 3]}},
         "linear full linear", "none " * 3),
        ({"model_type": "mistral", **SIZES, "sliding_window": None}, "full " * 4, "rotary " * 4),
    ],
)  # fmt: skip
def test_layers_that_differ(config, kinds, schemes):
    made = layers(config)
    assert [layer.kind for layer in made] == kinds.split()
    assert [layer.scheme for layer in made] == schemes.split()


# spellings


@pytest.mark.parametrize(
    "old, new",
    [
        ({**LLAMA, "rope_theta": 5e5, "rope_scaling": LLAMA_31},
         {**LLAMA, "rope_parameters": {**LLAMA_31, "rope_theta": 5e5}}),
        ({**LLAMA, "rope_theta": 1e4, "rope_scaling": {"type": "linear", "factor": 4}},
         {"model_type": "llama", "text_config": {**LLAMA, "rope_parameters": {
             "rope_type": "linear", "factor": 4.0, "rope_theta": 1e4}}}),
        ({**GEMMA_3, "rope_theta": 2e6, "rope_local_base_freq": 5e3},
         {**GEMMA_3, "rope_scaling": None, "rope_parameters": {
             "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 2e6},
             "sliding_attention": {"rope_theta": 5e3}}}),
        ({"model_type": "gpt_neox", **SIZES, "rotary_emb_base": 20_000, "rotary_pct": 0.5},
         {"model_type": "gpt_neox", **SIZES,
          "rope_parameters": {"rope_theta": 20_000, "partial_rotary_factor": 0.5}}),
        ({key: GPT_OSS[key] for key in ("model_type", "num_hidden_layers")}, GPT_OSS),
        (PHI_35, {**PHI_35, "rope_scaling": {**PHI_35["rope_scaling"], "type": "longrope"}}),
    ],
)  # fmt: skip
def test_both_spellings_are_one_configuration(old, new):
    same(layers(old), layers(new))


# bad input


def yarn(**changes):
    return {**DEEPSEEK, "rope_scaling": {**DEEPSEEK["rope_scaling"], **changes}}


BAD = [
    ({}, "config['model_type'] is None, which is not known"),
    ({"model_type": "lama"}, "nearest of "),
    ({"model_type": "llava", "text_config": {"model_type": "y"}},
     "config['text_config']['model_type'] is 'y', which is not known"),
    ({"model_type": "vjepa2"}, "config['model_type'] is 'vjepa2': the two entries of a pair"),
    ({**LLAMA, "hidden_size": 100}, "hidden_size 100 is no multiple of num_attention_heads 32"),
    ({**LLAMA, "rope_scaling": {"type": "ntk", "factor": 2}},
     "rope_type is 'ntk', which is not known; known: default, dynamic, linear"),
    ({**LLAMA, "rope_scaling": {"type": "linear"}}, "rope_type 'linear' needs 'factor'"),
    ({**LLAMA, "rope_scaling": {**LLAMA_31, "low_freq_factor": 8.0}},
     "config['rope_scaling']['low_freq_factor'] must be at most high_freq_factor, got 8.0 and 4"),
    (yarn(attn_factor=1.2), "'attn_factor' = 1.2 is no key of rope_type 'yarn', which reads "
                            "attention_factor, beta_fast"),
    (yarn(truncate="no"), "config['rope_scaling']['truncate'] must be true or false, got 'no'"),
    (yarn(beta_fast=0.5), "beta_slow and beta_fast must satisfy 0 < slow <= fast, got 1.0 and 0.5"),
    ({**GEMMA_3, "rope_scaling": None, "rope_parameters": {"rope_type": "yarn", "factor": 4.0}},
     "must hold a dictionary for each type of layer (full_attention, sliding_attention), got the "
     "keys factor, rope_type"),
    ({**LLAMA, "layer_types": ["full_attention"]}, "must name each of 4 layers"),
    ({**PHI_35, "rope_scaling": {**PHI_35["rope_scaling"], "long_factor": [1.0]}},
     "config['rope_scaling']['long_factor'] must be a list of 8 numbers (one a pair), got 1"),
    ({**QWEN_VL, "text_config": {**QWEN_VL["text_config"],
                                 "rope_scaling": {"mrope_section": [24, 20, 19]}}},
     "config['text_config']['mrope_section'] must add up to the 64 turned pairs"),
    ({"model_type": "nemotron_h", "hybrid_override_pattern": "MX"}, "is 'X', which is not known"),
    # what the model's own code does not read is not obeyed
    ({**LLAMA, "partial_rotary_factor": 0.5}, "config['partial_rotary_factor'] = 0.5 is not read "
     "by transformers' llama, which takes the whole head, 128"),
    ({"model_type": "gpt_neox", **SIZES, "rope_theta": 5e5}, "which takes rotary_emb_base: 10000"),
    ({"model_type": "qwen3", **SIZES, "layer_types": ["sliding_attention"] * 4},
     "kind 'sliding' and use_sliding_window is not true"),
    # what is said twice agrees
    ({**LLAMA, "rope_scaling": {"type": "linear", "rope_type": "yarn", "factor": 2}},
     "contradicts itself: rope_type is 'yarn', type is 'linear'"),
    ({**LLAMA, "rope_theta": 1e4, "rope_parameters": {"rope_theta": 5e5}},
     "'rope_theta' is 10000.0 and 500000.0"),
    ({**GEMMA_3, "layer_types": ["sliding_attention"] * 12, "sliding_window": None},
     "contradicts itself: it has layers of kind 'sliding' and gives no length"),
    ({"model_type": "minimax_m2", **SIZES, "rotary_dim": 64, "partial_rotary_factor": 1.0},
     "contradicts itself: rotary_dim is 64, partial_rotary_factor 1.0 of 128 entries is 128"),
    ({"model_type": "gpt2", **SIZES, "n_layer": 99, "n_positions": 1024},
     "contradicts itself: num_hidden_layers is 4, n_layer is 99"),
    ({**GEMMA_3, "rope_scaling": None, "rope_theta": 7e5, "rope_parameters": {
        "full_attention": {"rope_theta": 1e6}, "sliding_attention": {"rope_theta": 5e4}}},
     "contradicts itself: rope_theta is 700000.0, rope_parameters has 1000000.0, 50000.0"),
    # misspelled
    *(({**LLAMA, key: 64}, f"config[{key!r}] = ")
      for key in ("rope_teta", "ropeTheta", "rope_scalling", "head_dmi", "rotary_dims")),
    ({**GEMMA_3, "rope_scaling": None, "rope_parameters": {
        "full_attention": {"rope_theta": 1e6}, "sliding_atention": {"rope_theta": 5e4}}},
     "layer type is 'sliding_atention', which is not known; known: full_attention, sliding_att"),
]  # fmt: skip


@pytest.mark.parametrize(("config", "message"), BAD)
def test_errors_name_the_key_the_value_and_what_is_known(config, message):
    with pytest.raises(ValueError) as error:
        layers(config)
    assert message in str(error.value), str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_no_configuration():
    for config in (None, [LLAMA], 3):
        with pytest.raises(TypeError, match="config must be a dictionary or the path of"):
            layers(config)
    with pytest.raises(ValueError, match="length must be at least 1, got 0"):
        layers(LLAMA, 0)


WHOLE = [LLAMA, {**LLAMA, "rope_scaling": LLAMA_31}, DEEPSEEK, GPT_OSS, SCOUT, GEMMA_3, PHI_35,
         QWEN_VL["text_config"]]  # fmt: skip
ODD = st.sampled_from([None, True, "", "3", -1, 0, 0.5, 1e300, math.nan, math.inf, 10**400, [],
                       [1], {}, {"a": 1}, {"type": []}, [None] * 8])  # fmt: skip


@settings(max_examples=3 * settings().max_examples, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_broken_value_gives_layers_or_one_line(data):
    config = dict(data.draw(st.sampled_from(WHOLE)))
    inner = config.get("rope_scaling")
    if isinstance(inner, dict) and data.draw(st.booleans()):
        inner = dict(inner)
        inner[data.draw(st.sampled_from(sorted(inner)))] = data.draw(ODD)
        config["rope_scaling"] = inner
    else:
        config[data.draw(st.sampled_from(sorted(config)))] = data.draw(ODD)
    if config.get("num_hidden_layers") in (1e300, 10**400):
        return
    try:
        made = layers(config, data.draw(st.sampled_from([None, 1, 10**6])))
    except ValueError as error:
        assert "\n" not in str(error) and len(str(error)) < 600
    else:
        for layer in made:
            assert np.isfinite(layer.frequencies).all() and layer.width > 0
            assert math.isfinite(layer.amplitude * layer.softmax_scale)
