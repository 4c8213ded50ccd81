"""Trace small models of transformers while they read a prompt, healthy and with a fault planted."""

import numpy as np
import pytest

from pe_lib import doctor


def test_what_cannot_be_traced():
    with pytest.raises(TypeError, match=r"model must be a torch.nn.Module, got dict"):
        doctor.trace({})


SIZES = {"vocab_size": 50, "hidden_size": 64, "intermediate_size": 32, "num_hidden_layers": 4,
         "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16}  # fmt: skip


@pytest.fixture
def build():
    """Return a function that builds a small model with a language head."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)

    def build_model(kind, **changes):
        cls = transformers.CONFIG_MAPPING[kind]
        return transformers.AutoModelForCausalLM.from_config(cls(**{**SIZES, **changes})).eval()

    return build_model


@pytest.mark.parametrize(
    ("kind", "changes", "bases"),
    [
        ("llama", {}, dict.fromkeys(range(4), 10000.0)),
        ("gemma3_text", {"num_hidden_layers": 6, "sliding_window": 5},
         {**dict.fromkeys(range(5), 1e4), 5: 1e6}),
        # every fourth layer gets cosines and does not use them
        ("smollm3", {"pad_token_id": 0}, dict.fromkeys(range(3), 2000000.0)),
        ("cohere2", {"sliding_window": 5}, dict.fromkeys(range(3), 10000.0)),
        ("llama4_text", {"num_local_experts": 2, "intermediate_size_mlp": 32},
         dict.fromkeys(range(3), 500000.0)),
    ],
)  # fmt: skip
@pytest.mark.peers
def test_what_each_layer_used(kind, changes, bases, build):
    result = doctor.trace(build(kind, **changes))
    assert result.status == "healthy" and result.cached < 1e-5 and result.padded < 1e-5, result
    used = {int(name.split(".layers.")[1].split(".")[0]): x for name, x in result.cosines.items()}
    assert used.keys() == bases.keys()
    for layer, base in bases.items():
        angles = np.outer(np.arange(16), base ** (-np.arange(8) / 8))
        cos, sin = used[layer]
        repeat = np.tile if np.array_equal(cos[:, :8], cos[:, 8:]) else None
        columns = angles if cos.shape[1] == 8 else repeat(angles, 2) if repeat else np.repeat(
            angles, 2, axis=1)  # fmt: skip
        np.testing.assert_allclose(cos, np.cos(columns), atol=1e-5)
        np.testing.assert_allclose(sin, np.sin(columns), atol=1e-5)


@pytest.mark.peers
def test_half_precision_is_healthy(build):
    import torch

    result = doctor.trace(build("qwen2").to(torch.bfloat16))
    assert result.status == "healthy" and result.cached < 0.1, result


@pytest.mark.peers
def test_positions_that_begin_anew_with_each_token(build):
    """Give each token after the prompt position 0, as ports with a cache often do."""
    import torch

    model = build("llama")
    forward = model.forward

    def from_zero(ids, **more):
        return forward(ids, position_ids=torch.arange(ids.shape[1])[None], **more)

    model.forward = from_zero
    result = doctor.trace(model)
    assert result.status == "found" and result.problems == ["cache_differs"], result
    assert result.cached > 1e-3 and "first-token-fine-then-garbage" in str(result)


@pytest.mark.peers
def test_layers_that_use_another_base_than_configured(build):
    model = build("llama")
    model.config.rope_parameters = {"rope_type": "default", "rope_theta": 5e5}
    result = doctor.trace(model)
    assert result.problems == ["base_differs"] and "(layers 0–3)" in str(result), result


@pytest.mark.peers
def test_layers_that_get_the_cosines_of_another_type(build):
    """Give all layers the cosines of the full layers, whose own buffers stay as they should be."""
    model = build("gemma3_text", num_hidden_layers=6, sliding_window=5)
    rotary = model.model.rotary_emb
    forward = rotary.forward
    rotary.forward = lambda x, positions, layer_type: forward(x, positions, "full_attention")
    assert doctor.examine(model).status == "healthy"
    result = doctor.trace(model)
    assert result.problems == ["other_layers"], result
    assert "the 5 sliding layers should have their own: base 10,000." in str(result)


@pytest.mark.peers
def test_a_model_that_adds_a_table_is_looked_at_all_the_same(build):
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 2, "bos_token_id": 0, "eos_token_id": 0}
    import transformers

    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=50, **sizes)).eval()
    result = doctor.trace(model, [5, 6, 7, 8, 9, 10, 11, 12])
    assert result.status == "not compared" and not result.cosines
    assert result.cached < 1e-5 and result.padded > 1e-2
    assert "Give position_ids beside padding" in str(result)
