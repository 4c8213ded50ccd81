"""Provide small configurations of each kind of model, for the tests of `pe_lib.checkpoints`."""

SIZES = {"hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 4}
IMAGE = {"hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 1}
SIDES = {"image_size": 560, "patch_size": 14}

LLAMA = {**SIZES, "model_type": "llama"}
LLAMA_31_SCALING = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
DEEPSEEK_SCALING = {
    "type": "yarn",
    "factor": 40,
    "beta_fast": 32,
    "beta_slow": 1,
    "mscale": 1.0,
    "mscale_all_dim": 1.0,
    "original_max_position_embeddings": 4096,
}
DEEPSEEK = {
    "model_type": "deepseek_v3",
    "num_hidden_layers": 3,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "rope_theta": 10000,
    "max_position_embeddings": 163840,
    "rope_scaling": DEEPSEEK_SCALING,
}
GPT_OSS = {
    "model_type": "gpt_oss",
    "num_hidden_layers": 4,
    "rope_theta": 150000,
    "head_dim": 64,
    "rope_scaling": {
        "rope_type": "yarn",
        "factor": 32.0,
        "beta_fast": 32.0,
        "beta_slow": 1.0,
        "truncate": False,
        "original_max_position_embeddings": 4096,
    },
}
SCOUT = {
    "model_type": "llama4_text",
    "num_hidden_layers": 4,
    "head_dim": 128,
    "rope_theta": 500000.0,
    "attention_chunk_size": 8192,
    "rope_scaling": {**LLAMA_31_SCALING, "factor": 16.0, "high_freq_factor": 1.0},
}
GEMMA_3 = {
    "model_type": "gemma3_text",
    "num_hidden_layers": 12,
    "sliding_window": 1024,
    "query_pre_attn_scalar": 168,
    "head_dim": 128,
    "rope_scaling": {"rope_type": "linear", "factor": 8.0},
}
GEMMA_4 = {"model_type": "gemma4_text", "num_hidden_layers": 6}
PHI_SHORT = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]
PHI_LONG = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 32.0, 64.0]
PHI_SCALING = {"type": "su", "short_factor": PHI_SHORT, "long_factor": PHI_LONG}
PHI = {
    "model_type": "phi3",
    "num_hidden_layers": 2,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "max_position_embeddings": 131072,
    "original_max_position_embeddings": 4096,
    "sliding_window": 262144,
    "rope_theta": 10000.0,
    "rope_scaling": PHI_SCALING,
}
QWEN_VL_TEXT = {
    "model_type": "qwen3_vl_text",
    "num_hidden_layers": 2,
    "head_dim": 128,
    "rope_theta": 5000000.0,
    "rope_scaling": {
        "mrope_interleaved": True,
        "mrope_section": [24, 20, 20],
        "rope_type": "default",
    },
}
QWEN_VL = {"model_type": "qwen3_vl", "text_config": QWEN_VL_TEXT}
DYNAMIC = {
    **LLAMA,
    "max_position_embeddings": 2048,
    "rope_scaling": {"type": "dynamic", "factor": 2.0},
}

# models without rotation
BERT = {
    "model_type": "bert",
    "hidden_size": 768,
    "num_attention_heads": 12,
    "num_hidden_layers": 2,
    "max_position_embeddings": 512,
}
T5 = {
    "model_type": "t5",
    "d_kv": 64,
    "num_layers": 2,
    "d_model": 512,
    "relative_attention_num_buckets": 32,
}
WHISPER = {
    "model_type": "whisper",
    "d_model": 384,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 6,
    "decoder_attention_heads": 6,
    "max_source_positions": 1500,
    "max_target_positions": 448,
}
WAV2VEC = {**IMAGE, "model_type": "wav2vec2", "num_conv_pos_embeddings": 128}

# models of images
TOWER = {
    "model_type": "qwen2_5_vl",
    "depth": 2,
    "hidden_size": 1280,
    "num_heads": 16,
    "patch_size": 14,
    "window_size": 112,
    "fullatt_block_indexes": [1],
}
VIT = {**IMAGE, "model_type": "vit", "image_size": 224, "patch_size": 16}
FLUX = {
    "_class_name": "FluxTransformer2DModel",
    "num_layers": 1,
    "num_single_layers": 1,
    "attention_head_dim": 128,
    "axes_dims_rope": [16, 56, 56],
}

# Step 3.5 has a base and a rotated fraction for each layer, in the vendor's own spelling.
STEP = {
    "model_type": "step3p5",
    "hidden_size": 256,
    "num_hidden_layers": 5,
    "num_attention_heads": 4,
    "head_dim": 128,
    "rope_theta": [5000000.0, 10000.0, 10000.0, 5000000.0, 5000000.0],
    "rope_scaling": None,
    "layer_types": [
        "full_attention",
        "sliding_attention",
        "sliding_attention",
        "full_attention",
        "full_attention",
    ],
    "partial_rotary_factors": [0.5, 1.0, 1.0, 0.5, 0.5],
    "sliding_window": 512,
}
