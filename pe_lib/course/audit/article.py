"""S2, an article: the encoding in words, two worked sentences, pseudocode, a cosine similarity.

It takes d_model = 512 and base 10,000 throughout, and counts positions from 0.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.attention import attention
from pe_lib.course.audit.finding import Finding, decided, on_record
from pe_lib.course.model import Transformer, accuracy, tasks, train
from pe_lib.course.model.schemes import Sinusoidal
from pe_lib.relative import kernel, rotation
from pe_lib.sinusoidal import encode, frequencies, wavelengths

Array = NDArray[np.float64]
D, BASE = 512, 10_000.0
DOLPHINS = ["Dolphins", "leap", "grace", "##fully", "over", "waves", "."]
EAGLES = ["Eagles", "soar", "above", "the", "clouds", "during", "migration"]
SOAR = (0.12, -0.48, 0.85, -0.03)  # the first three entries and the last, as printed
SHOWN = [0, 1, 2, -1]
PAPER = "Vaswani et al. (2017)"


def _worst(a: Any, b: Any) -> float:
    return float(np.abs(np.asarray(a, dtype=float) - np.asarray(b, dtype=float)).max())


def _small(gap: float) -> str:
    """A rounding error in words that are the same on every processor."""
    return "less than 1e-9" if gap < 1e-9 else f"{gap:.2f}"


# ---------------------------------------------------------------- what it is, and why


def encodings_let_order_through() -> Finding:
    """S2-01: the encoding tells the model the order of the words."""
    shuffled = [3, 0, 4, 1, 2]
    tokens, change = np.array([[0, 1, 2, 3, 4]]), {}
    for scheme in ("none", "sinusoidal"):
        model = Transformer(8, 4, scheme, pooled=True, dtype=np.float64)
        change[scheme] = _worst(model(tokens), model(tokens[:, shuffled]))
    return decided(
        change["none"] < 1e-9 and change["sinusoidal"] > 0.01,
        "A random Transformer without a mask, five words in another order: its answer changes by "
        f"{_small(change['none'])} without encodings, and by {change['sinusoidal']:.2f} with them.",
    )


def recurrence_sees_order() -> Finding:
    """S2-02: a recurrent network has order built in, attention has not."""
    rng = np.random.default_rng(0)
    words, u, w = (rng.standard_normal(shape) for shape in ((6, 8), (8, 8), (8, 8)))

    def last_state(rows: Array) -> Array:
        state = np.zeros(8)
        for row in rows:
            state = np.tanh(row @ u / 3 + state @ w / 3)
        return state

    recurrent = _worst(last_state(words), last_state(words[::-1]))
    mean = [attention(rows, rows, rows).mean(axis=0) for rows in (words, words[::-1])]
    return decided(
        recurrent > 0.01 and _worst(*mean) < 1e-9,
        f"Six random words backwards change the last state of a random recurrent network by "
        f"{recurrent:.2f}, and the mean output of attention by {_small(_worst(*mean))}.",
    )


def width_of_the_base_model() -> Finding:
    """S2-03: d_model = 512, for the embedding with the encoding in it."""
    return on_record(
        "right",
        f"{PAPER}, sections 3.1 and 3.5 and Table 3",
        "embeddings and encodings have d_model = 512 entries in the base model (1024 in the big "
        "one); they are summed, so that the width stays.",
    )


def cost_of_other_ways() -> Finding:
    """S2-04: separate vectors or more parameters would slow training down and complicate things.

    Counted are the weights of a layer, each of which costs a multiplication a token. Rows of a
    table are looked up and added, as encodings are.
    """

    def multiplications(scheme: str, width: int) -> int:
        weights = Transformer(2, 2, scheme, d_model=width, max_length=512).parameters
        return sum(w.size for name, w in weights.items() if name.endswith("0") and w.ndim == 2)

    fixed = multiplications("sinusoidal", D)
    table, appended = multiplications("learned", D) / fixed, multiplications("none", 2 * D) / fixed
    share = 512 * D / 65e6  # Table 3: the base model has 65 million parameters
    return decided(
        table > 1.05,
        f"A learned table of 512 rows has {512 * D:,} numbers, {share:.1%} of the base model's 65 "
        f"million, and leaves the multiplications of a layer as they are ({table:.0%}). {PAPER}, "
        "Table 3, row E, found nearly identical results. Vectors appended in all layers would cost "
        f"{appended:.0f} times as many, and Press et al. (2022), section 2.2, measured training at "
        "least twice as slow with learned numbers added to each score (T5).",
        kindly=appended > 1.05,
    )


def encoding_is_added() -> Finding:
    """S2-05: encodings are added to the embeddings."""
    return on_record(
        "right",
        f"{PAPER}, section 3.5",
        "encodings are added to the input embeddings at the bottoms of the encoder and decoder "
        "stacks, and have the same dimension so that the two can be summed.",
    )


def frequencies_differ() -> Finding:
    """S2-06: sines and cosines of different frequencies for the absolute position."""
    w = [BASE ** (-2 * i / D) for i in range(D // 2)]
    own = [[f(5 * each) for f in (math.sin, math.cos)] for each in w]
    gap = _worst(np.ravel(own), encode(5, D))
    return decided(
        len(set(w)) == D // 2 and gap < 1e-9,
        f"{len(set(w))} different frequencies, from 1 down to {w[-1]:.6f} radians a position, a "
        "sine and a cosine of each. The vector depends on the position alone, not on other words.",
    )


def i_is_the_pair() -> Finding:
    """S2-07: i is the dimension (literally: of the entries 2i and 2i + 1, for i = 0 … d - 1)."""
    literal = 2 * (D - 1)  # the entry that the last dimension would fill
    dimension = np.arange(D)
    angle = 5 * BASE ** (-dimension / D)  # the other way: a frequency for each dimension
    own = np.where(dimension % 2, np.cos(angle), np.sin(angle))
    pairs = own[0::2] ** 2 + own[1::2] ** 2
    filled: dict[int, float] = {}
    for pair in range(D // 2):
        filled[2 * pair] = math.sin(5 / BASE ** (2 * pair / D))
        filled[2 * pair + 1] = math.cos(5 / BASE ** (2 * pair / D))
    return decided(
        literal < D or _worst(pairs, 1) < 1e-9,
        f"With i from 0 to 511 the formula would fill entries up to {literal + 1} of a vector of "
        f"512, and a frequency for each dimension gives pairs with sin² + cos² from "
        f"{pairs.min():.2f} to {pairs.max():.2f}. With i as the pair, 0 to 255, it fills the "
        "vector exactly.",
        kindly=_worst([filled[j] for j in range(D)], encode(5, D)) < 1e-9,
    )


def dimensions_are_sinusoids() -> Finding:
    """S2-08: each dimension is a sinusoid over positions.

    x is a sinusoid of frequency w just if x(t - 1) + x(t + 1) = 2 cos(w) x(t) for all t.
    """
    table, w = encode(range(200), D), np.repeat(frequencies(D), 2)
    gap = _worst(table[:-2] + table[2:], 2 * np.cos(w) * table[1:-1])
    return decided(
        gap < 1e-9,
        f"x(t - 1) + x(t + 1) = 2 cos(w) x(t), which only sinusoids of frequency w obey, holds in "
        f"all 512 dimensions to {_small(gap)}.",
    )


def end_of_the_wavelengths() -> Finding:
    """S2-09: wavelengths in geometric progression from 2π to 10000 · 2π.

    Kind reading: the authors' code, which divides by the number of pairs less one.
    """
    waves = wavelengths(D)
    ratios = waves[1:] / waves[:-1]
    geometric = _worst(ratios, BASE ** (2 / D)) < 1e-9 and math.isclose(waves[0], math.tau)
    end = math.tau * BASE
    in_code = math.tau * BASE ** (np.arange(D // 2) / (D // 2 - 1))
    return decided(
        geometric and math.isclose(waves[-1], end),
        f"They start at {waves[0]:.2f} and grow by the factor {ratios[0]:.4f}, but the last of 256 "
        f"is {waves[-1]:,.1f} and not {end:,.1f}: the exponent ends at 510/512 (for d_model = 8 "
        f"the last is {wavelengths(8)[-1]:,.0f}). Only with an exponent of i/255, as in the "
        f"authors' code, is it {in_code[-1]:,.1f}.",
        kindly=geometric and math.isclose(in_code[0], math.tau) and math.isclose(in_code[-1], end),
    )


def relative_positions_are_learned_easily() -> Finding:
    """S2-10: the design makes it easy to learn to attend by relative positions.

    The easiest case that there can be: no words, the matrix for offset 3 by least squares.
    """
    d, seen = 64, np.arange(50)
    learned = np.linalg.lstsq(encode(seen, d), encode(seen + 3, d), rcond=None)[0]
    far = np.arange(50, 1050)
    gaps = {"there": _worst(encode(seen, d) @ learned, encode(seen + 3, d))}
    gaps["beyond"] = _worst(encode(far, d) @ learned, encode(far + 3, d))
    exists = _worst(encode(far, d) @ rotation(3, d).T, encode(far + 3, d))
    beyond = "more than 0.1" if gaps["beyond"] > 0.1 else "less than 0.1"
    return decided(
        gaps["beyond"] < 1e-3,
        f"The matrix for offset 3 exists (off by {_small(exists)} up to position 1,049). Fitted to "
        f"positions 0 to 49 (d_model 64) it is off by {_small(gaps['there'])} there and by "
        f"{beyond} beyond. {PAPER}, section 3.5, only hypothesised that it would be easy.",
        kindly=exists < 1e-9 and gaps["there"] < 1e-9,
    )


def shift_is_linear() -> Finding:
    """S2-11: for a fixed k, PE(pos + k) is a linear function of PE(pos).

    The sum formulas: sin(wt + wk) = cos(wk) sin(wt) + sin(wk) cos(wt), and likewise the cosine.
    """
    t = np.array([0, 1, 5, 100, 3000])
    gaps = [_worst(encode(t + k, D), encode(t, D) @ rotation(k, D).T) for k in (-7, 1, 5, 64, 1000)]
    return decided(
        max(gaps) < 1e-9,
        "One matrix for each k, which does not know the position, moves positions 0 to 3000 by "
        f"k = -7, 1, 5, 64 and 1000; the worst entry is off by {_small(max(gaps))}.",
    )


# ---------------------------------------------------------------- the worked positions


def pieces_make_the_sentence() -> Finding:
    """S2-12: the tokens of the sentence about dolphins. Which tokenizer it was is not said."""
    text = " ".join(DOLPHINS).replace(" ##", "").replace(" .", ".")
    return decided(
        text == "Dolphins leap gracefully over waves.",
        f"Joined again, pieces marked ## to the one before, they read: {text} "
        "(How a word is split depends on the tokenizer, which the page does not name.)",
    )


def position_of_waves() -> Finding:
    """S2-13: waves is at position 5."""
    at = DOLPHINS.index("waves")
    return decided(
        at == 5,
        f"Counted from 0, waves is token {at}. It is the fifth word; gracefully takes two tokens.",
    )


def row_of_position_0() -> Finding:
    """S2-14: PE(0) is sin 0, cos 0 and so on."""
    gap = _worst(encode(0, D), [math.sin(0), math.cos(0)] * (D // 2))
    return decided(gap == 0, "All 256 sines are 0 and all 256 cosines 1: every angle is 0.")


def row_of_position_5() -> Finding:
    """S2-15: the terms of PE(5), as printed: 10000 and the exponent before the 5.

    Readings: the division as printed; powers and a fraction, base above position; a product; and a
    fraction whose lower part was copied before its upper one, as KaTeX puts them into a page.
    """
    printed = ["sin(100000/5125)", "cos(100000/5125)", "sin(100002/5125)", "cos(100002/5125)"]
    printed += ["sin(10000510/5125)", "cos(10000510/5125)"]
    right = encode(5, D)
    value = math.sin(100000 / 5125)
    angles = {"base above position": 10_000.0 ** (2 / D) / 5}
    angles["a product"] = 10_000.0 ** (2 / D) * 5
    literal = abs(value - right[0]) < 5e-3
    plain = [name for name, a in angles.items() if abs(math.sin(a) - right[2]) < 5e-3]
    copied = [f"{f}(10000{e}/5125)" for e in (0, 2, 510) for f in ("sin", "cos")]
    return decided(
        literal or bool(plain),
        f"As printed the first sine is {value:.4f}, and it must be sin 5 = {right[0]:.4f}. With "
        f"the base above the position it is {math.sin(1 / 5):.4f}, and as a product the second "
        f"sine is {math.sin(angles['a product']):.4f} for {right[2]:.4f}. But "
        f"5/10000^(0/512), …, 5/10000^(510/512) gives just these characters if each fraction is "
        "copied lower part first, without its bar.",
        kindly=copied == printed,
    )


def waves_run_over_positions() -> Finding:
    """S2-16: a plot shows a sinusoidal wave across the dimensions.

    Kind reading: each dimension has its own wave, over positions (see S2-08). A sinusoid crosses
    zero at even distances; counted are those of the sines of one position, in pairs.
    """
    crossings = np.flatnonzero(np.diff(np.sign(encode(50, D)[0::2])))
    gaps = np.diff(crossings)
    table, w = encode(range(200), D), np.repeat(frequencies(D), 2)
    waves = _worst(table[:-2] + table[2:], 2 * np.cos(w) * table[1:-1])
    return decided(
        int(gaps.max() - gaps.min()) <= 1,
        f"Down a column, over positions, runs a sinusoid (to {_small(waves)}), slower from pair to "
        f"pair. Along the row of position 50 the sines cross zero at distances from {gaps.min()} "
        f"to {gaps.max()} pairs, and not at all after pair {crossings[-1]} of 255: that is no "
        "sinusoid, and beside each sine stands a cosine.",
        kindly=waves < 1e-9,
    )


def positions_have_their_own_vectors() -> Finding:
    """S2-17: each position has a pattern of its own.

    Proof: the first pair turns by 1 radian a position. If s ≠ t had the same sine and cosine, t - s
    would be a multiple of 2π, and π a fraction. And |PE(t) - PE(t + k)|² = 512 - 2 κ(k).
    """
    offsets = np.arange(1, 20_001)
    gap = np.sqrt(D - 2 * np.asarray(kernel(offsets, D)))
    nearest = int(offsets[gap.argmin()])
    return decided(
        gap.min() > 0.1,
        f"Of all positions up to 20,000 apart, the nearest two are {nearest} apart, and their "
        f"vectors of length {math.sqrt(D / 2):.0f} differ by {gap.min():.2f}. As π is irrational, "
        "no two are ever equal.",
    )


def adding_was_chosen() -> Finding:
    """S2-18: the Transformer's authors put positions in by adding."""
    return on_record(
        "right",
        f"{PAPER}, section 3.5",
        "the encodings are added to the embeddings. (Adding as such is older: Gehring et al. "
        "(2017), section 3.1, add learned position vectors to their words.)",
    )


def position_of_soar() -> Finding:
    """S2-19: soar has index 1."""
    at = EAGLES.index("soar")
    return decided(
        at == 1,
        f"In the printed list of {len(EAGLES)} tokens soar has index {at}. (Here the full stop was "
        "dropped, in the other sentence it is a token; the index is the same.)",
    )


def row_of_position_1() -> Finding:
    """S2-20: the terms of pe(1)."""
    printed = (
        "sin(1/10000^(0/512)) cos(1/10000^(0/512)) sin(1/10000^(2/512)) cos(1/10000^(510/512))"
    )
    values = []
    for name, exponent in re.findall(r"(sin|cos)\(1/10000\^\((\d+)/512\)\)", printed):
        values.append(getattr(math, name)(1 / 10_000 ** (int(exponent) / 512)))
    gap = _worst(values, encode(1, D)[SHOWN])
    return decided(
        len(values) == 4 and gap < 1e-9,
        f"The four printed terms are {', '.join(f'{value:.4f}' for value in values)}: entries 0, "
        "1, 2 and 511 of the encoding of position 1.",
    )


def sum_keeps_both() -> Finding:
    """S2-21: pc(soar) = y1 + pe(1), which keeps the meaning and holds the position."""
    rng = np.random.default_rng(2)
    words, places = rng.standard_normal((200, D)), encode(range(100), D)
    word, place = rng.integers(200, size=1000), rng.integers(100, size=1000)
    sums = words[word] + places[place]
    right = int((np.argmax(sums @ words.T, axis=1) == word).sum())
    off = int(np.abs(np.argmax(sums @ places.T, axis=1) - place).max())
    return decided(
        right == 1000 and off <= 2,
        f"From 1,000 sums of a random word and one of 100 positions, dot products name the word "
        f"in {right}, and the position in all to within {off}. (The embedding is multiplied by "
        f"{math.sqrt(D):.1f} before: {PAPER}, section 3.4.)",
    )


# ---------------------------------------------------------------- the code and its result


def _as_coded(position: float, d_model: int = D, base: float = BASE, step: int = 2) -> Array:
    """The loop of the page: i goes in steps of two, and the exponent is (2 * i)/d_model."""
    pe = np.zeros(d_model + 1)
    for i in range(0, d_model if step == 2 else d_model // 2, step):
        pe[i] = math.sin(position / base ** ((2 * i) / d_model))
        pe[i + 1] = math.cos(position / base ** ((2 * i) / d_model))
    return pe[:d_model]


def doubled_exponent() -> Finding:
    """S2-22: the sine in the code, with 2 * i where i already steps by two.

    Readings: i as the pair (the loop in steps of one), and another d_model.
    """
    right, coded = encode(1, D), _as_coded(1)
    wrong = int((np.abs(coded - right)[0::2] > 1e-12).sum())
    tried = [_as_coded(1, step=1)] + [_as_coded(1, d) for d in (64, 128, 256)]
    fits = [each for each in tried if _worst(each, encode(1, len(each))) < 1e-6]
    last = math.tau * BASE ** (2 * 510 / 512)
    return decided(
        _worst(coded, right) < 1e-6,
        f"The code puts sin(1/10000^(4/512)) = {coded[2]:.4f} into entry 2, where the page's own "
        f"formula has sin(1/10000^(2/512)) = {right[2]:.4f}. Of 256 sines {wrong} differ, and the "
        f"last wavelength is {last:,.1f} positions and not {wavelengths(D)[-1]:,.1f}.",
        kindly=bool(fits),
    )


def doubled_exponent_in_the_cosine() -> Finding:
    """S2-23: the cosine in the code has the same exponent; what it does to a sentence.

    Reading: base 100 would make the exponent right, but both formula and code say 10000.
    """
    rows = range(1, 512)
    right = encode(rows, D)[:, 1::2]
    coded = np.array([_as_coded(t) for t in rows])[:, 1::2]
    idle = {name: int((x.min(axis=0) > 0.99).sum()) for name, x in (("r", right), ("c", coded))}
    with_100 = _worst(_as_coded(5, base=100.0), encode(5, D)) < 1e-9
    note = "(With 100 for 10000 it would be right.)" if with_100 else ""
    return decided(
        _worst(coded, right) < 1e-6,
        f"Entry 3 of position 1 becomes {coded[0, 1]:.4f} and not {right[0, 1]:.4f}. Over 512 "
        f"positions {idle['c']} of the code's 256 cosines never leave 0.99 to 1; of the formula's "
        f"it is {idle['r']}. {note}",
    )


def dots_in_an_array() -> Finding:
    """S2-24: np.array([0.12, -0.48, 0.85, ..., -0.03]), said to need 512 elements; y1 + pe."""
    pe = np.zeros((1, D))
    literal: Any = np.array([0.12, -0.48, 0.85, ..., -0.03], dtype=object)
    try:
        literal + pe
        runs = "adds up"
    except (TypeError, ValueError):
        runs = "can't be added"
    full = np.full(D, 0.5) + pe
    return decided(
        full.shape == (1, D),
        f"The page calls it pseudocode and asks for 512 numbers in place of the dots: then y1 + pe "
        f"is their sum, of shape {full.shape}. (To Python the dots are an object: as printed the "
        f"array has {literal.size} elements and {runs}.)",
    )


def printed_sum() -> Finding:
    """S2-25: the sum is printed as 0.95, -0.87, 1.82, …, 0.45 ("something like this").

    Readings: other positions up to 100, widths, bases and exponents, sine and cosine swapped, all
    sines first, the difference, and embeddings scaled up or down by √d_model.
    """
    printed = np.array([0.95, -0.87, 1.82, 0.45])
    embedding = np.array(SOAR)
    added = embedding + encode(1, D)[SHOWN]
    needed = printed - embedding
    fits, tried = 0, 0
    positions = np.arange(101)[:, None]
    for d in (4, 8, 16, 32, 64, 128, 256, 512, 1024):
        for base in (100.0, 1_000.0, 10_000.0):
            for factor in (1, 2, 4):  # halved, right and doubled
                angle = positions * base ** (-factor * np.arange(d // 2) / d)
                s, c = np.sin(angle), np.cos(angle)
                for a, b in ((s, c), (c, s)):
                    both = np.stack([a, b], -1).reshape(101, d)[:, SHOWN]
                    first = np.concatenate([a, b], axis=1)[:, SHOWN]
                    for v in (both, first, -both, -first):
                        for scale in (1.0, math.sqrt(d), 1 / math.sqrt(d)):
                            gap = np.abs(scale * embedding + v - printed).max(axis=1)
                            fits += int((gap < 0.015).sum())
                            tried += 101
    circle = needed[0] ** 2 + needed[1] ** 2
    return decided(
        _worst(added, printed) < 0.015,
        f"It is {', '.join(f'{x:.2f}' for x in added)}. For the printed one the encoding would "
        f"begin {needed[0]:.2f}, {needed[1]:.2f}, but a sine and a cosine of one angle have "
        f"squares that add up to 1, not {circle:.2f}; of {tried:,} readings {fits} fit.",
        kindly=fits > 0,
    )


# ---------------------------------------------------------------- cosine similarity


def _moved(raw: float, offset: int, d: int = D, scale: float = 1.0, pairs: int = 100) -> Array:
    """Cosines of words at positions 1 and 1 + offset whose embeddings have cosine `raw`.

    `scale` is the size of an embedding's entries (root mean square).
    """
    rng = np.random.default_rng([d, offset, round(100 * raw)])
    first, other = rng.standard_normal((2, pairs, d))
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    other -= (other * first).sum(axis=1, keepdims=True) * first
    other /= np.linalg.norm(other, axis=1, keepdims=True)
    second = raw * first + math.sqrt(1 - raw**2) * other
    length = scale * math.sqrt(d)
    a, b = length * first + encode(1, d), length * second + encode(1 + offset, d)
    cosines: Array = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    return cosines


def position_of_migration() -> Finding:
    """S2-26: migration is at position 6."""
    at = EAGLES.index("migration")
    return decided(
        at == 6, f"In the printed list of {len(EAGLES)} tokens migration has index {at}."
    )


def similarity_of_soar_and_migration() -> Finding:
    """S2-27: the sums of soar (1) and migration (6) are less similar than the embeddings alone."""
    kappa = float(kernel(5, D)) / (D / 2)
    after = {raw: _moved(raw, 5) for raw in (0.0, 0.3, 0.6, 0.9)}
    fell = {raw: float((x < raw).mean()) for raw, x in after.items()}
    means = ", ".join(f"{raw} becomes {x.mean():.2f}" for raw, x in after.items())
    return decided(
        fell[0.0] > 0.5 and fell[0.3] > 0.5 and fell[0.6] > 0.5,
        f"The encodings of positions 1 and 6 have cosine {kappa:.2f} themselves, and adding pulls "
        f"towards that: over 100 random pairs, a cosine of {means} on average. It falls only for "
        f"words that are more alike than {kappa:.2f}.",
    )


def similarity_typically_falls() -> Finding:
    """S2-28: at positions that are not adjacent the similarity typically falls.

    Over widths, sizes of the embeddings, offsets within a sentence and degrees of likeness. Kind
    reading: words that are clearly related (0.6), at any offset from 2 to 50.
    """
    fell: dict[float, list[float]] = {raw: [] for raw in (0.0, 0.2, 0.4, 0.6, 0.8, 0.95)}
    for raw, shares in fell.items():
        for d in (64, 512, 1024):
            for scale in (0.3, 1.0, 3.0):
                for offset in (2, 5, 10, 20, 50):
                    cosines = _moved(raw, offset, d, scale, pairs=20)
                    shares.append(float((cosines < raw).mean()))
    share = {raw: float(np.mean(shares)) for raw, shares in fell.items()}
    listed = ", ".join(f"{raw}: {each:.0%}" for raw, each in share.items())
    related = share[0.6] > 0.5
    typical = np.mean([share[raw] for raw in (0.0, 0.2, 0.4, 0.6)]) > 0.5
    return decided(
        bool(typical),
        f"Share of pairs whose similarity falls, by the raw cosine, over widths 64 to 1024, large "
        f"and small embeddings and offsets 2 to 50: {listed}. Unrelated words become more alike; "
        "near-synonyms less.",
        kindly=related,
    )


def same_word_in_two_places() -> Finding:
    """S2-29: encodings let words be told apart by their place."""
    word = np.random.default_rng(0).standard_normal(D)
    sums = word + encode(range(50), D)
    apart = np.linalg.norm(sums[:, None] - sums, axis=-1) + 1e9 * np.eye(50)
    cosine = float(sums[1] @ sums[6] / np.linalg.norm(sums[1]) / np.linalg.norm(sums[6]))
    return decided(
        float(apart.min()) > 1 and cosine < 1,
        f"One random word at 50 positions makes 50 different vectors, {apart.min():.2f} apart or "
        f"more; at positions 1 and 6 its cosine with itself is {cosine:.2f} instead of 1.",
    )


# ---------------------------------------------------------------- the summary


def recurrence_bypassed() -> Finding:
    """S2-30: positional encoding bypasses the limits of recurrence, with efficiency and scaling.

    Orders of operations from Table 1: n² d for self-attention and n d² for recurrence, a layer.
    """
    ratio = {n: n**2 * D / (n * D**2) for n in (50, 512, 5000)}
    listed = ", ".join(f"{each:.1f} times at {n:,}" for n, each in ratio.items())
    return decided(
        all(each <= 1 for each in ratio.values()),
        f"{PAPER}, Table 1: n steps in a row become a constant number, by attention and not by the "
        f"encoding, which gives back the order that is lost with recurrence. The work of a layer "
        f"is n/512 of a recurrent one's: {listed} tokens.",
        kindly=ratio[50] < 1,
    )


class _Squeezed(Sinusoidal):
    """Positions interpolated into the 16 of the training."""

    def added(self, parameters: dict[str, NDArray[Any]], length: int) -> NDArray[Any]:
        return encode(np.arange(length) * 15 / (length - 1), self.d_model)


@cache
def _trained() -> dict[str, tuple[float, ...]]:
    """Shares right for three models trained at length 16 to name the previous token."""
    task, shares = tasks.previous(), []
    for seed in range(3):
        model = Transformer(8, 8, "sinusoidal", d_model=16, heads=1, mlp=False, seed=seed)
        train(model, task, steps=300, batch=16, rate=1e-2, seed=seed, progress=False)
        row = [accuracy(model, task, n, batch=128) for n in (16, 24, 48)]
        model.scheme = _Squeezed(16, 1, 64)
        shares.append([*row, accuracy(model, task, 48, batch=128)])
    columns = [tuple(column) for column in zip(*shares, strict=True)]
    return dict(zip(("16", "24", "48", "squeezed"), columns, strict=True))


def _range(shares: tuple[float, ...]) -> str:
    """Where the shares lie, in steps that do not depend on the processor."""
    for low, high in ((0.95, 1.0), (0.7, 0.95), (0.2, 0.6)):
        if low <= min(shares) and max(shares) <= high:
            return f"{low} to {high}"
    return f"{min(shares):.2f} to {max(shares):.2f}"


def sequences_longer_than_training() -> Finding:
    """S2-31: sinusoids let a Transformer handle longer texts, by inter- and extrapolation."""
    got = _trained()
    return decided(
        min(got["16"]) > 0.9 and min(got["48"]) > 0.9,
        "Share of right answers of three small Transformers, trained at length 16 to name the "
        f"previous token: {_range(got['16'])} at 16, {_range(got['24'])} at 24, "
        f"{_range(got['48'])} at 48, and {_range(got['squeezed'])} at 48 with positions "
        "interpolated into 0 to 15. Press et al. (2022), section 2.2: a model trained at 512 "
        "tokens gets worse from about 50 more.",
        kindly=min(got["24"]) > 0.95 or min(got["squeezed"]) > 0.9,
    )


def performance_is_consistent() -> Finding:
    """S2-32: that makes performance consistent over texts.

    Kind reading: consistent over texts that are half as long again.
    """
    got = _trained()

    def fall(longer: str) -> float:
        """The smallest of the three."""
        return min(a - b for a, b in zip(got["16"], got[longer], strict=True))

    by_24 = "more than 0.1" if fall("24") > 0.1 else "at most 0.1"
    by_48 = "more than 0.3" if fall("48") > 0.3 else "at most 0.3"
    return decided(
        fall("48") < 0.05,
        f"In each of the same three models the share of right answers falls by {by_24} from length "
        f"16 to 24, and by {by_48} from 16 to 48. That a formula goes on ensures nothing about the "
        "weights that use it.",
        kindly=fall("24") < 0.05,
    )


def attention_comes_next() -> Finding:
    """S2-33: the sums go into multi-head attention."""
    return on_record(
        "right",
        f"{PAPER}, section 3.1",
        "the first sub-layer of each encoder layer is multi-head self-attention (masked in the "
        "decoder).",
    )


def norm_after_the_sum() -> Finding:
    """S2-34: the layer normalisation comes after, "post"."""
    return on_record(
        "right",
        f"{PAPER}, section 3.1",
        "the output of each sub-layer is LayerNorm(x + Sublayer(x)), the normalisation after the "
        "sum. (Many later models put it before the sub-layer.)",
    )


def pages_of_the_paper() -> Finding:
    """S2-35: Advances in Neural Information Processing Systems, pages 5998 to 6008, 2017."""
    return on_record(
        "right",
        f"{PAPER}, as it is usually cited",
        "Advances in Neural Information Processing Systems 30, pages 5998-6008.",
    )


def new_standard() -> Finding:
    """S2-36: the Transformer set a new standard in language processing."""
    return on_record(
        "right",
        f"{PAPER}, section 6.1 and Table 2",
        "28.4 BLEU in English-to-German translation, more than 2 above the best before, ensembles "
        "included. (The sinusoids have no special part in it: learned positions gave nearly "
        "identical results, Table 3, row E.)",
    )
