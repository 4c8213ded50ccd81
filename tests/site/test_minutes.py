"""Test that the estimated reading times are close to the times that real readers needed."""

from collections import Counter
from pathlib import Path

import yaml

from _ext.reading import minutes

TIMED = yaml.safe_load(Path(__file__).with_name("minutes.yml").read_text("utf-8"))


def test_minutes_are_those_of_careful_readers() -> None:
    errors = []
    for amounts, needed in TIMED:
        counts = Counter(dict(zip(minutes.MINUTES, amounts, strict=True)))
        errors.append(abs(minutes.estimate_minutes(counts) - needed))
    assert sum(errors) / len(errors) < 6
    assert max(errors) <= 12
