"""The library behind *Order Matters*, the executable course on positional encoding.

It needs numpy alone. Here stand:

    frequencies, wavelengths, encode        the sinusoidal encoding
    rotation, shift, kernel                 what it says about offsets
    positions_from_value, positions_from_pair, position_from_encoding     and back again

and in modules of their own `rotary`, `biases`, `context` and `grid`. `pe_lib.course` is the floor
above, what the book needs; nothing here imports it, and it is installed by itself (order-matters).

Throughout: positions start at 0; pair i of an encoding, 0 <= i < d_model/2, is its dimensions
2i (sine) and 2i + 1 (cosine); frequencies are in radians per position, wavelengths in positions.
"""

import sys

from pe_lib._moved import Signpost
from pe_lib.decoding import position_from_encoding, positions_from_pair, positions_from_value
from pe_lib.relative import kernel, rotation, shift
from pe_lib.sinusoidal import encode, frequencies, wavelengths

__all__ = [
    "encode",
    "frequencies",
    "kernel",
    "position_from_encoding",
    "positions_from_pair",
    "positions_from_value",
    "rotation",
    "shift",
    "wavelengths",
]

if not any(isinstance(finder, Signpost) for finder in sys.meta_path):
    sys.meta_path.append(Signpost())
