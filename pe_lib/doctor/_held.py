"""What in a model holds positions: tensors of known names, and small ones of unknown names."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

# tensors that hold positions, as published models name them
KNOWN = re.compile(
    r"(^|[._/])(inv_freq|freqs?|freqs_cis|rope_freqs|cos|sin|cos_cached|sin_cached|cos_sin_cache|"
    r"cos_cache|sin_cache|freqs_cos|freqs_sin|pos_embed|pos_embedding|position_embed\w*|"
    r"positional_embedding|pos_emb|wpe|embed_positions|pe|positional_encoding|pos_table|"
    r"relative_attention_bias|relative_position_bias_table|alibi(_bias|_slopes)?|slopes|"
    r"position_embd|attn_rel_b)([._/]?weights?)?$|(^|[./])attn(\.attention)?\.bias$"
)
FREQUENCIES = re.compile(r"(^|[._/])(inv_freq|rope_freqs)([._/]?weights?)?$")
MASK = re.compile(r"(^|[./])attn(\.attention)?\.bias$")  # of one axis it is another bias
# weights and what counts: their names say that they are no positions
OTHER = re.compile(
    r"(weight|bias|ids|num_batches_tracked|running_mean|running_var)$|(^|[._/])"
    r"(embed_tokens|wte|word_embeddings|shared|lm_head|[qkvo]_proj|\w*norm\w*|scales?)([._/]|$)"
)
LAYER = re.compile(r"(?:^|[._/])(?:layers?|h|blocks?|blk|resblocks)[._/](\d+)(?=[._/])")
SMALL = 1 << 22  # entries of a tensor of unknown name that is looked at


def held(model: Any) -> dict[str, Any]:
    """By name, what may hold positions: arrays, tensors, or functions that read one."""
    if hasattr(model, "named_modules"):
        found = {n: x for n, x in model.named_parameters() if KNOWN.search(n)}
        found |= {n: x for n, x in model.named_buffers() if _maybe(n, x)}
        for name, module in model.named_modules():
            for key, x in vars(module).items():  # some keep their cache as a plain attribute
                if hasattr(x, "detach") and KNOWN.search(key):
                    found[f"{name}.{key}".lstrip(".")] = x
        return found
    if hasattr(model, "get_tensor"):  # an open safetensors file
        names = [name for name in list(model.keys()) if KNOWN.search(name)]
        return {name: lambda name=name: model.get_tensor(name) for name in names}
    if isinstance(model, Mapping):
        return {name: x for name, x in model.items() if _maybe(name, x)}
    raise TypeError(
        "model must be a torch.nn.Module, a dictionary of tensors or an open safetensors file, "
        f"got {type(model).__name__}"
    )


def _maybe(name: str, x: Any) -> bool:
    """Whether a tensor is worth a look: its name says so, or says nothing and it is small."""
    size = np.prod(tuple(getattr(x, "shape", ())), dtype=object)
    return bool(KNOWN.search(name) or (4 <= size <= SMALL and not OTHER.search(name)))


def together(found: Mapping[str, Any]) -> Iterable[tuple[str, list[Any]]]:
    """Each tensor, read: cosines and sines that belong together, all else alone."""
    used: set[str] = set()
    for name in found:
        if name in used:
            continue
        part = re.search(r"(?:^|[._/]|freqs_)(cos|sin)(?=$|[._/]|_cached|_cache)", name)
        swap = {"cos": "sin", "sin": "cos"}
        other = name[: part.start(1)] + swap[part[1]] + name[part.end(1) :] if part else name
        names = sorted([name, other], key=lambda n: "sin" in n[-12:]) if part else [name]
        if part and (other not in found or _read(found[name]).shape != _read(found[other]).shape):
            names = [name]
        used |= {*names}
        values = [_read(found[n]) for n in names]
        if "complex" in str(getattr(values[0], "dtype", "")):
            values = [values[0].real, values[0].imag]
        elif name.endswith("cos_sin_cache"):
            half = values[0].shape[-1] // 2
            values = [values[0][..., :half], values[0][..., half:]]
        elif name.endswith("freqs_cis") and tuple(values[0].shape[2:]) == (2,):
            values = [values[0][..., 0], values[0][..., 1]]
        yield ", ".join(names), values


def _read(x: Any) -> Any:
    return x() if callable(x) else x


def numbers(x: Any) -> NDArray[Any] | None:
    """The numbers of an array or tensor; None of one on the meta device, which has none."""
    if getattr(x, "is_meta", False):
        return None
    if hasattr(x, "detach"):
        x = x.detach().cpu()
        x = (x.float() if "bfloat16" in str(x.dtype) else x).numpy()
    found = np.asarray(x)
    return found.astype(np.float32) if found.dtype == bool else found


def number(name: str) -> int | None:
    """The layer in a tensor's name."""
    found = LAYER.search(name)
    return int(found[1]) if found else None
