"""Record what a transformers model with small random weights passes to its attention function.

Attention itself is replaced by a spy that keeps queries, keys, scale and mask, and adds nothing to
the residual stream. So every layer gets the same inputs wherever the tokens stand. If two runs with
different `position_ids` differ, the difference is what the layer does with positions.
"""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
class Inputs:
    """A layer's queries and keys at position 0 and at `positions`: (heads, length, width)."""

    q0: np.ndarray
    k0: np.ndarray
    q: np.ndarray
    k: np.ndarray
    scaling: float | None
    visible: np.ndarray | None  # (length, length): true where a query sees a key
    sink: bool


def shrink_config(model_type: str, **changes: Any) -> Any:
    """Return a configuration of this model type with small sizes and otherwise default values."""
    from transformers import CONFIG_MAPPING

    cls = CONFIG_MAPPING[model_type]
    keys = set(cls().to_dict())
    sizes = {key: size for key, size in SMALL.items() if key in keys}
    return cls(**{**sizes, **changes})


def build_model(config: Any) -> Any:
    """Return the model for a configuration, even if it is only a part of a larger model."""
    import importlib

    import torch
    from transformers import AutoModel

    try:
        return AutoModel.from_config(config, dtype=torch.float32).eval()
    except ValueError:
        code = importlib.import_module(
            type(config).__module__.replace("configuration_", "modeling_")
        )
        models = [
            cls
            for name, cls in vars(code).items()
            if name.endswith("Model")
            and isinstance(cls, type)
            and getattr(cls, "config_class", None) is type(config)
        ]
        return models[-1](config).float().eval()


def record_inputs(
    config: Any, positions: Sequence[int], ids: Any = None
) -> tuple[dict[int, Inputs], Any]:
    """Return the inputs to each layer's attention as {layer: Inputs}, and the model."""
    import torch

    torch.manual_seed(0)
    config._attn_implementation = "eager"
    model = build_model(config)
    for weights in model.parameters():
        if weights.abs().max() == 0:
            torch.nn.init.normal_(weights, std=0.02)
    t = torch.tensor(positions)
    ids = torch.arange(t.shape[-1])[None] % 13 + 1 if ids is None else ids
    runs = []
    for at in (torch.zeros_like(t), t):
        calls: dict[int, Any] = {}
        with replace_attention(model, calls), torch.no_grad():
            at = at[None] if at.dim() == 1 else at[:, None]
            model(input_ids=ids, position_ids=at, attention_mask=torch.ones_like(ids),
                  use_cache=False)  # fmt: skip
        runs.append(calls)
    zero, moved = runs
    return {i: Inputs(*zero[i][:2], *moved[i]) for i in moved}, model


def amplitudes(model: Any, positions: Sequence[int]) -> list[float]:
    """Return the amplitude of cos and sin in each call of the model's rotary embedding classes."""
    import torch

    amplitudes_of_calls: list[float] = []

    def keep_amplitude(module: Any, arguments: Any, out: Any) -> None:
        cos, sin = out if isinstance(out, tuple) else (out.real, out.imag)
        amplitudes_of_calls.append(float((cos**2 + sin**2).max().sqrt()))

    hooks = [m.register_forward_hook(keep_amplitude) for m in model.modules()
             if "RotaryEmbedding" in type(m).__name__]  # fmt: skip
    ids = torch.arange(len(positions))[None] % 13 + 1
    with torch.no_grad():
        model(input_ids=ids, position_ids=torch.tensor(positions)[None], use_cache=False)
    for hook in hooks:
        hook.remove()
    return amplitudes_of_calls


@contextlib.contextmanager
def replace_attention(model: Any, calls: dict[int, Any]) -> Iterator[None]:
    """Replace the model's attention function by one that records its inputs and returns zeros."""
    import torch

    def spy(
        module: Any,
        query: Any,
        key: Any,
        value: Any,
        attention_mask: Any,
        scaling: float | None = None,
        **more: Any,
    ) -> tuple[Any, None]:
        mask = None
        if attention_mask is not None:
            mask = attention_mask[0, 0]
            mask = (mask if mask.dtype == torch.bool else mask > -1e4).numpy()
        sink = more.get("s_aux") is not None or getattr(module, "sinks", None) is not None
        index = getattr(module, "layer_idx", None)
        if index is None or index < 0:  # a block that several layers share, for example
            index = len(calls)
        scale = scaling if scaling is not None else getattr(module, "scaling", None)
        calls[index] = (query[0].double().numpy(), key[0].double().numpy(), scale, mask, sink)
        shape = (query.shape[0], query.shape[2], query.shape[1], value.shape[-1])
        return torch.zeros(shape, dtype=value.dtype), None

    module: Any = sys.modules[type(model).__module__]
    before = module.eager_attention_forward
    module.eager_attention_forward = spy
    try:
        yield
    finally:
        module.eager_attention_forward = before


def rotate_as(layer: Any, x: NDArray[Any], positions: ArrayLike) -> NDArray[Any]:
    """Rotate queries or keys from position 0 to these positions in the way that `layer` does."""
    part = x[..., layer.start : layer.start + layer.turned]
    axes = np.zeros(layer.frequencies.size, int) if layer.axes is None else layer.axes
    t = np.asarray(positions)
    t = t[None] if t.ndim == 1 else t
    angles = t[axes] * layer.frequencies[:, None]  # (pairs, length)
    for i, angle in enumerate(angles):
        only_pair = np.zeros(layer.frequencies.size)
        only_pair[i] = 1.0
        part = rotate(part, angle, frequencies=only_pair, layout=layer.layout)
    rotated = x.copy()
    rotated[..., layer.start : layer.start + layer.turned] = part
    return rotated


def check_layers(
    inputs: dict[int, Inputs],
    stack: Sequence[Any],
    positions: Sequence[Any],
    tolerance: float = 3e-6,
    halves: bool = False,
) -> None:
    """Assert that each layer's rotation, growth, scale, window and sink are those in `stack`.

    With `halves`, the model reorders interleaved pairs to halves before it calls attention.
    """
    scored = [i for i, layer in enumerate(stack) if layer.width and layer.kind != "cross"]
    if sorted(inputs) == [*range(len(scored))]:  # modules without a number come in order
        inputs = dict(zip(scored, inputs.values(), strict=True))
    assert sorted(inputs) == scored, (sorted(inputs), scored)
    last = np.asarray(positions)
    last = last if last.ndim == 1 else last[0]
    for i in scored:
        layer, actual = stack[i], inputs[i]
        assert actual.q.shape[-1] == layer.width, (i, actual.q.shape, layer.width)
        growth = (layer.query_scale(last) / layer.query_scale(0 * last))[:, None]
        # Drop the compressed keys at the end, which stand for several tokens each.
        k0, k = (x[:, : len(last)] for x in (actual.k0, actual.k))
        for at0, at, times in ((actual.q0, actual.q, growth), (k0, k, 1.0)):
            in_layout = replace(layer, layout="halves") if halves else layer
            rotated = rotate_as(in_layout, at0, positions) if layer.turned else at0
            ours = rotated * times
            size = np.abs(at).max()
            assert size > 0
            np.testing.assert_allclose(ours / size, at / size, atol=tolerance, rtol=0,
                                       err_msg=f"layer {i}: {layer.kind}")  # fmt: skip
        np.testing.assert_allclose(
            actual.scaling * layer.width**0.5, layer.softmax_scale, rtol=1e-6, err_msg=f"layer {i}"
        )
        assert actual.sink == layer.sink, i
        if actual.visible is not None:
            near = actual.visible[:, : len(last)]
            ours = visible_keys(layer, len(last))
            if layer.kind == "indexed":  # The indexer has chosen only some of the visible keys.
                assert (near <= ours).all() and near.any(axis=1).all()
            else:
                np.testing.assert_array_equal(near, ours, err_msg=f"layer {i}: {layer.kind}")


def visible_keys(layer: Any, length: int) -> NDArray[np.bool_]:
    """Return a boolean array (queries, keys) that is true where a query sees a key."""
    t = np.arange(length)
    offset = t[:, None] - t
    is_near = np.abs(offset) < (layer.window or length)
    if layer.kind == "chunked":
        is_near = t[:, None] // layer.window == t // layer.window
    return is_near if layer.two_sided else is_near & (offset >= 0)
