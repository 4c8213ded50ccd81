"""The doctor before buffers that models' own classes make: make peers."""

import importlib

import pytest

from pe_lib.doctor import _config, identify, probe

pytestmark = pytest.mark.peers
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192, "rope_theta": 5e5}  # fmt: skip
YARN = {"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0,
        "truncate": False, "original_max_position_embeddings": 4096,
        "rope_theta": 1.5e5}  # fmt: skip
LONG = {"rope_type": "longrope", "rope_theta": 1e4,
        "long_factor": [round(1.0 + 0.7 * i, 2) for i in range(48)],
        "short_factor": [round(1.0 + 0.05 * i, 2) for i in range(48)],
        "original_max_position_embeddings": 4096}  # fmt: skip
LENGTHS = {"max_position_embeddings": 131072, "original_max_position_embeddings": 4096}


def plain(base, **more):
    return {"rope_parameters": {"rope_type": "default", "rope_theta": base, **more}}


def width(hidden, heads):
    return {"hidden_size": hidden, "num_attention_heads": heads}


# family, the name of its class, what its configuration says, the scaling that is to be found
TURNED = [
    ("llama", "Llama", {"head_dim": 128, "rope_parameters": LLAMA3}, "llama3"),
    ("mistral", "Mistral", {"head_dim": 128, **plain(1e6)}, "none"),
    ("qwen3", "Qwen3", {"head_dim": 128, **plain(1e6)}, "none"),
    ("gpt_oss", "GptOss", {"head_dim": 64, "rope_parameters": YARN}, "yarn"),
    ("phi3", "Phi3", {**width(3072, 32), **LENGTHS, "rope_parameters": LONG}, "longrope"),
    ("gpt_neox", "GPTNeoX", width(512, 8) | plain(1e4, partial_rotary_factor=0.25), "none"),
    ("olmo2", "Olmo2", width(4096, 32) | plain(5e5), "none"),
    ("smollm3", "SmolLM3", width(2048, 16) | plain(5e6), "none"),
]


@pytest.mark.parametrize(
    ("family", "name", "said", "scaling"), TURNED, ids=[row[0] for row in TURNED]
)
def test_rotary_buffers_are_as_configured(family, name, said, scaling):
    import torch

    module = importlib.import_module(f"transformers.models.{family}.modeling_{family}")
    settings = importlib.import_module(f"transformers.models.{family}.configuration_{family}")
    config = getattr(settings, f"{name}Config")(**said)
    rotary = getattr(module, f"{name}RotaryEmbedding")(config)
    want = _config.read({**config.to_dict(), "model_type": family})
    d = _config.against(identify(rotary.inv_freq.numpy()), want)
    assert d.scheme == "rotary" and d.scaling == scaling and not d.problems, str(d)

    where = torch.arange(256)[None]
    cos, sin = (x[0].numpy() for x in rotary(torch.zeros(1, 256, 8), where))
    d = _config.against(identify(cos, sin), want)
    assert d.scheme == "rotary" and not d.problems, str(d)
    lost = {**config.to_dict(), "rope_parameters": None, "rope_theta": 777.0}
    assert "base_differs" in _config.against(identify(cos, sin), _config.read(lost)).problems


def test_biases_tables_and_functions_of_models():
    import torch
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb
    from transformers.models.t5.modeling_t5 import T5Attention, T5Config
    from transformers.models.whisper.modeling_whisper import sinusoids

    bloom = build_alibi_tensor(torch.ones(1, 40, dtype=torch.long), 12, torch.float32)
    d = identify(bloom.numpy())
    assert (d.scheme, d.sure, d.details["heads"], d.problems) == ("alibi", True, 12, []), str(d)
    torch.manual_seed(0)
    bias = T5Attention(T5Config(), has_relative_attention_bias=True).compute_bias(200, 200)
    d = identify(bias[0].detach().numpy())
    assert d.scheme == "t5" and d.sure
    assert d.details["buckets"] == 32 and d.details["max_distance"] == 128
    d = identify(sinusoids(1500, 384).numpy())
    assert (d.layout, d.exponent, d.base) == ("sines_first", "i/(d/2-1)", 1e4), str(d)
    w = 1e4 ** (-torch.arange(32, dtype=torch.float64) / 32)

    def turned(x, t):
        angles = torch.cat([w, w])[None, None] * t
        x = torch.as_tensor(x)[None, None, None]
        return apply_rotary_pos_emb(x, x, angles.cos(), angles.sin())[0][0, 0, 0].numpy()

    assert probe(turned, 64).layout == "halves"
