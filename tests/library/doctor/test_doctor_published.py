"""Test the diagnoses of 250 arrays as published programs compute them, healthy and damaged."""

import published_bank

from pe_lib.doctor import identify


def test_nearly_all_are_right_and_none_is_wrong_and_sure():
    rows = published_bank.rows()
    assert len(rows) == len({row.name for row in rows}) == 250
    diagnoses = {row.name: (row, identify(row.make())) for row in rows}
    reasons = {name: published_bank.judge(*pair) for name, pair in diagnoses.items()}
    wrong = {name: why for name, why in reasons.items() if why}
    assert not any(diagnoses[name][1].sure for name in wrong), wrong
    assert len(wrong) <= 3, wrong
