"""Every kind of decoder against the model itself in transformers, with tiny random weights.

`checkpoint_spy` catches what each layer hands to its attention. It has to be what
`pe_lib.checkpoints` says of the same configuration: which entries turn, how fast, in which layout,
where not at all, how scores are scaled, which keys are seen.
"""

import numpy as np
import pytest
from checkpoint_spy import amplitudes, check, shrunk, watched

from pe_lib.checkpoints import layers
from pe_lib.checkpoints._models import model, stored

pytestmark = pytest.mark.peers
T = list(range(12))
M_ROPE = np.array([T, [t // 3 for t in T], [t % 3 for t in T]])

BLOCKS = {"mrope_section": [8, 12, 12], "rope_type": "default", "rope_theta": 1e4}
YARN = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 8.0,
        "original_max_position_embeddings": 256}  # fmt: skip
LLAMA_3 = {"rope_type": "llama3", "rope_theta": 5e5, "factor": 8.0, "low_freq_factor": 1.0,
           "high_freq_factor": 4.0, "original_max_position_embeddings": 256}  # fmt: skip
LONG = {"rope_type": "longrope", "rope_theta": 1e4, "short_factor": [1 + i / 99 for i in range(32)],
        "long_factor": [1 + i / 3 for i in range(32)],
        "original_max_position_embeddings": 16}  # fmt: skip
WIDE = {"num_attention_heads": 2, "hidden_size": 256, "head_dim": 128}

# what some kinds need beside small sizes, or what makes them do more than their defaults
CHANGES = {
    "bamba": {"attn_layer_indices": [1, 3]},
    "falcon_h1": {"mamba_d_ssm": 256, "mamba_n_heads": 8, "mamba_d_head": 32},
    "gemma3n_text": {"num_kv_shared_layers": 0, "num_hidden_layers": 5,
                     "activation_sparsity_pattern": [0.0] * 5, "intermediate_size": [16] * 5},
    "gemma4_text": {"num_kv_shared_layers": 0},
    "glm4v_text": {"rope_parameters": {**BLOCKS, "partial_rotary_factor": 0.5}, **WIDE},
    "glm4v_moe_text": {"rope_parameters": {**BLOCKS, "partial_rotary_factor": 0.5}, **WIDE},
    "granitemoehybrid": {"layer_types": ["linear_attention", "full_attention"] * 4,
                         "position_embedding_type": "rope", "rope_parameters": {"rope_theta": 1e4}},
    "granite": {"attention_multiplier": 0.015625},
    "helium": {"head_dim": 64},
    "hunyuan_v1_dense": {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 1e4,
                                             "alpha": 1000.0, "factor": 1.0}, "head_dim": 64},
    "hunyuan_v1_moe": {"head_dim": 64},
    "kimi_linear": {"num_experts_per_token": 1, "num_experts": 2},
    "llama4_text": {"attention_chunk_size": 5, "head_dim": 64, "moe_layers": []},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 4},
    "minimax_m3_vl_text": {"partial_rotary_factor": 0.5},
    "ministral": {"head_dim": 64},
    "qwen2": {"use_sliding_window": True, "max_window_layers": 3},
    "qwen2_vl_text": {**WIDE, "head_dim": None},
    "qwen2_5_vl_text": {**WIDE, "head_dim": None},
    "qwen3_vl_text": WIDE,
    "qwen3_vl_moe_text": WIDE,
    "bailing_hybrid": {"num_experts": 8, "num_expert_group": 2, "topk_group": 1,
                       "num_hidden_layers": 12},
    "diffusion_gemma_text": {"top_k_experts": 1, "num_kv_shared_layers": 0},
    "ernie4_5_vl_moe_text": {**WIDE, "moe_intermediate_size": [8, 8], "num_hidden_layers": 2},
    "glm_image_text": {"rope_parameters": {**BLOCKS, "partial_rotary_factor": 0.5}, **WIDE},
    "glm_ocr_text": {"rope_parameters": {**BLOCKS, "partial_rotary_factor": 0.5}, **WIDE},
    "cosmos3_edge_text": WIDE,
    "paddleocr_vl_text": WIDE,
    "qwen2_5_omni_text": {**WIDE, "head_dim": None, "rope_parameters": {
        "rope_theta": 1e6, "rope_type": "default", "mrope_section": [16, 24, 24]}},
    "qwen3_omni_moe_text": WIDE,
    "qwen4_exp_text": {"indexer_n_heads": 2, "indexer_kv_heads": 1, "indexer_head_dim": 64,
                       "indexer_budget": 8, "indexer_compress_ratio": 2},
    "step3p5": {"sliding_window": 5, "layer_types": ["full_attention", "sliding_attention"] * 4,
                "rope_theta": [5e6, 1e4] * 4, "partial_rotary_factors": [0.5, 1.0] * 4},
    "recurrent_gemma": {"block_types": ["attention"], "attention_window_size": 5},
}  # fmt: skip
NO_SPY = {
    "codegen", "gptj", "falcon", "moonshine",  # older code without `eager_attention_forward`
    "dbrx", "t5_gemma_module", "voxtral_realtime_text",  # parts that don't run by themselves
    "longcat_flash", "qwen3_omni_moe_talker_text",
}  # fmt: skip
# DeepSeek's code reorders interleaved weights on the way: what attention sees are halves
REORDERED = {
    "axk1",
    "axk2",
    "bailing_hybrid",
    "longcat_flash",
    "youtu",
    "deepseek_v3",
    "deepseek_v32",
    "glm4_moe_lite",
    "glm_moe_dsa",
    "mistral4",
}


def stacks():
    """The kinds whose heads are turned and that transformers has."""
    rows, classes, _ = stored()
    return sorted(k for k, row in rows.items()
                  if k in classes and not {"reader", "refused"} & row.keys())  # fmt: skip


def compare(model_type, changes, positions=T, length=None, tolerance=3e-6):
    plain = shrunk(model_type, **changes)
    if getattr(plain, "sliding_window", None) and "sliding_window" in plain.to_dict():
        changes = {"sliding_window": 5, **changes}
    config = shrunk(model_type, **changes)
    made = layers(config.to_dict(), length)
    found, model = watched(config, positions)
    check(found, made, positions, tolerance, halves=model_type in REORDERED)
    # slow pairs hardly move in a few positions: the model's own buffers hold them
    theirs = [w.double().numpy() for n, w in model.named_buffers() if n.endswith("inv_freq")]
    for layer in made:
        if layer.turned:
            same = [
                w.size == layer.frequencies.size
                and np.allclose(np.sort(w), np.sort(layer.frequencies), rtol=1e-6, atol=0)
                for w in theirs
            ]
            assert any(same), layer
    return made, found, model


@pytest.mark.parametrize("model_type", sorted({*stacks()} - NO_SPY))
def test_what_attention_is_given(model_type):
    positions = M_ROPE if model(model_type).sections else T
    _, found, _ = compare(model_type, CHANGES.get(model_type, {}), positions)
    assert found


SCALED = [
    ("llama", {"rope_parameters": {"rope_type": "linear", "rope_theta": 1e4, "factor": 4.0}}, None),
    ("llama", {"rope_parameters": LLAMA_3}, None),
    ("llama", {"rope_parameters": YARN}, None),
    ("llama", {"rope_parameters": {**YARN, "truncate": False, "beta_fast": 16.0}}, None),
    ("llama", {"rope_parameters": {**YARN, "attention_factor": 1.5, "beta_slow": 2.0}}, None),
    ("llama", {"rope_parameters": {**YARN, "mscale": 1.0, "mscale_all_dim": 0.5}}, None),
    ("llama", {"rope_parameters": {"rope_type": "proportional", "rope_theta": 1e4,
                                   "partial_rotary_factor": 0.25}}, None),
    ("llama", {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0},
               "max_position_embeddings": 64}, 300),
    ("deepseek_v3", {"rope_parameters": {**YARN, "mscale": 1.0, "mscale_all_dim": 1.0}}, None),
    ("gemma3_text", {"rope_parameters": {"full_attention": YARN,
                                         "sliding_attention": {"rope_theta": 1e4}}}, None),
    ("gemma3_text", {"rope_scaling": {"rope_type": "linear", "factor": 8.0}}, None),
    ("olmo3", {"rope_scaling": {k: YARN[k] for k in YARN if k != "rope_theta"},
               "rope_theta": 5e5}, None),
    ("phi3", {"rope_parameters": LONG, "max_position_embeddings": 4096,
              "original_max_position_embeddings": 16}, None),
    ("phi3", {"rope_parameters": LONG, "max_position_embeddings": 4096,
              "original_max_position_embeddings": 16}, 300),
    ("stablelm", {"rope_parameters": {**YARN, "partial_rotary_factor": 0.5}}, None),
    ("minimax_m2", {"rotary_dim": 32, "head_dim": 64}, None),
    ("qwen3_5_text", {"rope_parameters": {"rope_theta": 1e6, "mrope_section": [3, 3, 2],
                                          "partial_rotary_factor": 0.25}, "head_dim": 64}, None),
]  # fmt: skip


@pytest.mark.parametrize(("model_type", "changes", "length"), SCALED)
def test_every_type_of_scaling(model_type, changes, length):
    """At a length beyond the switch the last token stands there, and float32 keeps less."""
    axes = model(model_type).sections
    positions = M_ROPE if axes else T if length is None else [*T[:-1], length - 1]
    made, found, theirs = compare(model_type, changes, positions, length, 3e-6 if length is None
                                 else 3e-5)  # fmt: skip
    assert found
    if not axes:
        seen = {round(a, 5) for a in amplitudes(theirs, positions)}
        assert seen == {round(layer.amplitude, 5) for layer in made}


@pytest.mark.parametrize("model_type", ["ministral3", "mistral4"])
def test_temperatures_that_grow(model_type):
    """Thousands of positions on, where turned entries are less exact in float32."""
    positions = [0, 1, 8190, 8191, 8192, 16_382, 16_383, 16_384, 17_000, 20_000, 40_000, 99_999]
    made, _, _ = compare(model_type, {"num_hidden_layers": 2}, positions, None, 0.02)
    assert all(layer.query_scale(positions)[-1] > 1.15 for layer in made)
