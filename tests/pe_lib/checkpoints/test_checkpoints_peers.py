"""Every kind of decoder against the model itself in transformers, with tiny random weights.

`checkpoint_spy` catches what each layer hands to its attention. It has to be what
`pe_lib.checkpoints` says of the same configuration: which entries turn, how fast, in which layout,
where not at all, how scores are scaled, which keys are seen.
"""

import numpy as np
import pytest
from checkpoint_spy import check, shrunk, watched

from pe_lib.checkpoints import layers
from pe_lib.checkpoints._models import DECODERS

pytestmark = pytest.mark.peers
REASON = "transformers and torch are large and only compared with"
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
    "glm4v_moe_text": {"rope_parameters": BLOCKS},
    "granitemoehybrid": {"layer_types": ["linear_attention", "full_attention"] * 4,
                         "position_embedding_type": "rope", "rope_parameters": {"rope_theta": 1e4}},
    "granite": {"attention_multiplier": 0.015625},
    "helium": {"head_dim": 64},
    "hunyuan_v1_dense": {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 1e4,
                                             "alpha": 1000.0, "factor": 1.0}},
    "hunyuan_v1_moe": {"rope_theta": 1e4},
    "kimi_linear": {"num_experts_per_token": 1, "num_experts": 2},
    "llama4_text": {"attention_chunk_size": 5, "head_dim": 64, "moe_layers": []},
    "ministral": {"rope_theta": 1e4},
    "qwen2": {"use_sliding_window": True, "max_window_layers": 3},
    "qwen2_vl_text": {**WIDE, "head_dim": None},
    "qwen2_5_vl_text": {**WIDE, "head_dim": None},
    "qwen3_vl_text": WIDE,
    "qwen3_vl_moe_text": WIDE,
    "recurrent_gemma": {"block_types": ["attention"], "attention_window_size": 5},
}  # fmt: skip
NO_SPY = {"codegen", "gptj", "falcon"}  # older code without `eager_attention_forward`
# DeepSeek's code reorders interleaved weights on the way: what attention sees are halves
REORDERED = {"deepseek_v3", "deepseek_v32", "glm4_moe_lite", "glm_moe_dsa", "mistral4"}


def compare(model_type, changes, positions=T, length=None, tolerance=3e-6):
    pytest.importorskip("torch", reason=REASON)
    pytest.importorskip("transformers", minversion="5", reason=REASON)
    plain = shrunk(model_type)
    if getattr(plain, "sliding_window", None) and "sliding_window" in plain.to_dict():
        changes = {"sliding_window": 5, **changes}
    config = shrunk(model_type, **changes)
    made = layers(config.to_dict(), length)
    found, model = watched(config, positions)
    check(found, made, positions, tolerance, halves=model_type in REORDERED)
    return made, found, model


@pytest.mark.parametrize("model_type", sorted(DECODERS.keys() - NO_SPY))
def test_what_attention_is_given(model_type):
    config = DECODERS[model_type]
    positions = M_ROPE if config.sections[0] else T
    made, found, _ = compare(model_type, CHANGES.get(model_type, {}), positions)
    assert found
