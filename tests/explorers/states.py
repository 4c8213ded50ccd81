"""List states of explorers, with the errors, sentences and drawn shapes that each must produce.

`test_explorer_contract.py` and `test_explorer_drawings.py` test every entry of these tables.
`tests/vectors` tests the entries of READINGS.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pe_lib import encode, frequencies, wavelengths
from pe_lib.rotary import rotate
from tests import angles, attended, game, machine, patches, untrained
from tests.computed import bias, scale_frequencies, stairs
from tests.recorded import maps, required_arguments

Values = dict[str, Any]  # the values of an explorer's traits, by name
TEXT = required_arguments("circuit")["text"]
# the offsets at which the explorer `offset` draws points of its curve
QUARTERS = np.arange(-400, 401) / 4


@dataclass(frozen=True)
class ExpectedMarks:
    """The lines, dots and bars that an explorer must draw in a given state.

    `mark` names the type of mark, as listed in `COMPARE` in test_explorer_drawings.py. `colour`
    selects the marks of that type with this colour. `values` is a function that takes the explorer
    and uses the library to compute the values that the marks must show.
    """

    kind: str
    state: Values
    mark: str
    values: Callable[[Any], Any]
    colour: str = ""
    axis: str = ""  # "log" means a logarithmic axis, and "first" means the first of two axes


def pairs_of(position: float, d_model: int = 16) -> Any:
    """Return a position's encoding as an array of pairs: shape (d_model/2, 2)."""
    return encode(position, d_model).reshape(-1, 2)


def tips_at(angles: Any) -> Any:
    """Return the x and y coordinates of the tips of hands at these angles, on a unit circle."""
    return np.column_stack([np.sin(angles), np.cos(angles)])


def counter_tips(position: Any, roundness: float) -> Any:
    """Return the coordinates of the tips of the counter's four hands, highest digit first.

    Each coordinate is that of a point on a circle, raised to the power `roundness`. A `roundness`
    of 0 makes the clocks square.
    """
    digits = np.array([np.multiply.outer(2 * np.pi / 2**b, position + 0.5) for b in (4, 3, 2, 1)])
    tips = np.stack([np.sin(digits), np.cos(digits)], axis=-1).round(12)
    return np.sign(tips) * np.abs(tips) ** roundness


def drawn_directions(vector: Any) -> Any:
    """Return the directions of the four pairs that the explorer `rotary` draws, as unit vectors."""
    pairs = vector.reshape(-1, 2)[[0, 4, 8, 16], ::-1]
    return pairs / np.linalg.norm(pairs, axis=1, keepdims=True)


def rescale_scores(scores: Any) -> Any:
    """Rescale scores linearly, so that the lowest score becomes 0 and the highest score 1."""
    return ((scores - scores.min()) / np.ptp(scores)).ravel()


# An explorer must reject these arguments with an error message that matches the pattern.
# test_explorer_contract.py checks the smallest and largest value of every trait separately.
REFUSED: list[tuple[str, Values, str]] = [
    ("attention", {"vectors": [[1.0, 2.0]]}, "vectors must hold two numbers"),
    ("attention", {"chosen": 3}, "chosen must be below len.words. = 3, got 3"),
    ("biases", {"query": 68}, "query must be below len.words. = 68, got 68"),
    ("biases", {"buckets": 7}, r"buckets.*not the int 7"),
    ("circuit", {"text": {**TEXT, "words": [8] * 16}}, "16 words from 0 to 7"),
    (
        "circuit",
        {"text": {**TEXT, "untrained": {"maps": ["AA=="], "answers": [1] * 16}}},
        "2 maps of 256",
    ),
    ("context", {"factor": 1.3}, r"factor.*not the float 1.3"),
    ("game", {"level": "easy"}, r"level.*not the str 'easy'"),
    ("game", {"guess": 1000}, r"guess"),
    ("heatmap", {"positions": 10, "position": 10}, "position must be below positions = 10, got 10"),
    (
        "layers",
        {"model": "GPT-2", "query": 1024, "key": 3},
        "query must be below the 1,024 positions",
    ),
    ("leak", {"order": [5, *range(5)]}, "order"),
    ("machine", {"order": [1, 0]}, "order must hold each of 0 to 8 once"),
    ("offset", {"d_model": 12}, r"d_model.*not the int 12"),
    ("order", {"words": ["a"], "vectors": [[1.0, 2.0, 3.0]]}, "vectors must hold a row"),
    ("order", {"word": 7}, "word must be below len.words. = 7, got 7"),
    ("phase", {"position": 400}, "position must be below positions = 400, got 400"),
    ("phase", {"read": [4]}, "read must hold pairs 0 to 3"),
    ("spectrum", {"d_model": 6}, r"d_model.*not the int 6"),
    (
        "training",
        {"recording": {}, "seed": None},
        "seed must be 0 to 9 where no recording is given",
    ),
]

# In each of these states, the picture's caption must contain the given text.
CAPTIONS: list[tuple[str, Values, str]] = [
    ("attention", {"chosen": 1}, "0.54 not"),
    ("circuit", {"position": 14}, "It answers h, which is wrong. The letter before is f."),
    ("context", {"method": "ntk", "length": 8192}, "8,192 of 8,192 words, NTK-aware. 22 of 64"),
    (
        "counter",
        {"position": 6},
        "6 is 0110. A digit is 1 where its hand points left. Sines: 0.56, −0.92, −0.71, 1.00",
    ),
    ("game", {"guess": 412}, "Your hands show position 412."),
    ("grid", {"scheme": "coordinates"}, "elsewhere from 0.00 to 0.96"),
    (
        "heatmap",
        {"d_model": 8, "positions": 10, "position": 5, "dim": 1},
        "PE(5, 1) = cos(5 / 10,000^(2·0/8)) = cos(5 × 1) = cos(5) = 0.2837",
    ),
    ("layers", {"model": "Mistral 7B v0.1"}, "A (32 layers) does not see it."),
    ("leak", {"shuffle": 1, "layers": 2}, "changes by"),
    ("offset", {"between": "nothing"}, "every position scores this at this offset"),
    ("offset", {"between": "random"}, "at this offset positions score from"),
    ("order", {"place": 6.0}, "the old bites a young man dog"),
    (
        "order",
        {"causal": True, "view": "scores"},
        "dog sees the, old, dog: weights 0.16, 0.29, 0.55.",
    ),
    ("phase", {"position": 11, "digits": 3}, "5 positions below 400 agree: 11, 55, 300, 344, 388"),
    (
        "phase",
        {"position": 137, "digits": 1, "read": [0, 1, 2, 3], "story": "nearest"},
        "99.7 → 137.3 → 137.2 → 137.0.",
    ),
    ("rotary", {"vectors": "peak"}, "The largest score is 64.0, at offset 40."),
    ("spectrum", {"d_model": 512, "position": 150}, "95 of 256 pairs are longer than the context"),
    ("training", {"look": 4}, "Step 64: 93 % right at 16 words"),
    ("training", {"look": 25, "row": 30}, "has not moved"),
]

# In each of these states, the text below the picture must contain the given text.
# The comparison ignores the Markdown signs for bold type.
READINGS: list[tuple[str, Values, str]] = [
    (
        "attention",
        {"chosen": 1},
        "Dot products: 1.62 good, 2.41 not, 0.60 bad. Weights: 0.31 good, 0.54 not, 0.15 bad. "
        "Output: (0.55, 1.12)",
    ),
    (
        "attention",
        {"positions": True, "backwards": True},
        "Weights: 0.19 good, 0.76 not, 0.05 bad. Output: (1.39, 1.68)",
    ),
    (
        "biases",
        {"query": 40, "offset": -20},
        "slope 0.125. Nine tenths of the attention: on 19 of 41 words. "
        "20 before, “key,”: bias −2.50, attention 0.0097.",
    ),
    (
        "biases",
        {"scheme": "t5", "query": 60, "offset": -50},
        "50 before, “Every”: bias −2.40, attention 0.0066.",
    ),
    ("circuit", {"position": 14}, "Layer 2, from d at 14: word before 0.30, itself 0.09"),
    ("circuit", {"position": 14}, "It answers h, which is wrong. The letter before is f."),
    ("circuit", {"position": 0}, "itself alone. There is no word before the first one."),
    (
        "context",
        {"method": "ntk", "factor": 4.0, "length": 8192, "pair": 30},
        "22 of 64 clocks at new angles. Pair 30: 8.985 turns; training showed all angles.",
    ),
    (
        "context",
        {"method": "dynamic", "factor": 2.0, "length": 4096},
        "22 of 64 clocks at new angles",
    ),
    (
        "counter",
        {"position": 6},
        "6 is 0110. A digit is 1 where its hand points left. Sines: 0.56, −0.92, −0.71, 1.00.",
    ),
    ("game", {"guess": 412.3}, "Your hands show position 412.3."),
    ("game", {"level": "base"}, "the slowest hand comes round every 199 positions"),
    (
        "game",
        {"guess": 260, "rounds": 1, "answered": True, "score": 7},
        "It was position 257. You said 260, which is 3 off. That earns 7 points.",
    ),
    (
        "game",
        {"guess": 257, "rounds": 1, "answered": True, "score": 10},
        "It was position 257. You found it exactly. That earns 10 points.",
    ),
    ("game", {"rounds": 10, "score": 87, "beat": 80}, "87 of 100 points. You have beaten 80."),
    ("game", {"rounds": 10, "score": 60, "beat": 80}, "The score to beat was 80."),
    (
        "grid",
        {"scheme": "mixed", "row": 2, "column": 12, "down": 4},
        "score 0.7108, the same everywhere. Highest besides itself, 0.9659: "
        "(1, 12), (2, 11), (2, 13), (3, 12).",
    ),
    ("grid", {"row": 0, "column": 0, "down": -1}, "(0, 0) with a patch outside"),
    (
        "heatmap",
        {"d_model": 8, "positions": 10, "position": 5, "dim": 1},
        "back every 6.28 positions PE(5, 1)",
    ),
    ("heatmap", {"d_model": 8, "positions": 10, "position": 5, "dim": 1}, "= cos(5) = 0.2837"),
    ("layers", {"model": "Mistral 7B v0.1"}, "5,000 back: no layer can tell it by itself"),
    (
        "layers",
        {"model": "gpt-oss 20B", "query": 999, "key": 900},
        "99 back: all 24 layers can tell it",
    ),
    (
        "leak",
        {"shuffle": 7, "layers": 2},
        "changes by 0.42 as letters before it change places. Of all 6 outputs, 6 changed.",
    ),
    (
        "leak",
        {"shuffle": 0},
        "One layer, mask: the letters stand in their first order. There is nothing to notice yet.",
    ),
    (
        "machine",
        {"part": "shuffle", "order": [0, 1, 6, 3, 4, 5, 2, 7, 8]},
        "The largest change of a number is 0.00, so attention did not notice.",
    ),
    (
        "machine",
        {"part": "wave", "position": 5.0},
        "Position 5, “young”: the hand points −0.96 to the right and 0.28 up.",
    ),
    (
        "machine",
        {"part": "speeds", "position": 6.0},
        "the first hand has turned by 344 degrees, the fourth by 61, and the last by 6.",
    ),
    (
        "machine",
        {"part": "partner", "position": 1.0, "cosine": False},
        "sine alone: give or take 0.25, the numbers fit positions 1, 2, 7, 8.",
    ),
    (
        "machine",
        {"part": "angle", "position": 8.0, "key": 2.0},
        "their fastest hands differ by 16 degrees. The dot product of their rows is 0.15.",
    ),
    (
        "machine",
        {"part": "learned", "position": 7.0, "trained": 40},
        "Row 7, after 40 steps: it is recognised as row 7 with a probability of 13 %. No text",
    ),
    (
        "machine",
        {"part": "nothing", "position": 4.0},
        "sees itself and 4 words before it. If it looks at all of them equally, each share is 0.20",
    ),
    (
        "machine",
        {"part": "rotary", "position": 8.0, "key": 5.0},
        "Query at 8, key at 5: the score is −1.43, as at any two positions with offset 3.",
    ),
    ("machine", {"part": "bias"}, "slope 0.25: the first word gets 1.9 %"),
    (
        "machine",
        {"part": "stretch", "position": 32.0},
        "Position 32: 7 new directions. The fastest hand turns 57 degrees a word.",
    ),
    ("machine", {"part": "axes", "position": 5.0}, "“young” stands in column 2 and in row 1"),
    (
        "machine",
        {"part": "layers", "layer": 3},
        "“the”, layer 3: 47 % of its attention goes to “the” at position 0.",
    ),
    ("machine", {"part": "length", "length": 1000}, "1,000 words: “noon” gets 29 % of the"),
    ("offset", {"position": 233, "offset": 37}, "Positions 233 and 196: score 0.49518."),
    (
        "offset",
        {"between": "random", "position": 100.5, "offset": -7},
        "Positions 100.5 and 107.5: score 0.21495.",
    ),
    (
        "order",
        {"place": 6.0},
        "the old bites a young man dog Largest change of an output: 0 (below 10^−12^).",
    ),
    (
        "order",
        {"causal": True, "view": "scores"},
        "dog sees the, old, dog: weights 0.16, 0.29, 0.55.",
    ),
    ("phase", {"position": 11, "digits": 3}, "5 positions below 400 agree: 11, 55, 300, 344, 388"),
    (
        "phase",
        {"position": 137, "digits": 1, "read": [0, 1, 2, 3], "story": "nearest"},
        "99.7 → 137.3 → 137.2 → 137.0. Only one",
    ),
    (
        "phase",
        {"story": "find", "positions": 1000, "position": 150, "read": [0, 1, 2]},
        "Position 150 puts the hands on 10, 5, 3. 2 positions below 1000 agree: 150, 778",
    ),
    (
        "rotary",
        {"vectors": "peak"},
        "Query at 7, key at 3: score 23.3527. All pairs of words at offset 4 have "
        "this score. The largest score is 64.0, at offset 40.",
    ),
    (
        "rotary",
        {"query": 20, "key": 180, "shift": 1234},
        "Query at 1,254, key at 1,414: score 21.7249.",
    ),
    (
        "spectrum",
        {"d_model": 512, "position": 150},
        "from 6.28 to 60,611, ratio 1.037. 95 of 256 pairs",
    ),
    ("spectrum", {"d_model": 512, "position": 150}, "Position 150: 23.9 turns"),
    (
        "spectrum",
        {"d_model": 8, "position": 63},
        "Position 63: the hands have made 10.03, 1.00, 0.10 and 0.01 turns.",
    ),
    (
        "training",
        {"look": 4},
        "Step 64: 93 % right at 16 words, looks one back in 15 of 15 rows. Row 7 has moved by 0.48",
    ),
    ("training", {"look": 4, "row": 30}, "Row 30 has not moved"),
]

# Each entry has a state, a changed trait, and the values that other traits must then have.
FOLLOWERS: list[tuple[str, Values, Values, Values]] = [
    (
        "heatmap",
        {"d_model": 64, "position": 60, "dim": 60},
        {"d_model": 8, "positions": 10},
        {"position": 9, "dim": 7},
    ),
    ("phase", {"position": 300}, {"positions": 100}, {"position": 99}),
    ("spectrum", {"length": 2048, "position": 2000}, {"length": 100}, {"position": 99}),
]

# If a reader enters other words, an explorer must show no story, since no story fits them.
UNTOLD: list[tuple[str, Values]] = [
    ("order", {"words": ["one", "two", "three"]}),
    ("biases", {"words": ["one", "two", "three"] * 20}),
]

# Curves and dots are in the units of the axes, and tips of hands in units of the radius.
# The widths of lines and the heights of bars are given in pixels.
MARKS: list[ExpectedMarks] = [
    ExpectedMarks(
        "attention",
        {"chosen": 2},
        "widths",
        lambda explorer: 14 * attended.of(explorer)["weights"][2],
        colour="purple",
    ),
    ExpectedMarks(
        "biases",
        {"head": 3, "offset": -20},
        "curve",
        lambda explorer: (np.arange(-150, 1), bias(explorer, np.arange(-150, 1))),
        colour="purple",
    ),
    ExpectedMarks(
        "biases",
        {"scheme": "t5", "causal": False, "offset": 33},
        "dot",
        lambda explorer: (33, bias(explorer, 33)),
    ),
    ExpectedMarks(
        "biases",
        {"scheme": "t5", "offset": -20},
        "curve",
        stairs,
        colour="purple",
    ),
    ExpectedMarks(
        "circuit",
        {"position": 15, "trained": False},
        "widths",
        lambda explorer: np.maximum(
            26 * np.r_[attended.layers(explorer)[0][14, :15], attended.layers(explorer)[1][15]], 0.3
        ),
        colour="purple",
    ),
    ExpectedMarks(
        "circuit",
        {"position": 8},
        "widths",
        lambda explorer: np.maximum(
            26 * np.r_[attended.layers(explorer)[0][7, :8], attended.layers(explorer)[1][8, :9]],
            0.3,
        ),
        colour="purple",
    ),
    ExpectedMarks(
        "context",
        {"length": 2048, "pair": 63},
        "hands",
        lambda explorer: tips_at(2048 * scale_frequencies(explorer)[[*range(64), 63]]),
        colour="ink",
    ),
    ExpectedMarks("counter", {"position": 6}, "hands", lambda _: counter_tips(6, 0), colour="ink"),
    ExpectedMarks(
        "counter",
        {"position": 9.25, "roundness": 0.5},
        "hands",
        lambda _: counter_tips(9.25, 0.5),
        colour="ink",
    ),
    ExpectedMarks(
        "counter",
        {"position": 9.25, "roundness": 1},
        "depths",
        lambda _: counter_tips(np.arange(10), 1)[..., 0],
        colour="blue",
    ),
    ExpectedMarks(
        "game",
        {"guess": 412.25, "level": "noise", "seed": 3, "rounds": 4},
        "hands",
        lambda explorer: np.hstack(
            [tips_at(game.compute_dashed_angles(explorer)), tips_at(412.25 * game.speeds(explorer))]
        ).reshape(-1, 2),
        colour="ink",
    ),
    ExpectedMarks(
        "grid",
        {"scheme": "mixed", "row": 2, "column": 12, "down": 4},
        "map",
        lambda explorer: [*rescale_scores(patches.scores(explorer)[2, 12]), *np.arange(24) / 23],
    ),
    ExpectedMarks(
        "grid",
        {"scheme": "axial", "row": 5, "down": 4},
        "hands",
        lambda _: tips_at(np.delete(np.repeat(np.arange(14), 2), [10, 13])),
        colour="muted",
    ),
    ExpectedMarks(
        "grid",
        {"scheme": "axial", "row": 5, "down": 4, "right": 1},
        "hands",
        lambda _: tips_at([5, 6, 9, 5, 7, 6]),
        colour="ink",
    ),
    ExpectedMarks(
        "heatmap",
        {"d_model": 16, "positions": 40, "base": 200.0},
        "map",
        lambda _: encode(range(40), 16, 200),
    ),
    ExpectedMarks(
        "heatmap",
        {"d_model": 16, "positions": 40, "base": 200.0},
        "edges",
        lambda _: ([-0.5, 15.5], [-0.5, 39.5]),
    ),
    ExpectedMarks(
        "heatmap",
        {"d_model": 16, "position": 31, "dim": 7},
        "hands",
        lambda _: pairs_of(31)[[3, 3]],
        colour="ink",
    ),
    ExpectedMarks("heatmap", {"d_model": 16, "position": 31, "dim": 7}, "frame", lambda _: (7, 31)),
    ExpectedMarks(
        "layers",
        {"model": "T5 small", "query": 300, "key": 220},
        "line",
        lambda _: 80,
        colour="purple",
        axis="log",
    ),
    ExpectedMarks(
        "layers",
        {"model": "Gemma 3 1B", "query": 10_000, "key": 9_900},
        "words",
        # the hundredth word before the last word of Alice in Wonderland
        lambda _: ["heavy", "days."],
    ),
    ExpectedMarks(
        "leak",
        {"layers": 2, "shuffle": 5, "causal": False, "encoded": True},
        "bars",
        lambda explorer: 22 * np.minimum(untrained.changes(explorer), 1),
    ),
    ExpectedMarks(
        "leak",
        {"layers": 1, "shuffle": 9, "encoded": True},
        "hands",
        lambda _: tips_at(range(6)),
        colour="ink",
    ),
    ExpectedMarks(
        "leak",
        {"layers": 1, "shuffle": 9},
        "signed",
        lambda explorer: untrained.outputs(explorer, untrained.find_order(explorer)) / 3,
    ),
    ExpectedMarks(
        "machine",
        {"part": "speeds", "position": 5.0},
        "hands",
        lambda explorer: machine.tips(explorer.position),
        colour="ink",
    ),
    ExpectedMarks(
        "machine",
        {"part": "speeds", "position": 5.0},
        "depths",
        lambda _: encode(range(9), 16, 100)[:, ::2].T.ravel(),
        colour="blue",
    ),
    ExpectedMarks(
        "machine",
        {"part": "shuffle", "order": [0, 1, 6, 3, 4, 5, 2, 7, 8], "clocks": True},
        "words",
        lambda explorer: [f"{much:.2f}" for much in machine.changes(explorer)[explorer.order]],
    ),
    ExpectedMarks(
        "machine",
        {"part": "angle", "position": 7.0, "key": 3.0, "pairs": 8},
        "hands",
        lambda _: np.hstack([machine.tips(3), machine.tips(7)]),
        colour="ink",
    ),
    ExpectedMarks(
        "machine",
        {"part": "stretch", "position": 20.0, "factor": 4},
        "hands",
        lambda _: machine.tips(5),
        colour="ink",
    ),
    ExpectedMarks(
        "machine",
        {"part": "stretch", "position": 20.0, "factor": 4},
        "map",
        lambda _: encode(np.arange(33) / 4, 16, 100),
    ),
    ExpectedMarks(
        "offset",
        {"d_model": 8, "position": 233, "offset": 37},
        "hands",
        lambda _: np.hstack([pairs_of(196, 8), pairs_of(233, 8)]),
        colour="ink",
    ),
    ExpectedMarks(
        "offset",
        {"d_model": 2, "offset": 3},
        "hands",
        lambda _: np.hstack([pairs_of(147, 2), pairs_of(150, 2)]),
        colour="ink",
    ),
    ExpectedMarks(
        "offset",
        {"d_model": 8, "between": "nothing"},
        "curve",
        lambda explorer: (QUARTERS, angles.scores(explorer, 150, QUARTERS)),
        colour="green",
    ),
    ExpectedMarks(
        "offset",
        {"d_model": 8, "between": "random", "position": 250, "offset": 7},
        "dot",
        lambda explorer: (7, angles.scores(explorer, 250, 7)),
    ),
    ExpectedMarks(
        "order",
        {"order": [6, 5, 4, 3, 2, 1, 0]},
        "words",
        lambda explorer: [explorer.words[k] for k in attended.find_order(explorer)],
        colour="ink",  # the words in their old order are drawn in a muted colour
    ),
    ExpectedMarks(
        "order",
        {"causal": True, "word": 4},
        "words",
        lambda explorer: [f"{share:.2f}" for share in attended.of(explorer)["weights"][4]],
    ),
    ExpectedMarks(
        "order",
        {"causal": True, "order": [6, 3, 2, 0, 5, 1, 4], "view": "scores"},
        "scores",
        lambda explorer: attended.of(explorer)["scores"],
    ),
    ExpectedMarks(
        "phase",
        {"position": 18, "positions": 22, "digits": 1, "cosines": True},
        "hands",
        lambda _: tips_at([18]),
        colour="ink",
    ),
    ExpectedMarks(
        "phase",
        {"position": 4, "positions": 22, "digits": 1},
        "shadows",
        lambda _: (np.sin([4, 18]), [4, 18]),
    ),
    ExpectedMarks(
        "phase",
        {"story": "nearest", "position": 137, "read": [1, 2], "off": 0.1},
        "hands",
        lambda _: tips_at([1.27, 13.8]),
        colour="ink",
    ),
    ExpectedMarks(
        "phase",
        {"story": "find", "positions": 1000, "position": 150, "read": [0, 1, 3]},
        "hands",
        lambda _: tips_at([150, 15, 0.15]),
        colour="ink",
    ),
    ExpectedMarks(
        "rotary",
        {"key": 180, "shift": 1234},
        "hands",
        lambda _: drawn_directions(rotate(np.ones(64), 1414)),
        colour="ink",
    ),
    ExpectedMarks(
        "rotary",
        {"query": 20, "key": 180, "vectors": "random"},
        "dot",
        lambda explorer: (-160, angles.rotary(explorer)),
    ),
    ExpectedMarks(
        "rotary",
        {"query": 20, "shift": 1234},
        "hands",
        lambda _: drawn_directions(rotate(np.ones(64), 1254)),
        colour="purple",
    ),
    ExpectedMarks(
        "rotary",
        {"vectors": "peak"},
        "curve",
        lambda explorer: (np.arange(-250, 251), angles.rotary(explorer, np.arange(-250, 251))),
        colour="green",
    ),
    ExpectedMarks(
        "spectrum",
        {"d_model": 16, "base": 500.0},
        "waves",
        lambda _: wavelengths(16, 500),
        colour="ink",
        axis="log",
    ),
    ExpectedMarks(
        "spectrum",
        {"d_model": 16, "position": 5},
        "hands",
        lambda _: tips_at(5 * frequencies(16)),
        colour="ink",
    ),
    ExpectedMarks(
        "spectrum",
        {"story": "context", "length": 90},
        "line",
        lambda _: 90,
        colour="green",
        axis="log",
    ),
    ExpectedMarks(
        "spectrum", {"position": 62.83}, "line", lambda _: 62.83, colour="ink", axis="log"
    ),
    ExpectedMarks(
        "training",
        {"look": 5, "view": "similarity"},
        "map",
        lambda explorer: maps(explorer.recording, "learned", "similarity")[5],
    ),
    ExpectedMarks(
        "training",
        {"look": 5, "view": "attention"},
        "map",
        lambda explorer: np.minimum(1, 2 * maps(explorer.recording, "learned", "attention")[5]),
    ),
    ExpectedMarks(
        "training",
        {"look": 5, "row": 7},
        "curve",
        lambda explorer: (
            4 * np.arange(100) + 2,
            np.minimum(explorer.recording["runs"][0]["loss"], 2.5),
        ),
        colour="ink",
        axis="first",
    ),
]
