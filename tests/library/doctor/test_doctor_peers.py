"""The doctor before buffers that models' own classes make: make peers."""

import importlib

import pytest

from pe_lib.doctor import _config, identify

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
    ("qwen3", "Qwen3", {"head_dim": 128, **plain(1e6)}, "none"),
    ("gpt_oss", "GptOss", {"head_dim": 64, "rope_parameters": YARN}, "yarn"),
    ("phi3", "Phi3", {**width(3072, 32), **LENGTHS, "rope_parameters": LONG}, "longrope"),
    ("gpt_neox", "GPTNeoX", width(512, 8) | plain(1e4, partial_rotary_factor=0.25), "none"),
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
