"""Read the values in a model's configuration file, and name the key in each error message.

A `Config` remembers which keys were read. In the end, every key that concerns positions must have
been read, or be listed in `keys.toml` as changing nothing. A listed key becomes a note. Any other
unread key is refused, because it may change what the model does.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks
from pe_lib.checkpoints._keys import KEYS, Harmless

ConfigOrPath: TypeAlias = Mapping[str, Any] | str | PathLike[str]

# A key that matches FINE_KEY is never treated as a misspelling of another key.
FINE_KEY = re.compile(
    "|".join([*KEYS.known_keys, "_.*", *(entry.keys for entry in KEYS.harmless)]), re.DOTALL
)
DOUBT = "is in doubt"  # notes use this phrase if a file contradicts itself about a window
# If a model does not read these configuration keys, a note is enough, and the file is not refused,
# because the keys say which tokens a query sees and not how queries are rotated.
WINDOW_KEYS = ("sliding_window", "use_sliding_window", "max_window_layers")
UNREAD = (
    "no notice of it: with it, this is another model; if you know that it changes nothing, leave "
    "it out"
)


class UnknownKindError(ValueError):
    """The error for a `model_type` that this library cannot read, although the file may be fine."""


def open_config(config: ConfigOrPath) -> Mapping[str, Any]:
    """Return a configuration as a dictionary, reading it from a file if the argument is a path."""
    if isinstance(config, Mapping):
        return config
    if not isinstance(config, str | PathLike):
        raise TypeError(
            f"config must be a dictionary or the path of config.json, got {_checks.quote(config)}"
        )
    path = Path(fspath(config))
    path = path / "config.json" if path.is_dir() else path
    try:
        data = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} holds no JSON: {error}") from None
    _checks.require(isinstance(data, dict), f"{path} must hold one JSON object", data)
    return cast(dict[str, Any], data)


@dataclass
class Config:
    """A model's configuration, which supplies default values for missing keys."""

    data: Mapping[str, Any]
    kind: str  # the kind of model
    where: str = "config"  # how error messages refer to this dictionary
    defaults: Mapping[str, Any] = field(default_factory=dict)
    # the model's own names for configuration keys
    own_names: Mapping[str, str] = field(default_factory=dict)
    # configuration keys that are read only inside `rope_parameters`
    only_in_rope_parameters: tuple[str, ...] = ()
    # the prefix of some configuration keys, if encoder and decoder have keys of their own
    prefix: str = ""
    prefixed_keys: set[str] = field(default_factory=set)
    layer_type: str = ""  # the type of layer that is being read, for error messages
    keys_read: set[str] = field(default_factory=set)
    # Each note says why a configuration key has no effect.
    notes: list[str] = field(default_factory=list)

    # The names of a key in the configuration, and error messages about the key

    def names_of(self, key: str) -> tuple[str, ...]:
        """Return the names under which this model type may store the value of a key."""
        usual = () if key in self.only_in_rope_parameters else (key,)
        return (*usual, self.own_names[key]) if key in self.own_names else usual

    def path_to(self, key: str) -> str:
        """Return how error messages refer to a key of this dictionary, such as config['key'].

        The key has the name under which the file holds it. If only the rotation's parameters hold
        it, the path leads there.
        """
        for name in (key, *self.names_of(key)):
            if name in self.data:
                own = self.prefix + name if name in self.prefixed_keys else name
                return f"{self.where}[{own!r}]"
        return self.path_to_parameter(key) or f"{self.where}[{key!r}]"

    def path_to_parameter(self, key: str) -> str:
        """Return how error messages refer to a key among the rotation's parameters, or ""."""
        for outer in ("rope_parameters", "rope_scaling"):
            inner = self.data.get(outer)
            if not isinstance(inner, Mapping):
                continue
            own = inner.get(self.layer_type)
            if isinstance(own, Mapping) and key in own:
                return f"{self.where}[{outer!r}][{self.layer_type!r}][{key!r}]"
            if key in inner:
                return f"{self.where}[{outer!r}][{key!r}]"
        return ""

    def refuse_value(self, key: str, expected: str, actual: Any) -> NoReturn:
        """Raise ValueError because the value is not valid for this key."""
        raise ValueError(f"{self.path_to(key)} must be {expected}, got {_checks.quote(actual)}")

    def refuse_contradiction(self, message: str) -> NoReturn:
        """Raise ValueError because the values of two keys contradict each other."""
        raise ValueError(f"{self.where} contradicts itself: {message}")

    def refuse_unread(self, key: str, value: Any, instead: str) -> NoReturn:
        """Raise ValueError for a key whose value this model type does not use."""
        raise ValueError(
            f"{self.path_to(key)} = {_checks.quote(value)} is not read by transformers' "
            f"{self.kind}, which takes {instead}"
        )

    def note_harmless(self, key: str, value: Any, reason: str) -> None:
        """Add a note that a key has no effect on positions."""
        self.notes.append(f"{key} = {_checks.quote(value)} changes nothing here: {reason}")

    def note_doubt(self, key: str, value: Any, usage: str) -> None:
        """Add a note that the file gives a window which this model type does not have."""
        self.notes.append(
            f"{key} = {_checks.quote(value)} {DOUBT}, and changes no rotation: transformers' "
            f"{self.kind} {usage}"
        )

    # Reading values and checking them

    def find_value(self, key: str) -> Any:
        """Return the value of a key in the configuration, or None if the key is missing.

        Raises ValueError if two names of the key have different values.
        """
        names = self.names_of(key)
        self.keys_read.update(names)
        values = {name: self.data[name] for name in names if self.data.get(name) is not None}
        (first, value), *others = [*values.items()] or [(key, None)]
        for name, other in others:
            if other != value:
                self.refuse_contradiction(
                    f"{first} is {_checks.quote(value)}, {name} is {_checks.quote(other)}"
                )
        return value

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key or, if the key is missing, the model's default or `default`.

        A key that is present with the value null gives None.
        """
        value = self.find_value(key)
        if value is None and not any(name in self.data for name in self.names_of(key)):
            value = self.defaults.get(key, default)
        if value is not None:
            self.require_agreement(key, value)
        return value

    def require_agreement(self, key: str, value: Any) -> None:
        """Raise ValueError if the file gives an ignored alias of the key with a different value."""
        names = self.names_of(key)
        for name in (key, *KEYS.other_names.get(key, ())):
            if name in names or name not in self.data:
                continue
            self.keys_read.add(name)
            if self.data[name] not in (None, value):
                read = " or ".join(names) or "that of rope_parameters or its own"
                self.refuse_unread(name, self.data[name], f"{read}: {_checks.quote(value)}")

    def need(self, key: str) -> Any:
        """Return the value of a key, or raise ValueError if the file and the defaults lack it."""
        value = self.get(key)
        if value is None:
            names = " or ".join(repr(name) for name in self.names_of(key))
            present = [
                f"{name} (null)" if self.data[name] is None else str(name) for name in self.data
            ]
            keys = ", ".join(sorted(present)[:20]) or "nothing"
            raise ValueError(f"{self.where} needs {names} for {self.kind}, got only {keys}")
        return value

    def number(self, key: str, least: float | None = None) -> float:
        """Return the value of this key as a finite number."""
        return read_number(self.path_to(key), self.need(key), least)

    def integer(self, key: str, least: int = 1) -> int:
        """Return the value of this key as an integer."""
        return read_integer(self.path_to(key), self.need(key), least)

    def layer_count(self, key: str = "num_hidden_layers") -> int:
        """Return the number of layers, which may be 0."""
        return self.integer(key, 0)

    def hidden_size_per_head(self) -> int:
        """Return the hidden size divided by the number of attention heads."""
        hidden, heads = self.integer("hidden_size"), self.integer("num_attention_heads")
        if hidden % heads:
            expected = f"a multiple of num_attention_heads {heads}, or head_dim given"
            self.refuse_value("hidden_size", expected, hidden)
        return hidden // heads

    def dictionary(self, key: str) -> dict[str, Any]:
        """Return a copy of the dictionary at this key, or {} if the key is null or missing."""
        value = self.get(key)
        if value is not None and not isinstance(value, Mapping):
            self.refuse_value(key, "a dictionary", value)
        return dict(value or {})

    def subconfig(self, key: str) -> "Config":
        """Return the dictionary at this key as a separate `Config`."""
        return Config(self.dictionary(key), self.kind, self.path_to(key))

    def integers(self, key: str) -> list[int] | None:
        """Return the list of integers at this key, or None if the key is null or missing."""
        value = self.get(key)
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            self.refuse_value(key, "a list of layers", value)
        return [read_integer(self.path_to(key), entry, 0) for entry in value]

    def without_extra_layers(self, key: str, value: Any, count: int) -> Any:
        """Return a list without the entries that belong to layers beyond the first `count` layers.

        Files list more entries than layers if the model also predicts tokens further ahead, which
        is the work of layers that are not counted (`num_nextn_predict_layers`). A draft may keep
        the list of the model for which it was made, which is clear if all entries are the same.
        """
        names = ("num_nextn_predict_layers", "num_mtp_layers", "mtp_num_layers")
        extra = next((self.data[name] for name in names if self.data.get(name)), 0)
        if not isinstance(value, list) or len(value) <= count:
            return value
        are_same = all(entry == value[0] for entry in value)
        return value[:count] if are_same or len(value) == count + extra else value

    def flag(self, key: str, default: bool) -> bool:
        """Return the boolean value of this key, or `default` if the key is missing."""
        value = self.get(key, default)
        if not isinstance(value, bool):
            self.refuse_value(key, "true or false", value)
        return value

    def window(self, key: str = "sliding_window") -> int | None:
        """Return the length of a window, or None if the window's key is null or missing."""
        value = self.get(key)
        return None if value is None else read_integer(self.path_to(key), value, 1)

    def height_and_width(self, key: str) -> tuple[int, int]:
        """Return the height and width of an image, which are equal if the file gives one number."""
        value = self.need(key)
        sides = value if isinstance(value, list | tuple) and len(value) == 2 else (value, value)
        name = self.path_to(key)
        return read_integer(name, sides[0]), read_integer(name, sides[1])

    # The configuration as a whole

    def check_sizes_and_spelling(self) -> None:
        """Raise ValueError if a size is implausible or a key looks misspelled.

        All keys are checked, whether this kind of model reads them or not. A key looks misspelled
        if it is one edit away from a known key.
        """
        for key, limits in KEYS.sizes.items():
            for name in {key, *self.names_of(key)} & self.data.keys():
                value = self.data[name]
                if value is None or isinstance(value, list | tuple):
                    continue
                fits = read_integer(self.path_to(name), value, limits.least) <= limits.most
                _checks.require(fits, f"{self.path_to(name)} must be at most {limits.most}", value)
        for key, value in self.data.items():
            if not isinstance(key, str) or value is None or FINE_KEY.fullmatch(key):
                continue
            if near := [name for name in KEYS.known_keys if is_one_edit_apart(key, name)]:
                raise ValueError(
                    f"{self.path_to(key)} = {_checks.quote(value)} is no key that is known; read "
                    f"are {', '.join(near)}"
                )

    def check_that_all_was_read(
        self, ignored_keys: Iterable[str] = (), rotates_nothing: bool = False
    ) -> None:
        """Reject each unread key that concerns positions. Add a note if the key is harmless.

        `ignored_keys` are patterns of keys that files of this kind contain and that no program
        reads.
        """
        harmless = [
            Harmless(pattern, f"no program reads it in {self.kind}") for pattern in ignored_keys
        ]
        if rotates_nothing:
            harmless.append(Harmless(KEYS.rotating, "no layer is rotated"))
        if self.data.get("use_sliding_window") is False:
            windows = "sliding_window|max_window_layers"
            harmless.append(Harmless(windows, "use_sliding_window is false"))
        harmless += KEYS.harmless
        for key, value in self.data.items():
            if key in self.keys_read or value is None or key in KEYS.silent:
                continue
            if not isinstance(key, str) or not re.search(KEYS.positional, key):
                continue
            for entry in harmless:
                if re.fullmatch(entry.keys, key) and (not entry.values or value in entry.values):
                    self.note_harmless(key, value, entry.reason)
                    break
            else:
                if key not in WINDOW_KEYS:
                    self.refuse_unread(key, value, UNREAD)
                self.note_doubt(key, value, "reads no window")


def is_one_edit_apart(a: str, b: str) -> bool:
    """Return whether two words differ by one added, removed or changed letter, or one swap."""
    if abs(len(a) - len(b)) > 1:
        return False
    shorter = min(len(a), len(b))
    first = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    x, y = a[first:], b[first:]
    is_swap = x[:2] == y[1::-1] and x[2:] == y[2:]
    return x[1:] == y[1:] or x[1:] == y or x == y[1:] or is_swap


def require_known(name: str, value: Any, known_words: Iterable[str]) -> str:
    """Return `value`, or raise ValueError if it is not one of the allowed words."""
    known_words = sorted(known_words)
    if not isinstance(value, str) or value not in known_words:
        raise ValueError(
            f"{name} is {_checks.quote(value)}, which is not known; known: {', '.join(known_words)}"
        )
    return value


def read_number(name: str, value: Any, least: float | None = None) -> float:
    """Return a configuration value as a finite number, or raise ValueError if it is not one.

    Even a wrong type raises ValueError, because the file is wrong and not the call.
    """
    try:
        number = _checks.real(name, value)
    except TypeError as error:
        raise ValueError(str(error)) from None
    fits = least is None or number >= least
    _checks.require(fits, f"{name} must be at least {least}", value)
    return number


def read_integer(name: str, value: Any, least: int = 1) -> int:
    """Return a value as an integer. Floats such as 4096.0, which some files have, are accepted."""
    number = read_number(name, value)
    fits = number == int(number) and least <= number <= 2**53
    _checks.require(fits, f"{name} must be an integer from {least} on", value)
    return int(number)


def read_positive_numbers(name: str, value: Any, size: int) -> NDArray[np.float64]:
    """Return a list of exactly `size` positive numbers as an array."""
    is_list = isinstance(value, list | tuple)
    fits = is_list and len(value) == size
    expected = f"{name} must be a list of {size} numbers (one a pair)"
    _checks.require(fits, expected, len(value) if is_list else value)
    numbers = np.array([read_number(f"{name}[{i}]", entry) for i, entry in enumerate(value)])
    _checks.require(bool((numbers > 0).all()), f"{name} must be positive", value)
    return numbers
