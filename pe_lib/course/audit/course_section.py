"""The course section: a worked table, its sum, an inversion, and a practice question.

The printed numbers are text, in the page's order. Positions are the page's k, the base is its n
("scalar").
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache

import numpy as np

from pe_lib.candidates import positions_from_value
from pe_lib.course.audit.oracles import Array, printed_on
from pe_lib.course.audit.readings import readings
from pe_lib.course.model import Transformer
from pe_lib.course.model.transformer import softmax
from pe_lib.sinusoidal import encode

PRINTED = printed_on("course_section")
# the worked example: "classify the book" at base 100 and d_model 16
WIDTH, BASE = 16, 100.0
PAIRS, BOOK, SUM = (PRINTED[name] for name in ("pairs", "book", "sum"))
ROWS = [row.split() for row in PRINTED["rows"]]
# the practice question: which position prints VALUE at dimension DIM of D_MODEL, base 10,000?
VALUE, DIM, D_MODEL, ANSWER = "0.488814", 1088, 5120, 7
CONDITIONS_KEPT, CONDITIONS_CHANGED = PRINTED["kept"], PRINTED["changed"]


def steepest(places: Array, seed: int) -> float:
    """The largest derivative of a weight by its score, w (1 - w), in the row of a random attention
    over words at some places, (n, 16), where it is least; at most 1/4."""
    rng = np.random.default_rng(seed)
    words, q, k = rng.standard_normal(places.shape), *rng.standard_normal((2, 16, 16)) / 4
    x = words + places
    weights = softmax((x @ q) @ (x @ k).T / 4)
    return float((weights * (1 - weights)).max(axis=1).min())


def minus(text: str) -> str:
    """The text with minus signs where it has hyphens."""
    return text.replace("-", "−")


@cache
def another_vector() -> tuple[frozenset[str], float]:
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


def position_told(seed: int) -> float:
    """The share of the position's variance that a probe explains in an untrained causal rotary
    network: chapter 7's, linear in the outputs and their squares, tested on fresh words."""
    model = Transformer(8, 8, "rotary", causal=True, seed=seed)
    rng = np.random.default_rng(seed)
    t = np.tile(np.arange(32.0), 128)

    def features() -> Array:
        x = model.hidden(rng.integers(8, size=(128, 32)))[-1].reshape(-1, 32).astype(float)
        return np.column_stack([x, x**2, np.ones(len(x))])

    weights = np.linalg.lstsq(features(), t, rcond=None)[0]
    return float(1 - ((features() @ weights - t) ** 2).mean() / t.var())


@cache
def candidates(dim: int, d_model: int, base: float) -> list[int]:
    """Every position below a million that prints VALUE, rounded or cut."""
    digit = Decimal(1).scaleb(int(Decimal(VALUE).as_tuple().exponent))
    low, high = float(Decimal(VALUE) - digit / 2), float(Decimal(VALUE) + digit)
    found = positions_from_value(
        (low + high) / 2, dim, d_model, base, max_position=1_000_000, atol=(high - low) / 2
    )
    return [int(k) for k in found]
