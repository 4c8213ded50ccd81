"""Turns as one operation of a graph of torch.compile, imported by `rotate` when one is made."""

import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pe_lib import _checks, _hands, sinusoidal

torch: Any = sys.modules["torch"]


def turns(positions: Any, width: int, base: float, frequencies: ArrayLike | None) -> Any:
    """The cosines and the sines, in float64: two tensors of the positions' shape + (pairs,)."""
    if isinstance(positions, range):
        positions = torch.arange(positions.start, positions.stop, positions.step)
    if frequencies is not None:
        frequencies = torch.as_tensor(frequencies, dtype=torch.float64)
    return _OPERATION(torch.as_tensor(positions), width, float(base), frequencies).unbind()


def _turns(positions: Any, width: int, base: float, frequencies: Any) -> Any:
    t = _checks.positions("positions", positions)
    turn = _hands.turns(t, sinusoidal.spacing(width, base, frequencies))
    return torch.from_numpy(np.stack([turn.real, turn.imag]))


def _shape(positions: Any, width: int, base: float, frequencies: Any) -> Any:
    return torch.empty((2, *positions.shape, width // 2), dtype=torch.float64)


_OPERATION = torch.library.custom_op(
    "pe_lib::turns",
    _turns,
    mutates_args=(),
    schema="(Tensor positions, int width, float base, Tensor? frequencies) -> Tensor",
)
_OPERATION.register_fake(_shape)
