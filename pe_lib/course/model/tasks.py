"""Define tasks on which a small Transformer can be trained.

Call a task with a random generator, a batch size and a length. It draws sequences and their right
answers. It returns `tokens`, of shape (batch, length), and `targets`. The targets have the shape
(batch, length), or (batch,) if the task is pooled, and a target of -1 does not count. A size that
is not a positive integer raises TypeError or ValueError.
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
    """A task for training: how many tokens and classes it has, and a function that draws sequences.

    A pooled task has one answer per sequence, and any other task has one answer per position.
    """

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
    """Return the task of naming, at each position, the token at the position before.

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
    """Return the task of saying who bites whom, in texts like "dog bites man" with words between.

    The tokens are 0 for dog, 1 for man and 2 for bites, and larger ones for fillers. The answer is
    the noun before the verb, and the other noun stands after it. The length must be at least 3.

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
        positions = np.sort(rng.random((batch, length)).argsort(axis=1)[:, :3], axis=1)
        words = np.stack([biter, np.full(batch, 2), 1 - biter], axis=1)
        np.put_along_axis(tokens, positions, words, axis=1)
        return tokens, biter

    return Task("order", 3 + fillers, 2, True, draw)


def counting(words: int = 8) -> Task:
    """Return the task of saying whether a review contains more praise than complaints.

    The lower half of the tokens are words of praise and the upper half complaints. The answer is 1
    if more than half of a text is praise, so the order of its words does not matter.

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
    """Return the task of naming, at each position, the last marked token up to this position.

    The lower tokens are the marked ones and the others are fillers. Each position gets a marked
    token with probability `share`. Before the first marked token no answer counts.

    >>> tokens, targets = latest(2, 2, 0.3)(np.random.default_rng(8), 1, 8)
    >>> print(tokens, targets)
    [[3 2 2 3 1 2 1 0]] [[-1 -1 -1 -1  1  1  1  0]]
    """
    marked = _checks.integer("marked", marked, 1)
    fillers = _checks.integer("fillers", fillers, 1)
    if not 0 < _checks.real("share", share) <= 1:
        raise ValueError(f"share must lie in 0 < share <= 1, got {_checks.quote(share)}")

    def draw(rng: np.random.Generator, batch: int, length: int) -> tuple[Integers, Integers]:
        tokens = rng.integers(marked, marked + fillers, size=(batch, length))
        chosen = rng.random((batch, length)) < share
        tokens = np.where(chosen, rng.integers(marked, size=(batch, length)), tokens)
        last = np.maximum.accumulate(np.where(chosen, np.arange(length), -1), axis=1)
        answers = np.take_along_axis(tokens, np.maximum(last, 0), axis=1)
        return tokens, np.where(last >= 0, answers, -1)

    return Task("latest", marked + fillers, marked, False, draw)


def facts(names: int = 8, numbers: int = 8, count: int = 4) -> Task:
    """Return the task of recalling the number that followed a name earlier in the text.

    The lower tokens are names and the others are numbers. In the first half of a text, `count`
    names occur once each, and the number right after a name belongs to it. In the second half each
    of these names occurs again, and its number is the answer. All other tokens are random numbers.
    The length must be at least 4 · count + 2.

    >>> tokens, targets = facts(2, 3, 1)(np.random.default_rng(1), 1, 8)
    >>> print(tokens, targets)
    [[3 0 2 4 2 0 4 4]] [[-1 -1 -1 -1 -1  0 -1 -1]]
    """
    names = _checks.integer("names", names, 1)
    numbers = _checks.integer("numbers", numbers, 1)
    if (count := _checks.integer("count", count, 1)) > names:
        raise ValueError(f"count must be at most names = {names}, got {count}")

    def draw(rng: np.random.Generator, batch: int, length: int) -> tuple[Integers, Integers]:
        if length < 4 * count + 2:
            raise ValueError(
                f"length must be at least 4 * count + 2 = {4 * count + 2}, got {length}"
            )
        half = length // 2
        tokens = rng.integers(names, names + numbers, size=(batch, length))
        targets = np.full_like(tokens, -1)
        name = rng.random((batch, names)).argsort(axis=1)[:, :count]
        number = rng.integers(names, names + numbers, size=(batch, count))
        # In the first half, names stand at every other position, to leave room for their numbers.
        position = 2 * rng.random((batch, (half - 1) // 2)).argsort(axis=1)[:, :count]
        position += rng.integers(2, size=(batch, 1))
        repeat = half + rng.random((batch, length - half)).argsort(axis=1)[:, :count]
        np.put_along_axis(tokens, position, name, axis=1)
        np.put_along_axis(tokens, position + 1, number, axis=1)
        np.put_along_axis(tokens, repeat, name, axis=1)
        np.put_along_axis(targets, repeat, number - names, axis=1)
        return tokens, targets

    return Task("facts", names + numbers, numbers, False, draw)
