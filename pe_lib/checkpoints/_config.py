"""Reading a configuration: each value by its name, and an error that says which it was."""

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

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

GPT = ("codegen", "gpt2", "gpt_bigcode", "gptj", "openai-gpt")
T5 = ("mt5", "switch_transformers", "t5", "umt5")
TOWERS = tuple(
    f"{name}_vision"
    for name in ("glm4v", "glm4v_moe", "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe",
                 "qwen3_5", "qwen3_5_moe")
)  # fmt: skip
# which kinds of model read such a name (transformers 5.23.0); for the others it says nothing
READ_BY = {
    "n_embd": GPT,
    "d_model": ("bart", "m2m_100", "marian", "mbart", "mpt", "pegasus", "whisper", "xglm", *T5),
    "dim": ("distilbert",),
    "n_layer": ("bloom", *GPT),
    "n_layers": ("distilbert", "mpt"),
    "num_layers": ("gpt_neo", "xglm", *T5),
    "n_head": ("bloom", *GPT),
    "n_heads": ("distilbert", "mpt"),
    "num_heads": ("gpt_neo", *T5, *TOWERS),
    "n_positions": GPT,
    "max_seq_len": ("mpt",),
    "model_max_length": ("kimi_linear",),
    "rotary_emb_base": ("gpt_neox",),
    "rotary_pct": ("gpt_neox",),
}
NOT_READ = {  # by these kinds, where it stands outside `rope_parameters`
    "rope_theta": ("codegen", "gpt_neox", "gptj", "muse_spark_text"),
    "partial_rotary_factor": ("bamba", "gpt_neox"),
}

ROPE = ("rope_theta", "rope_scaling", "rope_parameters", "rope_local_base_freq", "rope_interleave",
        "rope_axes_dim", "rope_base")  # fmt: skip
READ = (*ROPE, "global_rope_theta", "local_rope_theta", "swa_rope_theta", "compress_rope_theta",
        "layer_rope_theta", "axes_dims_rope", "no_rope_layers", "no_rope_layer_interval",
        "partial_rotary_factor", "rotary_dim", "rotary_emb_base", "rotary_pct", "head_dim",
        "global_head_dim", "qk_rope_head_dim", "qk_nope_head_dim", "hidden_size", "layer_types",
        "num_hidden_layers", "num_attention_heads", "max_position_embeddings", "sliding_window",
        "sliding_window_pattern", "sliding_window_size", "attention_chunk_size", "local_attention",
        "original_max_position_embeddings", "position_embedding_type")  # fmt: skip


def check_spelling(data: Mapping[str, Any], where: str) -> None:
    """Refuses a key that is one letter from one that is read, or begins with "rope"."""
    for key in data:
        if not isinstance(key, str) or key in READ or key[:1] == "_" or data[key] is None:
            continue
        near = [name for name in READ if one_edit(key, name)]
        if near or key.startswith("rope"):
            raise ValueError(
                f"{where}[{key!r}] = {shown(data[key])} is no key that is known; "
                f"read are {', '.join(near or ROPE)}"
            )


def one_edit(a: str, b: str) -> bool:
    """Whether one letter more, less or other makes b of a, or two neighbours exchanged."""
    if abs(len(a) - len(b)) > 1:
        return False
    i = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    x, y = a[i:], b[i:]
    exchanged = x[:2] == y[1::-1] and x[2:] == y[2:]
    return x[1:] == y[1:] or x[1:] == y or x == y[1:] or exchanged


class Config:
    """A configuration and what its kind of model takes for a key that is not there."""

    def __init__(self, data: Mapping[str, Any], kind: str, defaults: Mapping[str, Any], where: str):
        self.data, self.kind, self.defaults, self.where = data, kind, defaults, where

    def get(self, key: str, default: Any = None) -> Any:
        """The value; where the key is missing, that of the kind of model, then `default`."""
        names = self.names(key)
        found = self.stated(key)
        if found is None and not any(name in self.data for name in names):
            found = self.defaults.get(key, default)
        self.agree(key, found)
        return found

    def agree(self, key: str, found: Any) -> None:
        """Refuses another value under a name that this kind of model doesn't read."""
        names = self.names(key)
        for name in (key, *OTHER_NAMES.get(key, ())):
            if name not in names and self.data.get(name) not in (None, found):
                read = " or ".join(names) or "that of rope_parameters or its own"
                self.not_read(name, self.data[name], f"{read}: {shown(found)}")

    def names(self, key: str) -> tuple[str, ...]:
        """What this kind of model calls it."""
        usual = () if self.kind in NOT_READ.get(key, ()) else (key,)
        others = OTHER_NAMES.get(key, ())
        return (*usual, *(x for x in others if self.kind in READ_BY.get(x, ())))

    def not_read(self, key: str, value: Any, instead: str) -> NoReturn:
        raise ValueError(
            f"{self.where}[{key!r}] = {shown(value)} is not read by transformers' {self.kind}, "
            f"which takes {instead}"
        )

    def stated(self, key: str) -> Any:
        """The value in the configuration itself; None where it says nothing."""
        given = {k: self.data[k] for k in self.names(key) if self.data.get(k) is not None}
        (first, found), *rest = [*given.items()] or [(key, None)]
        for name, value in rest:
            if value != found:
                raise ValueError(
                    f"{self.where} contradicts itself: {first} is {shown(found)}, "
                    f"{name} is {shown(value)}"
                )
        return found

    def need(self, key: str) -> Any:
        value = self.get(key)
        if value is None:
            names = " or ".join(repr(k) for k in self.names(key))
            have = ", ".join(
                f"{k} (null)" if self.data[k] is None else str(k)
                for k in sorted(self.data, key=str)
            )
            have = have or "nothing"
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
