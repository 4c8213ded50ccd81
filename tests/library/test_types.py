"""What a type checker knows: mypy reads this file, and pytest runs it."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import pe_lib
from pe_lib import encode, kernel

Array = NDArray[np.float64]


def test_numbers_in_numbers_out_and_arrays_in_arrays_out() -> None:
    assert_type(kernel(3, 8), np.float64)
    assert_type(kernel(range(3), 8), Array)
    assert_type(kernel([1.5, 2], 8), Array)
    assert_type(pe_lib.rotary.score([1, 0], [0, 1], 2), np.float64)
    assert_type(pe_lib.grid.grid_kernel(1, 2, 8), np.float64)
    assert_type(pe_lib.biases.t5_buckets(3), np.int64)
    assert_type(encode(3, 8), NDArray[np.floating[Any]])
