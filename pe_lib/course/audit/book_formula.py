"""S3, a book chapter, first half: the position problem, the formula, frequencies, sine and cosine.

Its example has d_model = 8, so that pair i turns by 10^-i radians per position.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_lib.course.attention import attention
from pe_lib.course.audit.finding import Finding, decided, on_record, unchecked
from pe_lib.course.audit.readings import printed
from pe_lib.course.model import Transformer
from pe_lib.relative import kernel
from pe_lib.sinusoidal import encode, frequencies

Array = NDArray[Any]
TINY = 1e-9

# ------------------------------------------------------------------ the position problem


def _words(count: int = 7, width: int = 8) -> tuple[Array, Array]:
    """Random words, a row each, and three random matrices for queries, keys and values."""
    rng = np.random.default_rng(1)
    return rng.standard_normal((count, width)), rng.standard_normal((3, width, width)) / 3


def _outputs(x: Array, w: Array) -> Array:
    return attention(x @ w[0], x @ w[1], x @ w[2])


def _weights(x: Array, w: Array) -> Array:
    """The weights themselves: attention over values that are the rows of the identity."""
    return attention(x @ w[0], x @ w[1], np.eye(len(x)))


def _gap(a: ArrayLike, b: ArrayLike) -> float:
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


def _within(gap: float) -> str:
    """How far off, in words that do not depend on the processor's rounding."""
    return "within 1e-9" if gap < TINY else f"but for {gap:.2g}"


SHUFFLED = [6, 3, 2, 0, 5, 1, 4]


def outputs_stay_or_move() -> Finding:
    """S3-01: attention as a function from rows to rows, f(PX) against f(X) and P f(X)."""
    x, w = _words()
    before, after = _outputs(x, w), _outputs(x[SHUFFLED], w)
    stays, moves = _gap(after, before), _gap(after, before[SHUFFLED])
    pooled = _gap(after.mean(axis=0), before.mean(axis=0))
    return decided(
        stays < TINY,
        f"Seven words in another order: an entry of the output changes by up to {stays:.2f}, so it "
        f"is not invariant. The rows move with their words ({_within(moves)}), which is "
        f"equivariance; only the mean over the words stays ({_within(pooled)}).",
        kindly=moves < TINY and pooled < TINY,
    )


def one_query_and_a_bag_of_keys() -> Finding:
    """S3-02: self-attention shuffled whole, and one query before shuffled keys and values."""
    x, w = _words()
    q, k, v = (x @ each for each in w)
    whole = _gap(attention(q[SHUFFLED], k[SHUFFLED], v[SHUFFLED]), attention(q, k, v))
    one = _gap(attention(q[:1], k[SHUFFLED], v[SHUFFLED]), attention(q[:1], k, v))
    return decided(
        whole < TINY,
        f"Self-attention, whose queries are shuffled too, changes by up to {whole:.2f}: it is "
        f"equivariant. What is invariant is the answer to one query when the keys and values trade "
        f"places (the same {_within(one)}).",
        kindly=one < TINY,
    )


def weights_after_a_shuffle() -> Finding:
    """S3-03: A', the weights after a shuffle, differs from A and is P A Pᵀ."""
    x, w = _words()
    before, after = _weights(x, w), _weights(x[SHUFFLED], w)
    changed = _gap(after, before)
    by_word = _gap(after, before[np.ix_(SHUFFLED, SHUFFLED)])
    return decided(
        changed > 0.1 and by_word < TINY,
        f"By position the weights change, by up to {changed:.2f}, because other words stand there; "
        f"from word to word they are the same {_within(by_word)}.",
    )


def words_1_and_100_trade_places() -> Finding:
    """S3-04: the first and the last of 100 words trade places."""
    x, w = _words(100)
    traded = np.r_[99, 1:99, 0]
    before, after = _outputs(x, w), _outputs(x[traded], w)
    gap = _gap(after, before[traded])
    return decided(
        gap < TINY,
        f"The first and the last of 100 words trade places, and each word has the output that it "
        f"had, {_within(gap)}. (A causal mask would change that.)",
    )


def two_sentences_of_the_same_words() -> Finding:
    """S3-05: the same words with the same counts, and another one bites."""
    a, b = (text.split() for text in ("the dog bit the man", "the man bit the dog"))
    biters = [words[words.index("bit") - 1] for words in (a, b)]
    return decided(
        Counter(a) == Counter(b) and biters[0] != biters[1],
        f"The one counts {dict(Counter(a))}, the other {dict(Counter(b))}. Before the verb stands "
        f"{biters[0]} in one and {biters[1]} in the other, and that is who bites.",
    )


def a_recurrent_network_notices() -> Finding:
    """S3-06: h = tanh(W h + U x), five random networks, a sentence forwards and backwards."""
    gaps, pooled = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x, w, u = rng.standard_normal((7, 8)), *(rng.standard_normal((2, 8, 8)) / 3)
        last = []
        for sentence in (x, x[::-1]):
            h = np.zeros(8)
            for word in sentence:
                h = np.tanh(w @ h + u @ word)
            last.append(h)
        gaps.append(_gap(*last))
        pooled.append(_gap(attention(x, x, x).mean(0), attention(*[x[::-1]] * 3).mean(0)))
    return decided(
        min(gaps) > 0.1 and max(pooled) < TINY,
        f"Read backwards, the last state of five random recurrent networks changes by "
        f"{min(gaps):.2f} or more; the mean output of attention is the same "
        f"{_within(max(pooled))}.",
    )


def a_whole_transformer() -> Finding:
    """S3-07: two layers without positions, an answer for each word and one for the sentence."""
    tokens = np.array([[0, 2, 1]])  # dog bites man
    change = {}
    for pooled in (False, True):
        model = Transformer(3, 2, "none", layers=2, pooled=pooled, dtype=np.float64)
        change[pooled] = _gap(model(tokens), model(tokens[:, ::-1]))
    return decided(
        change[False] < TINY,
        f"Dog bites man and man bites dog, two layers without positions: the table of answers, a "
        f"row for each word, changes by up to {change[False]:.2f}, because its rows are shuffled. "
        f"One answer pooled over the words stays ({_within(change[True])}), and the two sentences "
        f"cannot be told apart.",
        kindly=change[True] < TINY,
    )


def softmax_of_scaled_dots() -> Finding:
    """S3-08: the printed formula in plain loops, against the library's attention."""
    x, w = _words()
    q, k = (x @ w[0]).tolist(), (x @ w[1]).tolist()

    def power(i: int, j: int) -> float:
        return math.exp(sum(a * b for a, b in zip(q[i], k[j], strict=True)) / math.sqrt(8))

    alpha = [[power(i, j) / sum(power(i, m) for m in range(7)) for j in range(7)] for i in range(7)]
    gap = _gap(alpha, _weights(x, w))
    rows = _gap(np.sum(alpha, axis=1), 1)
    return decided(
        gap < TINY and rows < TINY,
        f"In plain loops the formula gives the weights of the library {_within(gap)}, each row "
        f"with sum 1 {_within(rows)}. The d under the root is the width of queries and keys, "
        f"which in a model with several heads is that of a head.",
    )


def score_of_two_words() -> Finding:
    """S3-09: the dot product of words 0 and 1, when the other words change or move."""
    x, w = _words()
    moved, changed = x[[1, 4, 0, 2, 6, 5, 3]], np.vstack([x[:2], -x[2:]])

    def score(rows: Array, i: int, j: int) -> float:
        return float((rows[i] @ w[0]) @ (rows[j] @ w[1]))

    same = [score(x, 0, 1), score(moved, 2, 0), score(changed, 0, 1)]
    spread = max(same) - min(same)
    weights = _weights(x, w)[0, 1], _weights(changed, w)[0, 1]
    return decided(
        spread < TINY,
        f"The dot product of a query and a key stays when the two words move to other places and "
        f"when all others change ({_within(spread)}). The weight made of it does depend on the "
        f"others, through the sum it is divided by: {weights[0]:.2f} became {weights[1]:.2f}.",
    )


def contents_of_2_and_5_swapped() -> Finding:
    """S3-10: counted from 1, positions 2 and 5 of seven words swap."""
    x, w = _words()
    swap = [0, 4, 2, 3, 1, 5, 6]
    before, after = _weights(x, w), _weights(x[swap], w)
    changed, follows = _gap(after, before), _gap(after, before[np.ix_(swap, swap)])
    return decided(
        changed > 0.05 and follows < TINY,
        f"The weights change by up to {changed:.2f}, and all of it is the same weights following "
        f"their words ({_within(follows)}): no part of the change depends on the places.",
    )


def one_more_number() -> Finding:
    """S3-11: 512 numbers and the position."""
    size = np.append(np.zeros(512), 3).size
    return decided(size == 513, f"512 numbers with the 3 appended are {size}.")


def indices_not_seen() -> Finding:
    """S3-12: counted from 1, 200 positions without the first 100."""
    new = sorted(set(range(1, 201)) - set(range(1, 101)))
    return decided(
        new == list(range(101, 201)),
        f"Of 1 to 200, the {len(new)} indices from {new[0]} to {new[-1]} are not among 1 to 100.",
    )


def unseen_indices() -> Finding:
    """S3-13: two functions of the bare index, fitted on 1 … 100 and tried on 101 … 200."""
    t = np.arange(1, 201)
    seen = t <= 100
    powers = np.vander(t / 100, 8)
    off = {}
    for name, target, columns in (
        ("line", 3.0 * t + 2, powers[:, -2:]),
        ("wave", np.sin(t / 10), powers),
    ):
        v = np.linalg.lstsq(columns[seen], target[seen], rcond=None)[0]
        error = np.abs(columns @ v - target)
        off[name] = float(error[seen].max()), float(error[~seen].max())
    p = encode(t, 8)
    new = float(np.sqrt(8 - 2 * p[seen] @ p[~seen].T).min())
    return decided(
        off["line"][1] > TINY,
        f"A straight line fitted to the indices 1 to 100 is right up to 200 "
        f"({_within(off['line'][1])}). A polynomial fitted to a wave is off by at most "
        f"{off['wave'][0]:.2f} on them and by {off['wave'][1]:,.0f} beyond. The sinusoidal "
        f"vectors of 101 to 200 are unseen as well: each is {new:.2f} or more from all of 1 to "
        f"100.",
        kindly=off["wave"][0] < 0.1 and off["wave"][1] > 100,
    )


def percent_of_a_step() -> Finding:
    """S3-14: from 1 to 2 and from 100 to 101, in percent of where one stands."""
    grows = [Fraction(to - start, start) * 100 for start, to in ((1, 2), (100, 101))]
    return decided(grows == [100, 1], f"A step of 1 is {grows[0]} % of 1 and {grows[1]} % of 100.")


def steps_of_one_length() -> Finding:
    """S3-15: |PE(t + 1) - PE(t)| is a sum of 4 sin²(w/2), without t; a numerical instance."""
    steps = np.linalg.norm(np.diff(encode(range(10_000), 64), axis=0), axis=1)
    spread = float(np.ptp(steps))
    return decided(
        spread < TINY,
        f"The encoding that the chapter arrives at has this: all steps of 10,000 positions "
        f"(d_model 64) are {steps.mean():.4f} long, {_within(spread)}. The bare index has steps of "
        f"equal size too; it is in percent of the index that they shrink.",
    )


def the_ten_thousandth() -> Finding:
    """S3-16: counted from 1, as the passage does."""
    index = range(1, 20_000)[10_000 - 1]
    return decided(
        index == 10_000, f"If the first position is 1, the 10,000th is {index:,} (from 0: 9,999)."
    )


def late_positions_in_a_dot_product() -> Finding:
    """S3-17: the index appended to words of 512 random numbers; scores of word 10,000."""
    rng = np.random.default_rng(0)
    words, last = rng.standard_normal((5, 512)), np.arange(9_996.0, 10_001)
    own = words @ words[-1] / math.sqrt(513)
    index = last * last[-1] / math.sqrt(513)
    with np.errstate(over="ignore", invalid="ignore"):
        power = np.exp(own + index)
        broken = bool(np.isnan(power / power.sum()).all())
    weights = np.exp(own + index - (own + index).max())
    top = float((weights / weights.sum()).max())
    return decided(
        index.min() > 1000 * np.abs(own).max() and broken,
        f"In the scores of word 10,000 the words have a share of at most {np.abs(own).max():.0f}, "
        f"the index one of {index.min():,.0f} and more. Softmax as printed "
        f"{'overflows' if broken else 'holds'}; computed with care, it gives one word a weight "
        f"of {top:.3f}, whatever the words are.",
    )


# ------------------------------------------------------------------ adding


def a_sum() -> Finding:
    """S3-18: what enters the first layer."""
    return on_record(
        "right",
        "Vaswani et al. (2017), section 3.5",
        "encodings are added to the embeddings at the bottom of both stacks; by section 3.4 the "
        "embeddings have been multiplied by the root of d_model before",
    )


def widths_that_add() -> Finding:
    """S3-19: adding vectors of 8 and of 7 numbers, and of 8 and 8."""
    word, fits = np.ones(8), {}
    for width in (7, 8):
        try:
            fits[width] = (word + np.ones(width)).shape == (8,)
        except ValueError:
            fits[width] = False
    return decided(
        fits == {7: False, 8: True},
        f"Vectors of 8 and 8 numbers {'add' if fits[8] else 'do not add'}; vectors of 8 and 7 "
        f"{'add' if fits[7] else 'do not add'}.",
    )


def taken_apart_without_learning() -> Finding:
    """S3-20: words and positions named from 2000 sums by dot products, nothing learned.

    And W (e + p) = [W W] [e; p]: adding is concatenating with tied weights, so what the sum forces,
    tied weights force.
    """
    rng = np.random.default_rng(2)
    words, places = rng.standard_normal((200, 512)), encode(range(100), 512)
    word, place = rng.integers(200, size=2000), rng.integers(100, size=2000)
    x = words[word] + places[place]
    named = float(((x @ words.T).argmax(axis=1) == word).mean())
    placed = float(((x @ places.T).argmax(axis=1) == place).mean())
    by_place = kernel(range(100), 512) / math.sqrt(512)
    by_word = (words[0::2] * words[1::2]).sum(axis=1).std() / math.sqrt(512)
    return decided(
        max(named, placed) < 0.9,
        f"Nothing is forced at d_model 512: with random words and no learning, dot products name "
        f"the word in {named:.0%} and the position in {placed:.0%} of 2000 sums. What is true: in "
        f"the plain score of two such sums the positions count {by_place.min():.1f} to "
        f"{by_place.max():.1f} and two different words about {by_word:.1f}, so a model that wants "
        f"the words alone has to learn weights for it.",
        kindly=bool(by_place.min() > by_word),
    )


def one_word_in_two_places() -> Finding:
    """S3-21: |e + p_t - e - p_s| = |p_t - p_s|, against |e|; 'slightly' is at most a quarter."""
    word = math.sqrt(512)  # entries of variance 1, as after the paper's scaling
    near, far = (math.sqrt(2 * (256 - kernel(k, 512))) for k in (1, 100))
    small = 0.02 * word  # entries of standard deviation 0.02, a common start, not scaled
    return decided(
        max(near, far) / word <= 0.25,
        f"d_model 512, entries of variance 1: one place on, a word moves by {near / word:.0%} of "
        f"its length, 100 places on by {far / word:.0%}. With entries of standard deviation 0.02, "
        f"one place is {near / small:.0%} already.",
        kindly=near / word <= 0.25,
    )


def similar_words_nearby() -> Finding:
    """S3-22: |(e + p) - (e' + p')| <= |e - e'| + |p - p'|, the triangle; 1000 instances."""
    rng = np.random.default_rng(3)
    e, t = rng.standard_normal((1000, 512)), rng.integers(0, 500, 1000)
    other = e + 0.2 * rng.standard_normal((1000, 512))
    p, q = encode(t, 512), encode(t + 1, 512)
    a, b = e + p, other + q
    apart = np.linalg.norm(a - b, axis=1)
    most = np.linalg.norm(e - other, axis=1) + np.linalg.norm(p - q, axis=1)
    cosine = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    return decided(
        bool((apart <= most).all() and cosine.min() > 0.9),
        f"In {(apart <= most).sum()} of 1000 cases two sums are no further apart than their words "
        f"and their positions together. Words that differ by a fifth, one place "
        f"apart, have sums whose cosine is {cosine.min():.2f} or more.",
    )


# ------------------------------------------------------------------ the formula, d_model = 8


def widths_in_use() -> Finding:
    """S3-23: 512 or 768, as examples of real widths."""
    return on_record(
        "right",
        "Vaswani et al. (2017), Table 3, and Devlin et al. (2019), section 3",
        "the base Transformer has d_model 512 and BERT-base 768. As examples the two are right; "
        "the larger models of the same papers have 1024, and later ones several thousand",
    )


def _row(text: str, position: int) -> Finding:
    """Each printed entry against the sine or cosine, by math alone; a kind reading cuts digits."""
    entries = text.split(", ")
    off = []
    ways = []
    for dim, entry in enumerate(entries):
        angle = position * 10.0 ** -(dim // 2)
        value = (math.sin, math.cos)[dim % 2](angle)
        ways.append(printed(entry, value))
        if ways[-1] != "rounded":
            places = len(entry.split(".")[1])
            off.append(
                f"dimension {dim} is {value:.6f}, which rounds to {value:.{places}f}, and the page "
                f"has {entry}{', its digits cut off' if ways[-1] else ''}"
            )
    literally = len(entries) == 8 and not off
    return decided(
        literally,
        f"{len(entries) - len(off)} of {len(entries)} entries of position {position} are rounded "
        f"right" + "".join(f"; {slip}" for slip in off) + ".",
        kindly=len(entries) == 8 and all(ways),
    )


def row_of_position_0() -> Finding:
    """S3-24: the vector of position 0."""
    return _row("0.00, 1.00, 0.00, 1.00, 0.00, 1.00, 0.00, 1.00", 0)


def row_of_position_1() -> Finding:
    """S3-25: the vector of position 1."""
    return _row("0.84, 0.54, 0.10, 0.99, 0.01, 1.00, 0.00, 1.00", 1)


def row_of_position_2() -> Finding:
    """S3-26: the vector of position 2."""
    return _row("0.91, -0.42, 0.20, 0.98, 0.02, 1.00, 0.00, 1.00", 2)


def row_of_position_3() -> Finding:
    """S3-27: the vector of position 3."""
    return _row("0.14, -0.99, 0.30, 0.95, 0.03, 1.00, 0.00, 1.00", 3)


def row_of_position_5() -> Finding:
    """S3-59: the vector of position 5."""
    return _row("-0.96, 0.28, 0.48, 0.88, 0.05, 0.999, 0.005, 1.000", 5)


def _apart(s: int, t: int) -> Array:
    """How far the tip of each hand moves from position s to t: chords, 0 to 2, d_model = 8."""
    chords: Array = 2 * np.abs(np.sin((t - s) * frequencies(8) / 2))
    return chords


ALMOST = 0.1
"""What the page itself calls almost the same: pair 1 at 5 and 6, whose tips are 0.09996 apart."""


def fast_pair_moves() -> Finding:
    """S3-28: dimensions 0 and 1, from row to row of the four printed."""
    step, others = _apart(0, 1)[0], _apart(0, 1)[1:]
    return decided(
        step > 5 * others.max(),
        f"From row to row pair 0 moves by {step:.3f} of at most 2, each other pair by "
        f"{others.max():.3f} or less.",
    )


def slow_pair_stands() -> Finding:
    """S3-29: dimensions 6 and 7, over the four rows printed."""
    rows = encode(range(4), 8)[:, 6:]
    most = float(np.ptp(rows, axis=0).max())
    return decided(
        most < ALMOST / 10, f"From position 0 to 3 the last two entries move by {most:.4f} at most."
    )


def formula() -> Finding:
    """S3-30: the printed formula, entry by entry with math, against the library."""
    worst = 0.0
    for d in (8, 16, 512):
        for t in (0, 1, 5, 777):
            row = [0.0] * d
            for i in range(d // 2):
                row[2 * i] = math.sin(t / 10_000 ** (2 * i / d))
                row[2 * i + 1] = math.cos(t / 10_000 ** (2 * i / d))
            worst = max(worst, _gap(row, encode(t, d)))
    return decided(
        worst < TINY,
        f"For d = 8, 16 and 512 and four positions the printed formula agrees with the library, "
        f"{_within(worst)}. It is that of Vaswani et al. (2017), section 3.5.",
    )


def _frequency(i: int, exponent: str, text: str) -> Finding:
    """w = 10000^-x, exactly: w^q · 10000^p = 1 if x = p/q; and x = 2i/d with d = 8."""
    above, below = (int(part) for part in exponent.split("/"))
    w = Fraction(text)
    exact = above == 2 * i and below == 8 and w**below * 10_000**above == 1
    return decided(
        exact,
        f"Exactly: {text}^{below} · 10000^{above} = {w**below * 10_000**above}. The library has "
        f"{frequencies(8)[i]:.3f}.",
    )


def frequency_of_pair_0() -> Finding:
    """S3-31: the frequency of pair 0."""
    return _frequency(0, "0/8", "1")


def frequency_of_pair_1() -> Finding:
    """S3-32: the frequency of pair 1."""
    return _frequency(1, "2/8", "0.1")


def frequency_of_pair_2() -> Finding:
    """S3-33: the frequency of pair 2."""
    return _frequency(2, "4/8", "0.01")


def frequency_of_pair_3() -> Finding:
    """S3-34: the frequency of pair 3."""
    return _frequency(3, "6/8", "0.001")


# ------------------------------------------------------------------ frequencies


def no_two_vectors_alike() -> Finding:
    """S3-35: equal vectors at s < t need t - s = 2πn in pair 0, and π is irrational.

    A numerical instance: the distance depends on the offset alone, so it is enough to try those.
    """
    k = np.arange(1, 10_000)
    distance = np.sqrt(2 * (4 - kernel(k, 8)))
    return decided(
        distance.min() > 0.01,
        f"Because π is irrational, no two positions have the same first pair. Of 10,000 positions "
        f"with d_model 8, the nearest two are {distance.min():.3f} apart, "
        f"{k[distance.argmin()]:,} positions from each other.",
    )


def _wavelength(pair: int, text: str) -> Finding:
    exact = 2 * math.pi * 10**pair
    return decided(
        printed(text, exact) == "rounded",
        f"Pair {pair} is back after 2π · {10**pair} = {exact:,.2f} positions.",
    )


def wavelength_of_pair_0() -> Finding:
    """S3-36: about 6 positions."""
    return _wavelength(0, "6")


def wavelength_of_pair_1() -> Finding:
    """S3-39: about 63 positions."""
    return _wavelength(1, "63")


def wavelength_of_pair_2() -> Finding:
    """S3-41: about 628 positions."""
    return _wavelength(2, "628")


def wavelength_of_pair_3() -> Finding:
    """S3-44: about 6280 positions, with three digits that count."""
    return _wavelength(3, "6.28e3")


def _degrees(s: int, t: int, pair: int) -> float:
    turn = math.degrees(abs(t - s) * 10.0**-pair) % 360
    return min(turn, 360 - turn)


def five_and_six_in_pair_0() -> Finding:
    """S3-37: the fast hand at 5 and at 6."""
    gap = _apart(5, 6)[0]
    return decided(
        gap > ALMOST,
        f"The fast hand stands {_degrees(5, 6, 0):.0f} degrees further at 6 than at 5, its tip "
        f"{gap:.2f} away.",
    )


def six_steps_are_not_a_turn() -> Finding:
    """S3-38: six steps on, 12, 18, 24; similar is closer than one position to the next."""
    neighbour = _apart(0, 1)[0]
    gaps = [_apart(0, 6 * n)[0] for n in (1, 2, 3, 4)]
    turns = [_apart(0, k)[0] for k in (6, 44, 710)]
    return decided(
        max(gaps) < neighbour / 2,
        f"6 positions are {_degrees(0, 6, 0):.0f} degrees short of a turn, and the shortfall adds "
        f"up: after 6, 12, 18, 24 positions the tip is {', '.join(f'{g:.2f}' for g in gaps)} away, "
        f"while a neighbour is {neighbour:.2f} away. Once, or every 6.28 positions, it holds; "
        f"better returns are at 44 ({turns[1]:.3f}) and 710 ({turns[2]:.5f}).",
        kindly=gaps[0] < neighbour / 2 and turns[1] < ALMOST,
    )


def pair_1_near_and_far() -> Finding:
    """S3-40: pair 1 at 5 and 6, and at 5 and 50."""
    near, far = _apart(5, 6)[1], _apart(5, 50)[1]
    return decided(
        near <= ALMOST and far > 10 * near,
        f"Its tips are {near:.2f} apart at 5 and 6 ({_degrees(5, 6, 1):.0f} degrees) and "
        f"{far:.2f} at 5 and 50 ({_degrees(5, 50, 1):.0f} degrees).",
    )


def pair_2_at_5_and_50() -> Finding:
    """S3-42: (sin 0.05, cos 0.05) against (sin 0.5, cos 0.5).

    Kind readings: the cosine alone; twice what the page calls almost the same. Neither fits.
    """
    five, fifty = encode([5, 50], 8)[:, 4:6]
    gap, slower = _apart(5, 50)[2:]
    cosines = abs(five[1] - fifty[1])
    return decided(
        gap <= ALMOST,
        f"Pair 2 is ({five[0]:.2f}, {five[1]:.4f}) at 5 and ({fifty[0]:.4f}, {fifty[1]:.4f}) at "
        f"50: {_degrees(5, 50, 2):.0f} degrees and {gap:.2f} apart, more than four times what the "
        f"page calls almost the same (pair 1 at 5 and 6: {_apart(5, 6)[1]:.2f}). Even the cosines "
        f"alone differ by {cosines:.2f}. It would hold for pair 3, at {slower:.3f}.",
        kindly=bool(cosines <= ALMOST or gap <= 2 * ALMOST),
    )


def pair_2_at_5_and_500() -> Finding:
    """S3-43: pair 2 at 5 and 500."""
    gap = _apart(5, 500)[2]
    return decided(
        gap > ALMOST,
        f"Its hands are {_degrees(5, 500, 2):.0f} degrees and {gap:.2f} apart.",
    )


def slow_pair_over_a_text() -> Finding:
    """S3-45: pair 3 over 512 to 2048 tokens, the page's own typical lengths, and a sentence."""
    sentence, low, high = (_apart(0, length - 1)[3] for length in (50, 512, 2048))
    return decided(
        max(low, high) <= ALMOST,
        f"Over 512 positions, the shortest length that the page calls typical, its tip moves by "
        f"{low:.2f} ({_degrees(0, 511, 3):.0f} degrees), over 2048 by {high:.2f} "
        f"({_degrees(0, 2047, 3):.0f} degrees). In a sentence of 50 tokens it is {sentence:.2f}.",
        kindly=bool(sentence <= ALMOST),
    )


def slow_pair_as_a_constant() -> Finding:
    """S3-46: the range of both entries of pair 3, over 512 positions and over a sentence."""
    long, short = (np.ptp(encode(range(length), 8)[:, 6:], axis=0) for length in (512, 50))
    sine = encode(range(512), 8)[:, 6]
    straight = float(np.corrcoef(sine, np.arange(512))[0, 1])
    return decided(
        bool(max(long) <= ALMOST),
        f"Over 512 positions the cosine falls by {long[1]:.2f} and the sine rises by {long[0]:.2f},"
        f" a ramp whose correlation with the position is {straight:.4f}: not very long, and no "
        f"constant. In a sentence of 50 they change by {short[1]:.3f} and {short[0]:.3f}.",
        kindly=bool(max(short) <= ALMOST),
    )


def pairs_1_and_2_at_5_and_500() -> Finding:
    """S3-47: the medium and the low pair at 5 and 500."""
    fast, medium, low, slow = _apart(5, 500)
    return decided(
        min(medium, low) > ALMOST,
        f"They differ in all four pairs: tips {medium:.2f} apart in pair 1 and {low:.2f} in pair "
        f"2, and {fast:.2f} and {slow:.2f} in pairs 0 and 3.",
    )


# ------------------------------------------------------------------ the picture


def _sign_changes(column: Array) -> int:
    return int((np.diff(np.sign(column[1:])) != 0).sum())


def _striped(picture: Array) -> float:
    """The share of the variance that is between columns: 1 for vertical stripes, 0 for none.

    A vertical stripe is a column that keeps its colour all the way down.
    """
    return float(picture.mean(axis=0).var() / picture.var())


def table_of_64_by_16() -> Finding:
    """S3-48: the rows and columns of a picture that is not in the text."""
    table = encode(range(64), 16)
    left, right = _sign_changes(table[:, 0]), _sign_changes(table[:, -1])
    return unchecked(
        "The picture itself is not in our text. What the caption says of fast columns at the left "
        f"and slow ones at the right fits: down a column of {len(table)} positions with d_model "
        f"{table.shape[1]} the sign changes {left} times at the left and {right} times at the "
        "right."
    )


def stripes_at_the_left() -> Finding:
    """S3-49: the share of vertical stripes in columns 0 to 3 and 12 to 15; kindly, transposed."""
    table = encode(range(64), 16)
    left, right = _striped(table[:, :4]), _striped(table[:, 12:])
    turned = _striped(table.T[:, :4])
    return decided(
        left > 0.5,
        f"In a vertical stripe a column keeps its colour on the way down. That explains {left:.1%} "
        f"of the variance in columns 0 to 3, and {right:.1%} in columns 12 to 15: the stripes are "
        f"at the right. Turned on its side, the picture has none in its left columns either "
        f"({turned:.1%}), because those are then the first positions.",
        kindly=turned > 0.5,
    )


def length_of_the_fast_bands() -> Finding:
    """S3-50: how many rows of one sign stand below one another in dimensions 0 and 1.

    Fast change down a column and a stripe down the same column exclude each other. Kindly: across
    the row, are the dark and bright cells next to each other those of a stripe?
    """
    table = encode(range(64), 16)

    def longest(column: Array) -> int:
        ends = np.flatnonzero(np.diff(np.sign(column[1:])))
        return int(np.diff(np.r_[-1, ends, 62]).max())

    fast, slow = max(map(longest, table.T[:2])), min(map(longest, table.T[14:]))
    kept = float((np.sign(table[1:, 0]) != np.sign(table[1:, 1])).mean())
    return decided(
        fast > 32,
        f"Dimensions 0 and 1 do change rapidly, and so keep their sign for {fast} of 64 rows at "
        f"most: short horizontal bands. Dimensions 14 and 15 keep it for {slow}. Nor are the two "
        f"fast columns a light and a dark stripe: they have different signs in {kept:.0%} of rows.",
        kindly=kept > 0.9,
    )


def slow_columns_stand() -> Finding:
    """S3-51: dimensions 14 and 15 over the picture, and from row to row."""
    columns = encode(range(64), 16)[:, 14:]
    step, whole = np.abs(np.diff(columns, axis=0)).max(), np.ptp(columns, axis=0).max()
    return decided(
        bool(whole <= ALMOST),
        f"From row to row they change by {step:.5f} at most, over all 64 rows by {whole:.3f}.",
    )


def rows_in_shades_of_grey() -> Finding:
    """S3-52: the 64 rows in exact numbers, and in eight shades."""
    table = encode(range(64), 16)
    distance = np.linalg.norm(table[:, None] - table, axis=2) + 9 * np.eye(64)
    shades = len(np.unique(np.rint((table + 1) * 3.5), axis=0))
    return decided(
        bool(distance.min() > ALMOST) and shades == 64,
        f"The nearest two of 64 rows are {distance.min():.2f} apart. Painted in eight shades, "
        f"{shades} of 64 rows differ.",
    )


# ------------------------------------------------------------------ sine and cosine


DEGREES = {a: math.radians(a) for a in range(360)}


def sine_of_one_half() -> Finding:
    """S3-53: the angles with the sine 0.5."""
    found = [a for a, angle in DEGREES.items() if abs(math.sin(angle) - 0.5) < TINY]
    return decided(found == [30, 150], f"In a turn, the whole degrees with sine 0.5 are {found}.")


def the_same_sine() -> Finding:
    """S3-54: sin s = sin t needs t - s = 2πn or s + t = (2n + 1)π, and π is irrational.

    So no two positions have the same sine in pair 0 (nor in others, π being transcendental).
    Kindly: they print the same.
    """
    sines = np.sin(np.arange(1000.0))
    by_size = np.sort(sines)
    nearest = float(np.diff(by_size).min())
    twins = [t for t in range(1000) if f"{sines[t]:.6f}" == f"{sines[11]:.6f}"]
    gap = abs(sines[11] - sines[344])
    every = np.sin(np.outer(np.arange(1000), frequencies(8)))
    apart = np.linalg.norm(every[:, None] - every, axis=2) + 9 * np.eye(1000)
    return decided(
        nearest == 0.0,
        f"Never identical, because π is irrational, but near enough: the sines of 11 and 344 "
        f"differ by {gap:.1e}, and to six decimals the sines of {', '.join(map(str, twins))} "
        f"print the same. That is for one frequency. By the sines of all four pairs, no two of the "
        f"first 1000 positions are less than {apart.min():.3f} apart.",
        kindly=len(twins) > 1,
    )


def sine_and_cosine_together() -> Finding:
    """S3-55: the angle with sine 0.5 and cosine 0.866."""
    angle = math.degrees(math.atan2(0.5, 0.866))
    alone = [a for a, turn in DEGREES.items() if round(math.cos(turn), 3) == 0.866]
    both = [a for a in alone if round(math.sin(DEGREES[a]), 3) == 0.5]
    return decided(
        both == [30] and round(angle) == 30,
        f"The whole degrees with cosine 0.866 are {alone}, with sine 0.5 as well {both}; the "
        f"angle of the pair is {angle:.2f} degrees.",
    )


def a_quarter_turn_apart() -> Finding:
    """S3-56: cos a = sin(a + 90°) around the circle."""
    a = np.linspace(0, 2 * np.pi, 1000)
    gap = _gap(np.cos(a), np.sin(a + np.pi / 2))
    mean = float((np.sin(a[:-1]) * np.cos(a[:-1])).mean())
    return decided(
        gap < TINY and abs(mean) < TINY,
        f"The cosine is the sine a quarter turn further on, all around ({_within(gap)}); the mean "
        f"of their product over a turn is 0 ({_within(abs(mean))}).",
    )


def around_a_circle() -> Finding:
    """S3-57: the distance of the pair from the origin, and its turn from step to step."""
    pair = encode(range(1000), 8)[:, 2:4]
    radius = _gap(np.hypot(*pair.T), 1)
    turns = np.diff(np.unwrap(np.arctan2(pair[:, 0], pair[:, 1])))
    off = max(radius, _gap(turns, 0.1))
    return decided(
        off < TINY,
        f"For 1000 positions the pair of frequency 0.1 stays at distance 1 from the origin and "
        f"turns by 0.1 radian a step, {_within(off)}.",
    )


def points_of_one_turn() -> Finding:
    """S3-58: pair 1 in its first turn, positions 0 to 62, and just after it."""
    pair = encode(range(64), 8)[:, 2:4]
    distance = np.linalg.norm(pair[:, None] - pair, axis=2) + 9 * np.eye(64)
    first = distance[:63, :63].min()
    back = distance[63, 0]
    return decided(
        bool(first > 0.01 and back < ALMOST),
        f"In the first turn of pair 1, positions 0 to 62, the nearest two points are {first:.3f} "
        f"apart; at 63 it comes within {back:.3f} of where it began (and, as π is irrational, "
        f"never exactly there).",
    )
