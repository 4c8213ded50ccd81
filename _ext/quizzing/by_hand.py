"""Describe pictures in which readers set an answer, and clocks that explain a wrong answer.

`PICTURES` has a function for each question with such a picture. From the question's numbers, it
returns the data from which the module `by_hand/NAME.mjs` draws the picture. `HANDS` has a function
for each question whose answer is a position or an angle, and it returns clocks. A clock shows the
angle `frequency` times number `of` of the answer, or the point whose sine and cosine are numbers.
"""

import math
from collections.abc import Callable
from typing import Any, TypeVar

from pe_lib.course.grading.sheet import Given, Question

Data = dict[str, Any]
Function = TypeVar("Function")


def describe_pictures(question: Question, draws: list[Given]) -> list[Data] | None:
    """Describe the picture in which a reader sets an answer, for each set of numbers.

    Return None if the question has no such picture.
    """
    describe = _find(PICTURES, question)
    return [describe(numbers) for numbers in draws] if describe else None


def describe_hands(question: Question, draws: list[Given]) -> list[list[Data]] | None:
    """Describe the clocks that show a wrong answer beside the right one, for each set of numbers.

    Return None if the answer is no position and no angle.
    """
    describe = _find(HANDS, question)
    return [describe(numbers) for numbers in draws] if describe else None


def _find(table: dict[str, Function], question: Question) -> Function | None:
    return table.get(f"{question.sheet[:2]} {question.name}")


# --- Pictures with clocks ---


def _clocks(most: int, *clocks: Data, **more: Any) -> Data:
    """Describe a picture with clocks, in which a reader sets a position from 0 to `most`.

    A clock may show a `sine` or a `cosine` that its hand has to reach, a dashed hand at an `angle`
    with the `error` by which it may be off, or the position `at` which it stands still. It `reads`
    sine, cosine, the angle within a turn, or turns.
    """
    all_clocks = [{"name": f"The hand of {clock['says']}"} | clock for clock in clocks]
    return {"kind": "clocks", "most": most, "clocks": all_clocks, **more}


def _slow_sine(g: Given) -> Data:
    clock = {"says": "pair 3", "frequency": 0.001, "sine": g.value, "reads": ["sine"], "digits": 6}
    return _clocks(1_570, clock, start=300)


def _pair_position(g: Given) -> Data:
    marks = {"sine": g.sine, "cosine": g.cosine, "reads": ["sine", "cosine"], "digits": 6}
    return _clocks(627, {"says": "pair 2", "frequency": 0.01, **marks}, start=60)


def _two_clocks(g: Given) -> Data:
    slow = {
        "says": "slow",
        "name": "The slow hand",
        "frequency": 0.01,
        "angle": g.slow,
        "error": 0.1,
    }
    fast = {"says": "fast", "name": "The fast hand", "frequency": 0.1, "angle": g.fast}
    return _clocks(
        627,
        {**slow, "angle": g.slow, "reads": ["angle"], "digits": 2},
        {**fast, "angle": g.fast, "reads": ["angle"], "digits": 2},
        start=60,
    )


def _same_angle(g: Given) -> Data:
    ratio = g.base ** (1 / 4)
    quick, slow = (ratio**-pair for pair in (g.first, g.second))
    return _clocks(
        5_000,
        {"says": f"pair {g.first}", "frequency": quick, "at": g.k, "reads": ["turns"], "digits": 3},
        {"says": f"pair {g.second}", "frequency": slow, "reads": ["turns"], "digits": 3},
        start=g.k,
    )


def _cosine_alone(g: Given) -> Data:
    clock = {"says": "pair 1", "frequency": 0.1, "cosine": g.value, "error": 0.005}
    return _clocks(g.stop - 1, {**clock, "reads": ["cosine"], "digits": 4}, start=0, marks=True)


def _turn_by_hand(g: Given) -> Data:
    clock = {"says": "this pair", "frequency": 1, "from": math.atan2(g.sine, g.cosine)}
    return _clocks(10, {**clock, "reads": ["sine", "cosine"], "digits": 4}, start=0, least=-10,
                   gives="entries")  # fmt: skip


# --- Pictures with cells, words and lines ---


def _unreached_rows(g: Given) -> Data:
    return {"kind": "cells", "count": g.rows, "says": "row"}


def _swapped_words(g: Given) -> Data:
    return {"kind": "cells", "count": g.length, "says": "word", "marked": [g.first, g.second]}


def _shared_bucket(g: Given) -> Data:
    return {"kind": "stretch", "most": 127, "start": [g.n, g.n], "marked": g.n, "says": "distance"}


def _uniform_causal(g: Given) -> Data:
    return {
        "kind": "stretch",
        "most": g.length - 1,
        "start": [g.t, g.t],
        "marked": g.t,
        "says": "position",
        "variance": g.variance,
    }


def _moved_rows(g: Given) -> Data:
    return {"kind": "words", "rows": g.rows, "order": g.order, "row": g.row}


def _one_shift(g: Given) -> Data:
    return {"kind": "arrows", "steps": [["a", g.a], ["b", g.b], ["c", g.c]]}


def _kernel_at(g: Given) -> Data:
    return {"kind": "twins", "d_model": g.d_model, "most": 120}


def _grid_dot(_: Given) -> Data:
    return {"kind": "patches", "size": 10}


def _two_columns(g: Given) -> Data:
    dimensions = [g.heatmap.index(column) for column in (g.first, g.second)]
    return {"kind": "columns", "d_model": 10, "base": 32, "positions": 22, "dimensions": dimensions}


def _longer_pairs(g: Given) -> Data:
    return {"kind": "spectrum", "pairs": g.pairs, "base": g.base, "length": g.length}


PICTURES: dict[str, Callable[[Given], Data]] = {
    "01 moved_rows": _moved_rows,
    "02 two_columns": _two_columns,
    "03 same_angle": _same_angle,
    "03 longer_pairs": _longer_pairs,
    "04 slow_sine": _slow_sine,
    "04 pair_position": _pair_position,
    "04 cosine_alone": _cosine_alone,
    "04 two_clocks": _two_clocks,
    "05 turn_by_hand": _turn_by_hand,
    "05 one_shift": _one_shift,
    "05 kernel_at": _kernel_at,
    "06 unreached_rows": _unreached_rows,
    "07 uniform_causal": _uniform_causal,
    "07 swapped_words": _swapped_words,
    "09 shared_bucket": _shared_bucket,
    "11 grid_dot": _grid_dot,
}


# --- Clocks that show a wrong answer beside the right one ---


def _angle(says: str, frequency: float, number: int = 0) -> Data:
    return {"says": says, "frequency": frequency, "of": [number]}


def _point(says: str, first: int) -> Data:
    return {"says": says, "of": [first, first + 1]}


HANDS: dict[str, Callable[[Given], list[Data]]] = {
    "02 whole_vector": lambda g: [_point(f"pair {pair}", 2 * pair) for pair in range(4)],
    "03 same_angle": lambda g: [_angle(f"pair {g.second}", g.base ** (-g.second / 4))],
    "04 slow_sine": lambda g: [_angle("pair 3", 0.001)],
    "04 pair_position": lambda g: [_angle("pair 2", 0.01)],
    "04 two_clocks": lambda g: [_angle("slow", 0.01), _angle("fast", 0.1)],
    "05 turn_by_hand": lambda g: [_point("this pair", 0)],
    "05 one_shift": lambda g: [_angle("a pair of 0.1 radians a position", 0.1)],
    "10 interpolated_position": lambda g: [_angle("once round in training", math.tau / g.trained)],
    "10 seen_offsets": lambda g: [
        _angle(way, math.tau / g.target, number)
        for number, way in enumerate(("clipped", "wrapped", "interpolated"))
    ],
    "10 known_arc": lambda g: [
        _angle(way, math.tau / 360, number)
        for number, way in enumerate(("unscaled", "interpolated", "new base"))
    ],
    "12 axis_angles": lambda g: [
        _angle(f"pair {pair}", 1, number) for number, pair in enumerate((g.a, g.b, g.c))
    ],
    "13 stale_angle": lambda g: [_angle("the difference", 1)],
}
