"""The library behind *Order Matters*, the executable course on positional encoding.

The core needs numpy alone:

    frequencies, wavelengths, encode        the sinusoidal encoding
    rotation, shift, kernel                 what it says about offsets
    positions_from_value, positions_from_pair, position_from_encoding     and back again

Throughout: positions start at 0; pair i of an encoding, 0 <= i < d_model/2, is its dimensions
2i (sine) and 2i + 1 (cosine); frequencies are in radians per position, wavelengths in positions.
"""

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
