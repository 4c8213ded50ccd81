"""Compute the numbers that appear in the chapters' prose but that no cell prints.

`test_numbers.py` checks that each value, rounded to the digits of its key, is the number in the
prose. These numbers are listed as "computed" under their cell in `numbers.yml`.
"""

from collections.abc import Callable
from itertools import combinations_with_replacement
from math import (
    asin,
    atan2,
    ceil,
    cos,
    degrees,
    dist,
    exp,
    factorial,
    floor,
    log,
    pi,
    prod,
    sin,
    sqrt,
    tau,
)
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pe_lib import biases, context, encode, frequencies, kernel, wavelengths
from pe_lib.course.audit import claims
from tests.recorded import read_recording


def chapter_0() -> dict[str, float]:
    return {
        "0.7071": 1 / sqrt(2),
        "57": degrees(1),
        "2.0281": exp(1 / sqrt(2)),
        "5.0562": 2 * exp(1 / sqrt(2)) + 1,
        "0.4011": exp(1 / sqrt(2)) / (2 * exp(1 / sqrt(2)) + 1),
        "0.8022": 2 * exp(1 / sqrt(2)) / (2 * exp(1 / sqrt(2)) + 1),
        "0.5989": (exp(1 / sqrt(2)) + 1) / (2 * exp(1 / sqrt(2)) + 1),
        "1.80": np.random.default_rng(0).standard_normal((7, 8))[6, 0],
        "0.96": sin(5),
        "0.84": np.random.default_rng(0).standard_normal((7, 8))[6, 0] + sin(5),
        "0.5839": 1 + cos(2),
    }


def chapter_1() -> dict[str, float]:
    return {
        "0.17": 1 / 6,
        "0.001": 1 / 1000,
        "316": 1000 / sqrt(10),
        "1,024": 2**10,
    }


def chapter_1_deeper() -> dict[str, float]:
    return {
        "0.035": 0.1 / sqrt(8),
        # half a step is 2.576 standard deviations, which noise exceeds in 1 % of all cases
        "2.6": NormalDist().inv_cdf(1 - 0.01 / 2),
        "0.0002": 0.001 / 2 / 2.576,
        "500": 0.1 / 0.0002,
        "0.0063": 2 * pi / 1000,
        "0.31": 2 * pi / 20,
        "6.28": tau,
        "10.5": tau / 0.6,
    }


def chapter_2() -> dict[str, float]:
    frequency = 10_000.0 ** (-np.arange(256) / 256)
    coarse = (np.float32(1e6) * frequency.astype(np.float32)).astype(float)
    return {
        "1,000": 10**3,
        "0.05": np.abs(np.sin(coarse) - np.sin(1e6 * frequency)).max(),
        "6.283": tau,
        "57": degrees(1),
        "3.6": 360 / 100,
        "256": 512 / 2,
        "20,000": 200 * 100,
        "6.41": dist(encode(0, 512)[0::2], encode(5, 512)[0::2]),
        "7.97": dist(encode(2, 512)[0::2], encode(7, 512)[0::2]),
    }


def chapter_2_deeper() -> dict[str, float]:
    def sines(t: int) -> list[float]:
        return [sin(tau * (t + 0.5) / length) for length in (2, 4, 8, 16)]

    return {
        "2.1": dist(sines(7), sines(6)),
        "2.5": dist(sines(6), sines(5)),
        "3.7": dist(encode(1, 512), encode(0, 512)),
        "0.64": sqrt(512) * 0.02 * sqrt(512) / 16,
        "0.9": 1 - 0.1,
    }


def chapter_3() -> dict[str, float]:
    return {
        "44": 7 * tau,
        "19": 3 * tau,
        "0.006": 0.001 * tau,
        "628": tau / 0.01,
        "314": tau / 0.02,
        "0.63": 0.1 * tau,
        "255": 512 // 2 - 1,
        "6.283": tau,
        "617": wavelengths(512, 100.0)[-1],
        "108": (wavelengths(512, 1e6) <= 2048).sum(),
        "3.7": 100 * (10_000 ** (2 / 512) - 1),
        "0.03225": (1 - frequencies(64)[-1]) / 31,
        "544": wavelengths(64, 100.0)[-1],
        "591": np.std(range(2048)),
        "195": tau / ((1 - frequencies(64)[-1]) / 31),
        "0.00013": frequencies(64)[-1],
        "24,429": ceil((4 * 32_768 / tau) ** (128 / 126)),
    }


def chapter_3_deeper() -> dict[str, float]:
    return {
        "0.001": frequencies(8)[-1],
        "0.00013": frequencies(64)[-1],
        "0.16": 50 * tau - 314,
        "0.32": 100 * tau - 628,
        "106": 125 * 0.3 * sqrt(8),
        "0.03225": (1 - frequencies(64)[-1]) / 31,
        "0.27": sin(2047 * frequencies(64)[-1]),
        "1,526": tau + (wavelengths(64)[-1] - tau) / 31,
    }


def chapter_4() -> dict[str, float]:
    pair_2, pair_1, pair_0 = atan2(1.0, 0.2), atan2(0.9, 0.4), atan2(-0.9, 0.3) + tau
    guess = 10 * (pair_1 + 2 * tau)
    return {
        "180": 30 + 150,
        "2,999": 3_000 - 1,
        "0.001": frequencies(8)[3],
        "0.01": frequencies(8)[2],
        "0.15": 0.1 + 0.05,
        "355": 113 * pi,
        "113": 355 / pi,
        "0.0997": atan2(0.1, 1.0),
        "99.7": 1000 * atan2(0.1, 1.0),
        "1.3734": pair_2,
        "137.3": 100 * pair_2,
        "765.7": 100 * (pair_2 + tau),
        "1,394": 100 * (pair_2 + 2 * tau),
        "1.1526": pair_1,
        "11.5": 10 * pair_1,
        "74.4": 10 * (pair_1 + tau),
        "137.2": guess,
        "200.0": 10 * (pair_1 + 3 * tau),
        "1.2490": -atan2(-0.9, 0.3),
        "5.0341": pair_0,
        "11.3": pair_0 + tau,
        "130.7": pair_0 + 20 * tau,
        "137.0": pair_0 + 21 * tau,
        "143.3": pair_0 + 22 * tau,
        "132.2": guess - pair_0,
        "21.03": (guess - pair_0) / tau,
        "6,283": floor(wavelengths(8)[-1]),
        "628": 200 * pi,
        "414": 1000 * atan2(0.1, 1.0) + 100 * pi,
        "21.99": 7 * pi,
        "150": degrees(pi) - 30,
        "60,611": floor(wavelengths(512)[-1]),
        "512": 2 * 256,
        "965": 0.1 / frequencies(512)[-1],
        "2.28": tau - 4,
        "2,283": 1000 * (tau - 4),
        "0.286": pi / 11,
        "0.031": pi / 101,
        "0.071": asin(0.05 * sqrt(2)),
        "3,141": floor(wavelengths(8)[-1] / 2),
        "30,305": floor(wavelengths(512)[-1] / 2),
    }


def chapter_4_deeper() -> dict[str, float]:
    return {
        "0.488815": encode(7, 5120, 100.0)[1088],
        "0.2": sqrt(2 * 0.02),
        "2.28": (frequencies(64) ** 2).sum(),
        "0.66": (frequencies(64) ** 2).sum() ** -0.5,
        "47,117": wavelengths(64)[-1],
    }


def chapter_5() -> dict[str, float]:
    return {
        "0.1411": sin(3),
        "0.9900": cos(3),
        "0.7568": -sin(4),
        "0.6536": -cos(4),
        "0.6570": sin(7),
        "0.7539": cos(7),
        "0.44": float(kernel(100, 512)) / 256,
        "0.445": cos(44) - cos(43),
        "30.92": float(kernel(1, 64)),
        "256": float(kernel(0, 512)),
    }


def chapter_5_deeper() -> dict[str, float]:
    return {
        "0.5772": np.euler_gamma,
        "249.1": float(kernel(1, 512)),
        "498": 2 * float(kernel(1, 512)),
    }


def steps_of_start(case: int) -> list[int]:
    """Return the step at which each seed of a start has 99 of 100 answers right."""
    runs = read_recording("tables")["starts"][case]["runs"]
    return [10 * int(np.argmax(np.array(run["right"]) >= 0.99)) for run in runs]


def worst_share_beyond(kind: str, last: int) -> float:
    """Return the lowest share right at 16 to 47 of any seed, if texts began at 0 to `last`."""
    (right,) = [
        case["right"]
        for case in read_recording("controls")["shifted"]
        if (case["kind"], case["last"], case["layers"]) == (kind, last, 1)
    ]
    return float(np.array(right)[:, 15:].mean(axis=1).min())


def chapter_6() -> dict[str, float]:
    by_offset = read_recording("published")["by offset"]
    return {
        "0.125": 1 / 8,
        "0.71": sqrt(1 / 2),
        "0.33": np.max([run["moved"] for run in read_recording("seeds")["table"]["learned"]]),
        "170": min(steps_of_start(4)),
        "230": max(steps_of_start(4)),
        "300": min(steps_of_start(6)),
        "360": max(steps_of_start(6)),
        "50": min(steps_of_start(14)),
        "70": max(steps_of_start(14)),
        "0.44": by_offset[3],
        "0.69": by_offset[6],
        "0.21": by_offset[9],
        "0.57": by_offset[12],
    }


def chapter_6_deeper() -> dict[str, float]:
    return {
        "0.15": worst_share_beyond("trained", 0),
        "0.70": (15 + 8 / 8) / 23,
        "0.71": sqrt(1 / 2),
        "11": wavelengths(32)[1],
        "20": wavelengths(32)[2],
        "300": min(steps_of_start(6)),
        "360": max(steps_of_start(6)),
        "170": min(steps_of_start(4)),
        "230": max(steps_of_start(4)),
        "0.0004": 0.02 / 50,
        "0.95": min(
            np.mean(right[15:]) for right in read_recording("controls")["shifted"][-1]["right"]
        ),
    }


def share_of_seeds(right: ArrayLike, first: int, last: int) -> Any:
    """Return each seed's share right from position `first` to `last`, from position 1 on."""
    return np.array(right)[:, first - 1 : last].mean(axis=1)


def count_words(length: int, seed: int = 7) -> Any:
    """Return how often each of 8 words stands before each position, and behind it, in many texts.

    The shape is (2, texts, positions, words). Position 0 is left out.
    """
    words = np.eye(8)[np.random.default_rng(seed).integers(8, size=(20_000, length))]
    before = words.cumsum(axis=1) - words
    behind = words.sum(axis=1, keepdims=True) - before - words
    return np.stack([before, behind])[:, :, 1:]


def chapter_7() -> dict[str, float]:
    skipping = read_recording("skipping")
    before, behind = count_words(16)
    near = share_of_seeds(skipping["far"]["none"], 1, 15)
    one_layer, no_mask, untrained = (
        share_of_seeds(skipping["controls"][name], 1, 15)
        for name in ("one layer", "no mask", "untrained")
    )
    return {
        "0.88": near.min(),
        "0.94": near.max(),
        "0.38": one_layer.min(),
        "0.40": one_layer.max(),
        "0.26": no_mask.min(),
        "0.11": untrained.min(),
        "0.14": untrained.max(),
        "0.39": (before.max(axis=-1) / np.arange(1, 16)).mean(),
        "0.27": ((before + behind).max(axis=-1) / 15).mean(),
        "0.71": sqrt(1 / 2),
        "0.82": 2 / sqrt(6),
    }


def chapter_7_deeper() -> dict[str, float]:
    counting = {
        cell["scheme"]: np.array(cell["right"])
        for cell in read_recording("lengths")["settings"]
        if (cell["task"], cell["causal"], cell["layers"]) == ("counting", False, 1)
    }
    others = [counting[name] for name in ("none", "rotary", "alibi", "relative")]
    skipping, extra = read_recording("skipping"), read_recording("controls")
    before, _ = count_words(16)
    none, token = skipping["far"]["none"], extra["begun"][0]["right"]
    return {
        "0.61": (1 + 1 / 2 + 1 / 3) / 3,
        "0.28": (1 / 2 + 1 / 3) / 3,
        "0.11": (1 / 3) / 3,
        "0.39": (before.max(axis=-1) / np.arange(1, 16)).mean(),
        "0.98": counting["sinusoidal"][:, -1].max(),
        "0.92": min(right[:, 2].min() for right in others),
        "0.81": min(right[:, -1].min() for right in others),
        "0.73": counting["sinusoidal"][:, 2].min(),
        "0.99": counting["sinusoidal"][:, 2].max(),
        "0.54": counting["sinusoidal"][:, -1].min(),
        "0.87": counting["learned"][:, 2].min(),
        "0.79": counting["learned"][:, -1].min(),
        "0.95": counting["learned"][:, -1].max(),
        "0.85": share_of_seeds(token, 1, 15).min(),
        "1.00": share_of_seeds(token, 1, 15).max(),
        "0.93": share_of_seeds(none, 1, 15).mean(),
        "0.996": min(
            np.mean(right[15:])
            for case in extra["slopes"]
            if case["slopes"] == [0.5, 0.0625]
            for right in case["right"]
        ),
    }


def compute_leads(offsets: int, base: float) -> np.ndarray:
    """Return the leads at the offsets from 0 on, equation (8.D2), in a head of width 128."""
    return np.cos(np.multiply.outer(np.arange(offsets), frequencies(128, base))).mean(axis=1)


def chapter_8() -> dict[str, float]:
    return {
        "0.6570": sin(7),
        "0.1411": sin(3),
        "0.9900": cos(3),
        "0.7539": cos(7),
        "0.8467": 6 * sin(3),
        "26": 1 + 4 * tau,  # the score of one pair comes round after each turn
        "73": (np.random.default_rng(3).standard_normal((2, 64))[0] ** 2).sum(),
        "0.03": 30 * frequencies(8)[3],
    }


def chapter_8_deeper() -> dict[str, float]:
    leads = 1 - np.cos(frequencies(64))
    return {
        "1.08": leads.sum(),
        "1.05": leads[:6].sum(),
        "3": 100 * leads.mean(),
        "17": 100 * leads[:6].mean(),
        "0.34": -compute_leads(32_768, 100).min(),
        "18,438": np.argmax(compute_leads(19_999, 500_000) < 0),
        "1,707": np.argmax(compute_leads(1_999, 10_000) < 0),
        "59": np.argmax(compute_leads(99, 100) < 0),
    }


def chapter_9() -> dict[str, float]:
    # how many of seven random words of 8 kinds are the commonest word, on average
    counts = [np.bincount(seven) for seven in combinations_with_replacement(range(8), 7)]
    orders = [factorial(7) // prod(map(factorial, map(int, each))) for each in counts]
    commonest = np.dot(orders, [max(each) for each in counts]) / 8**7
    all_terms = 1 / (1 - exp(-1 / 2))  # of all words in the softmax, with ALiBi's slope 1/2
    return {
        "2.4": commonest,
        "0.34": commonest / 7,
        "2.54": all_terms,
        "0.93": log(all_terms),
        "14.1": 2 * (8 - log(all_terms)),
        "11.3": 8 * sqrt(2),
        "22.6": 16 * sqrt(2),
        "90.5": 128 / sqrt(2),
        "2981": exp(8),
        "0.94": exp(-1 / 16),
        "1,999": len(range(-999, 1000)),
        "2.64": 8 * log(20 / 8) / log(16),
        "2,560": 10 * 256,
    }


def chapter_9_deeper() -> dict[str, float]:
    decoder = biases.t5_buckets(-np.arange(200), bidirectional=False)
    return {
        "113": np.argmax(decoder == 31),
        "590": np.ceil(log(10) * 256),
    }


def chapter_10() -> dict[str, float]:
    return {
        "63.7": 400 / tau,
        "6.37": 40 / tau,
        "0.637": 4 / tau,
        "163,840": 40 * 4096,
        "6.283": tau,
        "360": degrees(tau),
        "57": degrees(1),
        "229": degrees(4),
        "14": degrees(1 / 4),
        "8,000": context.ntk_base(6, 4, 1000.0),
        "8000": context.ntk_base(6, 4, 1000.0),
        "22": float(np.sum((context.turns(128, 2048) < 1)[:-1])),
        "0.197": (100 / 10 / tau - 1) / 3,
        "0.803": 1 - (100 / 10 / tau - 1) / 3,
        "0.025": 0.1 / 4,
        "250": 1000 / 4,
        "17": float(np.sum(context.turns(128, 2048) >= 32)),
    }


def chapter_10_deeper() -> dict[str, float]:
    looks = {
        method: np.mean([run[method] for run in read_recording("longer")["looks"]], axis=0)
        for method in ("plain", "interpolated", "by_parts")
    }
    after = np.array(read_recording("rebased")["right"]["previous"])[:, :, 1, 2]
    return {
        "0.21": looks["plain"][1],
        "0.13": looks["plain"][8:].max(),
        "57": 8 + looks["plain"][8:].argmax(),
        "0.18": looks["interpolated"].max(),
        "0.30": looks["by_parts"][1],
        "0.14": looks["by_parts"][7],
        "6.3": tau,
        "0.93": after[:, :2].min(),
        "0.99": after[:, 2:].min(),
        "31": 50 ** (14 / 16),
        "16.5": (1 + 32) / 2,
        "5.6": context.turns(128, 4096)[33],
        "46": np.flatnonzero(context.yarn(128, 4, 4096) < 1.001 * frequencies(128) / 4)[0],
        "20": np.flatnonzero(context.yarn(128, 4, 4096) > 0.999 * frequencies(128))[-1],
        "33": (46 + 20) / 2,
        "1,000": 4 * round(1001 / 4),  # from 512 to 1,024, bfloat16 has multiples of 4
    }


def chapter_11() -> dict[str, float]:
    return {
        "0.9093": sin(2),
        "0.4161": cos(2),
        "0.1411": sin(3),
        "0.9900": cos(3),
        "0.9589": sin(5),
        "0.2837": cos(5),
        "0.1283": sin(2) * sin(3),
        "0.4120": cos(2) * cos(3),
        "0.1353": sin(3) * sin(5),
        "0.2808": cos(3) * cos(5),
    }


def chapter_12() -> dict[str, float]:
    return {
        "53": degrees(atan2(0.8, 0.6)),
        "57": degrees(1),
        "3.14": tau / 2,
        "0.96": cos(6),
        "0.42": cos(2),
        "0.02": 2 * 0.01,
        "0.29": (cos(2) + cos(2 * 0.01)) / 2,
        "0.1": 100 * 0.001,
        "0.995": cos(100 * 0.001),
        "0.5": 32 / 64,
        "159": 160 - 1,
        "0.32": 10_000 ** (-2 / 16),
        "0.01": 10_000 ** (-2 / 4),
    }


def share_of_commonest(count: int, kinds: int) -> float:
    """Return the mean share of the most frequent kind among `count` patches of random kinds."""
    mean = 0.0
    for most in range(count):  # the mean is the sum of the chances that a kind is more frequent
        few = np.poly1d([1 / factorial(n) for n in range(most, -1, -1)])
        ways = (few**kinds).coeffs[::-1]
        chance = ways[count] * factorial(count) / kinds**count if count < len(ways) else 0.0
        mean += 1 - chance
    return mean / count


def chapter_12_deeper() -> dict[str, float]:
    return {
        "53": degrees(atan2(0.8, 0.6)),
        "57": degrees(1),
        "0.93": atan2(0.8, 0.6),
        "576": 512 + 64,
        "47": tau * 10 ** (7 / 8),
        "192": 128 + 64,
        "1,004": 1000 + 4,
        "1,009": 1000 + 9,
        "160": 1e6 ** (15 / 64) * tau,
        "199": 1e6 ** (16 / 64) * tau,
        "28,473": 1e6 ** (39 / 64) * tau,
        "35,333": 1e6 ** (40 / 64) * tau,
        "0.125": 1 / 8,
        "0.29": share_of_commonest(12, 8),
    }


def chapter_13() -> dict[str, float]:
    return {
        "6.9": log(1000),
        "8,191": 8192 - 1,
        "111": 999_999 / 999 / 9,
        "112": 1 + 999_999 / 999 / 9,
        "1.07": 1 + 0.1 * log(2),
        "1.11": 1 + 0.1 * log(3),
        "2.3": log(10),
        "11.5": log(100_000),
        "22,026": exp(10),
        "11.3": sqrt(128),
        "0.19": NormalDist().inv_cdf(1 - 1 / 64) / sqrt(128),
        "1.39": log(4),
        "54.6": exp(4),
        "2,984": exp(8) + 3,
        "2984": exp(8) + 3,
        "0.313": 500 / (500 + exp(7)),
    }


def chapter_13_deeper() -> dict[str, float]:
    return {
        "127": 128 - 1,
        "1.61": log(5),
    }


def appendix_audit() -> dict[str, float]:
    return {
        "257": len(claims()),
        "156": sum(claim.verdict == "right" for claim in claims()),
        "118": len(claims("S3")),
        "0.43": cos(2 / 100 ** (2 / 16)),
        "0.4315": cos(2 / 100 ** (2 / 16)),
        "0.74": encode(1, 512) @ encode(6, 512) / 256,
        "0.05": sin(0.05),
        "0.48": sin(0.5),
        "0.48881494": encode(7, 5120, base=100.0)[1088],
        "628": wavelengths(8)[2],
        "122": np.argmin(abs(np.log(wavelengths(512) / 512))),
    }


def appendix_practice() -> dict[str, float]:
    return {
        "10.8": log(50_257),
        "1.76": max(
            context.yarn(64, 32, 4096, 150_000.0)
            / context.yarn(64, 32, 4096, 150_000.0, truncate=False)
        ),
        "256": 2**8,
        "257": 2**8 + 1,
        "2,048": float(np.float16(2049)),
        "2,049": 2**11 + 1,
    }


def appendix_speed() -> dict[str, float]:
    return {
        "262,144": 64**3,
        "0.06": np.spacing(np.float32(999_999)),
    }


COMPUTED: dict[str, Callable[[], dict[str, float]]] = {
    "00-start-here": chapter_0,
    "01-why-order-matters": chapter_1,
    "01-why-order-matters-deeper": chapter_1_deeper,
    "02-the-formula": chapter_2,
    "02-the-formula-deeper": chapter_2_deeper,
    "03-frequencies": chapter_3,
    "03-frequencies-deeper": chapter_3_deeper,
    "04-sine-and-cosine": chapter_4,
    "04-sine-and-cosine-deeper": chapter_4_deeper,
    "05-relative-positions": chapter_5,
    "05-relative-positions-deeper": chapter_5_deeper,
    "06-learned-embeddings": chapter_6,
    "06-learned-embeddings-deeper": chapter_6_deeper,
    "07-skipping-positions": chapter_7,
    "07-skipping-positions-deeper": chapter_7_deeper,
    "08-rotary": chapter_8,
    "08-rotary-deeper": chapter_8_deeper,
    "09-biases": chapter_9,
    "09-biases-deeper": chapter_9_deeper,
    "10-longer-contexts": chapter_10,
    "10-longer-contexts-deeper": chapter_10_deeper,
    "11-choosing": chapter_11,
    "12-to-tell-and-to-find": chapter_12,
    "12-to-tell-and-to-find-deeper": chapter_12_deeper,
    "13-length": chapter_13,
    "13-length-deeper": chapter_13_deeper,
    "appendix-audit": appendix_audit,
    "appendix-practice": appendix_practice,
    "appendix-speed": appendix_speed,
}
