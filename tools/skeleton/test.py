"""Chapter {number}: its functions are the library's, its numbers are computed."""

import numpy as np
import pytest
from cells import executed

from pe_lib import frequencies


@pytest.fixture(scope="module")
def chapter():
    return executed("{name}")


def test_its_functions_are_the_library_s(chapter):
    for d_model in (2, 8, 512):
        np.testing.assert_allclose(chapter["frequencies"](d_model), frequencies(d_model))


def test_numbers_of_the_prose():
    assert frequencies(4, 100.0).tolist() == pytest.approx([1, 0.1])
