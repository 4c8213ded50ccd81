"""Source 1, a course section: a worked table, its sum, an inversion and a practice question.

The printed numbers are kept as text, in the page's order. Positions are the page's k, the base is
its n ("scalar").
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cache

import numpy as np

from pe_lib.candidates import positions_from_value
from pe_lib.course.attention import attention
from pe_lib.course.audit.finding import Finding, decided, on_record, unchecked
from pe_lib.course.audit.readings import printed, readings
from pe_lib.course.model import Transformer
from pe_lib.course.model.schemes import Array, Rotary
from pe_lib.course.model.transformer import softmax
from pe_lib.relative import rotation
from pe_lib.sinusoidal import encode, frequencies

# the worked example: "classify the book" at base 100 and d_model 16
WIDTH, BASE = 16, 100.0
PAIRS = "0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7"
ROWS = (
    "0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1",
    "0.84 0.54 0.53 0.85 0.31 0.95 0.18 0.98 0.10 1.00 0.06 1.00 0.03 1.00 0.02 1.00",
    "0.91 -0.42 0.90 0.41 0.59 0.81 0.35 0.94 0.20 0.98 0.11 0.99 0.06 1.00 0.04 1.00",
)
BOOK = "0.02 0.15 0.31 0.08 -0.26 0.21 -0.58 1.12 -0.38 -0.91 0.52 0.87 -0.17 0.73 -0.38 0.18"
SUM = "0.93 -0.27 -0.59 -.033 -0.85 -0.6 -0.93 0.18 -0.58 -1.89 0.41 -0.12 -0.23 -0.27 -0.42 -0.82"

# the practice question: which position prints VALUE at dimension DIM of D_MODEL, base 10,000?
VALUE, DIM, D_MODEL, ANSWER = "0.488814", 1088, 5120, 7
# dimension, d_model and base under each way to read the question; a dimension fixes the pair and
# the function, and pair 1088 has the exponent of pair 544 doubled
CONDITIONS_KEPT = {
    "as it stands": (DIM, D_MODEL, 10_000.0),
    "dimensions counted from 1": (DIM - 1, D_MODEL, 10_000.0),
    "the cosine for the sine": (DIM + 1, D_MODEL, 10_000.0),
    "counted from 1, sine for cosine": (DIM - 2, D_MODEL, 10_000.0),
    "1088 as the pair, sine": (2 * DIM, D_MODEL, 10_000.0),
    "1088 as the pair, cosine": (2 * DIM + 1, D_MODEL, 10_000.0),
}
CONDITIONS_CHANGED = {
    "base 100": (DIM, D_MODEL, 100.0),
    "exponent i/d": (DIM, 2 * D_MODEL, 10_000.0),
}


def needs_positions() -> Finding:
    """S1-01: all tokens at once, so a method is needed to say where each stands."""
    rng = np.random.default_rng(0)
    words, order = rng.standard_normal((6, 8)), rng.permutation(6)
    places = encode(range(6), 8)
    blind = _gap(_attend(words[order]), _attend(words)[order])
    seeing = _gap(_attend(words[order] + places), _attend(words + places)[order])
    one_by_one = np.vstack([attention(words[t : t + 1], words, words) for t in range(6)])
    return decided(
        blind < 1e-12 and seeing > 0.01,
        "Six shuffled words keep their outputs without encodings (difference below 1e-12) and "
        f"get others with them (up to {seeing:.2f}). Being blind is not a matter of speed: "
        "computed one word at a time, the outputs of attention move by "
        f"{_gap(one_by_one, _attend(words)):.2f}.",
    )


def relative_data() -> Finding:
    """S1-02: is what is added to a token relative?"""
    before, after = encode(np.arange(6), WIDTH), encode(np.arange(6) + 3, WIDTH)
    scores = _gap(before @ before.T, after @ after.T)
    return decided(
        np.allclose(before, after),
        "With three words put in front, six words keep their relative positions, but the added "
        f"vectors change by up to {_gap(before, after):.2f}: each holds an absolute position. "
        "What stays is the dot product of any two.",
        kindly=scores < 1e-12,
    )


def sines_and_cosines_alternate() -> Finding:
    """S1-03: sine and cosine alternately for odd and even positions."""
    t = np.arange(4)
    angle = np.multiply.outer(t, frequencies(WIDTH, BASE))
    table = encode(t, WIDTH, BASE)
    of_tokens = np.allclose(table[0::2, 1::2], np.sin(angle[0::2]))
    of_entries = np.allclose(table[:, 0::2], np.sin(angle)) and np.allclose(
        table[:, 1::2], np.cos(angle)
    )
    return decided(
        of_tokens,
        "The row of a token at an even position holds cosines as well as sines. What alternates "
        "are the entries of each vector: sines in 0, 2, 4, … and cosines in 1, 3, 5, …",
        kindly=of_entries,
    )


def formula_of_the_sines() -> Finding:
    """S1-04: P(k, 2i) = sin(k / n^(2i/d))."""
    return _formula(math.sin, 0)


def formula_of_the_cosines() -> Finding:
    """S1-05: P(k, 2i+1) = cos(k / n^(2i/d))."""
    return _formula(math.cos, 1)


def formula_without_its_bar() -> Finding:
    """S1-06: the formula as plain text, sin(kn2i/d), against the page's own table."""
    k, i = 1, 1
    text = ROWS[k].split()[2 * i]
    flat = math.sin(k * BASE * 2 * i / WIDTH)
    meant = math.sin(k / BASE ** (2 * i / WIDTH))
    return decided(
        bool(printed(text, flat)),
        f"Read as a product, k = 1 and i = 1 give sin 12.5 = {flat:.4f}. The page's table has "
        f"{text}, which is the formula with its fraction bar and exponent: {meant:.4f}.",
        kindly=bool(printed(text, meant)),
    )


def width_of_the_encoding() -> Finding:
    """S1-07: the encoding is as wide as the embedding."""
    book, fits = np.array(BOOK.split(), float), []
    for width in range(2, 33, 2):
        try:
            fits.append((book + encode(2, width, BASE)).size)
        except ValueError:
            continue
    return decided(
        fits == [WIDTH],
        f"Of the widths 2, 4, … 32, an embedding of {book.size} numbers can be added to {fits}. "
        "Vaswani et al. (2017), section 3.5, give this reason.",
    )


def name_of_the_base() -> Finding:
    """S1-08: n, called the scalar, is 10,000."""
    return on_record(
        "imprecise",
        "Vaswani et al. (2017), section 3.5",
        "the number is 10000, as the page says; it stands in the formula and has no name.",
    )


def neighbours_share_a_pair() -> Finding:
    """S1-09: each two adjacent entries have the same i."""
    row = np.array(ROWS[1].split(), float)
    same = row[0::2] ** 2 + row[1::2] ** 2
    other = row[1:-1:2] ** 2 + row[2::2] ** 2
    return decided(
        bool(np.all(np.abs(same - 1) < 0.02) and not np.all(np.abs(other - 1) < 0.02)),
        "In the printed row of k = 1, the squares of entries 2i and 2i + 1 add up to "
        f"{same.min():.3f} to {same.max():.3f}, as sine² + cosine² of one angle do. Those of "
        f"entries 2i + 1 and 2i + 2 start at {other[0]:.3f}.",
    )


def range_of_the_pairs() -> Finding:
    """S1-10: 0 <= i <= d/2."""

    def entries(pairs: Iterable[int]) -> list[int]:
        return [2 * i + part for i in pairs for part in (0, 1)]

    half = WIDTH // 2
    as_printed, from_1 = entries(range(half + 1)), entries(range(1, half + 1))
    return decided(
        as_printed == list(range(WIDTH)),
        f"For d = {WIDTH}, i from 0 to {half} fills {len(as_printed)} entries, up to number "
        f"{as_printed[-1]}; the vector ends at {WIDTH - 1}. Counting i from 1 would end there too, "
        f"and leave out 0 and 1. The page's own table stops at i = {PAIRS.split()[-1]}.",
        kindly=from_1 == list(range(WIDTH)),
    )


def next_from_this() -> Finding:
    """S1-11: the encoding of P + K from that of P."""
    gaps = [
        _gap(encode(p, WIDTH, BASE) @ rotation(k, WIDTH, BASE).T, encode(p + k, WIDTH, BASE))
        for k in (1, 3, 40)
        for p in (0, 2, 150, 1000)
    ]
    return decided(
        max(gaps) < 1e-9,
        "One matrix for each K, made without knowing P, takes the encoding of P to that of P + K: "
        "off by less than 1e-9 for three K and four P.",
    )


def likeness_to_binary() -> Finding:
    """S1-12: the waves and the bits, for the page's picture (150, d = 8, n = 10,000)."""
    t, b = np.arange(151)[:, None], np.arange(8)
    bits = t >> b & 1
    negative = encode(t[:, 0], 8) < 0
    agree = (np.hstack([negative, ~negative])[:, :, None] == bits[:, None, :]).mean(axis=0)
    best = agree.max(axis=0)
    same = np.array_equal(np.sin(2 * np.pi * (t + 0.5) / 2 ** (b + 1)) < 0, bits)
    poor = int((best < 0.6).sum())
    return decided(
        bool((best > 0.95).all()),
        f"Up to 150, {poor} of the 8 bits agree with no sign in the encoding more often than in "
        f"{best[best < 0.6].max():.0%} of the numbers; bit 5 does in {best[5]:.0%} (wavelengths 64 "
        "and 62.8). The bits are signs of sines, but of the wavelengths 2, 4, … 256, and here "
        "they are 6.28, 62.8, 628 and 6,283.",
        kindly=same,
    )


def unique_because_binary() -> Finding:
    """S1-13: unique because like binary."""
    table = encode(range(151), 8)
    signs, vectors = len(np.unique(table < 0, axis=0)), len(np.unique(table.round(6), axis=0))
    back = 2 * np.abs(np.sin(np.pi * 256 / 2.0 ** np.arange(1, 9))).max()
    away = np.linalg.norm(encode(256, 16, 256.0) - encode(0, 16, 256.0))
    return decided(
        signs == 151,
        f"What is binary about the 151 vectors of the picture, their signs, takes {signs} forms; "
        f"the vectors are {vectors} different ones. With exactly binary wavelengths, 2 to 256, "
        f"position 256 would be {back:.2f} away from position 0. With wavelengths of 2π, 4π, … "
        f"256π it is {away:.2f} away.",
        kindly=vectors == 151,
    )


def number_of_the_diagram() -> Finding:
    """S1-14: diagrams 2.2.2 and 1.2.3."""
    captions, named = ("2.2.0", "2.2.1", "2.2.2", "2.2.3"), ("2.2.2", "1.2.3")
    missing = [name for name in named if name not in captions]
    near = [
        caption
        for caption in captions
        for name in missing
        if caption not in named and sum(a != b for a, b in zip(caption, name, strict=True)) == 1
    ]
    return decided(
        not missing,
        f"The page has diagrams {', '.join(captions)} and not {', '.join(missing)}. One digit "
        f"away, named nowhere in the text and to the point, is {', '.join(near)}. Whether a "
        "section 1.2 has a diagram of that number, the page does not show.",
        kindly=len(near) == 1,
    )


def any_length() -> Finding:
    """S1-15: defined for any length."""
    table = encode([0, 10**3, 10**6, 10**9], 512)
    on_circle = np.allclose(table[:, 0::2] ** 2 + table[:, 1::2] ** 2, 1)
    apart = np.linalg.norm(table[:, None] - table, axis=2) + 100 * np.eye(4)
    return decided(
        on_circle and bool(apart.min() > 1),
        "Positions 0, a thousand, a million and a billion have vectors like any others, each pair "
        f"on its circle, no two nearer than {apart.min():.0f}. That is the function; how well a "
        "trained model works there is another question.",
    )


def limited_range() -> Finding:
    """S1-16: the values stay within limits."""
    table = encode(range(20_000), WIDTH, BASE)
    lengths = np.linalg.norm(table, axis=1)
    return decided(
        bool(np.abs(table).max() <= 1) and np.allclose(lengths, math.sqrt(WIDTH / 2)),
        "No entry of 20,000 positions leaves −1 to 1, and every vector has the length "
        f"{math.sqrt(WIDTH / 2):.4f}, the root of d/2.",
    )


def gradients_survive() -> Finding:
    """S1-17: a limited range is kind to gradient descent.

    The derivative of a softmax weight w by its own score is w (1 - w), at most 1/4.
    """
    least: dict[str, list[float]] = {"waves": [], "numbers": []}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        words, q, k = rng.standard_normal((64, 16)), *rng.standard_normal((2, 16, 16)) / 4
        for name, places in (
            ("waves", encode(range(64), 16)),
            ("numbers", np.tile(np.arange(64.0)[:, None], 16)),
        ):
            x = words + places
            w = softmax((x @ q) @ (x @ k).T / 4)
            least[name].append(float((w * (1 - w)).max(axis=1).min()))
    return decided(
        min(least["waves"]) > 0.01 and max(least["numbers"]) < 1e-5,
        "In a random attention over 64 words, the largest derivative of each row of weights by a "
        f"score is {min(least['waves']):.2f} or more with sinusoids, in five seeds. With the "
        "numbers 0 to 63 added instead, some row in each of them has "
        f"{max(least['numbers']):.5f} at most and learns next to nothing.",
    )


def quick_and_deterministic() -> Finding:
    """S1-18: quickly computed, deterministic."""
    length, width = 2048, 512
    differ = np.sum(encode(range(length), width) != encode(range(length), width))
    layer = 12 * length * width**2 + 2 * length**2 * width
    share = length * width / layer
    return decided(
        differ == 0 and share < 1e-3,
        f"Two tables of 2,048 by 512 differ in {differ} entries, to the last bit. One takes "
        f"{length * width:,} sines and cosines, once; one layer of that width takes "
        f"{1 / share:,.0f} multiplications for each of them, at every step.",
    )


def row_of_classify() -> Finding:
    """S1-19: the row of k = 0."""
    return _row(0)


def row_of_the() -> Finding:
    """S1-20: the row of k = 1."""
    return _row(1)


def row_of_book() -> Finding:
    """S1-21: the row of k = 2, with 0.41 at entry 3."""
    return _row(2)


def row_of_pairs() -> Finding:
    """S1-22: the row of i above the table."""
    shown = [int(text) for text in PAIRS.split()]
    return decided(
        shown == [dim // 2 for dim in range(WIDTH)],
        f"Entry j belongs to pair j // 2: {len(shown)} entries, i from {shown[0]} to {shown[-1]}.",
    )


def sum_entry_0() -> Finding:
    """S1-23: 0.93 as the sum at entry 0."""
    return _sum_entry(0)


def sum_entry_1() -> Finding:
    """S1-24: -0.27 as the sum at entry 1."""
    return _sum_entry(1)


def sum_entry_2() -> Finding:
    """S1-25: -0.59 as the sum at entry 2."""
    found = _sum_entry(2)
    return Finding(
        found.verdict,
        f"{found.evidence} No other position explains what was added from here on: the nearest "
        f"of the first 20,000 is off by {_another_vector()[1]:.2f} in some entry.",
    )


def sum_entry_3() -> Finding:
    """S1-26: -.033 as the sum at entry 3, where the row above has 0.41 for 0.43."""
    return _sum_entry(3)


def sum_entry_4() -> Finding:
    """S1-27: -0.85 as the sum at entry 4."""
    return _sum_entry(4)


def sum_entry_5() -> Finding:
    """S1-28: -0.6 as the sum at entry 5."""
    return _sum_entry(5)


def sum_entry_6() -> Finding:
    """S1-29: -0.93 as the sum at entry 6."""
    return _sum_entry(6)


def sum_entry_7() -> Finding:
    """S1-30: 0.18 as the sum at entry 7."""
    return _sum_entry(7)


def sum_entry_8() -> Finding:
    """S1-31: -0.58 as the sum at entry 8."""
    return _sum_entry(8)


def sum_entry_9() -> Finding:
    """S1-32: -1.89 as the sum at entry 9."""
    return _sum_entry(9)


def sum_entry_10() -> Finding:
    """S1-33: 0.41 as the sum at entry 10."""
    return _sum_entry(10)


def sum_entry_11() -> Finding:
    """S1-34: -0.12 as the sum at entry 11."""
    return _sum_entry(11)


def sum_entry_12() -> Finding:
    """S1-35: -0.23 as the sum at entry 12."""
    return _sum_entry(12)


def sum_entry_13() -> Finding:
    """S1-36: -0.27 as the sum at entry 13."""
    return _sum_entry(13)


def sum_entry_14() -> Finding:
    """S1-37: -0.42 as the sum at entry 14."""
    return _sum_entry(14)


def sum_entry_15() -> Finding:
    """S1-38: -0.82 as the sum at entry 15."""
    return _sum_entry(15)


def sum_enters_the_encoder() -> Finding:
    """S1-39: the sum goes into the encoder."""
    return on_record(
        "right",
        "Vaswani et al. (2017), section 3.5",
        "the encodings are added to the embeddings at the bottoms of the encoder and the decoder.",
    )


def word_at_085() -> Finding:
    """S1-40: is 0.85 a number of "book"?"""
    book, text = ROWS[2].split(), "0.85"
    holders = [k for k, row in enumerate(ROWS) if text in row.split()]
    third = encode(2, WIDTH, BASE)[3]
    return decided(
        holders == [2],
        f"0.85 stands in the row of k = {holders[0]}, which is 'the'. 'book', k = 2, has "
        f"{third:.4f} in that place (printed {book[3]}), and 0.85 nowhere in its row. Counted from "
        "1, 'book' would be 3, and further off.",
        kindly=text in book,
    )


def place_in_the_vector() -> Finding:
    """S1-41: the place in the vector and one number fix the position."""
    count, half_turn = 300, int(np.pi / frequencies(WIDTH, BASE)[1])
    shown = encode(range(count), WIDTH, BASE)[:, 3].round(2)
    near = len(np.unique(shown[: half_turn + 1])) == half_turn + 1
    found = positions_from_value(0.85, 3, WIDTH, BASE, max_position=count, atol=0.005)
    return decided(
        len(np.unique(shown)) == count,
        "The place says which frequency, and sine or cosine. But one cosine fixes the angle only "
        f"up to its sign and whole turns: below {count}, positions {found.tolist()} print 0.85 "
        f"there. Within the first half turn, k = 0 to {half_turn}, each prints its own number.",
        kindly=near,
    )


def inverse_cosine() -> Finding:
    """S1-42: k = 100^(2/16) arccos 0.85."""
    scale = BASE ** (2 / WIDTH)
    k = np.arange(12)
    back = np.rint(scale * np.arccos(encode(k, WIDTH, BASE)[:, 3]))
    first_wrong = int((back != k).argmax())
    found, book = scale * math.acos(0.85), scale * math.acos(0.43)
    return decided(
        bool((back == k).all()),
        f"It gives {found:.3f}, so k = 1; for the 0.43 of 'book' it would give {book:.3f}, so "
        f"k = 2. From k = {first_wrong} on, past half a turn, it is wrong: the cosine of "
        f"{first_wrong} leads back to {back[first_wrong]:.0f}.",
        kindly=bool((back[:first_wrong] == k[:first_wrong]).all() and first_wrong > 2),
    )


def llama_adds_no_positions() -> Finding:
    """S1-43: Llama 4 has no absolute encoding of this kind."""
    return on_record(
        "right",
        "Llama 4 in Hugging Face's transformers (configuration_llama4, modeling_llama4)",
        "nothing is added to the embeddings; three layers of four turn queries and keys by the "
        "rotary encoding, and every fourth uses no encoding.",
    )


def only_relative() -> Finding:
    """S1-44: rotary scores know the offset only; does the model know no more?"""
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((2, 32))
    turned_q, turned_k = (
        Rotary(32, 1, 2048).turned(np.tile(x, (1, 1, 1011, 1)))[0, 0] for x in (q, k)
    )
    near, far = turned_q[7] @ turned_k[3], turned_q[1007] @ turned_k[1003]
    offset_only = abs(near - far) < 1e-9
    told = [_position_told("rotary", seed) for seed in range(3)]
    return decided(
        offset_only and max(told) < 0.05,
        f"A rotary score is {near:.4f} for (7, 3) and {far:.4f} for (1007, 1003). But a word can "
        "count those before it: in an untrained causal rotary network, a linear probe of the "
        f"outputs explains {min(told):.1f} or more of the variance of the absolute position, in "
        "each of three seeds. In its published code, Llama 4's layers without "
        "rotation also scale queries by a logarithm of the absolute position (modeling_llama4, "
        "attn_temperature_tuning).",
        kindly=bool(offset_only),
    )


def bits_of_150() -> Finding:
    """S1-45: 150 in binary."""
    return decided(
        int("10010110", 2) == 150,
        f"128 + 16 + 4 + 2 = {int('10010110', 2)}; format(150, '08b') is {150:08b}.",
    )


def axis_of_the_picture() -> Finding:
    """S1-46: the x-axis of a picture."""
    return unchecked("The caption describes a picture that is not in the text we have.")


def rows_of_the_picture() -> Finding:
    """S1-47: two rows of a picture for each i, from the top."""
    return unchecked(
        "The caption describes a picture that is not in the text we have. It fits the formula: "
        "d = 8 has eight entries, two for each of i = 0, 1, 2, 3."
    )


def one_value_one_position() -> Finding:
    """S1-48: which position is one value of one dimension from?"""
    alone = {}
    for count in (1_000, 10_000, 1_000_000):
        shown = np.rint(1e6 * np.sin(np.arange(count) * frequencies(D_MODEL)[DIM // 2]))
        alone[count] = float((np.unique(shown, return_counts=True)[1] == 1).sum() / count)
    return decided(
        alone[1_000_000] == 1,
        f"At dimension {DIM}, six decimals belong to one position alone for {alone[1_000]:.0%} of "
        f"the first 1,000, {alone[10_000]:.1%} of the first 10,000 and {alone[1_000_000]:.0%} of "
        "the first million. So the question has one answer if the text is short, and it does not "
        "say how long the text is.",
        kindly=alone[1_000] == 1,
    )


def answer_7() -> Finding:
    """S1-49: k = 7.

    All positions below a million are tried, and the value may be rounded or cut.
    """
    found = {name: _candidates(*where) for name, where in CONDITIONS_KEPT.items()}
    as_it_stands = found.pop("as it stands")
    others = "; ".join(f"{name}: {_listed(k)}" for name, k in found.items())
    at_7, base_100 = (encode(ANSWER, D_MODEL, base)[DIM] for base in (10_000.0, 100.0))
    return decided(
        as_it_stands[:1] == [ANSWER],
        f"By the page's formula position 7 has {at_7:.6f} there. Below a million, {VALUE} is "
        f"printed by {_listed(as_it_stands)}. Other ways to count and to read the index: {others}. "
        "7 comes out with base 100 or, which is the same number, with the exponent i/d: "
        f"{base_100:.8f}, cut after six digits.",
        kindly=any(ANSWER in k for k in found.values()),
    )


def value_at_1088() -> Finding:
    """S1-50: 0.488814 at dimension 1088 of the answer."""
    values = {
        name: float(encode(ANSWER, d_model, base)[dim])
        for name, (dim, d_model, base) in (CONDITIONS_KEPT | CONDITIONS_CHANGED).items()
    }
    how = {name: printed(VALUE, value) for name, value in values.items()}
    fits = [f"{name} ({how[name]})" for name in values if how[name]]
    first = _candidates(*CONDITIONS_KEPT["as it stands"])[0]
    return decided(
        bool(how["as it stands"]),
        f"At k = 7 the formula with n = 10,000 gives {values['as it stands']:.6f}, and no position "
        f"before {first:,} prints {VALUE}. At k = 7 it comes out with: {', '.join(fits)}. Base "
        "100 is that of the page's worked example.",
        kindly=any(how[name] for name in CONDITIONS_KEPT),
    )


def backwards_from_the_answer() -> Finding:
    """S1-51: without workings, working back from the answer finds the error."""
    ways = CONDITIONS_KEPT | CONDITIONS_CHANGED
    kept = [name for name in CONDITIONS_KEPT if ANSWER in _candidates(*ways[name])]
    changed = [name for name in CONDITIONS_CHANGED if ANSWER in _candidates(*ways[name])]
    w = frequencies(D_MODEL, 100.0)[DIM // 2]
    angle = math.asin(float(VALUE))
    first, mirrored = angle / w, (math.pi - angle) / w
    return decided(
        bool(kept),
        f"Under the printed conditions nothing leads from 7 to {VALUE}. Working back finds other "
        f"conditions that do: {' or '.join(changed)}. Even then the inverse sine alone gives "
        f"{first:.3f}; its mirror image, π minus that angle, gives {mirrored:.3f}.",
        kindly=bool(changed),
    )


def _attend(x: Array) -> Array:
    return attention(x, x, x)


def _gap(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max())


def _formula(wave: Callable[[float], float], part: int) -> Finding:
    """The printed formula, entry by entry, against the library, for the page's two settings."""
    gap = 0.0
    for d, n in ((WIDTH, BASE), (512, 10_000.0)):
        table = encode(range(50), d, n)
        for k in range(50):
            for i in range(d // 2):
                gap = max(gap, abs(wave(k / n ** (2 * i / d)) - table[k, 2 * i + part]))
    return decided(
        gap < 1e-12,
        f"Evaluated as printed, entries {('2i', '2i + 1')[part]} of 50 positions agree to 1e-12 "
        "with the course's table of the formula in Vaswani et al. (2017), section 3.5, for d = 16 "
        "with n = 100 and for d = 512 with n = 10,000.",
    )


def _row(position: int) -> Finding:
    """A row of the printed table against the formula."""
    off = []
    kindly = True
    for dim, text in enumerate(ROWS[position].split()):
        value = float(encode(position, WIDTH, BASE)[dim])
        if printed(text, value) != "rounded":
            off.append(f"entry {dim} is printed {text}, and the formula gives {value:.4f}")
            kindly = kindly and bool(readings(text, position, dim, WIDTH, BASE))
    right = f"{WIDTH - len(off)} of {WIDTH} entries are the formula's, rounded"
    tried = "" if kindly else ". No kind reading of it was found"
    return decided(not off, "; ".join([right, *off]) + tried + ".", kindly=kindly)


def _sum_entry(dim: int) -> Finding:
    """One printed entry of "embedding + encoding" of the word "book"."""
    shown = SUM.split()[dim]
    a, b = Decimal(BOOK.split()[dim]), Decimal(ROWS[2].split()[dim])
    exact = float(a) + float(encode(2, WIDTH, BASE)[dim])
    literally = Decimal(shown) == a + b or bool(printed(shown, exact))
    found = f"{_signed(a)} + {_signed(b, inside=True)} = {_signed(a + b)}"
    found += f" ({_signed(exact)} with the unrounded encoding)"
    if literally:
        found += ", as printed"
    elif Decimal(shown) == a - b:
        found += f"; {_signed(shown)} is the difference {_signed(a)} − {_signed(b, inside=True)}"
    elif Decimal(shown) * 10 == a - b:
        found += f"; the difference is {_signed(a - b)}, and {_signed(shown)} is that with its "
        found += "point one place off"
    shared, nearest = _another_vector()
    return decided(literally, f"{found}.", kindly=bool(shared) or nearest < 0.01)


def _signed(number: Decimal | float | str, *, inside: bool = False) -> str:
    """A number with a real minus sign, in brackets if it is negative inside a sum."""
    text = f"{number:.4f}" if isinstance(number, float) else str(number)
    text = text.replace("-", "−")
    return f"({text})" if inside and text.startswith("−") else text


@cache
def _another_vector() -> tuple[frozenset[str], float]:
    """What else may have been added from entry 2 on: readings that all share, nearest position.

    Entry 3 is left out, where the page has a typing error. A lost minus sign is no reading: a sum
    in which every sign is turned is a difference.
    """
    dims = [2, *range(4, WIDTH)]
    added = [Decimal(SUM.split()[j]) - Decimal(BOOK.split()[j]) for j in dims]
    found = [
        frozenset(readings(str(number), 2, j, WIDTH, BASE))
        for j, number in zip(dims, added, strict=True)
    ]
    shared = frozenset.intersection(*found) - {"a minus sign lost", "as it stands"}
    table = np.delete(encode(range(20_000), WIDTH, BASE)[:, dims], 2, axis=0)
    return shared, float(np.abs(table - np.array(added, float)).max(axis=1).min())


def _listed(positions: list[int]) -> str:
    return ", ".join(f"{k:,}" for k in positions) or "none"


@cache
def _candidates(dim: int, d_model: int, base: float) -> list[int]:
    """Every position below a million that prints VALUE, rounded or cut."""
    places = Decimal(1).scaleb(int(Decimal(VALUE).as_tuple().exponent))
    low, high = float(Decimal(VALUE) - places / 2), float(Decimal(VALUE) + places)
    found = positions_from_value(
        (low + high) / 2, dim, d_model, base, max_position=1_000_000, atol=(high - low) / 2
    )
    return [int(k) for k in found]


def _position_told(scheme: str, seed: int) -> float:
    """The share of the position's variance that a probe explains in an untrained causal network.

    The probe is that of chapter 7: linear in the outputs and their squares, tested on fresh words.
    """
    model = Transformer(8, 8, scheme, causal=True, seed=seed)
    rng = np.random.default_rng(seed)
    t = np.tile(np.arange(32.0), 128)

    def features() -> Array:
        x = model.hidden(rng.integers(8, size=(128, 32)))[-1].reshape(-1, 32).astype(float)
        return np.column_stack([x, x**2, np.ones(len(x))])

    weights = np.linalg.lstsq(features(), t, rcond=None)[0]
    return float(1 - ((features() @ weights - t) ** 2).mean() / t.var())
