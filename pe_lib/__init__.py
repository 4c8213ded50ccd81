"""Compute and decode positional encodings. This is the library of the course *Order Matters*.

The library needs only numpy. This package offers

    frequencies, wavelengths, encode        the sinusoidal encoding
    rotation, shift, kernel                 how an encoding depends on offsets
    positions_from_value, positions_from_pair, position_from_encoding
                                            the position that an encoding belongs to

and these modules, which are imported when they are first used:

    rotary, biases, context, grid           rotary embeddings, score biases, longer texts, grids
    checkpoints                             what each layer of a published model does with positions
    doctor                                  which encoding an array holds, and what is wrong with
                                            the array (also as `python -m pe_lib.doctor FILE`)

`pe_lib.course` holds the code that only the book needs. It is installed separately, as part of
order-matters, and no module of this package imports it.

Throughout the library, positions start at 0. Pair i of an encoding, 0 <= i < d_model/2, is its
dimensions 2i (sine) and 2i + 1 (cosine). Frequencies are in radians per position, and wavelengths
in positions.
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

__version__ = "0.4.0"
__all__ = ["encode", "frequencies", "kernel", "position_from_encoding", "positions_from_pair",
           "positions_from_value", "rotation", "shift", "wavelengths"]  # fmt: skip

_MODULES = ("biases", "checkpoints", "context", "doctor", "grid", "rotary")


def __getattr__(name: str) -> ModuleType:
    """Import a module of the package when it is first used, so that `import pe_lib` stays fast."""
    if name in _MODULES:
        return importlib.import_module(f"pe_lib.{name}")
    raise AttributeError(f"module 'pe_lib' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names in the package, which editors use for completion."""
    return [*__all__, *_MODULES, "__version__"]
