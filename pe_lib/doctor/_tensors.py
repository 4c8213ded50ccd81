"""Find the tensors that may encode positions, by their names or by their small size."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from math import prod
from typing import Any

from pe_lib.doctor._numbers import DATA

# These patterns match the names of tensors in published models.
# KNOWN matches tensors that encode positions, for example frequencies or masks.
# OTHER matches tensors that do not, for example weights or counters.
# IDS matches position ids that are given to a model, and STORED_IDS those in a model's buffers.
# TEXTS matches the numbers of packed texts, which say to which text each token belongs.
KNOWN, FREQUENCIES, MASK, OTHER, IDS, STORED_IDS, TEXTS = (
    re.compile(DATA["names"][kind])
    for kind in ("known", "frequencies", "mask", "other", "ids", "stored_ids", "texts")
)
ATTENTION = re.compile(r"(^|[._/])attention_mask$")
INDEX = re.compile(r"relative_position_index$")
LAYER = re.compile(r"(?:^|[._/])(?:layers?|h|blocks?|blk|resblocks)[._/](\d+)(?=[._/])")
COSINE = re.compile(r"(^|[._/]|freqs_)cos(?=$|[._/]|_cached|_cache)")
# A tensor with an unknown name is examined only if it has at most this many entries.
MAX_UNKNOWN = 1 << 22


def find_tensors(model: Any) -> Mapping[str, Any]:
    """Return the tensors (or functions that read them) whose names or sizes may mean positions.

    Raises TypeError if `model` is not a module, a dictionary, or an open safetensors file.
    """
    if hasattr(model, "get_tensor"):  # the model is an open file in safetensors format
        names = [name for name in list(model.keys()) if KNOWN.search(name)]
        return {name: partial(model.get_tensor, name) for name in names}
    if hasattr(model, "named_modules"):
        tensors = {name: x for name, x in model.named_parameters() if KNOWN.search(name)}
        tensors |= dict(model.named_buffers())
        for name, module in model.named_modules():
            # Some modules keep a cache as an ordinary attribute, and not as a buffer.
            for key, x in vars(module).items():
                if hasattr(x, "detach") and KNOWN.search(key):
                    tensors[f"{name}.{key}".lstrip(".")] = x
    elif isinstance(model, Mapping):
        tensors = dict(model)
    else:
        raise TypeError(
            "model must be a torch.nn.Module, a dictionary of tensors or an open safetensors file, "
            f"got {type(model).__name__}"
        )
    return {name: x for name, x in tensors.items() if _may_hold_positions(name, x)}


def _may_hold_positions(name: str, x: Any) -> bool:
    """Return whether the doctor should examine a tensor, going by its name and its size.

    A tensor that the user chose is always examined. It comes as a function that reads the tensor.
    """
    shape: Any = getattr(x, "shape", ())
    if STORED_IDS.search(name) and len(shape) > 0 and shape[-1] > 1:
        return True
    is_small = 4 <= prod(getattr(x, "shape", ())) <= MAX_UNKNOWN
    is_known = bool(KNOWN.search(name) or IDS.search(name) or TEXTS.search(name))
    return callable(x) or is_known or (is_small and not OTHER.search(name))


def group_tensors(tensors: Mapping[str, Any]) -> Iterator[tuple[list[str], list[Any]]]:
    """Read tensors, and yield them one by one, except that cosines come with their sines."""
    sines = {name: COSINE.sub(r"\1sin", name) for name in tensors if COSINE.search(name)}
    sines = {name: other for name, other in sines.items() if other in tensors}
    for name in (name for name in tensors if name not in sines.values()):
        names = [name, sines[name]] if name in sines else [name]
        values = [tensors[n]() if callable(tensors[n]) else tensors[n] for n in names]
        x = values[0]
        # In a model, a vector whose name matches MASK is a projection's bias, so it is skipped.
        if MASK.search(name) and len(x.shape) < 2 and len(tensors) > 1:
            continue
        if "complex" in str(getattr(x, "dtype", "")):
            values = [x.real, x.imag]
        elif name.endswith("cos_sin_cache"):
            half = x.shape[-1] // 2
            values = [x[..., :half], x[..., half:]]
        elif name.endswith("freqs_cis") and tuple(x.shape[2:]) == (2,):
            values = [x[..., 0], x[..., 1]]
        yield names, values


def layer_number(name: str) -> int | None:
    """Return the layer number in a tensor's name, or None if the name contains none."""
    match = LAYER.search(name)
    return int(match[1]) if match else None
