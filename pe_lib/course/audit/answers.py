"""Checks of S4, a question-and-answer page on positional encoding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.attention import attention
from pe_lib.course.audit.finding import Finding, decided, on_record, unchecked
from pe_lib.course.audit.overview import clocks, nearest, tiny
from pe_lib.course.model import Transformer
from pe_lib.sinusoidal import encode, frequencies

Array = NDArray[Any]


def _printed_formula(length: int, d_model: int, wave: Any) -> Array:
    """wave(pos / 10000^(2i / d_model)), entry by entry: (length, d_model/2)."""
    return np.array(
        [
            [wave(pos / 10000 ** (2 * i / d_model)) for i in range(d_model // 2)]
            for pos in range(length)
        ]
    )


def used_outside_the_transformer() -> Finding:
    """S4-01: other sequence-to-sequence models have positional encodings too."""
    return on_record(
        "right",
        "Gehring et al. (2017), section 3.1",
        "a convolutional sequence-to-sequence model adds an embedding of each absolute position to "
        "the embedding of its word, in the encoder and in the decoder. Vaswani et al. (2017), "
        "section 3.5, do it in the Transformer.",
    )


def embedding_at_two_positions() -> Finding:
    """S4-02: a word's embedding does not know where the word stands."""
    gaps = {}
    for scheme in ("none", "sinusoidal"):
        entered = Transformer(8, 8, scheme, dtype="float64").hidden([[3, 1, 4, 3]])[0][0]
        gaps[scheme] = float(np.linalg.norm(entered[0] - entered[3]))
    return decided(
        gaps["none"] == 0 and gaps["sinusoidal"] > 0,
        f"The same token at positions 0 and 3 has one and the same row of the table, {gaps['none']}"
        f" apart. With the encoding added the two are {gaps['sinusoidal']:.2f} apart.",
    )


def rows_are_computed_alone() -> Finding:
    """S4-03: all input tokens are processed in parallel."""
    rng = np.random.default_rng(0)
    queries, keys, values = rng.standard_normal((3, 9, 8))
    together = attention(queries, keys, values)
    alone = [attention(queries[[t]], keys, values)[0] for t in reversed(range(9))]
    gap = float(np.abs(together - alone[::-1]).max())
    return decided(
        gap < 1e-12,
        f"Nine outputs of attention computed together and one by one, the last first, differ by "
        f"{tiny(gap)}: none waits for another. (A decoder that writes a text still makes one new "
        "token after the other.)",
    )


def bag_of_words_with_and_without_a_mask() -> Finding:
    """S4-04: without positions the tokens are a bag of words."""
    gaps: dict[bool, list[float]] = {False: [], True: []}
    for causal, found in gaps.items():
        for seed in range(10):
            model = Transformer(
                3, 2, "none", causal=causal, pooled=True, seed=seed, dtype=np.float64
            )
            found.append(float(np.abs(model([[0, 2, 1]]) - model([[1, 2, 0]])).max()))
    plain, masked = max(gaps[False]), min(gaps[True])
    return decided(
        plain < 1e-12 and masked < 1e-12,
        f"Dog bites man and man bites dog, ten random layers without positions: the answers differ "
        f"by {tiny(plain)} without a mask, and by {masked:.2g} or more with a causal mask.",
        kindly=plain < 1e-12,
    )


def before_both_stacks() -> Finding:
    """S4-05: added to the input embeddings before the encoder and the decoder stack."""
    return on_record(
        "right",
        "Vaswani et al. (2017), section 3.5",
        "the encodings are added to the input embeddings at the bottoms of the encoder and decoder "
        "stacks.",
    )


def no_two_positions_alike() -> Finding:
    """S4-06: the formula gives each position an encoding of its own.

    Proof: the first pair has frequency 1. Integers s ≠ t with equal sines and equal cosines would
    differ by 2πn, and π would be a ratio of integers.
    """
    offset, gap = nearest(64, 20_000)
    return decided(
        gap > 0.1,
        f"With d_model 64 the nearest two of 20,000 positions are {gap:.2f} apart (offset "
        f"{offset}). That none coincide at any distance follows from π being irrational.",
    )


def word_and_position_from_the_sum() -> Finding:
    """S4-07: the element-wise sum holds both the word and the position."""
    rng = np.random.default_rng(0)
    words, places = rng.standard_normal((200, 512)), encode(range(100), 512)
    word, place = rng.integers(200, size=500), rng.integers(100, size=500)
    sums = words[word] + places[place]
    words_right = int(((sums @ words.T).argmax(axis=1) == word).sum())
    places_right = int(((sums @ places.T).argmax(axis=1) == place).sum())
    return decided(
        words_right == 500 and places_right >= 450,
        f"From 500 sums of a random word, one of 200, and a position below 100, in 512 "
        f"dimensions, dot products name the word {words_right} times and the position "
        f"{places_right} times.",
    )


def sine_of_the_formula() -> Finding:
    """S4-08: PE(pos, 2i) = sin(pos / 10000^(2i / d_model))."""
    miss = float(np.abs(_printed_formula(40, 16, math.sin) - clocks(40, 16).imag).max())
    return decided(
        miss < 1e-12,
        f"The printed sine, entry by entry for 40 positions and d_model 16, differs from clock "
        f"hands that are turned step by step by {tiny(miss)}.",
    )


def cosine_of_the_formula() -> Finding:
    """S4-09: PE(pos, 2i + 1) = cos(pos / 10000^(2i / d_model))."""
    miss = float(np.abs(_printed_formula(40, 16, math.cos) - clocks(40, 16).real).max())
    swapped = float(np.abs(_printed_formula(40, 16, math.cos) - clocks(40, 16).imag).max())
    return decided(
        miss < 1e-12,
        f"The printed cosine, entry by entry for 40 positions and d_model 16, differs from the "
        f"other coordinate of the same clock hands by {tiny(miss)} (from the sine by up to "
        f"{swapped:.1f}).",
    )


def pair_or_dimension() -> Finding:
    """S4-10: i refers to the dimension within the encoding."""
    right = encode(5, 8)
    own = [(math.sin, math.cos)[j % 2](5 / 10000 ** (2 * j / 8)) for j in range(8)]
    pair = [(math.sin, math.cos)[j % 2](5 / 10000 ** (2 * (j // 2) / 8)) for j in range(8)]
    off, hit = (float(np.abs(right - values).max()) for values in (own, pair))
    return decided(
        off < 1e-12,
        f"Position 5, d_model 8: with the dimension j put in for i the entries are off by up to "
        f"{off:.2f}; with the pair, j // 2, by {tiny(hit)}. The paper's section 3.5 has the same "
        "loose word.",
        kindly=hit < 1e-12,
    )


def width_of_the_embedding() -> Finding:
    """S4-11: d_model is the dimension of the input embeddings."""
    return on_record(
        "right",
        "Vaswani et al. (2017), section 3.5",
        "the encodings have the same dimension d_model as the embeddings, so that the two can be "
        "summed.",
    )


def frequencies_keep_positions_apart() -> Finding:
    """S4-12: different frequencies see to it that positions differ."""
    found = {d_model: nearest(d_model, 20_000) for d_model in (2, 8, 512)}
    one, four, many = (gap for _, gap in found.values())
    return decided(
        0 < one < four < many,
        f"With one frequency, positions {found[2][0]} apart differ by {one:.5f}; that is not 0. "
        f"With four, no two of 20,000 positions are nearer than {four:.2f}, with 256 than "
        f"{many:.2f}. One pair would do in theory, the others make it usable.",
    )


def frequencies_fall_exponentially() -> Finding:
    """S4-13: cycles over positions, with frequencies that decrease exponentially.

    Along i, that is: the next sentence of the page speaks of dimensions.
    """
    step = encode(1, 64)  # after one position a hand stands at its frequency
    speed = np.arctan2(step[0::2], step[1::2])
    ratios = speed[1:] / speed[:-1]
    return decided(
        float(np.ptp(ratios)) < 1e-9 and ratios[0] < 1,
        f"With d_model 64 each frequency is {ratios[0]:.4f} times the one before, from "
        f"{speed[0]:.0f} down to {speed[-1]:.6f} radians a position: a geometric progression, "
        "which is exponential in i.",
    )


def parts_of_one_cycle() -> Finding:
    """S4-14: each dimension captures a different part of the cycle.

    Kind reading: at any one position, each pair is at another place of its own cycle.
    """
    speeds = frequencies(8)
    phases = np.arange(1, 51)[:, None] * speeds / math.tau % 1
    gaps = np.abs(phases[:, :, None] - phases[:, None])
    distinct = bool((gaps[:, ~np.eye(4, dtype=bool)] > 1e-6).all())
    lengths = ", ".join(f"{math.tau / speed:,.0f}" for speed in speeds)
    shares = ", ".join(f"{share:.3f}" for share in phases[4])
    return decided(
        len({round(float(speed), 9) for speed in speeds}) == 1,
        f"There is no one cycle: with d_model 8 the pairs come round after {lengths} positions. "
        f"But at position 5 they are {shares} of the way through their own cycles, and at "
        + ("none" if distinct else "some")
        + " of the positions 1 to 50 two of these shares are equal.",
        kindly=distinct,
    )


def quarter_of_a_turn() -> Finding:
    """S4-15: the cosines are another cycle, like the sines, with the phase shifted."""
    t, worst = np.arange(50.0), 0.0
    for i, speed in enumerate(frequencies(16)):
        later = encode(t + math.pi / 2 / speed, 16)[:, 2 * i]  # a quarter of its wavelength on
        worst = max(worst, float(np.abs(later - encode(t, 16)[:, 2 * i + 1]).max()))
    return decided(
        worst < 1e-9,
        "With d_model 16 the cosine of each of the 8 pairs is its sine a quarter of a wavelength "
        f"later: the largest difference is {'below 1e-9' if worst < 1e-9 else worst}.",
    )


def base_of_the_exponential() -> Finding:
    """S4-16: 10,000 is the base of the exponential."""
    step = encode(1, 64)
    speed = np.arctan2(step[0::2], step[1::2])[1:]
    bases = speed ** (-64 / (2 * np.arange(1, 32)))  # solve speed = base^(-2i/64)
    return decided(
        bool(np.allclose(bases, 10_000, rtol=1e-9)),
        f"Solved for the base, the frequencies of the 31 slower pairs of d_model 64 give "
        f"{bases.min():,.2f} to {bases.max():,.2f}.",
    )


def reasons_for_the_choice() -> Finding:
    """S4-17: base 10,000, and both sine and cosine, are empirical choices that work well.

    Literally: the cosine is dispensable but for its success. Kindly: the base is.
    """

    def missed(columns: slice, base: float) -> float:
        """How far the best matrix for one step misses, on 200 positions of d_model 8."""
        table = encode(range(200), 8, base)[:, columns]
        matrix = np.linalg.lstsq(table[:-1], table[1:], rcond=None)[0]
        return float(np.abs(table[:-1] @ matrix - table[1:]).max())

    sines = missed(slice(0, None, 2), 10_000.0)
    both = {base: missed(slice(None), base) for base in (1_000.0, 10_000.0, 100_000.0)}
    free = max(both.values()) < 1e-6
    return decided(
        sines < 1e-6,
        f"With sines alone no matrix takes each position to the next: the best one misses by up to "
        f"{sines:.2f}. With sines and cosines one {'does' if free else 'may not'}, to within 1e-6, "
        "for base 1,000, 10,000 and 100,000. Vaswani et al. (2017), section 3.5, give this linear "
        "map as the reason for the function; for the base they give no reason and no comparison.",
        kindly=free,
    )


def sum_entry_by_entry() -> Finding:
    """S4-18: input with positions = embeddings + encodings."""
    tokens = [2, 7, 1, 8]
    model = Transformer(9, 9, "sinusoidal", d_model=16, dtype="float64")
    hands = clocks(4, 16)
    encoding = np.stack([hands.imag, hands.real], axis=-1).reshape(4, 16)
    expected = model.parameters["embedding"][tokens] + encoding
    miss = float(np.abs(model.hidden([tokens])[0][0] - expected).max())
    return decided(
        miss < 1e-12,
        f"What enters the first layer for four tokens differs from embedding plus encoding by "
        f"{tiny(miss)}.",
    )


def figure_that_is_not_in_the_text() -> Finding:
    """S4-19: a figure of 16 tokens by 64 dimensions."""
    return unchecked(
        "The figure is not part of the text, so there are no values to compare with the encoding "
        "of 16 positions in 64 dimensions."
    )


def cycles_along_the_vector() -> Finding:
    """S4-20: the further the position, the more cycles of sine and cosine.

    Along the vector of position t the angle falls from t to nearly 0, t/2π turns. The frequency of
    a dimension does not change.
    """
    table = encode(range(16), 64)
    sines, cosines = (
        (np.diff(np.sign(table[1:, start::2]), axis=1) != 0).sum(axis=1) for start in (0, 1)
    )
    grow = all(
        bool((np.diff(count) >= 0).all() and count[-1] > count[0]) for count in (sines, cosines)
    )
    turns = (1 - frequencies(64)[-1]) * 15 / math.tau
    return decided(
        grow,
        f"Along the 64 entries, the sines of position 1 change sign {sines[0]} times and those of "
        f"position 15 {sines[-1]} times, the cosines {cosines[0]} and {cosines[-1]} times, and no "
        f"position has fewer changes than the one before. At position 15 the angles run through "
        f"{turns:.1f} turns. (A dimension's own frequency is the same at all positions.)",
    )


def order_with_positions() -> Finding:
    """S4-21: with the encodings, a model can tell position and order."""
    table = encode(range(16), 64)
    found = (table @ table.T).argmax(axis=1)
    changes = []
    for seed in range(10):
        model = Transformer(3, 2, "sinusoidal", pooled=True, seed=seed, dtype=np.float64)
        changes.append(float(np.abs(model([[0, 2, 1]]) - model([[1, 2, 0]])).max()))
    return decided(
        bool((found == np.arange(16)).all()) and min(changes) > 1e-3,
        f"Each of 16 encodings is most similar to itself: {int((found == np.arange(16)).sum())} of "
        f"16. Dog bites man and man bites dog get answers that differ by {min(changes):.2g} or "
        "more, in ten random layers without a mask. What a model learns from that is up to its "
        "training.",
    )
