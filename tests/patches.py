"""Use pe_lib to compute the scores between the patches of a picture."""

from typing import Any

import numpy as np

from pe_lib import encode
from pe_lib.grid import encode_grid, rotate_grid

SIDE, WIDTH, BASE, UP, LEFT = 14, 64, 100.0, 2, 3
GOLDEN = 0.6180339887498949
ANGLES = np.pi / 2 * (np.arange(WIDTH // 4) * GOLDEN % 1)  # one rotation angle for each frequency


def scores(e: Any) -> Any:
    """Return the score of each patch (axes 0 and 1) with every patch (axes 2 and 3)."""
    rows, columns = np.arange(SIDE)[:, None], np.arange(SIDE)
    match e.scheme:
        case "rotary":
            key = np.tile([1.0, 0.0], WIDTH // 2)
            query = rotate_grid(key, -UP, -LEFT, BASE)
            queries, keys = (rotate_grid(v, rows, columns, BASE) for v in (query, key))
        case "coordinates":
            both = np.broadcast_arrays(rows / (SIDE - 1), columns / (SIDE - 1))
            queries = keys = np.stack(both, axis=-1)
        case "numbered":
            queries = keys = encode(SIDE * rows + columns, WIDTH, BASE)
        case _:
            angle = ANGLES if e.scheme == "mixed" else 0.0
            queries = keys = encode_grid(rows, columns, WIDTH, BASE, angle)
    return np.einsum("rcd,RCd->rcRC", queries, keys) / (keys[-1, -1] @ keys[-1, -1])
