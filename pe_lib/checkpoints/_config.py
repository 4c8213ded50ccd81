"""Reading a configuration: each value by its name, and an error that says which it was."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks

MOST_LAYERS = 10_000
OTHER_NAMES = {
    "hidden_size": ("n_embd", "d_model", "dim", "embed_dim"),
    "num_hidden_layers": ("n_layer", "n_layers", "num_layers"),
    "num_attention_heads": ("n_head", "n_heads", "num_heads"),
    "max_position_embeddings": ("n_positions", "max_seq_len", "n_ctx", "model_max_length"),
    "rope_theta": ("rotary_emb_base", "rope_base"),
    "partial_rotary_factor": ("rotary_pct",),
}


class Config:
    """A configuration and what its kind of model takes for a key that is not there."""

    def __init__(self, data: Mapping[str, Any], kind: str, defaults: Mapping[str, Any], where: str):
        self.data, self.kind, self.defaults, self.where = data, kind, defaults, where

    def get(self, key: str, default: Any = None) -> Any:
        """The value; where the key is missing, that of the kind of model, then `default`."""
        for name in (key, *OTHER_NAMES.get(key, ())):
            if name in self.data:
                return self.data[name]
        return self.defaults.get(key, default)

    def stated(self, key: str) -> Any:
        """The value in the configuration itself; None where it says nothing."""
        found = [self.data[k] for k in (key, *OTHER_NAMES.get(key, ())) if k in self.data]
        return next((value for value in found if value is not None), None)

    def need(self, key: str) -> Any:
        value = self.get(key)
        if value is None:
            names = " or ".join(repr(k) for k in (key, *OTHER_NAMES.get(key, ())))
            have = ", ".join(sorted(map(str, self.data))) or "nothing"
            raise ValueError(f"{self.where} needs {names} for {self.kind}, got only {have}")
        return value

    def number(self, key: str, least: float | None = None) -> float:
        return number(f"{self.where}[{key!r}]", self.need(key), least)

    def positive(self, key: str) -> float:
        found = self.number(key)
        if found <= 0:
            raise ValueError(f"{self.where}[{key!r}] must be positive, got {shown(found)}")
        return found

    def whole(self, key: str, least: int = 1) -> int:
        return whole(f"{self.where}[{key!r}]", self.need(key), least)

    def count(self, key: str = "num_hidden_layers") -> int:
        """How many layers: fewer than any list of them would be too long for."""
        found = self.whole(key, 0)
        if found > MOST_LAYERS:
            raise ValueError(
                f"{self.where}[{key!r}] must be at most {MOST_LAYERS}, got {shown(found)}"
            )
        return found

    def mapping(self, key: str) -> dict[str, Any]:
        """A dictionary, empty where it is null or missing."""
        value = self.get(key)
        if value is not None and not isinstance(value, Mapping):
            raise ValueError(f"{self.where}[{key!r}] must be a dictionary, got {shown(value)}")
        return dict(value or {})

    def flag(self, key: str, default: bool) -> bool:
        value = self.get(key, default)
        if not isinstance(value, bool):
            raise ValueError(f"{self.where}[{key!r}] must be true or false, got {shown(value)}")
        return value

    def window(self, key: str = "sliding_window") -> int | None:
        """A window, or None where it is null or missing."""
        value = self.get(key)
        return None if value is None else whole(f"{self.where}[{key!r}]", value, 1)

    def among(self, key: str, known: Iterable[str], default: str) -> str:
        """One of a few words."""
        value = self.get(key, default)
        return one_of(f"{self.where}[{key!r}]", value, known)


def shown(value: Any) -> str:
    return _checks.shown(value)


def one_of(name: str, value: Any, known: Iterable[str]) -> str:
    known = sorted(known)
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} is {shown(value)}, which is not known; known: {', '.join(known)}")
    return value


def number(name: str, value: Any, least: float | None = None) -> float:
    """A finite number; errors are ValueErrors, since the file is wrong, not the call."""
    try:
        found = _checks.real(name, value)
    except TypeError as error:
        raise ValueError(str(error)) from None
    if least is not None and found < least:
        raise ValueError(f"{name} must be at least {least:g}, got {shown(value)}")
    return found


def whole(name: str, value: Any, least: int = 1) -> int:
    """An integer; 4096.0, which some files have, is one."""
    found = number(name, value)
    if found != int(found) or found < least or found > 2**53:
        raise ValueError(f"{name} must be an integer from {least} on, got {shown(value)}")
    return int(found)


def numbers(name: str, value: Any, size: int) -> NDArray[np.float64]:
    """A list of `size` positive numbers."""
    if not isinstance(value, list | tuple) or len(value) != size:
        got = f"{len(value)}" if isinstance(value, list | tuple) else shown(value)
        raise ValueError(f"{name} must be a list of {size} numbers (one a pair), got {got}")
    found = np.array([number(f"{name}[{i}]", x) for i, x in enumerate(value)])
    if not (found > 0).all():
        raise ValueError(f"{name} must be positive, got {shown(value)}")
    return found
