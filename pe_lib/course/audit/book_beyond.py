"""The checks for the second half of the book chapter: claims S3-60 to S3-118.

Numbers come from the formula, written out with `math` where the page works an entry by hand, and
from `pe_lib` where its own tests vouch for it.
"""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib.course.attention import attention
from pe_lib.course.audit.finding import Finding, decided, on_record
from pe_lib.course.audit.readings import printed, readings
from pe_lib.course.model import Transformer, accuracy, tasks, train
from pe_lib.course.model.schemes import Learned, Relative
from pe_lib.course.model.tasks import Task
from pe_lib.relative import kernel, rotation
from pe_lib.sinusoidal import encode, frequencies, wavelengths

Floats = NDArray[np.float64]
Integers = NDArray[np.integer[Any]]


def _size(gap: float) -> str:
    """A difference in words; what is only rounding is not shown digit by digit."""
    return "less than 1e-12" if gap < 1e-12 else f"{gap:.2f}"


# Why the encoding works: 11.3.4


def entries_are_bounded() -> Finding:
    """S3-60: all values between -1 and 1. They are sines and cosines; here at far positions."""
    positions = np.array([0, 1, 5, 10_000, 1_000_000, 10**9])
    largest = max(float(np.abs(encode(positions, d)).max()) for d in (8, 512))
    return decided(
        largest <= 1,
        f"Every entry is a sine or a cosine. At positions up to 1,000,000,000 the largest is "
        f"{largest:.4f} in size.",
    )


def _first_step(encoding: Floats) -> tuple[float, float, float]:
    """An attention layer: largest weight of the last row, gradient norms of values and queries.

    The loss is half the mean square of the outputs.
    """
    rng = np.random.default_rng(61)
    n, d = encoding.shape
    x = rng.standard_normal((n, d)) + encoding
    w_q, w_k, w_v = rng.standard_normal((3, d, d)) / math.sqrt(d)
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.T / math.sqrt(d)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    d_out = weights @ v / v.size  # of mean(out²) / 2
    d_values = x.T @ (weights.T @ d_out)
    d_weights = d_out @ v.T
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=1, keepdims=True))
    d_queries = x.T @ (d_scores @ k) / math.sqrt(d)
    return (
        float(weights[-1].max()),
        float(np.linalg.norm(d_values)),
        float(np.linalg.norm(d_queries)),
    )


def raw_indices_saturate() -> Finding:
    """S3-61: with t in every entry, gradients explode and attention saturates."""
    t = np.arange(9_937, 10_001)
    raw, values, queries = _first_step(np.repeat(t[:, None].astype(float), 16, axis=1))
    wave, small, _ = _first_step(np.asarray(encode(t, 16), np.float64))
    return decided(
        raw > 0.999 and values > 1e4 * small,
        f"Around position 10,000, in a layer with random weights, the largest weight of a row is "
        f"{raw:.3f} with t in every entry and {wave:.3f} with the encoding. The gradient of the "
        f"value matrix is larger by a factor above 10,000; that of the query matrix is "
        f"{queries:.0f}, because a saturated softmax lets nothing through.",
    )


def dimension_7_is_nearly_1() -> Finding:
    """S3-62: the slowest cosine stays close to 1.000 everywhere. It comes down to -1."""
    cosine = np.cos(0.001 * np.arange(6_284))  # one turn
    low = int(cosine.argmin())
    return decided(
        bool(cosine.min() > 0.99),
        f"cos(t / 1000) prints as 1.000 up to position {int((cosine < 0.9995).argmax()) - 1} and "
        f"is {cosine[63]:.3f} at 63, but {cosine[512]:.2f} at 512, {cosine[2048]:.2f} at 2,048 and "
        f"{cosine[low]:.2f} at {low:,}.",
        kindly=bool(cosine[:64].min() > 0.99),  # the rows of the page's heatmap
    )


def eight_dimensions_are_unique() -> Finding:
    """S3-63: the eight dimensions identify a position. s and t with the same first pair differ by
    2πn, which is no integer but 0; numerically, the nearest two of 10,000 positions."""
    offsets = np.arange(1, 10_000)
    chords = 2 * np.sin(np.multiply.outer(offsets, [1, 0.1, 0.01, 0.001]) / 2)
    distance = np.sqrt((chords**2).sum(axis=1))
    nearest, offset = float(distance.min()), int(distance.argmin()) + 1
    return decided(
        nearest > 0.01,
        f"Two positions with the same first pair would differ by a multiple of 2π, which is no "
        f"integer. Among 10,000 positions the nearest two vectors are {nearest:.3f} apart (at "
        f"offset {offset:,}).",
    )


def neighbours_differ_in_the_fast_pair() -> Finding:
    """S3-64: from 5 to 6, dimensions 0-1 change most, and 4-7 hardly."""
    step = np.abs(_by_hand(6) - _by_hand(5))
    share = float((step[:2] ** 2).sum() / (step**2).sum())
    return decided(
        share > 0.9 and float(step[4:].max()) <= 0.01,
        f"Dimensions 0 and 1 make up {share:.1%} of the squared distance. In dimensions 4 to 7 no "
        f"entry changes by more than {step[4:].max():.3f}.",
    )


def random_rows_know_no_neighbours() -> Finding:
    """S3-65: with random vectors, 5 and 6 may be as far apart as any two positions."""
    tables = np.random.default_rng(65).standard_normal((400, 64, 64))
    near, far = (np.linalg.norm(tables[:, 5] - tables[:, t], axis=1) for t in (6, 60))
    ratio = float(near.mean() / far.mean())
    wave = encode([5, 6, 60], 64)
    ordered = float(np.linalg.norm(wave[0] - wave[1]) / np.linalg.norm(wave[0] - wave[2]))
    return decided(
        abs(ratio - 1) < 0.05 and ordered < 0.5,
        f"In 400 random tables, 6 is {ratio:.2f} times as far from 5 as 60 is: neighbours are as "
        f"far apart as any two rows. With the encoding it is {ordered:.2f} times.",
    )


def shift_is_a_rotation() -> Finding:
    """S3-66: t + k from t by rotation matrices: sin(a + b) and cos(a + b), pair by pair."""
    worst = 0.0
    for k in (1, 3, 100):
        matrix = np.zeros((8, 8))
        for i in range(4):
            s, c = math.sin(k * 10.0**-i), math.cos(k * 10.0**-i)
            matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
        gaps = [np.abs(matrix @ _by_hand(t) - _by_hand(t + k)).max() for t in (0, 7, 5000)]
        lengths = np.abs(matrix.T @ matrix - np.eye(8)).max()
        worst = max(worst, float(lengths), *map(float, gaps))
    return decided(
        worst < 1e-9,
        "One matrix of 2 by 2 rotations for each offset 1, 3 and 100 moves positions 0, 7 and "
        "5,000 alike, with errors below 1e-9.",
    )


def one_transformation_for_three_back() -> Finding:
    """S3-67: it can learn one transformation that works everywhere. One exists; is it found?"""
    table = encode(range(512), 64)
    looks_at = (table @ rotation(-3, 64).T @ table.T).argmax(axis=1)
    picked = int((looks_at[3:] == np.arange(509)).sum())
    exists = picked == 509
    seen, beyond = np.arange(3, 203), np.arange(203, 1203)
    matrix = np.linalg.lstsq(encode(seen, 64), encode(seen - 3, 64), rcond=None)[0]
    inside, outside = (
        float(np.abs(encode(t, 64) @ matrix - encode(t - 3, 64)).max()) for t in (seen, beyond)
    )
    return decided(
        exists and inside < 1e-6 and outside < 0.01,
        f"For d = 64 one matrix picks the position three back in {picked} of {len(table) - 3} "
        "rows. Least squares on 200 positions finds a matrix with an error "
        f"{'below' if inside < 1e-6 else 'above'} 1e-6 there, and "
        f"{'above' if outside > 0.1 else 'below'} 0.1 on the next 1,000.",
        kindly=exists,
    )


# Why these frequencies: 11.3.5


def fastest_wavelength() -> Finding:
    """S3-68: the fastest wavelength is about 6."""
    fastest = 2 * math.pi * 10_000 ** (0 / 512)
    return decided(printed("6", fastest) == "rounded", f"It is 2π = {fastest:.3f} positions.")


def slowest_wavelength() -> Finding:
    """S3-69: the slowest wavelength is about 62,800; by the formula it is one step less."""
    formula, sentence = (2 * math.pi * 10_000**exponent for exponent in (510 / 512, 1))
    return decided(
        abs(formula - 62_800) < 50,
        f"The last pair of 512 dimensions has the exponent 510/512, and the wavelength "
        f"{formula:,.1f}. 62,800 is {sentence:,.0f} = 2π · 10,000, rounded; that is where the "
        f"original paper says that the wavelengths end.",
        kindly=abs(sentence - 62_800) < 50,
    )


def wavelengths_cover_typical_lengths() -> Finding:
    """S3-70: the range covers 512 to 2048 tokens."""
    fastest, slowest = wavelengths(512)[[0, -1]]
    return decided(
        bool(fastest < 512 and slowest > 2048),
        f"From {fastest:.2f} to {slowest:,.0f} positions, so there are wavelengths below 512 and "
        f"above 2,048.",
    )


def slowest_pair_barely_varies() -> Finding:
    """S3-71: the slowest pair barely varies over a sequence. Its cosine; its sine is a ramp."""
    sine, cosine = encode(range(2048), 512)[:, -2:].T
    ramp = bool((np.diff(sine) > 0).all())
    how = "rising at every step" if ramp else "up and down"
    return decided(
        bool(np.ptp(sine) < 0.1 and np.ptp(cosine) < 0.1),
        f"Over 2,048 positions the last cosine goes from 1 to {cosine.min():.3f} and the last sine "
        f"from 0 to {sine.max():.3f}, {how}. Over 512 the sine gets to {sine[511]:.3f}.",
        kindly=bool(np.ptp(cosine) < 0.1),
    )


def slowest_wavelength_of_base_100() -> Finding:
    """S3-72: with base 100 the slowest wavelength is about 628."""
    formula, sentence = (2 * math.pi * 100**exponent for exponent in (510 / 512, 1))
    return decided(
        printed("628", formula) != "",
        f"For 512 dimensions it is {formula:.1f}; 628 is 2π · 100 = {sentence:.1f}, one step "
        f"further than the pairs go.",
        kindly=printed("628", sentence) != "",
    )


def cycles_of_base_100() -> Finding:
    """S3-73: over 2048 positions even the slowest pair of base 100 makes 3 full cycles."""
    turns = 2048 / (2 * math.pi * 100 ** (510 / 512))
    return decided(
        math.floor(turns) == 3, f"It makes {turns:.2f} turns (and {2048 / 628:.2f} with 628)."
    )


def base_100000_barely_moves() -> Finding:
    """S3-74: with base 100,000 the slowest pair barely moves over 10,000 tokens; measured by the
    page's own yardstick, base 10,000 over 2,048 tokens."""
    moved = math.degrees(10_000 / 100_000 ** (510 / 512))
    yardstick = math.degrees(2_048 / 10_000 ** (510 / 512))
    return decided(
        moved < yardstick,
        f"Its hand turns by {moved:.1f} degrees. With base 10,000, over 2,048 tokens, it is "
        f"{yardstick:.1f} degrees.",
    )


def _reading_error(length: int, d_model: int, base: float, noise: float = 0.1) -> float:
    """How far off the best linear reading of the position is under noise, in positions (chapter 3).

    Over 512 positions, evenly spaced in the length.
    """
    t = np.linspace(0, length - 1, 512)
    x = encode(t, d_model, base)
    x, t = x - x.mean(axis=0), t - t.mean()
    gram = x.T @ x / len(t) + noise**2 * np.eye(d_model)
    v = np.linalg.solve(gram, x.T @ t / len(t))
    return math.sqrt(float(np.mean((x @ v - t) ** 2) + noise**2 * v @ v))


def base_100000_wastes() -> Finding:
    """S3-75: base 100,000 wastes capacity. What it costs at 10,000 tokens, three ways; a waste
    would be a reading worse by a quarter, or more idle hands than the page thinks fit."""
    idle = [
        int((wavelengths(512, base) > length).sum())
        for base, length in ((1e5, 10_000), (1e4, 2_048))
    ]
    error = {base: _reading_error(10_000, 64, base) for base in (1e3, 3e3, 1e4, 3e4, 1e5)}
    loss = error[1e5] / min(error.values()) - 1
    near, usual = (float(np.linalg.norm(encode(1, 512, b) - encode(0, 512, b))) for b in (1e5, 1e4))
    return decided(
        loss > 0.25 or idle[0] > idle[1],
        f"At 10,000 tokens {idle[0]} of 256 hands never come round; with base 10,000 at 2,048 "
        f"tokens it is {idle[1]}. A linear reading of the position (d = 64) is {loss:.0%} worse "
        f"than with the best of five bases, and neighbours are {1 - near / usual:.0%} closer "
        f"together than with base 10,000.",
        kindly=loss > 0 and near < usual,
    )


def base_10000_is_a_compromise() -> Finding:
    """S3-76: 10,000 is a practical compromise for several thousand tokens."""
    longest = math.floor(wavelengths(512)[-1] / 4)
    worse = []
    for length in (2_048, 4_096, 8_192):
        error = {base: _reading_error(length, 64, base) for base in (300, 1e3, 3e3, 1e4, 3e4, 1e5)}
        worse.append(error[1e4] / min(error.values()) - 1)
    return decided(
        longest > 8_192 and max(worse) < 0.1,
        f"The slowest wavelength is at least four texts long up to {longest:,.0f} tokens, and at "
        f"2,048, 4,096 and 8,192 a linear reading of the position (d = 64) is at most "
        f"{max(worse):.0%} worse than with the best of six bases. Others near it do as well.",
    )


# Step by step: 11.3.6


def _by_hand(t: float) -> Floats:
    """The encoding of t for d = 8, written out."""
    return np.array([f(t * 10.0**-i) for i in range(4) for f in (math.sin, math.cos)])


def _entry(text: str, dim: int, angle: str) -> Finding:
    """An entry of position 5 as printed: the angle of the page, and the value."""
    right_angle = math.isclose(float(angle), 5 / 10_000 ** ((dim - dim % 2) / 8))
    value = (math.sin, math.cos)[dim % 2](float(angle))
    kinds = readings(text, 5, dim, 8)
    return decided(
        right_angle and printed(text, value) == "rounded" and kinds == ["as it stands"],
        f"{('sin', 'cos')[dim % 2]} {angle} = {value:.6f}, which rounds to the printed {text}.",
        kindly=bool(kinds),
    )


def four_bands() -> Finding:
    """S3-77: d = 8 has four frequency bands."""
    bands = {10_000 ** (-2 * (dim // 2) / 8) for dim in range(8)}
    return decided(len(bands) == 4, f"Eight dimensions share {len(bands)} frequencies: d/2.")


def dimension_0_of_position_5() -> Finding:
    """S3-78: sin(5) is -0.96."""
    return _entry("-0.96", 0, "5")


def dimension_1_of_position_5() -> Finding:
    """S3-79: cos(5) is 0.28."""
    return _entry("0.28", 1, "5")


def dimension_2_of_position_5() -> Finding:
    """S3-80: sin(0.5) is 0.48."""
    return _entry("0.48", 2, "0.5")


def dimension_3_of_position_5() -> Finding:
    """S3-81: cos(0.5) is 0.88."""
    return _entry("0.88", 3, "0.5")


def dimension_4_of_position_5() -> Finding:
    """S3-82: sin(0.05) is 0.05."""
    return _entry("0.05", 4, "0.05")


def dimension_5_of_position_5() -> Finding:
    """S3-83: cos(0.05) is 0.999."""
    return _entry("0.999", 5, "0.05")


def dimension_6_of_position_5() -> Finding:
    """S3-84: sin(0.005) is 0.005."""
    return _entry("0.005", 6, "0.005")


def dimension_7_of_position_5() -> Finding:
    """S3-85: cos(0.005) is 1.000."""
    return _entry("1.000", 7, "0.005")


def _moved(pair: int) -> tuple[float, str]:
    """How far a pair of position 5 is from where it started, (0, 1), of at most 2; in words."""
    s, c = math.sin(5 * 10.0**-pair), math.cos(5 * 10.0**-pair)
    distance = math.hypot(s, c - 1)
    return distance, (
        f"Pair {pair} of position 5 is ({s:.3f}, {c:.3f}), {distance:.3f} from (0, 1); the largest "
        f"possible distance is 2."
    )


def fast_pair_is_far_from_its_start() -> Finding:
    """S3-86: dimensions 0-1 are far from (0, 1)."""
    distance, words = _moved(0)
    return decided(distance > 1, words)


def medium_pair_changed_moderately() -> Finding:
    """S3-87: dimensions 2-3 have changed moderately."""
    distance, words = _moved(1)
    return decided(0.1 < distance < 1, words)


def low_pair_barely_changed() -> Finding:
    """S3-88: dimensions 4-5 have barely changed."""
    distance, words = _moved(2)
    return decided(distance < 0.1, words)


def slowest_pair_is_almost_as_at_0() -> Finding:
    """S3-89: dimensions 6-7 are almost as at position 0."""
    distance, words = _moved(3)
    return decided(distance < 0.01, words)


def _compared(dim: int, five: str, six: str, difference: str) -> Finding:
    """A row of the table of positions 5 and 6: both entries, and how far apart they are."""
    a, b = float(_by_hand(5)[dim]), float(_by_hand(6)[dim])
    gap = abs(a - b)
    entries = printed(five, a) == printed(six, b) == "rounded"
    of_printed = abs(Decimal(five) - Decimal(six)) == Decimal(difference)
    return decided(
        entries and printed(difference, gap) == "rounded",
        f"The entries are {a:.4f} and {b:.4f}, the difference is {gap:.4f}, that is {gap:.2f}.",
        kindly=entries and (of_printed or printed(difference, gap) == "cut"),
    )


def difference_in_dimension_0() -> Finding:
    """S3-90: -0.96, -0.28 and 0.68."""
    return _compared(0, "-0.96", "-0.28", "0.68")


def difference_in_dimension_1() -> Finding:
    """S3-91: 0.28, 0.96 and 0.68."""
    return _compared(1, "0.28", "0.96", "0.68")


def difference_in_dimension_2() -> Finding:
    """S3-92: 0.48, 0.56 and 0.08. The difference of the rounded entries, not the rounded one."""
    return _compared(2, "0.48", "0.56", "0.08")


def difference_in_dimension_3() -> Finding:
    """S3-93: 0.88, 0.83 and 0.05."""
    return _compared(3, "0.88", "0.83", "0.05")


def differences_in_the_slow_pairs() -> Finding:
    """S3-94: dimensions 4-7 are about the same."""
    step = np.abs(_by_hand(6) - _by_hand(5))[4:]
    changes = ", ".join(f"{change:.4f}" for change in step)
    return decided(float(step.max()) <= 0.01, f"The four entries change by {changes}.")


# Learned embeddings: 11.4


def modern_models_learn_positions() -> Finding:
    """S3-95: modern Transformers often use learned embeddings."""
    return on_record(
        "imprecise",
        "Sinha et al. (2022), introduction; Touvron et al. (2023), section 2.2",
        "RoBERTa, GPT-3 and OPT learn a vector for each absolute position. LLaMA has none, and "
        "rotary encodings in each layer instead; Llama 3 kept those.",
    )


def table_ends_at_l_max() -> Finding:
    """S3-96: a table of L_max rows, for at most L_max positions."""
    model = Transformer(4, 4, "learned", d_model=8, max_length=6)
    rows = model.parameters["positions"].shape
    taken = [length for length in range(1, 10) if not _refused(model, length)]
    return decided(
        rows == (6, 8) and taken[-1] == 6,
        f"A table for 6 positions of width 8 has the shape {rows}. Of all lengths up to 9, the "
        f"model takes those up to {taken[-1]}.",
    )


def _refused(model: Transformer, length: int) -> bool:
    try:
        model([[0] * length])
    except ValueError:
        return True
    return False


def learned_is_as_good() -> Finding:
    """S3-97: a learned table is often as good as sinusoids or better."""
    return on_record(
        "right",
        "Vaswani et al. (2017), section 3.5; Wang et al. (ICLR 2021), abstract",
        "in translation the two gave nearly identical results (Table 3, row E); in BERT, fully "
        "learned absolute positions did better in classification, relative ones in finding spans.",
    )


def _rows_with_gradient(rows: int, length: int) -> Integers:
    model = Transformer(8, 8, "learned", d_model=8, max_length=rows)
    task = tasks.previous()
    gradients = model.loss_and_gradients(*task(np.random.default_rng(98), 1, length))[1]
    return np.flatnonzero(gradients["positions"].any(axis=1))


def rows_of_a_table_of_512() -> Finding:
    """S3-98: trained with L_max = 512, rows 0 to 511 are learned."""
    found = _rows_with_gradient(512, 512)
    return decided(
        found.tolist() == list(range(512)),
        f"Of a table of 512 rows, {len(found)} get a gradient from a sequence of 512 tokens: "
        f"{found[0]} to {found[-1]}.",
    )


def positions_beyond_512() -> Finding:
    """S3-99: of 1000 positions, 512 to 999 have no learned encoding."""
    missing = sorted(set(range(1000)) - set(range(512)))
    refused = _refused(Transformer(4, 4, "learned", d_model=8, max_length=512), 1000)
    kept = _rows_with_gradient(1000, 512)  # a longer table: the other rows are never trained
    return decided(
        refused and (missing[0], missing[-1]) == (512, 999) and int(kept[-1]) == 511,
        f"{len(missing)} positions, {missing[0]} to {missing[-1]}, have no row, and the model "
        f"{'refuses' if refused else 'takes'} 1000 tokens. In a longer table, the rows after "
        f"{kept[-1]} would exist and get no gradient.",
    )


def sinusoids_generalise() -> Finding:
    """S3-100: sinusoids generalise naturally to any length. The formula does; does a model?"""
    far = encode([10**6, 10**6 + 1], 8)
    step = np.ptp(far, axis=0).max()
    defined = bool(np.isfinite(far).all() and step > 0.1)
    task = tasks.previous(4)
    model = Transformer(4, 4, "sinusoidal", d_model=16)
    train(model, task, steps=300, batch=16, length=6, rate=5e-3, progress=False)
    inside, beyond = (accuracy(model, task, length) for length in (6, 18))
    return decided(
        defined and beyond > 0.95,
        f"The vector of position 1,000,000 exists, and an entry of the next is {step:.2f} away. A "
        "small "
        f"model that learned at length 6 to name the word before is right in "
        f"{'more' if inside > 0.95 else 'less'} than 95% at length 6, and in "
        f"{'less' if beyond < 0.75 else 'more'} than 75% at length 18.",
        kindly=defined and inside > 0.95,
    )


def rotary_has_nothing_learned() -> Finding:
    """S3-101: rotary embeddings combine learned and functional forms. Count what is learned."""
    size = {
        scheme: sum(p.size for p in Transformer(8, 8, scheme).parameters.values())
        for scheme in ("none", "sinusoidal", "rotary", "learned")
    }
    extra = {scheme: count - size["none"] for scheme, count in size.items()}
    # kindly: a fixed turn of learned queries and keys; but then sinusoids, a fixed vector
    # that is added to learned embeddings, would be just as much of a combination
    sets_it_apart = extra["rotary"] > extra["sinusoidal"]
    return decided(
        extra["rotary"] > 0,
        f"Learned numbers for positions: rotary {extra['rotary']}, sinusoidal "
        f"{extra['sinusoidal']}, a learned table {extra['learned']:,}. Rotary angles are fixed, "
        f"with the same frequencies as the sinusoids.",
        kindly=sets_it_apart,
    )


def relative_ones_know_the_distance() -> Finding:
    """S3-102: relative encodings encode the distance instead of the absolute position."""
    rng = np.random.default_rng(102)
    scheme = Relative(8, 2, 10)
    bias = np.asarray(scheme.bias({"offsets": rng.standard_normal((2, 19))}, 10))
    moved = float(np.abs(bias[:, 1:, 1:] - bias[:, :-1, :-1]).max())
    table = np.asarray(Learned(8, 2, 10).parameters(rng)["positions"])
    scores = table @ table.T
    absolute = float(np.abs(scores[1:, 1:] - scores[:-1, :-1]).max())
    return decided(
        moved == 0 and absolute > 0.1,
        f"A learned bias for each offset changes by {moved:.0f} if both words move by one. The "
        f"dot products of a table of absolute positions change by up to {absolute:.1f}.",
    )


# Without positions: 11.5


def _none(**options: Any) -> Transformer:
    return Transformer(8, 8, "none", dtype=np.float64, **options)


def _apart(model: Transformer, one: list[int], other: list[int]) -> float:
    return float(np.abs(model([one]) - model([other])).max())


def bag_of_words() -> Finding:
    """S3-103: without positions the two sentences are treated identically. Not under a mask."""
    dog_bites_man, man_bites_dog = [0, 1, 2], [2, 1, 0]
    plain = _apart(_none(pooled=True, layers=2), dog_bites_man, man_bites_dog)
    causal = _apart(_none(pooled=True, layers=2, causal=True), dog_bites_man, man_bites_dog)
    return decided(
        max(plain, causal) < 1e-12,
        f"Two layers with random weights, pooled: without a mask the outputs for the two sentences "
        f"differ by {_size(plain)}, with a causal mask, and no positions, by {_size(causal)}.",
        kindly=plain < 1e-12,
    )


def word_before_and_word_after() -> Finding:
    """S3-104: it cannot tell the word before from the word after. A causal mask tells."""
    middle = {
        causal: float(np.abs(model([[3, 4, 5]])[0, 1] - model([[5, 4, 3]])[0, 1]).max())
        for causal, model in ((c, _none(causal=c)) for c in (False, True))
    }
    return decided(
        max(middle.values()) < 1e-12,
        f"Let the words before and after change places. Without a mask the output between them "
        f"changes by {_size(middle[False])}; with a causal mask, which hides the word after, by "
        f"{_size(middle[True])}.",
        kindly=middle[False] < 1e-12,
    )


def _same_bag(one: str, other: str) -> bool:
    return Counter(one.lower().split()) == Counter(other.lower().split())


def not_good_and_good() -> Finding:
    """S3-105: order matters, as in "not good" and "good". Those are different words."""
    example = _same_bag("not good", "good")
    better = _same_bag("good , not bad", "bad , not good")
    return decided(
        example,
        f"'Not good' and 'good' are {'one bag' if example else 'different bags'} of words: one has "
        f"the word not. 'Good, not bad' and 'bad, not good' are "
        f"{'one bag' if better else 'different bags'}.",
        kindly=better,  # the claim itself: there are pairs that only the order tells apart
    )


def bags_classify_reviews() -> Finding:
    """S3-106: a bag of words classifies reviews reasonably well."""
    return on_record(
        "right",
        "Pang, Lee and Vaithyanathan (EMNLP 2002); Iyyer et al. (ACL 2015), abstract",
        "classifiers that only see which words occur are right in about 80% of movie reviews, "
        "where guessing is 50%; a network that averages the words competes with models of syntax.",
    )


def le_chat_noir() -> Finding:
    """S3-107: le chat noir and le noir chat differ in meaning and grammar. By the page's glosses
    they mean the same."""
    glosses = {
        "le chat noir": "the black cat",
        "le noir chat": "the black cat, ungrammatical",
    }
    one, other = (gloss.split(",")[0] for gloss in glosses.values())
    grammar = "ungrammatical" in glosses["le noir chat"] and _same_bag(*glosses)
    return decided(
        one != other and grammar,
        f"The page translates the one as '{one}' and the other as '{other}', and calls only the "
        f"second ungrammatical. They are {'the same' if _same_bag(*glosses) else 'other'} words.",
        kindly=grammar,
    )


def two_questions_about_alice() -> Finding:
    """S3-108: who did Alice meet, who met Alice: one asks for the object, one for the subject."""
    met = {("Alice", "Bob"), ("Carol", "Alice")}  # the first met the second, at the station, say
    whom = {second for first, second in met if first == "Alice"}
    who = {first for first, second in met if second == "Alice"}
    return decided(
        whom != who,
        f"If Alice met Bob and Carol met Alice, say at the station, the answers are {whom.pop()} "
        f"and {who.pop()}. (Where meeting is mutual they coincide; bite would be a clearer verb.)",
    )


def blind_to_the_questions() -> Finding:
    """S3-109: without positions the questions cannot be told apart. They are different words."""
    words = ["who", "did", "alice", "meet", "met", "le", "chat", "noir"]
    model = _none(pooled=True)
    gap = {
        pair: _apart(model, *([words.index(word) for word in text.split()] for text in pair))
        for pair in (
            ("who did alice meet", "who met alice"),
            ("who did alice meet", "who meet alice"),  # kindly: met read as a form of meet
            ("le chat noir", "le noir chat"),
        )
    }
    questions, lemmas, french = gap.values()
    return decided(
        max(questions, french) < 1e-12,
        f"Without mask and positions the outputs for the two questions differ by "
        f"{_size(questions)}, and by {_size(lemmas)} if met and meet are one word, because only "
        f"one of them has did. For the French pair they differ by {_size(french)}.",
        kindly=lemmas < 1e-12,
    )


def performance_collapses() -> Finding:
    """S3-110: on a task of order, a model without positions collapses.

    Without a mask: if dog and man change places, the right answer changes and the output does not,
    so that no weights are right in more than half of such pairs. With a causal mask it can learn.
    """
    task = tasks.order()
    tokens = task(np.random.default_rng(110), 64, 8)[0]
    swapped = np.select([tokens == 0, tokens == 1], [1, 0], tokens)
    blind = Transformer(task.vocabulary, 2, "none", pooled=True, layers=2, dtype=np.float64)
    twins = float(np.abs(blind(tokens) - blind(swapped)).max())
    causal = Transformer(task.vocabulary, 2, "none", d_model=16, pooled=True, causal=True)
    train(causal, task, steps=100, batch=16, length=6, rate=5e-3, progress=False)
    right = accuracy(causal, task, 6)
    return decided(
        twins < 1e-12 and right < 0.6,
        f"Who bites whom: without a mask the outputs for the two orders differ by {_size(twins)}, "
        f"so that one half right is the limit. With a causal mask, and no positions, a small model "
        f"learns to be right in {'more' if right > 0.95 else 'less'} than 95%. Irie et al. (2019) "
        f"and Haviv et al. (2022) report causal language models that do without.",
        kindly=twins < 1e-12,
    )


def _linear_accuracy(task: Task, ordered: bool) -> float:
    """A least-squares classifier fitted on 200 sequences, of words by position or only counted."""
    rng = np.random.default_rng(111)

    def draw(count: int) -> tuple[Floats, Floats]:
        tokens, answers = task(rng, count, 16)
        hot = np.eye(task.vocabulary)[tokens]
        seen = hot.reshape(count, -1) if ordered else hot.sum(axis=1)
        signs = np.where(answers == 1, 1.0, -1.0)
        return np.column_stack([seen, np.ones(count)]), signs

    (x, y), (fresh, truth) = draw(200), draw(2000)
    weights = np.linalg.solve(x.T @ x + np.eye(x.shape[1]), x.T @ y)
    return float((np.sign(fresh @ weights) == truth).mean())


def blindness_is_a_bug() -> Finding:
    """S3-111: permutation-invariance is a bug for sequential data. For some of its tasks."""
    counting, order = (
        [_linear_accuracy(task, ordered) for ordered in (False, True)]
        for task in (tasks.counting(), tasks.order())
    )
    return decided(
        counting[1] >= counting[0] and order[1] > order[0],
        f"From 200 examples, a linear model that ignores the order says whether praise prevails in "
        f"{counting[0]:.0%} of fresh reviews; one that sees it, in {counting[1]:.0%}. On who bites "
        f"whom it is {order[0]:.0%} against {order[1]:.0%}. It depends on the task. (And bare "
        f"attention is equivariant; only its pooled output is invariant.)",
        kindly=order[1] > order[0],
    )


def order_in_recurrence_and_convolution() -> Finding:
    """S3-112: in a recurrent or convolutional network positions are implicit: a shuffle shows."""
    rng = np.random.default_rng(112)
    x, order = rng.standard_normal((7, 8)), np.array([6, 3, 2, 0, 5, 1, 4])
    w, u, v = rng.standard_normal((3, 8, 8)) / 3

    def recurrent(rows: Floats) -> Floats:
        state, states = np.zeros(8), []
        for row in rows:
            state = np.tanh(row @ w + state @ u)
            states.append(state)
        return np.array(states)

    def convolution(rows: Floats) -> Floats:
        before, after = np.zeros_like(rows), np.zeros_like(rows)
        before[1:], after[:-1] = rows[:-1], rows[1:]
        result: Floats = before @ w + rows @ u + after @ v
        return result

    def attends(rows: Floats) -> Floats:
        return attention(rows @ w, rows @ u, rows @ v)

    noticed = [
        float(np.abs(f(x[order]) - f(x)[order]).max()) for f in (recurrent, convolution, attends)
    ]
    return decided(
        min(noticed[:2]) > 0.1 and noticed[2] < 1e-12,
        f"Shuffle the words: the output of a word changes by up to {_size(noticed[0])} in a "
        f"recurrent network, {_size(noticed[1])} in a convolution of width 3, and "
        f"{_size(noticed[2])} in attention. (A convolution sees the order within its width.)",
    )


# In sum


def sums_are_unique() -> Finding:
    """S3-113: embedding plus encoding is unique. The same word at two positions always differs;
    two words could collide only if their difference were that of two encodings."""
    words = np.random.default_rng(113).standard_normal((40, 64))
    sums = (words[:, None] + encode(range(50), 64)).reshape(-1, 64)
    squares = (sums**2).sum(axis=1)
    apart = squares[:, None] + squares - 2 * sums @ sums.T
    np.fill_diagonal(apart, np.inf)
    nearest = math.sqrt(apart.min())
    step = float(np.linalg.norm(encode(1, 64) - encode(0, 64)))
    return decided(
        nearest > step / 2,
        f"Of 40 random words at 50 positions each, the nearest two of 2,000 sums are {nearest:.2f} "
        f"apart; a step to the next position is {step:.2f} long.",
    )


def pairs_have_timescales() -> Finding:
    """S3-114: each pair has its own timescale."""
    scales = wavelengths(8)
    ratio = scales[1:] / scales[:-1]
    return decided(
        bool((ratio > 1).all()),
        f"For d = 8 the pairs come round after {', '.join(f'{s:,.1f}' for s in scales)} positions.",
    )


def adding_keeps_the_width() -> Finding:
    """S3-115: adding keeps the dimension."""
    words, places = np.ones((10, 512)), encode(range(10), 512)
    added, joined = words + places, np.hstack([words, places])
    sizes = [rows.shape[1] * 512 for rows in (added, joined)]
    return decided(
        added.shape == words.shape != joined.shape,
        f"Added: {added.shape[1]} numbers a word. Joined: {joined.shape[1]}, and each matrix that "
        f"reads them would have {sizes[1]:,} weights instead of {sizes[0]:,}.",
    )


def scales_share_the_work() -> Finding:
    """S3-116: fast dimensions tell neighbours apart, slow ones distant regions."""
    w = frequencies(512)
    slow = wavelengths(512) > 2048
    share = {}
    for offset in (1, 1000):
        squared = (2 * np.sin(w * offset / 2)) ** 2
        share[offset] = float(squared[slow].sum() / squared.sum())
    turned = [min(k % math.tau, math.tau - k % math.tau) for k in (1, 45)]  # 6 and 50, from 5
    return decided(
        share[1] < 0.001 and share[1000] > 0.1 and math.isclose(*turned, abs_tol=0.05),
        f"For d = 512 the pairs slower than 2,048 positions make up {share[1]:.3%} of the squared "
        f"distance of neighbours and {share[1000]:.0%} at 1,000 positions. The fastest hand is "
        f"{math.degrees(turned[0]):.0f} degrees from where it was one position on, and "
        f"{math.degrees(turned[1]):.0f} degrees 45 positions on.",
    )


def tables_start_random_and_learn() -> Finding:
    """S3-117: learned encodings start random and are updated by backpropagation."""
    task = tasks.previous()
    models = [Transformer(8, 8, "learned", max_length=8, seed=seed) for seed in (0, 1)]
    start = [model.parameters["positions"].copy() for model in models]
    train(models[0], task, steps=5, batch=8, length=8, progress=False)
    moved = (models[0].parameters["positions"] != start[0]).any(axis=1)
    return decided(
        not np.array_equal(start[0], start[1]) and bool(moved.all()),
        f"Two seeds start with different tables; five steps of training moved {moved.sum()} of "
        f"{len(moved)} rows.",
    )


def even_sines_odd_cosines() -> Finding:
    """S3-118: sines in even dimensions, cosines in odd ones, at a shared frequency."""
    table = encode(range(200), 16)
    ones = float(np.abs(table[:, 0::2] ** 2 + table[:, 1::2] ** 2 - 1).max())
    angle = [[t / 10_000 ** (2 * i / 16) for i in range(8)] for t in range(200)]
    gap = max(
        float(np.abs(table[:, 0::2] - np.sin(angle)).max()),
        float(np.abs(table[:, 1::2] - np.cos(angle)).max()),
        float(np.abs(table @ table[0] - kernel(range(200), 16)).max()),
    )
    return decided(
        ones < 1e-12 and gap < 1e-11,
        "In each pair the squares add up to 1, to within 1e-12, so that sine and cosine have the "
        "same angle; and they stand where the formula puts them.",
    )
