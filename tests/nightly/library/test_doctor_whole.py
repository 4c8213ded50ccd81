"""Test the doctor on its whole bank of cases, and on 18,000 arrays that are not encodings."""

import doctor_bank as bank
import numpy as np
import pytest
import strangers
from test_doctor_bank import pairs, share
from test_doctor_bank import (
    test_arrays_of_other_kinds_are_never_sure as arrays_of_other_kinds_are_never_sure,
)
from test_doctor_bank import (
    test_what_is_damaged_is_listed_or_not_sure as what_is_damaged_is_listed_or_not_sure,
)
from test_doctor_script import ask_page

from pe_lib.doctor import identify


def test_single_conventions_and_mistakes():
    rng = np.random.default_rng(1)
    good, wrong = share(
        [*bank.make_all_cases(rng, 3), *(c for _ in range(5) for c in bank.all_lists(rng))]
    )
    assert good >= 0.98, wrong


def test_pairs_of_mistakes():
    good, wrong = share(pairs(np.random.default_rng(2)))
    assert good >= 0.9, wrong


@pytest.mark.parametrize("seed", range(10))
def test_strangers(seed):
    """Check that none of 20,000 arrays gets a diagnosis that is certain but wrong."""
    arrays_of_other_kinds_are_never_sure(1800, seed)
    what_is_damaged_is_listed_or_not_sure(200, seed)


def test_the_page_says_the_same_of_more(tmp_path):
    rng = np.random.default_rng(7)
    cases = [bank.shorten_arrays(case.arrays) for case in bank.make_all_cases(rng, 4)]
    cases += [bank.shorten_arrays(x) for _, x in strangers.draw_strangers(rng, 60)]
    for arrays, text in zip(cases, ask_page(tmp_path, cases)["cases"], strict=True):
        assert text == str(identify(*arrays))
