"""Define each type of frequency scaling as a record of its rule, its configuration keys and names.

A type of scaling (`rope_type` in a configuration) says how the frequencies change for a longer
context. To add a type, write its rule, which is a function from `Settings` to `Scaled`, and its
record in `_TYPES`. The readers of configurations, the table of models, the explorer of layers and
the doctor use that record. `contributing/scaling-type.md` explains the steps.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks, context
from pe_lib.checkpoints._config import (
    Config,
    read_integer,
    read_number,
    read_positive_numbers,
)
from pe_lib.checkpoints._keys import KEYS
from pe_lib.sinusoidal import frequencies


@dataclass(frozen=True)
class Scaled:
    """The result of a scaling rule: frequencies, an amplitude, and the length where they change."""

    frequencies: NDArray[np.float64]
    amplitude: float = 1.0
    switch: int | None = None  # the text length above which the frequencies change


@dataclass(frozen=True)
class Settings:
    """The input of a scaling rule: the base, the width, and the values in `rope_parameters`.

    The error of each method names the key and the dictionary that holds it.
    """

    config: Config
    # the values in `rope_parameters` for this type of layer, including `rope_type`
    values: Mapping[str, Any]
    base: float
    width: int  # the number of entries in a head that belong to rotated pairs
    length: int | None  # the length of the text, if the caller passed one

    def path_to(self, key: str) -> str:
        """Return how error messages refer to a key of this dictionary."""
        if path := self.config.path_to_parameter(key):
            return path
        is_new = self.config.find_value("rope_parameters")
        outer = self.config.path_to("rope_parameters" if is_new else "rope_scaling")
        return f"{outer}[{key!r}]"

    def number(self, key: str, least: float | None = None, default: float | None = None) -> float:
        """Return the number at a key, or `default` if the value is missing, null or 0."""
        value = self.values.get(key)
        if default is not None and not value:
            value = default
        if value is None:
            raise ValueError(
                f"{self.config.where}: rope_type {self.values['rope_type']!r} needs {key!r}, which "
                "is not given"
            )
        return read_number(self.path_to(key), value, least)

    def flag(self, key: str, default: bool) -> bool:
        """Return the boolean value of a key, or `default` if the key is missing."""
        value = self.values.get(key, default)
        expected = f"{self.path_to(key)} must be true or false"
        _checks.require(isinstance(value, bool), expected, value)
        return bool(value)

    def trained_length(self) -> int:
        """Return the number of positions in training, before the context was extended."""
        key = "original_max_position_embeddings"
        outside, inside = self.config.get(key), self.values.get(key)
        if inside is None and is_nested(self.config.dictionary("rope_parameters")):
            # If dictionaries are nested, transformers reads this key only inside `rope_parameters`.
            inside = self.config.integer("max_position_embeddings")
        if outside is not None and inside is not None and outside != inside:
            self.config.refuse_contradiction(f"{key} is {outside} and {inside}")
        if inside is not None:
            return read_integer(self.path_to(key), inside)
        return self.config.integer(key if outside is not None else "max_position_embeddings")

    def factor(self, trained_length: int) -> float:
        """Return the configured factor, or else max_position_embeddings / trained_length."""
        if self.values.get("factor") is not None:
            return self.number("factor", 1)
        return max(1.0, self.config.integer("max_position_embeddings") / trained_length)

    def amplitude(self, default: float) -> float:
        """Return `attention_factor` if the configuration gives it, and otherwise `default`."""
        is_given = self.values.get("attention_factor") is not None
        return self.number("attention_factor", 0) if is_given else default


def scale_nothing(settings: Settings) -> Scaled:
    """Return the frequencies of the base without any scaling."""
    return Scaled(frequencies(settings.width, settings.base))


def interpolate(settings: Settings) -> Scaled:
    """Return the frequencies of the base, each divided by the factor."""
    factor = settings.number("factor", 1)
    return Scaled(context.interpolated(settings.width, factor, settings.base))


def raise_base_with_length(settings: Settings) -> Scaled:
    """Raise the base when a text is longer than `max_position_embeddings`."""
    longest = settings.config.integer("max_position_embeddings")
    factor, length = settings.number("factor", 1), settings.length or longest
    w = context.dynamic(settings.width, length, longest, settings.base, factor)
    return Scaled(w, switch=longest)


def scale_by_wavelength(settings: Settings) -> Scaled:
    """Divide the frequencies of pairs that make few turns in the training length (Llama 3.1)."""
    low = settings.number("low_freq_factor", 0)
    high = settings.number("high_freq_factor", 0)
    factor, trained = settings.number("factor", 1), settings.trained_length()
    w = context.llama3(settings.width, factor, trained, settings.base, low, high)
    return Scaled(w)


def scale_as_yarn(settings: Settings) -> Scaled:
    """Scale frequencies as YaRN does, and return them with YaRN's amplitude for cos and sin."""
    trained = settings.trained_length()
    mscale = settings.number("mscale", 0, 0)
    mscale_all_dim = settings.number("mscale_all_dim", 0, 0)
    factor = settings.factor(trained)
    usual_amplitude = context.yarn_amplitude(factor, mscale, mscale_all_dim)
    amplitude = settings.amplitude(usual_amplitude)
    truncate = settings.flag("truncate", True)
    fast = settings.number("beta_fast", None, 32)
    slow = settings.number("beta_slow", None, 1)
    w = context.yarn(settings.width, factor, trained, settings.base, fast, slow, truncate)
    return Scaled(w, amplitude)


def divide_each_pair(settings: Settings) -> Scaled:
    """Divide each pair's frequency by its own factor, depending on the text's length (LongRoPE)."""
    trained = settings.trained_length()
    short, long = (
        read_positive_numbers(settings.path_to(key), settings.values.get(key), settings.width // 2)
        for key in ("short_factor", "long_factor")
    )
    usual_amplitude = context.longrope_amplitude(settings.factor(trained), trained)
    amplitude = settings.amplitude(usual_amplitude)
    is_long = settings.length is not None and settings.length > trained
    w = frequencies(settings.width, settings.base) / (long if is_long else short)
    return Scaled(w, amplitude, switch=trained)


def rotate_a_share(settings: Settings) -> Scaled:
    """Keep the frequencies of a fraction of the pairs, and set all other frequencies to 0."""
    key = "partial_rotary_factor"
    share = read_number(settings.path_to(key), settings.values.get(key, 1.0))
    _checks.require(0 <= share <= 1, f"{settings.path_to(key)} must lie in [0, 1]", share)
    w = context.proportional(settings.width, share, settings.base)
    return Scaled(w / settings.number("factor", None, 1))


@dataclass(frozen=True)
class Scaling:
    """A type of frequency scaling: its rule, its configuration keys, and its names for readers."""

    name: str  # `rope_type` in transformers
    rule: Callable[[Settings], Scaled]
    # The keys that the rule reads, besides rope_type, rope_theta and partial_rotary_factor.
    keys: tuple[str, ...] = ()
    older_names: tuple[str, ...] = ()
    is_over_whole_head: bool = False  # whether the rotated width ignores partial_rotary_factor
    title: str = ""  # the name of the type in the table of models, or "" for an empty cell
    # whether the table also shows the factor by which the slowest pair is slowed down
    title_has_factor: bool = True
    label: str = ""  # the name of the type in the explorer of layers
    # the doctor's name for this type of frequencies, and the doctor's phrase for it
    doctor_name: str = "none"
    doctor_phrase: str = "no scaling"
    # whether _ext/doctor/config.mjs can also compute this type's frequencies
    is_read_by_page: bool = False


_TYPES = (
    Scaling(
        name="default",
        rule=scale_nothing,
        older_names=("mrope", "axial"),
        is_read_by_page=True,
    ),
    Scaling(
        name="linear",
        rule=interpolate,
        keys=("factor",),
        title="interpolated",
        label="linear",
        doctor_name="linear",
        doctor_phrase="positions interpolated",
        is_read_by_page=True,
    ),
    Scaling(
        name="dynamic",
        rule=raise_base_with_length,
        keys=("factor", "original_max_position_embeddings"),
        title="NTK-aware, by length",
        label="dynamic",
    ),
    Scaling(
        name="yarn",
        rule=scale_as_yarn,
        keys=(
            "factor",
            "original_max_position_embeddings",
            "attention_factor",
            "beta_fast",
            "beta_slow",
            "mscale",
            "mscale_all_dim",
            "truncate",
        ),
        older_names=("deepseek_yarn",),
        title="YaRN",
        label="YaRN",
        doctor_name="yarn",
        doctor_phrase="YaRN",
        is_read_by_page=True,
    ),
    Scaling(
        name="longrope",
        rule=divide_each_pair,
        keys=(
            "short_factor",
            "long_factor",
            "factor",
            "attention_factor",
            "original_max_position_embeddings",
        ),
        older_names=("su",),
        title="LongRoPE",
        title_has_factor=False,
        label="longrope",
        doctor_name="longrope",
        doctor_phrase="longrope, with a factor for each pair",
    ),
    Scaling(
        name="llama3",
        rule=scale_by_wavelength,
        keys=(
            "factor",
            "low_freq_factor",
            "high_freq_factor",
            "original_max_position_embeddings",
        ),
        title="by parts",
        label="llama3",
        doctor_name="llama3",
        doctor_phrase="llama3",
        is_read_by_page=True,
    ),
    Scaling(
        name="proportional",
        rule=rotate_a_share,
        keys=("factor",),
        is_over_whole_head=True,
        label="proportional",
        doctor_name="proportional",
        doctor_phrase="proportional, where later pairs do not turn",
    ),
)

SCALINGS: Mapping[str, Scaling] = {scaling.name: scaling for scaling in _TYPES}
RENAMED = {old: scaling.name for scaling in _TYPES for old in scaling.older_names}
FLAT_KEYS = frozenset(KEYS.beside_scaling) | {key for scaling in _TYPES for key in scaling.keys}


def is_nested(rope: Mapping[str, Any]) -> bool:
    """Return whether `rope` contains a separate dictionary for at least one type of layer."""
    return any(isinstance(value, Mapping) for key, value in rope.items() if key not in FLAT_KEYS)
