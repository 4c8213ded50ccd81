"""What in a model holds positions: tensors of known names, and small ones of unknown names."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.doctor._data import DATA

# tensors that hold positions, as published models name them; and weights and what counts
KNOWN, FREQUENCIES, MASK, OTHER = (
    re.compile(DATA["names"][kind]) for kind in ("known", "frequencies", "mask", "other")
)
LAYER = re.compile(r"(?:^|[._/])(?:layers?|h|blocks?|blk|resblocks)[._/](\d+)(?=[._/])")
WAVE = re.compile(r"(?:^|[._/]|freqs_)(cos|sin)(?=$|[._/]|_cached|_cache)")
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

    def read(name: str) -> Any:
        return found[name]() if callable(found[name]) else found[name]

    used: set[str] = set()
    for name in found:
        if name in used:
            continue
        names = [name]
        if part := WAVE.search(name):
            swap = {"cos": "sin", "sin": "cos"}[part[1]]
            other = name[: part.start(1)] + swap + name[part.end(1) :]
            if other in found and read(name).shape == read(other).shape:
                names = sorted([name, other], key=lambda n: "sin" in n[-12:])
        used |= {*names}
        values = [read(n) for n in names]
        if "complex" in str(getattr(values[0], "dtype", "")):
            values = [values[0].real, values[0].imag]
        elif name.endswith("cos_sin_cache"):
            half = values[0].shape[-1] // 2
            values = [values[0][..., :half], values[0][..., half:]]
        elif name.endswith("freqs_cis") and tuple(values[0].shape[2:]) == (2,):
            values = [values[0][..., 0], values[0][..., 1]]
        yield ", ".join(names), values


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
