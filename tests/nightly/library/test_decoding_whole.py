"""Every position of the longest home range."""

import math

import numpy as np
import pytest

from pe_lib import encode, position_from_encoding, wavelengths


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("d_model", [16, 26, 64, 128, 512])
def test_every_position_of_the_home_range(d_model, dtype):
    positions = np.arange(math.ceil(15 / 16 * wavelengths(d_model)[-1]))
    for part in np.array_split(positions, 8):
        found = position_from_encoding(encode(part, d_model, dtype=dtype))
        np.testing.assert_array_equal(found, part)
