"""Test that the page's scripts agree with `pe_lib`, by running all of them in one node process."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import FIELDS, Field, questions

from tests.node import run

RUN = Path(__file__).with_name("run.mjs")
Answers = dict[str, list[tuple[tuple[Any, ...], Any]]]


@pytest.fixture(scope="session")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """For each function in `cases.py`, return its calls and the results from the scripts."""
    known = {field.__name__: list(field()) for field in FIELDS}
    asked = [case for cases in known.values() for case in cases]
    found = iter(run(RUN, questions(asked), tmp_path_factory.mktemp("vectors")))
    return {name: [(case, next(found)) for case in cases] for name, cases in known.items()}


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.__name__)
def test_scripts_agree_with_the_oracle(field: Field, answers: Answers) -> None:
    assert answers[field.__name__]
    for (name, args, expected, *within), found in answers[field.__name__]:
        asked = f"{name}({', '.join(map(str, args))[:300]})"
        agree(found, expected, within[0] if within else 1e-9, asked)


def agree(found: Any, expected: Any, within: float, asked: str) -> None:
    """Assert that the result from a script agrees with the expected value.

    Numbers can differ by at most the tolerance `within`, while words must be equal. If the expected
    value is a mapping, names that it does not contain are ignored.
    """
    if callable(expected):
        assert expected(found), f"{asked}: {str(found)[:300]}"
    elif isinstance(expected, Mapping) and expected:
        for name, one in expected.items():
            agree(found[name], one, within, f"{asked}, {name}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for one, other in zip(found, expected, strict=True):
            agree(one, other, within, asked)
    elif np.size(expected) and np.asarray(expected).dtype.kind in "fiu":
        shaped = np.reshape(np.array(found, float), np.shape(expected))
        np.testing.assert_allclose(shaped, expected, rtol=within, atol=within, err_msg=asked)
    else:
        assert found == expected, asked
