"""Compute the samples on the doctor's page, which repeat mistakes from real programs.

The page runs a translation of this file, just as it does with `pe_lib.doctor`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from pe_lib.doctor._formats import round_to
from pe_lib.doctor._spacing import bend_frequencies, plain_frequencies, yarn_ramp

J = np.arange(32)
PAIRS = J // 2
LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
         "num_hidden_layers": 32, "max_position_embeddings": 131072, "rope_theta": 500000,
         "rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1,
                          "high_freq_factor": 4, "original_max_position_embeddings": 8192}
         }  # fmt: skip


def table(positions: Any, exponents: Any) -> Any:
    """Return a table of alternating sines and cosines, whose frequencies are 10,000^-exponents."""
    angles = positions[:, None] * 1e4**-exponents
    return round_to(np.where(J % 2 == 0, np.sin(angles), np.cos(angles)), "float32")


def paper_table(positions: Any) -> Any:
    """Return the position table of the original paper, with 32 entries per row."""
    return table(positions, PAIRS / 16)


def mixed_cache() -> dict[str, Any]:
    """Return a cache that repeats cosines in halves but sines in neighbouring pairs."""
    angles = np.arange(128)[:, None] * plain_frequencies(32, 1e4)
    halves = np.concatenate([angles, angles], axis=1)
    twos = np.stack([angles, angles], axis=2).reshape(128, 64)
    return {"cos": round_to(np.cos(halves), "float32"), "sin": round_to(np.sin(twos), "float32")}


def half_precision_cache() -> dict[str, Any]:
    """Return a cache of 1,024 positions that was computed in float16 throughout."""
    positions, w = np.arange(1024)[:, None], round_to(plain_frequencies(32, 1e4), "float16")
    angles = round_to(round_to(positions, "float16") * w, "float16")
    return {"cos": round_to(np.cos(angles), "float16"), "sin": round_to(np.sin(angles), "float16")}


def samples() -> list[tuple[str, Callable[[], dict[str, Any]]]]:
    """Return the samples, each with a title and a function that returns its arrays by name.

    A configuration may be among the arrays.
    """
    t, inv_freq = np.arange(64), round_to(plain_frequencies(64, 1e4), "float32")
    return [
        ("Homework: a loop in steps of two, and twice i in the exponent",
         lambda: {"": table(t, PAIRS / 8)}),
        ("Homework: the 2 of 2i forgotten", lambda: {"": table(t, PAIRS / 32)}),
        ("Homework: each dimension has its own frequency", lambda: {"": table(t, J / 32)}),
        ("A healthy one: a table counted from 1", lambda: {"": paper_table(t + 1)}),
        ("An encoding added twice", lambda: {"": 2 * paper_table(t)}),
        ("A converted model: cosines in halves, sines in twos", mixed_cache),
        ("Llama 3.1 loaded with base 10,000, beside its configuration",
         lambda: {"inv_freq": inv_freq, "config.json": LLAMA}),
        ("A model cast to bfloat16, frequencies and all",
         lambda: {"": round_to(inv_freq, "bfloat16")}),
        ("A cache whose angles were float16", half_precision_cache),
        ("A buffer that was filled only in part",
         lambda: {"": np.where(t[:, None] < 48, paper_table(t), 0.0)}),
        ("Positions clamped at position 47", lambda: {"": paper_table(np.minimum(t, 47))}),
        ("ALiBi for 12 heads, by the paper's one formula",
         lambda: {"": 2.0 ** (-8 * np.arange(1, 13) / 12)}),
        ("A healthy one: YaRN by 4, of 4,096 positions",
         lambda: {"": round_to(bend_frequencies(64, 1e4, 4.0, yarn_ramp(64, 1e4, 4096)),
                               "float32")}),
    ]  # fmt: skip
