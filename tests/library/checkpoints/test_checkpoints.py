"""Test that layers read from configurations agree with simple loops, and that bad files fail."""

import copy
import json
import math
import re
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from checkpoint_configs import (
    BERT,
    DEEPSEEK,
    DEEPSEEK_SCALING,
    DYNAMIC,
    FLUX,
    GEMMA_3,
    GEMMA_4,
    GPT_OSS,
    IMAGE,
    LLAMA,
    LLAMA_31_SCALING,
    PHI,
    PHI_LONG,
    PHI_SCALING,
    PHI_SHORT,
    QWEN_VL,
    QWEN_VL_TEXT,
    SCOUT,
    SIDES,
    SIZES,
    STEP,
    T5,
    TOWER,
    VIT,
    WAV2VEC,
    WHISPER,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pe_lib
from pe_lib.biases import alibi_slopes
from pe_lib.checkpoints import Layer, groups, layers

STORED = Path(pe_lib.__file__).parents[1] / "chapters" / "data" / "checkpoints"


def space(width, base=10_000.0):
    """Return the unscaled frequencies base^(-2i/width), computed in a loop."""
    return np.array([math.pow(base, -2 * i / width) for i in range(width // 2)])


def ramp(width, ends, factor):
    """Return a value for each pair, which falls linearly from 1 to 1/factor between two ends."""
    return np.interp(range(width // 2), ends, [1, 1 / factor])


def ramp_ends(width, base):
    """Return which fractional pair numbers make 32 turns and 1 turn in 4,096 positions."""
    return [width / 2 * math.log(4096 / (math.tau * turns)) / math.log(base) for turns in (32, 1)]


def with_type(config, model_type, **changes):
    """Return a copy of a configuration with a different `model_type` and other changes."""
    return {**config, "model_type": model_type, **changes}


def require_same(stack, other_stack):
    for layer, other in zip(stack, other_stack, strict=True):
        for name in Layer.__dataclass_fields__:
            actual, expected = getattr(layer, name), getattr(other, name)
            np.testing.assert_array_equal(actual, expected, err_msg=name)


# Facts about published models

SWIN = {"model_type": "swin", "image_size": 224, "patch_size": 4, "window_size": 7,
        "embed_dim": 96, "depths": [2, 2, 6, 2], "num_heads": [3, 6, 12, 24], "hidden_size": 768,
        "num_layers": 4, "use_absolute_embeddings": False}  # fmt: skip
BEIT = {"model_type": "beit", "image_size": 224, "patch_size": 16,
        "use_relative_position_bias": True}  # fmt: skip
PHI_AMPLITUDE = math.sqrt(1 + math.log(32) / math.log(4096))
STRETCH = 2 * 6000 / 2048 - 1  # the factor that "dynamic" uses at 6,000 positions

# each case: a configuration, a length, a layer number, its frequencies or None, and other fields
FACTS = [
    (LLAMA, None, 3, space(128),
     {"scheme": "rotary", "turned": 128, "width": 128, "start": 0, "layout": "halves",
      "window": None, "amplitude": 1, "softmax_scale": 1}),
    (DEEPSEEK, None, 0, space(64) * ramp(64, [10, 23], 40),
     {"width": 192, "start": 128, "turned": 64, "amplitude": 1, "layout": "interleaved",
      "softmax_scale": (1 + 0.1 * math.log(40)) ** 2, "scaling": "yarn"}),
    ({"model_type": "hy_v4", "num_hidden_layers": 1}, None, 0, None,
     {"start": 192, "indexer.start": 64, "indexer.width": 128, "indexer.layout": "halves"}),
    (GPT_OSS, None, 0, None, {"window": 128, "sink": True}),
    (GPT_OSS, None, 1, space(64, 150000) * ramp(64, ramp_ends(64, 150000), 32),
     {"window": None, "amplitude": 1 + 0.1 * math.log(32)}),
    (SCOUT, None, 0, space(128, 500000.0) * np.where(np.arange(64) < 35, 1, 1 / 16),
     {"scheme": "rotary", "kind": "chunked", "window": 8192, "growth": None}),
    (SCOUT, None, 3, None,
     {"scheme": "none", "kind": "full", "window": None, "growth": [0.1, 8192, 1]}),
    (GEMMA_3, None, 0, space(128), {"window": 1024, "kind": "sliding"}),
    (GEMMA_3, None, 5, space(128, 1000000.0) / 8,
     {"window": None, "kind": "full", "softmax_scale": math.sqrt(128 / 168)}),
    (GEMMA_4, None, 5, space(512, 1000000.0) * (np.arange(256) < 64),
     {"width": 512, "turned": 512, "softmax_scale": math.sqrt(512)}),
    (PHI, 4096, 0, space(16) / PHI_SHORT, {"switch": 4096, "amplitude": PHI_AMPLITUDE}),
    (PHI, 4097, 0, space(16) / PHI_LONG, {"switch": 4096, "amplitude": PHI_AMPLITUDE}),
    (DYNAMIC, 6000, 0, space(128, 10000 * STRETCH ** (128 / 126)), {}),
    (QWEN_VL, None, 0, None,
     {"scheme": "rotary_axes", "axis_names": ["time", "height", "width"],
      "axes": [0, 1, 2] * 20 + [0] * 4}),
    (STEP, None, 0, space(64, 5000000.0), {"width": 128, "turned": 64, "window": None}),
    (STEP, None, 1, space(128), {"width": 128, "turned": 128, "window": 512}),
    (with_type(SIZES, "esm", position_embedding_type="rotary", rope_theta=5000.0), None, 3,
     space(128, 5000.0), {"scheme": "rotary", "layout": "halves", "part": "encoder"}),
    (with_type(SIZES, "esm", max_position_embeddings=1026, pad_token_id=1), None, 0, None,
     {"scheme": "learned", "rows": 1024, "first_position": 2}),
    (with_type(SIZES, "roformer"), None, 0, space(128),
     {"scheme": "rotary", "layout": "interleaved", "two_sided": True}),
    ({"model_type": "zamba2", "hidden_size": 256, "num_attention_heads": 8, "num_hidden_layers": 2,
      "use_mem_rope": True, "layers_block_type": ["mamba", "hybrid"]}, None, 1, space(64),
     {"width": 64, "kind": "hybrid", "softmax_scale": math.sqrt(2)}),
    ({"model_type": "zamba2", "hidden_size": 256, "num_attention_heads": 8}, None, 6, None,
     {"scheme": "none", "kind": "hybrid", "width": 64}),
    ({"model_type": "glmasr_encoder"}, None, 0, space(32),
     {"width": 64, "turned": 32, "part": "audio", "two_sided": True}),
    ({"model_type": "qwen2_audio_encoder"}, None, 0, None, {"scheme": "learned", "rows": 1500}),
    ({"model_type": "step3p5_vision", "width": 1536, "layers": 2, "heads": 16, "image_size": 728,
      "patch_size": 14}, None, 0, [*space(48)] * 2,
     {"axis_names": ["column", "row"], "rows": 2704, "width": 96}),
    ({"model_type": "internvl_vision"}, None, 0, None, {"scheme": "learned", "rows": 1025}),
    (BERT, None, 0, None, {"scheme": "learned", "rows": 512, "first_position": 0}),
    (with_type(BERT, "roberta", max_position_embeddings=514, pad_token_id=1), None, 0, None,
     {"rows": 512, "first_position": 2}),
    ({"model_type": "bloom", "hidden_size": 1024, "n_head": 16, "n_layer": 2}, None, 0, None,
     {"slopes": list(alibi_slopes(16))}),
    (with_type(SIZES, "falcon", alibi=True), None, 0, None,
     {"slopes": list(alibi_slopes(32) / math.sqrt(128))}),
    (T5, None, 0, None,
     {"part": "encoder", "buckets": 32, "max_distance": 128, "two_sided": True,
      "softmax_scale": 8}),
    (WHISPER, None, 0, [10000.0 ** (-i / 191) for i in range(192)], {"scheme": "sinusoidal"}),
    (WHISPER, None, 1, None, {"scheme": "learned"}),
    (WAV2VEC, None, 0, None, {"scheme": "convolution", "max_distance": 64}),
    (VIT, None, 0, None, {"rows": 197}),
    (TOWER, None, 0, None, {"window": 64}),
    (TOWER, None, 1, [*space(40)] * 2,
     {"window": None, "width": 80, "axes": [0] * 20 + [1] * 20, "axis_names": ["row", "column"]}),
    (FLUX, None, 0, [*space(16), *space(56), *space(56)], {}),
    (with_type({**IMAGE, **SIDES}, "sam3_vit_model", pretrain_image_size=336), None, 0, None,
     {"scheme": "rotary_axes", "rows": 576}),
    (with_type({**IMAGE, **SIDES}, "llama4_vision_model"), None, 0, None,
     {"scheme": "rotary_axes", "rows": 1601}),
    (with_type({**IMAGE, **SIDES}, "glm4v"), None, 0, None,
     {"scheme": "rotary_axes", "rows": 1600}),
    (with_type(IMAGE, "qwen3_5_vision"), None, 0, None, {"scheme": "rotary_axes", "rows": 2304}),
    (with_type({**IMAGE, **SIDES}, "pixtral"), None, 0, None,
     {"scheme": "rotary_axes", "rows": None}),
    (with_type(IMAGE, "qwen3_vl", patch_size=16, num_position_embeddings=2209), None, 0, None,
     {"scheme": "rotary_axes", "rows": 2209}),
    (SWIN, None, 4, None,
     {"scheme": "offsets", "kind": "chunked", "window": 49, "rows": 169, "row_width": 12,
      "width": 32, "sides": [7, 7], "stage": 2, "part": "vision", "two_sided": True}),
    ({"model_type": "donut-swin", "window_size": 10, "depths": [2, 2, 14, 2], "embed_dim": 128,
      "num_heads": [4, 8, 16, 32]}, None, 19, None,
     {"rows": 361, "row_width": 32, "width": 32, "stage": 3}),
    ({"model_type": "maskformer-swin"}, None, 0, None, {"scheme": "offsets", "rows": 169}),
    ({"model_type": "clap_audio_model"}, None, 11, None,
     {"scheme": "offsets", "part": "audio", "rows": 225, "row_width": 32, "width": 24}),
    (BEIT, None, 11, None,
     {"scheme": "offsets", "kind": "full", "window": None, "rows": 732, "row_width": 12,
      "sides": [14, 14], "stage": None}),
    ({**BEIT, "image_size": [64, 96], "use_relative_position_bias": False,
      "use_shared_relative_position_bias": True}, None, 0, None,
     {"rows": 7 * 11 + 3, "sides": [4, 6]}),
    ({"model_type": "data2vec-vision"}, None, 0, None, {"scheme": "none", "two_sided": True}),
    ({"model_type": "beit", "use_absolute_position_embeddings": True}, None, 0, None,
     {"scheme": "learned", "rows": 197, "row_width": 768}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("config", "length", "index", "frequencies", "facts"),
    FACTS,
    ids=[f"{row[0].get('model_type', 'flux')} {row[2]}" for row in FACTS],
)
def test_layers_of_models(config, length, index, frequencies, facts):
    layer = layers(config, length)[index]
    assert not layer.frequencies.flags.writeable
    if frequencies is not None:
        np.testing.assert_allclose(layer.frequencies, frequencies, rtol=1e-12)
    for name, expected in facts.items():
        actual = attrgetter(name)(layer)
        if isinstance(actual, np.ndarray | tuple):
            actual = np.asarray(actual).tolist()
        if isinstance(expected, float):
            expected = pytest.approx(expected)
        assert actual == expected, name


@pytest.mark.parametrize(
    ("changes", "width"),
    [
        ({"model_type": "gpt_neox"}, 32),
        ({"model_type": "gpt_neox", "rotary_pct": 1.0}, 128),
        ({"model_type": "gptj", "rotary_dim": 64}, 64),
        ({"model_type": "glm4"}, 64),
    ],
)
def test_partial_widths_have_the_frequencies_of_a_narrower_head(changes, width):
    layer = layers({**SIZES, "rope_theta": 10_000, **changes})[0]
    assert layer.turned == width and layer.width == 128
    np.testing.assert_allclose(layer.frequencies, space(width), rtol=1e-14)


@pytest.mark.parametrize(
    ("config", "kinds", "schemes"),
    [
        (with_type(SIZES, "smollm3", no_rope_layers=[0, 1, 1, 0]),
         ["full"] * 4, ["none", "rotary", "rotary", "none"]),
        ({"model_type": "dory", "num_hidden_layers": 4,
          "layer_types": ["sliding_attention", "mlp", "full_attention", "mlp"]},
         ["sliding", "full"], ["rotary", "rotary"]),
        (with_type(SIZES, "cohere2"),
         ["sliding"] * 3 + ["full"], ["rotary"] * 3 + ["none"]),
        (with_type(SIZES, "qwen3_next"),
         ["linear"] * 3 + ["full"], ["none"] * 3 + ["rotary"]),
        ({"model_type": "nemotron_h", "head_dim": 128, "hybrid_override_pattern": "M-M*"},
         ["mamba", "mlp", "mamba", "full"], ["none"] * 4),
        (with_type(SIZES, "jamba", attn_layer_period=4, attn_layer_offset=1),
         ["mamba", "full", "mamba", "mamba"], ["none"] * 4),
        (with_type(SIZES, "qwen2", use_sliding_window=True, max_window_layers=3),
         ["full"] * 3 + ["sliding"], ["rotary"] * 4),
        (with_type(DEEPSEEK, "kimi_linear",
                   linear_attn_config={"full_attn_layers": [2], "kda_layers": [1, 3]}),
         ["linear", "full", "linear"], ["none"] * 3),
        (with_type(SIZES, "mistral", sliding_window=None), ["full"] * 4, ["rotary"] * 4),
    ],
)  # fmt: skip
def test_layers_that_differ(config, kinds, schemes):
    stack = layers(config)
    assert [layer.kind for layer in stack] == kinds
    assert [layer.scheme for layer in stack] == schemes


@pytest.mark.parametrize(
    ("kind", "changes", "note"),
    [
        ("qwen3", {"sliding_window": 1024},
         "sliding_window = 1024 is in doubt, and no window is taken: layers of kind 'sliding' are "
         "listed, and use_sliding_window is missing"),
        ("qwen3", {"sliding_window": 1024, "use_sliding_window": False},
         "sliding_window = 1024 is in doubt, and no window is taken: layers of kind 'sliding' are "
         "listed, and use_sliding_window is false"),
        ("qwen2", {}, "sliding_window = 4096 is in doubt, and no window is taken: layers of kind "
         "'sliding' are listed, and use_sliding_window is missing"),
        ("qwen3", {"use_sliding_window": True, "sliding_window": None},
         "the window is in doubt, and no window is taken: layers of kind 'sliding' are listed, and "
         "no length is given"),
        ("gpt_oss", {"sliding_window": None, "rope_scaling": {"type": "default"}},
         "the window is in doubt, and no window is taken: layers of kind 'sliding' are listed, and "
         "no length is given"),
    ],
)  # fmt: skip
def test_a_draft_whose_window_is_in_doubt_rotates_all_the_same(kind, changes, note):
    """Check drafts of newer models, which list sliding layers without their switch or length."""
    listed = {"head_dim": 128, "rope_theta": 1e4, "layer_types": ["sliding_attention"] * 4}
    table = groups(with_type(SIZES, kind, **listed, **changes))
    (group,) = table
    np.testing.assert_allclose(group.layer.frequencies, space(128), rtol=1e-12)
    assert (group.layer.kind, group.layer.window) == ("sliding", None)
    assert note in table.notes


@pytest.mark.parametrize(
    ("kind", "changes", "key"),
    [
        ("llama", {"sliding_window": 1024}, "sliding_window = 1024"),
        ("llama", {"use_sliding_window": True}, "use_sliding_window = True"),
        ("llama", {"layer_types": ["sliding_attention"] * 4}, "layer_types = ['sliding_att"),
        ("qwen3_moe", {"layer_types": ["sliding_attention"] * 4}, "layer_types = ['sliding_att"),
        ("mistral", {"layer_types": ["full_attention", "sliding_attention"] * 2},
         "layer_types = ['full_attention'"),
    ],
)  # fmt: skip
def test_a_window_that_a_kind_does_not_read_is_in_doubt(kind, changes, key):
    """Check drafts that name the kind of their target, and have windows that it has not."""
    table = groups(with_type(SIZES, kind, head_dim=128, rope_theta=1e4, **changes))
    (group,) = table
    np.testing.assert_allclose(group.layer.frequencies, space(128), rtol=1e-12)
    (note,) = [x for x in table.notes if x.startswith(key)]
    assert "is in doubt, and changes no rotation: transformers'" in note
    # Where a layer's type decides whether it is rotated, the list is no matter of windows.
    with pytest.raises(ValueError, match="layer_types"):
        layers(with_type(SIZES, "jamba", layer_types=["sliding_attention"] * 4))


def test_a_draft_may_keep_what_its_target_lists():
    draft = with_type(SIZES, "qwen3", head_dim=128, layer_types=["full_attention"] * 36)
    assert len(layers(draft)) == 4
    inner = {**SIZES, "model_type": "llama"}
    require_same(
        layers({"transformer_layer_config": inner, "draft_vocab_size": 32000}), layers(inner)
    )


def test_qwen3_omni_says_twice_that_its_sections_alternate():
    rope = {"interleaved": True, **QWEN_VL_TEXT["rope_scaling"]}
    text = {**QWEN_VL_TEXT, "model_type": "qwen3_omni_moe_text"}
    both = [layers({**text, "rope_scaling": x}) for x in (rope, QWEN_VL_TEXT["rope_scaling"])]
    for one, two in zip(*both, strict=True):
        assert one.frequencies.tolist() == two.frequencies.tolist()
        assert one.axes.tolist() == two.axes.tolist()


def test_values_for_each_layer_in_the_vendors_spelling():
    """Check lists with a value for each layer, and with entries for layers that are not counted."""
    lists = {
        "layer_types": ["full_attention", *["sliding_attention"] * 3, "full_attention"],
        "rope_theta": [5e6, 1e4, 1e4, 1e4, 5e6],
        "partial_rotary_factors": [0.5, 1.0, 1.0, 1.0, 0.5],
    }
    more = {key: [*entries, entries[1]] for key, entries in lists.items()}
    vendor = {"num_nextn_predict_layers": 1, "num_attention_groups": 2, "use_rope_layers": [],
              "yarn_only_types": ["full_attention"],
              "attention_other_setting": {"attention_type": "sliding_attention",
                                          "num_attention_heads": 6, "head_dim": 128}}  # fmt: skip
    text = {**STEP, **more, **vendor}
    outer = {"model_type": "step3p7", "text_config": {**text, "model_type": "step3p5"}}
    nameless = {key: value for key, value in text.items() if key != "model_type"}
    expected = layers({**STEP, **lists})
    for config in (text, outer, {"model_type": "step3p7", "text_config": nameless}):
        require_same(layers(config), expected)
    np.testing.assert_allclose(expected[0].frequencies, space(64, 5e6), rtol=1e-12)
    np.testing.assert_allclose(expected[1].frequencies, space(128), rtol=1e-12)
    # other kinds that give each layer a value
    stack = layers(with_type(SIZES, "phi", rope_theta=[5e5] * 4, partial_rotary_factors=[0.25] * 4))
    np.testing.assert_allclose(stack[3].frequencies, space(32, 5e5), rtol=1e-12)
    for key, entries in (("rope_theta", [5e6, 1e4, 1e4, 2e4, 5e6]), ("rope_theta", [1e4] * 3)):
        with pytest.raises(ValueError, match=rf"config\['{key}'\] must be a list with"):
            layers({**STEP, **lists, key: entries})


def follow(config, path):
    """Return whether a configuration has the key to which the path in an error message leads."""
    for key in re.findall(r"\['([^']+)'\]", path):
        if not isinstance(config, dict) or key not in config:
            return False
        config = config[key]
    return True


def keys_of(config, path=()):
    for key, value in config.items():
        if isinstance(value, dict):
            yield from keys_of(value, (*path, key))
        yield (*path, key)


@pytest.mark.parametrize("file", sorted(STORED.glob("*.json")), ids=lambda file: file.stem)
def test_a_refusal_names_keys_that_the_file_has(file):
    """Put nonsense at each key of a published configuration, and follow the keys in the refusal."""
    config = json.loads(file.read_text("utf-8"))["config"]
    for path in keys_of(config):
        for nonsense in (-3, 0, "x", [1], 1e9 + 0.5):
            changed = copy.deepcopy(config)
            inner = changed
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = nonsense
            try:
                layers(changed)
            except ValueError as error:
                named = re.findall(r"config(?:\['[^']+'\])+", str(error))
                assert named or "contradicts" in str(error), error
                assert all(follow(changed, name) for name in named), error


# Spellings


def nest_parameters(full, sliding):
    """Return separate `rope_parameters` for two types of layers, as transformers 5 writes them."""
    return {"full_attention": full, "sliding_attention": sliding}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({**LLAMA, "rope_theta": 500000.0, "rope_scaling": LLAMA_31_SCALING},
         {**LLAMA, "rope_parameters": {**LLAMA_31_SCALING, "rope_theta": 500000.0}}),
        ({**LLAMA, "rope_theta": 10000.0, "rope_scaling": {"type": "linear", "factor": 4}},
         {"model_type": "llama",
          "text_config": {**LLAMA, "rope_parameters": {"rope_type": "linear", "factor": 4.0,
                                                       "rope_theta": 10000.0}}}),
        ({**GEMMA_3, "rope_theta": 2000000.0, "rope_local_base_freq": 5000.0},
         {**GEMMA_3, "rope_scaling": None,
          "rope_parameters": nest_parameters(
              {"rope_type": "linear", "factor": 8.0, "rope_theta": 2000000.0},
              {"rope_theta": 5000.0})}),
        (with_type(SIZES, "gpt_neox", rotary_emb_base=20000, rotary_pct=0.5),
         with_type(SIZES, "gpt_neox",
                   rope_parameters={"rope_theta": 20000, "partial_rotary_factor": 0.5})),
        ({"model_type": "gpt_oss", "num_hidden_layers": 4}, GPT_OSS),
        (PHI, {**PHI, "rope_scaling": {**PHI_SCALING, "type": "longrope"}}),
        (DEEPSEEK, with_type(DEEPSEEK, "sarvam_mla",
                             rope_scaling={**DEEPSEEK_SCALING, "type": "deepseek_yarn"})),
    ],
)  # fmt: skip
def test_both_spellings_are_one_configuration(older, newer):
    require_same(layers(older), layers(newer))


# Bad input

# each case: a configuration that is rejected, and a part of the error message
REFUSED = [
    ({}, "config has no 'model_type', so nothing says which kind of model it is: expected its name,"
         " as in {'model_type': 'llama', ...} (or '_class_name', if it comes from diffusers), got "
         "an empty dictionary; pe_lib.checkpoints.MODELS lists the "),
    ({"hidden_size": 8, "text_config": {"head_dim": 4}},
     "config has no 'model_type', nor has config['text_config'], so nothing says"),
    ({"hidden_size": 8, "num_hidden_layers": 2},
     "got only the keys hidden_size, num_hidden_layers; pe_lib"),
    ({"model_type": 3}, "config['model_type'] must be one of the "),
    ({"_class_name": "FluxTransformer"},
     "config['_class_name'] is 'FluxTransformer', which is not known. Of the "),
    ({"model_type": "lama"}, "the nearest are llama, "),
    ({"model_type": "llava", "text_config": {"model_type": "y"}},
     "config['text_config']['model_type'] is 'y', which is not known"),
    ({"model_type": "vjepa2"},
     "config['model_type'] is 'vjepa2', which cannot be read: the two entries of a pair"),
    ({**LLAMA, "hidden_size": 100},
     "config['hidden_size'] must be a multiple of num_attention_heads 32, or head_dim given, got "
     "100"),
    ({**LLAMA, "rope_scaling": {"type": "spiral", "factor": 2}},
     "config['rope_scaling']['type'] is 'spiral', which is not known; known: default"),
    ({**LLAMA, "rope_scaling": {"type": "linear"}}, "rope_type 'linear' needs 'factor'"),
    ({**LLAMA, "rope_scaling": {**LLAMA_31_SCALING, "low_freq_factor": 8.0}},
     "must satisfy 0 <= low_freq_factor <= high_freq_factor, got (8.0, 4.0)"),
    ({**DEEPSEEK, "rope_scaling": {**DEEPSEEK_SCALING, "attn_factor": 1.2}},
     "config['rope_scaling']['attn_factor'] = 1.2 is no key of rope_type 'yarn', which reads "
     "attention_factor, beta_fast"),
    ({**DEEPSEEK, "rope_scaling": {**DEEPSEEK_SCALING, "truncate": "no"}},
     "config['rope_scaling']['truncate'] must be true or false, got 'no'"),
    ({**DEEPSEEK, "rope_scaling": {**DEEPSEEK_SCALING, "beta_fast": 0.5}},
     "beta_slow and beta_fast must satisfy 0 < slow <= fast, got (1.0, 0.5)"),
    ({**GEMMA_3, "rope_scaling": None, "rope_parameters": {"rope_type": "yarn", "factor": 4.0}},
     "must be a dictionary for each type of layer (full_attention, sliding_attention) of "
     "gemma3_text, got {'factor'"),
    ({**LLAMA, "layer_types": ["full_attention"]},
     "config['layer_types'] must be a list that names each of 4 layers"),
    ({**PHI, "rope_scaling": {**PHI_SCALING, "long_factor": [1.0]}},
     "config['rope_scaling']['long_factor'] must be a list of 8 numbers (one a pair), got 1"),
    ({**QWEN_VL, "text_config": {**QWEN_VL_TEXT, "rope_scaling": {"mrope_section": [24, 20, 19]}}},
     "config['text_config']['rope_scaling']['mrope_section'] must be numbers that add up to the 64 "
     "rotated pairs"),
    ({**LLAMA, "rope_scaling": {"rope_type": "default", "interleaved": True}},
     "config['rope_scaling']['interleaved'] = True is no key of rope_type 'default'"),
    ({"model_type": "nemotron_h", "hybrid_override_pattern": "MX"}, "is 'X', which is not known"),
    ({**LLAMA, "partial_rotary_factor": 0.5},
     "config['partial_rotary_factor'] = 0.5 is not read by transformers' llama, which takes the "
     "whole head, 128"),
    (with_type(SIZES, "gpt_neox", rope_theta=500000.0), "which takes rotary_emb_base: 10000"),
    (with_type(SIZES, "cohere2", layer_types=["sliding_attention", "full_attention"] * 2,
               sliding_window=None),
     "contradicts itself: it has layers of kind 'sliding', and no length is given"),
    ({**LLAMA, "rope_scaling": {"type": "linear", "rope_type": "yarn", "factor": 2}},
     "contradicts itself: rope_type is 'yarn', type is 'linear'"),
    ({**LLAMA, "rope_theta": 10000.0, "rope_parameters": {"rope_theta": 500000.0}},
     "'rope_theta' is 10000.0 and 500000.0"),
    (with_type(SIZES, "minimax_m2", rotary_dim=64, partial_rotary_factor=1.0),
     "contradicts itself: rotary_dim is 64, partial_rotary_factor 1.0 of 128 entries is 128"),
    (with_type(SIZES, "gpt2", n_layer=99, n_positions=1024),
     "contradicts itself: num_hidden_layers is 4, n_layer is 99"),
    ({**GEMMA_3, "rope_scaling": None, "rope_theta": 700000.0,
      "rope_parameters": nest_parameters({"rope_theta": 1000000.0}, {"rope_theta": 50000.0})},
     "contradicts itself: rope_theta is 700000.0, rope_parameters has 1000000.0, 50000.0"),
    ({**GEMMA_3, "rope_scaling": None,
      "rope_parameters": {"full_attention": {"rope_theta": 1000000.0},
                          "sliding_atention": {"rope_theta": 50000.0}}},
     "layer type is 'sliding_atention', which is not known; known: full_attention, sliding_att"),
    ({**SWIN, "num_heads": [3, 6, 12]},
     "config['num_heads'] must be a list with a number of heads for each of 4 stages, got [3, 6, "),
    ({**SWIN, "num_heads": [3, 5, 12, 24]},
     "config['num_heads'] must be divisors of the widths of the stages (192 in stage 1), got [3, "),
    ({**SWIN, "depths": []}, "config['depths'] must be a list that gives each stage's number of"),
    ({**SWIN, "use_absolute_embeddings": True},
     "config['use_absolute_embeddings'] must be false, because no Layer holds a table beside"),
    ({**BEIT, "use_absolute_position_embeddings": True},
     "config['use_absolute_position_embeddings'] must be false, because no Layer holds a table"),
    ({"model_type": "swinv2"}, "a small network computes a bias from each offset"),
    # values whose type is wrong for their configuration key
    ({"model_type": "nemotron_h", "hybrid_override_pattern": 3},
     "config['hybrid_override_pattern'] must be a letter for each layer, of M, *, -, E, got 3"),
    ({"model_type": "nemotron_h", "layers_block_type": 0.5}, "must be a list of types, got 0.5"),
    (with_type(SIZES, "nemotron-nas", block_configs=[{"attention": 1}]),
     "must be a list of dictionaries with 'attention', got {'attention': 1}"),
    ({**GEMMA_4, "per_layer_config": {"5": 1}},
     "config['per_layer_config']['5'] must be a dictionary, got 1"),
    (with_type(SIZES, "cohere2_moe", first_k_dense_replace={}),
     "config['first_k_dense_replace'] must be a real number, got {}"),
    (with_type({**IMAGE, **SIDES}, "sam3_vit_model", image_size=1),
     "config['image_size'] must be at least a patch, 14, got 1"),
    ({**LLAMA, "rope_teta": 64}, "config['rope_teta'] = "),
    ({**LLAMA, "ropeTheta": 64}, "config['ropeTheta'] = "),
    ({**LLAMA, "rope_scalling": 64}, "config['rope_scalling'] = "),
    ({**LLAMA, "head_dmi": 64}, "config['head_dmi'] = "),
    ({**LLAMA, "rotary_dims": 64}, "config['rotary_dims'] = "),
]  # fmt: skip


@pytest.mark.parametrize(("config", "message"), REFUSED)
def test_errors_name_the_key_the_value_and_what_is_known(config, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        layers(config)
    assert "\n" not in str(error.value)


def test_what_is_no_configuration():
    for config in (None, [LLAMA], 3):
        with pytest.raises(TypeError, match="config must be a dictionary or the path of"):
            layers(config)
    with pytest.raises(ValueError, match="length must be at least 1, got 0"):
        layers(LLAMA, 0)


WHOLE = [
    LLAMA,
    DEEPSEEK,
    GPT_OSS,
    SCOUT,
    GEMMA_3,
    PHI,
    {**LLAMA, "rope_scaling": LLAMA_31_SCALING},
    QWEN_VL_TEXT,
]
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
        stack = layers(config, data.draw(st.sampled_from([None, 1, 10**6])))
    except ValueError as error:
        assert "\n" not in str(error) and len(str(error)) < 600
    else:
        for layer in stack:
            assert np.isfinite(layer.frequencies).all() and layer.width > 0
            assert math.isfinite(layer.amplitude * layer.softmax_scale)
