"""Run the experiments that check the claims of the course section.

The section works through a table and its sum, inverts an encoding, and asks a practice question.
Its printed numbers are kept as text, in the page's order. What the page calls k is our position,
and its n ("scalar") is our base.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache

import numpy as np

from pe_lib.candidates import positions_from_value
from pe_lib.course.audit.oracles import Array, printed_tables
from pe_lib.course.audit.readings import readings
from pe_lib.course.model import Transformer
from pe_lib.course.model.transformer import softmax
from pe_lib.sinusoidal import encode

PRINTED = printed_tables("course_section")
# The worked example on the page, "classify the book", with base 100 and d_model 16
WIDTH, BASE = 16, 100.0
PAIRS, BOOK, SUM = (PRINTED[name] for name in ("pairs", "book", "sum"))
ROWS = [row.split() for row in PRINTED["rows"]]
# A practice question shows entry DIM of an encoding, which is VALUE, and asks for the position.
VALUE, DIM, D_MODEL, ANSWER = "0.488814", 1088, 5120, 7
CONDITIONS_KEPT, CONDITIONS_CHANGED = PRINTED["kept"], PRINTED["changed"]


def steepest_weight(places: Array, seed: int) -> float:
    """Return how steeply a random attention layer's weights change with their scores.

    The derivative of a weight w by its score is w (1 - w), at most 1/4. The result is the largest
    derivative in the row where it is smallest. `places`, of shape (n, 16), is added to the words.
    """
    rng = np.random.default_rng(seed)
    words, q, k = rng.standard_normal(places.shape), *rng.standard_normal((2, 16, 16)) / 4
    x = words + places
    weights = softmax((x @ q) @ (x @ k).T / 4)
    return float((weights * (1 - weights)).max(axis=1).min())


def use_minus_signs(text: str) -> str:
    """Return a text with its hyphens replaced by minus signs."""
    return text.replace("-", "−")


@cache
def other_added_vectors() -> tuple[frozenset[str], float]:
    """Look for another vector and another position that could explain the page's printed sum.

    The function returns the readings that explain every entry, and the distance to the nearest
    position other than 2. Entry 3 is left out, because the page has a typing error there. A lost
    minus sign does not count as a reading, because a sum in which every sign changes is a
    difference.
    """
    dims = [2, *range(4, WIDTH)]
    differences = [Decimal(SUM.split()[j]) - Decimal(BOOK.split()[j]) for j in dims]
    possible_readings = [
        frozenset(readings(str(number), 2, j, WIDTH, BASE))
        for j, number in zip(dims, differences, strict=True)
    ]
    shared = frozenset.intersection(*possible_readings) - {"a minus sign lost", "as it stands"}
    table = np.delete(encode(range(20_000), WIDTH, BASE)[:, dims], 2, axis=0)
    return shared, float(np.abs(table - np.array(differences, float)).max(axis=1).min())


def position_share_explained(seed: int) -> float:
    """Return how well a probe reads positions from an untrained rotary network, as R².

    The network is causal. The probe is the one of chapter 7: it is linear in the outputs and their
    squares, and it is tested on fresh words.
    """
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
    """Return all positions below a million at which entry `dim`, when printed, may be VALUE."""
    digit = Decimal(1).scaleb(int(Decimal(VALUE).as_tuple().exponent))
    low, high = float(Decimal(VALUE) - digit / 2), float(Decimal(VALUE) + digit)
    positions = positions_from_value(
        (low + high) / 2, dim, d_model, base, max_position=1_000_000, atol=(high - low) / 2
    )
    return [int(k) for k in positions]
