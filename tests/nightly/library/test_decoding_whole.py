"""Every position of the longest home range, and thousands far out and under noise."""

import contextlib
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


def test_a_trillion_positions_at_512():
    k = np.random.default_rng(5).integers(0, 10**12, 5000)
    np.testing.assert_array_equal(position_from_encoding(encode(k, 512), max_position=10**12), k)


@pytest.mark.parametrize("stop", [None, 5000])
@pytest.mark.parametrize("seed", range(5))
def test_noise_on_every_entry(stop, seed):
    rng = np.random.default_rng(seed)
    k = rng.integers(0, stop or 44_000, 2000)
    pe, right = encode(k, 64) + 0.2 * rng.standard_normal((2000, 64)), 0
    for row, position in zip(pe, k, strict=True):
        with contextlib.suppress(ValueError):  # an honest refusal, though not a success
            right += position_from_encoding(row, max_position=stop) == position
    assert right >= 0.99 * 2000
