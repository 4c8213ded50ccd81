"""What in a model holds positions: tensors of known names, and small ones of unknown names."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from math import prod
from typing import Any

from pe_lib.doctor._numbers import DATA

# tensors that hold positions, as published models name them; and weights and what counts
KNOWN, FREQUENCIES, MASK, OTHER = (
    re.compile(DATA["names"][kind]) for kind in ("known", "frequencies", "mask", "other")
)
LAYER = re.compile(r"(?:^|[._/])(?:layers?|h|blocks?|blk|resblocks)[._/](\d+)(?=[._/])")
COSINE = re.compile(r"(^|[._/]|freqs_)cos(?=$|[._/]|_cached|_cache)")
SMALL = 1 << 22  # entries of a tensor of unknown name that is looked at


def find_tensors(model: Any) -> Mapping[str, Any]:
    """By name, what may hold positions: arrays, tensors, or functions that read one."""
    if hasattr(model, "get_tensor"):  # an open safetensors file
        names = [name for name in list(model.keys()) if KNOWN.search(name)]
        return {name: partial(model.get_tensor, name) for name in names}
    if hasattr(model, "named_modules"):
        found = {name: x for name, x in model.named_parameters() if KNOWN.search(name)}
        found |= dict(model.named_buffers())
        for name, module in model.named_modules():
            for key, x in vars(module).items():  # some keep their cache as a plain attribute
                if hasattr(x, "detach") and KNOWN.search(key):
                    found[f"{name}.{key}".lstrip(".")] = x
    elif isinstance(model, Mapping):
        found = dict(model)
    else:
        raise TypeError(
            "model must be a torch.nn.Module, a dictionary of tensors or an open safetensors file, "
            f"got {type(model).__name__}"
        )
    return {name: x for name, x in found.items() if _may_hold_positions(name, x)}


def _may_hold_positions(name: str, x: Any) -> bool:
    """Whether it was chosen to be read, its name says so, or says nothing and it is small."""
    small = 4 <= prod(getattr(x, "shape", ())) <= SMALL
    return callable(x) or bool(KNOWN.search(name)) or (small and not OTHER.search(name))


def group_tensors(found: Mapping[str, Any]) -> Iterator[tuple[list[str], list[Any]]]:
    """Names and tensors, read: cosines and sines that belong together, all else alone."""
    sines = {name: COSINE.sub(r"\1sin", name) for name in found if COSINE.search(name)}
    sines = {name: other for name, other in sines.items() if other in found}
    for name in (name for name in found if name not in sines.values()):
        names = [name, sines[name]] if name in sines else [name]
        values = [found[n]() if callable(found[n]) else found[n] for n in names]
        x = values[0]
        if MASK.search(name) and len(x.shape) < 2:  # another's bias
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
    """The layer in a tensor's name."""
    found = LAYER.search(name)
    return int(found[1]) if found else None
