"""The library behind *Order Matters*, the executable course on positional encoding.

It needs numpy alone. Here stand:

    frequencies, wavelengths, encode        the sinusoidal encoding
    rotation, shift, kernel                 what it says about offsets
    positions_from_value, positions_from_pair, position_from_encoding     and back again

and in modules of their own `rotary`, `biases`, `context` and `grid`, imported when first used,
`checkpoints`, which says what each layer of a published model does with positions, and `doctor`,
which says what is in an array of positions (`python -m pe_lib.doctor FILE`).
`pe_lib.course` is the floor above, what the book needs; nothing here imports it, and it is
installed by itself (order-matters).

Throughout: positions start at 0; pair i of an encoding, 0 <= i < d_model/2, is its dimensions
2i (sine) and 2i + 1 (cosine); frequencies are in radians per position, wavelengths in positions.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

from pe_lib.candidates import positions_from_pair, positions_from_value
from pe_lib.decoding import position_from_encoding
from pe_lib.relative import kernel, rotation, shift
from pe_lib.sinusoidal import encode, frequencies, wavelengths

if TYPE_CHECKING:
    from pe_lib import biases as biases
    from pe_lib import checkpoints as checkpoints
    from pe_lib import context as context
    from pe_lib import doctor as doctor
    from pe_lib import grid as grid
    from pe_lib import rotary as rotary

__version__ = "0.3.0"
__all__ = ["encode", "frequencies", "kernel", "position_from_encoding", "positions_from_pair",
           "positions_from_value", "rotation", "shift", "wavelengths"]  # fmt: skip

_MODULES = ("biases", "checkpoints", "context", "doctor", "grid", "rotary")


def __getattr__(name: str) -> ModuleType:
    if name in _MODULES:
        return importlib.import_module(f"pe_lib.{name}")
    raise AttributeError(f"module 'pe_lib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *_MODULES, "__version__"]
