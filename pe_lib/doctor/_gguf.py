"""Compute the frequencies that the header of a GGUF file describes.

A GGUF file stores no frequencies. Its header has a base, a number of rotated entries and a scaling,
from which llama.cpp computes the frequencies when it loads the file. If the header leaves out a
value, llama.cpp uses a default. This module repeats the computation of llama.cpp.

Sources: src/llama-model.cpp (`load_hparams`), src/llama-hparams.h (`rope_freq_base_train_swa`),
src/models/*.cpp (`load_arch_hparams`) and ggml.c (`ggml_rope_yarn_corr_dims`) in
ggml-org/llama.cpp; gguf-py/gguf/constants.py (version 0.19.0) for the names of keys and tensors.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import biases, context
from pe_lib.doctor._numbers import DATA, format_number
from pe_lib.sinusoidal import frequencies

Floats = NDArray[np.float64]

USUAL_BASE = 10_000.0
# For these kinds of models, llama.cpp rotates even if the header has no key of the rotation. If the
# header of another kind has no such key, we do not know whether that kind rotates.
ROTATING = {
    "llama", "qwen2", "qwen2moe", "qwen3", "qwen3moe", "gemma", "gemma2", "gemma3", "phi2", "phi3",
    "falcon", "gptneox", "stablelm", "command-r", "cohere2", "deepseek2", "olmo2", "internlm2",
    "granite", "nomic-bert",
}  # fmt: skip
# In these kinds, sliding layers have their own base. It is 10,000 if the header does not give it.
OWN_SLIDING_BASE = {
    "gemma3", "gemma3n", "gemma-embedding", "gemma4", "diffusion-gemma", "mimo2", "step35",
    "deepseek4",
}  # fmt: skip
# In these kinds, sliding layers are scaled like all other layers. In other kinds, sliding layers
# that have their own base are not scaled.
SCALED_SLIDING = {"gpt-oss", "gemma2", "cohere2", "cohere2moe", "kolibri1", "exaone4", "spark2_5"}
# In these kinds, sliding layers have the same base as all other layers, but no scaling.
UNSCALED_SLIDING = {"olmo2", "mellum"}
# OpenAI's code does not round the ends of YaRN's ramp, and a GGUF header has no key that says so.
UNROUNDED_RAMP = {"gpt-oss"}
# In these kinds, the file's divisors apply only to full layers, and not to sliding layers.
FACTORS_FOR_FULL_LAYERS = {"gemma4", "diffusion-gemma", "step35"}
# Gemma 4 divides a frequency by 1e30 if its pair should not rotate, so a divisor above this limit
# means a frequency of 0.
STANDS_STILL = 1e20


@dataclass(frozen=True)
class Rule:
    """The base, the number of rotated entries, and the scaling of one kind of layer."""

    base: float
    width: int
    is_scaled: bool
    divisors: str = ""  # the name of the tensor that holds a divisor for each pair


class Header:
    """The values in a GGUF header, read under the name of its architecture."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self.facts = facts
        first_key = next((key for key in facts if ".rope." in key), "")
        self.kind = str(facts.get("general.architecture") or first_key.partition(".rope.")[0])
        self.left_out: list[str] = []  # the keys that the header lacks, with llama.cpp's defaults

    def find(self, *keys: str) -> Any:
        """Return the value of the first key in the list that the header has, or None."""
        names = (f"{self.kind}.{key}" for key in keys)
        return next((self.facts[name] for name in names if name in self.facts), None)

    def number(self, key: str, default: float) -> float:
        """Return the number at a key. If it is missing, return and record llama.cpp's default."""
        if self.find(key) is None:
            self.left_out.append(f"{key} = {format_number(default)}")
        return self.number_or(key, default)

    def number_or(self, key: str, default: float) -> float:
        """Return the number at a key, or a default that the report does not mention."""
        value = self.find(key)
        return default if value is None else float(value)

    def count(self, key: str) -> int:
        """Return the integer at a key (from a list, the largest), or 0 if the key is missing."""
        value = self.find(key)
        return int(max(value, default=0) if isinstance(value, list) else value or 0)

    @property
    def rotates(self) -> bool:
        """Return whether llama.cpp rotates the heads of this model, as far as the header says."""
        has_keys = any(name.startswith(f"{self.kind}.rope.") for name in self.facts)
        is_off = self.find("rope.dimension_count") == 0
        return (has_keys or self.kind in ROTATING) and not is_off

    def rotated_width(self) -> int:
        """Return how many entries of a head are rotated, or 0 if the header does not say."""
        heads = self.count("attention.head_count")
        head = self.count("attention.key_length")
        head = head or (self.count("embedding_length") // heads if heads else 0)
        return self.count("rope.dimension_count") or head

    def scaling(self) -> tuple[str, float]:
        """Return the type of scaling, which is linear if the header names none, and the factor."""
        name = str(self.find("rope.scaling.type") or "linear")
        factor = float(self.find("rope.scaling.factor", "rope.scale_linear") or 1.0)
        return name, 1.0 if name == "none" else factor


def compute_positions(
    facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> tuple[dict[str, NDArray[Any]], list[str]]:
    """Return the frequencies and slopes that a GGUF header describes, by name, and notes on them.

    A model with one rule for all layers has `rope_freqs`. If the header says which layers slide,
    each layer has its own array, such as `blk.3.rope_freqs`. If the header does not say this, there
    is one array for the sliding layers and one for the other layers. LongRoPE has an array for
    short texts and an array for long texts. The divisors in the file are replaced by the
    frequencies.
    """
    header = Header(facts)
    out = dict(arrays)
    if slopes := _compute_slopes(header):
        out["alibi_slopes"] = np.asarray(slopes, np.float32)
    names = [name for name in arrays if name.removesuffix(".weight") == "rope_freqs"]
    if not (header.rotates or names):
        return out, []
    width = 2 * arrays[names[0]].size if names else header.rotated_width()
    if not width:
        return out, [DATA["gguf"]["no_width"]]
    base = header.number("rope.freq_base", USUAL_BASE)
    compressed = header.find("attention.compress_rope_freq_base")
    divisors = names[0] if names else ""
    others = Rule(float(compressed or base), _settle_width(header, width), True, divisors)
    sliding = _read_sliding_rule(header, others, base, divisors)
    for name in names:
        del out[name]
    out |= _lay_out(header, arrays, others, sliding)
    notes = [DATA["gguf"]["defaults"].format(keys=", ".join(header.left_out))]
    return out, notes if header.left_out else []


def _compute_slopes(header: Header) -> list[float]:
    """Return the slopes of ALiBi, or [] if the header does not ask for ALiBi."""
    default = 8.0 if header.kind == "bloom" else 0.0
    most = float(header.find("attention.max_alibi_bias") or default)
    heads = header.count("attention.head_count")
    return list(biases.alibi_slopes(heads) ** (most / 8)) if most and heads else []


def _settle_width(header: Header, width: int) -> int:
    """Return the rotated width of the layers that do not slide.

    For Step 3.5, the header has the whole width of a head, which llama.cpp halves.
    """
    is_whole = width == header.count("attention.key_length")
    return width // 2 if header.kind == "step35" and is_whole else width


def _read_sliding_rule(header: Header, others: Rule, base: float, divisors: str) -> Rule | None:
    """Return the rule of the sliding layers, or None if they follow the rule of the other layers.

    DeepSeek-V4's header gives the base of its sliding layers as `rope.freq_base` if it also has a
    base for the layers that compress keys.
    """
    kind = header.kind
    own = header.find("rope.freq_base_swa")
    has_compressed = header.find("attention.compress_rope_freq_base") is not None
    width = header.count("rope.dimension_count_swa")
    if kind == "step35":
        width = width or header.count("attention.key_length")
    if kind in OWN_SLIDING_BASE and own is None and not has_compressed:
        if kind == "gemma3" and not header.count("attention.sliding_window"):
            return None  # without a window, all layers are alike
        own = header.number("rope.freq_base_swa", USUAL_BASE)
    differs = own is not None or has_compressed
    is_scaled = kind in SCALED_SLIDING or not (differs or kind in UNSCALED_SLIDING)
    if not (differs or kind in UNSCALED_SLIDING or width):
        return None
    return Rule(
        float(own if own is not None else base if has_compressed else others.base),
        width or others.width,
        is_scaled,
        "" if kind in FACTORS_FOR_FULL_LAYERS else divisors,
    )


def _lay_out(
    header: Header, arrays: Mapping[str, NDArray[Any]], others: Rule, sliding: Rule | None
) -> dict[str, NDArray[Any]]:
    """Return the frequencies under names that say to which layers they belong."""
    tensors = {
        word: name
        for word in ("short", "long")
        for name in arrays
        if name.removesuffix(".weight").removeprefix("blk.0.") == f"rope_factors_{word}"
    }
    if tensors:
        rules = {
            word: Rule(others.base, others.width, True, name) for word, name in tensors.items()
        }
        return {
            f"{word}.rope_freqs": _compute_frequencies(header, arrays, rule)
            for word, rule in rules.items()
        }
    w = _compute_frequencies(header, arrays, others)
    if sliding is None:
        return {others.divisors or "rope_freqs": w}
    own = _compute_frequencies(header, arrays, sliding)
    slides = _find_sliding_layers(header)
    if slides:
        return {f"blk.{i}.rope_freqs": own if is_on else w for i, is_on in enumerate(slides)}
    return {"others.rope_freqs": w, "sliding.rope_freqs": own}


def _find_sliding_layers(header: Header) -> list[bool]:
    """For each layer, return whether it slides. Return [] if the header does not say.

    The header has a list with an entry for each layer, or a number n. With a number n, the last of
    every n layers is full, and the others slide.
    """
    count = header.count("block_count") - header.count("nextn_predict_layers")
    pattern = header.find("attention.sliding_window_pattern")
    ratios = header.find("attention.compress_ratios")
    if isinstance(ratios, list):
        slides = [ratio == 0 for ratio in ratios]
    elif isinstance(pattern, list):
        slides = [bool(entry) for entry in pattern]
    elif pattern is not None:
        slides = [not pattern or i % pattern < pattern - 1 for i in range(count)]
    else:
        return []
    return slides[:count] if len(slides) >= count else []


def _compute_frequencies(
    header: Header, arrays: Mapping[str, NDArray[Any]], rule: Rule
) -> NDArray[np.float32]:
    """Return the frequencies of a rule in float32, as llama.cpp computes them."""
    name, factor = header.scaling()
    w = frequencies(rule.width, rule.base)
    if rule.is_scaled:
        scaled = w / factor
        if name == "yarn":
            scaled = _mix_yarn(header, rule, factor, scaled)
        w = scaled
    if rule.divisors:
        divisors = np.asarray(arrays[rule.divisors], np.float64).reshape(-1)
        w = np.where(divisors > STANDS_STILL, 0.0, w / divisors)
    return np.asarray(w, np.float32)


def _mix_yarn(header: Header, rule: Rule, factor: float, interpolated: Floats) -> Floats:
    """Return YaRN's frequencies, mixed with interpolated ones if `yarn_ext_factor` is below 1."""
    trained = int(header.find("rope.scaling.original_context_length") or 0)
    if not trained:
        trained = int(header.number("rope.scaling.original_context_length",
                                    header.count("context_length")))  # fmt: skip
    share = header.number_or("rope.scaling.yarn_ext_factor", 1.0)
    fast = header.number_or("rope.scaling.yarn_beta_fast", 32.0)
    slow = header.number_or("rope.scaling.yarn_beta_slow", 1.0)
    is_rounded = header.kind not in UNROUNDED_RAMP
    w = context.yarn(rule.width, factor, trained, rule.base, fast, slow, is_rounded)
    return share * w + (1 - share) * interpolated
