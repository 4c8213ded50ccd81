"""Define each type of frequency scaling by one record with its rule, its keys and its names.

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
    """The result of a rule: frequencies, an amplitude, and the length beyond which they change."""

    frequencies: NDArray[np.float64]
    amplitude: float = 1.0
    switch: int | None = None  # the length above which the frequencies change


@dataclass(frozen=True)
class Settings:
    """The input of a rule: the base, the width, and the keys of `rope_parameters` by their names.

    The error of each method names the key and the dictionary that holds it.
    """

    config: Config
    values: Mapping[str, Any]  # `rope_parameters` for this type of layer, including `rope_type`
    base: float
    width: int  # how many entries of a head hold rotated pairs
    length: int | None  # the length of the text, if the caller gave it

    def path_to(self, key: str) -> str:
        """Return a dictionary's name and its key as error messages give them."""
        is_new = self.config.find_value("rope_parameters")
        outer = self.config.path_to("rope_parameters" if is_new else "rope_scaling")
        return f"{outer}[{key!r}]"

    def number(self, key: str, least: float | None = None, default: float | None = None) -> float:
        """Return the number at a key, or `default` if the number is missing, null or 0."""
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
        """Return the boolean at a key, or `default` if the key is missing."""
        value = self.values.get(key, default)
        expected = f"{self.path_to(key)} must be true or false"
        _checks.require(isinstance(value, bool), expected, value)
        return bool(value)

    def trained_length(self) -> int:
        """Return the number of positions in training, before the context was extended."""
        key = "original_max_position_embeddings"
        outside, inside = self.config.get(key), self.values.get(key)
        if inside is None and is_nested(self.config.dictionary("rope_parameters")):
            # With nested dictionaries, transformers reads the key only inside `rope_parameters`.
            inside = self.config.integer("max_position_embeddings")
        if outside is not None and inside is not None and outside != inside:
            self.config.refuse_contradiction(f"{key} is {outside} and {inside}")
        if inside is not None:
            return read_integer(self.path_to(key), inside)
        return self.config.integer(key if outside is not None else "max_position_embeddings")

    def factor(self, trained_length: int) -> float:
        """Return the given factor, or else the model's maximum length divided by trained_length."""
        if self.values.get("factor") is not None:
            return self.number("factor", 1)
        return max(1.0, self.config.integer("max_position_embeddings") / trained_length)

    def amplitude(self, default: float) -> float:
        """Return the given `attention_factor`, or else `default`."""
        is_given = self.values.get("attention_factor") is not None
        return self.number("attention_factor", 0) if is_given else default


def scale_nothing(settings: Settings) -> Scaled:
    """Return the unscaled frequencies of the base."""
    return Scaled(frequencies(settings.width, settings.base))


def interpolate(settings: Settings) -> Scaled:
    """Divide every frequency by the factor."""
    factor = settings.number("factor", 1)
    return Scaled(context.interpolated(settings.width, factor, settings.base))


def raise_base_with_length(settings: Settings) -> Scaled:
    """Raise the base as the text grows beyond `max_position_embeddings`."""
    longest = settings.config.integer("max_position_embeddings")
    factor, length = settings.number("factor", 1), settings.length or longest
    w = context.dynamic(settings.width, length, longest, settings.base, factor)
    return Scaled(w, switch=longest)


def scale_by_wavelength(settings: Settings) -> Scaled:
    """Divide the frequencies of pairs that make few turns in training, as in Llama 3.1."""
    low = settings.number("low_freq_factor", 0)
    high = settings.number("high_freq_factor", 0)
    factor, trained = settings.number("factor", 1), settings.trained_length()
    w = context.llama3(settings.width, factor, trained, settings.base, low, high)
    return Scaled(w)


def scale_as_yarn(settings: Settings) -> Scaled:
    """Divide frequencies along YaRN's ramp, and multiply cos and sin by its amplitude."""
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
    """Divide each frequency by its own factor, which depends on the text's length (LongRoPE)."""
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
    """Keep the frequencies of a fraction of the pairs, and set the other frequencies to 0."""
    key = "partial_rotary_factor"
    share = read_number(settings.path_to(key), settings.values.get(key, 1.0))
    w = context.proportional(settings.width, share, settings.base)
    return Scaled(w / settings.number("factor", None, 1))


@dataclass(frozen=True)
class Scaling:
    """A type of scaling, with its rule, its keys, and the names that readers see."""

    name: str  # `rope_type` in transformers
    rule: Callable[[Settings], Scaled]
    # The rule reads these keys. Every type also reads rope_type, rope_theta, partial_rotary_factor.
    keys: tuple[str, ...] = ()
    older_names: tuple[str, ...] = ()
    is_over_whole_head: bool = False  # whether partial_rotary_factor leaves the width unchanged
    title: str = ""  # the type's name in the table of models, where "" leaves the cell empty
    title_has_factor: bool = True  # whether the table shows how much the slowest pair slows down
    label: str = ""  # the type's name in the explorer of layers
    # the doctor's name for frequencies of this type, and its phrase in a diagnosis
    doctor_name: str = "none"
    doctor_phrase: str = "no scaling"
    is_read_by_page: bool = False  # whether _ext/doctor/config.mjs also has the type's rule


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
    """Return whether `rope` holds a dictionary for at least one type of layer."""
    return any(isinstance(value, Mapping) for key, value in rope.items() if key not in FLAT_KEYS)
