"""Reading a configuration: each value by its name, and an error that says which it was.

What is read is noted down. Whatever speaks of positions and nobody read at the end is either known
to change nothing (`keys.toml`) and becomes a note, or is refused.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks

shown = _checks.short_repr
Given: TypeAlias = Mapping[str, Any] | str | PathLike[str]
HERE = Path(__file__).parent


@cache
def words() -> dict[str, Any]:
    """`keys.toml`: which keys speak of positions, which change nothing, and what is called how."""
    return tomllib.loads((HERE / "keys.toml").read_text("utf-8"))


def opened(config: Given) -> Mapping[str, Any]:
    """The configuration itself, or what its file holds."""
    if isinstance(config, Mapping):
        return config
    if not isinstance(config, str | PathLike):
        raise TypeError(
            f"config must be a dictionary or the path of config.json, got {shown(config)}"
        )
    path = Path(fspath(config))
    path = path / "config.json" if path.is_dir() else path
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} holds no JSON: {error}") from None
    _checks.require(isinstance(found, dict), f"{path} must hold one JSON object", found)
    return cast(dict[str, Any], found)


@dataclass
class Config:
    """A configuration, and what its kind of model takes for a key that is not there."""

    data: Mapping[str, Any]
    kind: str
    where: str = "config"
    defaults: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, str] = field(default_factory=dict)  # the kind's own name of a key
    unread: tuple[str, ...] = ()  # keys that this kind reads inside `rope_parameters` alone
    read: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)  # what is worth saying

    def inside(self, key: str) -> "Config":
        """A dictionary in this one."""
        return Config(self.mapping(key), self.kind, self.named(key))

    def get(self, key: str, default: Any = None) -> Any:
        """The value; where the key is missing, that of the kind of model, then `default`."""
        found = self.stated(key)
        if found is None and not any(name in self.data for name in self.names(key)):
            found = self.defaults.get(key, default)
        if found is not None:
            self.agree(key, found)
        return found

    def agree(self, key: str, found: Any) -> None:
        """Refuses another value under a name that this kind of model doesn't read."""
        names = self.names(key)
        for name in (key, *words()["other_names"].get(key, ())):
            if name in names or name not in self.data:
                continue
            self.read.add(name)
            if self.data[name] not in (None, found):
                read = " or ".join(names) or "that of rope_parameters or its own"
                self.not_read(name, self.data[name], f"{read}: {shown(found)}")

    def names(self, key: str) -> tuple[str, ...]:
        """What this kind of model calls it."""
        usual = () if key in self.unread else (key,)
        return (*usual, self.own[key]) if key in self.own else usual

    def named(self, key: str) -> str:
        """The key and where it stands, as errors say it."""
        return f"{self.where}[{key!r}]"

    def wrong(self, key: str, wanted: str, got: Any) -> NoReturn:
        raise ValueError(f"{self.named(key)} must be {wanted}, got {shown(got)}")

    def note(self, key: str, value: Any, why: str) -> None:
        self.notes.append(f"{key} = {shown(value)} changes nothing here: {why}")

    def differ(self, said: str) -> NoReturn:
        raise ValueError(f"{self.where} contradicts itself: {said}")

    def not_read(self, key: str, value: Any, instead: str) -> NoReturn:
        given = f"{self.named(key)} = {shown(value)}"
        raise ValueError(f"{given} is not read by transformers' {self.kind}, which takes {instead}")

    def stated(self, key: str) -> Any:
        """The value in the configuration itself; None where it says nothing."""
        names = self.names(key)
        self.read.update(names)
        given = {k: self.data[k] for k in names if self.data.get(k) is not None}
        (first, found), *rest = [*given.items()] or [(key, None)]
        for name, value in rest:
            if value != found:
                self.differ(f"{first} is {shown(found)}, {name} is {shown(value)}")
        return found

    def need(self, key: str) -> Any:
        value = self.get(key)
        if value is None:
            names = " or ".join(repr(k) for k in self.names(key))
            have = [f"{k} (null)" if self.data[k] is None else str(k) for k in self.data]
            said = ", ".join(sorted(have)[:20]) or "nothing"
            raise ValueError(f"{self.where} needs {names} for {self.kind}, got only {said}")
        return value

    def number(self, key: str, least: float | None = None) -> float:
        return number(self.named(key), self.need(key), least)

    def whole(self, key: str, least: int = 1) -> int:
        return whole(self.named(key), self.need(key), least)

    def count(self, key: str = "num_hidden_layers") -> int:
        """How many layers."""
        return self.whole(key, 0)

    def shared_out(self) -> int:
        """The hidden size, divided among the heads."""
        hidden, n = self.whole("hidden_size"), self.whole("num_attention_heads")
        if hidden % n:
            self.wrong("hidden_size", f"a multiple of num_attention_heads {n}, or head_dim given",
                       hidden)  # fmt: skip
        return hidden // n

    def mapping(self, key: str) -> dict[str, Any]:
        """A dictionary, empty where it is null or missing."""
        value = self.get(key)
        if value is not None and not isinstance(value, Mapping):
            self.wrong(key, "a dictionary", value)
        return dict(value or {})

    def integers(self, key: str) -> list[int] | None:
        """A list of whole numbers, or None where there is none."""
        value = self.get(key)
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            self.wrong(key, "a list of layers", value)
        return [whole(self.named(key), x, 0) for x in value]

    def flag(self, key: str, default: bool) -> bool:
        value = self.get(key, default)
        if not isinstance(value, bool):
            self.wrong(key, "true or false", value)
        return value

    def window(self, key: str = "sliding_window") -> int | None:
        """A window, or None where it is null or missing."""
        value = self.get(key)
        return None if value is None else whole(self.named(key), value, 1)

    def sides(self, key: str) -> tuple[int, int]:
        """One number for both sides of an image, or two."""
        value = self.need(key)
        both = value if isinstance(value, list | tuple) and len(value) == 2 else (value, value)
        name = self.named(key)
        return whole(name, both[0]), whole(name, both[1])

    def check_sense(self) -> None:
        """Sizes are whole numbers, read or not, and no key is a letter away from one that is."""
        for key, (least, most) in words()["sizes"].items():
            for name in {key, *self.names(key)} & self.data.keys():
                value = self.data[name]
                if value is None or isinstance(value, list | tuple):
                    continue
                fits = whole(self.named(name), value, least) <= most
                _checks.require(fits, f"{self.named(name)} must be at most {most}", value)
        known = words()["spelled"]
        fine = "|".join([*known, "_.*", *(pattern for pattern, _, _ in words()["harmless"])])
        for key, value in self.data.items():
            if not isinstance(key, str) or value is None or re.fullmatch(fine, key, re.DOTALL):
                continue
            if near := [name for name in known if one_edit(key, name)]:
                given = f"{self.named(key)} = {shown(value)}"
                raise ValueError(f"{given} is no key that is known; read are {', '.join(near)}")

    def check_all_is_read(self, harmless: Iterable[str] = (), still: bool = False) -> None:
        """A key that speaks of positions and that nobody read: a note, or refused.

        `harmless` are keys of this kind that no program reads; `still`: no layer is turned.
        """
        table = words()
        known = [[key, [], f"no program reads it in {self.kind}"] for key in harmless]
        if still:
            known.append([table["turning"], [], "no layer is turned"])
        if self.data.get("use_sliding_window") is False:
            known.append(["sliding_window|max_window_layers", [], "use_sliding_window is false"])
        for key, value in self.data.items():
            said = isinstance(key, str) and re.search(table["positional"], key)
            if not said or key in self.read or value is None or key in table["silent"]:
                continue
            for pattern, values, why in [*known, *table["harmless"]]:
                if re.fullmatch(pattern, key) and (not values or value in values):
                    self.note(key, value, why)
                    break
            else:
                self.not_read(key, value, table["unread"])


def one_edit(a: str, b: str) -> bool:
    """Whether one letter more, less or other makes b of a, or two neighbours exchanged."""
    if abs(len(a) - len(b)) > 1:
        return False
    i = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    x, y = a[i:], b[i:]
    exchanged = x[:2] == y[1::-1] and x[2:] == y[2:]
    return x[1:] == y[1:] or x[1:] == y or x == y[1:] or exchanged


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
    enough = least is None or found >= least
    _checks.require(enough, f"{name} must be at least {least}", value)
    return found


def whole(name: str, value: Any, least: int = 1) -> int:
    """An integer; 4096.0, which some files have, is one."""
    found = number(name, value)
    fits = found == int(found) and least <= found <= 2**53
    _checks.require(fits, f"{name} must be an integer from {least} on", value)
    return int(found)


def numbers(name: str, value: Any, size: int) -> NDArray[np.float64]:
    """A list of `size` positive numbers."""
    listed = isinstance(value, list | tuple)
    fits = listed and len(value) == size
    said = f"{name} must be a list of {size} numbers (one a pair)"
    _checks.require(fits, said, len(value) if listed else value)
    found = np.array([number(f"{name}[{i}]", x) for i, x in enumerate(value)])
    _checks.require(bool((found > 0).all()), f"{name} must be positive", value)
    return found
