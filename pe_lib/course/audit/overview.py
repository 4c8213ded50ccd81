"""Checks of S0, an overview with a heatmap that is given as data."""

from __future__ import annotations

import ast
import json
import math
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.attention import attention
from pe_lib.course.audit.finding import Finding, decided, on_record, unchecked
from pe_lib.course.audit.readings import printed
from pe_lib.course.model import Transformer
from pe_lib.relative import kernel
from pe_lib.sinusoidal import encode, wavelengths

Array = NDArray[Any]

# ten positions of eight dimensions, as printed; the figure's labels are Dim 0 … and Pos 0 …
TABLE = [
    row.split()
    for row in (
        "1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0",
        "0.841 0.54 0.909 -0.416 0.956 -0.279 0.989 -0.141",
        "0.909 -0.416 0.141 -0.99 0.412 -0.911 0.657 -0.754",
        "0.141 -0.99 -0.757 -0.654 -0.279 -0.96 -0.0 -0.999",
        "-0.757 -0.654 -0.96 0.279 -0.842 0.54 -0.657 0.754",
        "-0.96 0.279 -0.279 0.96 -0.956 0.279 -0.989 0.141",
        "-0.279 0.96 0.657 0.754 -0.412 0.911 -0.0 1.0",
        "0.657 0.754 0.989 -0.141 0.0 -1.0 0.657 0.754",
        "0.989 -0.141 0.412 -0.911 0.842 -0.54 0.96 -0.279",
        "0.412 -0.911 -0.54 -0.842 0.996 0.09 0.279 -0.96",
    )
]
VALUES = np.array(TABLE, float)
COLUMNS, ROWS = [f"Dim {n}" for n in range(8)], [f"Pos {n}" for n in range(10)]
DATA = "[" + ",".join(f"[{','.join(row)}]" for row in TABLE) + "]"
FIGURE = (  # abridged; the comma after the only trace is the page's
    f'{{"data":[{{"type":"heatmap","z":{DATA},"x":{json.dumps(COLUMNS)},"y":{json.dumps(ROWS)}}},],'
    '"layout":{"yaxis":{"title":"Sequence Position","autorange":"reversed"}}}'
)


def tiny(change: float) -> str:
    """Rounding errors differ between processors, so they are not shown."""
    return "less than 1e-12" if change < 1e-12 else f"{change:.2g}"


def _heads(seed: int, words: int = 7, width: int = 8) -> tuple[Array, Array]:
    """Random words, (words, width), and the matrices of queries, keys and values."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((words, width)), rng.standard_normal((3, width, width)) / 3


def _moved(seed: int, *, causal: bool = False) -> float:
    """By how much the output of some word changes when one layer of attention reads a shuffle."""
    words, matrices = _heads(seed)
    order = np.random.default_rng(seed).permutation(len(words))
    before = attention(*(words @ matrix for matrix in matrices), causal=causal)
    after = attention(*(words[order] @ matrix for matrix in matrices), causal=causal)
    return float(np.abs(after - before[order]).max())


def _noticed(layers: int, *, causal: bool) -> float:
    """By how much the last output of a random model without positions changes when all words
    before the last are shuffled: the least over five seeds with a mask, the most without."""
    changes = []
    for seed in range(5):
        model = Transformer(8, 8, "none", causal=causal, layers=layers, seed=seed, dtype="float64")
        rng = np.random.default_rng(seed)
        tokens = rng.permutation(8)[None]
        shuffled = tokens.copy()
        shuffled[0, :7] = np.roll(tokens[0, :7], 3)
        changes.append(float(np.abs(model(tokens) - model(shuffled))[0, -1].max()))
    return min(changes) if causal else max(changes)


def nearest(d_model: int, longest: int) -> tuple[int, float]:
    """The offset, 1 to `longest`, at which two encodings are nearest, and how far apart they are.

    |PE(t) - PE(t + k)|² = d - 2 κ(k), whatever t is.
    """
    offsets = np.arange(1, longest + 1)
    gap = np.sqrt(np.maximum(d_model - 2 * kernel(offsets, d_model), 0))
    return int(offsets[gap.argmin()]), float(gap.min())


def attention_is_equivariant() -> Finding:
    """S0-01: attention alone doesn't know the order of its words."""
    most = max(_moved(seed) for seed in range(20))
    return decided(
        most < 1e-12,
        f"Shuffle seven words, and the output of each word moves by {tiny(most)}, in each of 20 "
        "random layers of attention without a mask.",
    )


def shuffled_word_keeps_its_output() -> Finding:
    """S0-02: shuffled, a word's output would change, though no model could tell.

    Kind reading: some layer changes the output of a word and yet cannot tell the order. A mask
    changes it, but then the second half of the sentence is wrong.
    """
    plain = max(_moved(seed) for seed in range(20))
    masked = min(_moved(seed, causal=True) for seed in range(20))
    blind_with_mask = _noticed(2, causal=True) < 1e-12
    return decided(
        plain > 1e-12,
        f"Without positions or a mask the output of each word moves by {tiny(plain)}, in 20 "
        f"random layers; only the rows move, with their words. With a causal mask some output "
        f"moves by at least {masked:.2f}, but such a model does notice order, which the same "
        "sentence denies.",
        kindly=masked > 1e-12 and blind_with_mask,
    )


def stack_cannot_tell_order() -> Finding:
    """S0-03: without positions the model has no way to know that the order was another."""
    most = max(_noticed(layers, causal=False) for layers in (1, 2, 4))
    masked = _noticed(2, causal=True)
    return decided(
        most < 1e-12,
        f"Stacks of 1, 2 and 4 random layers without a mask change their last output by "
        f"{tiny(most)} when the words before it are shuffled. (Two layers with a causal mask, of "
        f"which the page does not speak here, change it by {masked:.1f} or more.)",
    )


def recurrence_notices_order() -> Finding:
    """S0-04: a recurrent network has the order built in."""
    changes = []
    for seed in range(20):
        words, (inward, onward, _) = _heads(seed)
        ends = []
        for sentence in (words, words[::-1]):
            state = np.zeros(8)
            for word in sentence:
                state = np.tanh(word @ inward + state @ onward)
            ends.append(state)
        changes.append(float(np.abs(ends[0] - ends[1]).max()))
    return decided(
        min(changes) > 1e-3,
        f"Read backwards, seven words leave 20 random recurrent networks in another state each: "
        f"the largest entry differs by {min(changes):.2f} or more.",
    )


def clocks(length: int, d_model: int) -> Array:
    """An oracle for the formula: (length, d_model/2) hands cos + i sin, turned step by step.

    The ratio of neighbouring speeds is 10000^(2/d), so that d/2 of them make up 10,000; no angle
    is computed beyond the first step.
    """
    pairs = d_model // 2
    ratio = math.exp(-math.log(10_000) / pairs)
    speeds = np.cumprod(np.append(1.0, np.full(pairs - 1, ratio)))
    turn = np.cos(speeds) + 1j * np.sin(speeds)
    steps = np.vstack([np.ones(pairs, complex), np.tile(turn, (length - 1, 1))])
    hands: Array = np.cumprod(steps, axis=0)
    return hands


def one_vector_each_and_added() -> Finding:
    """S0-05: a vector of its own for each position, added to the token's embedding."""
    offset, gap = nearest(512, 10_000)
    model = Transformer(8, 8, "sinusoidal", d_model=512, dtype="float64")
    first, later = model.hidden([[3, 1, 4, 3]])[0][0, [0, 3]]
    added = float(np.abs(later - first - (encode(3, 512) - encode(0, 512))).max())
    return decided(
        gap > 0.1 and added < 1e-12,
        f"No two of 10,000 positions are nearer than {gap:.2f} (offset {offset}, d_model 512). The "
        f"same token at positions 0 and 3 enters the first layer as two vectors whose difference "
        f"is PE(3) - PE(0), with an error of {tiny(added)}.",
    )


def introduced_by_the_first_paper() -> Finding:
    """S0-06: sines and cosines of different frequencies came with the original Transformer."""
    return on_record(
        "right",
        "Vaswani et al. (2017), section 3.5",
        "there are many positional encodings, learned and fixed; this work uses sines and cosines "
        "of different frequencies.",
    )


def pair_is_called_dimension() -> Finding:
    """S0-07: i is a dimension of the vector, in a formula that fills 2i and 2i + 1."""
    d_model = 8
    as_dimension = {n for i in range(d_model) for n in (2 * i, 2 * i + 1)}
    as_pair = {n for i in range(d_model // 2) for n in (2 * i, 2 * i + 1)}
    return decided(
        as_dimension == set(range(d_model)),
        f"With d_model 8, an i that runs over the dimensions 0 to 7 would fill entries up to "
        f"{max(as_dimension)}; an i that runs over the pairs 0 to 3 fills 0 to {max(as_pair)}, "
        "each once. The paper, section 3.5, calls i the dimension too.",
        kindly=as_pair == set(range(d_model)),
    )


def formula_read_as_a_fraction() -> Finding:
    """S0-08: the formula, whose fraction lost its line in the plain text."""
    pos, scale = np.arange(1, 12)[:, None], 10_000 ** (2 * np.arange(8) / 16)
    hands = clocks(12, 16)[1:]
    readings = (pos / scale, scale / pos, scale * pos)
    fraction, upside_down, product = (
        float(np.abs(np.cos(angle) + 1j * np.sin(angle) - hands).max()) for angle in readings
    )
    return decided(
        min(upside_down, product) < 1e-12,  # the base stands first, with no bar
        "Read as a fraction, the position over 10000^(2i/d), the formula differs from clock hands "
        f"that are turned step by step by {tiny(fraction)}. Upside down or as a product it would "
        f"be off by up to {upside_down:.1f} and {product:.1f}.",
        kindly=fraction < 1e-12,
    )


def first_pairs_are_fast() -> Finding:
    """S0-09: small i, short wavelength."""
    waves = wavelengths(512)
    return decided(
        bool((np.diff(waves) > 0).all()) and waves[0] < 7,
        f"With d_model 512 the wavelengths rise from {waves[0]:.2f} positions for i = 0 over "
        f"{waves[1]:.2f} and {waves[2]:.2f} to {waves[-1]:,.0f}.",
    )


def last_pair_over_a_short_text() -> Finding:
    """S0-10: for large i the wavelength is so long that short texts see almost a constant."""
    last = encode(range(50), 512)[:, -2:]
    moved = np.ptp(last, axis=0)
    return decided(
        bool((moved < 0.01).all()) and wavelengths(512)[-1] > 1000,
        f"The last pair of d_model 512 comes round after {wavelengths(512)[-1]:,.0f} positions. "
        f"Over 50 positions its sine moves by {moved[0]:.4f} and its cosine by {moved[1]:.6f}.",
    )


def positions_have_their_own_vectors() -> Finding:
    """S0-11: a unique combination of values for each position.

    Proof: the first pair has frequency 1, whatever the width. Two integers with the same sine and
    cosine would differ by a multiple of 2π, and π would be a ratio of integers.
    """
    found = {d_model: nearest(d_model, 20_000) for d_model in (2, 8, 512)}
    return decided(
        all(gap > 1e-6 for _, gap in found.values()),
        "The nearest that two of 20,000 positions come is "
        + ", ".join(f"{gap:.2g} for d_model {d}" for d, (_, gap) in found.items())
        + ": small for a single pair, but never 0.",
    )


def width_of_the_encoding() -> Finding:
    """S0-12: the encoding is as wide as the embedding."""
    widths = (2, 8, 64, 512)
    filled = all(
        sorted(n for i in range(d // 2) for n in (2 * i, 2 * i + 1)) == list(range(d))
        and encode(5, d).shape == (d,)
        for d in widths
    )
    return decided(
        filled,
        "For d_model 2, 8, 64 and 512 the pairs 0 to d/2 - 1 fill each of d_model entries once, so "
        "the two vectors can be added.",
    )


def sum_that_enters_the_first_layer() -> Finding:
    """S0-13: the input of the first layer is the embedding plus the encoding."""
    tokens = [3, 1, 4, 1, 5]
    model = Transformer(8, 8, "sinusoidal", dtype="float64")
    entered = model.hidden([tokens])[0][0] - model.parameters["embedding"][tokens]
    hands = clocks(5, 32)
    formula = np.stack([hands.imag, hands.real], axis=-1).reshape(5, 32)
    miss = float(np.abs(entered - formula).max())
    return decided(
        miss < 1e-12,
        f"What enters the first layer, less the embeddings, is the formula's vector: they differ "
        f"by {tiny(miss)}. (The paper, section 3.4, multiplies embeddings by √d_model first; that "
        "can be counted as part of the input embedding.)",
    )


def figure_as_json() -> Finding:
    """S0-14: the figure's data, as a JSON parser reads them."""
    try:
        json.loads(FIGURE)
        strict = True
    except json.JSONDecodeError:
        strict = False
    lenient = ast.literal_eval(FIGURE)  # as in JavaScript, the last comma is allowed
    shape = np.shape(lenient["data"][0]["z"])
    repaired = json.loads(FIGURE.replace("},],", "}],"))
    return decided(
        strict,
        f"A JSON parser stops at the comma after the only trace. JavaScript and Python allow it, "
        f"and without it JSON does too: {shape[0]} rows of {shape[1]} numbers.",
        kindly=shape == (10, 8) and repaired == lenient,
    )


@cache
def _hits() -> dict[str, Array]:
    """Which printed entries a reading comes within 0.01 of: (10 rows, ratios, 8 entries) each.

    The formula gives pair i the frequency r^i for *some* ratio r = base^(-2/d_model) below 1. So
    all widths, all bases, and exponents that are doubled or halved are one number r; r = 10 is
    d_model 8 with the angle multiplied instead of divided.
    """
    ratios = np.append(np.linspace(0, 1, 4001)[1:], 10.0)[:, None]
    t = np.arange(10)[:, None, None]
    found = {}
    for steps, power in (("", np.arange(8) // 2), (", a frequency a dimension", np.arange(8) / 2)):
        speed = ratios**power
        for start, shift in (("", 0), (", from 1", 1), (", one less", -1)):
            angle = (t + shift) * speed
            odd = np.arange(8) % 2 == 1
            for first, cosine in (("sine first", odd), ("cosine first", ~odd)):
                value = np.where(cosine, np.cos(angle), np.sin(angle))
                found[first + start + steps] = np.abs(value - VALUES[:, None]) < 0.01
    return found


def _shown(t: int) -> list[float]:
    """The angles at which the printed pairs of a row stand, as near to t as whole turns allow."""
    angles = np.arctan2(VALUES[t, 0::2], VALUES[t, 1::2])
    return [float(a + math.tau * round((t - a) / math.tau)) for a in angles]


def _row(t: int) -> Finding:
    """A row of the table: as it stands, or by a reading that also fits most rows' first pair."""
    right = encode(t, 8)
    as_printed = [  # three decimals, of which the page drops zeros at the end
        bool(printed(f"{float(text):.3f}", value))
        for text, value in zip(TABLE[t], right, strict=True)
    ]
    best, kindly = 0, False
    for hits in _hits().values():
        entries = hits[t].sum(axis=1)
        first_pairs = hits[:, :, :2].all(axis=2).sum(axis=0)
        best = max(best, int(entries.max()))
        kindly |= bool(((entries == 8) & (first_pairs >= 5)).any())
    angles = ", ".join(f"{angle:.2f}" for angle in _shown(t))
    turned = ", ".join(f"{t / 10**i:g}" for i in range(4))
    tail = (
        f"With the cosine first all {best} would be right, but then the first pairs of the other "
        "rows would not."
        if best == 8 and not kindly
        else "Any width, any base, sine or cosine first, positions from 0 or 1, a frequency for "
        f"each pair or each dimension: the best reading brings {best} of 8 within 0.01."
    )
    return decided(
        all(as_printed),
        f"Of the 8 printed numbers {sum(as_printed)} agree with the encoding for d_model 8. The "
        f"printed pairs stand at {angles} radians; right are {turned}. {tail}",
        kindly=kindly,
    )


def row_of_position_0() -> Finding:
    """S0-15: the row of position 0."""
    return _row(0)


def row_of_position_1() -> Finding:
    """S0-16: the row of position 1."""
    return _row(1)


def row_of_position_2() -> Finding:
    """S0-17: the row of position 2."""
    return _row(2)


def row_of_position_3() -> Finding:
    """S0-18: the row of position 3."""
    return _row(3)


def row_of_position_4() -> Finding:
    """S0-19: the row of position 4."""
    return _row(4)


def row_of_position_5() -> Finding:
    """S0-20: the row of position 5."""
    return _row(5)


def row_of_position_6() -> Finding:
    """S0-21: the row of position 6."""
    return _row(6)


def row_of_position_7() -> Finding:
    """S0-22: the row of position 7."""
    return _row(7)


def row_of_position_8() -> Finding:
    """S0-23: the row of position 8."""
    return _row(8)


def row_of_position_9() -> Finding:
    """S0-24: the row of position 9."""
    return _row(9)


def first_eight_dimensions() -> Finding:
    """S0-25: the table is the first eight dimensions of an encoding, for ten positions."""
    counts = [int((abs(encode(range(10), d)[:, :8] - VALUES) < 0.01).sum()) for d in (8, 64, 512)]
    best = max(int(hits.sum(axis=(0, 2)).max()) for hits in _hits().values())
    return decided(
        counts[0] == VALUES.size,
        f"The table has 10 rows of 8. Of its 80 numbers, {counts[0]}, {counts[1]} and {counts[2]} "
        "are within 0.01 of the first eight dimensions for d_model 8, 64 and 512, and at most "
        f"{best} for any width, base, order of sine and cosine, and first position.",
        kindly=best == VALUES.size,
    )


def rows_are_positions() -> Finding:
    """S0-26: a row of the figure is a position, a column a dimension."""
    figure = ast.literal_eval(FIGURE)
    trace = figure["data"][0]
    fits = len(trace["y"]) == len(trace["z"]) == 10 and all(len(row) == 8 for row in trace["z"])
    down = figure["layout"]["yaxis"]["autorange"] == "reversed"
    return decided(
        fits and down and trace["y"][0] == "Pos 0" and trace["x"][0] == "Dim 0",
        f"The data are {len(trace['z'])} rows labelled {trace['y'][0]} to {trace['y'][-1]}, of "
        f"{len(trace['x'])} numbers labelled {trace['x'][0]} to {trace['x'][-1]}; the axis runs "
        "down.",
    )


def frequencies_in_the_picture() -> Finding:
    """S0-27: the picture shows a different frequency in different dimensions.

    A pair that turns steadily has angle - w t the same in every row: the mean of e^(i(angle - w t))
    has length 1 for the right w, and is shorter if no w is right.
    """
    speeds, t = np.linspace(0, math.tau, 6284), np.arange(1, 10)

    def clock(values: Array) -> list[tuple[float, float]]:
        hands = np.exp(1j * np.arctan2(values[1:, 0::2], values[1:, 1::2]))
        steady = np.abs(np.exp(-1j * speeds[:, None] * t) @ hands) / len(t)
        best = steady.argmax(axis=0)
        return [(float(speeds[n]), float(steady[n, i])) for i, n in enumerate(best)]

    shown, right = clock(VALUES), clock(encode(range(10), 8))

    def falling(found: list[tuple[float, float]]) -> bool:
        apart = all(slow < 0.99 * fast for (fast, _), (slow, _) in pairwise(found))
        return apart and all(steady > 0.999 for _, steady in found)

    same = np.array_equal(VALUES[1:9, 2:4], VALUES[2:, :2])
    return decided(
        falling(shown),
        f"In the printed table the first two pairs turn by {shown[0][0]:.2f} and "
        f"{shown[1][0]:.2f} radians a row; in rows 1 to 8 the second "
        + ("is, digit for digit, " if same else "is not ")
        + f"the first of the next row. The other two keep no speed (steadiness {shown[2][1]:.2f} "
        f"and {shown[3][1]:.2f} at best, where a clock has 1). The encoding's pairs turn by "
        + ", ".join(f"{speed:.3f}" for speed, _ in right)
        + ".",
        kindly=falling(right),
    )


def printed_rows_are_distinct() -> Finding:
    """S0-28: the vectors of the positions are distinct."""

    def least(rows: Array) -> float:
        gaps = np.linalg.norm(rows[:, None] - rows, axis=2)
        return float(gaps[np.triu_indices(len(rows), 1)].min())

    shown, right = least(VALUES), least(encode(range(10), 8))
    return decided(
        min(shown, right) > 0.1,
        f"The nearest two of the ten printed rows are {shown:.2f} apart, and the nearest two of "
        f"the ten encodings {right:.2f}.",
    )


def added_once_at_the_bottom() -> Finding:
    """S0-29: positions come in once, before the first layer."""
    return on_record(
        "right",
        "Vaswani et al. (2017), section 3.5",
        "the encodings are added to the input embeddings at the bottoms of the encoder and decoder "
        "stacks. (Rotary encodings and biases act in every layer, but nothing is added to the "
        "embeddings there.)",
    )


def bag_of_words_without_positions() -> Finding:
    """S0-30: without positions, a Transformer, encoder or decoder, is a bag of words."""
    encoder, decoder = _noticed(2, causal=False), _noticed(2, causal=True)
    return decided(
        encoder < 1e-12 and decoder < 1e-12,
        f"Two layers without positions: shuffling the words before the last changes the last "
        f"output by {tiny(encoder)} without a mask, and by at least {decoder:.1f} with a "
        "decoder's causal mask, for five random models each.",
        kindly=encoder < 1e-12,
    )


def properties_that_are_not_listed() -> Finding:
    """S0-31: several appealing properties, of which the text names none."""
    return unchecked(
        "The sentence ends in a colon and the list after it is not in the text, so there is "
        "nothing to compute. Chapter 1 tests six properties that people name."
    )
