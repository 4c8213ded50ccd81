"""What a model of transformers hands to its attention, with tiny random weights.

Attention itself is replaced by a spy that keeps queries, keys, scale and mask, and adds nothing to
the residual stream. So every layer gets the same inputs wherever the tokens stand, and what two
runs with different `position_ids` differ in is what the layer does with positions.
"""

import contextlib
import sys
from dataclasses import dataclass, replace

import numpy as np

from pe_lib.rotary import rotate

SMALL = {
    "n_embd": 128, "n_layer": 8, "n_head": 2, "n_inner": 16,
    "vocab_size": 16, "hidden_size": 128, "num_attention_heads": 2, "num_key_value_heads": 2,
    "intermediate_size": 16, "num_hidden_layers": 8, "moe_intermediate_size": 8, "n_group": 1,
    "topk_group": 1, "num_experts": 2, "num_local_experts": 2, "n_routed_experts": 2,
    "num_experts_per_tok": 1, "n_shared_experts": 1, "pad_token_id": 0, "bos_token_id": 1,
    "eos_token_id": 2, "q_lora_rank": 8, "kv_lora_rank": 8, "v_head_dim": 8,
    "shared_expert_intermediate_size": 8, "moe_num_experts": 2, "moe_k": 1, "moe_topk": 1,
    "attention_dropout": 0.0, "shared_intermediate_size": 8, "vocab_size_per_layer_input": 16,
    "hidden_size_per_layer_input": 8, "intermediate_size_mlp": 8,
    "linear_num_key_heads": 2, "linear_num_value_heads": 2, "linear_key_head_dim": 8,
    "linear_value_head_dim": 8, "mamba_n_heads": 8, "mamba_d_state": 8, "mamba_d_head": 32,
    "index_n_heads": 2, "index_head_dim": 64, "index_topk": 4, "moe_num_shared_experts": 1,
    "ffn_hidden_size": 16, "expert_ffn_hidden_size": 8, "zero_expert_num": 1, "num_layers": 4,
    "moe_num_experts_per_tok": 1, "dense_intermediate_size": 8,
}  # fmt: skip


@dataclass
class Seen:
    """Of one layer: queries and keys at position 0 and at `positions`, (heads, length, width)."""

    q0: np.ndarray
    k0: np.ndarray
    q: np.ndarray
    k: np.ndarray
    scaling: float | None
    visible: np.ndarray | None  # (length, length): which keys each query sees
    sink: bool


def shrunk(model_type, **changes):
    """A configuration of this kind with small sizes, and everything else as its class has it."""
    from transformers import CONFIG_MAPPING

    cls = CONFIG_MAPPING[model_type]
    known = set(cls().to_dict())
    sizes = {k: v for k, v in SMALL.items() if k in known}
    return cls(**{**sizes, **changes})


def built(config):
    """The model that this configuration makes, a part of another among them."""
    import importlib

    import torch
    from transformers import AutoModel

    try:
        return AutoModel.from_config(config, dtype=torch.float32).eval()
    except ValueError:
        code = importlib.import_module(
            type(config).__module__.replace("configuration_", "modeling_")
        )
        found = [c for n, c in vars(code).items() if n.endswith("Model") and isinstance(c, type)
                 and getattr(c, "config_class", None) is type(config)]  # fmt: skip
        return found[-1](config).float().eval()


def watched(config, positions, ids=None):
    """What each layer's attention is given: {layer: Seen}."""
    import torch

    torch.manual_seed(0)
    config._attn_implementation = "eager"
    model = built(config)
    for weights in model.parameters():
        if weights.abs().max() == 0:
            torch.nn.init.normal_(weights, std=0.02)
    t = torch.tensor(positions)
    ids = torch.arange(t.shape[-1])[None] % 13 + 1 if ids is None else ids
    runs = []
    for at in (torch.zeros_like(t), t):
        kept = {}
        with spying(model, kept), torch.no_grad():
            at = at[None] if at.dim() == 1 else at[:, None]
            model(input_ids=ids, position_ids=at, attention_mask=torch.ones_like(ids),
                  use_cache=False)  # fmt: skip
        runs.append(kept)
    zero, moved = runs
    return {i: Seen(*zero[i][:2], *moved[i]) for i in moved}, model


def amplitudes(model, positions):
    """What the model's rotary classes multiply cos and sin by: one for each call of a run."""
    import torch

    found = []

    def keep(module, given, out):
        both = out if isinstance(out, tuple) else (out.real, out.imag)
        found.append(float((both[0] ** 2 + both[1] ** 2).max().sqrt()))

    hooks = [m.register_forward_hook(keep) for m in model.modules()
             if "RotaryEmbedding" in type(m).__name__]  # fmt: skip
    ids = torch.arange(len(positions))[None] % 13 + 1
    with torch.no_grad():
        model(input_ids=ids, position_ids=torch.tensor(positions)[None], use_cache=False)
    for hook in hooks:
        hook.remove()
    return found


@contextlib.contextmanager
def spying(model, kept):
    import torch

    def spy(module, query, key, value, attention_mask, scaling=None, **more):
        mask = None
        if attention_mask is not None:
            seen = attention_mask[0, 0]
            mask = (seen if seen.dtype == torch.bool else seen > -1e4).numpy()
        sink = more.get("s_aux") is not None or getattr(module, "sinks", None) is not None
        index = getattr(module, "layer_idx", len(kept))
        scale = scaling if scaling is not None else getattr(module, "scaling", None)
        kept[index] = (query[0].double().numpy(), key[0].double().numpy(), scale, mask, sink)
        shape = (query.shape[0], query.shape[2], query.shape[1], value.shape[-1])
        return torch.zeros(shape, dtype=value.dtype), None

    module = sys.modules[type(model).__module__]
    before = module.eager_attention_forward
    module.eager_attention_forward = spy
    try:
        yield
    finally:
        module.eager_attention_forward = before


def turned(x, positions, layer):
    """Queries or keys as `layer` says that they are turned, from those at position 0."""
    part = x[..., layer.start : layer.start + layer.turned]
    axes = np.zeros(layer.frequencies.size, int) if layer.axes is None else layer.axes
    at = np.asarray(positions)
    at = at[None] if at.ndim == 1 else at
    angles = at[axes] * layer.frequencies[:, None]  # (pairs, length)
    out = x.copy()
    new = part
    for i, angle in enumerate(angles):
        alone = np.zeros(layer.frequencies.size)
        alone[i] = 1.0
        new = rotate(new, angle, frequencies=alone, layout=layer.layout)
    out[..., layer.start : layer.start + layer.turned] = new
    return out


def check(found, made, positions, tolerance=3e-6, halves=False):
    """Every layer's turning, growth, scale, window and sink are as `made` says.

    `halves`: the model brings interleaved pairs into halves before attention sees them.
    """
    scored = [i for i, layer in enumerate(made) if layer.width and layer.kind != "cross"]
    assert sorted(found) == scored, (sorted(found), scored)
    last = np.asarray(positions)
    last = last if last.ndim == 1 else last[0]
    for i in scored:
        layer, seen = made[i], found[i]
        assert seen.q.shape[-1] == layer.width, (i, seen.q.shape, layer.width)
        growth = (layer.query_scale(last) / layer.query_scale(0 * last))[:, None]
        k0, k = (x[:, : len(last)] for x in (seen.k0, seen.k))  # without those of several tokens
        for at0, at, times in ((seen.q0, seen.q, growth), (k0, k, 1.0)):
            seen_as = replace(layer, layout="halves") if halves else layer
            ours = turned(at0, positions, seen_as) * times if layer.turned else at0 * times
            size = np.abs(at).max()
            assert size > 0
            np.testing.assert_allclose(ours / size, at / size, atol=tolerance, rtol=0,
                                       err_msg=f"layer {i}: {layer.kind}")  # fmt: skip
        np.testing.assert_allclose(
            seen.scaling * layer.width**0.5, layer.softmax_scale, rtol=1e-6, err_msg=f"layer {i}"
        )
        assert seen.sink == layer.sink, i
        if seen.visible is not None:
            near = seen.visible[:, : len(last)]  # behind them stand keys of several tokens
            ours = visible(layer, len(last))
            if layer.kind == "indexed":  # some of them: those that the indexer chose
                assert (near <= ours).all() and near.any(axis=1).all()
            else:
                np.testing.assert_array_equal(near, ours, err_msg=f"layer {i}: {layer.kind}")


def visible(layer, length):
    t = np.arange(length)
    offset = t[:, None] - t
    seen = np.abs(offset) < (layer.window or length)
    if layer.kind == "chunked":
        seen = t[:, None] // layer.window == t // layer.window
    return seen if layer.two_sided else seen & (offset >= 0)
