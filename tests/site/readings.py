"""What an explorer must say of a state, computed by pe_lib: parts of its reading, for each kind."""

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import numpy as np

from pe_lib import encode, frequencies, wavelengths
from pe_lib.biases import alibi_slopes
from pe_lib.course.explorers.chooser import TABLE
from tests import angles, attended, computed, patches, untrained
from tests.layered import counted
from tests.recorded import maps, places, run

SAYS: dict[str, Callable[[Any], list[str]]] = {}  # by kind: what the reading of a state holds


def of(function: Callable[[Any], list[str]]) -> Callable[[Any], list[str]]:
    SAYS[function.__name__] = function
    return function


def near(x: float, digits: int = 2) -> str:
    """A number as pages write it: a true minus sign, and no minus before zero."""
    exact = Decimal(abs(float(x))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    text = f"{exact:,}"
    return f"−{text}" if x < 0 and text.strip("0.,") else text


def four(x: float) -> str:
    """Four significant digits, without zeros at the end."""
    exact = Context(prec=4, rounding=ROUND_HALF_UP).create_decimal(Decimal(float(x)))
    text = f"{exact:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def row(values: Sequence[float], digits: int = 2, between: str = ", ") -> str:
    return between.join(near(v, digits) for v in values)


def whole(x: float) -> int:
    """The nearest whole number; in the middle between two, the larger."""
    return math.floor(x + 0.5)


def place(x: float) -> str:
    return f"{x:,.0f}" if float(x).is_integer() else f"{x:,.1f}"


@of
def attention(e: Any) -> list[str]:
    found = attended.of(e)
    shares = zip(found["weights"][e.chosen], e.words, strict=True)
    return [
        f"{e.words[e.chosen]} is ({row(e.vectors[e.chosen])})",
        ", ".join(f"{near(weight)} to {word}" for weight, word in shares),
        f"Its output is ({row(found['outputs'][e.chosen])})",
    ]


@of
def biases(e: Any) -> list[str]:
    weights, key = computed.weights(e), e.query + e.offset
    near_by = weights[max(0, e.query - 10) : e.query + 11].sum()
    said = [f"bias {near(computed.bias(e, e.offset))}", f"{near_by:.3f} within 10"]
    if e.scheme == "alibi":
        said.append(f"slope {four(alibi_slopes(e.heads)[e.head - 1])}")
    if 0 <= key < len(weights) and weights[key] >= 1e-4:
        said += [f"“{e.words[key]}”", f"attention {weights[key]:.4f}"]
    return said


@of
def chooser(e: Any) -> list[str]:
    at = TABLE["first"]
    for answer in e.answers:
        at = next(o["to"] for o in TABLE["questions"][at]["answers"] if o["answer"] == answer)
    return [
        TABLE["advice"][at]["says"] if at in TABLE["advice"] else TABLE["questions"][at]["asks"]
    ]


@of
def chord(e: Any) -> list[str]:
    angle = frequencies(16)[e.pair] * e.offset
    chord = near(angles.chord(e), 4)
    said = f"{four(angle)} radians apart, chord 2 |sin {four(angle / 2)}| = {chord}"
    return [said, f"One step is {near(angles.chord(e, 1), 4)}"]


@of
def circuit(e: Any) -> list[str]:
    t, letters = e.position, [*"abcdefgh"]
    if t == 0:
        return ["itself alone", "Before the first word stands none"]
    weights = attended.layers(e)[1, t]
    word, answer = letters[e.text["words"][t - 1]], letters[attended.network(e)["answers"][t]]
    right = "right" if word == answer else f"wrong: before it stands {word}"
    return [
        f"at {t}: word before {near(weights[t - 1])}, itself {near(weights[t])}",
        f"It answers {answer}, which is {right}",
    ]


@of
def context(e: Any) -> list[str]:
    long = computed.reached(e)
    said = [f"Pair {e.pair}:", f"{computed.new(e, long)} of 64 clocks new"]
    if e.method != "dynamic":
        said.append(f"{four(long * computed.scaled(e)[e.pair] / (2 * math.pi))} turns")
    return said


@of
def counter(e: Any) -> list[str]:
    angles = [2 * math.pi * (e.position + 0.5) / 2**bits for bits in (4, 3, 2, 1)]
    number = int(e.position + 0.5)
    return [f"{number} is {number:04b}:", row([math.sin(a) for a in angles])]


@of
def grid(e: Any) -> list[str]:
    scores, (r, c) = patches.scores(e), (e.row + e.down, e.column + e.right)
    if not (0 <= r < 14 and 0 <= c < 14):
        return [f"({e.row}, {e.column}) with a patch outside"]
    mine = scores[e.row, e.column].copy()
    said = [f"({e.row}, {e.column}) with ({r}, {c})", f"score {near(mine[r, c], 4)}"]
    mine[e.row, e.column] = -np.inf
    best = ", ".join(f"({r}, {c})" for r, c in np.argwhere(mine > mine.max() - 1e-9))
    return [*said, f"Highest besides itself, {near(mine.max(), 4)}: {best}."]


@of
def hands(e: Any) -> list[str]:
    values = encode(e.position, e.d_model)[:6]
    return [f"“{e.words[whole(e.position)]}”", row(values, between=" ")]


@of
def heatmap(e: Any) -> list[str]:
    t, wave = whole(e.position), wavelengths(e.d_model, e.base)[e.dim // 2]
    value = encode(t, e.d_model, e.base)[e.dim]
    return [f"PE({t}, {e.dim})", f"back every {near(wave, 2 if wave < 100 else 0)}", near(value, 4)]


@of
def layers(e: Any) -> list[str]:
    count, said = counted(e.model, e.query, e.key), f"{e.query - e.key:,} back"
    tells, unseen = count.get("tells", 0), count.get("unseen", 0)
    all_ = "all" if tells == sum(count.values()) else tells or "no layer"
    return [said, str(all_), f"{unseen} do not see it" if unseen else ""]


@of
def leak(e: Any) -> list[str]:
    if e.meter == "variance":
        return [near(untrained.probe(e))]
    changes, standing = untrained.changes(e), list(untrained.standing(e))
    if standing == sorted(standing):
        return ["nothing to notice"]
    changed = int((changes >= 1e-9).sum()) or "none"
    last = f"changes by {near(changes[-1])}" if changes[-1] >= 1e-9 else "does not notice"
    return [last, f"{changed} changed"]


@of
def offset(e: Any) -> list[str]:
    score = f"score {near(float(angles.scores(e, e.position, e.offset)), 5)}"
    return [f"{place(e.position)} and {place(e.position + e.offset)}: {score}"]


@of
def order(e: Any) -> list[str]:
    most = attended.changes(e).max()
    change = "0 (below 10⁻¹²)" if most < 1e-12 else near(most, 4)
    order = attended.standing(e)
    if e.view == "ribbons":
        return [" ".join(e.words[k] for k in order), f": {change}"]
    here = order.index(e.word)
    seen = order[: here + 1] if e.causal else order
    words = "all words" if len(seen) == len(order) else ", ".join(e.words[k] for k in seen)
    weights = row(attended.of(e)["weights"][here][: len(seen)])
    return [f"{e.words[e.word]} sees {words}: weights {weights}.", f": {change}"]


@of
def phase(e: Any) -> list[str]:
    if e.story == "nearest":
        return [" → ".join(near(guess, 1) for _, guess in angles.guesses(e))]
    found = angles.candidates(e)
    many = "Only one position" if len(found) == 1 else f"{len(found)} positions"
    return [many, ", ".join(str(t) for t in found[:10])]


@of
def rotary(e: Any) -> list[str]:
    at = f"Query at {place(e.query + e.shift)}, key at {place(e.key + e.shift)}"
    most = angles.rotary(e, range(-250, 251)).max()
    return [f"{at}: score {near(angles.rotary(e), 4)}", f"largest score is {near(most, 1)}"]


@of
def schemes(e: Any) -> list[str]:
    words = whole(e.length)
    found = computed.shares(e, words)
    seeds = found[e.scheme]
    ranked = sorted(found, key=lambda name: -found[name].mean())
    said = f"{e.scheme} at {words} words: {near(seeds.mean())} right"
    each = ", ".join(f"{name} {near(found[name].mean())}" for name in ranked)
    return [said, f"from {near(seeds.min())} to {near(seeds.max())}", each]


@of
def spectrum(e: Any) -> list[str]:
    waves = wavelengths(e.d_model, e.base)
    position = whole(e.position)  # a hand on its way is said to be at the nearest
    turns = position / (2 * math.pi)
    return [
        f"from {near(waves[0])} to {near(waves[-1], 0)}" if len(waves) > 1 else near(waves[0]),
        f"{computed.longer(e)} of {len(waves)} pair",
        f"Position {position:,}: {near(turns, 1 if turns < 99.95 else 0)} turns",
    ]


@of
def training(e: Any) -> list[str]:
    if e.seed is not None:
        return [f"Step {16 * e.look}:"]
    looks = maps(e.recording, e.scheme, "attention")[e.look].argmax(axis=1)
    back = int((looks[1:] == np.arange(len(looks) - 1)).sum())
    far = np.linalg.norm(np.subtract(*places(e.recording, e.scheme)[[e.look, 0], e.row]))
    share = whole(100 * run(e.recording, e.scheme)["right"][e.look])
    return [
        f"Step {16 * e.look}: {share} % right at 16 words, looks one back in {back} of 15 rows",
        f"Row {e.row} has moved by {near(far)}" if far else f"Row {e.row} has not moved",
    ]
