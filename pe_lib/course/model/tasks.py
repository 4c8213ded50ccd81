"""What a small Transformer can be asked to learn. A task draws fresh sequences and right answers.

Calling a task with a random generator, a batch and a length gives `tokens`, (batch, length), and
`targets`: (batch, length), or (batch,) if the task is pooled; -1 does not count. Sizes that are no
positive integers raise TypeError or ValueError.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_lib import _checks

Integers = NDArray[np.integer[Any]]
Draw = Callable[[np.random.Generator, int, int], tuple[Integers, Integers]]


@dataclass(frozen=True)
class Task:
    """A task: how many tokens and classes it has, whether it is pooled, and how it draws."""

    name: str
    vocabulary: int
    classes: int
    pooled: bool
    draw: Draw

    def __call__(
        self, rng: np.random.Generator, batch: int, length: int
    ) -> tuple[Integers, Integers]:
        return self.draw(
            rng, _checks.integer("batch", batch, 1), _checks.integer("length", length, 1)
        )


def previous(vocabulary: int = 8) -> Task:
    """Say which token stood one place before; at position 0 nothing counts.

    >>> tokens, targets = previous()(np.random.default_rng(0), 1, 5)
    >>> print(tokens, targets)
    [[6 5 4 2 2]] [[-1  6  5  4  2]]
    """
    vocabulary = _checks.integer("vocabulary", vocabulary, 1)

    def draw(rng: np.random.Generator, batch: int, length: int) -> tuple[Integers, Integers]:
        tokens = rng.integers(vocabulary, size=(batch, length))
        targets = np.full_like(tokens, -1)
        targets[:, 1:] = tokens[:, :-1]
        return tokens, targets

    return Task("previous", vocabulary, vocabulary, False, draw)


def order(fillers: int = 5) -> Task:
    """Who bites? Tokens 0 (dog), 1 (man) and 2 (bites) stand among fillers; the answer is the noun
    before the verb. The other noun stands after it. Needs a length of at least 3.

    >>> tokens, targets = order()(np.random.default_rng(0), 2, 6)
    >>> print(tokens, targets)
    [[1 2 5 4 0 3]
     [1 3 2 7 6 0]] [1 1]
    """
    fillers = _checks.integer("fillers", fillers, 1)

    def draw(rng: np.random.Generator, batch: int, length: int) -> tuple[Integers, Integers]:
        if length < 3:
            raise ValueError(f"length must be at least 3 (dog, bites, man), got {length}")
        tokens = rng.integers(3, 3 + fillers, size=(batch, length))
        biter = rng.integers(2, size=batch)
        places = np.sort(rng.random((batch, length)).argsort(axis=1)[:, :3], axis=1)
        words = np.stack([biter, np.full(batch, 2), 1 - biter], axis=1)
        np.put_along_axis(tokens, places, words, axis=1)
        return tokens, biter

    return Task("order", 3 + fillers, 2, True, draw)


def counting(words: int = 8) -> Task:
    """Is the review good? The lower half of the tokens praises, the upper half complains; the
    answer is 1 if more than half of them praise. The order has no say in it.

    >>> tokens, targets = counting()(np.random.default_rng(0), 2, 5)
    >>> print(tokens, targets)
    [[6 5 4 2 2]
     [0 0 0 1 6]] [0 1]
    """
    words = _checks.integer("words", words, 2)

    def draw(rng: np.random.Generator, batch: int, length: int) -> tuple[Integers, Integers]:
        tokens = rng.integers(words, size=(batch, length))
        praise = (tokens < words // 2).sum(axis=1)
        return tokens, (2 * praise > length).astype(tokens.dtype)

    return Task("counting", words, 2, True, draw)


def latest(marked: int = 8, fillers: int = 8, share: float = 0.1) -> Task:
    """Name the last marked token up to here: the lower tokens are marked, the others are fillers.

    Each token is marked with the chance `share`; before the first of them nothing counts.

    >>> tokens, targets = latest(2, 2, 0.3)(np.random.default_rng(8), 1, 8)
    >>> print(tokens, targets)
    [[3 2 2 3 1 2 1 0]] [[-1 -1 -1 -1  1  1  1  0]]
    """
    marked = _checks.integer("marked", marked, 1)
    fillers = _checks.integer("fillers", fillers, 1)
    if not 0 < _checks.real("share", share) <= 1:
        raise ValueError(f"share must lie in 0 < share <= 1, got {_checks.short_repr(share)}")

    def draw(rng: np.random.Generator, batch: int, length: int) -> tuple[Integers, Integers]:
        tokens = rng.integers(marked, marked + fillers, size=(batch, length))
        chosen = rng.random((batch, length)) < share
        tokens = np.where(chosen, rng.integers(marked, size=(batch, length)), tokens)
        place = np.maximum.accumulate(np.where(chosen, np.arange(length), -1), axis=1)
        found = np.take_along_axis(tokens, np.maximum(place, 0), axis=1)
        return tokens, np.where(place >= 0, found, -1)

    return Task("latest", marked + fillers, marked, False, draw)


def facts(names: int = 8, numbers: int = 8, told: int = 4) -> Task:
    """Which number was told for this name? The lower tokens are names, the others numbers.

    In the first half of a text `told` names stand once each, and the number right after a name is
    told; in the second half each of them stands again, and the number is the answer. All other
    words are numbers drawn at random. Needs a length of at least 4 · told + 2.

    >>> tokens, targets = facts(2, 3, 1)(np.random.default_rng(1), 1, 8)
    >>> print(tokens, targets)
    [[3 0 2 4 2 0 4 4]] [[-1 -1 -1 -1 -1  0 -1 -1]]
    """
    names = _checks.integer("names", names, 1)
    numbers = _checks.integer("numbers", numbers, 1)
    if (told := _checks.integer("told", told, 1)) > names:
        raise ValueError(f"told must be at most names = {names}, got {told}")

    def draw(rng: np.random.Generator, batch: int, length: int) -> tuple[Integers, Integers]:
        if length < 4 * told + 2:
            raise ValueError(f"length must be at least 4 * told + 2 = {4 * told + 2}, got {length}")
        half = length // 2
        tokens = rng.integers(names, names + numbers, size=(batch, length))
        targets = np.full_like(tokens, -1)
        name = rng.random((batch, names)).argsort(axis=1)[:, :told]
        number = rng.integers(names, names + numbers, size=(batch, told))
        # every other place of the first half, from 0 or from 1, leaves room for the number
        place = 2 * rng.random((batch, (half - 1) // 2)).argsort(axis=1)[:, :told]
        place += rng.integers(2, size=(batch, 1))
        again = half + rng.random((batch, length - half)).argsort(axis=1)[:, :told]
        np.put_along_axis(tokens, place, name, axis=1)
        np.put_along_axis(tokens, place + 1, number, axis=1)
        np.put_along_axis(tokens, again, name, axis=1)
        np.put_along_axis(targets, again, number - names, axis=1)
        return tokens, targets

    return Task("facts", names + numbers, numbers, False, draw)
